"""Global alignment of two token sequences (Needleman–Wunsch; Geraci & Maggini, template-alignment §2.1).

A match scores +1, a mismatch 0, a gap −1. With ``T[i][j] = S[i][j] + i + j`` a match is worth 3, a mismatch 2 and a gap
nothing, so a row of the similarity matrix is one running maximum: no Python loop over cells. What two sequences share
at their head and tail needs no matrix, and a matrix too large to keep is halved as Hirschberg showed, so that memory
stays linear in the length of the sequences. Among equal alignments the diagonal goes before a gap in the second
sequence, and that before a gap in the first: the same two pages always give the same template.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
ScoreArray = npt.NDArray[np.signedinteger]

# Similarity matrices up to this size are kept whole, at two or four bytes a cell.
MAX_CELLS = 1 << 25
_MATCH, _MISMATCH = 3, 2


class Alignment(NamedTuple):
    """Two sequences side by side: in each column a place of the first, a place of the second, or −1 for a gap."""

    first: IntArray
    second: IntArray
    matched: BoolArray

    @property
    def score(self) -> int:
        """Matches less gaps."""
        gaps = np.count_nonzero((self.first < 0) | (self.second < 0))
        return int(np.count_nonzero(self.matched)) - int(gaps)


def align(first: IntArray, second: IntArray) -> Alignment:
    """The best global alignment of two sequences of token numbers.

    >>> align(np.array([1, 2, 3]), np.array([1, 3]))
    Alignment(first=array([0, 1, 2], dtype=int32), second=array([ 0, -1,  1], dtype=int32), matched=array([ True, False,  True]))

    """
    columns = _aligned(np.asarray(first, dtype=np.int32), np.asarray(second, dtype=np.int32))
    matched = (columns >= 0).all(axis=0)
    matched[matched] = first[columns[0, matched]] == second[columns[1, matched]]
    return Alignment(columns[0], columns[1], matched)


def _aligned(first: IntArray, second: IntArray) -> IntArray:
    """The columns of an alignment as an array of two rows."""
    head = _common_head(first, second)
    tail = _common_head(first[head:][::-1], second[head:][::-1])
    first_end, second_end = len(first) - tail, len(second) - tail
    inner_first, inner_second = first[head:first_end], second[head:second_end]
    if (len(inner_first) + 1) * (len(inner_second) + 1) <= MAX_CELLS or len(inner_first) < 2:
        middle = _by_matrix(inner_first, inner_second)
    else:
        middle = _by_halves(inner_first, inner_second)
    return np.concatenate(
        [_diagonal(0, 0, head), _moved(middle, head, head), _diagonal(first_end, second_end, tail)], 1
    )


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
    largest = _MATCH * min(len(first), len(second))
    dtype = np.int16 if largest <= np.iinfo(np.int16).max else np.int32
    matrix = np.zeros((len(first) + 1, len(second) + 1), dtype=dtype)
    _fill(matrix, np.arange(len(matrix)), first, second)
    return _traceback(matrix, first, second)


def _fill(rows: ScoreArray, order: npt.NDArray[np.intp], first: IntArray, second: IntArray) -> None:
    """``T[i][j] = max(T[i−1][j−1] + 2 or 3, T[i−1][j], T[i][j−1])``, where T[i] is kept in ``rows[order[i]]``.

    Rows never fall from left to right, so that without a match in it a row needs no running maximum.
    """
    has_match = np.isin(first, second).tolist()
    for above, here, token, matches in zip(order[:-1].tolist(), order[1:].tolist(), first, has_match, strict=True):
        row = rows[here, 1:]
        np.add(rows[above, :-1], _MISMATCH, out=row)
        if matches:
            row += second == token
        np.maximum(row, rows[above, 1:], out=row)
        if matches:
            np.maximum.accumulate(row, out=row)


def _traceback(matrix: ScoreArray, first: IntArray, second: IntArray) -> IntArray:
    cells = memoryview(matrix)
    first_tokens, second_tokens = first.tolist(), second.tolist()
    i, j = len(first_tokens), len(second_tokens)
    path: list[tuple[int, int]] = []
    while i and j:
        here = cells[i, j]
        if here == cells[i - 1, j - 1] + (_MATCH if first_tokens[i - 1] == second_tokens[j - 1] else _MISMATCH):
            i, j = i - 1, j - 1
            path.append((i, j))
        elif here == cells[i - 1, j]:
            i -= 1
            path.append((i, -1))
        else:
            j -= 1
            path.append((-1, j))
    path.extend((place, -1) for place in range(i - 1, -1, -1))
    path.extend((-1, place) for place in range(j - 1, -1, -1))
    return np.array(path[::-1], dtype=np.int32).reshape(-1, 2).T


def _by_halves(first: IntArray, second: IntArray) -> IntArray:
    """Hirschberg: the best alignment crosses the middle row where the scores above and below it add up to the most."""
    half = len(first) // 2
    above = _last_row(first[:half], second)
    below = _last_row(first[half:][::-1], second[::-1])[::-1]
    crossing = int((above + below).argmax())
    upper = _aligned(first[:half], second[:crossing])
    lower = _aligned(first[half:], second[crossing:])
    return np.concatenate([upper, _moved(lower, half, crossing)], 1)


def _last_row(first: IntArray, second: IntArray) -> ScoreArray:
    rows: ScoreArray = np.zeros((2, len(second) + 1), dtype=np.int32)
    _fill(rows, np.arange(len(first) + 1) % 2, first, second)
    return rows[len(first) % 2]
