"""Needleman–Wunsch against a plain dynamic programme, and the distillation tree."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstruct import alignment
from webstruct.alignment import Profile, align, distil, merge

# A small alphabet makes many equally good alignments, a large one makes tokens that match nothing.
sequences = st.lists(st.integers(0, 3), max_size=30) | st.lists(st.integers(0, 40), max_size=30)


def numbers(values):
    return np.array(list(values), dtype=np.int32)


def letters(word):
    return numbers(map(ord, word))


def best_score(first, second):
    """The paper's similarity matrix, cell by cell."""
    row = [-j for j in range(len(second) + 1)]
    for i, token in enumerate(first, 1):
        above, row = row, [-i]
        for j, other in enumerate(second, 1):
            row.append(max(above[j - 1] + (token == other), above[j] - 1, row[j - 1] - 1))
    return row[-1]


def check(first, second, found):
    """An alignment has every place of both sequences once and in order, and nothing but gaps beside."""
    assert found.first[found.first >= 0].tolist() == list(range(len(first)))
    assert found.second[found.second >= 0].tolist() == list(range(len(second)))
    assert not ((found.first < 0) & (found.second < 0)).any()
    for i, j, matched in zip(*(column.tolist() for column in found), strict=True):
        assert matched == (i >= 0 and j >= 0 and first[i] == second[j])
    assert found.score == best_score(first, second)


@given(sequences, sequences)
def test_alignment_is_valid_and_as_good_as_the_plain_dynamic_programme(first, second):
    check(first, second, align(numbers(first), numbers(second)))


@given(sequences, sequences, st.sampled_from([0, 20, 100]))
def test_alignment_by_halves_is_as_good(first, second, cells):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "MAX_CELLS", cells)
        check(first, second, align(numbers(first), numbers(second)))


def test_worked_example():
    found = align(letters("GCATGCU"), letters("GATTACA"))
    check(letters("GCATGCU"), letters("GATTACA"), found)
    assert found.score == 3
    assert align(letters("abc"), letters("abc")).score == 3
    assert align(letters("abc"), letters("xyz")).score == 0
    assert align(letters("abc"), letters("")).score == -3


def test_of_equal_steps_the_diagonal_goes_first_then_a_gap_in_the_second_sequence():
    # From the end: "a" stands beside the last "b" of three only if the diagonal goes before the gap.
    found = align(letters("a"), letters("bbb"))
    assert found.first.tolist() == [-1, -1, 0]
    found = align(letters("aab"), letters("cab"))
    assert found.first.tolist() == found.second.tolist() == [0, 1, 2]


@pytest.mark.parametrize("first, second", [("", ""), ("", "ab"), ("ab", ""), ("a", "a")])
def test_empty_and_single_sequences(first, second):
    check(letters(first), letters(second), align(letters(first), letters(second)))


def test_a_token_that_repeats_ten_thousand_times():
    long, short = np.zeros(10_000, dtype=np.int32), np.zeros(9_000, dtype=np.int32)
    assert align(long, short).score == 9_000 - 1_000
    assert align(np.append(long, 1), np.append(2, long)).score == 10_000 - 1


def test_long_sequences_need_linear_memory():
    page, template = np.arange(21_000, dtype=np.int32), np.arange(0, 21_000, 10, dtype=np.int32)
    tracemalloc.start()
    found = align(template, np.append(page[1:], page[:1]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.score == 2_099 - (21_000 - 2_100)
    assert peak < 3 * alignment.MAX_CELLS


def test_scores_beyond_sixteen_bits_do_not_overflow():
    tokens = np.arange(11_500, dtype=np.int32)
    first, second = np.append(tokens, [-1, 7]), np.append([-2], np.append(tokens, -3))
    assert align(first.astype(np.int32), second.astype(np.int32)).score == 11_500 - 2


def test_memory_is_at_most_twelve_bytes_a_cell():
    generator = np.random.default_rng(2)
    first, second = generator.integers(0, 300, (2, 1_500)).astype(np.int32)
    tracemalloc.start()
    align(first, second)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 12 * 1_500 * 1_500


def test_merging_adds_matched_counts_and_puts_out_both_of_a_mismatch():
    merged = merge(Profile(letters("abc"), np.array([1.0, 1, 1])), Profile(letters("axc"), np.array([2.0, 1, 1])))
    assert "".join(map(chr, merged.tokens)) == "abxc"
    assert merged.counts.tolist() == [3, 1, 1, 2]


def test_merging_with_an_empty_profile_changes_nothing():
    empty, some = Profile(letters(""), np.zeros(0)), Profile(letters("ab"), np.array([1.0, 2]))
    for merged in (merge(empty, some), merge(some, empty)):
        assert merged.tokens.tolist() == some.tokens.tolist()
        assert merged.counts.tolist() == some.counts.tolist()


def test_distillation_prunes_what_is_rare_from_the_third_step_on():
    # Four pages: two steps, nothing is pruned. Eight pages: one page's own token is below 2^(3 - 2) pages.
    four = distil([numbers([1, 10 + page, 2]) for page in range(4)])
    assert sorted(four.counts.tolist()) == [1, 1, 1, 1, 4, 4]
    eight = distil([numbers([1, 10 + page, 2]) for page in range(8)])
    assert eight.tokens.tolist() == [1, 2]
    assert eight.counts.tolist() == [8, 8]


@pytest.mark.parametrize("pages", range(1, 18))
def test_any_number_of_pages_is_counted_in_full(pages):
    profile = distil([numbers([1, 100 + page, 2]) for page in range(pages)])
    counts = dict(zip(profile.tokens.tolist(), profile.counts.tolist(), strict=True))
    assert counts[1] == counts[2] == pages
