"""Wrappers: what the pages of a family agree on."""

import json

import numpy as np
import pytest

from webstruct.articles import extract
from webstruct.entropy import TermEntropy
from webstruct.layout import Layout, follow, parse_path, path_text, select
from webstruct.learning import learn_wrapper, learn_wrappers
from webstruct.page import Page
from webstruct.samples import Sample
from webstruct.sitepages import SitePages
from webstruct.slots import NO_TEMPLATE, Step, TemplateNames
from webstruct.wrapper import Wrapper


def word(number):
    letters = ""
    while number or not letters:
        number, letter = divmod(number, 14)
        letters += "bdfgklmnprstvz"[letter] + "aeiou"[letter % 5]
    return letters


def prose(seed, sentences=3):
    numbers = [2000 + 37 * seed + k for k in range(6 * sentences)]
    return " ".join(" ".join(map(word, numbers[k : k + 6])) + "." for k in range(0, 6 * sentences, 6))


def post(seed, *, comments=0, extra=""):
    paragraphs = "".join(f"<p>{prose(seed * 100 + k)}</p>" for k in range(4))
    thread = "".join(
        f"<li class=comment id=comment-{seed}{k}><p>{prose(seed * 1000 + k, 2)}</p><div class=when>May {k + 1}, 2026</div>"
        "<div class=reply>Reply to this</div></li>"
        for k in range(comments)
    )
    return f"""<html><head><title>Headline {seed} | The Paper</title></head><body class="postid-{seed}">
<div id=nav><a href=/>Home</a> <a href=/news>News</a></div>
<div class="post category-{seed % 3}"><h1>Headline {seed}</h1><div class=byline>Published on March {seed % 27 + 1}, 2026</div>
<div class=entry>{paragraphs}{extra}<div class=share>Share this story with all your friends</div>
<div class=related><h4>More</h4><ul><li><a href=/{seed}1>Other story {seed}1</a></li>
<li><a href=/{seed}2>Story {seed}2</a></li></ul></div>
</div></div>{f"<ol class=thread>{thread}</ol>" if comments else ""}
<div id=footer>Copyright The Paper, all rights reserved</div></body></html>"""


def parse(bodies):
    return [Page.parse(body, f"http://site.example/{number}") for number, body in enumerate(bodies)]


def learn(pages):
    entropy = TermEntropy()
    for page in pages:
        entropy.update(*page.term_counts())
    return learn_wrapper([Sample(page) for page in pages], entropy)


def text_of(seed):
    return "\n\n".join(prose(seed * 100 + k) for k in range(4))


def test_region_and_exclusions_can_be_read():
    wrapper = learn(parse(post(n) for n in range(12))).as_dict()
    assert wrapper["region"] == "body > div.post > div.entry"
    assert wrapper["exclude"] == ["div.related", "div.share"]
    assert wrapper["title"] == "div.post > h1"
    assert wrapper["date"] == "div.post > div.byline"


def test_author_is_who_the_by_line_names_not_who_is_declared_on_all_pages():
    names = ["Ann Lee", "Bo Lim", "Cy Ray"]
    meta = '<meta name="author" content="Web Agency"><title>'
    pages = parse(
        post(n).replace("Published on", f"By {names[n % 3]} on").replace("<title>", meta, 1) for n in range(12)
    )
    wrapper = learn(pages)
    assert wrapper.as_dict()["author"] == "div.post > div.byline"
    assert [extract(page, wrapper).author for page in pages[:4]] == [*names, "Ann Lee"]
    unsigned = Page.parse(post(3).replace("<title>", meta, 1), "http://site.example/unsigned")
    assert extract(unsigned, wrapper).author is None


def test_inline_elements_are_left_out_if_all_of_their_text_is_always_the_same():
    spans = (
        "<p>Said <span class=by>by <a href=/x>Ann {n}</a></span> <span class=mark>(new window)</span> on {n} May.</p>"
    )
    pages = parse(post(n, extra=spans.format(n=word(n))) for n in range(12))
    wrapper = learn(pages)
    assert wrapper.as_dict()["inline_exclude"] == ["span.mark"]
    assert f"Said by Ann {word(4)} on {word(4)} May." in extract(pages[4], wrapper).text


def test_same_words_on_all_pages_are_no_by_line():
    wrapper = learn(parse(post(n).replace("<p>", "<div class=tool>Powered by Press</div><p>", 1) for n in range(12)))
    assert wrapper.author is None


