"""Why a page was taken for a list or an article: what `page_types` found, in words and numbers, and its blocks.

The log-odds of a list page are a sum, and so can be told as one: what its own entries say, what the other pages of its
template say, and what the lists take that have it as an entry itself. An article has two proofs, and the weaker counts.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webstruct.entropy import TermEntropy
from webstruct.page import Page
from webstruct.page_types import ENTRIES_SLOPE, MIN_ENTRIES, MIN_TEXT, MIXED_ODDS, TEMPLATE_ENTROPY
from webstruct.sitefolder import FolderError
from webstruct.wisdom import Parameters, coverage_tree

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from webstruct.sitefolder import SiteFolder
    from webstruct.store import PageRow, Store

_NAMES = {"toc": "a list page", "article": "an article", "other": "neither list nor article"}
_SHOWN_BLOCKS, _SHOWN_URLS, _SHOWN_CHARS = 12, 10, 60


@dataclass(frozen=True)
class Point:
    """One thing that the type rests on; `weight` is what it adds to the log-odds of a list, if it does."""

    name: str
    value: float
    words: str
    weight: float | None = None


@dataclass(frozen=True)
class BlockScore:
    """A block of the page, its role, and WISDOM's features of it (§3.1–3.2).

    Attributes
    ----------
    cii
        Mean information of its terms: 0 if all stand on every page, 1 if on this one only.
    api
        Anchor precision per link: how well its links name what they lead to.
    sii_text, sii_links
        How evenly text, and anchor precision, are spread over its children.

    """

    xpath: str
    role: str
    characters: int
    links: int
    cii: float
    api: float
    sii_text: float
    sii_links: float
    text: str


@dataclass(frozen=True)
class Explanation:
    """All there is to say of one page."""

    url: str
    title: str
    type: str
    confidence: float
    rank: float
    status: int
    depth: int
    fetched_at: str | None
    points: list[Point]
    blocks: list[BlockScore]
    family: int
    family_type: str
    family_pages: int
    wrapper: dict[str, Any] | None
    listed_by: list[str]
    lists: list[str]
    part_of: str | None

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    def lines(self) -> list[str]:
        """For a person to read."""
        lines = [
            f"{self.url}",
            f"  is {_NAMES.get(self.type, self.type)}, with a probability of {self.confidence:.3f}",
            *([f"  because it is a further part of {self.part_of}"] if self.part_of else []),
            f"  title   {self.title}",
            f"  crawl   HTTP {self.status}, {self.depth} clicks from the start, fetched {self.fetched_at}",
            "",
            "Why",
            *(_point_line(point) for point in self.points),
            "",
            f"Blocks ({len(self.blocks)}; the largest, and those with a role)",
            f"  {'role':<9}{'chars':>7}{'links':>7}{'CII':>7}{'API':>8}{'SII text':>10}{'SII links':>10}  block",
            *(_block_line(block) for block in self._shown_blocks()),
            "",
            f"Family {self.family}: {self.family_pages} pages of one template, mostly {self.family_type}",
            *_wrapper_lines(self.wrapper),
        ]
        for name, urls in (("Listed by", self.listed_by), ("Lists", self.lists)):
            if urls:
                lines += ["", f"{name} ({len(urls)})", *(f"  {url}" for url in urls[:_SHOWN_URLS])]
                if len(urls) > _SHOWN_URLS:
                    lines.append(f"  and {len(urls) - _SHOWN_URLS} more")
        return lines

    def _shown_blocks(self) -> list[BlockScore]:
        largest = sorted(self.blocks, key=lambda block: -block.characters)[:_SHOWN_BLOCKS]
        return [block for block in self.blocks if block.role in _NAMES or block in largest]


def explain(site: SiteFolder, store: Store, row: PageRow) -> Explanation:
    """Explain a stored page of an analysed site."""
    item, summary = site.page(row.url), site.summary()
    page = Page.unpack(store.arrays(row.id))
    family = next((one for one in summary["families"] if one["id"] == item["family"]), None)
    if family is None:
        raise FolderError(
            f"{site.path} knows no family {item['family']}; `scrapy webstruct analyse {site.path}` settles it"
        )
    structure = {entry["toc"]: entry["articles"] for entry in summary["structure"]}
    return Explanation(
        url=row.url,
        title=page.title,
        type=item["type"],
        confidence=item["confidence"],
        rank=item["rank"],
        status=item["status"],
        depth=item["depth"],
        fetched_at=row.fetched_at,
        points=points(item),
        blocks=_blocks(page, store, row, {block["xpath"]: block["role"] for block in item["blocks"]}),
        family=item["family"],
        family_type=family["type"],
        family_pages=family["pages"],
        wrapper=family["wrapper"],
        listed_by=[toc for toc, articles in structure.items() if row.url in articles],
        lists=structure.get(row.url, []),
        part_of=item["part_of"],
    )


def not_kept(store: Store, row: PageRow) -> str:
    """What became of a URL that is no page of the store."""
    where = store.page(row.parent) if row.parent is not None else None
    found = f"; first found on {where.url}" if where else ""
    onward = store.page(row.redirect) if row.redirect is not None else None
    leads = f"; it leads to {onward.url}" if onward else ""
    state = "is not fetched yet" if row.state == "pending" else f"was {row.state}: {row.reason}"
    return f"{row.url} {state}{leads}{found}"


def points(item: Mapping[str, Any]) -> list[Point]:
    """What the type of a page rests on, from the evidence in `pages.jsonl`."""
    evidence = item["evidence"]
    own = ENTRIES_SLOPE * math.log(evidence["entries"] / MIN_ENTRIES)
    family = _family_weight(evidence["family_toc"])
    has_text = evidence["text"] / (evidence["text"] + MIN_TEXT)
    led_to = (
        1.0 if evidence["listed_by"] else max(evidence["family_listed"], min(max(1.0 - evidence["template"], 0.0), 1.0))
    )
    of_lists = evidence["family_toc"] if family > 0 else 0.0
    article = min(has_text, led_to) * (1.0 - of_lists)
    return [
        Point(
            "entries",
            evidence["entries"],
            f"entries, by how its text spreads over them; a list has {MIN_ENTRIES:g}",
            own,
        ),
        Point("family_toc", evidence["family_toc"], "of the other pages of its family are lists", family),
        Point(
            "listed_by", evidence["listed_by"], "lists have it as an entry", round(item["rank"] - own - family, 2) + 0.0
        ),
        Point("rank", item["rank"], "log-odds of a list, the sum: above 0 it is one", item["rank"]),
        Point("text", evidence["text"], f"characters of information outside of links, which proves {has_text:.3f}"),
        Point(
            "template",
            evidence["template"],
            f"highest entropy of a link to it: the template's from {TEMPLATE_ENTROPY:g} on",
        ),
        Point(
            "family_listed",
            evidence["family_listed"],
            f"of its family are entries of lists; {led_to:.3f} that one leads here",
        ),
        Point(
            "article", article, "the weaker of the two proofs, less the family's share of lists: above 0.5 an article"
        ),
    ]


def _family_weight(share: float) -> float:
    odds = math.log(share / (1.0 - share))
    return math.copysign(max(abs(odds) - MIXED_ODDS, 0.0), odds) + 0.0


def _blocks(page: Page, store: Store, row: PageRow, roles: Mapping[str, str]) -> list[BlockScore]:
    statistics = store.load_statistics("terms")
    assert statistics is not None  # there is a page
    tree = coverage_tree(page, TermEntropy.load(statistics[0]), _linked_terms(page, store, row))
    with_text = set(np.unique(page.block[page.term_node]).tolist())
    with_role = {_node_at(page, xpath): role for xpath, role in roles.items()}
    sii_text, sii_links = tree.sii(tree.clen), tree.sii(tree.api)
    template = 1.0 - Parameters().article_constraint
    return [
        BlockScore(
            xpath=page.xpath(node),
            role=with_role.get(node) or ("template" if tree.cii[node] <= template else ""),
            characters=int(tree.alen[node] + tree.clen[node]),
            links=int(tree.anchors[node]),
            cii=round(float(tree.cii[node]), 3),
            api=round(float(tree.api[node] / max(tree.anchors[node], 1.0)), 3),
            sii_text=round(float(sii_text[node]), 3),
            sii_links=round(float(sii_links[node]), 3),
            text=page.text(node),
        )
        for node in sorted(with_text | with_role.keys())
    ]


def _node_at(page: Page, xpath: str) -> int:
    at_its_depth = np.flatnonzero(page.depth == xpath.count("/") - 1).tolist()
    return next(node for node in at_its_depth if page.xpath(node) == xpath)


def _linked_terms(page: Page, store: Store, row: PageRow) -> list[Collection[str] | None]:
    """By link, the terms of the stored page that it leads to."""
    redirects = store.redirects()
    known: dict[int, Collection[str] | None] = {}
    targets = [redirects.get(target, target) for target in store.links(row.id).tolist()]
    for target in set(targets):
        linked = store.page(target) if target else None
        stored = linked is not None and linked.state == "stored"
        known[target] = frozenset(Page.unpack(store.arrays(target)).term_names) if stored else None
    return [known[target] for target in targets]


def _point_line(point: Point) -> str:
    weight = f"{point.weight:+8.2f}" if point.weight is not None else " " * 8
    return f"  {point.name:<14}{round(point.value, 2):>9g}{weight}  {point.words}"


def _block_line(block: BlockScore) -> str:
    text = " ".join(block.text[: 2 * _SHOWN_CHARS].split())[:_SHOWN_CHARS]
    scores = f"{block.cii:>7.3f}{block.api:>8.2f}{block.sii_text:>10.3f}{block.sii_links:>10.3f}"
    return f"  {block.role:<9}{block.characters:>7}{block.links:>7}{scores}  {block.xpath}  {text}"


def _wrapper_lines(wrapper: dict[str, Any] | None) -> list[str]:
    if wrapper is None:
        return ["  no wrapper: no page of the family is an article"]
    lines = [f"  wrapper learned from {wrapper['pages']} pages", f"  region  {wrapper['region'] or 'the whole page'}"]
    lines += [f"  {name:<8}{wrapper[name]}" for name in ("title", "date") if wrapper[name]]
    if wrapper["exclude"]:
        lines.append(f"  without {', '.join(wrapper['exclude'])}")
    if wrapper["repeated"]:
        lines.append(f"  without {len(wrapper['repeated'])} lines that the family repeats")
    return lines
