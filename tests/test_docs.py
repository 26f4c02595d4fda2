"""What the documentation says of settings, exit codes and modules is what the code has."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from webstruct import exit_codes
from webstruct.arguments import CrawlArguments
from webstruct.config import PREFIX, Config
from webstruct.items import ArticleItem, PageItem

ROOT = Path(__file__).parent.parent


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