def test_box_in_the_words_of_the_site_stays_unless_it_says_the_same_everywhere():
    known = [word(90 + 37 * k) for k in range(12)]

    def page(seed):
        box = " ".join(known[(seed * 5 + k * 7) % 12] for k in range(3))
        licence = f"Licence {seed}: free to copy for everybody"
        extra = f"<div class=advice>{box}.</div><p>{prose(seed + 800)}</p><div class=licence>{licence}</div>"
        return post(seed, extra=extra).replace("Home", " ".join(known))

    pages = parse(map(page, range(12)))
    wrapper = learn(pages)
    assert wrapper.as_dict()["exclude"] == ["div.licence", "div.related", "div.share"]


def test_article_is_taken_out_word_for_word():
    pages = parse(post(n) for n in range(12))
    wrapper = learn(pages)
    for seed in (0, 5):
        article = extract(pages[seed], wrapper)
        assert article.text == text_of(seed)
        assert article.title == f"Headline {seed}"
        assert article.date == f"2026-03-{seed + 1:02}"
        assert article.confidence > 0.9


def test_new_page_needs_no_learning_even_with_other_page_data():
    wrapper = learn(parse(post(n) for n in range(12)))
    body = post(77).replace("category-2", "category-99 sticky")
    assert extract(Page.parse(body, "http://site.example/new"), wrapper).text == text_of(77)


def test_json_says_it_all():
    pages = parse(post(n) for n in range(12))
    wrapper = learn(pages)
    again = Wrapper.from_dict(json.loads(json.dumps(wrapper.as_dict())))
    assert extract(pages[3], again) == extract(pages[3], wrapper)


def test_comments_are_not_text_even_if_longer_than_the_article():
    pages = parse(post(n, comments=5 + n % 9) for n in range(12))
    wrapper = learn(pages)
    assert extract(pages[4], wrapper).text == text_of(4)


def test_rows_of_the_article_are_no_records_though_they_repeat_themselves():
    def page(seed):
        ways = "<p>Apply by mail</p><p>Apply by phone</p>"
        first = f"<div class=row><p>{prose(seed * 100, 9)}</p>{ways}</div>"
        second = f"<div class=row><p>{prose(seed * 100 + 50, 2)}</p>{ways}</div>"
        return f"<title>T</title><body><div id=nav>Home News</div><div class=entry>{first}{second}</div></body>"

    pages = parse(map(page, range(12)))
    wrapper = learn(pages)
    assert wrapper.as_dict()["exclude"] == []
    assert wrapper.as_dict()["region"].startswith("body > div.entry")


def test_two_megabytes_of_comments_change_nothing():
    wrapper = learn(parse(post(n, comments=3 + n % 4) for n in range(12)))
    body = post(5, comments=10_000)
    assert len(body) > 2_000_000
    assert extract(Page.parse(body, "http://site.example/busy"), wrapper).text == text_of(5)


def test_two_sibling_regions_are_both_kept():
    def page(seed):
        first, second = prose(seed, 12), prose(seed + 500, 12)
        return f"<body><div id=nav>Home News Sport</div><div class=left>{first}</div><div class=right>{second}</div></body>"

    pages = parse(page(n) for n in range(8))
    assert extract(pages[2], learn(pages)).text == f"{prose(2, 12)}\n\n{prose(502, 12)}"


def test_article_in_a_table_cell():
    def page(seed):
        return (
            "<table><tr><td>Home<br>News<br>Sport</td><td>"
            f"<p>{prose(seed, 5)}</p><p>{prose(seed + 90, 5)}</p></td></tr></table>"
        )

    pages = parse(page(n) for n in range(8))
    assert extract(pages[2], learn(pages)).text == f"{prose(2, 5)}\n\n{prose(92, 5)}"


def test_headings_and_tables_that_come_again_stay():
    table = (
        "<h3>Results</h3><table class=data><tr><th>Name</th><th>Points</th></tr>"
        "<tr><td>Ann of the valley {n}</td><td>{n}</td></tr></table>"
    )
    pages = parse(post(n, extra=table.format(n=n) + f"<p>{prose(n + 7000)}</p>") for n in range(12))
    text = extract(pages[3], learn(pages)).text
    assert "Results\n\nName Points\nAnn of the valley 3 3\n\n" in text


