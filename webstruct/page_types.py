"""Types: TOC (a list of articles), article or other, for every page; and for TOC pages, the links to their articles.

LAMIS (§4.2–4.3) says it in a circle: TOC pages are those whose informative blocks link to articles, and articles are
the pages that such blocks link to. The circle is entered with what one pass over the pages shows of every link:

- its *place*: tags and classes of the link, its parent and its grandparent. A target that stands in the same place of
  ``k`` out of ``n`` pages has the entropy ``ln k / ln n``, as a term has: 1 in menus and side bars, near 0 in lists.
- its *line*: the entry of a list opens a line, or links fill most of it. A link within running text does neither.
- whether it is *mutual*: if the target links back from the same place, both are neighbours in some navigation.

Links with words and a line of their own that are neither template nor mutual are the page's **entries**. They cut the
page into pieces, and each piece has a mass: its characters, weighted by the information of their terms, ``W = 1 − E``.
The *number of entries* is the perplexity of the masses, ``exp(−Σ q ln q)``: about 12 for a list of twelve teasers, and
about 1 for an article, however many related pages it names, since one piece has nearly all of the mass. (It is WISDOM's
SII, §3.3, as a number.)

A list has at least three entries. What a page shows is joined with what the other pages of its template family show, in
log-odds; a mixed or a small family has no say. Of the pages left, those with text of their own are articles, unless
only the template links to them (about, contact). Then entries that do not lead to articles are dropped, and so on until
no type changes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from webstruct.flatten import NO_BREAK
from webstruct.lamis import FloatArray, IntArray, Links, anchors, lamis, link_of

if TYPE_CHECKING:
    from webstruct.page import Page
    from webstruct.sitepages import SitePages

BoolArray = npt.NDArray[np.bool_]
LongArray = npt.NDArray[np.int64]

TOC, ARTICLE, OTHER = "toc", "article", "other"

# A list has at least so many entries.
MIN_ENTRIES = 3.0
# Log-odds that the e-fold number of entries adds.
ENTRIES_SLOPE = 3.0
# A family's share of TOC pages is taken as if it had so many undecided pages more,
UNDECIDED_PAGES = 2.0
# and log-odds of that share have a say beyond this only: shares from 27 % to 73 % are a mixed family.
MIXED_ODDS = 1.0
# From this entropy on, a target in its place is part of the template.
TEMPLATE_ENTROPY = 0.5
# An article has at least so many characters of information.
MIN_TEXT = 10.0
_MAX_ROUNDS = 10
_DIGITS = re.compile(r"\d+")
_PLACE_BITS = 21
_MULTIPLIER, _MODULUS = 48271, 2**31 - 1
_NO_LINKS = tuple(np.zeros(0, dtype=dtype) for dtype in ("i4", "i4", "i4", "i4", "i8", "f8", "i4", "?", "f8"))


@dataclass(frozen=True, eq=False)
class PageTypes:
    """What was decided; every field is by page.

    Attributes
    ----------
    type, confidence
        "toc", "article" or "other", and the probability of it.
    hub, authority
        LAMIS values (LN, CB, TW) over the entries alone.
    rank
        Log-odds of TOC.
    evidence
        What the decision rests on: `entries` (their number, as above), `listed` (pages that are entries), `text`
        (characters of information outside of links), `listed_by` (TOC pages that have this page as an entry),
        `template` (highest entropy of a link to this page), `family_toc` and `family_listed` (shares of the other
        pages of the family).
    blocks
        Of a TOC page: nodes of the blocks with its entries, and the share of the entries in each.
    links
        Of a TOC page: numbers in `Page.link_urls` of the links to articles in these blocks, one for each article.

    """

    type: list[str]
    confidence: FloatArray
    hub: FloatArray
    authority: FloatArray
    rank: FloatArray
    evidence: list[dict[str, float]]
    blocks: list[list[tuple[int, float]]]
    links: list[IntArray]


def decide(site: SitePages) -> PageTypes:
    """Types of all pages, in one pass over them."""
    return conclude(scan(site), np.asarray(site.family))


@dataclass(frozen=True, eq=False)
class Scan:
    """What one pass over the pages keeps.

    Attributes
    ----------
    source, target, number
        By link: its page, the page that it leads to, and its number in `Page.link_urls`. The target of a link that was
        not crawled is negative, and the same for links with the same words.
    block, place
        By link: the node of its block, and its place in the template.
    entropy, terms
        By link: those of its anchor.
    own_line
        By link: whether it has words and a line of its own.
    mass
        By link: that of the text from this link to the next.
    head, text
        By page: mass of the text before the first link; mass of all text outside of links.

    """

    source: IntArray
    target: IntArray
    number: IntArray
    block: IntArray
    place: LongArray
    entropy: FloatArray
    terms: IntArray
    own_line: BoolArray
    mass: FloatArray
    head: FloatArray
    text: FloatArray

    @property
    def pages(self) -> int:
        """Number of pages."""
        return len(self.head)


def scan(site: SitePages) -> Scan:
    """Go through the pages once."""
    places = _Places()
    by_link: list[tuple[npt.NDArray[Any], ...]] = [_NO_LINKS]
    head, text = np.zeros(len(site)), np.zeros(len(site))
    for source, page in enumerate(site.pages):
        found = anchors(page, site.entropy)
        mass, in_anchor = _chunk_mass(page, site), page.in_anchor[page.chunk_node]
        own_line = _own_line(page, in_anchor) & (found.terms > 0)
        target = np.asarray(site.targets[source], dtype=np.int32)
        target = np.where(target >= 0, target, -1 - _wording(page, site))
        number = np.flatnonzero(np.where(target >= 0, target != source, own_line)).astype(np.int32)
        node = page.link_node[number]
        pieces = np.bincount(_piece(page, node, own_line[number]), mass, minlength=len(node) + 1)
        head[source], text[source] = pieces[0], mass[~in_anchor].sum()
        of_template = (page.block[node], places.of(page, node))
        of_anchor = (found.entropy[number], found.terms[number], own_line[number], pieces[1:])
        by_link.append((np.full_like(number, source), target[number], number, *of_template, *of_anchor))
    columns: list[npt.NDArray[Any]] = [np.concatenate(column) for column in zip(*by_link, strict=True)]
    columns += [head, text]
    return Scan(*columns)


def _chunk_mass(page: Page, site: SitePages) -> FloatArray:
    """Visible characters of each chunk, times the mean weight of the terms in its node."""
    weights = site.entropy.weights(site.entropy.ids(page.term_names))
    count = np.bincount(page.term_node, minlength=len(page))
    total = np.bincount(page.term_node, weights[page.term], minlength=len(page))
    mean = total / np.maximum(count, 1)
    mass: FloatArray = _chunk_chars(page) * mean[page.chunk_node]
    return mass


def _chunk_chars(page: Page) -> IntArray:
    lengths = np.fromiter(map(len, page.chunks), dtype=np.int32, count=len(page.chunks))
    lengths[page.hidden[page.chunk_node]] = 0
    return lengths


def _piece(page: Page, node: IntArray, own_line: BoolArray) -> npt.NDArray[np.intp]:
    """For each chunk the link that it goes with, counted from 1; 0 for none of them.

    Where text stands in a part of the page that has one link with a line of its own, as a record of a list does, it goes
    with that link; elsewhere with the last link before it.
    """
    piece = np.searchsorted(page.chunk_begin[node], np.arange(len(page.chunks)), side="right")
    links = np.bincount(node[own_line], minlength=len(page))
    inside = page.subtree_sum(links)
    part = np.where(inside > 0, np.arange(len(page)), np.maximum(page.parent, 0))
    while not np.array_equal(part, above := part[part]):
        part = above
    part = part[page.chunk_node]
    alone = inside[part] == 1
    piece[alone] = np.flatnonzero(own_line)[np.searchsorted(node[own_line], part[alone])] + 1
    return piece


def _own_line(page: Page, in_anchor: BoolArray) -> BoolArray:
    """Links that open a line, or stand in a line at least half of which is links."""
    begin = page.chunk_begin[page.link_node]
    shown = page.chunk_end[page.link_node] > begin
    own_line = np.zeros(len(begin), dtype=bool)
    if shown.any():
        first = begin[shown]
        line = np.cumsum(page.chunk_break != NO_BREAK)
        chunk_chars = _chunk_chars(page)
        chars = np.bincount(line, chunk_chars)
        linked = np.bincount(line[in_anchor], chunk_chars[in_anchor], minlength=len(chars))
        opens = np.diff(line, prepend=-1)[first] > 0
        own_line[shown] = opens | (2 * linked >= chars)[line[first]]
    return own_line


def _wording(page: Page, site: SitePages) -> IntArray:
    """A number for the words of each link, equal where the words are."""
    link = link_of(page, page.term_node)
    numbers = (site.entropy.ids(page.term_names) + 2) * _MULTIPLIER % _MODULUS
    total = np.bincount(link[link >= 0], numbers[page.term[link >= 0]], minlength=len(page.link_node))
    return (total % _MODULUS).astype(np.int32)


class _Places:
    """Numbers for places: equal where the tags and classes of a link, its parent and its grandparent are equal."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}

    def of(self, page: Page, node: IntArray) -> LongArray:
        place = np.zeros(len(node), dtype=np.int64)
        for _ in range(3):
            kinds, kind = np.unique(page.kind[node], return_inverse=True)
            numbers = np.array([self._number(page, kind) for kind in kinds.tolist()], dtype=np.int64)
            place = (place << _PLACE_BITS) | numbers[kind]
            node = np.maximum(page.parent[node], 0)
        return place

    def _number(self, page: Page, kind: int) -> int:
        """Digits in classes are page data (`post-123`)."""
        classes = next((value for name, value in page.kind_attributes[kind] if name == "class"), "")
        key = page.kind_tags[kind], _DIGITS.sub("", classes)
        return self._numbers.setdefault(key, len(self._numbers)) & (1 << _PLACE_BITS) - 1


