"""Types of pages: the demo site's truth, and what single pieces of evidence do."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from webstruct.demo import DemoSite
from webstruct.entropy import TermEntropy
from webstruct.evaluation import r_precision, set_score
from webstruct.families import Families
from webstruct.page import Page
from webstruct.page_types import decide
from webstruct.sitepages import SitePages

ORIGIN = "http://e.com"
WORDS = (
    "river bridge harvest senate goal comet violin market glacier museum ballot tariff orchard engine vaccine".split()
)


def site_of(bodies):
    """A site from path → body; families are found from the pages."""
    number = {ORIGIN + path: place for place, path in enumerate(bodies)}
    pages, targets, statistics, families = [], [], TermEntropy(), Families()
    for path, body in bodies.items():
        page = Page.parse(body, ORIGIN + path)
        pages.append(page)
        statistics.update(*page.term_counts())
        families.add(page)
        targets.append(np.array([number.get(url, -1) for url in page.link_urls], dtype=np.int32))
    family = families.settle()
    return SitePages(pages, targets, statistics, np.array([family[page.url] for page in pages], dtype=np.int32))


@cache
def demo(language):
    source = DemoSite(pages=120, language=language, dirt=False)
    paths = list(source.paths())
    site = site_of({path: source.page(path, ORIGIN).body for path in paths})
    return {path: source.truth(path) for path in paths}, site, decide(site)


def blog(articles=12, menu=True):
    """A home page that lists all articles, an about page in the menu, and articles with related links in their text."""
    nav = '<ul class=nav><li><a href="/">Home</a><li><a href="/about">About</a></ul>' if menu else ""
    titles = [f"{WORDS[k % 15]} {WORDS[(4 * k + 1) % 15]} {WORDS[(7 * k + 2) % 15]} {k}a" for k in range(articles)]
    entries = "".join(f'<div class=post><h2><a href="/{k}">{title}</a></h2></div>' for k, title in enumerate(titles))
    bodies = {"/": f"<body>{nav}<main>{entries}</main>", "/about": f"<body>{nav}<p>We are a newspaper about rivers."}
    for k, title in enumerate(titles):
        text = f'{title} word{k}x <a href="/{(k + 1) % articles}">see also</a> fact{k}y number{k}z said{k}w. ' * 9
        bodies[f"/{k}"] = f"<body>{nav}<h1>{title}</h1><p>{text}</p>"
    return bodies


@pytest.mark.parametrize("language", ["en", "zh"])
def test_demo_site_lists_of_three_or_more_and_articles_are_told_apart(language):
    truth, _, types = demo(language)
    found = dict(zip(truth, types.type, strict=True))
    lists = {path for path, page in truth.items() if page.type == "toc" and len(set(page.toc_links)) >= 3}
    assert {path for path in lists if found[path] != "toc"} == set()
    for kind, least in (("toc", 0.92), ("article", 0.98), ("other", 0.7)):
        wanted = {path for path, page in truth.items() if page.type == kind}
        assert set_score({path for path, decided in found.items() if decided == kind}, wanted).f1 >= least
    rank = dict(zip(truth, types.rank.tolist(), strict=True))
    assert r_precision(rank, {path for path, page in truth.items() if page.type == "toc"}) >= 0.9


@pytest.mark.parametrize("language", ["en", "zh"])
def test_demo_site_links_of_lists_are_their_articles_in_order(language):
    truth, site, types = demo(language)
    paths = list(truth)
    scores = []
    for number, page in enumerate(truth.values()):
        if page.type == "toc" and len(set(page.toc_links)) >= 3:
            links = [paths[target] for target in site.targets[number][types.links[number]]]
            scores.append(set_score(set(links), set(page.toc_links)).f1)
            assert types.links[number].tolist() == sorted(types.links[number].tolist())
    assert np.mean(scores) >= 0.98


def test_a_front_page_an_about_page_and_articles_with_links_in_their_text():
    site = site_of(blog())
    types = decide(site)
    assert types.type == ["toc", "other"] + ["article"] * 12
    assert site.targets[0][types.links[0]].tolist() == list(range(2, 14))
    assert [len(links) for links in types.links[1:]] == [0] * 13
    assert sum(share for _, share in types.blocks[0]) == pytest.approx(1.0)


def test_every_page_has_a_confidence_and_readable_evidence():
    types = decide(site_of(blog()))
    assert ((types.confidence > 0.0) & (types.confidence <= 1.0)).all()
    assert types.evidence[0]["listed"] == 12
    assert types.evidence[0]["entries"] == pytest.approx(12, abs=1)
    assert types.evidence[2]["listed_by"] == 1
    assert types.hub[0] == max(types.hub)
    assert types.authority[0] == min(types.authority)


def test_types_do_not_depend_on_the_order_of_pages():
    bodies = blog()
    shuffled = dict(sorted(bodies.items(), key=lambda item: item[1][::-1]))
    straight, other = decide(site_of(bodies)), decide(site_of(shuffled))
    by_path = dict(zip(shuffled, zip(other.type, other.rank.round(6), strict=True), strict=True))
    assert [by_path[path] for path in bodies] == list(zip(straight.type, straight.rank.round(6), strict=True))


def test_a_list_in_a_side_bar_of_every_page_makes_no_page_a_list():
    bodies = blog()
    bar = "<ul class=top>" + "".join(f'<li><a href="/{k}">most read {WORDS[k]}</a>' for k in range(8)) + "</ul>"
    types = decide(site_of({path: body + bar for path, body in bodies.items()}))
    assert types.type[2:] == ["article"] * 12
    assert types.type[0] == "toc"
    assert len(types.links[0]) == 12


def test_an_article_without_text_is_other():
    bodies = blog()
    bodies["/3"] = bodies["/3"].partition("<h1>")[0] + '<h1></h1><p><img src="/picture.png"></p>'
    assert decide(site_of(bodies)).type[5] == "other"


def test_a_list_most_of_whose_entries_were_not_crawled_is_still_a_list():
    bodies = {path: body for path, body in blog(20).items() if path in ("/", "/about") or int(path[1:]) % 3 == 0}
    types = decide(site_of(bodies))
    assert types.type[0] == "toc"
    assert len(types.links[0]) == 7


@pytest.mark.parametrize(
    "bodies",
    [
        {"/": ""},
        {"/": '<a href="/">self</a>'},
        {"/": "<p>one page with a little text"},
        {f"/{k}": "<p>equal pages" for k in range(5)},
        {f"/{k}": "" for k in range(5)},
        {"/": '<a href="/1">a</a><a href="/1">a</a>' * 500, "/1": '<a href="/">b</a>'},
    ],
    ids=["empty", "self-link", "one page", "equal pages", "empty pages", "the same link a thousand times"],
)
def test_odd_sites_are_decided_without_a_warning(bodies):
    types = decide(site_of(bodies))
    assert len(types.type) == len(types.links) == len(types.blocks) == len(types.evidence) == len(bodies)
    assert np.isfinite(types.rank).all()
    assert "toc" not in types.type


def test_a_site_without_pages():
    nothing = SitePages([], [], TermEntropy(), np.zeros(0, dtype=np.int32))
    assert decide(nothing).type == []
