"""Term entropy against the papers' worked figures, and the properties that make it incremental and mergeable."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstruct.entropy import TermEntropy
from webstruct.errors import WebstructError

pages = st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 50), max_size=6), max_size=12)


def state_of(counts_by_page):
    state = TermEntropy()
    for counts in counts_by_page:
        state.update(list(counts), list(counts.values()))
    return state


def by_term(state):
    return dict(zip(state.terms, state.entropy().tolist(), strict=True))


def batch(counts_by_page):
    """The definition, term by term."""
    total = len(counts_by_page)
    result = {}
    for term in {term for counts in counts_by_page for term in counts}:
        frequencies = [counts[term] for counts in counts_by_page if term in counts]
        shares = [frequency / sum(frequencies) for frequency in frequencies]
        result[term] = -sum(w * math.log(w) for w in shares) / math.log(total) if total > 1 else 0.0
    return result


def assert_same(found, wanted):
    assert found.keys() == wanted.keys()
    assert all(found[term] == pytest.approx(wanted[term], abs=1e-9) for term in wanted)


@pytest.mark.parametrize(
    ("counts", "pages_seen", "entropy"),
    [
        ((1, 1, 1), 5, 0.682),
        ((2, 2, 1), 5, 0.655),
        ((1, 1, 1, 1), 5, 0.861),
        ((1, 1), 5, 0.430),
        ((2, 2, 2), 4, 1 - 0.207519),
        ((1, 1, 4), 4, 1 - 0.374185),
    ],
)
def test_worked_figures_of_lamis_and_wisdom(counts, pages_seen, entropy):
    state = state_of([{"t": count} for count in counts] + [{"other": 1}] * (pages_seen - len(counts)))
    assert state.entropy(state.ids(["t"]))[0] == pytest.approx(entropy, abs=1e-3 if pages_seen == 5 else 1e-6)


@given(pages)
def test_incremental_equals_the_definition(counts_by_page):
    assert_same(by_term(state_of(counts_by_page)), batch(counts_by_page))


@given(pages, st.randoms(use_true_random=False))
def test_order_of_pages_does_not_matter(counts_by_page, random):
    shuffled = list(counts_by_page)
    random.shuffle(shuffled)
    assert_same(by_term(state_of(shuffled)), by_term(state_of(counts_by_page)))


@given(pages, pages, pages)
def test_merge_is_commutative_and_associative(first, second, third):
    def merged(*parts):
        state = TermEntropy()
        for part in parts:
            state.merge(part)
        return state

    a, b, c = state_of(first), state_of(second), state_of(third)
    whole = by_term(state_of(first + second + third))
    assert_same(by_term(merged(a, b, c)), whole)
    assert_same(by_term(merged(c, a, b)), whole)
    assert_same(by_term(merged(merged(a, b), c)), by_term(merged(a, merged(b, c))))


@given(pages, pages)
def test_removing_a_page_undoes_adding_it(kept, removed):
    state = state_of(kept + removed)
    for counts in removed:
        state.remove(list(counts), list(counts.values()))
    found = by_term(state)
    assert all(found.pop(term) == 0 for term in set(found) - set(by_term(state_of(kept))))
    assert_same(found, by_term(state_of(kept)))


@given(pages)
def test_saved_state_continues_where_it_was(counts_by_page):
    half = len(counts_by_page) // 2
    state = TermEntropy.load(state_of(counts_by_page[:half]).save())
    for counts in counts_by_page[half:]:
        state.update(list(counts), list(counts.values()))
    assert_same(by_term(state), by_term(state_of(counts_by_page)))


def test_a_term_that_a_page_lacks_moves_through_the_page_count_alone():
    before = state_of([{"t": 1}, {"t": 1}, {"x": 1}])
    after = state_of([{"t": 1}, {"t": 1}, {"x": 1}, {"x": 1}])
    expected = by_term(before)["t"] / math.log(4, 3)
    assert by_term(after)["t"] == pytest.approx(expected, abs=1e-12)


def test_one_page_has_no_entropy_and_identical_pages_have_full_entropy():
    assert by_term(state_of([{"a": 3, "b": 1}])) == {"a": 0.0, "b": 0.0}
    assert_same(by_term(state_of([{"a": 3, "b": 1}] * 9)), {"a": 1.0, "b": 1.0})


def test_no_pages_no_terms_no_nan():
    state = TermEntropy()
    assert state.entropy().tolist() == []
    assert state.entropy(np.array([-1])).tolist() == [0.0]
    assert state.weights(np.array([-1])).tolist() == [1.0]


def test_weights_complement_entropies():
    state = state_of([{"a": 1}, {"a": 2, "b": 1}, {"c": 5}])
    assert np.allclose(state.weights() + state.entropy(), 1.0)


def test_state_grows_beyond_its_first_size():
    state = state_of([{f"t{page}-{term}": 1 for term in range(700)} for page in range(5)])
    assert len(state) == 3500
    assert state.frequency.tolist() == [1.0] * 3500


def test_a_page_that_was_never_added_is_not_removed():
    state = state_of([{"a": 1}])
    for terms, counts in ((["b"], [1]), (["a"], [2])):
        with pytest.raises(WebstructError, match="never added"):
            state.remove(terms, counts)
    assert by_term(state) == {"a": 0.0}


def test_wrong_counts_are_named():
    state = TermEntropy()
    with pytest.raises(WebstructError, match="2 terms but 1 counts"):
        state.update(["a", "b"], [1])
    with pytest.raises(WebstructError, match="at least 1, not 0"):
        state.update(["a"], [0])
    assert state.pages == 0


def test_many_equal_terms_keep_their_counts():
    counts = Counter("abracadabra")
    state = state_of([counts, counts])
    assert dict(zip(state.terms, state.frequency.tolist(), strict=True)) == {t: 2.0 * n for t, n in counts.items()}
