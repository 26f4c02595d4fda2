"""When a family is said to drift, and what is said of an article that changed."""

from __future__ import annotations

import pytest

from webstruct.drift import Alarm, alarms, can_learn, is_shrunken
from webstruct.store import Fit
from webstruct.versions import SHOWN_CHARS, SHOWN_PARAGRAPHS, changes


def test_a_family_whose_pages_fit_is_quiet():
    assert alarms([Fit(run, 0, "wrapper", 3, 1.0) for run in range(1, 9)]) == []


def test_a_family_whose_latest_pages_do_not_fit_is_told_with_its_figures():
    fits = [Fit(1, 0, "wrapper", 3, 1.0), Fit(2, 0, "wrapper", 4, 0.25), Fit(2, 1, "lists", 9, 1.0)]
    assert alarms(fits) == [Alarm(0, "wrapper", 4, 0.25)]
    assert str(alarms(fits)[0]) == "family 0: wrapper fits by 25% on the last 4 pages"


def test_one_odd_page_is_no_drift_but_a_row_of_them_is():
    odd = [Fit(5, 0, "wrapper", 1, 0.0)]
    assert alarms(odd) == []
    assert alarms([Fit(4, 0, "wrapper", 5, 1.0), *odd]) == [], "its neighbours are counted with it: (0 + 5) / 6"
    assert alarms([Fit(run, 0, "wrapper", 1, 0.0) for run in (3, 4, 5)]) == [Alarm(0, "wrapper", 3, 0.0)]


def test_a_family_that_was_learned_anew_begins_anew():
    fits = [Fit(1, 0, "lists", 9, 0.0), Fit(2, 0, "lists", 9, 0.0)]
    assert alarms(fits, after_run=2) == []
    assert alarms([*fits, Fit(3, 0, "lists", 3, 1.0)], after_run=2) == []


def test_a_family_that_fits_again_is_quiet_again():
    assert alarms([Fit(1, 0, "wrapper", 4, 0.0), Fit(2, 0, "wrapper", 4, 1.0)]) == []


@pytest.mark.parametrize(("chars", "usual", "shrunken"), [(0, 0, True), (100, 1000, True), (300, 1000, False)])
def test_an_article_is_shrunken_if_little_or_nothing_is_left(chars, usual, shrunken):
    assert is_shrunken(chars, usual) is shrunken


def test_a_new_design_is_learned_from_enough_of_its_articles():
    assert not can_learn(strange_articles=3, strange_lists=40)
    assert can_learn(strange_articles=5, strange_lists=0)
    assert can_learn(strange_articles=0, strange_lists=5), "only the lists are new"
    assert not can_learn(strange_articles=0, strange_lists=0)


ARTICLE = {"title": "Flood", "date": "2026-01-05", "author": None, "text": "One.\n\nTwo.\n\nThree."}


def test_what_changed_is_told_by_field_and_paragraph():
    assert changes(ARTICLE, ARTICLE) == {}
    assert changes(ARTICLE, {**ARTICLE, "title": "Floods"}) == {"title": ["Flood", "Floods"]}
    assert changes(ARTICLE, {**ARTICLE, "author": "Ida"}) == {"author": [None, "Ida"]}
    corrected = {**ARTICLE, "text": "One.\n\nTwo, corrected.\n\nThree.\n\nFour."}
    assert changes(ARTICLE, corrected) == {"text": {"removed": ["Two."], "added": ["Two, corrected.", "Four."]}}


def test_white_space_is_no_change():
    assert changes(ARTICLE, {**ARTICLE, "title": " Flood ", "text": "One.\nTwo.\n\n\n  Three.  "}) == {}


def test_the_account_of_a_rewritten_article_stays_short():
    long = "\n".join(f"{number} " + "x" * 1000 for number in range(500))
    found = changes(ARTICLE, {**ARTICLE, "text": long})["text"]["added"]
    assert (len(found), max(map(len, found))) == (SHOWN_PARAGRAPHS, SHOWN_CHARS + 1)