def conclude(found: Scan, family: IntArray) -> PageTypes:
    """Types from what was scanned, and the template family of each page."""
    found = replace(found, place=np.unique(found.place, return_inverse=True)[1])
    template = _place_entropy(found)
    crawled = found.target >= 0
    found = replace(found, target=np.where(crawled, found.target, -1))
    candidate = found.own_line & (template < TEMPLATE_ENTROPY) & ~_mutual(found)
    in_template = np.zeros(found.pages)
    np.maximum.at(in_template, found.target[crawled], template[crawled])
    is_toc, is_article = np.zeros(found.pages, dtype=bool), np.ones(found.pages, dtype=bool)
    for _ in range(_MAX_ROUNDS):
        before = is_toc, is_article
        entry = candidate & crawled & is_article[found.target]
        entries = _number_of_entries(found, entry, candidate & ~crawled)
        own_odds = ENTRIES_SLOPE * np.log(entries / MIN_ENTRIES)
        family_toc = _share_of_others(_probability(own_odds), family)
        say = _say(family_toc)
        rank = own_odds + say
        is_toc = rank > 0
        listed_by = _distinct_sources(found, entry & is_toc[found.source])
        family_listed = _share_of_others((listed_by > 0) & ~is_toc, family)
        articleness = _articleness(found.text, listed_by, family_listed, in_template) * np.where(say > 0, 1.0 - family_toc, 1.0)
        is_article = ~is_toc & (articleness > 0.5)
        if np.array_equal(before, (is_toc, is_article)):
            break
    toc_probability = _probability(rank)
    probability = np.stack(
        [toc_probability, (1 - toc_probability) * articleness, (1 - toc_probability) * (1 - articleness)]
    )
    chosen = np.where(is_toc, 0, np.where(is_article, 1, 2))
    listed = np.bincount(found.source[_first_of_each(found.source, found.target, entry)], minlength=found.pages)
    ranking = lamis(_entry_links(found, entry), hr=False)
    blocks, links = _toc_blocks(found, entry & is_toc[found.source], is_article)
    return PageTypes(
        type=[(TOC, ARTICLE, OTHER)[number] for number in chosen.tolist()],
        confidence=probability[chosen, np.arange(found.pages)],
        hub=ranking.hub,
        authority=ranking.authority,
        rank=rank,
        evidence=_evidence(
            entries=entries,
            listed=listed,
            text=found.text,
            listed_by=listed_by,
            template=in_template,
            family_toc=family_toc,
            family_listed=family_listed,
        ),
        blocks=blocks,
        links=links,
    )


