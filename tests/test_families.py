"""Families are what one template made: the same for any order of arrival, few, and pure in type."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webstruct.demo import DemoSite
from webstruct.families import SKETCH_HASHES, Families, sketch
from webstruct.packing import PackingError
from webstruct.page import Page

CHROME = '<div id="top"><ul class="menu"><li><a href="/">Home</a></ul></div>{}<div class="footer"><p>Imprint</div>'
BODY_MARKUP = (
    "<h2>Why</h2>",
    "<table><tr><td>1</table>",
    "<pre><code>x</code></pre>",
    "<ul><li>a<li>b</ul>",
    "<blockquote>q</blockquote>",
    '<figure><img src="i.png"><figcaption>c</figcaption></figure>',
    "<p><em>e</em> <strong>s</strong>",
    "<ol><li>a</ol>",
)


def article(number, extra=""):
    """An article with its own id in classes, as generators write them, and its own choice of body markup."""
    chosen = "".join(random.Random(number).sample(BODY_MARKUP, number % 4))
    main = (
        f'<article class="post post-{number} category-{number % 7}" id="entry-{number}"><h1 class="headline">T</h1>'
        f'<div class="byline"><span class="author">A</span><time class="date">D</time></div>'
        f'<div class="text"><p>One.<p>Two.{chosen}{extra}</div><div class="share"><a class="mail">m</a></div></article>'
        f'<section class="comments"><h3 class="count">3</h3><form class="reply"><textarea></textarea></form></section>'
    )
    return page(f"/article/{number}", f'<body class="single postid-{number}">' + CHROME.format(main))


def listing(number, entries):
    teasers = "".join(
        f'<li class="teaser item-{number}-{entry}"><h2 class="linked"><a class="to" href="/article/{entry}">T</a></h2>'
        f'<p class="lead">L</p><span class="when">D</span></li>'
        for entry in range(entries)
    )
    main = (
        f'<main class="list"><h1 class="section">S</h1><ol class="teasers">{teasers}</ol>'
        f'<nav class="pager">1</nav></main>'
    )
    return page(f"/list/{number}", f'<body class="archive page-{number}">' + CHROME.format(main))


def page(path, body):
    return Page.parse(body, "http://site.example" + path)


def settled(pages):
    families = Families()
    for each in pages:
        families.add(each)
    return families.settle()


def purity(family_of, type_of):
    pairs = Counter((family, type_of[url]) for url, family in family_of.items())
    return sum(max(pairs[family, kind] for kind in set(type_of.values())) for family in set(family_of.values())) / len(
        family_of
    )


@pytest.fixture(scope="module")
def small_site():
    return [article(number) for number in range(40)] + [listing(number, 3 + number) for number in range(12)]


@pytest.fixture(scope="module", params=("en", "zh"))
def demo(request):
    site = DemoSite(pages=300, language=request.param)
    made = {path: site.page(path) for path in site.paths()}
    pages = [page(path, each.body) for path, each in made.items() if each is not None]
    return pages, {"http://site.example" + path: each.truth.type for path, each in made.items() if each is not None}


def test_templates_are_told_apart(small_site):
    family_of = settled(small_site)
    assert {url.split("/")[3]: family for url, family in family_of.items()} == {"article": 0, "list": 1}
    assert Counter(family_of.values()) == {0: 40, 1: 12}


def test_body_markup_and_page_ids_in_classes_do_not_split_a_family(small_site):
    assert len({settled(small_site)[f"http://site.example/article/{number}"] for number in range(40)}) == 1


def test_the_length_of_a_list_does_not_split_a_family():
    pages = [listing(number, entries) for number, entries in enumerate((1, 2, 3, 10, 20, 50))]
    family_of = settled(pages + [article(number) for number in range(20)])
    assert len({family_of[each.url] for each in pages}) == 1


def test_pages_without_any_attribute_are_told_apart():
    plain = [page(f"/a/{n}", f"<h1>T</h1><hr><p>{n}<p><i>b</i><blockquote>c</blockquote>") for n in range(9)]
    table = [page(f"/t/{n}", "<table><tr><td><a href=x>a</a><td><font>b</font></table>") for n in range(7)]
    family_of = settled(plain + table)
    assert [family_of[each.url] for each in plain + table] == [0] * 9 + [1] * 7


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), cut=st.integers(0, 52))
def test_the_order_of_arrival_does_not_matter(small_site, seed, cut):
    shuffled = random.Random(seed).sample(small_site, len(small_site))
    families = Families()
    for each in shuffled[:cut]:
        families.add(each)
    families.settle()
    for each in shuffled[cut:]:
        families.add(each)
    assert families.settle() == settled(small_site)


def test_the_order_of_arrival_does_not_matter_over_many_batches(demo):
    pages, _ = demo
    assert settled(pages[::-1]) == settled(random.Random(5).sample(pages, len(pages))) == settled(pages)


def test_families_of_the_demo_site_are_pure_and_few(demo):
    pages, type_of = demo
    family_of = settled(pages)
    assert purity(family_of, type_of) >= 0.97
    assert len(set(family_of.values())) <= 15


def test_every_page_counts_once_also_in_families_of_identical_pages():
    twins = [page(f"/{number}", "<div class=a><p>x</div>") for number in range(30)]
    families = Families()
    for each in [*twins, *(article(number) for number in range(30))]:
        families.add(each)
    families.settle()
    assert families._settled.groups.sizes.sum() == len(families) == 60


def test_numbers_go_by_size_then_by_the_smallest_url():
    pages = [page(f"/{name}{n}", body) for name, body in (("b", "<ul><li>x"), ("a", "<h1>x")) for n in range(3)]
    family_of = settled(pages)
    assert family_of["http://site.example/a0"] == 0
    assert family_of["http://site.example/b0"] == 1


def test_a_page_seen_again_replaces_its_old_version():
    families = Families()
    for each in [*(article(n) for n in range(9)), *(listing(n, 5) for n in range(9))]:
        families.add(each)
    families.add(Page.parse("<body>" + CHROME.format(""), article(0).url))
    assert len(families) == 18
    assert families.settle()[article(0).url] != families.settle()[article(1).url]


def test_a_provisional_family_is_that_of_the_pages_like_it(small_site):
    families = Families()
    mixed = random.Random(1).sample(small_site, len(small_site))
    for each in mixed[:32]:
        families.add(each)
    for each in mixed[32:]:
        assert families.add(each) == families.assign(each)[0]


def test_assign_agrees_with_settle(demo):
    pages, _ = demo
    families = Families()
    for each in pages:
        families.add(each)
    family_of = families.settle()
    assert all(families.assign(each)[0] in (family_of[each.url], None) for each in pages)


def test_new_pages_find_their_family_and_a_new_design_finds_none(small_site):
    families = Families()
    for each in small_site:
        families.add(each)
    families.settle()
    for new, expected in ((article(1001), 0), (listing(1002, 8), 1)):
        assert families.assign(new)[0] == expected
    redesign = page(
        "/article/5", '<div class="grid"><div class="cell hero"><h1 class="xl">T</h1><p class="prose">x</div></div>'
    )
    family, likeness = families.assign(redesign)
    assert family is None
    assert likeness < 0.3


def test_a_saved_state_goes_on_where_it_was(small_site):
    families = Families()
    for each in small_site[:45]:
        families.add(each)
    loaded = Families.load(families.save())
    assert len(loaded) == 45
    assert [loaded.assign(each) for each in small_site] == [families.assign(each) for each in small_site]
    for each in small_site[45:]:
        assert loaded.add(each) == families.add(each)
    assert loaded.settle() == families.settle() == settled(small_site)
    assert loaded.save() == families.save()


def test_damaged_bytes_are_refused():
    with pytest.raises(PackingError):
        Families.load(b"not a state")


def test_no_page_at_all():
    families = Families()
    assert families.settle() == {}
    assert families.assign(article(1)) == (None, 0.0)
    assert Families.load(families.save()).settle() == {}


def test_one_page_is_a_family():
    families = Families()
    assert families.add(article(1)) == 0
    assert families.assign(article(1)) == (0, 1.0)


def test_identical_pages_are_one_family_and_unlike_pages_are_none_of_it():
    families = Families()
    for number in range(300):
        families.add(page(f"/{number}", "<h1>a</h1><p>b"))
    assert set(families.settle().values()) == {0}
    assert families.assign(page("/new", "<table><tr><td><font>x</font></table>"))[0] is None


@pytest.mark.parametrize("body", ["", " ", "<!-- nothing -->", "text"])
def test_empty_pages_are_pages(body, small_site):
    family_of = settled([*small_site, *(page(f"/empty/{number}", body) for number in range(6))])
    empty = {family for url, family in family_of.items() if "/empty/" in url}
    assert empty == {2}


def test_a_huge_page_has_a_small_sketch_and_does_not_blind_the_others(small_site):
    huge = page("/huge", "".join(f'<div class="c{number}"><p>x</p></div>' for number in range(50_000)))
    assert len(huge) > 100_000
    assert len(sketch(huge)) == 4 * SKETCH_HASHES == 1024
    family_of = settled([*small_site, huge])
    assert family_of.pop(huge.url) == 2
    assert family_of == settled(small_site)


def test_a_site_where_no_two_pages_are_alike_stays_within_its_limits():
    generator = np.random.default_rng(3)
    pages = [
        page(f"/{number}", "".join(f"<p class=k{name}>x" for name in generator.integers(0, 400, 40)))
        for number in range(400)
    ]
    family_of = settled(pages)
    assert len(family_of) == 400
    assert len(set(family_of.values())) <= 128
