"""Links of a site as one pass over its pages shows them: place, line, words, and the text that goes with each.

This is what `page_types` decides from. Numbers are kept, not pages: some 50 bytes a link.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from webstruct.flatten import NO_BREAK
from webstruct.lamis import FloatArray, IntArray, anchors, link_of

if TYPE_CHECKING:
    from webstruct.page import Page
    from webstruct.sitepages import SitePages

BoolArray = npt.NDArray[np.bool_]
LongArray = npt.NDArray[np.int64]

_DIGITS = re.compile(r"\d+")
_PLACE_BITS = 21
_MULTIPLIER, _MODULUS = 48271, 2**31 - 1
_NO_LINKS = tuple(np.zeros(0, dtype=dtype) for dtype in ("i4", "i4", "i4", "i4", "i8", "f8", "i4", "?", "?", "f8"))


@dataclass(frozen=True, eq=False)
class Scan:
    """What one pass over the pages keeps.

    Attributes
    ----------
    source, target, number
        By link: its page, the page that it leads to, and its number in `Page.link_urls`. The target of a link that was
        not crawled is negative, and the same for links with the same words.
    block, place
        By link: the node of its block, and its place in the template.
    entropy, terms
        By link: those of its anchor.
    own_line, own_site
        By link: whether it has words and a line of its own; whether it leads to the same host.
    mass
        By link: that of the text from this link to the next.
    head, text
        By page: mass of the text before the first link; mass of all text outside of links.
    urls, titles
        By page.

    """

    source: IntArray
    target: IntArray
    number: IntArray
    block: IntArray
    place: LongArray
    entropy: FloatArray
    terms: IntArray
    own_line: BoolArray
    own_site: BoolArray
    mass: FloatArray
    head: FloatArray
    text: FloatArray
    urls: list[str]
    titles: list[str]

    @property
    def pages(self) -> int:
        """Number of pages."""
        return len(self.head)


def scan(site: SitePages) -> Scan:
    """Go through the pages once."""
    places = _Places()
    by_link: list[tuple[npt.NDArray[Any], ...]] = [_NO_LINKS]
    head, text = np.zeros(len(site)), np.zeros(len(site))
    urls: list[str] = []
    titles: list[str] = []
    for source, page in enumerate(site.pages):
        urls.append(page.url)
        titles.append(page.title)
        found = anchors(page, site.entropy)
        mass, in_anchor = _chunk_mass(page, site), page.in_anchor[page.chunk_node]
        own_line = _own_line(page, in_anchor) & (found.terms > 0)
        target = np.asarray(site.targets[source], dtype=np.int32)
        target = np.where(target >= 0, target, -1 - _wording(page, site))
        number = np.flatnonzero(np.where(target >= 0, target != source, own_line)).astype(np.int32)
        node = page.link_node[number]
        pieces = np.bincount(_piece(page, node, own_line[number]), mass, minlength=len(node) + 1)
        head[source], text[source] = pieces[0], mass[~in_anchor].sum()
        of_template = (page.block[node], places.of(page, node))
        of_anchor = (found.entropy[number], found.terms[number])
        of_text = (own_line[number], _own_site(page, number), pieces[1:])
        by_link.append((np.full_like(number, source), target[number], number, *of_template, *of_anchor, *of_text))
    columns: list[Any] = [np.concatenate(column) for column in zip(*by_link, strict=True)]
    return Scan(*[*columns, head, text, urls, titles])


def _chunk_mass(page: Page, site: SitePages) -> FloatArray:
    """Visible characters of each chunk, times the mean weight of the terms in its node."""
    weights = site.entropy.weights(site.entropy.ids(page.term_names))
    count = np.bincount(page.term_node, minlength=len(page))
    total = np.bincount(page.term_node, weights[page.term], minlength=len(page))
    mean = total / np.maximum(count, 1)
    mass: FloatArray = _chunk_chars(page) * mean[page.chunk_node]
    return mass


def _chunk_chars(page: Page) -> IntArray:
    lengths = np.fromiter(map(len, page.chunks), dtype=np.int32, count=len(page.chunks))
    lengths[page.hidden[page.chunk_node]] = 0
    return lengths


def _piece(page: Page, node: IntArray, own_line: BoolArray) -> npt.NDArray[np.intp]:
    """For each chunk the link that it goes with, counted from 1; 0 for none of them.

    Where text stands in a part of the page that has one link with a line of its own, as a record of a list does, it goes
    with that link; elsewhere with the last link before it.
    """
    piece = np.searchsorted(page.chunk_begin[node], np.arange(len(page.chunks)), side="right")
    links = np.bincount(node[own_line], minlength=len(page))
    inside = page.subtree_sum(links)
    part = np.where(inside > 0, np.arange(len(page)), np.maximum(page.parent, 0))
    while not np.array_equal(part, above := part[part]):
        part = above
    part = part[page.chunk_node]
    alone = inside[part] == 1
    piece[alone] = np.flatnonzero(own_line)[np.searchsorted(node[own_line], part[alone])] + 1
    return piece


def _own_line(page: Page, in_anchor: BoolArray) -> BoolArray:
    """Links that open a line, or stand in a line at least half of which is links."""
    begin = page.chunk_begin[page.link_node]
    shown = page.chunk_end[page.link_node] > begin
    own_line = np.zeros(len(begin), dtype=bool)
    if shown.any():
        first = begin[shown]
        line = np.cumsum(page.chunk_break != NO_BREAK)
        chunk_chars = _chunk_chars(page)
        chars = np.bincount(line, chunk_chars)
        linked = np.bincount(line[in_anchor], chunk_chars[in_anchor], minlength=len(chars))
        opens = np.diff(line, prepend=-1)[first] > 0
        own_line[shown] = opens | (2 * linked >= chars)[line[first]]
    return own_line


def _wording(page: Page, site: SitePages) -> IntArray:
    """A number for the words of each link, equal where the words are."""
    link = link_of(page, page.term_node)
    numbers = (site.entropy.ids(page.term_names) + 2) * _MULTIPLIER % _MODULUS
    total = np.bincount(link[link >= 0], numbers[page.term[link >= 0]], minlength=len(page.link_node))
    return (total % _MODULUS).astype(np.int32)


def _own_site(page: Page, number: IntArray) -> BoolArray:
    host = urlsplit(page.url).netloc
    prefixes = (f"http://{host}/", f"https://{host}/")
    return np.array([page.link_urls[link].startswith(prefixes) for link in number.tolist()], dtype=bool)


class _Places:
    """Numbers for places: equal where the tags and classes of a link, its parent and its grandparent are equal."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def of(self, page: Page, node: IntArray) -> LongArray:
        place = np.zeros(len(node), dtype=np.int64)
        for _ in range(3):
            kinds, kind = np.unique(page.kind[node], return_inverse=True)
            numbers = np.array([self._number(page, kind) for kind in kinds.tolist()], dtype=np.int64)
            place = (place << _PLACE_BITS) | numbers[kind]
            node = np.maximum(page.parent[node], 0)
        return place

    def _number(self, page: Page, kind: int) -> int:
        return self._numbers.setdefault(kind_name(page, kind), len(self._numbers)) & (1 << _PLACE_BITS) - 1


def kind_name(page: Page, kind: int) -> str:
    """Tag and classes of a start tag; digits in classes are page data (`post-123`)."""
    classes = next((value for name, value in page.kind_attributes[kind] if name == "class"), "")
    return ".".join([page.kind_tags[kind], *_DIGITS.sub("", classes).split()])
