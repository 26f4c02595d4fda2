"""URL spaces without end: calendars, growing queries, facet combinations, paths that repeat themselves.

Two rules, neither of which knows any site. A URL that repeats its own path segments, or is longer or deeper than people
write, is a trap by its shape. All others are judged by what they bring: URLs of one *pattern* (digits and parameter values
left open) may be fetched as long as enough of them bring something new, a word or a link the site had not shown before.
A pattern that has brought nothing for a long while is closed; its pages are recorded, and no other pattern suffers.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from urllib.parse import urlsplit

MAX_URL_CHARS = 1000
MAX_SEGMENTS = 24
MAX_PARAMETERS = 8
MAX_REPEATS = 3
# A pattern is closed once this many of its pages brought nothing new …
BARREN_PAGES = 60
# … and those are this many times as many as the ones that did.
BARREN_RATIO = 4
COPIES = 3

_DIGITS = re.compile(r"\d+")


@lru_cache(maxsize=1 << 15)
def shape_of_trap(url: str) -> str | None:
    """Why a URL is a trap by its looks alone; None if it is not.

    >>> shape_of_trap("http://e.com/a/b/a/b/a/b/a/b/"), shape_of_trap("http://e.com/2026/03/story.html")
    ('trap: path repeats itself', None)
    """
    parts = urlsplit(url)
    if len(url) > MAX_URL_CHARS:
        return "trap: URL too long"
    segments = [segment for segment in parts.path.split("/") if segment]
    if len(segments) > MAX_SEGMENTS:
        return "trap: path too deep"
    if segments and Counter(segments).most_common(1)[0][1] > MAX_REPEATS:
        return "trap: path repeats itself"
    if parts.query.count("&") >= MAX_PARAMETERS:
        return "trap: too many parameters"
    return None


@lru_cache(maxsize=1 << 15)
def pattern_of(url: str) -> str:
    """The URL with digits and parameter values left open.

    >>> pattern_of("http://e.com/calendar/2026/03/?view=month&day=1")
    'http://e.com/calendar/#/#/?day&view'
    """
    parts = urlsplit(url)
    path = _DIGITS.sub("#", parts.path)
    names = sorted({name.partition("=")[0] for name in parts.query.split("&") if name})
    return f"{parts.scheme}://{parts.netloc}{path}" + ("?" + "&".join(names) if names else "")


class TrapGuard:
    """Watches what each URL pattern brings, and closes those that bring nothing."""

    def __init__(self) -> None:
        self._fruitful: Counter[str] = Counter()
        self._barren: Counter[str] = Counter()
        self._copies: Counter[bytes] = Counter()

    def watch(self, url: str, *, brought_new: bool) -> None:
        """Take note of a fetched page: whether it brought a word or a link that the site had not shown before."""
        (self._fruitful if brought_new else self._barren)[pattern_of(url)] += 1

    def is_copy(self, content_hash: bytes | None) -> bool:
        """Whether a page is one more copy of a content met several times: then its links lead nowhere new."""
        if content_hash is None:
            return False
        self._copies[content_hash] += 1
        return self._copies[content_hash] > COPIES

    def reason(self, url: str) -> str | None:
        """Why a URL should not be fetched; None if it may."""
        if shape := shape_of_trap(url):
            return shape
        pattern = pattern_of(url)
        barren = self._barren[pattern]
        if barren >= BARREN_PAGES and barren >= BARREN_RATIO * self._fruitful[pattern]:
            return "trap: nothing new behind such URLs"
        return None

    def save(self) -> bytes:
        """The counters as bytes for the store."""
        copies = {content.hex(): count for content, count in self._copies.items() if count > 1}
        return json.dumps([self._fruitful, self._barren, copies]).encode()

    @classmethod
    def load(cls, data: bytes) -> TrapGuard:
        """The guard that `save` wrote."""
        guard = cls()
        fruitful, barren, copies = json.loads(data)
        guard._fruitful, guard._barren = Counter(fruitful), Counter(barren)
        guard._copies = Counter({bytes.fromhex(content): count for content, count in copies.items()})
        return guard
