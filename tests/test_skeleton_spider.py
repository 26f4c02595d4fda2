"""The section tree by itself: a handful of requests, a printed tree, and every step explained on request."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from webstruct.demo import DemoServer, DemoSite

PROJECT = Path(__file__).parent.parent
QUICK = ("-s", "AUTOTHROTTLE_ENABLED=False", "-s", "LOG_LEVEL=WARNING")


def scrapy(*words):
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *words, *QUICK], cwd=PROJECT, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def server():
    with DemoServer(DemoSite(pages=120, dirt=False)) as running:
        yield running


def test_the_tree_is_found_with_a_handful_of_requests(tmp_path, server):
    run = scrapy("crawl", "skeleton", "-a", f"url={server.url}", "-a", f"out={tmp_path}", "-a", "depth=1")
    assert run.returncode == 0, run.stderr
    site = json.loads((tmp_path / "site.json").read_text("utf-8"))
    found = {child["url"].removeprefix(server.url) for child in site["skeleton"]["children"]}
    wanted = {child["url"] for child in server.site.skeleton()["children"]}
    assert found & wanted
    assert len(server.requests) <= 3
    report = (tmp_path / "report.html").read_text("utf-8")
    assert "Candidate link sets" in report
    assert "dropped by" in report


def test_the_command_explains_what_it_took_and_what_not(tmp_path, server):
    run = scrapy("skeleton", server.url, "--depth", "1", "--out", str(tmp_path), "--explain")
    assert run.returncode == 0, run.stderr
    assert "dropped by" in run.stdout
    assert "NumWordName" in run.stdout


def test_a_wrong_address_is_told_in_a_sentence(tmp_path):
    run = scrapy("skeleton", "ftp://example.com/", "--out", str(tmp_path))
    assert run.returncode == 2
    assert "is not an http or https address" in run.stderr
