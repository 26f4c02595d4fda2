"""Reports of demo sites, and of sites that mean harm."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from functools import cache
from itertools import cycle

from webstruct import learn
from webstruct.demo import DemoSite
from webstruct.navigation import navigation, trained_parameters
from webstruct.page import Page
from webstruct.report import Report, SiteReport, navigation_row
from webstruct.store import PageRow

ORIGIN = "http://lantern.example"
# Each of them sets `window.harmed`, if it is ever run.
HOSTILE = (
    "<script>harmed=1</script>",
    "</script><script>harmed=1</script>",
    "<!--<script>",
    "<img src=x onerror=harmed=1>",
    '"><svg onload=harmed=1>',
    "' onfocus=harmed=1 autofocus tabindex=1 x='",
    "javascript:harmed=1",
    "data:text/html,<script>parent.harmed=1</script>",
    "</style><script>harmed=1</script>",
    "</textarea></title></noscript><script>harmed=1</script>",
    "{{ 7*7 }}{% raw %}${harmed=1}",
    "line\u2028separator\u2029\x00\x1b[31m\x7f",
    "\u202eright to left\u2066\u200f",
    "\ud800 half a pair",
    "&lt;b&gt; &amp;amp; %3Cscript%3E",
    "長" * 20_000,
    "<b>" * 5_000,
)
# Words of the report itself, by which its parts find each other.
_OWN_WORDS = {"toc", "article", "other", "template", "informative", "dropped", "stored", "failed", "refused", ""}


def row(number, page):
    values = dict.fromkeys(PageRow._fields) | {"id": number + 1, "url": page.url, "depth": 1, "status": 200}
    return PageRow(**values)


def summary(model, pages):
    types = Counter(model.types.type)
    return {
        "url": pages[0].url if pages else ORIGIN + "/",
        "complete": True,
        "started": "2026-01-30T08:00:00+00:00",
        "finished": "2026-01-30T08:02:30+00:00",
        "pages": len(pages),
        "links": sum(map(len, model.site.targets)),
        "types": {name: types[name] for name in ("toc", "article", "other")},
        "counts": {"found": len(pages) + 3, "stored": len(pages), "failed": 2, "refused": 1, "pending": 0},
        "reasons": [
            {"state": "failed", "reason": "HTTP 404", "urls": 2},
            {"state": "refused", "reason": "robots.txt", "urls": 1},
        ],
        "skeleton": model.tree.as_dict(),
        "families": [dataclasses.asdict(family) for family in model.families],
    }


def report_of(pages):
    """The report of some pages, and what was learned of them."""
    pages = list(pages)
    model = learn(pages)
    rows = [row(number, page) for number, page in enumerate(pages)]
    collected = SiteReport(model)
    for number, page in enumerate(pages):
        for item in model.items(number, page, rows):
            collected.add(number, page, item)
    failures = [
        row(number, Page.parse("", f"{ORIGIN}/gone/{number}"))._replace(state="failed", reason="HTTP 404", status=404)
        for number in range(2)
    ]
    report = collected.finish(summary(model, pages), failures)
    report.navigation = [navigation_row(navigation(page, set(), trained_parameters())) for page in pages[:3]]
    return report, model


def demo_pages(count, language="en"):
    demo = DemoSite(pages=count, language=language, dirt=False)
    for path in demo.paths():
        yield Page.parse(demo.page(path).body, ORIGIN + path)


@cache
def demo_report(count=120, language="en"):
    return report_of(demo_pages(count, language))


def poisoned(value, texts=None):
    """The same report with every text of it replaced by something that means harm."""
    texts = texts or cycle(HOSTILE)
    if isinstance(value, str):
        return value if value in _OWN_WORDS else next(texts)
    if isinstance(value, Counter):
        return Counter({poisoned(key, texts): count for key, count in value.items()})
    if isinstance(value, (list, tuple)):
        return type(value)(poisoned(one, texts) for one in value)
    if isinstance(value, dict):
        return {key: poisoned(one, texts) for key, one in value.items()}
    if dataclasses.is_dataclass(value):
        return dataclasses.replace(
            value, **{field.name: poisoned(getattr(value, field.name), texts) for field in dataclasses.fields(value)}
        )
    return value


def hostile_report() -> Report:
    report, _ = demo_report(60)
    hostile = poisoned(report)
    json.dumps(hostile.site)
    return hostile
