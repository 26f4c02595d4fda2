"""Folders: in which section does a page lie? Its address alone is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstruct.navigation import FILE_ENDING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Folders:
    """Sections by their addresses; page 0, the home page, holds all that no other does.

    >>> folders = Folders({0: "http://e.com/", 1: "http://e.com/news/", 2: "http://e.com/news/world.html"})
    >>> folders.holding("http://e.com/news/world/a.html"), folders.holding("http://e.com/b.html")
    (2, 0)
    >>> folders.holding("http://e.com/news/world.html"), folders.above("http://e.com/news/world.html")
    (2, 1)
    """

    def __init__(self, url_of: Mapping[int, str]) -> None:
        self._page = {FILE_ENDING.sub("", url): page for page, url in url_of.items() if page}

    def holding(self, url: str) -> int:
        """The section with the longest folder that holds an address, be it the section's own; 0 if there is none."""
        return self._longest(FILE_ENDING.sub("", url))

    def above(self, url: str) -> int:
        """The section with the longest folder above an address; 0 if there is none."""
        return self._longest(FILE_ENDING.sub("", url).rpartition("/")[0])

    def _longest(self, stem: str) -> int:
        while stem.count("/") > 2:
            if stem in self._page:
                return self._page[stem]
            stem = stem.rpartition("/")[0]
        return 0
