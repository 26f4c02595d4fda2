"""A `Report` → HTML: one file with its style, its script and its data, and a policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from webstruct.report.drawing import STATES
from webstruct.report.wording import plain

if TYPE_CHECKING:
    from webstruct.report.data import Report

TYPE_NAMES = {"toc": "list pages", "article": "articles", "other": "other pages"}
MAX_NAVIGATION = 60
# What would end a data block, or a line of it in old script engines.
_UNSAFE_IN_SCRIPT = str.maketrans({char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"})


def render(report: Report) -> str:
    """The report as HTML.

    >>> from webstruct.report.data import Report
    >>> "<h1" in render(Report({"url": "http://example.com/", "complete": True, "pages": 0}))
    True
    """
    style, script = _asset("report.css"), _asset("report.js")
    html = (
        _environment()
        .get_template("template.html.j2")
        .render(
            report=report,
            site=report.site,
            style=Markup(style),  # noqa: S704 (our own files)
            script=Markup(script),  # noqa: S704
            policy=_policy(style, script),
            data=Markup(_json({"articles": report.articles, "graph": report.graph})),  # noqa: S704 (escaped)
        )
    )
    return html.encode("utf-8", "replace").decode("utf-8")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(value: Any) -> str:
    """JSON that may stand in a `<script>`: nothing in it ends the element."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(_UNSAFE_IN_SCRIPT)


@cache
def _asset(name: str) -> str:
    return (files("webstruct.report") / name).read_text("utf-8").strip()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("webstruct", "report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.globals |= {"type_names": TYPE_NAMES, "states": STATES, "max_navigation": MAX_NAVIGATION}
    environment.tests["web_address"] = _is_web_address
    environment.filters |= {"number": _number, "percent": _percent, "moment": _moment}
    environment.globals["duration"] = _duration
    return environment


def _shown(value: Any) -> Any:
    """Whatever the template prints has no control characters; what it must not print is nothing."""
    if value is None:
        return ""
    return plain(value) if type(value) is str else value


def _is_web_address(url: Any) -> bool:
    """Whether an address may be a link; one that was shortened would lead elsewhere."""
    return isinstance(url, str) and url.lower().startswith(("http://", "https://")) and not url.endswith("…")


def _number(value: float) -> str:
    """A number with its thousands parted; a fraction to two places.

    >>> _number(12345), _number(0.5)
    ('12,345', '0.50')
    """
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def _percent(part: float, whole: float = 1.0) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "0%"


def _moment(text: str | None) -> str:
    """A UTC time stamp as people write it."""
    moment = _parsed(text)
    return moment.strftime("%Y-%m-%d %H:%M UTC") if moment else ""


def _duration(started: str | None, finished: str | None) -> str:
    """The time between two stamps.

    >>> _duration("2026-01-01T10:00:00Z", "2026-01-01T11:02:03Z")
    '1 h 2 min'
    """
    begin, end = _parsed(started), _parsed(finished)
    if begin is None or end is None:
        return ""
    seconds = max(0, round((end - begin).total_seconds()))
    hours, minutes = seconds // 3600, seconds // 60 % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds % 60} s" if minutes else f"{seconds} s"


def _parsed(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
