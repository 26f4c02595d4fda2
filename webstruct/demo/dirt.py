"""The dirt of the site: traps, stubs, twins and odd links, as a crawler meets them on real sites.

Every case is one small function in the table `CASES`; all are linked from the hub at ``/archive/``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from webstruct.demo.chrome import Chrome, Sheet, items
from webstruct.demo.truth import Truth

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HUB = "/archive/"
PLAIN_PAGES = (HUB, "/links.html", "/odd-links.html")
FACETS = {
    "sort": ("date", "title", "length"),
    "color": ("red", "green", "blue"),
    "size": ("s", "m", "l", "xl"),
}


@dataclass(frozen=True)
class Visit:
    """One request for a dirty page: the address, split, and the match of its path."""

    path: str
    query: str
    origin: str
    match: re.Match[str]
    chrome: Chrome

    @property
    def address(self) -> str:
        """The path with its query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def page(self, title: str, main: str, *, trap: str | None) -> tuple[str, Truth]:
        """Put contents into the site's frame."""
        sheet = Sheet(self.address, title, f"<h1>{escape(title)}</h1>\n{main}", frame="modern", body_class="misc")
        template = self.chrome.look(sheet.frame)
        return self.chrome.render(sheet), Truth("other", self.address, template, title=title, trap=trap)


def dirty_page(chrome: Chrome, path: str, query: str, origin: str) -> tuple[str, Truth] | None:
    """Answer a dirty path with HTML and its truth, or with nothing if the path is none."""
    for pattern, case in CASES.items():
        match = re.fullmatch(pattern, path)
        if match:
            return case(Visit(path, query, origin, match, chrome))
    return None


def _hub(visit: Visit) -> tuple[str, Truth]:
    """Link all dirt."""
    links = (f'<a href="{escape(href)}">{escape(href)}</a>' for href in hub_links(visit.chrome))
    return visit.page(visit.chrome.labels["archive"], f"<ul>{items(links)}</ul>", trap=None)


def hub_links(chrome: Chrome) -> Iterator[str]:
    """Iterate over the dirty links of the hub: traps first, then twins of good pages."""
    yield from ("/links.html", "/odd-links.html", "/calendar/2026/03/", "/facets/", "/loop/", "/visit/s-1/")
    yield from ("/archive/lost/story-1.htm", "/private/report.html")
    card = chrome.newsroom.card
    yield from (f"/go/{card(number).identifier}" for number in (0, 6, 10))
    yield from (f"{card(number).path}?print=1" for number in (1, 7, 11))
    yield from (f"{card(number).path}?utm_source=hub&utm_campaign=spring" for number in (2, 4))
    yield f"{card(6).path};jsessionid=5E55104"
    yield from ("/index.html", "/latest", "/LATEST/../latest/")
    for section in chrome.plan.sections:
        yield from (f"/{section.slug}", f"/{section.slug}/index.html", f"/{section.slug}/#top")


def _links(visit: Visit) -> tuple[str, Truth]:
    """Link to other hosts."""
    links = (f'<a href="https://friend-{index}.example.org/">friend-{index}.example.org</a>' for index in range(1, 41))
    return visit.page("Links", f"<ul>{items(links)}</ul>", trap=None)


def _odd_links(visit: Visit) -> tuple[str, Truth]:
    """Link to what is no page, or is hardly a link at all."""
    odd = (
        "mailto:desk@lantern.example",
        "tel:+4900000000",
        "javascript:void(0)",
        "data:text/html,<p>hello",
        "http://[::1",
        "http://",
        "//",
        "?",
        "#",
        "",
        "   /latest/\n  ",
        "ftp://files.example.org/list.txt",
        "http://user:word@outside.example.org:99999/",
        f"{visit.origin.upper()}/latest/#news",
        "/about.html?&&",
    )
    links = (f'<a href="{escape(href)}">{escape(href.strip()) or "nothing"}</a>' for href in odd)
    return visit.page("Odd links", f"<ul>{items(links)}<li><a>no address</a></li></ul>", trap=None)


def _calendar(visit: Visit) -> tuple[str, Truth]:
    """Show a month of a calendar without end and almost without contents."""
    year, month = int(visit.match[1]), int(visit.match[2])
    before, after = year * 12 + month - 2, year * 12 + month
    links = (
        f'<a href="/calendar/{when // 12:04}/{when % 12 + 1:02}/">{name}</a>'
        for when, name in ((before, "«"), (after, "»"))
    )
    return visit.page(f"{year}/{month:02}", " ".join(links), trap="calendar")


def _facets(visit: Visit) -> tuple[str, Truth]:
    """Offer filters in any order and number, so that the query string grows for ever."""
    chosen = parse_qsl(visit.query)
    links = (
        f'<a href="/facets/?{escape(urlencode([*chosen, (name, value)]))}">{name}: {value}</a>'
        for name, values in FACETS.items()
        for value in values
    )
    return visit.page("Facets", f"<ul>{items(links)}</ul>", trap="facets")


def _loop(visit: Visit) -> tuple[str, Truth]:
    """Repeat the own directory by a relative link."""
    return visit.page("Loop", '<p><a href="loop/">loop</a></p>', trap="loop")


def _visit(visit: Visit) -> tuple[str, Truth]:
    """Give the same contents under a new session in the path with each click."""
    session = int(visit.match[1], 16)
    links = (f'<a href="/visit/s-{(session * 31 + step) % 16**8:x}/">visit {step}</a>' for step in (1, 2))
    return visit.page("Visit", " ".join(links), trap="session")


def _stub(visit: Visit) -> tuple[str, Truth]:
    """Send the browser on to the real address by a meta refresh."""
    found = visit.chrome.newsroom.card(int(visit.match[1]) % visit.chrome.plan.calendar.founded)
    target = escape(found.path)
    refresh = f'<meta http-equiv="refresh" content="0; url={target}">'
    html = f'<html><head>{refresh}</head><body><a href="{target}">&rarr;</a></body></html>'
    return html, Truth("other", found.path, "stub", trap="refresh")


def _private(visit: Visit) -> tuple[str, Truth]:
    """Show what robots.txt forbids; nobody should ever read it."""
    return visit.page("Private", "<p>Keep out.</p>", trap="private")


def _soft_404(visit: Visit) -> tuple[str, Truth]:
    """Make an excuse with status 200; its link leads to a further one."""
    main = f'<p>{escape(visit.chrome.labels["not_found"])}</p><p><a href="older/{len(visit.path)}.htm">?</a></p>'
    return visit.page("404", main, trap="soft-404")


CASES: dict[str, Callable[[Visit], tuple[str, Truth]]] = {
    re.escape(HUB): _hub,
    r"/links\.html": _links,
    r"/odd-links\.html": _odd_links,
    r"/calendar/(\d{4,6})/(\d\d)/": _calendar,
    r"/facets/": _facets,
    r"(?:/loop)+/": _loop,
    r"/visit/s-([0-9a-f]{1,8})/": _visit,
    r"/go/(\d{1,9})": _stub,
    r"/private/.*": _private,
    r"/archive/.+": _soft_404,
}
