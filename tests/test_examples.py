"""The projects in examples/, by the commands in their README, against the demo newspaper."""

from __future__ import annotations

import json
import shutil

import pytest
from recipes import ROOT, block, shell

from webstruct.demo import DemoServer, DemoSite

DEMO = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def server():
    with DemoServer(DemoSite(pages=60, dirt=False)) as running:
        yield running


def run_readme(name, folder, server):
    """Run all commands of an example's README in a copy of it; the demo server is already there."""
    project = shutil.copytree(ROOT / "examples" / name, folder / name)
    start, *commands = block(f"examples/{name}/README.md", "scrapy crawl").splitlines()
    assert start == "python -m webstruct.demo --port 8000 &"
    for command in commands:
        quick = command.replace("crawl site", "crawl site -s AUTOTHROTTLE_ENABLED=False -s LOG_LEVEL=WARNING")
        run = shell(quick.replace(DEMO, server.url), project)
        assert (run.returncode, run.stderr) == (0, "")
    return project


def items(path, server):
    """What the project's own feed holds, by path on the server."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {item["url"].removeprefix(server.url): item for item in lines}


def test_a_project_with_its_own_spider_and_items_adds_only_our_pipelines(tmp_path, server):
    project = run_readme("pipelines_project", tmp_path, server)
    stories = items(project / "stories.jsonl", server)
    assert stories.keys() == {path for path in server.site.paths() if server.site.truth(path).parts[:1] == [path]}
    for path, story in stories.items():
        assert story["headline"] == server.site.truth(path).title
        assert story["html"] == "", "their own pipeline still runs, after ours"
        assert story["webstruct"]["terms"]
    settled = [path for path, story in stories.items() if story["webstruct"]["settled"]]
    assert len(settled) == len(stories) - 19
    assert sum(map(share_of_text, (server.site.truth(path) for path in settled), map(stories.get, settled))) > (
        0.7 * len(settled)
    )
    learned = json.loads((project / "learned" / "site.json").read_text("utf-8"))
    assert learned["pages"] == len(stories)
    assert (project / "learned" / "report.html").exists()


def share_of_text(truth, story):
    """How many of an article's lines the pipelines found."""
    found = "".join(story["webstruct"]["text"].split())
    lines = ["".join(line.split()) for line in truth.text.splitlines() if line]
    return sum(line in found for line in lines) / len(lines)


def test_a_project_with_its_own_spider_adds_only_our_middleware(tmp_path, server):
    project = run_readme("focus_project", tmp_path, server)
    headlines = items(project / "headlines.jsonl", server)
    truths = {path: server.site.truth(path) for path in headlines}
    listed = {link for path in server.site.paths() for link in server.site.truth(path).toc_links}
    assert {path for path, truth in truths.items() if truth.type == "article"} == listed
    assert {path for path, truth in truths.items() if truth.type != "article"} <= {"/latest/", "/latest/page/2/"}
