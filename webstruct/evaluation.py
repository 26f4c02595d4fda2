"""The papers' measures of what was found against what is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Set

    from webstruct.flatten import BoolArray
    from webstruct.page import Page


class Score(NamedTuple):
    """Precision, recall, and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def score(hits: float, found: float, wanted: float) -> Score:
    """Precision and recall from amounts; nothing found is right if nothing was wanted.

    >>> score(hits=2, found=4, wanted=2)
    Score(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    precision = hits / found if found else float(not wanted)
    recall = hits / wanted if wanted else 1.0
    total = precision + recall
    return Score(precision, recall, 2 * precision * recall / total if total else 0.0)


def set_score(found: Set[Hashable], wanted: Set[Hashable]) -> Score:
    """Precision and recall of a set."""
    return score(len(found & wanted), len(found), len(wanted))


def r_precision(rank: Mapping[str, float], wanted: Set[str]) -> float:
    """Of as many pages as are wanted, those ranked highest: the share that is wanted (LAMIS §5.2).

    >>> r_precision({"a": 0.9, "b": 0.5, "c": 0.1}, {"a", "c"})
    0.5
    """
    top = sorted(rank, key=lambda page: -rank[page])[: len(wanted)]
    return len(wanted & set(top)) / len(wanted) if wanted else 1.0


def significant_node_coverage(page: Page, found: BoolArray, wanted: BoolArray) -> Score:
    """SNC: anchors that stand in both of two sets of nodes; for TOC blocks (WISDOM §4.1)."""
    found, wanted = found[page.link_node], wanted[page.link_node]
    return score(int((found & wanted).sum()), int(found.sum()), int(wanted.sum()))


def information_coverage(page: Page, found: BoolArray, wanted: BoolArray) -> Score:
    """IC: text of both of two sets of nodes, by its length; for article blocks (WISDOM §4.1)."""
    chars = page.anchor_chars + page.context_chars
    return score(int(chars[found & wanted].sum()), int(chars[found].sum()), int(chars[wanted].sum()))
