"""How well does a clustering agree with the true classes? F, purity, NMI and NCE (template-alignment §3.2).

All four take the table of counts that `contingency` makes, lie between 0 and 1, and are better when larger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

CountTable = npt.NDArray[np.int64]


def contingency(classes: Sequence[Hashable], clusters: Sequence[Hashable]) -> CountTable:
    """Classes × clusters: how many members they have in common.

    >>> contingency("aab", [0, 1, 1]).tolist()
    [[1, 1], [0, 1]]
    """
    rows = {name: row for row, name in enumerate(dict.fromkeys(classes))}
    columns = {name: column for column, name in enumerate(dict.fromkeys(clusters))}
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for name, cluster in zip(classes, clusters, strict=True):
        table[rows[name], columns[cluster]] += 1
    return table


def f_measure(table: CountTable) -> float:
    """For each class the best F of any cluster, weighted by the size of the class.

    >>> f_measure(contingency("aabb", [0, 0, 1, 1]))
    1.0
    """
    class_sizes, cluster_sizes = table.sum(axis=1), table.sum(axis=0)
    f = 2 * table / (class_sizes[:, None] + cluster_sizes)
    return float(class_sizes @ f.max(axis=1) / table.sum())


def purity(table: CountTable) -> float:
    """The share of members that are of the most frequent class of their cluster.

    >>> purity(contingency("aabb", [0, 0, 0, 1]))
    0.75
    """
    return float(table.max(axis=0).sum() / table.sum())


def mutual_information(table: CountTable) -> float:
    """Normalised mutual information (NMI): ``2 / log(|C|·|GT|)`` of what the cluster tells about the class.

    >>> mutual_information(contingency("aabb", [0, 0, 1, 1]))
    1.0
    """
    shares = table / table.sum()
    expected = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0)
    shared = shares > 0
    information = float(np.sum(shares[shared] * np.log(shares[shared] / expected[shared])))
    return float(2 * information / np.log(table.size)) if table.size > 1 else 1.0


def complementary_entropy(table: CountTable) -> float:
    """Normalised complementary entropy (NCE): one less the entropy of the classes in a cluster, in units of log |GT|.

    Clusters weigh by their size (Strehl 2002, p. 108); without, as the paper prints it, the value may fall below zero.

    >>> [complementary_entropy(contingency(classes, [0, 0, 1, 1])) for classes in ("aabb", "abab")]
    [1.0, 0.0]
    """
    if len(table) < 2:
        return 1.0
    cluster_sizes = table.sum(axis=0)
    shares = table / cluster_sizes
    entropy = -np.sum(shares * np.log(np.where(shares > 0, shares, 1)), axis=0)
    return float(1 - cluster_sizes @ entropy / table.sum() / np.log(len(table)))
