"""Merging from the top down: which places of a site's pages are the same (feature weighting §3.2).

Pages come as *spots*, places that pages share by having the same styles from the root down, in *rows*, the children of a
spot under one style. Level by level spots become *elements*: children of one element go together position by position
under the same style, and further if tag, display attributes and characteristic words are alike. All that elements need
are sums over their spots, so a merge is an addition.

An element of one tag has nothing to be compared with, and is not taken apart: most of the content of a site is below one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from webstruct.similar_sets import Sets

if TYPE_CHECKING:
    from collections.abc import Iterator

IntArray = npt.NDArray[np.int64]
HashArray = npt.NDArray[np.uint64]

# The element of whatever stands below an element of one tag: the page's own.
OWN = -1
# A merge can make another pair alike; after so many rounds what is left stays apart.
_MOST_ROUNDS = 8
# Each level looks at all words below it. Templates are not this deep; below, places are the same by style and position only.
_MOST_LEVELS = 100


@dataclass(frozen=True)
class Rows:
    """The rows of a tree; row 0 is the root alone.

    Attributes
    ----------
    spot, style, depth, pages
        Whose children they are and under which style, how far below the root, and how many pages have them.
    begin, size
        The spots of a row are `begin : begin + size`.
    kind
        By spot: a hash of its tag and display attributes.

    """

    spot: IntArray
    style: HashArray
    depth: IntArray
    pages: IntArray
    begin: IntArray
    size: IntArray
    kind: HashArray

    def spots(self, rows: IntArray) -> IntArray:
        """All spots of some rows."""
        return _ranges(self.begin[rows], self.size[rows])

    def levels(self) -> Iterator[IntArray]:
        """Rows by depth, from the top, without the root."""
        order = np.argsort(self.depth, kind="stable")
        yield from np.split(order, np.flatnonzero(np.diff(self.depth[order])) + 1)[1:]

    def nesting(self) -> tuple[IntArray, IntArray]:
        """For each spot its number in document order, and how many spots its subtree has."""
        parent = np.repeat(self.spot, self.size)
        below = np.ones(len(parent), dtype=np.int64)
        levels = [self.spots(rows) for rows in self.levels()]
        for spots in reversed(levels):
            np.add.at(below, parent[spots], below[spots])
        place = np.zeros(len(parent), dtype=np.int64)
        for spots in levels:
            siblings = spots[np.argsort(parent[spots], kind="stable")]
            before = np.cumsum(below[siblings]) - below[siblings]
            first = _changes(parent[siblings])
            base = place[parent[siblings[first]]] + 1 - before[first]
            place[siblings] = before + np.repeat(base, np.diff(first, append=len(siblings)))
        return place, below


@dataclass(frozen=True)
class Words:
    """How often a term stands on a page in a spot; `names` holds a hash for each term."""

    spot: IntArray
    term: IntArray
    page: IntArray
    count: IntArray
    names: HashArray


class Candidate(NamedTuple):
    """An element that a tag of another page may belong to, by its characteristic words."""

    element: int
    words: frozenset[int]


@dataclass(frozen=True)
class Elements:
    """The elements of the compressed tree; 0 is the root, and a parent comes before its children.

    Attributes
    ----------
    of_spot
        The element of each spot; OWN below elements of one tag.
    parent, tags
        By element.
    candidates
        By parent element and kind: the children of more than one tag.

    """

    of_spot: IntArray
    parent: IntArray
    tags: IntArray
    candidates: dict[tuple[int, int], list[Candidate]]


def merge(rows: Rows, words: Words, *, gamma: float, lambda_: float) -> Elements:
    """Steps 1 to 4 of §3.2; see `structure_tree` for γ and λ."""
    spots, pages = len(rows.kind), int(rows.pages[0])
    document = _Document(rows, words)
    of_spot, parent, tags = np.full(spots, OWN), np.full(spots, -1), np.zeros(spots, dtype=np.int64)
    of_spot[0], tags[0], total = 0, pages, 1
    candidates: dict[tuple[int, int], list[Candidate]] = {}
    for depth, every_row in enumerate(rows.levels()):
        above = of_spot[rows.spot[every_row]]
        compared = (above != OWN) & (tags[above] > 1)
        if not compared.any():
            break
        level = _Level.of(rows, every_row[compared], above[compared])
        label, sets = level.merge_similar(
            document.frequencies(level) if depth < _MOST_LEVELS else _NO_WORDS, words.names, gamma, lambda_
        )
        kept, label = np.unique(label, return_inverse=True)
        of_spot[level.spots] = total + label[level.initial]
        new = slice(total, total + len(kept))
        parent[new], tags[new] = level.parent[kept], np.bincount(label, level.tags)
        for initial, own in sets:
            candidates.setdefault((int(level.parent[initial]), int(level.kind[initial])), []).append(
                Candidate(total + int(label[initial]), own)
            )
        total += len(kept)
    return Elements(of_spot, parent[:total], tags[:total], candidates)


class _Frequencies(NamedTuple):
    """In how many tags of an element a term stands."""

    element: IntArray
    term: IntArray
    tags: IntArray


_NO_WORDS = _Frequencies(*np.zeros((3, 0), dtype=np.int64))


class _Document:
    """The words of all pages in document order, so that those of a subtree of spots are a slice."""

    def __init__(self, rows: Rows, words: Words) -> None:
        self._place, self._below = rows.nesting()
        order = np.argsort(self._place[words.spot], kind="stable")
        self._word_place = self._place[words.spot[order]]
        self._term, self._page = words.term[order], words.page[order]
        self._terms, self._pages = max(1, len(words.names)), int(rows.pages[0])

    def frequencies(self, level: _Level) -> _Frequencies:
        """Document frequencies in the initial elements of a level. A spot and a page make a tag."""
        begin = np.searchsorted(self._word_place, self._place[level.spots])
        size = np.searchsorted(self._word_place, self._place[level.spots] + self._below[level.spots]) - begin
        inside = _ranges(begin, size)
        tag = np.repeat(np.arange(len(level.spots)), size) * self._pages + self._page[inside]
        in_tags = np.unique(tag * self._terms + self._term[inside])
        element = level.initial[in_tags // (self._pages * self._terms)]
        keys, tags = np.unique(element * self._terms + in_tags % self._terms, return_counts=True)
        return _Frequencies(keys // self._terms, keys % self._terms, tags)


@dataclass(frozen=True)
class _Level:
    """The spots of a level and their initial elements; what follows is by initial element."""

    spots: IntArray
    initial: IntArray
    parent: IntArray
    kind: HashArray
    tags: IntArray

    @classmethod
    def of(cls, rows: Rows, level: IntArray, above: IntArray) -> _Level:
        """Children of the same element under the same style go together position by position."""
        style, size, spots = rows.style[level], rows.size[level], rows.spots(level)
        order = np.lexsort((style, above))
        new = _changes(above[order], style[order])
        sizes = size[order[new]]
        first = np.empty(len(level), dtype=np.int64)
        first[order] = np.repeat(np.cumsum(sizes) - sizes, np.diff(new, append=len(order)))
        initial = _ranges(first, size)
        parent, kind = np.zeros(int(sizes.sum()), dtype=np.int64), np.zeros(int(sizes.sum()), dtype=np.uint64)
        parent[initial], kind[initial] = np.repeat(above, size), rows.kind[spots]
        tags = np.bincount(initial, np.repeat(rows.pages[level], size)).astype(np.int64)
        return cls(spots, initial, parent, kind, tags)

    def merge_similar(
        self, frequencies: _Frequencies, names: HashArray, gamma: float, lambda_: float
    ) -> tuple[IntArray, list[tuple[int, frozenset[int]]]]:
        """Step 3: for each initial element the one that it is merged into, and the words of those of several tags."""
        label = np.arange(len(self.tags))
        for _ in range(_MOST_ROUNDS):
            tags = np.bincount(label, self.tags, minlength=len(label))
            enough = frequencies.tags >= gamma * tags[frequencies.element]
            owners, begin = np.unique(frequencies.element[enough], return_index=True)
            sets = Sets(frequencies.term[enough], np.append(begin, enough.sum()), self._group[owners], names)
            partner = sets.merge_similar(lambda_)
            if (partner == np.arange(len(sets))).all():
                break
            step = np.arange(len(label))
            step[owners] = owners[partner]
            label = step[label]
            frequencies = _added(frequencies, step, len(names))
        shared = np.flatnonzero(tags[owners] > 1).tolist()
        return label, [
            (int(owners[k]), frozenset(sets.words[sets.begin[k] : sets.begin[k + 1]].tolist())) for k in shared
        ]

    @property
    def _group(self) -> IntArray:
        """Only children of one element that have the same tag and attributes can merge."""
        order = np.lexsort((self.kind, self.parent))
        sizes = np.diff(_changes(self.parent[order], self.kind[order]), append=len(order))
        group = np.empty(len(order), dtype=np.int64)
        group[order] = np.repeat(np.arange(len(sizes)), sizes)
        return group


def _added(frequencies: _Frequencies, label: IntArray, terms: int) -> _Frequencies:
    """The frequencies of elements that were merged into those that `label` says."""
    keys, place = np.unique(label[frequencies.element] * terms + frequencies.term, return_inverse=True)
    tags = np.bincount(place, frequencies.tags, minlength=len(keys)).astype(np.int64)
    return _Frequencies(keys // terms, keys % terms, tags)


def _changes(*columns: npt.NDArray[np.integer]) -> IntArray:
    """Where a run of equal rows begins."""
    changed = np.ones(len(columns[0]), dtype=bool)
    changed[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(changed)


def _ranges(begin: IntArray, size: IntArray) -> IntArray:
    """`begin[0] … begin[0] + size[0] − 1`, then the same for the next, in one array."""
    return np.arange(int(size.sum())) + np.repeat(begin - np.cumsum(size) + size, size)
