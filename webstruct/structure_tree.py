"""The compressed structure tree: how much a word on a page counts, given where it stands.

Yi & Liu, "Web Page Cleaning for Web Mining through Feature Weighting" (IJCAI 2003), §3. The DOM trees of a site's pages
are laid over each other from the root down. An *element* of the compressed tree is a set of tags, the same place on
several pages. Places that look and read the same on all pages are noise, places that differ are content::

    NodeImp(E) = −Σ p_i log_m p_i        over the presentation styles of E's m tags, 1 if m = 1       (1)
    NodeImp(E) = 1 − mean H_E(a)         over the words a of a leaf                                   (2)
    H_E(a)     = −Σ p_j log_m p_j        over its m tags, 0 if m = 1                                  (3)
    PathImp(E) = 1 − Π (1 − NodeImp)     over E and its ancestors                                     (4)
    W_E(a, T)  = PathImp(E) · (1 − H_E(a)) · f                                                        (5)

`StructureTree` gathers pages, each at the cost of its nodes: a page is laid over those that have the same styles all the
way down from the root (`shape.py`), so that counts are all there is to keep. `compress` merges what is alike
(`tree_merging.py`) and weighs it.

In (3) we take the logarithm to the base of the number of *pages*. To the base m, two tags that agree count as much
against a word as a thousand; on real sites that takes a fifth of the content away, and from some pages more than from
others (docs/weighting.md). `base="tags"` is as published.

Where the paper is silent: The tags of an element may be leaves on some pages and not on others; to be a leaf is then one
more style, and the words of these leaves, like words between the children of the others, are a leaf below the element.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from webstruct.shape import Shape, stable_hash
from webstruct.tree_merging import OWN, Elements, Rows, Words, merge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstruct.page import Page
    from webstruct.site import SiteModel

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Base = Literal["pages", "tags"]

# A word is characteristic of an element if this share of its tags have it (γ); elements of the same tag merge if so much
# of their characteristic words agrees (λ).
GAMMA = 0.85
LAMBDA = 0.85
# A tag under a style not seen before is compared with so many elements, those of most tags.
_MOST_CANDIDATES = 64
_NO_KEY = np.iinfo(np.int64).max
_NO_COLUMNS = np.zeros(0, dtype=np.int32)


class StructureTree:
    """The structure of a set of pages, as counts.

    A *spot* is a place that pages share by having the same styles from the root down to it; a *row* is all children of a
    spot under one style. A page has each spot at most once.

    >>> from webstruct.page import Page
    >>> html = "<body><ul><li><a><b>Contact</b></a></ul><div><div><p><b>{}</b></p></div></div>"
    >>> pages = [Page.parse(html.format(word), "http://example.com/" + word) for word in ("Flood", "Vote")]
    >>> StructureTree.of(pages).compress().features(pages[0])
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
        spots = np.repeat(np.array(begins, dtype=np.int64), np.diff(shape.begin)) + shape.position
        self._count_words(page, shape.spread(spots, root=0))

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

    def compress(self, *, gamma: float = GAMMA, lambda_: float = LAMBDA, base: Base = "pages") -> CompressedTree:
        """The compressed structure tree of the pages added so far.

        Parameters
        ----------
        gamma, lambda_
            The paper's γ and λ, between 0 and 1: a higher γ makes fewer words characteristic, a higher λ merges less.
        base
            Of the logarithm in (3): "pages", or "tags" as published.

        """
        rows = Rows(
            spot=np.array(self._row_spot),
            style=np.array(self._row_style),
            depth=np.array(self._row_depth),
            pages=np.array(self._row_pages),
            begin=np.array(self._row_begin),
            size=np.diff(np.append(self._row_begin, len(self._spot_kind))),
            kind=np.array(self._spot_kind),
        )
        words_of_page = np.diff(np.append(0, self._word_end))
        words = Words(
            spot=np.array(self._word_spot, dtype=np.int64),
            term=np.array(self._word_term, dtype=np.int64),
            page=np.repeat(np.arange(self.pages), words_of_page),
            count=np.array(self._word_count, dtype=np.int64),
            names=np.fromiter(map(stable_hash, self.terms), dtype=np.uint64, count=len(self.terms)),
        )
        elements = merge(rows, words, gamma=gamma, lambda_=lambda_)
        return CompressedTree(rows, words, elements, self.terms, lambda_=lambda_, base=base)


