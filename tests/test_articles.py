"""Articles: the demo site's truth in both languages, text and Markdown forms, dates and names."""

import re
from collections import Counter

import numpy as np
import pytest

from webstruct.articles import extract, extract_alone
from webstruct.bylines import byline
from webstruct.dates import find_date
from webstruct.demo import DemoSite
from webstruct.entropy import TermEntropy
from webstruct.families import Families
from webstruct.learning import learn_wrappers
from webstruct.metadata import metadata
from webstruct.page import Page
from webstruct.site import learn
from webstruct.sitepages import SitePages
from webstruct.wrapper import Wrapper


@pytest.fixture(scope="module", params=["en", "zh"])
def demo(request):
    """Every article of a demo site that is one page, with its truth."""
    site = DemoSite(pages=120, language=request.param, dirt=False)
    paths = [path for path in site.paths() if site.page(path).content_type.startswith("text/html")]
    pages = [Page.parse(site.page(path).body, "http://lantern.example" + path) for path in paths]
    truths = [site.truth(path) for path in paths]
    entropy, families = TermEntropy(), Families()
    for page in pages:
        entropy.update(*page.term_counts())
        families.add(page)
    family = families.settle()
    number = {page.url: place for place, page in enumerate(pages)}
    targets = [np.array([number.get(url, -1) for url in page.link_urls], dtype=np.int32) for page in pages]
    known = SitePages(pages, targets, entropy, np.array([family[page.url] for page in pages], dtype=np.int32))
    is_article = np.array([truth.type == "article" for truth in truths])
    wrappers = learn_wrappers(known, is_article, paths)
    return [
        (extract(pages[place], wrappers[int(known.family[place])]), truths[place])
        for place in np.flatnonzero(is_article).tolist()
        if len(truths[place].parts) <= 1
    ]


def words(text):
    return re.findall(r"[\u4e00-\u9fff]|[^\W\d_\u4e00-\u9fff]+|\d+", text.lower())


def shares(found, wanted):
    got, must = Counter(words(found)), Counter(words(wanted))
    common = (got & must).total()
    return common / max(1, got.total()), common / max(1, must.total())


def test_demo_texts_are_right(demo):
    precision, recall = np.mean([shares(article.text, truth.text) for article, truth in demo], axis=0)
    assert precision > 0.96
    assert recall > 0.98


def test_demo_titles_dates_and_authors_are_right(demo):
    assert all(article.title == truth.title for article, truth in demo)
    assert np.mean([article.date == truth.date[:10] for article, truth in demo]) > 0.97
    assert np.mean([article.author == truth.author for article, truth in demo]) > 0.97


@pytest.mark.parametrize("language", ["en", "zh"])
def test_by_lines_of_the_demo_are_read_where_nothing_is_marked(language):
    site = DemoSite(pages=120, language=language, dirt=False)
    paths = [path for path in site.paths() if site.page(path).content_type.startswith("text/html")]
    bodies = (site.page(path).body.replace(b' rel="author"', b"").replace(b"ld+json", b"x") for path in paths)
    model = learn(Page.parse(body, "http://lantern.example" + path) for path, body in zip(paths, bodies, strict=True))
    said = [
        (model.extract(page).author, truth.author)
        for page, truth in zip(model.site.pages, map(site.truth, paths), strict=True)
        if truth.template in ("classic", "boxes")  # the third names the author without a word of it
    ]
    assert said
    assert all(found == author for found, author in said)


def test_paragraphs_of_the_demo_stay_apart(demo):
    for article, truth in demo[:20]:
        assert article.text.count("\n\n") >= truth.text.count("\n\n") - 2


def alone(body):
    return extract_alone(Page.parse(body, "http://site.example/a/b"))


def test_one_paragraph():
    article = alone("<title>A short note</title><h1>A short note</h1><p>Nothing happened on this day.</p>")
    assert (article.title, article.text) == ("A short note", "Nothing happened on this day.")
    assert 0 < article.confidence < 0.5


@pytest.mark.parametrize("body", ["", "<p> </p>", "<title>Only a title</title>", "<script>var x = 1</script>"])
def test_no_text(body):
    article = alone(body)
    assert (article.text, article.markdown, article.confidence) == ("", "", 0.0)


FORMS = """<title>Forms</title><body><main><h1>Forms</h1>
<h2>Part &amp; whole</h2><p>A <b>bold</b> word and <a href="/x">a link</a>.<br>Next line.</p>
<ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul><ol><li>first</li></ol>
<pre>def f():
    return 1</pre><blockquote><p>Said so.</p></blockquote>
<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><p>The end of all this.</p></main>"""


def test_text_keeps_paragraphs_lists_code_and_tables_in_order():
    assert alone(FORMS).text == (
        "Part & whole\n\nA bold word and a link.\nNext line.\n\none\ntwo\ninner\n\nfirst\n\n"
        "def f():\n    return 1\n\nSaid so.\n\na b\n1 2\n\nThe end of all this."
    )