def _place_entropy(found: Scan) -> FloatArray:
    """``ln k / ln n``, if a link's target stands in its place on ``k`` of the ``n`` pages."""
    _, key = np.unique(found.place * 2**32 + found.target, return_inverse=True)
    pages = np.bincount(np.unique(key * found.pages + found.source) // max(1, found.pages))
    entropy: FloatArray = np.log(pages[key]) / math.log(max(2, found.pages))
    return entropy


def _mutual(found: Scan) -> BoolArray:
    """Links whose targets link back from the same place."""
    place = found.place * found.pages
    there = (place + found.source) * found.pages + found.target
    back = (place + found.target) * found.pages + found.source
    return np.isin(back, there[found.target >= 0]) & (found.target >= 0)


def _number_of_entries(found: Scan, entry: BoolArray, uncrawled: BoolArray) -> FloatArray:
    """Perplexity of the masses of the pieces into which a page's entries cut it; pieces of the same target are one.

    The pieces of uncrawled links that stand in the place of an entry are left out: they belong to a list, but nobody
    knows what they lead to.
    """
    pages, links = found.pages, len(found.source)
    before_first, left_out = pages, pages + 1
    page_place = found.place * pages + found.source
    cut = np.flatnonzero(entry | (uncrawled & np.isin(page_place, page_place[entry])))
    cut = np.concatenate([cut, [links]])
    last = cut[np.searchsorted(cut, np.arange(links), side="right") - 1]
    owner_of_cut = np.append(np.where(entry, found.target, left_out), before_first)
    same_page = np.append(found.source, -1)[last] == found.source
    owner = np.concatenate([np.where(same_page, owner_of_cut[last], before_first), np.full(pages, before_first)])
    page = np.concatenate([found.source, np.arange(pages)])
    mass = np.concatenate([found.mass, found.head])
    counted = owner != left_out
    key, piece = np.unique(page[counted] * (pages + 1) + owner[counted], return_inverse=True)
    piece_mass, page = np.bincount(piece, mass[counted]), key // (pages + 1)
    total = np.bincount(page, piece_mass, minlength=pages)
    share = piece_mass / np.where(total > 0, total, 1.0)[page]
    information = -share * np.log(np.where(share > 0, share, 1.0))
    return np.exp(np.bincount(page, information, minlength=pages))


def _probability(odds: FloatArray) -> FloatArray:
    return 1.0 / (1.0 + np.exp(-odds))


def _share_of_others(values: FloatArray | BoolArray, family: IntArray) -> FloatArray:
    """Mean of `values` over the other pages of each page's family, and over pages that are undecided (½)."""
    pages, total = np.bincount(family)[family], np.bincount(family, values)[family]
    share: FloatArray = (total - values + UNDECIDED_PAGES / 2) / (pages - 1 + UNDECIDED_PAGES)
    return share


def _say(family_toc: FloatArray) -> FloatArray:
    odds = np.log(family_toc / (1.0 - family_toc))
    return np.sign(odds) * np.maximum(np.abs(odds) - MIXED_ODDS, 0.0)


def _articleness(
    text: FloatArray, listed_by: LongArray, family_listed: FloatArray, in_template: FloatArray
) -> FloatArray:
    """The weaker of two proofs: the page has text of its own, and something other than the template leads to it."""
    has_text = text / (text + MIN_TEXT)
    led_to = np.where(listed_by > 0, 1.0, np.maximum(family_listed, np.clip(1.0 - in_template, 0.0, 1.0)))
    return np.minimum(has_text, led_to)


def _distinct_sources(found: Scan, entry: BoolArray) -> LongArray:
    """By page, the number of pages that these links come from."""
    first = _first_of_each(found.source, found.target, entry)
    return np.bincount(found.target[first], minlength=found.pages)


def _first_of_each(source: IntArray, target: IntArray, wanted: BoolArray) -> LongArray:
    """Of all wanted links between the same two pages the first, in the order of links."""
    links = np.flatnonzero(wanted)
    key = source[links] * (target.max(initial=0) + np.int64(1)) + target[links]
    return links[np.sort(np.unique(key, return_index=True)[1])]


def _entry_links(found: Scan, entry: BoolArray) -> Links:
    _, block = np.unique(_block_key(found)[entry], return_inverse=True)
    return Links(
        pages=found.pages,
        source=found.source[entry],
        target=found.target[entry],
        entropy=found.entropy[entry],
        terms=found.terms[entry],
        block=block.astype(np.int32),
    )


def _block_key(found: Scan) -> LongArray:
    key: LongArray = found.source * (found.block.max(initial=0) + np.int64(1)) + found.block
    return key


def _toc_blocks(
    found: Scan, entry: BoolArray, is_article: BoolArray
) -> tuple[list[list[tuple[int, float]]], list[IntArray]]:
    """By page, the blocks with entries and their shares, and the links: entries, and what stands among them.

    A link to an article that stands in the block and place of entries is one of them, even if the template has it too:
    the newest article of a list may be in the side bar of all pages. Such a group is taken whole if at least half of it
    are entries.
    """
    blocks: list[list[tuple[int, float]]] = [[] for _ in range(found.pages)]
    links: list[IntArray] = [np.zeros(0, dtype=np.int32) for _ in range(found.pages)]
    to_article = (found.target >= 0) & is_article[found.target]
    _, block = np.unique(_block_key(found), return_inverse=True)
    _, group = np.unique(block * (found.place.max(initial=0) + 1) + found.place, return_inverse=True)
    are_entries = 2 * np.bincount(group, entry) >= np.maximum(np.bincount(group, to_article), 1)
    chosen = _first_of_each(found.source, found.target, to_article & are_entries[group])
    pages, starts = np.unique(found.source[chosen], return_index=True)
    for page, of_page in zip(pages.tolist(), np.split(chosen, starts[1:]), strict=True):
        nodes, counts = np.unique(found.block[of_page], return_counts=True)
        blocks[page] = list(zip(nodes.tolist(), (counts / len(of_page)).tolist(), strict=True))
        links[page] = found.number[of_page]
    return blocks, links


def _evidence(**columns: npt.NDArray[np.generic]) -> list[dict[str, float]]:
    rows = zip(*(np.round(column.astype(float), 3).tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]
