"""LAMIS: link analysis weighted by anchor entropy; ranks the pages that list articles (LAMIS §3.1, §3.3–4.2, §5.2).

A link whose words stand on every page (menus) tells little, one whose words are rare tells much: ``α = 1 − E``, where
``E`` is the mean entropy of the anchor's terms. HITS with these weights gives each page a hub and an authority value:
list pages (TOC) are hubs, articles are authorities. The rows of Table 4 are one function with switches:

- `ent`: weights from anchor entropy (else 1: HITS);
- `ln`, link normalisation (SALSA): a weight is divided by all weights that leave its hub, or enter its authority;
- `cb`, content blocks: hubs are the blocks of pages, and a page's hub value is the sum of those of its blocks;
- `hr`, hybrid ranking: ``rank = hub − n · authority``, ``n = log2(links / 1000)``;
- `tw`, term weight: ``α · (1 + log10(terms))``.

The swing of Figs 10 and 11 comes from updating hubs and authorities at the same time, which runs two chains side by
side. Here hubs are computed from the authorities just found: one chain, and a power iteration of a matrix without
negative eigenvalues, which does not swing. Link normalisation has a closed form, so it needs no rounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from webstruct.entropy import TermEntropy
from webstruct.errors import WebstructError
from webstruct.terms import TermAnalyzer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webstruct.page import Page
    from webstruct.sitepages import SitePages

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]

_NO_LINKS = tuple(np.zeros(0, dtype=dtype) for dtype in ("i4", "i4", "f8", "i4", "i4"))

# Table 4, from top to bottom.
VARIANTS: Mapping[str, Mapping[str, bool]] = {
    "OL": {"ol": True},
    "HITS": {"ent": False, "ln": False, "cb": False, "hr": False, "tw": False},
    "HITS-LN": {"ent": False, "ln": True, "cb": False, "hr": False, "tw": False},
    "LAMIS": {"ln": False, "cb": False, "hr": False, "tw": False},
    "LAMIS-LN": {"cb": False, "hr": False, "tw": False},
    "CB-HITS": {"ent": False, "ln": False, "hr": False, "tw": False},
    "CB-HITS-LN": {"ent": False, "hr": False, "tw": False},
    "LAMIS-CB": {"ln": False, "hr": False, "tw": False},
    "LAMIS-LN-CB": {"hr": False, "tw": False},
    "LAMIS-LN-CB-HR": {"tw": False},
    "LAMIS-LN-CB-HR-TW": {},
}


@dataclass(frozen=True, eq=False)
class Links:
    """The links within a site, one place in each array a link.

    Attributes
    ----------
    pages
        Number of pages; page numbers are below it.
    source, target
        The pages that a link leads from and to.
    entropy
        Mean entropy of the terms of the anchor; 1 for a link without words.
    terms
        Number of terms of the anchor.
    block
        Number of the block that the link stands in; blocks of different pages have different numbers.

    """

    pages: int
    source: IntArray
    target: IntArray
    entropy: FloatArray
    terms: IntArray
    block: IntArray

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Hub, authority and rank by page, hub by block; `rounds` is how often the values were passed on."""

    hub: FloatArray
    authority: FloatArray
    rank: FloatArray
    block_hub: FloatArray
    rounds: int


def lamis(
    links: Links | nx.DiGraph,
    *,
    ent: bool = True,
    ln: bool = True,
    cb: bool = True,
    hr: bool = True,
    tw: bool = True,
    ol: bool = False,
    tolerance: float = 1e-6,
    max_rounds: int = 200,
) -> Ranking:
    """Rank the pages of a site; a higher rank is more like a list page.

    Parameters
    ----------
    links
        Link arrays, or a networkx graph as `from_graph` takes it; its pages are numbered in the graph's own order.
    ent, ln, cb, hr, tw
        The switches of the module docstring; all on is the paper's best variant.
    ol
        Rank by the number of out-links and nothing else.
    tolerance, max_rounds
        Without `ln`: stop when a round moves the authorities (a vector of length 1) by no more than `tolerance`, or
        after `max_rounds`.

    >>> site = nx.DiGraph()
    >>> site.add_edge("list", "a", terms=["flood"])
    >>> site.add_edge("list", "b", terms=["match"])
    >>> site.add_edge("a", "list", terms=["home"])
    >>> dict(zip(site, lamis(site, ln=False).hub.round(2).tolist()))
    {'list': 1.0, 'a': 0.0, 'b': 0.0}

    """
    links = from_graph(links) if isinstance(links, nx.Graph) else links
    if ol:
        out_links = np.bincount(links.source, minlength=links.pages).astype(float)
        return Ranking(out_links, np.zeros(links.pages), out_links, np.zeros(0), 0)
    blocks = int(links.block.max(initial=-1)) + 1
    hub_node, hub_nodes = (links.block, blocks) if cb else (links.source, links.pages)
    weights = _matrix(hub_node, links.target, _weights(links, ent=ent, tw=tw), (hub_nodes, links.pages))
    hub, authority, rounds = _salsa(weights) if ln else _hits(weights, tolerance, max_rounds)
    page_hub = _sum_of_blocks(links, hub) if cb else hub
    n = max(0.0, math.log2(max(1, len(links)) / 1000)) if hr else 0.0
    return Ranking(page_hub, authority, page_hub - n * authority, hub if cb else np.zeros(0), rounds)


