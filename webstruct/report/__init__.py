"""The report: what was learned, in one HTML file that opens without a network and runs nothing.

Everything in it that comes from the site is text, escaped by the template engine; links are http(s) only; a content
security policy forbids scripts and foreign resources.
"""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape

SHOWN_ROWS = 1000

_TEMPLATES = Environment(
    loader=PackageLoader("webstruct", "report"),
    autoescape=select_autoescape(default=True),
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(summary: dict[str, Any], *, lists: list[dict[str, Any]], articles: list[dict[str, Any]]) -> str:
    """The report as HTML, from `site.json` and some rows of `pages.jsonl` and `articles.jsonl`."""
    return _TEMPLATES.get_template("report.html").render(
        site=summary, lists=lists[:SHOWN_ROWS], articles=articles[:SHOWN_ROWS], shown=SHOWN_ROWS
    )


def _is_web_address(url: str) -> bool:
    return url.startswith(("http://", "https://"))


_TEMPLATES.tests["web_address"] = _is_web_address
