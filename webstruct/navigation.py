"""SEW as published: the navigation links of a page (§3.2–3.3), and the tree that they make (§3.4).

Liu, Ng & Lim, "An Automated Algorithm for Extracting Website Skeleton", 2004. Links of a page are clustered by depth
and tag path, each set is pruned by six heuristics, and the set whose six features are most like those of known
navigation is chosen, if it is like them enough; if none is, the page is a content page. Every step can be looked at:
`navigation` returns all sets, with what each heuristic took out of them, their feature values and their confidences.

Where the paper is silent: a gap is "statistically larger" if it exceeds the mean by three standard deviations; digits
in class names are page data (``menu-item-17``); words of Chinese names are those of a dictionary.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import numpy as np

from webstruct import skeleton_parameters as trained

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

    from webstruct.page import Page
    from webstruct.sitepages import SitePages

Value = TypeVar("Value")

# What addresses of the same page may end in.
FILE_ENDING = re.compile(r"(/index)?(\.\w+)?/?$")
FEATURES = ("NumWordName", "LenName", "VarLenName", "URLType", "VarURLNumDir", "URLContain")

_PRESENTATION = ("class", "style", "size", "color", "bgcolor", "face", "align", "valign", "background")
_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_HAN = re.compile(r"[\u3400-\u9fff]")
# A feature that is the same in all training sets still may differ a little.
_LEAST_DEVIATION = 0.1


@dataclass(frozen=True)
class Node:
    """A section: its page's address, its name, its page's number, and the sections below it."""

    url: str
    name: str
    page: int
    children: tuple[Node, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The tree as it stands in `site.json`."""
        return {"url": self.url, "name": self.name, "children": [child.as_dict() for child in self.children]}

    def walk(self, above: tuple[Node, ...] = ()) -> Iterator[tuple[Node, ...]]:
        """The way from the root to each node, parents first."""
        way = (*above, self)
        yield way
        for child in self.children:
            yield from child.walk(way)


class NavigationLink(NamedTuple):
    """A link: its place in `Page.link_urls`, its address, and its name (SecName)."""

    place: int
    url: str
    name: str


@dataclass(frozen=True)
class SewParameters:
    """Trained numbers: mean and deviation of each feature, and of the combined confidence; the threshold τ.

    `min_links` and `max_links` are MinNL and MaxNL, `max_words` is MaxNumWord's threshold (§3.2.2).
    """

    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    confidence_mean: float
    confidence_deviation: float
    threshold: float
    min_links: int = 2
    max_links: int = 60
    max_words: float = 4.0
    gap_deviations: float = 3.0


@dataclass
class LinkSet:
    """A candidate: links of one depth and tag path, and what became of them.

    Attributes
    ----------
    path
        Tags from the root to the links.
    links
        What is left of the set.
    pruned
        Heuristic → links that it took out.
    dropped
        The heuristic that discarded the whole set, else empty.
    features, confidences
        By feature; empty for a set that was dropped.
    confidence
        Product of the confidences.

    """

    path: str
    links: list[NavigationLink]
    pruned: dict[str, list[NavigationLink]] = field(default_factory=dict)
    dropped: str = ""
    features: dict[str, float] = field(default_factory=dict)
    confidences: dict[str, float] = field(default_factory=dict)
    confidence: float = 0.0

    @property
    def urls(self) -> frozenset[str]:
        """What LinkSetDup compares."""
        return frozenset(link.url for link in self.links)


