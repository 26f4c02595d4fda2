"""The shape of a page: its tags from the root down to the virtual leaves, row by row (feature weighting §3.1–3.3).

The *presentation style* of a tag is the sequence of its children, each with its tag and display attributes. A *virtual
leaf* is, in the paper, "the grandparent of a leaf tag"; here, a tag with nothing more than two levels below it, so that no
leaf stands inside another. Scripts and other tags that show nothing are no children.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from webstruct.flatten import SILENT_TAGS, covered
from webstruct.page import MAX_VALUE_CHARS
from webstruct.similar_sets import mix

if TYPE_CHECKING:
    from webstruct.flatten import Attributes
    from webstruct.page import Page

IntArray = npt.NDArray[np.int64]
HashArray = npt.NDArray[np.uint64]

DISPLAY_ATTRIBUTES = frozenset(
    "align background bgcolor border bordercolor cellpadding cellspacing clear color colspan face height hspace link "
    "noshade nowrap rowspan rules size style text valign vlink vspace width".split()
)


class Row(NamedTuple):
    """The children of one tag: where that tag stands (row and position; −1 for the root), and its style."""

    parent_row: int
    parent_position: int
    style: int


class Shape(NamedTuple):
    """The tags of a page that are no leaves, in document order, each as the row of its children.

    Attributes
    ----------
    nodes
        The children in all rows; row k is `nodes[begin[k] : begin[k + 1]]`.
    position
        Their places in their rows.
    kind
        Hashes of their tags and display attributes.
    depth
        By row: how far it lies below the root.
    rows
        By row: its parent and style.

    """

    page_nodes: int
    nodes: IntArray
    position: IntArray
    kind: HashArray
    begin: IntArray
    depth: IntArray
    rows: list[Row]

    @classmethod
    def of(cls, page: Page) -> Shape:
        """The shape of a page, at the cost of its nodes."""
        silent = np.fromiter((tag in SILENT_TAGS for tag in page.kind_tags), dtype=bool, count=len(page.kind_tags))
        shown = ~covered(silent[page.kind], page.subtree_end)
        parent = page.parent.astype(np.int64)
        inner = np.zeros(len(page), dtype=bool)
        inner[parent[parent[parent[shown & (page.depth >= 3)]]]] = True
        nodes = np.flatnonzero(shown & inner[parent] & (parent >= 0))
        nodes = nodes[np.argsort(parent[nodes], kind="stable")]
        begin = np.flatnonzero(np.diff(parent[nodes], prepend=-1))
        sizes = np.diff(begin, append=len(nodes))
        position = np.arange(len(nodes)) - np.repeat(begin, sizes)
        hashes = [
            _kind_hash(tag, _displayed(pairs)) for tag, pairs in zip(page.kind_tags, page.kind_attributes, strict=True)
        ]
        kind = np.array(hashes, dtype=np.uint64)[page.kind[nodes]]
        placed = mix(kind ^ mix(position.astype(np.uint64) + np.uint64(1)))
        style = np.add.reduceat(placed, begin) if len(begin) else placed
        row_of, position_of = np.full(len(page), -1), np.full(len(page), 0)
        row_of[nodes], position_of[nodes] = np.repeat(np.arange(len(begin)), sizes), position
        owner = parent[nodes[begin]]
        rows = list(map(Row, row_of[owner].tolist(), position_of[owner].tolist(), style.tolist()))
        return cls(
            len(page), nodes, position, kind, np.append(begin, len(nodes)), page.depth[owner].astype(np.int64) + 1, rows
        )

    def spread(self, values: IntArray, root: int) -> IntArray:
        """Values for all nodes of the page, from one for each of `nodes`: what stands below a leaf has the leaf's."""
        everywhere, last = np.full(self.page_nodes, root), np.zeros(self.page_nodes, dtype=np.int64)
        everywhere[self.nodes] = values
        last[self.nodes] = self.nodes
        return everywhere[np.maximum.accumulate(last)]


def _displayed(pairs: Attributes) -> Attributes:
    return tuple(sorted((name, value[:MAX_VALUE_CHARS]) for name, value in pairs if name in DISPLAY_ATTRIBUTES))


@lru_cache(maxsize=1 << 14)
def _kind_hash(tag: str, attributes: Attributes) -> int:
    return stable_hash(repr((tag, attributes)))


def stable_hash(text: str) -> int:
    """64 bits that are the same in every process."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")