def test_markdown_has_the_same_in_its_own_form():
    assert alone(FORMS).markdown == (
        "## Part & whole\n\nA **bold** word and [a link](http://site.example/x).  \nNext line.\n\n- one\n- two\n  - inner\n\n"
        "1. first\n\n```\ndef f():\n    return 1\n```\n\n> Said so.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n"
        "The end of all this."
    )


def test_headline_agrees_with_the_words_of_links():
    body = "<title>The Paper</title><h3>Section</h3><div>Flood in the valley</div><p>Water rose by two metres on Sunday.</p>"
    page = Page.parse(body, "http://site.example/")
    article = extract(page, Wrapper(pages=0, region=()), anchor_texts=["Flood in the valley"])
    assert article.title == "Flood in the valley"
    assert article.text == "Water rose by two metres on Sunday."


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Posted 2026-03-04 10:20", "en", "2026-03-04"),
        ("2012年7月3日 星期二", "zh", "2012-07-03"),
        ("发布时间：2018/10/9", "zh", "2018-10-09"),
        ("June 26, 2017", "en", "2017-06-26"),
        ("By Ann, 26th June 2017", "en", "2017-06-26"),
        ("18 de enero de 2017", "es", "2017-01-18"),
        ("Publicado el 18/01/2017", "es", "2017-01-18"),
        ("3. März 2020", "de", "2020-03-03"),
        ("4.3.2020", "de", "2020-03-04"),
        ("Room 12 seats 2020", "en", None),
        ("31 February 2020", "en", None),
        ("2020-13-45", "en", None),
        ("", "en", None),
    ],
)
def test_dates(text, language, found):
    assert find_date(text, language) == found


def declared(body):
    return metadata(Page.parse(body, "http://site.example/"))


def test_meta_elements_declare_titles_date_and_author():
    found = declared(
        '<meta property="og:title" content="Flood"><meta property="article:published_time" content="2026-02-03T10:00:00Z">'
        "<meta name=author content='Ann Lee'><p>x"
    )
    assert found == (("Flood",), "2026-02-03", None, None, "Ann Lee")


@pytest.mark.parametrize(
    ("body", "author"),
    [
        ('<p>By <a rel="author" href="/ann">Ann Lee</a>', "Ann Lee"),
        ('<p itemprop=author itemscope><meta itemprop=name content="Ann Lee"></p>', "Ann Lee"),
        ('<link rel="author" href="/humans.txt"><p>x', None),
        (f'<a rel="author" href="/ann">{"About the author " * 9}</a>', None),
        ("<p>By Ann Lee", None),
    ],
)
def test_marked_author(body, author):
    assert declared(body).author == author


LINKED = """<script type="application/ld+json">
<!-- {"@context": "https://schema.org", "@graph": [
 {"@type": "WebPage", "datePublished": "2026-02-01", "headline": "Page"},
 {"@type": ["Thing", "NewsArticle"], "headline": "Flood &amp;\n fire", "author": [{"@id": "#ann"}, "Bo Lim"], },
 {"@type": "Person", "@id": "#ann", "name": "Ann Lee"}]} -->
</script><p>Text"""


def test_linked_data_is_read_through_graphs_ids_and_small_errors():
    found = declared(LINKED)
    assert (found.titles, found.date, found.author) == (("Flood & fire",), "2026-02-01", "Ann Lee, Bo Lim")


def test_organisation_is_no_author_by_line():
    found = declared(
        '<script type="application/ld+json">{"@type": "Article", "author": {"@type": "Organization", "name": "The Paper"}}'
        "</script>"
    )
    assert (found.author, found.site_author) == (None, "The Paper")


@pytest.mark.parametrize(
    "text", ["", "{", "nonsense", "[" * 60_000, '{"@type": "Article"', "[1, null, true]", '{"a":' * 9000]
)
def test_broken_linked_data_declares_nothing(text):
    page = Page.parse(f'<script type="application/ld+json">{text}</script><p>Text', "http://site.example/")
    assert metadata(page) == ((), None, None, None, None)


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["By Ann Lee"], "Ann Lee"),
        (["Posted on May 4, 2026 by Ann Lee in News"], "Ann Lee"),
        (["Written by", "Ann Lee"], "Ann Lee"),
        (["Publicado por Ana López el 3/4/2026"], "Ana López"),
        (["发布时间：2018/10/9 作者：王小明 浏览次数：12"], "王小明"),
        (["2021-04-15作者：研招办浏览次数："], "研招办"),
        (["建立日期 2015-03-09 12:10 作者是 顧武雄"], "顧武雄"),
        (["来源：新华社 时间：2020-02-25"], "新华社"),
        (["Pay by mail, by phone, or in person at one of these many offices"], None),
        (["By"], None),
        (["By " + "word " * 60], None),
        (["Nearby towns"], None),
    ],
)
def test_bylines(lines, name):
    found = byline(lines, 0)
    assert (found and found.name) == name
