"""The compressed structure tree: the paper's example, its formulas by hand, its edges, and what it is built from."""

from __future__ import annotations

import math
import random
import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import webstruct
from webstruct.demo import DemoSite
from webstruct.page import Page
from webstruct.similar_sets import Sets
from webstruct.structure_tree import StructureTree

# A block three levels high, so that its parent is no leaf and it is a leaf of its own.
DEEP = "<div{}><p><b>{}</b></p></div>"


def page(body, number=0):
    return Page.parse(f"<html lang=en><body>{body}</body></html>", f"http://example.com/{number}")


def block(words, attributes=""):
    return DEEP.format(attributes, words)


def pages_of(*bodies):
    return [page(body, number) for number, body in enumerate(bodies)]


def figure_2():
    """Two pages with one root style and two BODY styles: the second has a SPAN more."""
    table = "<table width=800><tr><td><p><b>Menu words</b></p></td></tr></table>"
    first = table + "<img width=800>" + block("Camera lens", " bgcolor=red")
    second = table + "<img width=800><span><i><b><u>Sale</u></b></i></span>" + block("Notebook screen", " bgcolor=red")
    return pages_of(first, second)


def test_figure_2_root_has_one_style_and_body_two():
    tree = StructureTree.of(figure_2()).compress()
    assert tree.tags[:2].tolist() == [2, 2]
    assert tree.parent[:2].tolist() == [-1, 0]
    assert tree.node_importance[:2].tolist() == [0.0, 1.0]
    assert tree.path_importance[:2].tolist() == [0.0, 1.0]


def test_figure_2_all_but_the_span_is_merged_where_words_agree():
    tree = StructureTree.of(figure_2()).compress()
    children = np.flatnonzero(tree.parent == 1)
    # The tables read the same and merge; the images have no words and the last blocks other words.
    assert sorted(tree.tags[children].tolist()) == [1, 1, 1, 1, 1, 2]


def test_styles_tell_tags_attributes_and_order():
    def root_styles(*bodies):
        return StructureTree.of(pages_of(*bodies)).compress().node_importance[1]

    assert root_styles(block("x"), block("x", " class=other")) == 0, "a class is no display attribute"
    assert root_styles(block("x"), block("x", " width=10")) == 1
    assert root_styles("<hr>" + block("x"), block("x") + "<hr>") == 1
    assert root_styles("<script>1</script>" + block("x"), block("x")) == 0, "a script shows nothing"


def test_style_entropy_of_uneven_styles():
    bodies = [block("x")] * 3 + ["<hr>" + block("x")]
    tree = StructureTree.of(pages_of(*bodies)).compress()
    expected = -(0.75 * math.log(0.75, 4) + 0.25 * math.log(0.25, 4))
    assert tree.node_importance[1] == pytest.approx(expected)


def test_leaf_weights_by_hand_as_published():
    """One style everywhere; in the leaf: apple on both pages (1, 3 times), plum on one (twice), pear on both alike."""
    first, second = pages_of(block("apple plum plum pear"), block("apple apple apple pear"))
    tree = StructureTree.of([first, second]).compress(base="tags")
    apple = -(0.25 * math.log2(0.25) + 0.75 * math.log2(0.75))
    leaf = 1 - (apple + 0 + 1) / 3
    weights = dict(zip(first.term_names, tree.weights(first), strict=True))
    assert weights == pytest.approx({"appl": leaf * (1 - apple), "plum": leaf * 2, "pear": 0.0})
    assert tree.weights(second)[second.term_names.index("appl")] == pytest.approx(leaf * (1 - apple) * 3)
    assert tree.leaf_importance.max() == pytest.approx(leaf)


def test_leaf_weights_by_hand_to_the_base_of_pages():
    """The leaf stands on two of four pages under one style: two tags that agree are half as certain as four."""
    other = "<hr><hr>"
    pages = pages_of(block("apple plum"), block("apple pear"), other + block("x1"), other + block("x2"))
    tree = StructureTree.of(pages).compress()
    weights = dict(zip(pages[0].term_names, tree.weights(pages[0]), strict=True))
    body = 0.5  # two styles on two pages each, log to the base 4
    leaf = 1 - 0.5 / 3  # only apple is spread: over two pages, log to the base 4
    path = 1 - (1 - body) * (1 - leaf)
    assert weights == pytest.approx({"appl": path * 0.5, "plum": path})
    published = StructureTree.of(pages).compress(base="tags")
    path = 1 - (1 - body) * (1 - 2 / 3)
    assert published.weights(pages[0]) == pytest.approx([0.0, path])


