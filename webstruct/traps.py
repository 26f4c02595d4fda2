"""URL spaces without end: calendars, growing queries, facet combinations, paths that repeat themselves.

Three rules, none of which knows any site. A URL that repeats its own path segments, or is longer or deeper than people
write, is a trap by its shape. A *parameter* whose pages turn out to be copies of pages known without it is not followed any
more (`?replytocom=`, `?print=1`). And URLs of one *pattern* (digits and parameter values left open) are fetched as long as
they bring something new: words that the site had not shown before, or links that no page of the pattern had. A pattern that
has brought nothing for a long while is closed; its URLs are recorded, and no other pattern suffers.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Collection

MAX_URL_CHARS = 1000
MAX_SEGMENTS = 24
MAX_PARAMETERS = 8
MAX_REPEATS = 3
# A pattern is judged from this page on; before, no record of its links is kept.
JUDGED_FROM = 20
# It is closed once this many of its pages brought nothing new, and those are so many times as many as the ones that did.
BARREN_PAGES, BARREN_RATIO = 50, 4
# A parameter is not followed once so many of its pages were copies, and at most one in so many was not.
COPYING_PAGES = 20
# A content met more often than this leads nowhere new.
COPIES = 3

_DIGITS = re.compile(r"\d+")


@lru_cache(maxsize=1 << 13)
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


@lru_cache(maxsize=1 << 13)
def pattern_of(url: str) -> str:
    """The URL with digits and parameter values left open.

    >>> pattern_of("http://e.com/calendar/2026/03/?view=month&day=1")
    'http://e.com/calendar/#/#/?day&view'
    """
    parts = urlsplit(url)
    path = _DIGITS.sub("#", parts.path)
    names = _parameters(url)
    return f"{parts.scheme}://{parts.netloc}{path}" + ("?" + "&".join(names) if names else "")


class TrapGuard:
    """Watches what URL patterns and parameters bring, and closes those that bring nothing."""

    def __init__(self) -> None:
        self._fruitful: Counter[str] = Counter()
        self._barren: Counter[str] = Counter()
        self._originals: Counter[str] = Counter()
        self._copying: Counter[str] = Counter()
        self._contents: Counter[bytes] = Counter()
        self._linked: dict[str, set[int]] = {}

    def is_copy(self, url: str, content_hash: bytes | None) -> bool:
        """Whether a page is one more copy of a content met several times: then its links lead nowhere new."""
        if content_hash is None:
            return False
        self._contents[content_hash] += 1
        seen = self._contents[content_hash]
        for name in _parameters(url):
            (self._copying if seen > 1 else self._originals)[name] += 1
        return seen > COPIES

    def watch(self, url: str, *, new_words: bool, targets: Collection[int] = ()) -> None:
        """Take note of a fetched page: whether it showed new words, and the pages outside its pattern that it links."""
        pattern = pattern_of(url)
        if self._fruitful[pattern] + self._barren[pattern] < JUDGED_FROM:
            self._fruitful[pattern] += 1
            return
        linked = self._linked.setdefault(pattern, set())
        known = len(linked)
        linked.update(targets)
        (self._fruitful if new_words or len(linked) > known else self._barren)[pattern] += 1

    def reason(self, url: str) -> str | None:
        """Why a URL should not be fetched; None if it may."""
        if shape := shape_of_trap(url):
            return shape
        for name in _parameters(url):
            if self._copying[name] >= COPYING_PAGES * max(1, self._originals[name]):
                return f"trap: parameter {name} makes copies"
        pattern = pattern_of(url)
        barren, fruitful = self._barren[pattern], self._fruitful[pattern] - JUDGED_FROM
        if barren >= BARREN_PAGES and barren >= BARREN_RATIO * fruitful:
            return "trap: nothing new behind such URLs"
        return None

    def save(self) -> bytes:
        """The counters as bytes for the store."""
        contents = {content.hex(): count for content, count in self._contents.items() if count > 1}
        return json.dumps([self._fruitful, self._barren, self._originals, self._copying, contents]).encode()

    @classmethod
    def load(cls, data: bytes) -> TrapGuard:
        """The guard that `save` wrote."""
        guard = cls()
        *counters, contents = json.loads(data)
        guard._fruitful, guard._barren, guard._originals, guard._copying = map(Counter, counters)
        guard._contents = Counter({bytes.fromhex(content): count for content, count in contents.items()})
        return guard


@lru_cache(maxsize=1 << 13)
def _parameters(url: str) -> tuple[str, ...]:
    query = urlsplit(url).query
    return tuple(sorted({part.partition("=")[0] for part in query.split("&") if part})) if query else ()
