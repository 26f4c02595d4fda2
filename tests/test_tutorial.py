"""The tutorial and the how-to pages: what a newcomer is told to do works, and shows what the page says."""

from __future__ import annotations

import doctest

import pytest
from recipes import ROOT, follow

from webstruct.demo import DemoServer, DemoSite


@pytest.mark.parametrize(
    ("page", "language", "commands"), [("tutorial", "en", 16), ("wrappers", "en", 4), ("chinese", "zh", 1)]
)
def test_a_page_can_be_followed_from_top_to_bottom(page, language, commands, tmp_path):
    with DemoServer(DemoSite(pages=60, language=language)) as server:
        assert follow(f"docs/{page}.md", tmp_path, server) == commands


def test_the_examples_of_chinese_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, run = doctest.testfile(str(ROOT / "docs/chinese.md"), module_relative=False, encoding="utf-8")
    assert (failed, run) == (0, 18)
