"""Templates learned from small families and from the demo site, and pages stripped of them."""

from __future__ import annotations

import random
import re
from collections import defaultdict

import lxml.html
import numpy as np
import pytest

from webstruct.demo import DemoSite
from webstruct.packing import PackingError
from webstruct.page import Page
from webstruct.stripping import strip
from webstruct.template import Template

MENU = '<nav class="menu"><ul><li><a href="/">Home</a><li><a href="/news">News</a></ul></nav>'
FOOTER = "<footer><p>All rights reserved</p></footer>"


def page(main, number=0, menu=MENU):
    return Page.parse(
        f"<html><head><title>T{number}</title></head><body>{menu}<main>{main}</main>{FOOTER}",
        f"http://example.com/{number}",
    )


def story(number, paragraphs=4):
    return "".join(f"<p>Paragraph {place} of story {number}</p>" for place in range(paragraphs))


@pytest.fixture
def family():
    return [page(story(number, 3 + number % 4), number) for number in range(20)]


def test_template_is_what_the_pages_share(family):
    template = Template.learn(family)
    assert template.pages == 16
    text = [token for token in template.tokens if not token.startswith("<")]
    assert text == ["home", "news", "all rights reserved"]
    assert template.fit(family[3]) > 0.9


def test_stripping_removes_menu_and_footer_and_keeps_every_paragraph(family):
    template = Template.learn(family)
    for number, own in enumerate(family):
        stripped = strip(own, template)
        assert stripped.text.split("\n") == re.findall("Paragraph.*?story \\d+", own.text())
        tree = lxml.html.document_fromstring(stripped.html)
        assert tree.findtext(".//title") == f"T{number}"
        assert not tree.xpath("//nav | //footer | //a")
        assert [p.text for p in tree.xpath("//main/p")] == stripped.text.split("\n")


def test_stripped_html_is_read_back_as_it_was_written(family):
    written = strip(family[0], Template.learn(family)).html
    assert lxml.html.tostring(lxml.html.document_fromstring(written), encoding="unicode") in written


def test_identical_pages_are_all_template():
    same = [page(story(1), number) for number in range(6)]
    template = Template.learn(same)
    assert template.fit(same[0]) == 1
    assert strip(same[0], template).text == ""
    assert (template.scores == 1).all()


def test_pages_with_nothing_in_common_keep_their_text():
    pages = [
        Page.parse(f"<{tag}>{text}</{tag}>", f"http://example.com/{text}")
        for tag, text in [("p", "one"), ("h1", "two"), ("pre", "three"), ("b", "four"), ("i", "five")]
    ]
    template = Template.learn(pages)
    assert [strip(own, template).text for own in pages] == ["one", "two", "three", "four", "five"]


def test_two_pages_share_what_both_have():
    pages = [page(story(number), number) for number in range(2)]
    assert strip(pages[0], Template.learn(pages)).text.split("\n") == [f"Paragraph {n} of story 0" for n in range(4)]


def test_a_single_page_has_no_template_and_loses_nothing(family):
    for pages in (family[:1], []):
        template = Template.learn(pages)
        assert template.tokens == []
        assert template.fit(family[0]) == 1
        assert strip(family[0], template).text == family[0].text()


def test_empty_pages():
    empty = [Page.parse("", f"http://example.com/{number}") for number in range(3)]
    template = Template.learn(empty)
    assert template.tokens == ["<html>", "</html>"]
    assert strip(empty[0], template).html == "<!DOCTYPE html><html></html>"
    assert strip(page(story(1)), template).text == page(story(1)).text()


@pytest.mark.parametrize("pages", [2, 3, 5, 7, 12, 17])
def test_any_number_of_pages(pages):
    family = [page(story(number), number) for number in range(pages)]
    assert "home" in Template.learn(family, t=32).tokens


def test_the_choice_of_pages_is_seeded(family):
    first, again = Template.learn(family, t=4, seed=1), Template.learn(family, t=4, seed=1)
    assert first.profile == again.profile
    assert first.scores.tolist() == again.scores.tolist()
    assert any(Template.learn(family, t=4, seed=seed).profile != first.profile for seed in range(2, 6))


def test_attributes_in_another_order_are_the_same_tag():
    pages = [
        page(story(number), number, menu=f"<div {' '.join(random.Random(number).sample(attributes, 3))}>Menu</div>")
        for number in range(8)
        for attributes in [['class="b a"', 'id="top"', 'title="The  menu"']]
    ]
    template = Template.learn(pages)
    assert '<div class="a b" id="top" title="the menu">' in template.tokens
    assert "Menu" not in strip(pages[0], template).text


