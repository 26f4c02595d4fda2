"""A page → lines: runs of text with no break between them, the unit in which a site repeats itself word for word.

A paragraph, a list entry, a table cell, a by-line or a button is one line, however many inline elements it is made of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from webstruct.flatten import NO_BREAK, BoolArray, IntArray

if TYPE_CHECKING:
    from webstruct.page import Page


@dataclass(frozen=True)
class Lines:
    """The visible lines of a page.

    Attributes
    ----------
    texts
        White space folded, but for preformatted text.
    chunk_begin, chunk_end
        The page's chunks that a line is made of; hidden ones among them are not part of its text.
    node
        The innermost block-level element that holds the line.
    chars, anchor_chars
        Length, and how much of it stands in links.

    """

    texts: list[str]
    chunk_begin: IntArray
    chunk_end: IntArray
    node: IntArray
    chars: IntArray
    anchor_chars: IntArray

    def __len__(self) -> int:
        return len(self.texts)


def lines_of(page: Page, owner: IntArray, silent: BoolArray) -> Lines:
    """The lines of a page in document order, without its silent chunks; `owner` is what `block_owner` gave."""
    spoken = np.flatnonzero(~silent)
    line_of_chunk = np.cumsum(page.chunk_break != NO_BREAK)[spoken]
    first = np.flatnonzero(np.diff(line_of_chunk, prepend=-1))
    begin = spoken[first]
    last = spoken[np.append(first[1:], len(spoken)) - 1] if len(first) else begin
    lengths = np.fromiter(map(len, page.chunks), dtype=np.int64, count=len(page.chunks))[spoken]
    anchors = np.where(page.in_anchor[page.chunk_node[spoken]], lengths, 0)
    chunks, is_silent = page.chunks, silent.tolist()
    texts = [
        chunks[start].strip()
        if start == stop
        else "".join(chunks[k] for k in range(start, stop + 1) if not is_silent[k]).strip()
        for start, stop in zip(begin.tolist(), last.tolist(), strict=True)
    ]
    return Lines(
        texts=texts,
        chunk_begin=begin.astype(np.int32),
        chunk_end=(last + 1).astype(np.int32),
        node=owner[page.chunk_node[begin]],
        chars=_sums(lengths, first),
        anchor_chars=_sums(anchors, first),
    )


def _sums(values: npt.NDArray[np.integer], first: npt.NDArray[np.integer]) -> IntArray:
    sums: IntArray = np.add.reduceat(values, first).astype(np.int32) if len(first) else np.zeros(0, dtype=np.int32)
    return sums
