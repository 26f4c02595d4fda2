"""WISDOM against the paper's figures and trees worked out by hand."""

import math

import numpy as np
import pytest

from webstruct.entropy import TermEntropy
from webstruct.evaluation import information_coverage, significant_node_coverage
from webstruct.page import Page
from webstruct.wisdom import (
    Parameters,
    anchor_precision,
    coverage_tree,
    expand,
    informative_structure,
    k_mib,
    leaves_by_constraint,
    leaves_by_length,
    type_constraint,
)


def page_of(body):
    return Page.parse(body, "http://site.example/page")


def entropy_of(*pages):
    state = TermEntropy()
    for page in pages:
        state.update(*page.term_counts())
    return state


def node(page, identity):
    return next(n for n in range(len(page)) if page.attributes(n).get("id") == identity)


@pytest.mark.parametrize(("counts", "weight"), [((2, 2, 2), 0.207519), ((1, 1, 4), 0.374185)])
def test_weights_of_figure_5(counts, weight):
    state = TermEntropy()
    for count in counts:
        state.update(["term"], [count])
    state.update([], [])
    assert state.weights()[0] == pytest.approx(weight, abs=1e-6)


def test_features_are_summed_up_the_tree():
    page = page_of('<div id=a>12345<p id=b>123<a href="/x" id=c>1234</a></p><p id=d>1</p></div>')
    tree = coverage_tree(page, TermEntropy())
    a, b, c = node(page, "a"), node(page, "b"), node(page, "c")
    assert (tree.clen[a], tree.alen[a], tree.anchors[a]) == (9, 4, 1)
    assert (tree.clen[b], tree.alen[b]) == (3, 4)
    assert (tree.clen[c], tree.alen[c]) == (0, 4)


def test_structure_index_is_the_entropy_of_the_children():
    page = page_of(
        "<div id=even><p>1234</p><p>1234</p></div><div id=odd><p>123</p><p>1</p></div><div id=one><p>1</p></div>"
    )
    tree = coverage_tree(page, TermEntropy())
    sii = tree.sii(tree.clen)
    assert sii[node(page, "even")] == pytest.approx(1)
    assert sii[node(page, "odd")] == pytest.approx(-(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)))
    assert sii[node(page, "one")] == 0


def test_content_index_is_the_mean_weight_of_the_terms():
    pages = [page_of(f"<p id=menu>home news</p><p id=text>{word} {word}x</p>") for word in ("flood", "match", "vote")]
    tree = coverage_tree(pages[0], entropy_of(*pages))
    assert tree.cii[node(pages[0], "menu")] == pytest.approx(0)
    assert tree.cii[node(pages[0], "text")] == pytest.approx(1)
    assert tree.cii[0] == pytest.approx(2 / len(pages[0].term))


def test_anchor_precision_sums_inverse_entropies_of_shared_terms():
    page = page_of('<a href="/1" id=a>flood warning</a><a href="/2" id=b>home</a>')
    linked = page_of("<h1>flood warning issued</h1>")
    other = page_of("<p>weather")
    state = entropy_of(page, linked, other)
    of_term = state.entropy(state.ids(page.term_names))
    api = anchor_precision(page, of_term, [set(linked.term_names), None])
    assert api[node(page, "a")] == pytest.approx(2 / (math.log(2) / math.log(3)))
    assert api[node(page, "b")] == 0


ARTICLE = """<body><div id=menu><a href=/a>home</a><a href=/b>news</a></div>
<div id=story><h1 id=head>unique{n} headline{n}</h1><div id=body>
<p>alpha{n} beta{n} gamma{n} delta{n}</p><p>eins{n} zwei{n} drei{n} vier{n} f</p><p>uno{n} due{n} tre{n} quattro{n}</p>
</div><p id=sign>home news home news</p></div></body>"""


def article_pages():
    pages = [page_of(ARTICLE.format(n="x" * (n + 1))) for n in range(4)]
    return pages, entropy_of(*pages)


