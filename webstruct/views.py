"""A page of the sample that a wrapper is learned from, with what is gathered from it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from webstruct.metadata import metadata
from webstruct.titles import Names
from webstruct.wrapper import LINK_SHARE

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from webstruct.entropy import TermEntropy
    from webstruct.flatten import BoolArray, IntArray
    from webstruct.layout import Layout, Selector
    from webstruct.slots import TemplateNames

_DIGITS = re.compile(r"\d+")


class View:
    """What is gathered from one page of the sample, step by step: made, looked at, and looked at again without slots.

    Attributes
    ----------
    layout, names
        The page, and the names by which it is known.
    term_id, terms
        Ids of its term occurrences; by node, the number of terms in the subtree.
    steps
        By kind: the step without page data.
    fresh
        By line: its characters, if it is neither a link nor repeated on other pages.
    sums
        By node, over the subtree: all characters, fresh ones, lines, lines that come again on the page with other
        numbers at most, weight of the terms, terms.
    slot
        By node: its place in the template, as `Slots` numbers it.
    own, weight
        `fresh` without the lines of excluded slots, and its sums by node.

    """

    def __init__(self, layout: Layout, anchor_texts: Sequence[str], entropy: TermEntropy) -> None:
        page = layout.page
        self.layout = layout
        self.names = Names((page.title, *metadata(page).titles, *anchor_texts))
        self.slot: IntArray = np.zeros(len(page), dtype=np.int32)
        ids = entropy.ids(page.term_names)
        self.term_id = ids[page.term]
        self.terms = page.subtree_sum(np.bincount(page.term_node, minlength=len(page)))
        weights = entropy.weights(ids)[page.term]
        self._term_weight = page.subtree_sum(np.bincount(page.term_node, weights, minlength=len(page)))

    def look(self, names: TemplateNames, repeated: Container[str]) -> None:
        """Look at the page with what was learned of the family: the template's names, and lines that come again."""
        layout, lines = self.layout, self.layout.lines
        self.steps = names.steps(layout.steps)
        is_repeated = np.fromiter((key in repeated for key in layout.line_keys), dtype=bool, count=len(lines))
        is_link = lines.anchor_chars > LINK_SHARE * lines.chars
        self.fresh = np.where(is_repeated | is_link, 0, lines.chars)
        self.sums = (
            layout.line_sums(lines.chars),
            layout.line_sums(self.fresh),
            layout.line_sums(np.ones(len(lines), dtype=np.int32)),
            layout.line_sums(self._come_again()),
            self._term_weight,
            self.terms,
        )

    def _come_again(self) -> BoolArray:
        """Lines that the page has more than once, numbers apart; rows of tables are left out."""
        texts, keys = self.layout.lines.texts, self.layout.line_keys
        masked = [_DIGITS.sub("0", text) for text in texts]
        counts = Counter(masked)
        again = (counts[form] > 1 and key == text for form, key, text in zip(masked, keys, texts, strict=True))
        return np.fromiter(again, dtype=bool, count=len(texts))

    def selector(self, node: int) -> Selector:
        """The node's step below its ancestors, up to the nearest that has names."""
        kind, parent = self.layout.page.kind, self.layout.block_parent
        steps = [self.steps[kind[node]]]
        while node and not (len(steps) > 1 and steps[-1].names):
            node = int(parent[node])
            steps.append(self.steps[kind[node]])
        return tuple(reversed(steps))

    def exclude(self, excluded: BoolArray) -> None:
        """Take out the excluded slots: sets `own` and `weight`."""
        nodes = np.flatnonzero(excluded[self.slot] & self.layout.is_block & (self.slot > 0))
        self.own = np.where(self.layout.lines_below(nodes.tolist()), 0, self.fresh)
        self.weight = self.layout.line_sums(self.own)
