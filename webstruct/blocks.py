"""A page → blocks: the one partition that CB mode, InfoDiscoverer and the report share (LAMIS §3.2, §4.2).

The paper cuts pages at `<table>`. Today's pages are nested containers, so the page's own repetition sets the grain: a
container is a block, unless it is a *record*, one of several alike siblings (list entries, cards, table rows), which
belongs to the block that lists it, together with everything inside it. A column or band that carries a large share of
the page is no record, however alike its siblings are. Text and links of a block are those not inside a deeper block.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from webstruct.page import Page

CONTAINER_TAGS = frozenset(
    "body table ul ol dl nav section article aside header footer main form div td frameset".split()
)
_ALIKE_SIBLINGS = 3
_RECORD_SHARE = 0.25
_DIGITS = re.compile(r"\d+")


def block_of(page: Page) -> npt.NDArray[np.int32]:
    """For each node the node of the block that it belongs to."""
    container = np.fromiter((tag in CONTAINER_TAGS for tag in page.kind_tags), dtype=bool)[page.kind]
    record = _records(page)
    return _nearest(page, container & ~record, record)


def _records(page: Page) -> npt.NDArray[np.bool_]:
    """Nodes with at least two alike siblings, none of which holds a large share of the page."""
    likeness = _likeness(page)
    order = np.lexsort((likeness, page.parent))
    starts = np.flatnonzero(np.diff(page.parent[order], prepend=-2) | np.diff(likeness[order], prepend=-2))
    sizes = np.diff(starts, append=len(order))
    chars = page.subtree_sum(page.anchor_chars + page.context_chars)
    largest = np.maximum.reduceat(chars[order], starts)
    are_records = (sizes >= _ALIKE_SIBLINGS) & (largest <= _RECORD_SHARE * max(1, chars[0]))
    result = np.zeros(len(page), dtype=bool)
    result[order] = np.repeat(are_records, sizes)
    return result


def _likeness(page: Page) -> npt.NDArray[np.int64]:
    """A number per node, equal for nodes of the same tag and class; digits in classes are page data (`post-123`)."""
    numbers: dict[tuple[str, str], int] = {}
    of_kind = [
        numbers.setdefault((tag, _DIGITS.sub("", dict(attributes).get("class", ""))), len(numbers))
        for tag, attributes in zip(page.kind_tags, page.kind_attributes, strict=True)
    ]
    return np.array(of_kind, dtype=np.int64)[page.kind]


def _nearest(page: Page, boundary: npt.NDArray[np.bool_], record: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """A node is in its own block if it is a boundary outside of any record, else in the block of its parent."""
    block = np.zeros(len(page), dtype=np.int32)
    inside = record.tolist()
    blocks: list[int] = []
    for node, (parent, is_boundary) in enumerate(zip(page.parent.tolist(), boundary.tolist(), strict=True)):
        if parent < 0:
            blocks.append(node)
            continue
        inside[node] = inside[node] or inside[parent]
        blocks.append(node if is_boundary and not inside[node] else blocks[parent])
    block[:] = blocks
    return block
