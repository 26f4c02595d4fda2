"""What the documentation says of settings, exit codes and modules is what the code has."""

from __future__ import annotations

import doctest
import re
import runpy
import sqlite3
from contextlib import closing
from xml.etree import ElementTree

import pytest
from recipes import ROOT, shell

import webstruct
from webstruct import exit_codes
from webstruct.arguments import CrawlArguments
from webstruct.config import PREFIX, Config
from webstruct.demo import DemoServer, DemoSite
from webstruct.items import ArticleItem, PageItem
from webstruct.store import Store


def documented(name, pattern):
    return set(re.findall(pattern, (ROOT / "docs" / name).read_text("utf-8"), re.M))


def test_every_setting_is_documented_with_its_default():
    rows = dict(
        re.findall(r"^\| `(WEBSTRUCT_\w+)` \| `?([^|`]*)`? \|", (ROOT / "docs/settings.md").read_text("utf-8"), re.M)
    )
    defaults = {PREFIX + name.upper(): str(field.default) for name, field in Config.__dataclass_fields__.items()}
    assert {name: value.strip().strip('"') for name, value in rows.items()} == defaults


def test_every_argument_of_the_spider_is_documented():
    assert set(CrawlArguments.__dataclass_fields__) <= documented("settings.md", r"^\| `(\w+)` \|")


def test_every_exit_code_is_documented():
    codes = {str(value) for name, value in vars(exit_codes).items() if name.isupper()}
    assert documented("output.md", r"^\| (\d) \|") == codes


def test_every_field_of_the_output_is_documented():
    text = (ROOT / "docs/output.md").read_text("utf-8")
    for field in {*ArticleItem.__dataclass_fields__, *PageItem.__dataclass_fields__}:
        assert f"`{field}`" in text, field


@pytest.fixture(scope="module")
def stats(tmp_path_factory):
    """The stats of a crawl and of a focused crawl of the demo site, as Scrapy prints them."""
    printed, folder = "", tmp_path_factory.mktemp("stats")
    with DemoServer(DemoSite(pages=60, dirt=False)) as server:
        for words in (f"site -a url={server.url}/ -a out=site", "focused -a site=site -a all=yes"):
            command = f"scrapy crawl {words} -s AUTOTHROTTLE_ENABLED=False"
            printed += shell(command, folder, SCRAPY_SETTINGS_MODULE="webstruct.settings").stderr
    return set(re.findall(r"'(webstruct/[^']+)'", printed))


def test_every_stat_is_documented(stats):
    listed = documented("output.md", r"`(webstruct/[\w/<>]+)`")
    assert len(stats) > 15
    assert {re.sub(r"\d+$", "<family>", name) for name in stats} <= listed
    source = "".join(path.read_text("utf-8") for path in (ROOT / "webstruct").rglob("*.py"))
    assert set(re.findall(r'(?<!f)"(webstruct/[a-z_/]+)"', source)) <= listed


def test_every_table_and_column_of_the_store_is_documented(tmp_path):
    sections = dict(re.findall(r"^## (\w+)$(.*?)(?=^## )", (ROOT / "docs/store.md").read_text("utf-8"), re.M | re.S))
    Store.open(tmp_path / "site.db").close()
    with closing(sqlite3.connect(tmp_path / "site.db")) as store:
        tables = [name for (name,) in store.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        columns = {table: {row[1] for row in store.execute(f"PRAGMA table_info({table})")} for table in tables}
    described = {
        table: {name for cell in re.findall(r"^\| (`.*?) \|", text, re.M) for name in re.findall(r"`(\w+)`", cell)}
        for table, text in sections.items()
    }
    assert described == columns


def test_every_public_name_is_documented():
    assert documented("api.md", r"^\| `webstruct\.(\w+)` \|") == set(webstruct.__all__)


def test_pictures_of_the_methods_are_drawn_and_shown(tmp_path):
    drawn = runpy.run_path(str(ROOT / "docs/make_pictures.py"))
    model, shown = drawn["demo_model"](), documented("methods.md", r"\]\(images/(\w+)\.svg\)")
    for picture in drawn["PICTURES"]:
        picture.__globals__["IMAGES"] = tmp_path
        picture(model)
    files = {path.stem: ElementTree.parse(path).getroot() for path in tmp_path.glob("*.svg")}
    assert files.keys() == shown == {path.stem for path in (ROOT / "docs/images").glob("*.svg")}
    assert all(len(root) > 10 for root in files.values())


def test_every_page_is_in_the_navigation():
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert set(re.findall(r": (\w+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)) == pages
    index = (ROOT / "docs/index.md").read_text("utf-8")
    assert {page for page in pages - {"index.md"} if f"({page})" not in index} == set()


def test_every_module_has_its_place_in_the_architecture():
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    modules = {path.stem for path in (ROOT / "webstruct").glob("*.py")} - {
        "__init__",
        "settings",
        "errors",
        "packing",
        "arguments",
    }
    small = {"exit_codes", "clustering_measures", "evaluation"}
    assert {name for name in modules - small if f"`{name}`" not in text} == set()


def test_the_example_of_feature_weights_runs():
    assert doctest.testfile(str(ROOT / "docs/weighting.md"), module_relative=False, encoding="utf-8") == (0, 10)
