"""What a list page lists, told by where its entries stand or by what is known, and what differs from before."""

from __future__ import annotations

import pytest

from webstruct.entries import differences, find_entries, next_page, places
from webstruct.page import Page

HOME = "http://e.com/news/"
MENU = '<ul class="menu"><li><a href="/about">About</a><li><a href="/terms">Terms</a></ul>'


def card(name, teaser="", title=None):
    return f'<div class="card n{ord(name)}"><h3><a href="/{name}.html">{title or f"Title {name}"}</a></h3><p>{teaser}</p></div>'


def toc(*cards, url=HOME, rest=""):
    return Page.parse(f'<body>{MENU}<div class="list">{"".join(cards)}</div>{rest}', url)


def redesigned(*names):
    entries = "".join(f'<li class="teaser"><a class="headline" href="/{name}.html">Title {name}</a>' for name in names)
    return Page.parse(f"<body>{MENU}<main><ul>{entries}</ul></main>", HOME)


def known_places(page, names="abc"):
    wanted = {f"http://e.com/{name}.html" for name in names}
    return places(page, [number for number, url in enumerate(page.link_urls) if url in wanted])


def keys(entries):
    return [name.removeprefix("e.com/").removesuffix(".html") for name in entries]


def nothing(key):
    return False


def known(names):
    return {f"e.com/{name}.html" for name in names}.__contains__


def test_entries_stand_where_they_stood_and_menus_are_none():
    before = toc(*map(card, "abc"))
    after = find_entries(toc(*map(card, "xyab")), known_places(before), nothing)
    assert (keys(after.by_key), after.in_place) == (["x", "y", "a", "b"], True)


def test_an_entry_has_its_words_and_the_text_around_it_with_numbers_left_open():
    page = toc(card("a", "It rained for 3 days."), card("b", "Sun."))
    first = find_entries(page, known_places(page, "ab"), nothing).entries[0]
    assert (first.title, first.record) == ("Title a", "Title a\nIt rained for 0 days.")


def test_on_a_page_of_another_design_entries_are_what_stands_among_known_articles():
    page = redesigned(*"xabc")
    after = find_entries(page, known_places(toc(*map(card, "abc"))), known("abc"))
    assert (keys(after.by_key), after.in_place) == (["x", "a", "b", "c"], False)


def test_links_among_few_known_articles_are_no_list():
    page = redesigned(*"uvwxyzab")
    assert find_entries(page, {"a < b < c": 9}, known("ab")).entries == ()


def test_a_side_bar_that_stayed_does_not_hide_that_the_list_has_moved():
    side = '<ol class="side"><li><a href="/s.html">S</a></ol>'
    old = toc(*map(card, "abcd"), rest=side)
    after = find_entries(
        Page.parse(
            f"<main><ul>{''.join(f'<li><a href=/{name}.html>{name}</a>' for name in 'xabc')}</ul></main>{side}", HOME
        ),
        known_places(old, "abcds"),
        known("abcd"),
    )
    assert not after.in_place
    assert set(keys(after.by_key)) == {"x", "a", "b", "c", "s"}


def compare(before, after):
    where = known_places(before, "abcdef")
    return differences(find_entries(before, where, nothing), find_entries(after, where, nothing))


def test_new_entries_push_others_off_the_end_which_are_not_missing():
    found = compare(toc(*map(card, "abcd")), toc(*map(card, "xyab")))
    assert (keys(found.added), found.missing, found.retitled, found.reworded) == (["x", "y"], [], [], [])


def test_an_entry_gone_from_between_others_is_missing():
    assert keys(compare(toc(*map(card, "abcd")), toc(*map(card, "xabd"))).missing) == ["c"]


def test_another_title_and_another_teaser_are_told_apart():
    before = toc(card("a", "Rain."), card("b", "Sun."), card("c", "Wind."), card("d"), card("e"))
    after = toc(card("a", "Rain."), card("b", "Sun.", title="Other"), card("c", "Storm."), card("d"), card("e"))
    found = compare(before, after)
    assert (keys(found.retitled), keys(found.reworded)) == (["b"], ["c"])


def test_if_most_teasers_differ_the_lists_have_another_form():
    before = toc(*(card(name, "Old.") for name in "abcd"))
    assert compare(before, toc(*(card(name, "New form.") for name in "abcd"))).reworded == []


@pytest.mark.parametrize(
    ("url", "links", "onward"),
    [
        ("/news/", '<a rel="next" href="/news/page/2/">Next</a>', "/news/page/2/"),
        ("/news/page/2/", '<a href="/news/">1</a> <b>2</b> <a href="/news/page/3/">3</a>', "/news/page/3/"),
        ("/news/", '<a href="/news/">1</a> <a href="/news/?page=2">2</a>', "/news/?page=2"),
        ("/list_1.htm", '<a href="/list_2.htm">2</a>', "/list_2.htm"),
        ("/news/", '<a href="/sport/2">2</a> <a rel="next" href="http://other.com/news/2">Next</a>', None),
        ("/news/page/9/", '<a href="/news/">1</a> <a href="/news/page/8/">8</a> <b>9</b>', None),
        ("/news/", "<p>No other page</p>", None),
    ],
)
def test_the_page_that_carries_a_list_on(url, links, onward):
    found = next_page(Page.parse(f"<div>{links}</div>", "http://e.com" + url))
    assert found == (onward and "http://e.com" + onward)