def _weights(links: Links, *, ent: bool, tw: bool) -> FloatArray:
    weights = 1.0 - links.entropy if ent else np.ones(len(links))
    if tw:
        weights = weights * np.where(links.terms > 0, 1.0 + np.log10(np.maximum(links.terms, 1)), 0.0)
    return np.where(links.source == links.target, 0.0, weights)


def _matrix(hub: IntArray, authority: IntArray, weights: FloatArray, shape: tuple[int, int]) -> sparse.csr_array:
    """Hubs × authorities; of several links between the same two the strongest counts, and weights of 0 are no links."""
    linked = weights > 0
    key = hub[linked].astype(np.int64) * shape[1] + authority[linked]
    order = np.argsort(key)
    key, weights = key[order], weights[linked][order]
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    strongest = np.maximum.reduceat(weights, starts) if len(starts) else weights
    rows, columns = np.divmod(key[starts], max(1, shape[1]))
    begins = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return sparse.csr_array((strongest, columns.astype(np.int32), begins), shape=shape)


def _hits(weights: sparse.csr_array, tolerance: float, max_rounds: int) -> tuple[FloatArray, FloatArray, int]:
    """Power iteration from equal authorities; each round takes hubs from authorities, then authorities from hubs."""
    to_authorities = weights.T.tocsr()
    authority = _unit(np.ones(weights.shape[1]))
    rounds, change = 0, math.inf
    while change > tolerance and rounds < max_rounds:
        hub = _unit(weights @ authority)
        before, authority = authority, _unit(to_authorities @ hub)
        change = float(np.linalg.norm(authority - before))
        rounds += 1
    return hub, authority, rounds


def _salsa(weights: sparse.csr_array) -> tuple[FloatArray, FloatArray, int]:
    """What link-normalised rounds converge to (Lempel & Moran, "SALSA", 2001, §5).

    In each connected component values are in proportion to the weights that leave a hub or enter an authority, and the
    component as a whole keeps its share of the hubs.
    """
    leaving, entering = weights.sum(axis=1), weights.sum(axis=0)
    hubs, authorities = weights.shape
    ends = np.concatenate([weights.indptr, np.full(authorities, weights.indptr[-1])])
    both = sparse.csr_array((weights.data, weights.indices + hubs, ends), shape=(hubs + authorities,) * 2)
    _, component = csgraph.connected_components(both, directed=False)
    share = np.bincount(component[:hubs], leaving > 0, minlength=component.max(initial=-1) + 1)
    total = np.bincount(component[:hubs], leaving, minlength=len(share))
    per_weight = share / np.where(total > 0, total, 1.0)
    return _unit(leaving * per_weight[component[:hubs]]), _unit(entering * per_weight[component[hubs:]]), 0


def _unit(values: FloatArray) -> FloatArray:
    length = float(np.linalg.norm(values))
    return values / length if length > 0 else values


def _sum_of_blocks(links: Links, block_hub: FloatArray) -> FloatArray:
    """Hub values of pages; the best block alone ranks worse (R-precision 0.60 against 0.71 on 15 sites)."""
    page = np.zeros(len(block_hub), dtype=np.int32)
    page[links.block] = links.source
    return np.bincount(page, block_hub, minlength=links.pages).astype(float)


def from_graph(graph: nx.DiGraph) -> Links:
    """The links of a networkx (Multi)DiGraph; pages are numbered in the order of its nodes.

    An edge has `entropy` (and `terms`, a number), or `terms`, a list of words; then entropies are those over the
    anchors of all pages. An edge may have `block`, any name of a part of its source page.
    """
    number = {node: place for place, node in enumerate(graph)}
    edges = [(number[source], number[target], data) for source, target, data in graph.edges(data=True)]
    statistics = TermEntropy()
    for node in graph:
        words: dict[str, int] = {}
        for _, _, data in graph.out_edges(node, data=True):
            for term in _words(data):
                words[term] = words.get(term, 0) + 1
        statistics.update(list(words), list(words.values()))
    blocks: dict[tuple[int, object], int] = {}
    return Links(
        pages=len(number),
        source=np.array([source for source, _, _ in edges], dtype=np.int32),
        target=np.array([target for _, target, _ in edges], dtype=np.int32),
        entropy=np.array([_edge_entropy(data, statistics) for _, _, data in edges], dtype=float),
        terms=np.array([_term_count(data) for _, _, data in edges], dtype=np.int32),
        block=np.array(
            [blocks.setdefault((source, data.get("block")), len(blocks)) for source, _, data in edges], dtype=np.int32
        ),
    )


