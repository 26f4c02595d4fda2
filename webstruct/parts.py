"""Articles on several pages: which pages are the parts of one article, and in which order.

Most pages that are linked as "next" are another article, so that much is asked of parts:

- they have the same title, but for a page number, and no more pages of the site have it;
- their addresses differ in a page number only (``_2.html``, ``?page=2``, ``/story/2``), or each names the next by `rel`;
- one of the others links to each later part, and no TOC page lists it as an article of its own.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from webstruct.page_types import ARTICLE
from webstruct.titles import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from webstruct.linkscan import Scan
    from webstruct.page_types import PageTypes
    from webstruct.sitepages import SitePages

MAX_PARTS = 100
_IN_QUERY = re.compile(r"([?&])(?:page|paged|pageno|pg|pn|p|part)=(\d{1,3})(?:&|$)", re.IGNORECASE)
_IN_PATH = re.compile(r"(?:/page/|[/_-]p(?:age)?[_-]?|[/_-])(\d{1,3})(\.\w{2,5})?/?$", re.IGNORECASE)
_IN_TITLE = re.compile(
    r"[(（\[]\s*\d{1,3}\s*[)）\]]|\W*\b(?:page|seite|página|pagina)\s*\d{1,3}(?:\s*(?:of|/|von|de|di)\s*\d{1,3})?\b"
    r"|\W*第\s*\d{1,3}\s*[页頁]",
    re.IGNORECASE,
)


def page_number(url: str) -> tuple[str, int]:
    """An address without its page number, and the number; 0 for none.

    >>> page_number("http://e.com/a/12_2.html"), page_number("http://e.com/a?page=3&id=7"), page_number("http://e.com/a/")
    (('http://e.com/a/12.html', 2), ('http://e.com/a?id=7', 3), ('http://e.com/a', 0))
    """
    if found := _IN_QUERY.search(url):
        return (url[: found.start(1)] + found[1] + url[found.end() :]).rstrip("?&"), int(found[2])
    path, mark, query = url.partition("?")
    if found := _IN_PATH.search(path):
        return path[: found.start()] + (found[2] or "") + mark + query, int(found[1])
    return path.rstrip("/") + mark + query, 0


def common_title(title: str) -> str:
    """A title without a page number, folded.

    >>> common_title("Flood (2) | The Paper") == common_title("Flood - page 3 of 4 | The Paper")
    True
    """
    return folded(_IN_TITLE.sub(" ", title))


def find_parts(
    site: SitePages, found: Scan, types: PageTypes, listed_by: Mapping[int, Sequence[int]]
) -> list[list[int]]:
    """The pages of each article that has several, in order.

    Parameters
    ----------
    listed_by
        For a page, the TOC pages that list it.

    """
    chains = []
    for group in _same_title(found.titles):
        inside = set(group)
        later = {number for number in group if inside.issuperset(listed_by.get(number, ()))}
        if later and (links := _links_within(found, group)):
            chains += _numbered(found, group, later, links) or _by_rel(site, group, later, links)
    return [chain for chain in chains if types.type[chain[0]] == ARTICLE]


def as_articles(types: PageTypes, part_of: Mapping[int, int]) -> PageTypes:
    """Later parts of articles are articles, as sure as the first: a short one with related stories may look like a list."""
    kind, confidence = list(types.type), types.confidence.copy()
    blocks, links = list(types.blocks), list(types.links)
    for part, first in part_of.items():
        kind[part], confidence[part] = ARTICLE, confidence[first]
        blocks[part], links[part] = [], links[part][:0]
    return replace(types, type=kind, confidence=confidence, blocks=blocks, links=links)


def _same_title(titles: Sequence[str]) -> Iterator[list[int]]:
    """Groups of pages that have the same title, but not so many that it is the site's."""
    groups: dict[str, list[int]] = {}
    for number, title in enumerate(titles):
        groups.setdefault(common_title(title), []).append(number)
    for title, group in groups.items():
        if title and 1 < len(group) <= MAX_PARTS:
            yield group


def _links_within(found: Scan, group: Sequence[int]) -> set[tuple[int, int]]:
    """Pairs of pages of a group of which one links to the other."""
    begin, end = np.searchsorted(found.source, group), np.searchsorted(found.source, group, side="right")
    inside = set(group)
    return {
        (source, target)
        for source, first, last in zip(group, begin.tolist(), end.tolist(), strict=True)
        for target in found.target[first:last].tolist()
        if target in inside
    }


def _numbered(found: Scan, group: Sequence[int], later: set[int], links: set[tuple[int, int]]) -> list[list[int]]:
    """Parts by the page numbers in their addresses; the first has none, or 1."""
    by_stem: dict[str, dict[int, int]] = {}
    for number in group:
        stem, place = page_number(found.urls[number])
        by_stem.setdefault(stem, {}).setdefault(place, number)
    chains = []
    for pages in by_stem.values():
        first, *others = [pages[place] for place in sorted(pages)]
        members = {first, *others}
        linked = {target for source, target in links if source in members}
        parts = [number for number in others if number in linked and number in later]
        if parts and min(pages) <= 1:
            chains.append([first, *parts])
    return chains


def _by_rel(site: SitePages, group: Sequence[int], later: set[int], links: set[tuple[int, int]]) -> list[list[int]]:
    """Parts each of which names the next one by `rel`."""
    following: dict[int, int] = {}
    for source in {source for source, _ in links}:
        targets = site.targets[source].tolist()
        for link, target in zip(site.pages[source].links(), targets, strict=True):
            if "next" in link.rel and (source, target) in links and target in later:
                following.setdefault(source, target)
    chains = []
    for number in group:
        if number in following and number not in following.values():
            chain = [number]
            while (onward := following.get(chain[-1])) is not None and onward not in chain:
                chain.append(onward)
            chains.append(chain)
    return chains
