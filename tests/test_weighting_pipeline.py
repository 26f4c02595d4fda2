"""Feature weights on items: page by page in a stream, in `pages.jsonl` on request, and after an earlier crawl."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from webstruct.config import Config
from webstruct.demo import DemoServer, DemoSite
from webstruct.page import Page
from webstruct.pipelines.stream import Stream
from webstruct.pipelines.weighting import WeightingPipeline
from webstruct.structure_tree import StructureTree

PROJECT = Path(__file__).parent.parent
QUICK = ("AUTOTHROTTLE_ENABLED=False", "LOG_LEVEL=WARNING", "WEBSTRUCT_PROGRESS=False")


def crawl_items(url, out, *settings):
    words = [sys.executable, "-m", "scrapy", "crawl", "site", "-a", f"url={url}", "-a", f"out={out}"]
    words += [word for setting in (*QUICK, *settings) for word in ("-s", setting)]
    run = subprocess.run(words, cwd=PROJECT, capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr) == (0, "")
    return [json.loads(line) for line in (out / "pages.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def server():
    with DemoServer(DemoSite(pages=60, dirt=False)) as running:
        yield running


@pytest.fixture(scope="module")
def crawled(server, tmp_path_factory):
    out = tmp_path_factory.mktemp("crawled")
    return out, crawl_items(server.url, out, "WEBSTRUCT_FEATURES=True")


def demo_item(server, path):
    return {"url": server.url + path, "html": server.site.page(path).body.decode("utf-8")}


def test_pages_have_features_on_request(server, crawled):
    _, pages = crawled
    parsed = [
        Page.parse(server.site.page(path).body, server.url + path)
        for path in (page["url"].removeprefix(server.url) for page in pages)
    ]
    tree = StructureTree.of(parsed).compress()
    assert [page["features"] for page in pages] == [tree.features(page) for page in parsed]
    assert all(page["features"] for page in pages if page["type"] == "article")


def test_pages_have_no_features_without_request(server, tmp_path):
    assert all(page["features"] == {} for page in crawl_items(server.url, tmp_path))


def test_first_item_counts_words_and_later_ones_know_the_menu(server):
    pipeline = WeightingPipeline(Stream(Config()))
    items = [pipeline.process_item(demo_item(server, path)) for path in server.site.paths()]
    results = [item["webstruct"] for item in items]
    assert [result["pages_seen"] for result in results] == list(range(1, len(items) + 1))
    first = Page.parse(items[0]["html"], items[0]["url"])
    names, counts = first.term_counts()
    assert results[0]["features"] == dict(zip(names, counts.astype(float).tolist(), strict=True))
    menu = page_terms(first, "nav")
    assert menu
    assert all(results[0]["features"][word] >= 1 for word in menu)
    pages = [Page.parse(item["html"], item["url"]) for item in items]
    last = max(number for number, page in enumerate(pages) if len(page.nodes("nav")) and len(page.nodes("article")))
    only_menu = menu & page_terms(pages[last], "nav") - page_terms(pages[last], "article")
    assert only_menu
    counts = dict(zip(*pages[last].term_counts(), strict=True))
    weight = sum(results[last]["features"].get(word, 0.0) for word in only_menu)
    assert weight < 0.6 * sum(counts[word] for word in only_menu)


def page_terms(page, tag):
    node = page.nodes(tag)[0]
    inside = (page.term_node >= node) & (page.term_node < page.subtree_end[node])
    return {page.term_names[term] for term in page.term[inside].tolist()}


def test_an_item_seen_twice_is_counted_once(server):
    pipeline = WeightingPipeline(Stream(Config()))
    paths = list(server.site.paths())[:4]
    for path in [*paths, *paths]:
        item = pipeline.process_item(demo_item(server, path))
    pages = [Page.parse(server.site.page(path).body, server.url + path) for path in paths]
    assert item["webstruct"]["features"] == StructureTree.of(pages).compress().features(pages[-1])


def test_items_without_a_page_pass(server):
    pipeline = WeightingPipeline(Stream(Config()))
    assert pipeline.process_item({"other": "item"}) == {"other": "item"}


def test_a_store_of_an_earlier_crawl_makes_the_first_page_right(server, crawled):
    out, pages = crawled
    pipeline = WeightingPipeline(Stream(Config(store=str(out))))
    page = next(page for page in pages if page["type"] == "article")
    item = pipeline.process_item(demo_item(server, page["url"].removeprefix(server.url)))
    assert item["webstruct"]["features"] == page["features"]