def test_changing_ids_classes_and_time_stamps_are_page_data():
    def changing(number):
        menu = f'<div id="block-{number}" class="menu post-{number}" data-time="2026-01-{number:02}">Menu</div>'
        return page(story(number), number, menu=menu)

    pages = [changing(number) for number in range(12)]
    template = Template.learn(pages)
    assert '<div class="menu" data-time id>' in template.tokens
    unseen = changing(99)
    assert template.fit(unseen) > 0.9
    assert "Menu" not in strip(unseen, template).text


def test_an_attribute_that_one_page_alone_has_does_not_part_it_from_the_others():
    pages = [page(story(number), number) for number in range(8)]
    odd = page(story(9), 9, menu=MENU.replace("<nav", '<nav data-nonce-8f3a="1"'))
    assert strip(odd, Template.learn([*pages, odd])).text == "\n".join(f"Paragraph {n} of story 9" for n in range(4))


def test_a_token_that_repeats_ten_thousand_times():
    pages = [page("<br>" * 10_000 + story(number), number) for number in range(3)]
    assert strip(pages[0], Template.learn(pages)).text.split("\n") == [f"Paragraph {n} of story 0" for n in range(4)]


def test_a_sign_off_among_paragraphs_is_kept_with_them():
    pages = [page(story(number, 5) + "<p>Send us your letters.</p>", number) for number in range(8)]
    assert "Send us your letters." in strip(pages[0], Template.learn(pages)).text


def test_a_heading_stays_with_what_it_stands_above():
    def with_headings(number):
        related = f"<aside><h2>Related</h2><ul>{'<li>See also</li>' * 3}<li>Story {number}</li></ul></aside>"
        return page(f"<h2>Abstract</h2><p>About {number}</p><h2>Rights</h2><p>Free to copy</p>{related}", number)

    pages = [with_headings(number) for number in range(8)]
    assert strip(pages[3], Template.learn(pages)).text.split("\n") == ["Abstract", "About 3", "Story 3"]


def test_code_is_kept_whole():
    def code(number):
        lines = "".join(f'<span class="n">name{number}{line}</span> = {number}{line}\n' for line in range(9))
        return page(f"<pre><b>import</b> this\n{lines}<i>plt</i>.<u>show</u>()</pre><pre>pip install</pre>", number)

    pages = [code(number) for number in range(8)]
    stripped = strip(pages[3], Template.learn(pages)).text
    assert stripped.startswith("import this")
    assert "plt.show()" in stripped


