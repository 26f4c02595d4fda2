"""What a page declares of itself: in `<meta>` (OpenGraph, Dublin Core), JSON-LD, microdata and the `rel` of its links.

Used where there is any, never needed. One look at the page's distinct start tags finds all of it: `extruct` gives no more
of these fields, but parses the page anew, which takes far longer than all else that is done for an article.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstruct.bylines import is_name
from webstruct.dates import find_date
from webstruct.linked_data import linked_article

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstruct.page import Page

_TITLES = ("og:title", "twitter:title")
_PUBLISHED = ("article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "pubdate", "publishdate")
_AUTHORS = ("author", "article:author", "dc.creator", "byl")


class Metadata(NamedTuple):
    """What a page declares.

    Attributes
    ----------
    titles
        For those who link to it, the best first.
    date
        The day of publication.
    first_time
        The first date in a `<time>`, whatever it means.
    author
        A person who is marked as the author of this page.
    site_author
        A name in `<meta>`, or of an organisation: often the same on all pages, whoever wrote them.

    """

    titles: tuple[str, ...]
    date: str | None
    first_time: str | None
    author: str | None
    site_author: str | None


def metadata(page: Page) -> Metadata:
    """Read all of it."""
    meta: dict[str, str] = {}
    times: list[dict[str, str]] = []
    marked: list[int] = []
    for kind, (tag, attributes) in enumerate(zip(page.kind_tags, page.kind_attributes, strict=True)):
        if tag == "meta":
            _add_meta(meta, dict(attributes))
        elif tag == "time":
            times.append(dict(attributes))
        for name, value in attributes:
            if name in ("rel", "itemprop") and "author" in value.lower().split():
                marked.append(kind)
    linked = linked_article(page.linked_data)
    titles = [meta[name] for name in _TITLES if name in meta]
    dates = [meta[name] for name in _PUBLISHED if name in meta]
    names = [meta[name] for name in _AUTHORS if name in meta]
    published = [time.get("datetime", "") for time in times if _is_published(time)]
    return Metadata(
        titles=tuple(dict.fromkeys(filter(None, (*titles, linked.headline)))),
        date=_first_date((*dates, linked.date, *published), page.language),
        first_time=_first_date([time.get("datetime", "") for time in times], page.language),
        author=_first_name((*_marked_names(page, marked), linked.author if linked.by_person else "")),
        site_author=_first_name((*names, linked.author)),
    )


def _add_meta(meta: dict[str, str], attributes: dict[str, str]) -> None:
    name = (attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or "").lower()
    if content := " ".join(attributes.get("content", "").split()):
        meta.setdefault(name, content)


def _is_published(time: dict[str, str]) -> bool:
    return "pubdate" in time or time.get("itemprop", "").lower() == "datepublished"


def _first_date(texts: Sequence[str], language: str) -> str | None:
    return next((found for text in texts if text and (found := find_date(text, language))), None)


def _first_name(names: Sequence[str]) -> str | None:
    return next(filter(is_name, names), None)


def _marked_names(page: Page, kinds: Sequence[int]) -> list[str]:
    """The texts of marked elements; in microdata the name may be a `<meta>` within."""
    names = []
    for kind in kinds:
        node = int(np.flatnonzero(page.kind == kind)[0])
        inner = (page.attributes(place) for place in range(node, int(page.subtree_end[node])))
        contents = (own["content"] for own in inner if own.get("itemprop") == "name" and own.get("content"))
        names.append(" ".join(page.text(node).split()) or next(contents, ""))
    return names
