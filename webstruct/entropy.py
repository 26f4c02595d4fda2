"""Terms → entropy: how evenly a term is spread over a site's pages (LAMIS §3.3, WISDOM §3.1).

``E(T) = −Σ_j w_j log_n w_j`` with ``w_j = tf_j / TF`` over the ``n`` pages seen: near 1 for words that stand on every
page (menus, footers), 0 for words of one page. ``W(T) = 1 − E(T)`` is the term's weight.

With ``S = Σ_j tf_j ln tf_j`` the definition becomes ``E = (ln TF − S / TF) / ln n``. So two sums per term are the whole
state: a page is added (or taken out again) at the cost of its own terms only, and states of two crawlers merge by
addition. A term that a new page lacks moves through ``n`` alone, which is WISDOM's incremental rule.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from webstruct.errors import WebstructError
from webstruct.packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]
IdArray = npt.NDArray[np.int64]


class TermEntropy:
    """The entropy state of a set of pages; terms are interned to ids in the order in which they are first seen.

    >>> state = TermEntropy()
    >>> for terms in (["home", "flood"], ["home", "match"], ["home", "vote"]):
    ...     _ = state.update(terms, [1] * len(terms))
    >>> state.entropy(state.ids(["home", "flood", "unseen"])).round(3).tolist()
    [1.0, 0.0, 0.0]
    """

    def __init__(self) -> None:
        self.pages = 0
        self._id_of: dict[str, int] = {}
        self._frequency: FloatArray = np.zeros(1024)
        self._spread: FloatArray = np.zeros(1024)

    def __len__(self) -> int:
        return len(self._id_of)

    @property
    def terms(self) -> list[str]:
        """All terms ever seen; a term's place is its id."""
        return list(self._id_of)

    @property
    def frequency(self) -> FloatArray:
        """``TF`` by term id."""
        return self._frequency[: len(self)]

    def ids(self, terms: Sequence[str]) -> IdArray:
        """Ids of terms, −1 for those not seen."""
        return np.fromiter((self._id_of.get(term, -1) for term in terms), dtype=np.int64, count=len(terms))

    def update(self, terms: Sequence[str], counts: Sequence[int] | npt.NDArray[np.integer]) -> IdArray:
        """Add a page, given as its *distinct* terms and how often each stands in it; returns the terms' ids."""
        ids, frequency, spread = self._page(terms, counts, intern=True)
        self._frequency[ids] += frequency
        self._spread[ids] += spread
        self.pages += 1
        return ids

    def remove(self, terms: Sequence[str], counts: Sequence[int] | npt.NDArray[np.integer]) -> None:
        """Take out a page that `update` added: the exact inverse, up to rounding."""
        ids, frequency, spread = self._page(terms, counts, intern=False)
        if self.pages < 1 or (ids < 0).any() or (self._frequency[ids] < frequency).any():
            raise WebstructError("can't remove a page that was never added to the term statistics")
        self._frequency[ids] -= frequency
        self._spread[ids] -= spread
        self._spread[ids[self._frequency[ids] == 0]] = 0.0
        self.pages -= 1

    def merge(self, other: TermEntropy) -> None:
        """Add all pages of another state."""
        ids = self._intern(list(other._id_of))
        self._frequency[ids] += other._frequency[: len(other)]
        self._spread[ids] += other._spread[: len(other)]
        self.pages += other.pages

    def entropy(self, ids: IdArray | None = None) -> FloatArray:
        """``E`` for an array of ids, or for all terms; 0 for unseen terms (id −1), and for all while ``n < 2``."""
        ids = np.arange(len(self)) if ids is None else ids
        if self.pages < 2:
            return np.zeros(ids.shape)
        frequency = np.where(ids < 0, 0.0, self._frequency[ids])
        safe = np.maximum(frequency, 1.0)
        entropy = (np.log(safe) - self._spread[ids] / safe) / math.log(self.pages)
        return np.where(frequency > 0, np.clip(entropy, 0.0, 1.0), 0.0)

    def weights(self, ids: IdArray | None = None) -> FloatArray:
        """``W = 1 − E``."""
        return 1.0 - self.entropy(ids)

    def save(self) -> bytes:
        """The whole state as bytes for the store; terms that no page has any more are left out."""
        kept = self.frequency > 0
        return pack(
            {
                "pages": self.pages,
                "terms": [term for term, wanted in zip(self._id_of, kept.tolist(), strict=True) if wanted],
                "frequency": self.frequency[kept],
                "spread": self._spread[: len(self)][kept],
            }
        )

    @classmethod
    def load(cls, data: bytes) -> TermEntropy:
        """The state that `save` wrote."""
        fields = unpack(data)
        state = cls()
        ids = state._intern(fields["terms"])
        state._frequency[ids] = fields["frequency"]
        state._spread[ids] = fields["spread"]
        state.pages = fields["pages"]
        return state

    def _page(
        self, terms: Sequence[str], counts: Sequence[int] | npt.NDArray[np.integer], *, intern: bool
    ) -> tuple[IdArray, FloatArray, FloatArray]:
        if len(terms) != len(counts):
            raise WebstructError(f"a page has {len(terms)} terms but {len(counts)} counts")
        frequency = np.asarray(counts, dtype=np.float64)
        if frequency.size and frequency.min() < 1:
            raise WebstructError(f"a term count must be at least 1, not {frequency.min():g}")
        ids = self._intern(terms) if intern else self.ids(terms)
        return ids, frequency, frequency * np.log(frequency)

    def _intern(self, terms: Sequence[str]) -> IdArray:
        id_of = self._id_of
        known = list(map(id_of.get, terms))
        if None in known:
            known = [id_of.setdefault(term, len(id_of)) for term in terms]
        ids = np.array(known, dtype=np.int64)
        if len(id_of) > len(self._frequency):
            size = max(len(id_of), 2 * len(self._frequency))
            self._frequency = np.concatenate([self._frequency, np.zeros(size - len(self._frequency))])
            self._spread = np.concatenate([self._spread, np.zeros(size - len(self._spread))])
        return ids
