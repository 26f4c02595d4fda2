"""Alignment of token sequences, and the tree that distils what they share (Geraci & Maggini, template-alignment §2).

**Alignment** (Needleman–Wunsch, §2.1): a match scores +1, a mismatch 0, a gap −1. With ``T[i][j] = S[i][j] + i + j`` a
match is worth 3, a mismatch 2 and a gap nothing, so a row of the similarity matrix is one running maximum: no Python
loop over cells. What two sequences share at their head and tail needs no matrix, and a matrix too large to keep is
halved as Hirschberg showed (A linear space algorithm, CACM 1975), so that memory stays linear in the sequences. Of
equally good steps the diagonal is taken before a gap in the second sequence, and that before a gap in the first: the
same pages always give the same template.

**Distillation** (§2.2): sequences are aligned in pairs, the results in pairs again, up to one profile at the root.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
ScoreArray = npt.NDArray[np.int16] | npt.NDArray[np.int32]
Number = TypeVar("Number", np.int32, np.float64)

# Similarity matrices up to this size are kept whole, at two bytes a cell: scores in them are below 3 · √2^25 < 2^15.
MAX_CELLS = 1 << 25
_MATCH, _MISMATCH = 3, 2


class Alignment(NamedTuple):
    """Two sequences side by side: in each column a place of the first and one of the second, or −1 for a gap."""

    first: IntArray
    second: IntArray
    matched: BoolArray

    @property
    def score(self) -> int:
        """Matches less gaps."""
        gaps = np.count_nonzero((self.first < 0) | (self.second < 0))
        return int(np.count_nonzero(self.matched)) - int(gaps)


class Profile(NamedTuple):
    """Tokens in document order, and on how many pages each stands."""

    tokens: IntArray
    counts: FloatArray

    def pruned(self, least: float) -> Profile:
        """The tokens that stand on so many pages."""
        kept = self.counts >= least
        return Profile(self.tokens[kept], self.counts[kept])


def align(first: IntArray, second: IntArray) -> Alignment:
    """The best global alignment of two sequences of token numbers.

    >>> alignment = align(np.array([1, 2, 3]), np.array([1, 3]))
    >>> alignment.first.tolist(), alignment.second.tolist(), alignment.score
    ([0, 1, 2], [0, -1, 1], 1)
    """
    first_place, second_place = _columns(first, second)
    matched = (first_place >= 0) & (second_place >= 0) & (_take(first, first_place) == _take(second, second_place))
    return Alignment(first_place, second_place, matched)


def distil(sequences: Sequence[IntArray]) -> Profile:
    """The tree of §2.2, in pages where the paper has shares of t: at step r it prunes below ``2^(r−2)`` pages.

    A profile without a partner goes to the next step as it is.

    >>> distil([np.array([1, 2, 3]), np.array([1, 3]), np.array([1, 4, 3])]).counts.tolist()
    [3.0, 1.0, 1.0, 3.0]
    """
    profiles = [Profile(sequence, np.ones(len(sequence))) for sequence in sequences]
    step = 0
    while len(profiles) > 1:
        step += 1
        pairs = zip(profiles[::2], profiles[1::2], strict=False)
        left_over = profiles[len(profiles) // 2 * 2 :]
        profiles = [merge(first, second).pruned(2.0 ** (step - 2)) for first, second in pairs] + left_over
    return profiles[0]


def merge(first: Profile, second: Profile) -> Profile:
    """The union of two profiles, aligned: matched tokens add their counts, of mismatched ones both are kept (§2.1)."""
    first_place, second_place, matched = align(first.tokens, second.tokens)
    first_counts, second_counts = _take(first.counts, first_place), _take(second.counts, second_place)
    tokens = np.stack([_take(first.tokens, first_place), _take(second.tokens, second_place)], axis=1)
    counts = np.stack([first_counts + np.where(matched, second_counts, 0), second_counts], axis=1)
    put_out = np.stack([first_place >= 0, (second_place >= 0) & ~matched], axis=1)
    return Profile(tokens[put_out], counts[put_out])


def _take(values: npt.NDArray[Number], places: IntArray) -> npt.NDArray[Number]:
    """Values at their places; zero at a gap."""
    return np.append(values, values.dtype.type(0))[places]


def _columns(first: IntArray, second: IntArray) -> IntArray:
    """The columns of the best alignment, as an array of two rows."""
    head = _common_head(first, second)
    tail = _common_head(first[head:][::-1], second[head:][::-1])
    first_end, second_end = len(first) - tail, len(second) - tail
    inner_first, inner_second = first[head:first_end], second[head:second_end]
    if len(inner_first) < 2 or (len(inner_first) + 1) * (len(inner_second) + 1) <= MAX_CELLS:
        inner = _by_matrix(inner_first, inner_second)
    else:
        inner = _by_halves(inner_first, inner_second)
    return np.hstack([_diagonal(0, 0, head), _moved(inner, head, head), _diagonal(first_end, second_end, tail)])


def _common_head(first: IntArray, second: IntArray) -> int:
    length = min(len(first), len(second))
    differs = first[:length] != second[:length]
    return int(differs.argmax()) if differs.any() else length


def _diagonal(first: int, second: int, length: int) -> IntArray:
    return np.arange(length, dtype=np.int32) + np.array([[first], [second]], dtype=np.int32)


def _moved(columns: IntArray, first: int, second: int) -> IntArray:
    """The columns of a part, as places in the whole."""
    return np.where(columns < 0, columns, columns + np.array([[first], [second]], dtype=np.int32))


def _by_matrix(first: IntArray, second: IntArray) -> IntArray:
    """Fill the matrix row by row, then go back through it from its last cell."""
    matrix = np.zeros((len(first) + 1, len(second) + 1), dtype=np.int16)
    _fill(matrix, range(len(first) + 1), first, second)
    return _traceback(matrix, first, second)


def _fill(rows: ScoreArray, order: Iterable[int], first: IntArray, second: IntArray) -> None:
    """``T[i][j] = max(T[i−1][j−1] + 2 or 3, T[i−1][j], T[i][j−1])``; T[i] is kept in the i-th row of `order`.

    Rows never fall from left to right, so that a row without a match needs no running maximum.
    """
    has_match = np.isin(first, second).tolist()
    for (above, here), token, matches in zip(pairwise(order), first, has_match, strict=True):
        row = rows[here, 1:]
        np.add(rows[above, :-1], _MISMATCH, out=row)
        if matches:
            row += second == token
        np.maximum(row, rows[above, 1:], out=row)
        if matches:
            np.maximum.accumulate(row, out=row)


def _traceback(matrix: npt.NDArray[np.int16], first: IntArray, second: IntArray) -> IntArray:
    cells: Any = matrix.data  # a memoryview hands out single cells faster than an array does
    first_tokens, second_tokens = first.tolist(), second.tolist()
    i, j = len(first_tokens), len(second_tokens)
    path: list[tuple[int, int]] = []
    while i and j:
        score = cells[i, j]
        if score == cells[i - 1, j - 1] + (_MATCH if first_tokens[i - 1] == second_tokens[j - 1] else _MISMATCH):
            i, j = i - 1, j - 1
            path.append((i, j))
        elif score == cells[i - 1, j]:
            i -= 1
            path.append((i, -1))
        else:
            j -= 1
            path.append((-1, j))
    path += [(place, -1) for place in reversed(range(i))] + [(-1, place) for place in reversed(range(j))]
    return np.array(path[::-1], dtype=np.int32).reshape(-1, 2).T


def _by_halves(first: IntArray, second: IntArray) -> IntArray:
    """Hirschberg: the best path crosses the middle row where the scores above and below it add up to the most."""
    half = len(first) // 2
    above = _last_row(first[:half], second)
    below = _last_row(first[half:][::-1], second[::-1])[::-1]
    crossing = int((above + below).argmax())
    upper = _columns(first[:half], second[:crossing])
    lower = _columns(first[half:], second[crossing:])
    return np.hstack([upper, _moved(lower, half, crossing)])


def _last_row(first: IntArray, second: IntArray) -> IntArray:
    """The last row of the matrix, from two rows that take turns."""
    rows: IntArray = np.zeros((2, len(second) + 1), dtype=np.int32)
    _fill(rows, (row % 2 for row in range(len(first) + 1)), first, second)
    last: IntArray = rows[len(first) % 2]
    return last
