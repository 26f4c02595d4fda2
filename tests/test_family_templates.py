"""Templates of a site's families over several runs: learned, updated by new pages only, and watched."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import webstruct
from webstruct import family_templates
from webstruct.demo import DemoSite
from webstruct.entropy import TermEntropy
from webstruct.families import Families
from webstruct.family_templates import (
    MIN_PAGES,
    EarlierTemplates,
    FamilyTemplates,
    StreamedTemplates,
    former_families,
    unpack_templates,
)
from webstruct.page import Page
from webstruct.sitepages import SitePages

OLD = "<nav>Home News Sport</nav><main>{}</main><footer>All rights reserved</footer>"
NEW = '<table class="new"><tr><td>Start<td>Topics</table><article>{}</article>'


def site_of(bodies, family):
    pages = [
        Page.parse(body.format(f"<h1>Story {n}</h1><p>Text {n}"), f"http://example.com/{n}")
        for n, body in enumerate(bodies)
    ]
    targets = [np.zeros(0, dtype=np.int32)] * len(pages)
    return SitePages(pages, targets, TermEntropy(), np.array(family, dtype=np.int32))


def texts(template):
    return [token for token in template.tokens if not token.startswith("<")]


def test_every_family_with_enough_pages_gets_a_template_of_its_own():
    few = MIN_PAGES - 1
    site = site_of([OLD] * 20 + [NEW] * MIN_PAGES + [OLD] * few, [0] * 20 + [1] * MIN_PAGES + [2] * few)
    learned = FamilyTemplates.learn(site, t=8)
    assert learned.templates.keys() == learned.fits.keys() == {0, 1}
    assert texts(learned.templates[0]) == ["home news sport", "all rights reserved"]
    assert texts(learned.templates[1]) == ["start", "topics"]
    assert (learned.fits[0].pages, learned.fits[1].pages) == (8, MIN_PAGES)
    assert learned.fits[0].share == 1.0


def test_pages_without_a_family_are_left_out():
    assert FamilyTemplates.learn(site_of([OLD] * 5, [-1] * 5)).templates == {}


def test_the_choice_of_pages_is_the_same_in_every_run():
    site = site_of([OLD, OLD, NEW] * 20, [0] * 60)
    first, again = (FamilyTemplates.learn(site, t=4) for _ in range(2))
    assert first.templates[0].profile == again.templates[0].profile
    assert first.fits == again.fits


def test_a_redesign_shows_in_the_fit_of_the_run_and_updates_the_template():
    before = FamilyTemplates.learn(site_of([OLD] * 16, [0] * 16))
    site = site_of([OLD] * 16 + [NEW] * 16, [0] * 32)
    is_new = np.arange(32) >= 16
    later = FamilyTemplates.learn(site, earlier=EarlierTemplates(before.templates, is_new))
    old = before.templates[0]
    assert later.fits[0].pages == 16
    assert later.fits[0].share == pytest.approx(np.mean([old.fit(page) for page in site.pages[16:]]))
    assert later.fits[0].share < 0.7
    assert "start" in later.templates[0].profile
    assert "start" not in old.profile


def test_a_family_without_new_pages_keeps_its_template_and_has_no_fit():
    site = site_of([OLD] * 8, [0] * 8)
    before = FamilyTemplates.learn(site)
    later = FamilyTemplates.learn(site, earlier=EarlierTemplates(before.templates, np.zeros(8, dtype=bool)))
    assert later.templates[0] is before.templates[0]
    assert later.fits == {}


def test_long_pages_are_learned_from_only_for_want_of_short_ones(monkeypatch):
    monkeypatch.setattr(family_templates, "LONG_PAGE", 100)
    monkeypatch.setattr(family_templates, "TOO_LONG_PAGE", 1_000)
    long, too_long = (OLD.replace("News", "News" + "<br>" * count) for count in (200, 2_000))
    mixed = FamilyTemplates.learn(site_of([long] * 4 + [OLD] * 4, [0] * 8))
    assert mixed.fits[0].pages == 4
    assert "<br>" not in mixed.templates[0].tokens
    few_short = FamilyTemplates.learn(site_of([long] * 6 + [OLD] * 1, [0] * 7))
    assert few_short.fits[0].pages == MIN_PAGES
    assert "<br>" in few_short.templates[0].tokens
    assert FamilyTemplates.learn(site_of([too_long] * 6, [0] * 6)).templates == {}


def test_templates_survive_packing():
    learned = FamilyTemplates.learn(site_of([OLD] * 4 + [NEW] * 4, [3] * 4 + [7] * 4))
    again = unpack_templates(learned.pack())
    assert {family: own.tokens for family, own in again.items()} == {
        family: own.tokens for family, own in learned.templates.items()
    }
    assert unpack_templates(FamilyTemplates().pack()) == {}


def test_a_family_is_the_one_that_most_of_its_pages_were_in():
    # Family 0 was split: its larger part inherits. Families 1 and 2 merged: the larger one is inherited from.
    before = [0] * 5 + [1] * 3 + [2] * 2 + [None] * 2
    now = [1] * 3 + [2] * 2 + [0] * 5 + [3] * 2
    assert former_families(before, now) == {0: 1, 1: 0}


def streamed(bodies, t):
    """Templates and page counts as the pages come by, as the pipeline sees them."""
    families = Families()
    templates = StreamedTemplates(families, t=t)
    for page in site_of(bodies, [0] * len(bodies)).pages:
        families.add(page)
        yield templates.template_of(page)


def test_pages_wait_until_there_are_enough_of_their_family():
    results = list(streamed([OLD] * 6, t=4))
    assert [pages for _, pages in results] == [1, 2, 3, 4, 4, 4]
    assert [template is not None for template, _ in results] == [False] * 3 + [True] * 3
    assert results[3][0] is results[5][0]


def test_a_template_stays_with_its_family_when_families_get_new_numbers():
    # The first four pages make OLD family 0; with the ones that follow, NEW is larger and takes that number.
    results = list(streamed([OLD] * 4 + [NEW] * 40 + [OLD] * 2, t=4))
    for (template, _), body in zip(results[-10:], [NEW] * 8 + [OLD] * 2, strict=True):
        assert ("start" in template.tokens) == (body is NEW)
        assert ("home news sport" in template.tokens) == (body is OLD)


def test_a_page_that_comes_twice_counts_once():
    families = Families()
    templates = StreamedTemplates(families, t=2)
    (page,) = site_of([OLD], [0]).pages
    families.add(page)
    assert [templates.template_of(page)[1] for _ in range(3)] == [1, 1, 1]


def test_the_model_of_a_site_has_the_template_of_every_large_family():
    site = DemoSite(pages=60, dirt=False)
    pages = [Page.parse(site.page(path).body, "http://demo.example" + path) for path in site.paths()]
    model = webstruct.learn(pages)
    sizes = Counter(model.site.family.tolist())
    assert model.templates.keys() == {family for family, size in sizes.items() if size >= MIN_PAGES}
    for page, family in zip(pages, model.site.family.tolist(), strict=True):
        if family in model.templates:
            match = model.templates[family].match(page)
            assert match.fit > 0.5
            assert match.chunks[-1], "the foot line is template on every page"
