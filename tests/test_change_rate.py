"""Rates of change against figures computed by hand, and against simulated pages."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstruct.change_rate import (
    LONGEST_WAIT,
    Look,
    change_probability,
    change_rate,
    days_between,
    value,
    wait,
)


@pytest.mark.parametrize(("looks", "changes"), [(0, 0), (4, 3), (10, 0), (10, 10), (50, 1)])
def test_equal_intervals_give_the_closed_form(looks, changes):
    seen = [Look(1.0, number < changes) for number in range(looks)]
    assert change_rate(seen) == pytest.approx(math.log((looks + 1) / (looks - changes + 0.5)), rel=1e-9)


def test_irregular_intervals_by_hand():
    """A change within two days, none within one: 2/(e^2λ − 1) + ½/(e^λ − 1) = 1 + ½, with x = e^λ: 3x² − x − 8 = 0."""
    x = (1 + math.sqrt(1 + 4 * 3 * 8)) / 6
    assert 2 / (x * x - 1) + 0.5 / (x - 1) == pytest.approx(1.5)
    assert change_rate([Look(2.0, True), Look(1.0, False)]) == pytest.approx(math.log(x), rel=1e-9)


@pytest.mark.parametrize("rate", [0.05, 0.7, 5.0])
def test_the_rate_of_a_simulated_page_is_found(rate):
    chance = random.Random(3)
    looks = []
    for _ in range(2000):
        days = chance.uniform(0.2, 2.0)
        looks.append(Look(days, chance.random() < change_probability(rate, days)))
    assert change_rate(looks) == pytest.approx(rate, rel=0.15)


@given(st.lists(st.tuples(st.floats(0, 400), st.booleans()), max_size=60))
def test_any_history_gives_a_usable_rate(history):
    rate = change_rate([Look(*look) for look in history])
    assert 0 < rate < math.inf
    assert 0 < wait(rate) <= LONGEST_WAIT


def test_a_page_of_which_nothing_is_known_is_due_the_next_day_but_not_the_next_hour():
    assert 1 / 24 < wait(change_rate([])) < 1.0


def test_a_page_that_never_changes_is_looked_at_less_and_less_but_at_least_once_a_month():
    waits = [wait(change_rate([Look(1.0, False)] * looks)) for looks in range(0, 200, 10)]
    assert waits == sorted(waits)
    assert waits[1] > 5
    assert waits[-1] == LONGEST_WAIT


def test_a_page_that_changes_every_hour_is_due_every_hour():
    assert wait(change_rate([Look(1 / 24, True)] * 20)) < 1 / 24


def test_a_look_is_worth_what_looks_brought_before():
    assert value(math.log(2), 1.0, []) == pytest.approx(0.5)
    assert value(math.log(2), 1.0, [5, 3]) == pytest.approx(0.5 * 9 / 3)
    assert value(math.log(2), 1.0, [0, 0, 0]) == pytest.approx(0.5 / 4)


def test_a_clock_set_back_is_no_negative_time():
    assert days_between("2026-01-02T00:00:00+00:00", "2026-01-01T00:00:00+00:00") == 0.0
