"""LAMIS: which pages list articles, which are articles? Link analysis weighted by anchor entropy (LAMIS §3.1, §3.3–5.2).

A link whose words stand on every page (menus) tells little, one whose words are rare tells much: ``α = 1 − E(anchor)``, where
``E(anchor)`` is the mean entropy of the anchor's terms. HITS with these weights gives each page a hub and an authority value:
list pages (TOC) are hubs, articles are authorities. The rows of Table 4 are one function with switches:

- `ent`: weights from anchor entropy (else 1: HITS);
- `ln`, link normalisation (SALSA): a weight is divided by all weights that leave its hub, or enter its authority;
- `cb`, content blocks: hubs are the blocks of pages, and a page's hub value is that of its best block;
- `hr`, hybrid ranking: ``rank = hub − n · authority``, ``n = log2(links / 1000)``;
- `tw`, term weight: ``α · (1 + log10(terms))``.

The swing of Figs 10 and 11 comes from updating hubs and authorities at the same time, which runs two chains side by side.
Here hubs are always computed from the authorities just found: one chain, and a power iteration of a matrix without negative
eigenvalues, which does not swing. Link normalisation has a closed form, so it needs no rounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from webstruct.entropy import TermEntropy
from webstruct.errors import WebstructError
from webstruct.page import Page
from webstruct.sitepages import SitePages
from webstruct.terms import TermAnalyzer

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]

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
        Without `ln`: stop when no authority changes by more than `tolerance` in one round, or after `max_rounds`.

    >>> site = nx.DiGraph()
    >>> site.add_edge("list", "a", terms=["flood"])
    >>> site.add_edge("list", "b", terms=["match"])
    >>> site.add_edge("a", "list", terms=["home"])
    >>> site.add_edge("b", "list", terms=["home"])
    >>> dict(zip(site, lamis(site).rank.round(2).tolist()))
    {'list': 0.82, 'a': 0.41, 'b': 0.41}
    """
    links = from_graph(links) if isinstance(links, nx.Graph) else links
    if ol:
        out_links = np.bincount(links.source, minlength=links.pages).astype(float)
        return Ranking(out_links, np.zeros(links.pages), out_links, np.zeros(0), 0)
    blocks = int(links.block.max(initial=-1)) + 1
    hub_node, hub_nodes = (links.block, blocks) if cb else (links.source, links.pages)
    weights = _matrix(hub_node, links.target, _weights(links, ent=ent, tw=tw), (hub_nodes, links.pages))
    hub, authority, rounds = _salsa(weights) if ln else _hits(weights, tolerance, max_rounds)
    page_hub = _best_block(links, hub) if cb else hub
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
    """Power iteration, from all authorities equal; each round takes hubs from authorities, then authorities from hubs."""
    hubs_to_authorities = weights.T.tocsr()
    authority = _unit(np.ones(weights.shape[1]))
    hub = np.zeros(weights.shape[0])
    rounds = 0
    for rounds in range(1, max_rounds + 1):
        hub = _unit(weights @ authority)
        before, authority = authority, _unit(hubs_to_authorities @ hub)
        if np.abs(authority - before).max(initial=0.0) <= tolerance:
            break
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


def _best_block(links: Links, block_hub: FloatArray) -> FloatArray:
    hub = np.zeros(links.pages)
    np.maximum.at(hub, links.source, block_hub[links.block])
    return hub


def from_graph(graph: nx.DiGraph) -> Links:
    """The links of a networkx (Multi)DiGraph; pages are numbered in the order of its nodes.

    An edge has `entropy` (and `terms`, a number), or `terms`, a list of words; then entropies are those over the anchors of
    all pages. An edge may have `block`, any name of a part of its source page.
    """
    number = {node: place for place, node in enumerate(graph)}
    edges = [(number[source], number[target], data) for source, target, data in graph.edges(data=True)]
    statistics = TermEntropy()
    for page, node in enumerate(graph):
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
    pieces: list[tuple[IntArray, ...]] = []
    entropies: list[FloatArray] = []
    blocks = 0
    for number, page in enumerate(site.pages):
        target = np.asarray(site.targets[number])
        inner = np.flatnonzero(target >= 0)
        found = anchors(page, site.entropy)
        names, block = np.unique(page.block[page.link_node[inner]], return_inverse=True)
        source = np.full(len(inner), number, dtype=np.int32)
        pieces.append((source, target[inner], found.terms[inner], (block + blocks).astype(np.int32)))
        entropies.append(found.entropy[inner])
        blocks += len(names)
    source, target, terms, block = (
        np.concatenate([piece[place] for piece in pieces]) if pieces else np.zeros(0, dtype=np.int32) for place in range(4)
    )
    return Links(len(site), source, target, np.concatenate(entropies) if entropies else np.zeros(0), terms, block)
