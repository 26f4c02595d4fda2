"""Dates and names in short texts, and in the metadata that a page declares about itself."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from dateparser.date import DateDataParser  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from webstruct.page import Page

MAX_NAME_CHARS = 80
_YEAR_FIRST = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2((?:19|20)\d\d)(?!\d)")
_DAY_MONTH = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?\s(?:de\s)?([^\W\d_]{3,})\.?,?\s(?:de\s)?((?:19|20)\d\d)(?!\d)"
)
_MONTH_DAY = re.compile(r"([^\W\d_]{3,})\.?\s(\d{1,2})(?:st|nd|rd|th)?,?\s((?:19|20)\d\d)(?!\d)")
_MONTH_ONLY = {"REQUIRE_PARTS": ["month", "year"]}
_PUBLISHED = ("article:published_time", "datepublished", "date", "dc.date", "dc.date.issued", "pubdate", "publishdate")
_AUTHOR = ("author", "article:author", "dc.creator", "byl")


def find_date(text: str, language: str, *, month_first: bool = True) -> str | None:
    """The first date in a text as ISO 8601, None if there is none.

    Parameters
    ----------
    month_first
        How 3/4/2026 is meant.

    >>> find_date("Published on March 4th, 2026 at 10:00", "en"), find_date("发布时间：2018年10月9日", "zh")
    ('2026-03-04', '2018-10-09')

    """
    if found := _YEAR_FIRST.search(text):
        return _iso(int(found[1]), int(found[2]), int(found[3]))
    if found := _YEAR_LAST.search(text):
        first, second = int(found[1]), int(found[3])
        month, day = (
            (first, second) if (month_first and found[2] == "/" and first <= 12) or second > 12 else (second, first)
        )
        return _iso(int(found[4]), month, day)
    if found := _MONTH_DAY.search(text):
        return _iso(int(found[3]), _month(found[1].lower(), language), int(found[2]))
    if found := _DAY_MONTH.search(text):
        return _iso(int(found[3]), _month(found[2].lower(), language), int(found[1]))
    return None


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _month(word: str, language: str) -> int:
    """The number of a month by its name, 0 for another word. Few words come here, and each only once."""
    for code in (language, "en"):
        try:
            found = DateDataParser(languages=[code], settings=_MONTH_ONLY).get_date_data(f"1 {word} 2001").date_obj
        except ValueError:  # a language that it does not know
            continue
        if found and (found.day, found.year) == (1, 2001):
            return int(found.month)
    return 0


def declared_date(page: Page) -> str | None:
    """The day of publication that the page declares in `<meta>` or marks as published in a `<time>`."""
    content = _declared(page, _PUBLISHED)
    if content and (found := find_date(content, page.language)):
        return found
    for tag, attributes in zip(page.kind_tags, page.kind_attributes, strict=True):
        values = dict(attributes)
        if tag == "time" and ("pubdate" in values or values.get("itemprop", "").lower() == "datepublished"):
            return find_date(values.get("datetime", ""), page.language)
    return None


def first_time(page: Page) -> str | None:
    """The date of the first `<time datetime>` of the page."""
    for tag, attributes in zip(page.kind_tags, page.kind_attributes, strict=True):
        if tag == "time" and (found := find_date(dict(attributes).get("datetime", ""), page.language)):
            return found
    return None


def author(page: Page) -> str | None:
    """Who is marked as the author by HTML (`rel`) or schema.org (`itemprop`), or declared in `<meta>`; else None."""
    for kind, attributes in enumerate(page.kind_attributes):
        for name, value in attributes:
            if name in ("rel", "itemprop") and "author" in value.lower().split():
                node = int(np.flatnonzero(page.kind == kind)[0])
                name_of = " ".join(page.text(node).split())
                if 0 < len(name_of) <= MAX_NAME_CHARS:
                    return name_of
    content = _declared(page, _AUTHOR)
    return content if content and "://" not in content and len(content) <= MAX_NAME_CHARS else None


def declared_title(page: Page) -> str | None:
    """The title that the page declares for those who link to it."""
    return _declared(page, ("og:title", "twitter:title"))


def _declared(page: Page, names: tuple[str, ...]) -> str | None:
    found: dict[str, str] = {}
    for tag, attributes in zip(page.kind_tags, page.kind_attributes, strict=True):
        if tag == "meta":
            values = dict(attributes)
            name = (values.get("property") or values.get("name") or values.get("itemprop") or "").lower()
            if name in names and (content := " ".join(values.get("content", "").split())):
                found.setdefault(name, content)
    return next((found[name] for name in names if name in found), None)