def _words(data: Mapping[str, Any]) -> Sequence[str]:
    terms = data.get("terms", ())
    return () if isinstance(terms, int) else terms


def _term_count(data: Mapping[str, Any]) -> int:
    terms = data.get("terms", 1)
    return terms if isinstance(terms, int) else len(terms)


def _edge_entropy(data: Mapping[str, Any], statistics: TermEntropy) -> float:
    if "entropy" in data:
        return float(data["entropy"])
    if "terms" not in data or isinstance(data["terms"], int):
        raise WebstructError(f"an edge needs 'terms' (its anchor's words) or 'entropy'; this one has {sorted(data)}")
    words = data["terms"]
    return float(statistics.entropy(statistics.ids(words)).mean()) if len(words) else 1.0


class Anchors(NamedTuple):
    """Entropy and number of terms of every link of a page."""

    entropy: FloatArray
    terms: IntArray


def anchors(page: Page, statistics: TermEntropy) -> Anchors:
    """Mean entropy of the terms of each link's text; of the `alt` text of an image, if it shows no words."""
    term_entropy = statistics.entropy(statistics.ids(page.term_names))
    link = link_of(page, page.term_node)
    inside = link >= 0
    count = np.bincount(link[inside], minlength=len(page.link_node))
    total = np.bincount(link[inside], term_entropy[page.term[inside]], minlength=len(page.link_node))
    silent = np.flatnonzero(count == 0)
    if len(silent):
        labels = [page.link_text(node) for node in page.link_node[silent].tolist()]
        found = _analyzer().analyze(labels, page.language)
        label_entropy = statistics.entropy(statistics.ids(found.names))
        count[silent] = np.bincount(found.texts, minlength=len(silent))
        total[silent] = np.bincount(found.texts, label_entropy[found.ids], minlength=len(silent))
    entropy = np.where(count > 0, total / np.maximum(count, 1), 1.0)
    return Anchors(entropy, count.astype(np.int32))


@cache
def _analyzer() -> TermAnalyzer:
    return TermAnalyzer()


def link_of(page: Page, node: IntArray) -> npt.NDArray[np.int64]:
    """For each of these nodes the link that it stands in, −1 for none."""
    if not len(page.link_node):
        return np.full(len(node), -1)
    before = np.searchsorted(page.link_node, node, side="right") - 1
    inside = (before >= 0) & (node < page.subtree_end[page.link_node[before]])
    return np.where(inside, before, -1)


def read_links(site: SitePages) -> Links:
    """The links between the pages of a site, in one pass over them."""
    by_link: list[tuple[npt.NDArray[Any], ...]] = [_NO_LINKS]
    blocks = 0
    for number, page in enumerate(site.pages):
        target = np.asarray(site.targets[number], dtype=np.int32)
        inner = np.flatnonzero(target >= 0)
        source = np.full(len(inner), number, dtype=np.int32)
        found = anchors(page, site.entropy)
        names, block = np.unique(page.block[page.link_node[inner]], return_inverse=True)
        of_anchor = (found.entropy[inner], found.terms[inner])
        by_link.append((source, target[inner], *of_anchor, (block + blocks).astype(np.int32)))
        blocks += len(names)
    columns: list[npt.NDArray[Any]] = [np.concatenate(column) for column in zip(*by_link, strict=True)]
    return Links(len(site), *columns)


def graph(
    links: Links,
    names: Sequence[str],
    *,
    ranking: Ranking | None = None,
    types: Sequence[str] | None = None,
    anchor_texts: Sequence[str] | None = None,
    below: float = math.inf,
) -> nx.DiGraph:
    """The links as a networkx graph, for drawing, GraphML and GEXF (LAMIS Figs 3–6).

    Parameters
    ----------
    names
        By page, the name of its node: its URL.
    ranking, types
        Node attributes `hub`, `authority`, `rank` and `type`, by page.
    anchor_texts
        Edge attribute `text`, by link.
    below
        Leave out links with this entropy or a higher one; pages stay.

    """
    result = nx.DiGraph()
    result.add_nodes_from(names)
    of_node: dict[str, Sequence[Any]] = {} if types is None else {"type": types}
    if ranking is not None:
        of_node |= {key: getattr(ranking, key).tolist() for key in ("hub", "authority", "rank")}
    for key, values in of_node.items():
        nx.set_node_attributes(result, dict(zip(names, values, strict=True)), key)
    of_edge = {key: getattr(links, key).tolist() for key in ("entropy", "terms", "block")}
    if anchor_texts is not None:
        of_edge["text"] = anchor_texts
    # Of several links between two pages the one with the lowest entropy, then the first, comes last and stays.
    for link in np.lexsort((-np.arange(len(links)), -links.entropy)).tolist():
        if links.entropy[link] < below:
            source, target = names[links.source[link]], names[links.target[link]]
            result.add_edge(source, target, **{key: values[link] for key, values in of_edge.items()})
    return result
