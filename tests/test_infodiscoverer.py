"""InfoDiscoverer: informative blocks of a page set."""

from __future__ import annotations

import numpy as np
import pytest

from webstruct.entropy import TermEntropy
from webstruct.infodiscoverer import Blocks, InfoDiscoverer, block_entropies, greedy_threshold
from webstruct.page import Page

STORIES = (
    "glacier meltwater flooded valley farms overnight",
    "parliament rejected pension reform after debate",
    "goalkeeper saved penalty during cup final",
    "telescope photographed distant spiral galaxy",
)
MENU = "<ul id=menu><li>Home</li><li>Politics</li><li>Sport</li></ul>"
FOOTER = "<footer>Copyright Lantern newspaper all rights reserved</footer>"


def page(story):
    return Page.parse(f"<body>{MENU}<div id=story><p>{story}</p></div>{FOOTER}", "http://e.com/")


def blocks(*rows):
    entropy, features = zip(*rows, strict=True)
    return Blocks(np.arange(len(rows), dtype=np.int32), np.array(entropy), np.array(features, dtype=np.int32))


def test_menu_and_footer_are_redundant_and_the_story_is_informative():
    learned = InfoDiscoverer.learn(map(page, STORIES))
    first = page(STORIES[0])
    assert [first.attributes(node).get("id") for node in learned.informative_blocks(first)] == ["story"]
    terms = learned.informative_terms(first)
    assert "glacier" in terms
    assert not terms & {"home", "sport", "copyright"}


def test_block_entropy_is_the_mean_over_its_terms():
    statistics = TermEntropy()
    for story in STORIES:
        statistics.update(*page(story).term_counts())
    found = block_entropies(page(STORIES[0]), statistics)
    assert found.entropy == pytest.approx([1.0, 0.0, 1.0])


def test_threshold_stops_where_no_more_features_come_in():
    assert greedy_threshold([blocks((0.12, 50), (0.25, 30), (0.95, 20))]) == 0.3


def test_neither_an_odd_block_before_the_story_nor_a_date_after_it_moves_the_threshold():
    assert greedy_threshold([blocks((0.01, 1), (0.33, 200), (0.45, 1), (0.95, 20))]) == 0.4


def test_threshold_of_one_page_of_equal_pages_and_of_none():
    assert greedy_threshold([]) <= 1.0
    assert InfoDiscoverer.learn([]).threshold <= 1.0
    assert InfoDiscoverer.learn([page(STORIES[0])]).informative_blocks(page(STORIES[0])).size == 3
    equal = InfoDiscoverer.learn([page(STORIES[0])] * 3)
    assert equal.informative_blocks(page(STORIES[0])).size == 0
    assert equal.informative_terms(Page.parse("", "http://e.com/")) == set()