def test_two_bases_agree_where_every_page_has_the_place():
    pages = pages_of(block("apple plum"), block("apple pear"))
    tree = StructureTree.of(pages)
    assert tree.compress().weights(pages[0]).tolist() == tree.compress(base="tags").weights(pages[0]).tolist()


def test_words_between_children_are_a_leaf_of_their_own():
    bodies = [f"<div>Legend {word}<div><p><b>menu</b></p></div></div>" for word in ("flood", "vote")]
    pages = pages_of(*bodies)
    leaf = 1 - (1 + 0 + 0) / 3  # legend stands on both pages, flood and vote on one each
    assert StructureTree.of(pages).compress().features(pages[0]) == {"flood": round(leaf, 4)}


def test_one_page_weighs_what_it_counts():
    only = page(block("flood flood vote") + "<p>loose vote")
    tree = StructureTree.of([only]).compress()
    assert tree.features(only) == {"flood": 2.0, "vote": 2.0, "loos": 1.0}
    assert set(tree.importance(only).tolist()) == {1.0}


def test_identical_pages_weigh_nothing():
    pages = pages_of(*["loose" + block("flood vote") + block("menu menu flood")] * 7)
    for base in ("pages", "tags"):
        tree = StructureTree.of(pages).compress(base=base)
        for one in pages:
            assert tree.weights(one).tolist() == [0.0] * len(one.term_names)
            assert tree.importance(one).tolist() == [0.0] * len(one)


@pytest.mark.parametrize("bodies", [[], [""], ["", ""], ["<p>", "<p>flood"]])
def test_no_pages_and_empty_pages(bodies):
    tree = StructureTree.of(pages_of(*bodies)).compress()
    for own in (page(""), page("<p>flood"), page(block("flood"))):
        assert np.isfinite(tree.weights(own)).all()
        assert ((tree.importance(own) >= 0) & (tree.importance(own) <= 1)).all()


def test_pages_seen_for_the_first_time_are_weighed_by_what_is_known():
    menu = "<ul><li><a><i>contact</i></a></li></ul>"
    known = pages_of(*[menu + block(f"story {word}") for word in ("flood", "vote", "match", "goal")])
    tree = StructureTree.of(known).compress()
    new = page(menu + block("story quake"), 9)
    assert set(tree.features(new)) == {"quak"}
    other_style = page("<hr>" + menu + block("story quake"), 10)
    assert "contact" not in tree.features(other_style), "the menu is known by its words"
    assert tree.features(other_style)["quak"] == 1.0


@pytest.fixture(scope="module")
def demo_pages():
    site = DemoSite(pages=120, dirt=False)
    return [Page.parse(site.page(path).body, "http://lantern.example" + path) for path in site.paths()]


def test_path_importance_never_falls_on_the_way_down(demo_pages):
    tree = StructureTree.of(demo_pages).compress()
    assert len(tree.tags) > 100
    for values in (tree.node_importance, tree.path_importance, tree.leaf_importance):
        assert values.min() >= 0
        assert values.max() <= 1
    assert (tree.path_importance[1:] >= tree.path_importance[tree.parent[1:]] - 1e-12).all()
    assert (tree.leaf_importance >= tree.path_importance - 1e-12).all()


def test_importance_is_a_view_of_a_page_bright_on_articles_dark_on_menus(demo_pages):
    tree = StructureTree.of(demo_pages).compress()
    for own in [own for own in demo_pages if len(own.nodes("article")) == 1][:5]:
        importance = tree.importance(own)
        assert importance.shape == (len(own),)
        words = np.bincount(own.term_node, minlength=len(own))
        article, menu = (own_slice(own, tag) for tag in ("article", "nav"))
        assert np.average(importance[article], weights=words[article]) > 0.7
        assert np.average(importance[menu], weights=words[menu]) < 0.5
        weights = np.bincount(own.term_node, tree.term_weights(own), minlength=len(own))
        in_article, in_menu = (weights[place].sum() / words[place].sum() for place in (article, menu))
        assert in_menu < in_article / 3


def own_slice(own, tag):
    node = int(own.nodes(tag)[0])
    return slice(node, int(own.subtree_end[node]))


