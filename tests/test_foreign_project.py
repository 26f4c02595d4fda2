"""Our pipelines in somebody else's Scrapy project: one by one, with items of any type, and all by the add-on."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from webstruct.demo import DemoServer, DemoSite

SPIDER = """
from dataclasses import dataclass, field
from scrapy import Item, Field, Spider

@dataclass
class Story:
    url: str
    html: str
    webstruct: dict = field(default_factory=dict)

class Plain(Item):
    url = Field()
    html = Field()

class Own(Spider):
    name = "own"
    kind = "dict"

    async def start(self):
        for url in self.urls.split():
            yield self.request(url)
        yield {"other": "item"}

    def request(self, url):
        from scrapy import Request
        return Request(url)

    def parse(self, response):
        make = {"dict": dict, "dataclass": Story, "item": Plain}[self.kind]
        yield make(url=response.url, html=response.text)
"""


@pytest.fixture(scope="module")
def server():
    with DemoServer(DemoSite(pages=60, dirt=False)) as running:
        yield running


def run_project(folder, server, settings, *, kind="dict", pages=60, name="own"):
    """A whole small project, as a user would have it, and the items it gives."""
    package = folder / "theirs"
    (package / "spiders").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "spiders" / "__init__.py").touch()
    (package / "spiders" / "own.py").write_text(SPIDER)
    (package / "settings.py").write_text(
        f'SPIDER_MODULES = ["theirs.spiders"]\nTELNETCONSOLE_ENABLED = False\nLOG_LEVEL = "WARNING"\n{settings}\n'
    )
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = theirs.settings\n")
    urls = " ".join(server.url + path for path in list(server.site.paths())[:pages])
    words = [
        sys.executable,
        "-m",
        "scrapy",
        "crawl",
        name,
        "-a",
        f"urls={urls}",
        "-a",
        f"kind={kind}",
        "-O",
        "items.json",
    ]
    run = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)
    return run, json.loads((folder / "items.json").read_text() or "[]") if (folder / "items.json").exists() else []


def use(pipeline, **settings):
    lines = [f'ITEM_PIPELINES = {{"webstruct.pipelines.{pipeline}": 300}}']
    return "\n".join(lines + [f"{name} = {value!r}" for name, value in settings.items()])


def test_entropy_pipeline_adds_the_words_that_tell_a_page_from_others(tmp_path, server):
    run, items = run_project(tmp_path, server, use("entropy.EntropyPipeline"))
    assert (run.returncode, run.stderr) == (0, "")
    pages = [item for item in items if "html" in item]
    assert {"other": "item"} in items, "items that hold no page pass untouched"
    assert [page["webstruct"]["pages_seen"] for page in pages] == list(range(1, len(pages) + 1))
    assert all(page["webstruct"]["terms"] for page in pages[-5:])
    assert not pages[-1]["webstruct"]["settled"]


def test_wisdom_pipeline_adds_blocks_and_text_to_dataclass_items(tmp_path, server):
    run, items = run_project(
        tmp_path, server, use("wisdom.WisdomPipeline", WEBSTRUCT_SETTLED_PAGES=30), kind="dataclass"
    )
    assert (run.returncode, run.stderr) == (0, "")
    last = [item for item in items if "html" in item][-1]["webstruct"]
    assert last["settled"]
    assert last["blocks"][0].startswith("/html/body")
    assert isinstance(last["text"], str)


def test_template_pipeline_learns_from_the_first_pages_and_then_strips(tmp_path, server):
    run, items = run_project(tmp_path, server, use("template.TemplatePipeline", WEBSTRUCT_TEMPLATE_PAGES=4))
    assert (run.returncode, run.stderr) == (0, "")
    results = [item["webstruct"] for item in items if "html" in item]
    assert results[0]["template"] == {"learned": False, "pages": 1}
    stripped = [result for result in results if result["template"]["learned"]]
    assert stripped
    assert all(0 < result["template"]["fit"] <= 1 for result in stripped)
    assert all(result["stripped"]["html"].startswith("<!DOCTYPE html>") for result in stripped)


def test_template_pipeline_strips_from_the_first_page_on_with_the_templates_of_an_earlier_crawl(tmp_path, server):
    (tmp_path / "first").mkdir()
    run, _ = run_project(tmp_path / "first", server, use("lamis.LamisPipeline", WEBSTRUCT_OUT="learned"))
    assert (run.returncode, run.stderr) == (0, "")
    (tmp_path / "later").mkdir()
    known = use("template.TemplatePipeline", WEBSTRUCT_STORE=str(tmp_path / "first" / "learned"))
    run, items = run_project(tmp_path / "later", server, known, pages=10)
    assert (run.returncode, run.stderr) == (0, "")
    results = [item["webstruct"] for item in items if "html" in item]
    stripped = [result for result in results if result["template"]["learned"]]
    assert len(stripped) >= len(results) - 2, "all but pages of families too small for a template"
    assert all(result["template"]["fit"] > 0.5 for result in stripped)


def test_lamis_pipeline_learns_the_site_at_the_end(tmp_path, server):
    run, items = run_project(tmp_path, server, use("lamis.LamisPipeline", WEBSTRUCT_OUT="learned"))
    assert (run.returncode, run.stderr) == (0, "")
    assert "webstruct" not in items[-1]
    site = json.loads((tmp_path / "learned" / "site.json").read_text("utf-8"))
    assert site["pages"] == 60
    assert site["types"]["article"] > 10
    assert (tmp_path / "learned" / "report.html").exists()


def test_the_addon_switches_everything_on_and_brings_the_site_spider(tmp_path, server):
    run, items = run_project(tmp_path, server, 'ADDONS = {"webstruct.Addon": 500}\nWEBSTRUCT_OUT = "learned"')
    assert (run.returncode, run.stderr) == (0, "")
    assert {"terms", "blocks", "template", "features"} <= items[-1].get("webstruct", items[0].get("webstruct")).keys()
    out = tmp_path / "crawled"
    words = [
        sys.executable,
        "-m",
        "scrapy",
        "crawl",
        "site",
        "-a",
        f"url={server.url}",
        "-a",
        f"out={out}",
        "-O",
        "all.jsonl",
    ]
    quick = ("AUTOTHROTTLE_ENABLED=False", "LOG_LEVEL=WARNING", "CLOSESPIDER_TIMEOUT=60")
    words += [word for setting in quick for word in ("-s", setting)]
    run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr) == (0, "")
    assert (out / "articles.jsonl").stat().st_size > 10_000
    assert (tmp_path / "all.jsonl").stat().st_size > 10_000, "a user's own feed gets the items too"


def test_items_without_a_field_for_results_are_named_once_and_pass(tmp_path, server):
    run, items = run_project(tmp_path, server, use("entropy.EntropyPipeline"), kind="item", pages=5)
    assert run.returncode == 0
    assert run.stderr.count("Plain has no field 'webstruct'") == 1
    assert len(items) == 6


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("WEBSTRUCT_TEMPLATE_PAGES = 'many'", "WEBSTRUCT_TEMPLATE_PAGES='many' should be a whole number, at least 2"),
        ("WEBSTRUCT_TEMPLATE_PAGE = 4", "there is no setting WEBSTRUCT_TEMPLATE_PAGE"),
        ("WEBSTRUCT_STORE = 'nowhere'", "WEBSTRUCT_STORE='nowhere' is not a folder with a site.db in it"),
    ],
)
def test_a_wrong_setting_ends_the_crawl_at_once_with_a_sentence(tmp_path, server, setting, sentence):
    run, items = run_project(tmp_path, server, use("entropy.EntropyPipeline") + "\n" + setting, pages=3)
    assert run.returncode != 0
    assert sentence in run.stderr
    assert items == []