@dataclass
class Navigation:
    """All candidate sets of a page, and the links of the chosen one; none on a content page."""

    url: str
    candidates: list[LinkSet]
    links: list[NavigationLink]
    probability: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON; a content page has `probability` below the threshold and no links."""
        return asdict(self)


def navigation(page: Page, used_sets: Collection[frozenset[str]], parameters: SewParameters) -> Navigation:
    """Generate the candidates of a page (Fig. 2) and select the navigation link set among them (Fig. 3).

    Parameters
    ----------
    used_sets
        `LinkSet.urls` of the navigation of earlier pages.

    """
    candidates = candidate_link_sets(page, used_sets, parameters)
    best: LinkSet | None = None
    for candidate in candidates:
        if candidate.dropped:
            continue
        candidate.features = dict(zip(FEATURES, features(page, candidate.links), strict=True))
        candidate.confidences = confidences(candidate.features, parameters)
        candidate.confidence = math.prod(candidate.confidences.values())
        if best is None or candidate.confidence > best.confidence:
            best = candidate
    probability = confidence_probability(best.confidence, parameters) if best else 0.0
    accepted = best.links if best and probability >= parameters.threshold else []
    return Navigation(page.url, candidates, accepted, probability)


def navigation_links(
    page: Page, used_sets: Collection[frozenset[str]], parameters: SewParameters
) -> list[NavigationLink]:
    """The navigation links of a page; none if it is a content page."""
    return navigation(page, used_sets, parameters).links


# Candidates: §3.2


def candidate_link_sets(page: Page, used_sets: Collection[frozenset[str]], parameters: SewParameters) -> list[LinkSet]:
    """Cluster the links by depth and tag path, and prune every set; those that were dropped say why."""
    paths = _tag_paths(page)
    clusters: dict[str, list[NavigationLink]] = {}
    for place, (node, url) in enumerate(zip(page.link_node.tolist(), page.link_urls, strict=True)):
        clusters.setdefault(paths[node], []).append(NavigationLink(place, url, page.link_text(node)))
    sets = [LinkSet(path, links) for path, links in clusters.items()]
    styles = _styles(page)
    for links in sets:
        _prune(page, links, styles, used_sets, parameters)
    return sets


def _tag_paths(page: Page) -> dict[int, str]:
    """Tag path of every link; equal paths have equal depth."""
    return _by_way(page, "", lambda above, node: f"{above}/{page.tag(node)}")


def _styles(page: Page) -> dict[int, int]:
    """For every link a number that stands for the presentation attributes of the nodes on its path to the root."""
    numbers: dict[Hashable, int] = {}
    by_kind = [
        tuple((name, _DIGITS.sub("", value)) for name, value in sorted(attributes) if name in _PRESENTATION and value)
        for attributes in page.kind_attributes
    ]
    return _by_way(page, 0, lambda above, node: numbers.setdefault((above, by_kind[page.kind[node]]), len(numbers) + 1))


def _by_way(page: Page, root: Value, step: Callable[[Value, int], Value]) -> dict[int, Value]:
    """A value for every link and all nodes above it, made from that of the node above and the node itself."""
    parent = page.parent.tolist()
    known: dict[int, Value] = {-1: root}
    for link in page.link_node.tolist():
        way = []
        node = link
        while node not in known:
            way.append(node)
            node = parent[node]
        for inner in reversed(way):
            known[inner] = step(known[parent[inner]], inner)
    return known


def _prune(
    page: Page,
    links: LinkSet,
    styles: Mapping[int, int],
    used_sets: Collection[frozenset[str]],
    parameters: SewParameters,
) -> None:
    """The six heuristics in the paper's order, then the size."""
    _keep(links, "Anchor", _largest(links.links, lambda link: _is_image(page, link)))
    _keep(links, "LinkDup", _first_of_each(links.links))
    _keep(links, "Style", _largest(links.links, lambda link: styles[int(page.link_node[link.place])]))
    _keep(links, "DisDiff", _before_gap(links.links, parameters.gap_deviations))
    if np.mean([word_count(link.name) for link in links.links]) >= parameters.max_words:
        links.dropped = "MaxNumWord"
    elif links.urls in used_sets:
        links.dropped = "LinkSetDup"
    elif not parameters.min_links < len(links.links) < parameters.max_links:
        links.dropped = "MinNL" if len(links.links) <= parameters.min_links else "MaxNL"


def _keep(links: LinkSet, heuristic: str, kept: list[NavigationLink]) -> None:
    kept_places = {link.place for link in kept}
    gone = [link for link in links.links if link.place not in kept_places]
    if gone:
        links.pruned[heuristic] = gone
    links.links = kept


def _largest(links: list[NavigationLink], key: Callable[[NavigationLink], Hashable]) -> list[NavigationLink]:
    """The links of the largest cluster; the first one of equals."""
    keys = [key(link) for link in links]
    largest = Counter(keys).most_common(1)[0][0]
    return [link for link, own in zip(links, keys, strict=True) if own == largest]


def _is_image(page: Page, link: NavigationLink) -> bool:
    node = int(page.link_node[link.place])
    inside = range(node, int(page.subtree_end[node]))
    return not page.text(node) and any(page.tag(inner) == "img" for inner in inside)


def _first_of_each(links: list[NavigationLink]) -> list[NavigationLink]:
    names: set[str] = {""}
    urls: set[str] = set()
    kept = []
    for link in links:
        if link.url not in urls and (not link.name or link.name not in names):
            kept.append(link)
        names.add(link.name)
        urls.add(link.url)
    return kept


def _before_gap(links: list[NavigationLink], deviations: float) -> list[NavigationLink]:
    """The links before the first gap that is statistically larger than the others."""
    gaps = np.diff([link.place for link in links])
    if len(gaps) < 2 or not gaps.std():
        return links
    large = np.flatnonzero(gaps > gaps.mean() + deviations * gaps.std())
    return links[: large[0] + 1] if len(large) else links


# Selection: §3.3