def test_family_of_one_page():
    pages = parse([post(3)])
    article = extract(pages[0], learn(pages))
    assert text_of(3) in article.text
    assert article.title == "Headline 3"


def test_small_family_knows_what_the_rest_of_the_site_repeats():
    chrome = "<div>Home of all our news</div>{}<div>Copyright The Paper, all rights reserved</div>"
    pages = parse([post(n) for n in range(12)] + [chrome.format(f"<div>{prose(90)}</div><div>{prose(95)}</div>")])
    entropy = TermEntropy()
    for page in pages:
        entropy.update(*page.term_counts())
    none = np.zeros(0, dtype=np.int32)
    site = SitePages(pages, [none] * 13, entropy, np.array([0] * 12 + [1], dtype=np.int32))
    text = extract(pages[12], learn_wrappers(site, np.ones(13, dtype=bool), [page.url for page in pages])[1]).text
    assert text == f"Home of all our news\n\n{prose(90)}\n\n{prose(95)}"


def test_copies_of_a_page_are_not_template():
    pages = parse([post(n // 4) for n in range(12)])
    assert extract(pages[0], learn(pages)).text.startswith(prose(0))


@pytest.mark.parametrize("body", ["", "<p>", "<body></body>", "<div class=post></div>"])
def test_page_without_text_gives_an_empty_article_without_confidence(body):
    wrapper = learn(parse(post(n) for n in range(12)))
    article = extract(Page.parse(body, "http://site.example/empty"), wrapper)
    assert (article.text, article.confidence) == ("", 0.0)


def test_page_with_another_layout_falls_back_with_less_confidence():
    wrapper = learn(parse(post(n) for n in range(12)))
    body = f"<body><div id=nav><a href=/>Home</a></div><section><p>{prose(1)}</p><p>{prose(2)}</p></section></body>"
    article = extract(Page.parse(body, "http://site.example/other"), wrapper)
    assert article.text == f"{prose(1)}\n\n{prose(2)}"
    assert article.confidence < 0.6


def test_every_family_with_articles_gets_a_wrapper():
    pages = parse(
        [post(n) for n in range(6)] + [f"<main><p>{prose(n)}</p><p>{prose(n + 50)}</p></main>" for n in range(6)]
    )
    entropy = TermEntropy()
    for page in pages:
        entropy.update(*page.term_counts())
    none = np.zeros(0, dtype=np.int32)
    site = SitePages(pages, [none] * 12, entropy, np.repeat([0, 1], 6).astype(np.int32))
    is_article = np.ones(12, dtype=bool)
    urls = [page.url for page in pages]
    wrappers = learn_wrappers(site, is_article, urls)
    assert path_text(wrappers[0].region) == "body > div.post > div.entry"
    backwards = SitePages(pages[::-1], [none] * 12, entropy, site.family[::-1])
    assert wrappers == learn_wrappers(backwards, is_article, urls[::-1]), "the order of fetching does not matter"
    assert set(learn_wrappers(site, site.family == 1, urls)) == {1}


def test_paths_find_children_by_names_then_by_position():
    page = Page.parse("<div><p class=a>1</p></div><div id=x><p>2</p><p class=b>3</p></div>", "http://site.example/")
    layout = Layout(page)

    def texts(path):
        nodes, found = follow(parse_path(path), layout)
        return [page.text(node) for node in nodes], found

    assert texts("body > div#x > p.b") == (["3"], True)
    assert texts("body > div:nth-of-type(2) > p:nth-of-type(1)") == (["2"], True)
    assert texts("body > div.gone:nth-of-type(1) > p") == (["1"], True)
    assert texts("body > div#x > section") == (["2\n3"], False)
    assert texts("body > div.gone:nth-of-type(1) > section") == (["1\n2\n3"], False)


def test_selectors_match_template_names_only():
    page = Page.parse(
        '<div class="row post-1"><p>1</p></div><div class="row wide"><p>2</p></div>', "http://site.example/"
    )
    names = TemplateNames({("div", ".row"): 5, ("div", ".wide"): 5})
    found = select(((Step("div", frozenset({".row"})), Step("p", frozenset())),), Layout(page, names))
    assert [page.text(node) for node in found] == ["1"]
    assert NO_TEMPLATE.step(Step("div", frozenset({".row"}))) == Step("div", frozenset())
