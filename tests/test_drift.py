"""When a family is said to drift, and what is said of an article that changed."""

from __future__ import annotations

import pytest

from webstruct.drift import Alarm, alarms, can_learn, is_shrunken
from webstruct.store import Fit
from webstruct.versions import SHOWN_CHARS, SHOWN_PARAGRAPHS, ReadPage, changes


def test_a_family_whose_pages_fit_is_quiet():
    assert alarms([Fit(run, 0, "wrapper", 3, 1.0) for run in range(1, 9)]) == []


def test_a_family_whose_latest_pages_do_not_fit_is_told_with_its_figures():
    fits = [Fit(1, 0, "wrapper", 3, 1.0), Fit(2, 0, "wrapper", 4, 0.25), Fit(2, 1, "lists", 9, 1.0)]
    assert alarms(fits) == [Alarm(0, "wrapper", 4, 0.25)]
    assert str(alarms(fits)[0]) == "family 0: wrapper fits by 25% on the last 4 pages"


def test_a_template_fits_by_more_than_what_any_two_pages_share():
    assert alarms([Fit(1, 0, "template", 4, 0.9)]) == []
    assert alarms([Fit(1, 0, "template", 4, 0.6)]) == [Alarm(0, "template", 4, 0.6)]


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


@pytest.mark.parametrize(("chars", "least", "shrunken"), [(0, 0, True), (40, 100, True), (60, 100, False)])
def test_an_article_is_shrunken_if_it_is_much_less_than_the_shortest(chars, least, shrunken):
    assert is_shrunken(chars, least) is shrunken


def test_a_new_design_is_learned_from_enough_of_its_articles():
    assert not can_learn(strange_articles=3, strange_lists=40)
    assert can_learn(strange_articles=5, strange_lists=0)
    assert can_learn(strange_articles=0, strange_lists=5), "only the lists are new"
    assert not can_learn(strange_articles=0, strange_lists=0)


ARTICLE = {"title": "Flood", "date": "2026-01-05", "author": None, "text": "One.\n\nTwo.\n\nThree."}


def page_of(article, more=""):
    return ReadPage(article, f"Menu\n{article['title']}\n{article['text']}\n{more}")


def test_what_changed_is_told_by_field_and_paragraph():
    before = page_of(ARTICLE)
    assert changes(before, before) == {}
    assert changes(ReadPage(ARTICLE, "no headline"), ReadPage(ARTICLE, "shown")) == {}
    assert changes(before, page_of({**ARTICLE, "title": "Fire"})) == {"title": ["Flood", "Fire"]}
    corrected = {**ARTICLE, "author": "Ida", "text": "One.\n\nTwo, corrected.\n\nThree.\n\nFour."}
    assert changes(before, page_of(corrected)) == {
        "text": {"removed": ["Two."], "added": ["Two, corrected.", "Four."]},
        "author": [None, "Ida"],
    }


def test_white_space_dates_and_authors_alone_are_no_change():
    spaced = {
        **ARTICLE,
        "title": " Flood ",
        "text": "One.\nTwo.\n\n\n  Three.  ",
        "date": "2026-01-06",
        "author": "Ida",
    }
    assert changes(page_of(ARTICLE), page_of(spaced)) == {}


def test_what_both_pages_show_is_no_change_however_it_was_read():
    read_more = {**ARTICLE, "text": ARTICLE["text"] + "\n\nRelated stories"}
    read_less = {**ARTICLE, "text": "One."}
    assert changes(page_of(ARTICLE, "Related stories"), page_of(read_more)) == {}
    assert changes(page_of(ARTICLE), page_of(read_less, "Two.\nThree.")) == {}
    assert changes(page_of(ARTICLE), page_of(read_less)) == {"text": {"removed": ["Two.", "Three."], "added": []}}


def test_the_account_of_a_rewritten_article_stays_short():
    long = "\n".join(f"{number} " + "x" * 1000 for number in range(500))
    found = changes(page_of(ARTICLE), page_of({**ARTICLE, "text": long}))["text"]["added"]
    assert (len(found), max(map(len, found))) == (SHOWN_PARAGRAPHS, SHOWN_CHARS + 1)
