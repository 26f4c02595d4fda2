"""Dates in short texts, in the ways in which pages write them."""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from dateparser.languages.loader import default_loader  # type: ignore[import-untyped]

_YEAR_FIRST = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2((?:19|20)\d\d)(?!\d)")
_DAY_MONTH = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?\s(?:de\s)?([^\W\d_]{3,})\.?,?\s(?:de\s)?((?:19|20)\d\d)(?!\d)"
)
_MONTH_DAY = re.compile(r"([^\W\d_]{3,})\.?\s(\d{1,2})(?:st|nd|rd|th)?,?\s((?:19|20)\d\d)(?!\d)")
_MONTHS = "january february march april may june july august september october november december".split()


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


def _month(word: str, language: str) -> int:
    """The number of a month by its name in the page's language or in English, 0 for another word."""
    return _month_names(language).get(word) or _month_names("en").get(word, 0)


@cache
def _month_names(language: str) -> dict[str, int]:
    """Full and short names, in lower case. The names alone are used: to set up dateparser's parsers takes seconds."""
    try:
        words = default_loader.get_locale(language).info
    except ValueError:  # a language that it does not know
        return {}
    return {name.lower(): number for number, month in enumerate(_MONTHS, 1) for name in words.get(month, ())}
