"""Which line is the headline: one that agrees with the names by which the page is known elsewhere."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# A longer line is no headline.
MAX_TITLE_CHARS = 300
_WORD = re.compile(r"\w+")


@lru_cache(maxsize=4096)  # the lines of menus come again on all pages
def folded(text: str) -> str:
    """Words only, in lower case.

    >>> folded("1.2 Input & Output ¶")
    '1 2 input output'
    """
    return " ".join(_WORD.findall(text.lower()))


def agreement(text: str, name: str) -> float:
    """How much of the longer of two folded texts the other one makes up, if it stands in it.

    >>> agreement("flood warning", "flood warning the lantern")
    0.52
    """
    if len(text) < 2 or len(name) < 2:
        return 0.0
    if text in name:
        return len(text) / len(name)
    return len(name) / len(text) if name in text else 0.0


class Names:
    """The names of a page: its `<title>`, what it declares for those who link to it, and the words of their links."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [name for name in map(folded, dict.fromkeys(names)) if len(name) > 1]
        self._together = "\n".join(self._names)
        self._shortest = min(map(len, self._names), default=0)

    def agreement(self, words: str) -> float:
        """That of a folded line with the name that it agrees with best."""
        if not self._names or (len(words) < self._shortest and words not in self._together):
            return 0.0
        return max(agreement(words, name) for name in self._names)