def test_article_block_is_found_expanded_and_condensed():
    pages, state = article_pages()
    page = pages[0]
    structure = informative_structure(coverage_tree(page, state), "article")
    assert structure.skeleton == [node(page, "body")]
    assert structure.blocks == [node(page, "head"), node(page, "body")]
    assert not structure.nodes[node(page, "sign")]
    assert not structure.nodes[node(page, "menu")]


def test_condensing_takes_out_what_fails_the_constraint():
    pages, state = article_pages()
    page = pages[0]
    tree = coverage_tree(page, state)
    fits = type_constraint(tree, "article", Parameters())
    blocks = k_mib(tree, tree.clen, fits, k=1, threshold=0.0)
    structure = informative_structure(tree, "article", parameters=Parameters(structure_threshold=0.0))
    assert structure.skeleton == blocks
    assert not structure.nodes[node(page, "menu")].any()


def test_collateral_siblings_are_merged_only_with_cstm():
    page = page_of(
        "<div id=p1><p>words of one</p></div><div id=p2><b>more</b></div><div id=p3><div id=s>"
        "<p>abc def ghi</p><p>abc def ghi</p></div></div>"
    )
    tree = coverage_tree(page, TermEntropy())
    fits = np.ones(len(page), dtype=bool)
    s = node(page, "s")
    assert expand(tree, tree.clen, fits, [s], 0) == [s]
    assert expand(tree, tree.clen, fits, [s], 1) == sorted([s, node(page, "p1"), node(page, "p2")])


TOC = """<body><div id=menu><a href=/h>home</a><a href=/n>news</a></div><ul id=list>
<li><a href=/1>flood warning river</a></li><li><a href=/2>match final goal</a></li><li><a href=/3>vote council seat</a></li>
</ul></body>"""


def test_toc_block_is_where_anchors_name_what_they_lead_to():
    toc = page_of(TOC)
    linked = [
        page_of(f"<p>home news</p><p>{text}")
        for text in ("flood warning river", "match final goal", "vote council seat")
    ]
    state = entropy_of(toc, *linked)
    terms = [set(linked[0].term_names), set(linked[1].term_names), *(set(page.term_names) for page in linked)]
    structure = informative_structure(coverage_tree(toc, state, terms), "toc")
    assert structure.skeleton == [node(toc, "list")]


def test_anchor_length_stands_in_where_api_is_blind():
    toc = page_of(TOC)
    structure = informative_structure(coverage_tree(toc, entropy_of(toc)), "toc")
    assert structure.skeleton == structure.blocks == [node(toc, "list")]


def test_baselines_choose_among_leaves():
    pages, state = article_pages()
    page = pages[0]
    tree = coverage_tree(page, state)
    assert leaves_by_constraint(tree, "article")[node(page, "head")]
    assert not leaves_by_constraint(tree, "article")[node(page, "sign")]
    assert leaves_by_length(tree)[node(page, "sign")]
    assert not leaves_by_length(tree)[node(page, "body")]


@pytest.mark.parametrize("body", ["", "<p>", "<body></body>", "<p>one</p>", "<a href=/x></a>"])
def test_tiny_pages_do_no_harm(body):
    page = page_of(body)
    tree = coverage_tree(page, entropy_of(page), [None] * len(page.link_urls))
    for block_type in ("article", "toc"):
        structure = informative_structure(tree, block_type)
        assert structure.nodes.shape == (len(page),)
    assert np.isfinite(tree.sii(tree.clen)).all()


def test_coverages_count_anchors_and_characters():
    page = page_of('<div id=a><a href="/1">12345</a><p>1234567890</p></div><div id=b><a href="/2">12345</a></div>')
    a, b = node(page, "a"), node(page, "b")
    wanted, found = np.zeros(len(page), dtype=bool), np.zeros(len(page), dtype=bool)
    wanted[a : page.subtree_end[a]] = True
    found[a : page.subtree_end[b]] = True
    assert significant_node_coverage(page, found, wanted) == (0.5, 1.0, pytest.approx(2 / 3))
    assert information_coverage(page, found, wanted) == (0.75, 1.0, pytest.approx(6 / 7))
