"""Breadcrumbs: where does a page say that it stands? No class name is asked for, the links alone tell.

A *trail* is a small element whose first link leads home, and which ends with the page itself: a link to it, or its name
as its title or a heading has it. The links between lead downward: on the last one's page the trail is the same without
it. So a short menu beside a headline is no trail.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from webstruct.titles import agreement, folded

if TYPE_CHECKING:
    from webstruct.page import Page
    from webstruct.sitepages import SitePages

Trail = tuple[int, ...]

# A trail has no more links than this, and stands so near to the element that holds all of it.
_MAX_LINKS = 6
_MAX_CLIMB = 6
# The name at the end of a trail has no more pieces of text than this.
_MAX_CHUNKS = 8


class Breadcrumbs:
    """The trails of a site's pages, looked for when they are asked for."""

    def __init__(self, site: SitePages) -> None:
        self._site = site
        self._trail = cache(self._find)

    def parent(self, number: int) -> int | None:
        """The page above a page, if its trail goes further than home and the trail there agrees; else None."""
        trail = self._trail(number)
        return trail[-1] if len(trail) > 1 and self._trail(trail[-1]) == trail[:-1] else None

    def _find(self, number: int) -> Trail:
        return find_trail(self._site.pages[number], number, self._site.targets[number].tolist())


def find_trail(page: Page, number: int, targets: list[int]) -> Trail:
    """The pages that a page's trail leads through, home first; empty if it has none.

    >>> from webstruct.page import Page
    >>> html = "<title>Chess</title><p><a href=/>Home</a> » <a href=/sport>Sport</a> » Chess</p><p>Text"
    >>> find_trail(Page.parse(html, "http://example.com/sport/chess"), 2, [0, 1])
    (0, 1)
    """
    for place in (place for place, target in enumerate(targets) if target == 0):
        if trail := _trail_from(page, number, targets, place):
            return trail
    return ()


def _trail_from(page: Page, number: int, targets: list[int], home: int) -> Trail:
    """The trail that begins with a link to the home page, in the smallest element that holds one."""
    node = int(page.link_node[home])
    for _ in range(_MAX_CLIMB):
        node = int(page.parent[node])
        begin, end = np.searchsorted(page.link_node, [node, page.subtree_end[node]]).tolist()
        if node <= 0 or begin != home or end - begin > _MAX_LINKS:
            return ()
        trail = tuple(targets[begin:end])
        if trail[-1] == number:
            trail = trail[:-1]
        elif not _is_name(page, _text_after(page, int(page.link_node[end - 1]), node)):
            continue
        if trail and min(trail) >= 0 and len({*trail, number}) == len(trail) + 1:
            return trail
    return ()


def _text_after(page: Page, link: int, node: int) -> str:
    """What follows a link within an element; nothing if that is more than a name."""
    begin, end = int(page.chunk_end[link]), int(page.chunk_end[node])
    return folded(" ".join(page.chunks[begin:end])) if end - begin <= _MAX_CHUNKS else ""


def _is_name(page: Page, words: str) -> bool:
    headings = (page.text(heading) for heading in page.nodes("h1", "h2")[:3].tolist())
    return any(agreement(words, folded(name)) > 0 for name in (page.title, *headings))
