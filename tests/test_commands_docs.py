"""docs/commands.md: every example is run, and shows what it says; every option is there."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_site_crawl import FAST

from webstruct.commands.subcommands import SUBCOMMANDS
from webstruct.demo import DemoServer, DemoSite

TEXT = (Path(__file__).parent.parent / "docs/commands.md").read_text("utf-8")
SERVED = "http://127.0.0.1:8000"


def examples():
    """Commands with what they show, in the order of the page."""
    for block in re.findall(r"```console\n(.*?)```", TEXT, re.S):
        for example in block.removeprefix("$ ").split("\n$ "):
            command, _, shown = example.partition("\n")
            yield command, shown


def shape(text):
    """Text without its figures and the width of its columns: both move with every improvement of a method."""
    return [re.sub(r"[+-]?\d+(\.\d+)?", "#", " ".join(line.split())) for line in text.splitlines()]


@pytest.fixture(scope="module")
def scrapy():
    return f"{sys.executable} -m scrapy"


def test_every_example_shows_what_the_page_says(tmp_path, scrapy):
    fast = "".join(f" -s {setting}" for setting in FAST)
    with DemoServer(DemoSite(pages=60)) as server:
        for command, expected in examples():
            ran = command.replace("scrapy", scrapy, 1).replace(SERVED, server.url) + (
                fast if " crawl " in command else ""
            )
            run = subprocess.run(["bash", "-c", ran], cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=100)
            shown, wanted = shape((run.stdout + run.stderr).replace(server.url, SERVED)), shape(expected)
            pattern = ".*".join(map(re.escape, "\n".join(wanted).split("…")))
            assert re.fullmatch(pattern, "\n".join(shown), re.S), f"{command}\n" + "\n".join(shown)
            assert run.returncode == (2 if "error:" in expected else 0), command
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