class CompressedTree:
    """The compressed structure tree of some pages, which tells of any page of their site what counts on it.

    Attributes
    ----------
    parent, tags
        By element: its parent, and how many tags were merged in it. Element 0 is the root, with parent −1; a parent comes
        before its children.
    node_importance, path_importance
        By element: (1) and (4).
    leaf_importance
        By element: the path importance of the leaf that its words make, with (2) as the last factor.

    """

    def __init__(
        self, rows: Rows, words: Words, elements: Elements, terms: dict[str, int], *, lambda_: float, base: Base
    ) -> None:
        self.parent, self.tags = elements.parent, elements.tags
        self._of_spot, self._lambda, self._base = elements.of_spot, lambda_, base
        self._candidates = {
            place: sorted(found, key=lambda own: -self.tags[own.element])[:_MOST_CANDIDATES]
            for place, found in elements.candidates.items()
        }
        self._terms, self._known_terms = terms, len(words.names)
        self.node_importance = self._style_entropy(rows)
        self.path_importance = self._along_paths()
        self._word_keys, self._word_weights = self._weigh(words)
        self.leaf_importance = self._leaves()
        self._row_begin = self._rows_by_style(rows)

    def _style_entropy(self, rows: Rows) -> FloatArray:
        """(1), with being a leaf as one of the styles."""
        owner = self._of_spot[rows.spot[1:]]
        inside = owner != OWN
        keys = np.stack([owner[inside].astype(np.uint64), rows.style[1:][inside]])
        (owner, _), place = np.unique(keys, axis=1, return_inverse=True)
        owner = owner.astype(np.int64)
        used = _sums(place, rows.pages[1:][inside], len(owner))
        leaves = self.tags - _sums(owner, used, len(self.tags))
        spread = _sums(owner, _spread(used), len(self.tags)) + _spread(leaves)
        return np.where(self.tags <= 1, 1.0, _entropy(self.tags, spread, self.tags))

    def _along_paths(self) -> FloatArray:
        """(4), a generation at a time: parents come before their children, and in the same order."""
        unimportant = 1 - self.node_importance
        begin = 1
        while begin < len(unimportant):
            end = int(np.searchsorted(self.parent, begin))
            unimportant[begin:end] *= unimportant[self.parent[begin:end]]
            begin = end
        return 1 - unimportant

    def _weigh(self, words: Words) -> tuple[IntArray, FloatArray]:
        """``1 − H_E(a)`` of (3) for every word of every element, by a key of both; the last key is none."""
        owner = self._of_spot[words.spot]
        inside = owner != OWN
        keys, place = np.unique(self._key(owner[inside], words.term[inside]), return_inverse=True)
        count = words.count[inside]
        total = _sums(place, count, len(keys))
        spread = _sums(place, _spread(count), len(keys))
        tags = self.tags[keys // self._known_terms] if len(keys) else keys
        weights = 1 - _entropy(total, spread, tags if self._base == "tags" else np.full(len(keys), self.tags[0]))
        return np.append(keys, _NO_KEY), np.append(weights, 1.0)

    def _key(self, element: IntArray, term: IntArray) -> IntArray:
        return element * self._known_terms + term

    def _leaves(self) -> FloatArray:
        """(2) as the last step of (4); an element without words makes no leaf."""
        owner = self._word_keys[:-1] // max(1, self._known_terms)
        features = np.bincount(owner, minlength=len(self.tags))
        sums = _sums(owner, self._word_weights[:-1], len(self.tags))
        leaves: FloatArray = 1 - (1 - self.path_importance) * (1 - sums / np.maximum(1, features))
        return leaves

    def _rows_by_style(self, rows: Rows) -> dict[tuple[int, int], int]:
        """Element and style → the first of the spots that lead to the children."""
        owner = self._of_spot[rows.spot]
        compared = np.flatnonzero((owner != OWN) & (self.tags[owner] > 1) & (rows.spot >= 0))
        keys = zip(owner[compared].tolist(), rows.style[compared].tolist(), strict=True)
        return dict(zip(keys, rows.begin[compared].tolist(), strict=True))

    def importance(self, page: Page) -> FloatArray:
        """By node of a page: the path importance of the place where it stands, 1 for places that no other page has.

        What stands in a leaf has the leaf's; scripts and the like, which show nothing, have that of what is before them.
        """
        shape = Shape.of(page)
        element = self._elements(page, shape)
        inner = np.zeros(len(page), dtype=bool)
        inner[page.parent[shape.nodes]] = True
        found = np.where(inner, self.path_importance[element], self.leaf_importance[element])
        return np.where(element == OWN, 1.0, found)

    def term_weights(self, page: Page) -> FloatArray:
        """By occurrence of a term on a page (`page.term`): what it counts where it stands, (5) with f = 1."""
        element = self._elements(page, Shape.of(page))[page.term_node]
        names = [self._terms.get(name, self._known_terms) for name in page.term_names]
        term = np.array(names, dtype=np.int64)[page.term]
        keys = np.where((element == OWN) | (term >= self._known_terms), _NO_KEY - 1, self._key(element, term))
        place = np.searchsorted(self._word_keys, keys)
        own = np.where(self._word_keys[place] == keys, self._word_weights[place], 1.0)
        return own * np.where(element == OWN, 1.0, self.leaf_importance[element])

    def weights(self, page: Page) -> FloatArray:
        """By term of a page (`page.term_names`): its weight, summed over the places where it stands."""
        return _sums(page.term, self.term_weights(page), len(page.term_names))

    def features(self, page: Page) -> dict[str, float]:
        """The page as a sparse vector: its terms with their weights, without those that weigh nothing."""
        weights = self.weights(page).round(4).tolist()
        return {name: weight for name, weight in zip(page.term_names, weights, strict=True) if weight}

    def _elements(self, page: Page, shape: Shape) -> IntArray:
        """By node of a page, one of the tree's or another: its element."""
        found: list[list[int]] = []
        words = _SubtreeWords(page, self._terms)
        begins = shape.begin.tolist()
        for number, row in enumerate(shape.rows):
            element = found[row.parent_row][row.parent_position] if number else 0
            begin, end = begins[number], begins[number + 1]
            if element == OWN or self.tags[element] <= 1:
                found.append([OWN] * (end - begin))
            elif (spot := self._row_begin.get((element, row.style))) is not None:
                found.append(self._of_spot[spot : spot + end - begin].tolist())
            else:
                found.append([self._alike(element, shape, child, words) for child in range(begin, end)])
        return shape.spread(np.array([own for row in found for own in row], dtype=np.int64), root=0)

    def _alike(self, parent: int, shape: Shape, child: int, words: _SubtreeWords) -> int:
        """Under a style not seen before: the element that a tag would be merged into, by its words."""
        candidates = self._candidates.get((parent, int(shape.kind[child])))
        own = words.below(int(shape.nodes[child])) if candidates else frozenset()
        for element, theirs in candidates or ():
            if own and len(own & theirs) >= self._lambda * len(own | theirs):
                return element
        return OWN


class _SubtreeWords:
    """The words in subtrees of a page, as ids of the tree's terms; negative for terms that the tree has not seen."""

    def __init__(self, page: Page, terms: dict[str, int]) -> None:
        self._page, self._terms = page, terms
        self._node: npt.NDArray[Any] | None = None

    def below(self, node: int) -> frozenset[int]:
        page = self._page
        if self._node is None:
            order = np.argsort(page.term_node, kind="stable")
            self._node, self._term = page.term_node[order], page.term[order]
            self._id = [self._terms.get(name, -1 - number) for number, name in enumerate(page.term_names)]
        begin, end = np.searchsorted(self._node, (node, page.subtree_end[node])).tolist()
        return frozenset(self._id[term] for term in set(self._term[begin:end].tolist()))


class Weights(NamedTuple):
    """A site as a term matrix: `matrix[row, column]` is the weight of `terms[column]` on the page `urls[row]`."""

    matrix: Any
    terms: list[str]
    urls: list[str]


def site_weights(model: SiteModel) -> Weights:
    """The feature vectors of all pages of a learned site, as a scipy CSR array ready for scikit-learn.

    >>> import webstruct
    >>> html = "<body><ul><li><a><b>Contact</b></a></ul><div><div><p><b>{}</b></p></div></div>"
    >>> pages = [webstruct.Page.parse(html.format(word), "http://example.com/" + word) for word in ("Flood", "Vote")]
    >>> matrix, terms, urls = webstruct.weights(webstruct.learn(pages))
    >>> terms, matrix.toarray().tolist()
    (['contact', 'flood', 'vote'], [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    """
    from scipy.sparse import csr_array

    gathered = StructureTree()
    urls = []
    for page in model.site.pages:
        gathered.add(page)
        urls.append(page.url)
    tree = gathered.compress()
    columns, values, ends = [], [], [0]
    for page in model.site.pages:
        weights = tree.weights(page)
        kept = np.flatnonzero(weights)
        columns.append(np.array([gathered.terms[page.term_names[term]] for term in kept.tolist()], dtype=np.int32))
        values.append(weights[kept])
        ends.append(ends[-1] + len(kept))
    # scikit-learn takes indices of 32 bits only.
    parts = np.concatenate([[], *values]), np.concatenate([_NO_COLUMNS, *columns]), np.array(ends, dtype=np.int32)
    matrix = csr_array(parts, shape=(len(urls), len(gathered.terms)))
    matrix.sort_indices()
    return Weights(matrix, list(gathered.terms), urls)


def _sums(place: npt.NDArray[Any], values: npt.NDArray[Any], size: int) -> FloatArray:
    """Sums of the values that have the same place."""
    return np.bincount(place, values, minlength=size).astype(np.float64)


def _spread(counts: npt.NDArray[Any]) -> FloatArray:
    """``c ln c``, 0 for 0."""
    spread: FloatArray = counts * np.log(np.maximum(1, counts))
    return spread


def _entropy(total: npt.NDArray[Any], spread: FloatArray, base: IntArray) -> FloatArray:
    """Entropy of counts ``c``, given ``Σ c`` and ``Σ c ln c``; rounded, so that certainty is certain."""
    total = np.maximum(1, total)
    entropy: FloatArray = (np.log(total) - spread / total) / np.log(np.maximum(2, base))
    return entropy.clip(0.0, 1.0).round(12)
