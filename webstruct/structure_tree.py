"""The compressed structure tree: how much does a word on a page count, given where it stands?

Yi & Liu, "Web Page Cleaning for Web Mining through Feature Weighting" (IJCAI 2003), §3. The DOM trees of a site's pages
are laid over each other from the root down. An *element* of the compressed tree is a set of tags, the same place on
several pages. Places that look and read the same on all pages are noise, places that differ are content::

    NodeImp(E) = −Σ p_i log_m p_i        over the presentation styles of E's m tags, 1 if m = 1       (1)
    NodeImp(E) = 1 − mean H_E(a)         over the words a of a leaf                                   (2)
    H_E(a)     = −Σ p_j log_m p_j        over its m tags, 0 if m = 1                                  (3)
    PathImp(E) = 1 − Π (1 − NodeImp)     over E and its ancestors                                     (4)
    W_E(a, T)  = PathImp(E) · (1 − H_E(a)) · f                                                        (5)

`StructureTree` gathers pages, each at the cost of its nodes: a page is laid over those that have the same styles all the
way down from the root (`shape.py`), so that counts are all there is to keep. `compress` does the rest of §3.2 from the top
down: elements of the same tag whose words are alike are merged, by adding their counts.

Where the paper is silent: The tags of an element may be leaves on some pages and not on others; to be a leaf is then one
more style, and the words of these leaves, like words between the children of the others, are a leaf below the element. An
element of one tag has nothing to be compared with: all below it has the path importance 1 and is not taken apart further.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from webstruct.shape import Shape, stable_hash
from webstruct.similar_sets import Sets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webstruct.page import Page

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
HashArray = npt.NDArray[np.uint64]

# A word is characteristic of an element if this share of its tags have it (γ); elements merge if so much of their
# characteristic words agrees (λ).
GAMMA = 0.85
LAMBDA = 0.85
# A merge can make another pair alike; after so many rounds what is left stays apart.
_MOST_ROUNDS = 8
# The element of whatever stands below an element of one tag, or in none: the page's own.
OWN = -1


class StructureTree:
    """The structure of a set of pages, as counts.

    A *spot* is a place that pages share by having the same styles from the root down to it; a *row* is all children of a
    spot under one style. A page has each spot at most once.

    >>> from webstruct.page import Page
    >>> html = "<body><ul><li><a><b>Home</b></a></ul><div><div><p><b>{}</b></p></div></div>"
    >>> pages = [Page.parse(html.format(word), "http://example.com/" + word) for word in ("Flood", "Vote")]
    >>> StructureTree.of(pages).compress().weights(pages[0])
    {'flood': 1.0}
    """

    def __init__(self) -> None:
        self.pages = 0
        self.terms: dict[str, int] = {}
        self._row_of: dict[tuple[int, int], int] = {}
        self._row_spot, self._row_style, self._row_depth = array("q", [-1]), array("Q", [0]), array("q", [0])
        self._row_begin, self._row_pages = array("q", [0]), array("q", [0])
        self._spot_kind = array("Q", [0])
        self._word_spot, self._word_term, self._word_count = array("i"), array("i"), array("i")
        self._word_end = array("q")

    @classmethod
    def of(cls, pages: Iterable[Page]) -> StructureTree:
        """The tree of some pages."""
        tree = cls()
        for page in pages:
            tree.add(page)
        return tree

    def add(self, page: Page) -> None:
        """Lay one more page over those before."""
        shape = Shape.of(page)
        begins: list[int] = []
        for number, row in enumerate(shape.rows):
            spot = begins[row.parent_row] + row.parent_position if number else 0
            found = self._row_of.setdefault((spot, row.style), len(self._row_begin))
            if found == len(self._row_begin):
                self._new_row(spot, shape, number)
            self._row_pages[found] += 1
            begins.append(self._row_begin[found])
        self._row_pages[0] += 1
        self.pages += 1
        self._count_words(page, shape.spread(np.repeat(begins, np.diff(shape.begin)) + shape.position, root=0))

    def _new_row(self, spot: int, shape: Shape, number: int) -> None:
        self._row_spot.append(spot)
        self._row_style.append(shape.rows[number].style)
        self._row_depth.append(int(shape.depth[number]))
        self._row_begin.append(len(self._spot_kind))
        self._row_pages.append(0)
        self._spot_kind.frombytes(shape.kind[shape.begin[number] : shape.begin[number + 1]].tobytes())

    def _count_words(self, page: Page, spot: IntArray) -> None:
        terms = self.terms
        ids = np.array([terms.setdefault(name, len(terms)) for name in page.term_names], dtype=np.int64)
        keys, counts = np.unique(spot[page.term_node] << 32 | ids[page.term], return_counts=True)
        self._word_spot.frombytes((keys >> 32).astype(np.int32).tobytes())
        self._word_term.frombytes((keys & 0xFFFFFFFF).astype(np.int32).tobytes())
        self._word_count.frombytes(counts.astype(np.int32).tobytes())
        self._word_end.append(len(self._word_spot))

    def compress(self, *, gamma: float = GAMMA, lambda_: float = LAMBDA) -> CompressedTree:
        """The compressed structure tree of the pages added so far, with the importance of its elements."""
        rows = _Rows(
            spot=np.array(self._row_spot),
            style=np.array(self._row_style),
            depth=np.array(self._row_depth),
            begin=np.array(self._row_begin),
            size=np.diff(np.append(self._row_begin, len(self._spot_kind))),
            pages=np.array(self._row_pages),
            kind=np.array(self._spot_kind),
        )
        ends = np.array(self._word_end, dtype=np.int64)
        words = _Words(
            spot=np.array(self._word_spot, dtype=np.int64),
            term=np.array(self._word_term, dtype=np.int64),
            count=np.array(self._word_count, dtype=np.int64),
            page=np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0)),
            names=np.fromiter(map(stable_hash, self.terms), dtype=np.uint64, count=len(self.terms)),
        )
        return CompressedTree(rows, words, _merge_elements(rows, words, gamma, lambda_), self.terms)


@dataclass(frozen=True)
class _Rows:
    """The rows of a tree; `kind` is by spot, and the spots of a row are `begin : begin + size`."""

    spot: IntArray
    style: HashArray
    depth: IntArray
    begin: IntArray
    size: IntArray
    pages: IntArray
    kind: HashArray

    def spots(self, rows: IntArray) -> IntArray:
        """All spots of some rows."""
        return _ranges(self.begin[rows], self.size[rows])

    def levels(self) -> Iterator[IntArray]:
        """Rows by depth, from the top."""
        order = np.argsort(self.depth, kind="stable")
        yield from np.split(order, np.flatnonzero(np.diff(self.depth[order])) + 1)

    def nesting(self) -> tuple[IntArray, IntArray]:
        """For each spot its number in document order, and the number of spots in its subtree."""
        parent = np.repeat(self.spot, self.size)
        below = np.ones(len(parent), dtype=np.int64)
        levels = [self.spots(rows) for rows in self.levels()][1:]
        for spots in reversed(levels):
            np.add.at(below, parent[spots], below[spots])
        place = np.zeros(len(parent), dtype=np.int64)
        for spots in levels:
            spots = spots[np.argsort(parent[spots], kind="stable")]
            before = np.cumsum(below[spots]) - below[spots]
            first = np.flatnonzero(np.diff(parent[spots], prepend=-1))
            base = place[parent[spots[first]]] + 1 - before[first]
            place[spots] = before + np.repeat(base, np.diff(first, append=len(spots)))
        return place, below


@dataclass(frozen=True)
class _Words:
    """How often a term stands on a page in a spot; `names` holds a hash for each term."""

    spot: IntArray
    term: IntArray
    count: IntArray
    page: IntArray
    names: HashArray


class _Elements(NamedTuple):
    """What merging gives: the element of each spot, and by element its parent, its tags, and its characteristic words."""

    of_spot: IntArray
    parent: IntArray
    tags: IntArray
    characteristic: dict[tuple[int, int], list[tuple[int, frozenset[int]]]]


class _Frequencies(NamedTuple):
    """In how many tags of an element a term stands."""

    element: IntArray
    term: IntArray
    tags: IntArray

    def regroup(self, label: IntArray, terms: int) -> _Frequencies:
        """The same for elements that were merged to those that `label` says."""
        keys, place = np.unique(label[self.element] * terms + self.term, return_inverse=True)
        sums = np.bincount(place, self.tags, minlength=len(keys)).astype(np.int64)
        return _Frequencies(keys // max(1, terms), keys % max(1, terms), sums)


def _merge_elements(rows: _Rows, words: _Words, gamma: float, lambda_: float) -> _Elements:
    """Steps 1 to 4 of §3.2, a level at a time."""
    place, below = rows.nesting()
    order = np.argsort(place[words.spot], kind="stable")
    word_place, term, page = place[words.spot][order], words.term[order], words.page[order]
    terms, pages = max(1, len(words.names)), int(rows.pages[0])
    element = np.full(len(rows.kind), OWN)
    parent, tags = np.full(len(rows.kind), -1), np.zeros(len(rows.kind), dtype=np.int64)
    element[0], tags[0], total = 0, pages, 1
    characteristic: dict[tuple[int, int], list[tuple[int, frozenset[int]]]] = {}
    for level in list(rows.levels())[1:]:
        above = element[rows.spot[level]]
        level = level[(above >= 0) & (tags[above] > 1)]
        if not len(level):
            break
        spots = rows.spots(level)
        above = element[rows.spot[level]]
        initial = _initial_elements(above, rows.style[level], rows.size[level])
        count = int(initial.max()) + 1
        own_tags = np.bincount(initial, np.repeat(rows.pages[level], rows.size[level])).astype(np.int64)
        own_parent, kind = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.uint64)
        own_parent[initial], kind[initial] = np.repeat(above, rows.size[level]), rows.kind[spots]
        begin = np.searchsorted(word_place, place[spots])
        sizes = np.searchsorted(word_place, place[spots] + below[spots]) - begin
        inside = _ranges(begin, sizes)
        spot = np.repeat(np.arange(len(spots)), sizes)
        in_tag = np.unique((spot * pages + page[inside]) * terms + term[inside])
        of_element = initial[in_tag // (pages * terms)] * terms + in_tag % terms
        keys, counts = np.unique(of_element, return_counts=True)
        label, sets = _merge_similar(
            _Frequencies(keys // terms, keys % terms, counts), own_parent, kind, own_tags, words.names, gamma, lambda_
        )
        kept, label = np.unique(label, return_inverse=True)
        element[spots] = total + label[initial]
        tags[total : total + len(kept)] = np.bincount(label, own_tags)
        parent[total : total + len(kept)] = own_parent[kept]
        for owner, own in sets.items():
            number = total + int(label[owner])
            if tags[number] > 1:
                characteristic.setdefault((int(own_parent[owner]), int(kind[owner])), []).append((number, own))
        total += len(kept)
    return _Elements(element, parent[:total], tags[:total], characteristic)


def _initial_elements(above: IntArray, style: HashArray, size: IntArray) -> IntArray:
    """Children of the same element under the same style go together position by position: their initial elements."""
    order = np.lexsort((style, above))
    new = (np.diff(above[order], prepend=-1) != 0) | (np.diff(style[order], prepend=style[order[0]]) != 0)
    sizes = size[order[new]]
    first = np.empty(len(above), dtype=np.int64)
    first[order] = np.repeat(np.cumsum(sizes) - sizes, np.diff(np.flatnonzero(new), append=len(order)))
    return _ranges(first, size)


def _merge_similar(
    frequencies: _Frequencies,
    parent: IntArray,
    kind: HashArray,
    tags: IntArray,
    names: HashArray,
    gamma: float,
    lambda_: float,
) -> tuple[IntArray, dict[int, frozenset[int]]]:
    """Step 3: merge children of one element that have the same tag and attributes and like characteristic words."""
    order = np.lexsort((kind, parent))
    group = np.empty(len(parent), dtype=np.int64)
    group[order] = np.cumsum((np.diff(parent[order], prepend=-1) != 0) | (np.diff(kind[order], prepend=kind[order[0]]) != 0))
    label = np.arange(len(parent))
    for _ in range(_MOST_ROUNDS):
        enough = frequencies.tags >= gamma * np.bincount(label, tags, minlength=len(label))[frequencies.element]
        owners, begin = np.unique(frequencies.element[enough], return_index=True)
        sets = Sets(frequencies.term[enough], np.append(begin, np.count_nonzero(enough)), group[owners], names)
        partner = sets.merge_similar(lambda_)
        if (partner == np.arange(len(sets))).all():
            break
        step = np.arange(len(label))
        step[owners] = owners[partner]
        label = step[label]
        frequencies = frequencies.regroup(step, len(names))
    chosen = np.flatnonzero(np.bincount(label, tags, minlength=len(label))[owners] > 1).tolist()
    return label, {int(owners[k]): frozenset(sets.words[sets.begin[k] : sets.begin[k + 1]].tolist()) for k in chosen}


def _ranges(begin: IntArray, size: IntArray) -> IntArray:
    """`begin[0] … begin[0] + size[0] − 1`, then the same for the next, in one array."""
    return np.arange(int(size.sum())) + np.repeat(begin - np.cumsum(size) + size, size)


class CompressedTree:
    """The compressed structure tree of some pages: tells of any page of their site what counts on it.

    Attributes
    ----------
    parent, tags
        By element: its parent, and how many tags were merged in it. Element 0 is the root, whose parent is −1; a parent
        comes before its children.
    node_importance, path_importance
        By element: (1) and (4).
    leaf_importance
        By element: the path importance of the leaf that its words make, with (2) as the last factor.

    """

    def __init__(self, rows: _Rows, words: _Words, elements: _Elements, terms: dict[str, int]) -> None:
        self.parent, self.tags = elements.parent, elements.tags
        self._terms, self._known_terms = terms, max(1, len(words.names))
        self._element = elements.of_spot
        self._characteristic = elements.characteristic
        self.node_importance = self._style_entropy(rows)
        self._word_keys, self._word_weights = self._words(words)
        self.path_importance = self._along_paths()
        owner = self._word_keys // self._known_terms
        features = np.maximum(1, np.bincount(owner, minlength=len(self.tags)))
        leaf = np.bincount(owner, self._word_weights, minlength=len(self.tags)) / features
        self.leaf_importance = 1 - (1 - self.path_importance) * (1 - leaf)
        above = self._element[rows.spot[1:]]
        compared = np.flatnonzero((above >= 0) & (self.tags[above] > 1)) + 1
        keys = zip(self._element[rows.spot[compared]].tolist(), rows.style[compared].tolist(), strict=True)
        self._row_begin = dict(zip(keys, rows.begin[compared].tolist(), strict=True))

    def _style_entropy(self, rows: _Rows) -> FloatArray:
        """(1), with being a leaf as one of the styles."""
        above = self._element[rows.spot[1:]]
        inside = np.flatnonzero(above >= 0)
        order = inside[np.lexsort((rows.style[1:][inside], above[inside]))]
        style, above = rows.style[1:][order], above[order]
        new = np.flatnonzero((np.diff(above, prepend=-1) != 0) | (np.diff(style, prepend=style[:1]) != 0))
        used = np.add.reduceat(rows.pages[1:][order], new) if len(new) else new
        owner = above[new]
        leaves = self.tags - np.bincount(owner, used, minlength=len(self.tags))
        spread = np.bincount(owner, used * np.log(used), minlength=len(self.tags)) + leaves * np.log(np.maximum(1, leaves))
        return np.where(self.tags == 1, 1.0, _entropy(self.tags, spread, self.tags))

    def _words(self, words: _Words) -> tuple[IntArray, FloatArray]:
        """``1 − H_E(a)`` for every word of every element, by a key of both."""
        element = self._element[words.spot]
        inside = element >= 0
        keys, place = np.unique(element[inside] * self._known_terms + words.term[inside], return_inverse=True)
        count = words.count[inside]
        frequency = np.bincount(place, count, minlength=len(keys))
        spread = np.bincount(place, count * np.log(count), minlength=len(keys))
        return keys, 1 - _entropy(frequency, spread, self.tags[keys // self._known_terms])

    def _along_paths(self) -> FloatArray:
        """(4), a level at a time: parents come before their children."""
        unimportant = 1 - self.node_importance
        begin = 1
        while begin < len(unimportant):
            end = int(np.searchsorted(self.parent, begin))
            unimportant[begin:end] *= unimportant[self.parent[begin:end]]
            begin = end
        return 1 - unimportant

    def importance(self, page: Page) -> FloatArray:
        """By node of a page: the path importance of the place where it stands, 1 for places that no other page has."""
        shape = Shape.of(page)
        element = self._elements(page, shape)
        inner = np.zeros(len(page), dtype=bool)
        inner[page.parent[shape.nodes]] = True
        found = np.where(inner, self.path_importance[element], self.leaf_importance[element])
        return np.where(element == OWN, 1.0, found)

    def weights(self, page: Page) -> FloatArray:
        """By term of a page (`page.term_names`): its weight, summed over all places where it stands (5)."""
        element = self._elements(page, Shape.of(page))[page.term_node]
        ids = np.array([self._terms.get(name, self._known_terms) for name in page.term_names], dtype=np.int64)[page.term]
        keys = element * self._known_terms + ids
        place = np.minimum(np.searchsorted(self._word_keys, keys), len(self._word_keys) - 1)
        known = (ids < self._known_terms) & (self._word_keys[place] == keys) if len(self._word_keys) else ids < 0
        weight = np.where(known, self._word_weights[place], 1.0) * self.leaf_importance[element]
        return np.bincount(page.term, np.where(element == OWN, 1.0, weight), minlength=len(page.term_names))

    def features(self, page: Page) -> dict[str, float]:
        """The page as a sparse vector: its terms and their weights, without those that weigh nothing."""
        weights = self.weights(page).round(4).tolist()
        return {name: weight for name, weight in zip(page.term_names, weights, strict=True) if weight}

    def _elements(self, page: Page, shape: Shape) -> IntArray:
        """The element of each node of a page."""
        found: list[list[int]] = []
        words = _PageWords(page, self._terms)
        begins = shape.begin.tolist()
        for number, row in enumerate(shape.rows):
            element = found[row.parent_row][row.parent_position] if number else 0
            begin, end = begins[number], begins[number + 1]
            if element == OWN or self.tags[element] == 1:
                found.append([OWN] * (end - begin))
            elif (known := self._row_begin.get((element, row.style))) is not None:
                found.append(self._element[known : known + end - begin].tolist())
            else:
                found.append([self._alike(element, shape, child, words) for child in range(begin, end)])
        return shape.spread(np.array([own for row in found for own in row], dtype=np.int64), root=0)

    def _alike(self, parent: int, shape: Shape, child: int, words: _PageWords) -> int:
        """The child of an element that a tag of a page not seen before would be merged into, if any."""
        candidates = self._characteristic.get((parent, int(shape.kind[child])), ())
        own = words.below(int(shape.nodes[child])) if candidates else frozenset()
        for element, theirs in candidates:
            if len(own & theirs) >= LAMBDA * len(own | theirs) > 0:
                return element
        return OWN


class _PageWords:
    """The words of subtrees of a page."""

    def __init__(self, page: Page, terms: dict[str, int]) -> None:
        self._page = page
        self._terms = terms

    def below(self, node: int) -> frozenset[int]:
        """Ids of the terms in a subtree, negative for those that the tree has not seen."""
        page = self._page
        inside = (page.term_node >= node) & (page.term_node < page.subtree_end[node])
        return frozenset(self._terms.get(page.term_names[term], -1 - term) for term in np.unique(page.term[inside]).tolist())


def _entropy(total: npt.NDArray[np.number], spread: FloatArray, tags: IntArray) -> FloatArray:
    """Entropy to the base of the number of tags, from counts ``c``: `total` is ``Σ c``, `spread` is ``Σ c ln c``."""
    base = np.log(np.maximum(2, tags))
    return np.where(tags == 1, 0.0, np.clip((np.log(total) - spread / total) / base, 0.0, 1.0).round(12))