def features(page: Page, links: Sequence[NavigationLink]) -> tuple[float, ...]:
    """The six features of a link set (§3.3.1)."""
    lengths = [len(link.name) for link in links]
    folders = [urlsplit(link.url).path.count("/") for link in links]
    here = page.url.rpartition("/")[0] + "/"
    types = Counter(_url_type(page, link) for link in links)
    return (
        float(np.mean([word_count(link.name) for link in links])),
        float(np.mean(lengths)),
        float(np.var(lengths)),
        max(types.values()) / len(links),
        float(np.var(folders)),
        sum(link.url.startswith(here) for link in links) / len(links),
    )


def _url_type(page: Page, link: NavigationLink) -> str:
    """Links within the page and scripts are no links of a `Page`: three of the paper's five types are left."""
    href = page.attributes(int(page.link_node[link.place])).get("href", "").strip()
    if re.match(r"[a-zA-Z][\w+.-]*:|//", href):
        return "cross-site"
    return "absolute" if href.startswith("/") else "relative"


@lru_cache(maxsize=1 << 14)
def word_count(name: str) -> int:
    """Number of words; Chinese ones by dictionary.

    >>> word_count("Arts & Culture"), word_count("通知公告")
    (2, 2)
    """
    if not _HAN.search(name):
        return len(_WORD.findall(name))
    return sum(bool(_WORD.search(word)) for word in _segment()(name))


@cache
def _segment() -> Callable[[str], list[str]]:
    import rjieba

    cut: Callable[[str], list[str]] = rjieba.cut
    return cut


def confidences(values: dict[str, float], parameters: SewParameters) -> dict[str, float]:
    """Standard normal density of each feature at (f − μ) / σ."""
    return {
        name: math.exp(-(((value - mean) / deviation) ** 2) / 2) / math.sqrt(2 * math.pi)
        for (name, value), mean, deviation in zip(values.items(), parameters.mean, parameters.deviation, strict=True)
    }


def confidence_probability(confidence: float, parameters: SewParameters) -> float:
    """Cumulative probability of a combined confidence under N(μ_c, σ_c)."""
    standard = (confidence - parameters.confidence_mean) / parameters.confidence_deviation
    return (1 + math.erf(standard / math.sqrt(2))) / 2


# The whole site: §3.4


def published_skeleton(site: SitePages, *, depth: int = 3, parameters: SewParameters | None = None) -> Node:
    """The tree by SEW as published (Fig. 4), level by level; a page that the tree has is not placed again."""
    numbers = parameters or trained_parameters()
    used_sets: set[frozenset[str]] = set()
    children: dict[int, list[int]] = {0: []}
    label: dict[int, tuple[str, str]] = {}
    layer = [0]
    for _ in range(depth):
        for number in layer:
            page, targets = site.pages[number], site.targets[number]
            if number == 0:
                label[0] = page.url, page.title
            found = navigation(page, used_sets, numbers)
            used_sets.add(frozenset(link.url for link in found.links))
            for link in found.links:
                target = int(targets[link.place])
                if target >= 0 and target not in children:
                    children[number].append(target)
                    children[target] = []
                    label[target] = link.url, link.name
        layer = [child for number in layer for child in children[number]]
    return make_tree(children, label)


def make_tree(children: dict[int, list[int]], label: dict[int, tuple[str, str]]) -> Node:
    """Nodes made from the leaves upwards."""
    parents_first: list[int] = []
    waiting = [0]
    while waiting:
        parents_first.append(waiting.pop())
        waiting.extend(children[parents_first[-1]])
    nodes: dict[int, Node] = {}
    for page in reversed(parents_first):
        url, name = label[page]
        nodes[page] = Node(url, name, page, tuple(nodes[child] for child in children[page]))
    return nodes[0]


# Training: §4.2


def train(values: Sequence[tuple[float, ...]]) -> SewParameters:
    """μ, σ, μ_c, σ_c and τ from the features of known navigation link sets; τ is the least likely of them (§4.2)."""
    table = np.array(values)
    mean = tuple(table.mean(axis=0).tolist())
    deviation = tuple(np.maximum(table.std(axis=0), _LEAST_DEVIATION).tolist())
    draft = SewParameters(mean, deviation, 0.0, 1.0, 0.0)
    known = [math.prod(confidences(dict(zip(FEATURES, row, strict=True)), draft).values()) for row in values]
    spread = max(float(np.std(known)), 1e-12)
    settled = SewParameters(mean, deviation, float(np.mean(known)), spread, 0.0)
    threshold = confidence_probability(min(known), settled)
    return SewParameters(mean, deviation, settled.confidence_mean, spread, threshold)


def trained_parameters() -> SewParameters:
    """The numbers that come with the package."""
    return SewParameters(
        trained.MEAN, trained.DEVIATION, trained.CONFIDENCE_MEAN, trained.CONFIDENCE_DEVIATION, trained.THRESHOLD
    )