def test_the_result_depends_on_the_set_of_pages_not_on_their_order(demo_pages):
    shuffled = random.Random(7).sample(demo_pages, len(demo_pages))
    one, other = StructureTree.of(demo_pages).compress(), StructureTree.of(shuffled).compress()
    assert sorted(one.tags.tolist()) == sorted(other.tags.tolist())
    for own in demo_pages[::10]:
        assert one.weights(own) == pytest.approx(other.weights(own), abs=1e-9)


def test_a_stored_page_is_weighed_as_a_fresh_one(demo_pages):
    stored = [Page.unpack(own.pack()) for own in demo_pages]
    one, other = StructureTree.of(demo_pages).compress(), StructureTree.of(stored).compress()
    assert one.features(demo_pages[7]) == other.features(stored[7])


def test_adding_is_incremental(demo_pages):
    tree = StructureTree.of(demo_pages[:60])
    tree.compress()
    for own in demo_pages[60:]:
        tree.add(own)
    assert tree.compress().features(demo_pages[0]) == StructureTree.of(demo_pages).compress().features(demo_pages[0])


@pytest.mark.parametrize(
    "body",
    [
        block("flood vote") * 33_000,
        "<ul>" + "<li><a><b>same</b></a>" * 33_000 + "</ul>",
        "<div>" * 2000 + "flood" + "<p><b><i>vote</i></b></p>" * 25_000,
    ],
    ids=["broad", "list", "deep"],
)
def test_a_hundred_thousand_nodes(body):
    large, small = page(body), page(block("flood"), 1)
    second = page(body + block("other"), 2)
    assert len(large) > 75_000
    begin = time.process_time()
    tree = StructureTree.of([small, large, second]).compress()
    assert np.isfinite(tree.weights(large)).all()
    assert np.isfinite(tree.importance(page("<hr>" + body, 3))).all()
    assert time.process_time() - begin < 20


def test_site_weights_are_a_matrix_for_scikit_learn(demo_pages):
    matrix, terms, urls = webstruct.weights(webstruct.learn(demo_pages))
    assert matrix.shape == (len(demo_pages), len(terms))
    assert urls == [own.url for own in demo_pages]
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    tree = StructureTree.of(demo_pages).compress()
    row = matrix[[5]].toarray()[0]
    expected = tree.features(demo_pages[5])
    assert {terms[k]: round(float(row[k]), 4) for k in np.flatnonzero(row.round(4))} == expected
    assert not (matrix.data == 0).any()


def test_site_weights_of_no_pages():
    matrix, terms, urls = webstruct.weights(webstruct.learn([]))
    assert (matrix.shape, terms, urls) == ((0, 0), [], [])


def sets_of(sets, groups):
    words = np.array([word for own in sets for word in sorted(own)], dtype=np.int64)
    begin = np.cumsum([0, *map(len, sets)])
    names = np.arange(1, 60, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return Sets(words, begin, np.array(groups, dtype=np.int64), names)


def jaccard(one, other):
    return len(one & other) / len(one | other)


def test_equal_sets_of_a_group_go_together_and_similar_ones_in_pairs():
    large = set(range(20))
    sets = [large, large, large | {30}, {40}, {40}, {40}]
    label = sets_of(sets, [0, 0, 0, 0, 0, 1]).merge_similar(0.85).tolist()
    assert label[0] == label[1] == label[2]
    assert label[3] == label[4] != label[5]
    assert label[3] != label[0]


@given(
    st.lists(st.tuples(st.frozensets(st.integers(0, 12), min_size=1), st.integers(0, 2)), min_size=1, max_size=12),
    st.sampled_from([0.5, 0.7, 0.85]),
)
def test_merging_leaves_no_pair_that_should_have_merged(rows, threshold):
    sets, groups = [own for own, _ in rows], [group for _, group in rows]
    label = sets_of(sets, groups).merge_similar(threshold).tolist()
    for one in range(len(sets)):
        for other in range(one):
            together, same_group = label[one] == label[other], groups[one] == groups[other]
            if sets[one] == sets[other] and same_group:
                assert together
            if together:
                assert same_group
    distinct = {(group, own) for own, group in rows}
    merged = len(set(label))
    similar = [jaccard(one[1], other[1]) >= threshold for one, other in combinations(distinct, 2) if one[0] == other[0]]
    assert (merged < len(distinct)) == any(similar)
