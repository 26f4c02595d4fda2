"""Which of many sets are nearly the same? A similarity join that never compares all pairs.

Two sets with a Jaccard coefficient of at least t share one of their rarest words: of a set of n words it is enough to look
at the ``n − ⌈t·n⌉ + 1`` rarest ones (prefix filtering; Chaudhuri, Ganti & Kaushik, ICDE 2006). Sets under the same rare word
are compared with their neighbours in size only, so that the cost stays linear however many there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from collections.abc import Iterator

IntArray = npt.NDArray[np.int64]
HashArray = npt.NDArray[np.uint64]

_NEIGHBOURS = 16


def mix(values: HashArray) -> HashArray:
    """The finaliser of splitmix64: values that are alike get hashes that are not."""
    mixed = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@dataclass(frozen=True)
class Sets:
    """Sets of words, each in a group: `words[begin[k] : begin[k + 1]]` is the k-th set, none is empty.

    `names` holds a hash for each word that does not depend on the order in which words were met.
    """

    words: IntArray
    begin: IntArray
    group: IntArray
    names: HashArray

    def __len__(self) -> int:
        return len(self.group)

    @property
    def sizes(self) -> IntArray:
        """Words in each set."""
        return np.diff(self.begin)

    def merge_similar(self, threshold: float) -> IntArray:
        """For each set the number of the set that it goes together with, itself for most.

        All equal sets of a group go together, and those with a Jaccard coefficient of at least `threshold` in pairs. The
        result does not depend on the order of sets or words.
        """
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        hashes = np.add.reduceat(mix(self.names[self.words]), self.begin[:-1])
        order = np.lexsort((hashes, self.group))
        new = (np.diff(self.group[order], prepend=-1) != 0) | (np.diff(hashes[order], prepend=hashes[order[0]]) != 0)
        first = order[np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))]
        label = np.empty(len(self), dtype=np.int64)
        label[order] = first
        taken: set[int] = set()
        for one, other in self._near_pairs(order[new], hashes, threshold):
            if one not in taken and other not in taken:
                taken |= {one, other}
                label[label == other] = one
        return label

    def _near_pairs(self, distinct: IntArray, hashes: HashArray, threshold: float) -> Iterator[tuple[int, int]]:
        """Pairs of distinct sets of one group that reach the threshold, the most similar first."""
        owner, word = self._prefixes(distinct, threshold)
        order = np.lexsort((hashes[owner], self.sizes[owner], word, self.group[owner]))
        owner, word = owner[order], word[order]
        found = []
        for step in range(1, min(_NEIGHBOURS + 1, len(owner))):
            one, other = owner[:-step], owner[step:]
            same = (word[:-step] == word[step:]) & (self.group[one] == self.group[other])
            same &= self.sizes[one] >= threshold * self.sizes[other]
            found.append(np.stack([one[same], other[same]], axis=1))
        pairs = np.unique(np.concatenate(found), axis=0) if found else np.zeros((0, 2), dtype=np.int64)
        if not len(pairs):
            return
        table = csr_array((np.ones(len(self.words)), self.words, self.begin), shape=(len(self), len(self.names)))
        overlap = table[pairs[:, 0]].multiply(table[pairs[:, 1]]).sum(axis=1)
        jaccard = overlap / (self.sizes[pairs[:, 0]] + self.sizes[pairs[:, 1]] - overlap)
        low, high = np.sort(hashes[pairs], axis=1).T
        kept = np.lexsort((high, low, -jaccard))
        yield from map(tuple, pairs[kept[jaccard[kept] >= threshold]].tolist())

    def _prefixes(self, distinct: IntArray, threshold: float) -> tuple[IntArray, IntArray]:
        """The rarest words of each set, as many as the threshold makes necessary, if others of the group have them too."""
        sizes = self.sizes[distinct]
        owner = np.repeat(distinct, sizes)
        starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
        word = self.words[np.arange(len(owner)) - starts + self.begin[owner]]
        key = self.group[owner] * len(self.names) + word
        _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
        count = counts[inverse]
        order = np.lexsort((self.names[word], count, owner))
        by_owner = np.argsort(distinct, kind="stable")
        lengths = sizes[by_owner]
        rank = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        wanted = np.repeat(lengths - np.ceil(threshold * lengths - 1e-9).astype(np.int64) + 1, lengths)
        kept = order[(rank < wanted) & (count[order] > 1)]
        return owner[kept], word[kept]
