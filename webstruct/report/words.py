"""The vocabulary of a site: how entropies are spread over its terms, and the terms at both ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webstruct.report.wording import line

if TYPE_CHECKING:
    from webstruct.entropy import FloatArray, TermEntropy

BINS = 20
TERMS = 25
_MAX_TERM = 60


@dataclass(frozen=True)
class Bin:
    """Terms with an entropy from `low` on, and how often they stand on the site's pages."""

    low: float
    terms: int
    occurrences: int


@dataclass(frozen=True)
class Term:
    """A term: its entropy over the site's pages, its weight ``W = 1 − E``, and how often it stands on them."""

    name: str
    entropy: float
    weight: float
    occurrences: int


@dataclass(frozen=True)
class Vocabulary:
    """All terms by entropy; the most informative ones, highest ``W · ln(1 + TF)`` first, and the least, highest ``E`` first."""

    terms: int
    histogram: list[Bin]
    most_informative: list[Term]
    least_informative: list[Term]


def vocabulary(statistics: TermEntropy) -> Vocabulary:
    """What the report tells of a site's terms."""
    entropy, frequency = statistics.entropy(), statistics.frequency
    seen = np.flatnonzero(frequency > 0)
    names = statistics.terms
    bins = np.minimum((entropy[seen] * BINS).astype(np.int64), BINS - 1)
    terms, occurrences = np.bincount(bins, minlength=BINS), np.bincount(bins, frequency[seen], minlength=BINS)

    def first(score: FloatArray) -> list[Term]:
        order = seen[np.lexsort((seen, -frequency[seen], -score[seen]))[:TERMS]]
        return [
            Term(line(names[term], _MAX_TERM), float(entropy[term]), 1.0 - float(entropy[term]), int(frequency[term]))
            for term in order.tolist()
        ]

    return Vocabulary(
        terms=len(seen),
        histogram=[Bin(place / BINS, int(terms[place]), int(occurrences[place])) for place in range(BINS)],
        most_informative=first((1.0 - entropy) * np.log1p(frequency)),
        least_informative=first(entropy),
    )
