"""The middleware in somebody's project: of a known site only lists are followed, everything else is as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from webstruct.demo import DemoServer, DemoSite

PROJECT = Path(__file__).parent.parent

SPIDER = """
import scrapy
from scrapy.linkextractors import LinkExtractor

class Own(scrapy.Spider):
    name = "own"

    async def start(self):
        for url in self.urls.split():
            yield scrapy.Request(url)

    {keyword} parse(self, response):
        yield {{"url": response.url}}
        for link in LinkExtractor().extract_links(response):
            yield scrapy.Request(link.url)
        yield scrapy.Request(response.urljoin("/about.html?made=up"))
"""


@pytest.fixture(scope="module")
def server():
    with DemoServer(DemoSite(pages=60, dirt=False)) as running:
        yield running


@pytest.fixture(scope="module")
def known(server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("known")
    words = ["crawl", "site", "-a", f"url={server.url}/", "-a", f"out={folder}"]
    fast = ["-s", "AUTOTHROTTLE_ENABLED=False", "-s", "LOG_LEVEL=WARNING"]
    subprocess.run([sys.executable, "-m", "scrapy", *words, *fast], cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)
    return folder


def crawl(folder, urls, *settings, keyword="def"):
    """Run the project's spider with our middleware and return the items, and what it said."""
    (folder / "own.py").write_text(SPIDER.format(keyword=keyword))
    words = [sys.executable, "-m", "scrapy", "runspider", "own.py", "-a", f"urls={urls}", "-O", "items.jsonl"]
    middleware = json.dumps({"webstruct.middlewares.focus.FocusMiddleware": 500})
    for setting in (f"SPIDER_MIDDLEWARES={middleware}", "LOG_LEVEL=INFO", "TELNETCONSOLE_ENABLED=False", *settings):
        words += ["-s", setting]
    run = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=60, env={"PYTHONPATH": str(PROJECT), "PATH": ""}
    )
    items = (folder / "items.jsonl").read_text("utf-8").splitlines() if (folder / "items.jsonl").exists() else []
    return [json.loads(line)["url"] for line in items], run.stderr


@pytest.mark.parametrize("keyword", ["def", "async def"])
def test_of_a_known_site_only_lists_are_followed_and_where_they_go_on(tmp_path, server, known, keyword):
    site = server.site
    urls, said = crawl(tmp_path, f"{server.url}/latest/", f"WEBSTRUCT_SITES={known}", keyword=keyword)
    found = {url.removeprefix(server.url) for url in urls}
    latest = site.plan.listings["/latest/"]
    pages = [site.plan.list_path(latest, page) for page in range(1, latest.pages + 1)]
    listed = {link for page in pages for link in site.truth(page).toc_links}
    assert found == {*pages, *listed, "/about.html?made=up"}
    assert "'webstruct/focus/dropped'" in said


def test_pages_of_other_sites_pass_untouched(tmp_path, known):
    with DemoServer(DemoSite(pages=60, seed=11, dirt=False)) as other:
        urls, said = crawl(tmp_path, f"{other.url}/", f"WEBSTRUCT_SITES={known}", "CLOSESPIDER_ITEMCOUNT=60")
    assert len(urls) >= 60
    assert "webstruct/focus" not in said


def test_without_known_sites_it_is_not_there(tmp_path, server):
    urls, said = crawl(tmp_path, f"{server.url}/", "CLOSESPIDER_ITEMCOUNT=20")
    assert len(urls) >= 20
    assert "WEBSTRUCT_SITES names no folder of a known site" in said


def test_a_folder_that_holds_no_known_site_ends_the_crawl_with_a_sentence(tmp_path, server):
    urls, said = crawl(tmp_path, f"{server.url}/", "WEBSTRUCT_SITES=nowhere")
    assert urls == []
    assert "WEBSTRUCT_SITES='nowhere' is not a folder with a site.db in it" in said
