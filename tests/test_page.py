"""One parse, flat arrays: every view of a page agrees with what lxml sees, whatever the page holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from webstruct.page import MAX_ATTRIBUTES, MAX_LINKS, MAX_NODES, Page

URL = "http://example.com/news/a.html"
TAGS = [
    "div",
    "p",
    "a",
    "b",
    "ul",
    "li",
    "table",
    "tr",
    "td",
    "span",
    "br",
    "img",
    "pre",
    "h1",
    "o:p",
    "my-tag",
    "form",
]


def parse(body, **options):
    return Page.parse(body, URL, **options)


def lxml_tree(html):
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    return etree.fromstring(html.encode(), parser)


@st.composite
def html_source(draw):
    pieces = draw(
        st.lists(
            st.one_of(
                st.sampled_from(TAGS).map(lambda tag: f"<{tag}>"),
                st.sampled_from(TAGS).map(lambda tag: f"</{tag}>"),
                st.sampled_from(["<a href=x>", "<div class='c' id=i>", "<script>x</script>", "<!-- c -->", "<?pi?>"]),
                st.text("ab \n中&;", max_size=6),
            ),
            max_size=40,
        )
    )
    return "<html><body>" + "".join(pieces)


@given(html_source())
@settings(max_examples=300)
def test_the_arrays_are_the_tree(html):
    page, root = parse(html), lxml_tree(html)
    elements = list(root.iter("*"))
    number = {element: node for node, element in enumerate(elements)}
    assert [page.tag(node) for node in range(len(page))] == [element.tag for element in elements]
    assert page.parent.tolist() == [number.get(element.getparent(), -1) for element in elements]
    assert page.depth.tolist() == [sum(1 for _ in element.iterancestors()) for element in elements]
    assert page.subtree_end.tolist() == [
        node + sum(1 for _ in element.iter("*")) for node, element in enumerate(elements)
    ]


@given(html_source())
@settings(max_examples=300)
def test_xpaths_are_those_of_lxml(html):
    page, root = parse(html), lxml_tree(html)
    tree = root.getroottree()
    assert [page.xpath(node) for node in range(len(page))] == [tree.getpath(element) for element in root.iter("*")]


@given(html_source())
@settings(max_examples=300)
def test_no_visible_word_is_lost_or_doubled_in_any_subtree(html):
    page, root = parse(html), lxml_tree(html)
    for node, element in enumerate(root.iter("*")):
        if page.tag(node) in ("script", "head", "style"):
            continue
        shown = "".join(t for t in element.xpath(".//text()[not(ancestor::script or ancestor::head)]"))
        assert "".join(page.text(node).split()) == "".join(shown.split())


@given(html_source())
def test_tokens_are_the_tags_and_texts_in_document_order(html):
    page = parse(html)
    tokens, nodes, is_text = page.tokens()
    assert len(tokens) == len(nodes) == len(is_text)
    assert [t for t, text in zip(tokens, is_text, strict=True) if text] == [
        " ".join(chunk.lower().split()) for chunk in page.chunks
    ]
    open_tags = []
    for token, node, text in zip(tokens, nodes.tolist(), is_text.tolist(), strict=True):
        if text:
            assert open_tags[-1] == node
        elif token.startswith("</"):
            assert open_tags.pop() == node
        elif page.tag(node) not in ("br", "img"):
            open_tags.append(node)
    assert open_tags == []


@given(html_source())
def test_a_stored_page_is_the_same_page(html):
    page = parse(html)
    again = Page.unpack(page.pack())
    assert again.text() == page.text()
    assert list(again.links()) == list(page.links())
    assert again.tokens().tokens == page.tokens().tokens
    assert again.block.tolist() == page.block.tolist()
    assert (again.term_names, again.term.tolist(), again.language) == (
        page.term_names,
        page.term.tolist(),
        page.language,
    )


@given(st.binary(max_size=400))
def test_any_bytes_give_a_page(body):
    page = parse(body)
    assert len(page) >= 1
    assert isinstance(page.text(), str)


@given(st.text(st.characters(), max_size=200))
def test_any_text_gives_a_page_even_with_lone_surrogates(body):
    page = parse(body)
    Page.unpack(page.pack()).text().encode("utf-8")


# --- text -----------------------------------------------------------------------------------------------------------


def test_inline_elements_join_and_blocks_part():
    page = parse("<p>One <b>bold</b><i>ly</i>, two.</p><p>Next<br>line</p><ul><li>a</li><li>b</li></ul>")
    assert page.text() == "One boldly, two.\nNext\nline\na\nb"


def test_preformatted_text_keeps_the_space_between_its_elements():
    assert parse("<pre><b>import</b> <i>numpy</i>\n  <b>as</b> np</pre>").text() == "import numpy\n  as np"


def test_odd_line_ends_in_preformatted_text_are_newlines():
    assert parse("<pre>a\u2028b\x85c\fd</pre>").text() == "a\nb\nc\nd"


def test_preformatted_text_keeps_its_lines():
    assert parse("<p>x</p><pre>def f():\n    pass</pre>").text() == "x\ndef f():\n    pass"


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>no</script>",
        "<style>no</style>",
        "<template><p>no</p></template>",
        "<noscript>no</noscript>",
        "<!-- no -->",
        "<div hidden>no</div>",
        "<div style='color:red; display : none'><p>no</p></div>",
        "<p style='VISIBILITY:hidden'>no</p>",
    ],
)
def test_what_a_reader_does_not_see_is_no_text_and_has_no_terms(hidden):
    page = parse(f"<body><p>flood</p>{hidden}<p>warning</p>")
    assert page.text() == "flood\nwarning"
    assert page.term_names == ["flood", "warn"]
    assert (page.anchor_chars + page.context_chars).sum() == len("floodwarning")


def test_anchor_and_context_lengths_are_told_apart_and_sum_up():
    page = parse("<body><div><p>four <a href=x>six<b>six</b></a></p><p>two</p></div>")
    div = int(page.nodes("div")[0])
    assert page.subtree_sum(page.anchor_chars)[div] == len("sixsix")
    assert page.subtree_sum(page.context_chars)[div] == len("four") + len("two")


def test_terms_stand_in_their_nodes():
    page = parse("<body><h1>Flood</h1><p>Flood <b>warning</b></p>")
    assert [(page.term_names[t], page.tag(n)) for t, n in zip(page.term, page.term_node, strict=True)] == [
        ("flood", "h1"),
        ("flood", "p"),
        ("warn", "b"),
    ]
    names, counts = page.term_counts()
    assert dict(zip(names, counts.tolist(), strict=True)) == {"flood": 2, "warn": 1}


# --- links ----------------------------------------------------------------------------------------------------------


def test_links_have_words_from_text_image_or_title():
    page = parse(
        "<a href=/1>one <b>two</b></a><a href=/2><img alt='three four' src=x></a><a href=/3 title=five></a>"
        "<a href=/4 rel='nofollow NEXT'>six</a><area href=/5 alt=seven>"
    )
    assert [(link.url.rpartition("/")[2], link.text) for link in page.links()] == [
        ("1", "one two"),
        ("2", "three four"),
        ("3", "five"),
        ("4", "six"),
        ("5", "seven"),
    ]
    assert [sorted(link.rel) for link in page.links()][3] == ["next", "nofollow"]


def test_links_of_closed_menus_are_links_with_words():
    page = parse("<ul style='display:none'><li><a href=/s>Sport</a></li></ul>")
    assert [(link.url, link.text) for link in page.links()] == [("http://example.com/s", "Sport")]
    assert page.text() == ""


def test_frames_are_followed():
    page = parse("<frameset><frame src=menu.html></frameset>")
    assert page.link_urls == ["http://example.com/news/menu.html"]
    assert parse("<iframe src='/inner'></iframe>").link_urls == ["http://example.com/inner"]


@pytest.mark.parametrize(
    ("base", "target"),
    [
        ("<base href='http://other.example/dir/'>", "http://other.example/dir/x"),
        ("<base href='/dir/'><base href='/second/'>", "http://example.com/dir/x"),
        ("<base target=_blank><base href='/dir/'>", "http://example.com/dir/x"),
        ("<base href='http://[::1'>", "http://example.com/news/x"),
        ("<base href='file:///etc/'>", "http://example.com/news/x"),
        ("<base href='javascript:1'>", "http://example.com/news/x"),
    ],
)
def test_the_first_usable_base_counts(base, target):
    assert parse(f"<head>{base}</head><a href=x>y</a>").link_urls == [target]


def test_one_bad_link_costs_no_other():
    page = parse("<a href='http://[::1'>a</a><a href=ok>b</a><a href='http://e.com:x/'>c</a><a>d</a><a href>e</a>")
    assert page.link_urls == ["http://example.com/news/ok"]


# --- bad days -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b"", b"   \n", b"<!-- -->", b"<!DOCTYPE html>", b"\xef\xbb\xbf", ""])
def test_nothing_is_a_page_without_content(body):
    page = parse(body)
    assert (page.text(), page.title, page.link_urls, page.term_names, page.cuts) == ("", "", [], [], ())
    assert page.block.tolist() == [0]
    assert page.tokens().tokens[0] == "<html>"


def test_a_page_too_deep_for_the_parser_is_marked_and_its_beginning_kept():
    page = parse("<p>start</p>" + "<div>" * 100_000 + "deep")
    assert page.cuts == ("depth",)
    assert page.truncated
    assert page.text().startswith("start")
    assert page.xpath(len(page) - 1).count("/") > 2000


def test_a_deep_page_within_the_limit_is_whole():
    page = parse("<div>" * 2000 + "deep")
    assert page.cuts == ()
    assert page.text() == "deep"


def test_forty_thousand_attributes_are_cut_and_marked():
    page = parse("<p>before</p><div " + " ".join(f"a{i}=1" for i in range(40_000)) + ">inside</div><p>after</p>")
    assert page.cuts == ("attributes",)
    assert page.text() == "before\ninside\nafter"
    assert len(page.attributes(int(page.nodes("div")[0]))) <= MAX_ATTRIBUTES


def test_a_long_embedded_image_is_no_monster():
    page = parse("<img src='data:image/png;base64," + "QUJD" * 20_000 + "' alt='x'><p>text</p>")
    assert page.cuts == ()
    assert page.text() == "text"


def test_a_million_links_are_cut_and_marked():
    page = parse("<a href=/x>y</a>" * (MAX_LINKS + 5))
    assert len(page.link_urls) == MAX_LINKS
    assert page.cuts == ("links",)


def test_too_many_nodes_are_cut_and_marked():
    page = parse("<b></b>" * (MAX_NODES + 5))
    assert len(page) == MAX_NODES
    assert "nodes" in page.cuts


def test_control_characters_are_cleaned_at_entry():
    page = parse(b"<p>a\x00b\x01c&#1;d&#x1F;e&#31;f&#127;g&#9;h&#128512;&#12;i</p>")
    assert not any(ord(character) < 32 for character in page.text())
    assert page.text() == "abc�d�e�f�g h😀 i"


def test_mixed_encodings_are_read():
    assert parse("<meta charset=gb2312><p>中文新闻".encode("gb18030")).text() == "中文新闻"
    assert parse("<p>中文新闻网站".encode("gbk"), encoding="gbk").language == "zh"


# --- blocks ---------------------------------------------------------------------------------------------------------


def block_texts(page):
    texts = {}
    for chunk, node in zip(page.chunks, page.chunk_node.tolist(), strict=True):
        texts.setdefault(int(page.block[node]), []).append(chunk.strip())
    return list(texts.values())


def test_records_belong_to_the_list_that_holds_them():
    cards = "".join(
        f"<div class='card post-{i}'><div class=t>T{i}</div><div class=d>D{i}</div></div>" for i in range(5)
    )
    page = parse(f"<body><nav><ul><li>Home</li><li>News</li></ul></nav><main>{cards}</main><footer>Imprint</footer>")
    assert block_texts(page) == [
        ["Home", "News"],
        [f"{letter}{i}" for i in range(5) for letter in "TD"],
        ["Imprint"],
    ]


def test_columns_that_carry_the_page_are_blocks_although_they_are_alike():
    page = parse("".join(f"<div class=col>{letter * 50}</div>" for letter in "abc"))
    assert block_texts(page) == [["a" * 50], ["b" * 50], ["c" * 50]]


def test_every_node_is_in_exactly_one_block_at_or_above_it():
    page = parse("<body><div><p>x</p><table><tr><td>y</td></tr></table></div><p>z</p>")
    for node, block in enumerate(page.block.tolist()):
        assert block <= node < page.subtree_end[block]
        assert page.block[block] == block


def test_arrays_have_their_documented_types():
    page = parse("<p>x <a href=y>z</a>")
    for name in ("kind", "parent", "subtree_end", "depth", "chunk_node", "link_node", "term", "term_node"):
        assert getattr(page, name).dtype == np.int32, name


def test_body_that_libxml2_leaves_in_the_head_is_shown():
    page = parse("<title>Name</title><main><h1>Flood</h1><p>Water rose.</p></main>")
    assert (page.title, page.text()) == ("Name", "Flood\nWater rose.")
    assert "".join(page.chunks) == "FloodWater rose."


def test_linked_data_is_kept_in_the_store_up_to_a_limit():
    script = '<script type="application/LD+JSON; charset=utf-8">{}</script>'
    page = parse(script.format('{"a": "&amp;"}') + script.format("x" * 70_000) + script.format("[]") + "<p>Text</p>")
    assert page.linked_data == ['{"a": "&amp;"}', "[]"]
    assert Page.unpack(page.pack()).linked_data == page.linked_data
    assert page.text() == "Text"
    assert parse("<script>[]</script>").linked_data == []


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ('<html lang="de-AT"><meta property="og:locale" content="fr_FR">', "de"),
        ('<html><meta property="og:locale" content="fr_FR">', "fr"),
        ('<html><script type="application/ld+json">{"inLanguage": "es-MX"}</script>', "es"),
    ],
)
def test_language_is_declared_by_html_else_by_metadata(head, language):
    assert parse(head + "<p>Ok</p>").language == language