def test_a_match_tells_which_nodes_and_chunks_are_template(family):
    match = Template.learn(family).match(family[0])
    assert [chunk for chunk, is_template in zip(family[0].chunks, match.chunks, strict=True) if is_template] == [
        "Home",
        "News",
        "All rights reserved",
    ]
    whole = match.nodes(family[0])
    assert [whole[family[0].nodes(tag)].all() for tag in ("nav", "footer", "main", "body")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_list_that_is_mostly_template_goes_but_for_its_odd_entry():
    entries = "".join(f"<li>Entry {place}</li>" for place in range(6))
    pages = [page(f"<ul>{entries}<li>Only {number}</li></ul>{story(number)}", number) for number in range(8)]
    text = strip(pages[0], Template.learn(pages)).text
    assert "Entry" not in text
    assert "Only 0" in text


def test_pictures_of_the_page_stay_and_those_of_the_template_go():
    pages = [page(f'<img src="/logo.png"><img src="/{number}.jpg">{story(number)}', number) for number in range(8)]
    html = strip(pages[3], Template.learn(pages)).html
    assert "/3.jpg" in html
    assert "/logo.png" not in html


def test_line_breaks_and_empty_cells_keep_their_places():
    pages = [
        page(f"<p>First {number}<br>second {number}</p><table><tr><td>{number}x<td><td>{number}y</table>", number)
        for number in range(8)
    ]
    html = strip(pages[3], Template.learn(pages)).html
    assert "<p>First 3<br>second 3</p>" in html
    assert "<td>3x</td><td></td><td>3y</td>" in html


def test_scripts_are_left_out_and_text_is_escaped():
    pages = [page(f"<script>x()</script><p>{number} &lt;b&gt; &amp; c</p>", number) for number in range(4)]
    html = strip(pages[1], Template.learn(pages)).html
    assert "script" not in html
    assert "<p>1 &lt;b&gt; &amp; c</p>" in html


def test_text_that_looks_like_a_tag_is_text():
    pages = [page(f"<p>&lt;main&gt;</p>{story(number)}", number) for number in range(4)]
    assert "&lt;main&gt;" in Template.learn(pages).tokens


def test_template_survives_packing(family):
    template = Template.learn(family)
    again = Template.unpack(template.pack())
    assert (again.profile, again.pages, again.values) == (template.profile, template.pages, template.values)
    assert again.scores.tolist() == template.scores.tolist()
    assert strip(family[0], again).html == strip(family[0], template).html
    with pytest.raises(PackingError):
        Template.unpack(b"nonsense")


def test_a_stored_page_matches_as_a_fresh_one_does():
    long = "x" * 2_000
    fresh = [page(story(number), number, menu=f'<div data-long="{long}">Menu</div>') for number in range(4)]
    stored = [Page.unpack(own.pack()) for own in fresh]
    assert Template.learn(fresh).tokens == Template.learn(stored).tokens
    assert strip(fresh[0], Template.learn(stored)).text == strip(stored[0], Template.learn(fresh)).text


def redesigned(number):
    return Page.parse(
        f'<table class="new"><tr><td>Start</td><td>Topics</td></tr></table><article>{story(number)}</article>',
        f"http://example.com/{number}",
    )


def test_a_redesign_fits_badly_and_replaces_the_template_within_three_runs(family):
    template = Template.learn(family)
    new = [redesigned(number) for number in range(100, 116)]
    assert template.fit(family[19]) > 0.9
    assert np.mean([template.fit(own) for own in new]) < 0.6
    for run in range(3):
        template = template.updated(new, seed=run)
    assert "home" not in template.tokens
    assert {"start", "topics"} <= set(template.tokens)
    assert template.fit(new[0]) > 0.9


def test_an_update_with_like_pages_changes_nothing_that_matters(family):
    template = Template.learn(family[:10])
    updated = template.updated(family[10:])
    assert updated.pages == 16
    assert [token for token in updated.tokens if not token.startswith("<")] == ["home", "news", "all rights reserved"]
    assert template.updated([]) is template


def test_a_template_of_one_page_is_learned_when_more_come(family):
    template = Template.learn(family[:1]).updated(family[1:])
    assert "home" in template.tokens


def test_one_new_page_moves_the_scores_by_its_weight():
    template = Template.learn([page(story(number), number) for number in range(9)])
    updated = template.updated([redesigned(100)])
    scores = dict(zip(updated.profile, updated.scores.tolist(), strict=True))
    assert scores["home"] == pytest.approx(9 / 10)
    assert "start" not in scores


@pytest.fixture(scope="module", params=["en", "zh"])
def demo(request):
    """Articles of the demo site by template: page and truth."""
    site = DemoSite(pages=150, language=request.param, dirt=False)
    articles = defaultdict(list)
    for path in site.paths():
        answer = site.page(path)
        if answer.truth.type == "article":
            articles[answer.truth.template].append(
                (Page.parse(answer.body, f"http://demo.example{path}"), answer.truth)
            )
    return articles


def words(text):
    return "".join(text.split())


def test_every_paragraph_of_the_demo_site_is_kept(demo):
    for articles in demo.values():
        template = Template.learn([own for own, _ in articles])
        for own, truth in articles:
            left = words(strip(own, template).text)
            for paragraph in truth.text.split("\n\n"):
                assert all(words(line) in left for line in paragraph.split("\n")), (own.url, paragraph)


def test_menu_and_footer_of_the_demo_site_are_removed(demo):
    for articles in demo.values():
        pages = [own for own, _ in articles]
        template = Template.learn(pages)
        top, bottom = shared_head([own.chunks for own in pages]), shared_head([own.chunks[::-1] for own in pages])
        assert top > 10
        assert bottom > 20
        for own in pages:
            kept = strip(own, template).kept_chunks
            assert not kept[:top].any()
            assert not kept[-bottom:].any()


def shared_head(sequences):
    """How many items all sequences begin with."""
    differing = (place for place, items in enumerate(zip(*sequences, strict=False)) if len(set(items)) > 1)
    return next(differing)
