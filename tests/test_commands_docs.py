"""docs/commands.md: every example is run, and shows what it says; every option is there."""

from __future__ import annotations

import argparse

import pytest
from recipes import ROOT, follow

from webstruct.commands.subcommands import SUBCOMMANDS
from webstruct.demo import DemoServer, DemoSite

TEXT = (ROOT / "docs/commands.md").read_text("utf-8")


def test_every_example_shows_what_the_page_says(tmp_path):
    with DemoServer(DemoSite(pages=60)) as server:
        assert follow("docs/commands.md", tmp_path, server) > 15
    for name in (
        "articles.csv",
        "lantern.gexf",
        "structure.graphml",
        "titles.csv",
        "wrappers.json",
        "again/report.html",
    ):
        assert (tmp_path / name).stat().st_size > 100, name
    assert len(list((tmp_path / "texts").glob("*.md"))) > 30


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_and_option_is_on_the_page(name):
    assert f"| [`{name} " in TEXT
    parser = argparse.ArgumentParser(add_help=False)
    SUBCOMMANDS[name].add_arguments(parser)
    for action in parser._actions:
        for option in action.option_strings:
            assert f"`{option}" in TEXT or f"`{name} DIR {option}" in TEXT or f" {option} " in TEXT, option
