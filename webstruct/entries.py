"""The entries of a TOC page that is fetched again: the articles that it lists now, and what is different from before.

Where entries stand was learned with the site (`page_types.py`): the *place* of a link is its tag and classes, its parent's
and its grandparent's, as in `linkscan.py`. On a page of another design no such place is left; there, the entries are the
groups of links most of which lead to articles that are known.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from webstruct import scope as urls
from webstruct.history import TocList
from webstruct.linkscan import kind_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from webstruct.lamis import IntArray
    from webstruct.linkscan import LongArray
    from webstruct.page import Page

# Where the places of entries are not known, a group of so many links, half of them to known articles, is a list.
MIN_KNOWN = 3
_PLACE_LEVELS = 3
_NUMBER_DIGITS = 4
_DIGITS = re.compile(r"\d+")


def toc_list(page_id: int, page: Page, links: Iterable[int]) -> TocList:
    """What to remember of a TOC page, given the numbers of the links to its entries."""
    onward = next_page(page)
    return TocList(page_id, places(page, links), urls.key(onward) if onward else None)


def places(page: Page, links: Iterable[int]) -> dict[str, int]:
    """The places of links, given by their numbers in `Page.link_urls`, and how many stand in each.

    >>> from webstruct.page import Page
    >>> page = Page.parse('<ul class="news"><li class="n1"><a href="/x">X</a><li><a href="/y">Y</a>', "http://e.com/")
    >>> places(page, [0, 1])
    {'a < li.n < ul.news': 1, 'a < li < ul.news': 1}
    """
    return dict(Counter(place(page, int(page.link_node[link])) for link in links))


def place(page: Page, node: int) -> str:
    """The place of a link in the template."""
    names: list[str] = []
    while node >= 0 and len(names) < _PLACE_LEVELS:
        names.append(kind_name(page, int(page.kind[node])))
        node = int(page.parent[node])
    return " < ".join(names)


class Entry(NamedTuple):
    """An article in a list: the key of its URL, the block and place that it stands in, its words and all of its record."""

    url: str
    key: str
    group: tuple[int, str]
    title: str
    record: str


@dataclass(frozen=True)
class Entries:
    """The entries of a page in document order; whether they stand where they were expected."""

    entries: tuple[Entry, ...]
    in_place: bool

    @cached_property
    def by_key(self) -> dict[str, Entry]:
        """The entries by the keys of their articles."""
        return {entry.key: entry for entry in self.entries}


def find_entries(page: Page, known_places: Mapping[str, int], is_article: Callable[[str], bool]) -> Entries:
    """The entries of a TOC page.

    Parameters
    ----------
    known_places
        Where entries of this page are known to stand, and how many did. A page where places are missing that had most
        of them has another design, even if its side bar is what it was.
    is_article
        Whether a key is that of an article that is known.

    """
    keys = [urls.key(urls.clean(url)) for url in page.link_urls]
    groups = [
        (block, place(page, node))
        for node, block in zip(page.link_node.tolist(), page.block[page.link_node].tolist(), strict=True)
    ]
    own = [number for number, url in enumerate(page.link_urls) if _same_host(url, page.url) and keys[number]]
    chosen = [number for number in own if groups[number][1] in known_places]
    found = {groups[number][1] for number in chosen}
    in_place = 2 * sum(known_places[name] for name in found) >= max(1, sum(known_places.values()))
    if not in_place:
        chosen = sorted({*chosen, *_mostly_known(own, keys, groups, is_article)})
    return Entries(_with_words(page, chosen, keys, groups), in_place)


def _same_host(url: str, page_url: str) -> bool:
    return urls.host_of(urls.clean(url)) == urls.host_of(urls.clean(page_url))


def _mostly_known(
    links: Sequence[int], keys: Sequence[str], groups: Sequence[tuple[int, str]], is_article: Callable[[str], bool]
) -> list[int]:
    known = {key for key in {keys[number] for number in links} if is_article(key)}
    total = Counter(groups[number] for number in links)
    hits = Counter(groups[number] for number in links if keys[number] in known)
    return [number for number in links if hits[groups[number]] >= max(MIN_KNOWN, total[groups[number]] / 2)]


def _with_words(
    page: Page, chosen: Sequence[int], keys: Sequence[str], groups: Sequence[tuple[int, str]]
) -> tuple[Entry, ...]:
    """One entry for each article; its words are the longest of the links to it."""
    first: dict[str, int] = {}
    for number in chosen:
        first.setdefault(keys[number], number)
    linked = [number for number, key in enumerate(keys) if key in first]
    titles: dict[str, str] = {}
    for number in linked:
        text = page.link_text(int(page.link_node[number]))
        titles[keys[number]] = max(titles.get(keys[number], ""), text, key=len)
    nodes = page.link_node[linked]
    owner = np.array([first[keys[number]] for number in linked], dtype=np.int64)
    record_of = _Records(page, nodes, owner)
    return tuple(
        Entry(page.link_urls[number], key, groups[number], titles[key], record_of(int(page.link_node[number])))
        for key, number in first.items()
    )


class _Records:
    """The text around a link, as far as no other entry is in it; numbers (times, counts of comments) left open."""

    def __init__(self, page: Page, nodes: IntArray, owner: LongArray) -> None:
        self._page = page
        self._nodes = nodes
        self._changes = np.cumsum(np.diff(owner, prepend=-1) != 0)

    def __call__(self, node: int) -> str:
        page = self._page
        while (parent := int(page.parent[node])) >= 0 and self._has_one_owner(parent):
            node = parent
        return _DIGITS.sub("0", page.text(node)) if parent >= 0 else ""

    def _has_one_owner(self, node: int) -> bool:
        begin, end = np.searchsorted(self._nodes, (node, self._page.subtree_end[node]))
        return bool(self._changes[end - 1] == self._changes[begin])


class Differences(NamedTuple):
    """What is different on a TOC page: keys of articles, those in question the most suspicious first.

    Attributes
    ----------
    added
        Listed now, but not before.
    retitled, reworded
        Listed with other words, or with another teaser: perhaps corrected.
    missing
        No longer listed, though others after them still are: perhaps gone. What left the end of a list has moved on.

    """

    added: list[str]
    retitled: list[str]
    reworded: list[str]
    missing: list[str]


def differences(before: Entries, after: Entries) -> Differences:
    """Compare two versions of a TOC page.

    On a page that has got another design, or if most teasers differ, that tells nothing of a single article.
    """
    old, new = before.by_key, after.by_key
    added = [key for key in new if key not in old]
    both = [key for key in new if key in old]
    if before.in_place != after.in_place:
        return Differences(added, [], [], [])
    retitled = [key for key in both if old[key].title != new[key].title]
    same_place = [key for key in both if old[key].group[1] == new[key].group[1] and old[key].title == new[key].title]
    reworded = [key for key in same_place if old[key].record != new[key].record]
    last_kept = {old[key].group: place for place, key in enumerate(old) if key in new}
    missing = [key for place, key in enumerate(old) if key not in new and place < last_kept.get(old[key].group, 0)]
    return Differences(
        added,
        retitled if 2 * len(retitled) <= len(both) else [],
        reworded if 2 * len(reworded) <= len(same_place) else [],
        missing,
    )


def next_page(page: Page) -> str | None:
    """The address of the page that carries a list on: what the page declares, or the link with the next number.

    >>> from webstruct.page import Page
    >>> next_page(Page.parse('<b>1</b> <a href="/news/?p=2">2</a> <a href="/news/?p=3">3</a>', "http://e.com/news/"))
    'http://e.com/news/?p=2'
    """
    own = urls.clean(page.url)
    numbered: dict[int, str] = {}
    for link in page.links():
        address = urls.clean(link.url)
        if not _carries_on(address, own):
            continue
        if "next" in link.rel:
            return address
        if link.text.isdecimal() and len(link.text) <= _NUMBER_DIGITS:
            numbered.setdefault(int(link.text), address)
    return numbered.get(_own_number(own, numbered) + 1)


def _own_number(own: str, numbered: Mapping[int, str]) -> int:
    """The number of a page among those that it links: the one left out between two, or the one in its address."""
    between = [number for number in range(2, max(numbered, default=0)) if number not in numbered]
    for number in between:
        if number - 1 in numbered and number + 1 in numbered:
            return number
    alike = any(_DIGITS.sub("0", address) == _DIGITS.sub("0", own) for address in numbered.values())
    return int(_DIGITS.findall(own)[-1][:9]) if alike else 1


def _carries_on(address: str, own: str) -> bool:
    """Whether two addresses may be pages of one list: the same but for numbers, or one below the other."""
    if urls.host_of(address) != urls.host_of(own) or urls.key(address) == urls.key(own):
        return False
    there, here = (_DIGITS.sub("0", urlsplit(url).path) for url in (address, own))
    return (
        there == here or there.startswith(here.rstrip("/") + "/") or there.rpartition("/")[0] == here.rpartition("/")[0]
    )
