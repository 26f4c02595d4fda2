"""LAMIS against the paper's worked site, and on graphs that are odd."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from webstruct.entropy import TermEntropy
from webstruct.errors import WebstructError
from webstruct.lamis import VARIANTS, Links, from_graph, graph, lamis, read_links
from webstruct.page import Page
from webstruct.sitepages import SitePages

# Fig. 7, rebuilt from Table 1: page → (target, terms of the anchor).
WORKED_SITE = {
    0: [(1, "T0 T1"), (2, "T2")],
    1: [(3, "T3"), (4, "T4"), (0, "T5"), (2, "T2")],
    2: [(0, "T5")],
    3: [(1, "T0 T1"), (0, "T5"), (2, "T2"), (4, "T1 T4")],
    4: [(1, "T0 T1"), (0, "T5"), (2, "T2"), (3, "T1 T3")],
}
TABLE_1 = {"T0 T1": 0.669, "T2": 0.861, "T5": 0.861, "T3": 0.430, "T4": 0.430, "T1 T4": 0.543, "T1 T3": 0.543}
TABLE_2 = {
    "HITS": ([0.535, 0.419, 0.576, 0.321, 0.321], [0.297, 0.524, 0.160, 0.553, 0.553]),
    "LAMIS": ([0.229, 0.338, 0.244, 0.622, 0.622], [0.142, 0.756, 0.031, 0.451, 0.451]),
}


def worked_site(order=range(5)):
    site = nx.DiGraph()
    site.add_nodes_from(order)
    for source in order:
        for target, terms in WORKED_SITE[source]:
            site.add_edge(source, target, terms=terms.split())
    return site


def links(pages, *pairs, entropy=0.2):
    count = len(pairs)
    source, target = np.array(pairs, dtype=np.int32).reshape(count, 2).T
    return Links(pages, source, target, np.full(count, entropy), np.full(count, 3, dtype=np.int32), source)


def test_link_entropies_of_the_worked_site_are_those_of_table_1():
    site = worked_site()
    wanted = [TABLE_1[" ".join(data["terms"])] for _, _, data in site.edges(data=True)]
    assert from_graph(site).entropy == pytest.approx(wanted, abs=0.001)


@pytest.mark.parametrize("rounds", [10, 200])
@pytest.mark.parametrize("variant", TABLE_2)
def test_hubs_and_authorities_of_the_worked_site_are_those_of_table_2(variant, rounds):
    ranking = lamis(worked_site(), **VARIANTS[variant], max_rounds=rounds)
    authority, hub = TABLE_2[variant]
    assert ranking.authority == pytest.approx(authority, abs=0.001)
    assert ranking.hub == pytest.approx(hub, abs=0.001)


def test_table_4_has_eleven_rows_and_its_last_is_the_default():
    assert len(VARIANTS) == 11
    last = list(VARIANTS.values())[-1]
    assert lamis(worked_site(), **last).rank == pytest.approx(lamis(worked_site()).rank)


@pytest.mark.parametrize("variant", VARIANTS)
def test_ranking_does_not_depend_on_the_order_of_pages(variant):
    order = [3, 0, 4, 2, 1]
    straight = lamis(worked_site(), **VARIANTS[variant]).rank
    shuffled = lamis(worked_site(order), **VARIANTS[variant]).rank
    assert shuffled == pytest.approx(straight[order], abs=1e-6)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "site",
    [
        links(0),
        links(1),
        links(3),
        links(1, (0, 0)),
        links(4, (0, 1), (2, 3)),
        links(2, (0, 1), (1, 0)),
        links(3, (0, 1), (1, 2), entropy=1.0),
    ],
    ids=["empty", "one page", "no links", "self-link", "islands", "swing", "all redundant"],
)
def test_odd_graphs_give_finite_values(site, variant):
    ranking = lamis(site, **VARIANTS[variant])
    for values in (ranking.hub, ranking.authority, ranking.rank):
        assert values.shape == (site.pages,)
        assert np.isfinite(values).all()


def test_self_links_say_nothing():
    with_self = lamis(links(3, (0, 1), (0, 2), (1, 1)), hr=False)
    assert with_self.rank == pytest.approx(lamis(links(3, (0, 1), (0, 2)), hr=False).rank)


@pytest.mark.parametrize("ln", [True, False])
def test_of_several_links_between_two_pages_one_counts(ln):
    once = lamis(links(4, (0, 1), (2, 3), (2, 1)), ln=ln)
    twice = lamis(links(4, (0, 1), (0, 1), (2, 3), (2, 1), (0, 1)), ln=ln)
    assert twice.hub == pytest.approx(once.hub)


def test_link_normalisation_in_closed_form_is_what_its_rounds_converge_to():
    random = np.random.default_rng(5)
    source, target = random.integers(0, 40, (2, 300)).astype(np.int32)
    weights = np.zeros((40, 40))
    weights[source, target] = 1.0
    np.fill_diagonal(weights, 0.0)
    hub = (weights.sum(1) > 0).astype(float)
    for _ in range(500):
        authority = (weights / np.maximum(weights.sum(1, keepdims=True), 1)).T @ hub
        hub = (weights / np.maximum(weights.sum(0, keepdims=True), 1)) @ authority
    site = Links(40, source, target, np.zeros(300), np.ones(300, dtype=np.int32), source)
    ranking = lamis(site, **VARIANTS["HITS-LN"])
    assert ranking.hub == pytest.approx(hub / np.linalg.norm(hub), abs=1e-6)
    assert ranking.authority == pytest.approx(authority / np.linalg.norm(authority), abs=1e-6)


def test_hits_agrees_with_networkx():
    site = nx.gnp_random_graph(60, 0.1, seed=3, directed=True)
    nx.set_edge_attributes(site, 0.0, "entropy")
    hubs, authorities = nx.hits(site)
    ranking = lamis(site, **VARIANTS["HITS"], tolerance=1e-12, max_rounds=2000)
    assert ranking.hub / ranking.hub.sum() == pytest.approx(list(hubs.values()), abs=1e-6)
    assert ranking.authority / ranking.authority.sum() == pytest.approx(list(authorities.values()), abs=1e-6)


def test_a_block_of_menu_links_does_not_lift_what_its_page_lists():
    pairs = [(0, 3), (0, 4), (1, 3), (1, 4), (2, 3), (2, 4), (0, 5)]
    site = links(6, *pairs)
    blocks = np.array([0, 0, 1, 1, 2, 2, 3], dtype=np.int32)
    site = Links(6, site.source, site.target, site.entropy, site.terms, blocks)
    page_mode, block_mode = (lamis(site, **VARIANTS[name]).authority for name in ("HITS", "CB-HITS"))
    assert page_mode[5] > 0.1
    assert block_mode[5] < 0.01


def test_hybrid_ranking_is_off_below_a_thousand_links():
    assert lamis(worked_site(), hr=True).rank == pytest.approx(lamis(worked_site(), hr=False).rank)


def test_a_link_without_words_has_no_term_weight():
    site = links(3, (0, 1), (1, 2))
    silent = Links(3, site.source, site.target, site.entropy, np.array([3, 0], dtype=np.int32), site.block)
    assert lamis(silent).hub.tolist() == [1.0, 0.0, 0.0]


def test_a_million_equal_anchors():
    count = 1_000_000
    same = np.zeros(count, dtype=np.int32)
    site = Links(2, same, same + 1, np.full(count, 0.5), same + 2, same)
    for switches in VARIANTS.values():
        assert np.isfinite(lamis(site, **switches).rank).all()


def test_an_edge_without_terms_or_entropy_is_refused():
    site = nx.DiGraph()
    site.add_edge("a", "b", anchor="Home")
    with pytest.raises(WebstructError, match="anchor"):
        lamis(site)


def test_links_between_two_pages_may_be_several_in_a_multigraph():
    site = nx.MultiDiGraph()
    site.add_edge("list", "a", terms=["flood"], block="body")
    site.add_edge("list", "a", terms=["more"], block="body")
    site.add_edge("list", "b", entropy=0.3, block="menu")
    found = from_graph(site)
    assert len(found) == 3
    assert len(set(found.block.tolist())) == 2


def test_links_of_pages_take_the_alt_text_of_images():
    body = '<p><a href="/b">flood warning</a> <a href="/b"><img src=x alt="river flood"></a> <a href="/c"></a>'
    pages = [Page.parse(body, "http://e.com/a"), Page.parse("<p>river", "http://e.com/b")]
    statistics = TermEntropy()
    for page in pages:
        statistics.update(*page.term_counts())
    targets = [np.array([1, 1, -1], dtype=np.int32), np.zeros(0, dtype=np.int32)]
    found = read_links(SitePages(pages, targets, statistics, np.zeros(2, dtype=np.int32)))
    assert found.source.tolist() == [0, 0]
    assert found.terms.tolist() == [2, 2]


def test_graph_is_written_and_read_as_graphml_and_gexf_before_and_after_the_cut(tmp_path):
    found = from_graph(worked_site())
    names = [f"http://e.com/{page}" for page in range(5)]
    texts = [f"link {number} & 链接" for number in range(len(found))]
    types = ["other", "toc", "other", "article", "article"]
    for below, edges in ((2.0, 15), (0.8, 7), (0.5, 2)):
        drawn = graph(found, names, ranking=lamis(found), types=types, anchor_texts=texts, below=below)
        assert (drawn.number_of_nodes(), drawn.number_of_edges()) == (5, edges)
        nx.write_graphml(drawn, tmp_path / "site.graphml")
        nx.write_gexf(drawn, tmp_path / "site.gexf")
        for read in (nx.read_graphml(tmp_path / "site.graphml"), nx.read_gexf(tmp_path / "site.gexf")):
            assert read.nodes[names[1]]["type"] == "toc"
            assert read.nodes[names[1]]["hub"] == pytest.approx(drawn.nodes[names[1]]["hub"])
            assert read.edges[names[1], names[3]]["text"] == texts[2]
            assert read.edges[names[1], names[3]]["entropy"] == pytest.approx(0.431, abs=0.001)


def test_of_several_links_a_drawn_edge_is_the_most_informative():
    source, target = np.zeros(3, dtype=np.int32), np.ones(3, dtype=np.int32)
    found = Links(2, source, target, np.array([0.9, 0.2, 0.2]), target, source)
    drawn = graph(found, ["a", "b"], anchor_texts=["menu", "headline", "more"])
    assert drawn.edges["a", "b"]["text"] == "headline"
