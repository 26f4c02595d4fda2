"""What a page of the demo site is, and what is true about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

PageType = Literal["toc", "article", "other"]


@dataclass(frozen=True)
class Truth:
    """The right answers for one page: what a perfect crawler and extractor would say about it.

    ``text`` holds the paragraphs, sub-headings, quotes, code, list items (one per line) and table rows (one
    per line, cells separated by a blank) of the article, with an empty line between blocks; the headline,
    captions, advertisements and promotions are not part of it. ``toc_links`` are the articles that the
    page's own list blocks lead to, in order, without menus and side bars. ``canonical`` is the good path of
    the same contents, ``parts`` are all pages of the article, and ``trap`` names the kind of dirt if a
    crawler should not count the page.
    """

    type: PageType
    canonical: str
    template: str
    title: str = ""
    date: str | None = None
    author: str | None = None
    section: list[str] = field(default_factory=list)
    text: str = ""
    toc_links: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    trap: str | None = None


@dataclass(frozen=True)
class Changes:
    """What happened on one day since the day before: articles by the path of their first page.

    Every corrected article has another text; only that of the ``announced`` ones shows in lists (in the teaser).
    """

    new: list[str]
    corrected: list[str]
    announced: list[str]
    vanished: list[str]


@dataclass(frozen=True)
class DemoPage:
    """One answer of the site: what goes over the wire, and the truth about it."""

    body: bytes
    truth: Truth
    modified: datetime
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
