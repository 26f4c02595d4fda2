"""WISDOM finds the subtrees of a page that carry its article, or its links to articles.

Kao, Ho, Chen: "WISDOM: Web Intrapage Informative Structure Mining Based on Document Object Model", TKDE 2005.

The three phases of §3 on the page's arrays: features of every node and of its subtree (the information coverage tree),
a greedy search from the root for the k maximum informative blocks, and their expansion by sibling subtrees with what is
uninformative taken out again. A subtree is a slice and its features are differences of prefix sums, so a page costs
O(nodes). Names are the paper's: ALEN, CLEN, API, CII, SII, k-MIB, DSTM, k-CSTM, TC, ST.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from webstruct.flatten import SILENT_TAGS, BoolArray, covered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from webstruct.entropy import TermEntropy
    from webstruct.page import Page

FloatArray = npt.NDArray[np.float64]
BlockType = Literal["article", "toc"]

DUMMY_TAGS = SILENT_TAGS | {"br", "wbr", "hr", "meta", "link", "base"}
# §4.4: an anchor is meaningful if its text is at least so long; M2 asks the same of leaves.
MEANINGFUL_CHARS = 5


@dataclass(frozen=True)
class Parameters:
    """The paper's parameters with its defaults (§4.4).

    Attributes
    ----------
    k
        Number of blocks of the skeleton.
    structure_threshold
        ST: a node whose SII is higher spreads its information evenly over its children, and is a block.
    article_constraint
        TC of articles: the CII of a block must be greater than 1 − TC.
    toc_constraint
        TC of TOC blocks: the mean API of a block's anchors must be greater.
    collateral_merges
        k of k-CSTM.
    zero_api_share
        With more meaningful anchors than this share without API, API tells nothing on this page: ALEN is used instead,
        with `fallback_threshold` for ST, and without the constraint and the expansion, which go by API (Fig. 21).

    """

    k: int = 1
    structure_threshold: float = 0.8
    article_constraint: float = 0.8
    toc_constraint: float = 1.25
    collateral_merges: int = 1
    zero_api_share: float = 0.5
    fallback_threshold: float = 0.9


@dataclass(frozen=True)
class CoverageTree:
    """The information coverage tree (§3.2.1): by node, features of the node's whole subtree, and CII.

    Attributes
    ----------
    alen, clen, api
        ALEN_A, CLEN_A and API_A.
    anchors
        Number of anchors in the subtree.
    cii
        Mean weight of the subtree's terms; 0 without terms.
    dummy
        Elements that hold no information that could be taken out.

    """

    page: Page
    alen: FloatArray
    clen: FloatArray
    api: FloatArray
    anchors: FloatArray
    cii: FloatArray
    dummy: BoolArray

    def sii(self, feature: FloatArray) -> FloatArray:
        """SII of every node for an aggregated feature: 1 if all children have as much of it, 0 if one has it all."""
        children = np.flatnonzero(~self.dummy & (self.page.parent >= 0))
        parents, values = self.page.parent[children], feature[children]
        nodes = len(self.page)
        count = np.bincount(parents, minlength=nodes)
        total = np.bincount(parents, values, minlength=nodes)
        spread = np.bincount(parents, values * np.log(np.maximum(values, 1e-300)), minlength=nodes)
        safe = np.where(total > 0, total, 1.0)
        entropy = (np.log(safe) - spread / safe) / np.log(np.maximum(count, 2))
        return np.where((count > 1) & (total > 0), np.clip(entropy, 0.0, 1.0), 0.0)

    @property
    def leaf(self) -> BoolArray:
        """Nodes without children that matter."""
        children = np.flatnonzero(~self.dummy & (self.page.parent >= 0))
        leaves: BoolArray = np.bincount(self.page.parent[children], minlength=len(self.page)) == 0
        return leaves


@dataclass(frozen=True)
class Structure:
    """The informative structure of a page.

    Attributes
    ----------
    skeleton
        The roots that k-MIB found.
    blocks
        The roots after expansion.
    nodes
        What is left of the blocks' subtrees after condensing.

    """

    skeleton: list[int]
    blocks: list[int]
    nodes: BoolArray


def coverage_tree(
    page: Page, entropy: TermEntropy, linked_terms: Sequence[Collection[str] | None] | None = None
) -> CoverageTree:
    """Phase 1: the features of all nodes.

    Parameters
    ----------
    linked_terms
        For each link of the page the terms of the page it leads to, None for a page not seen. Without it API is 0.

    """
    of_term = entropy.entropy(entropy.ids(page.term_names))
    terms = page.subtree_sum(np.bincount(page.term_node, minlength=len(page)))
    weights = page.subtree_sum(np.bincount(page.term_node, 1.0 - of_term[page.term], minlength=len(page)))
    is_anchor = np.bincount(page.link_node, minlength=len(page)) > 0
    dummy = np.fromiter((tag in DUMMY_TAGS for tag in page.kind_tags), dtype=bool)[page.kind]
    return CoverageTree(
        page=page,
        alen=page.subtree_sum(page.anchor_chars).astype(np.float64),
        clen=page.subtree_sum(page.context_chars).astype(np.float64),
        api=page.subtree_sum(anchor_precision(page, of_term, linked_terms)),
        anchors=page.subtree_sum(is_anchor).astype(np.float64),
        cii=np.where(terms > 0, weights / np.maximum(terms, 1), 0.0),
        dummy=covered(dummy, page.subtree_end),
    )


def anchor_precision(
    page: Page, entropy: FloatArray, linked_terms: Sequence[Collection[str] | None] | None
) -> FloatArray:
    """API of every anchor (§3.1.2): the sum of 1 / E over its terms that the linked page has too.

    A term of entropy 0 stands on one page only, so that page links to itself: it is left out.
    """
    api = np.zeros(len(page))
    if linked_terms is None:
        return api
    link_of_node = np.full(len(page), -1)
    for link, node in enumerate(page.link_node.tolist()):
        link_of_node[node : page.subtree_end[node]] = link
    link_of_term = link_of_node[page.term_node]
    places = np.flatnonzero((link_of_term >= 0) & (entropy[page.term] > 0))
    pairs = np.unique(np.stack([link_of_term[places], page.term[places]], axis=1), axis=0)
    for link, term in pairs.tolist():
        linked = linked_terms[link]
        if linked is not None and page.term_names[term] in linked:
            api[page.link_node[link]] += 1.0 / entropy[term]
    return api


def informative_structure(
    tree: CoverageTree, block_type: BlockType, *, parameters: Parameters | None = None
) -> Structure:
    """Phases 2 and 3: the blocks of one type, expanded and condensed."""
    chosen = parameters or Parameters()
    if block_type == "toc" and _api_is_blind(tree, chosen.zero_api_share):
        skeleton = k_mib(tree, tree.alen, np.ones(len(tree.page), dtype=bool), chosen.k, chosen.fallback_threshold)
        return Structure(skeleton, skeleton, _below(tree, skeleton))
    feature = tree.clen if block_type == "article" else tree.api
    fits = type_constraint(tree, block_type, chosen)
    skeleton = k_mib(tree, feature, fits, chosen.k, chosen.structure_threshold)
    blocks = expand(tree, feature, fits, skeleton, chosen.collateral_merges)
    return Structure(skeleton, blocks, condense(tree, fits, blocks))


def type_constraint(tree: CoverageTree, block_type: BlockType, parameters: Parameters) -> BoolArray:
    """TC by node (§3.2.2): an informative text, or anchors that name what they lead to."""
    if block_type == "article":
        informative: BoolArray = tree.cii > 1 - parameters.article_constraint
        return informative
    precise: BoolArray = tree.api > parameters.toc_constraint * tree.anchors
    return precise


def k_mib(tree: CoverageTree, feature: FloatArray, fits: BoolArray, k: int, threshold: float) -> list[int]:
    """The k maximum informative blocks: open the node with the most of the feature, until it is spread evenly."""
    evenly, leaf, children = tree.sii(feature) > threshold, tree.leaf, _children(tree)
    heap = [(-float(feature[0]), 0)]
    found: list[int] = []
    while heap and len(found) < k:
        _, node = heapq.heappop(heap)
        if evenly[node] or leaf[node]:
            if fits[node] and feature[node] > 0:
                found.append(node)
            continue
        for child in children(node):
            heapq.heappush(heap, (-float(feature[child]), child))
    return found


def expand(
    tree: CoverageTree, feature: FloatArray, fits: BoolArray, skeleton: Sequence[int], collateral_merges: int
) -> list[int]:
    """DSTM of every skeleton node, and of its first `collateral_merges` ancestors that have several siblings."""
    children, parent = _children(tree), tree.page.parent
    blocks = set(skeleton)

    def siblings(node: int) -> list[int]:
        return [other for other in children(int(parent[node])) if other != node and feature[other] > 0] if node else []

    def merge(node: int) -> None:
        blocks.update(other for other in siblings(node) if fits[other] and feature[other] < feature[node])

    for skeleton_node in skeleton:
        merge(skeleton_node)
        merged, node = 0, int(parent[skeleton_node])
        while node > 0 and merged < collateral_merges:
            if len(siblings(node)) > 1:
                merge(node)
                merged += 1
            node = int(parent[node])
    return sorted(blocks)


def condense(tree: CoverageTree, fits: BoolArray, blocks: Sequence[int]) -> BoolArray:
    """The nodes of the blocks without the subtrees that fail the type constraint."""
    kept: BoolArray = _below(tree, blocks) & ~covered(~fits & _below(tree, blocks), tree.page.subtree_end)
    return kept


def leaves_by_constraint(
    tree: CoverageTree, block_type: BlockType, *, parameters: Parameters | None = None
) -> BoolArray:
    """Baseline M1 of §4.4: all leaves that meet the type constraint."""
    return tree.leaf & ~tree.dummy & type_constraint(tree, block_type, parameters or Parameters())


def leaves_by_length(tree: CoverageTree) -> BoolArray:
    """Baseline M2 of §4.4: all leaves with a text longer than five characters."""
    return tree.leaf & ~tree.dummy & (tree.alen + tree.clen > MEANINGFUL_CHARS)


def _api_is_blind(tree: CoverageTree, zero_api_share: float) -> bool:
    links = tree.page.link_node
    meaningful = links[tree.alen[links] >= MEANINGFUL_CHARS]
    return len(meaningful) > 0 and bool((tree.api[meaningful] == 0).mean() > zero_api_share)


def _below(tree: CoverageTree, roots: Sequence[int]) -> BoolArray:
    marked = np.zeros(len(tree.page), dtype=bool)
    marked[list(roots)] = True
    return covered(marked, tree.page.subtree_end)


def _children(tree: CoverageTree) -> Callable[[int], list[int]]:
    """A function that gives the children of a node that matter, by stepping from subtree to subtree."""
    ends, dummy = tree.page.subtree_end.tolist(), tree.dummy.tolist()

    def children(node: int) -> list[int]:
        child, found = node + 1, []
        while child < ends[node]:
            if not dummy[child]:
                found.append(child)
            child = ends[child]
        return found

    return children
