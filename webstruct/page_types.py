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
log-odds; a mixed or a small family has no say. A page that is itself an entry of several lists loses some: this is the
paper's hybrid ranking, ``hub − n · authority``, with both on one scale, the logarithm, and without the links of the
template, which make home pages and section fronts the best authorities of today's sites. Of the pages left, those with
text of their own are articles, unless only the template links to them (about, contact) or their family is one of lists.
Then entries that do not lead to articles are dropped, and so on until no type changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from webstruct.lamis import FloatArray, IntArray, Links, lamis
from webstruct.linkscan import BoolArray, LongArray, Scan, scan

if TYPE_CHECKING:
    from webstruct.sitepages import SitePages

TOC, ARTICLE, OTHER = "toc", "article", "other"

# A list has at least so many entries.
MIN_ENTRIES = 3.0
# Log-odds that the e-fold number of entries adds.
ENTRIES_SLOPE = 3.0
# A family's share of TOC pages is taken as if it had so many undecided pages more,
UNDECIDED_PAGES = 2.0
# and log-odds of that share have a say beyond this only: shares from 27 % to 73 % are a mixed family.
MIXED_ODDS = 1.0
# Log-odds that a page loses with every doubling of the lists that have it as an entry, beyond the first.
AUTHORITY = 0.5
# From this entropy on, a target in its place is part of the template.
TEMPLATE_ENTROPY = 0.5
# An article has at least so many characters of information.
MIN_TEXT = 10.0
_MAX_ROUNDS = 10


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
        rank = own_odds + _say(family_toc)
        lists = candidate & crawled & (rank > 0)[found.source]
        rank -= AUTHORITY * np.maximum(0.0, np.log2((1 + _distinct_sources(found, lists)) / 2))
        is_toc = rank > 0
        listed_by = _distinct_sources(found, entry & is_toc[found.source])
        family_listed = _share_of_others((listed_by > 0) & ~is_toc, family)
        articleness = _articleness(found.text, listed_by, family_listed, in_template)
        articleness *= np.where(_say(family_toc) > 0, 1.0 - family_toc, 1.0)
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

    An uncrawled link that stands in the place of an entry is one too: a crawl with a page limit leaves lists half read.
    The piece of such a link to another site is left out.
    """
    pages, links = found.pages, len(found.source)
    before_first, left_out, names = pages, pages + 1, pages + 2 + links
    page_place = found.place * pages + found.source
    cut = np.flatnonzero(entry | (uncrawled & np.isin(page_place, page_place[entry])))
    cut = np.concatenate([cut, [links]])
    last = cut[np.searchsorted(cut, np.arange(links), side="right") - 1]
    unknown = np.where(found.own_site, pages + 2 + np.arange(links), left_out)
    owner_of_cut = np.append(np.where(entry, found.target, unknown), before_first)
    same_page = np.append(found.source, -1)[last] == found.source
    owner = np.concatenate([np.where(same_page, owner_of_cut[last], before_first), np.full(pages, before_first)])
    page = np.concatenate([found.source, np.arange(pages)])
    mass = np.concatenate([found.mass, found.head])
    counted = owner != left_out
    key, piece = np.unique(page[counted] * names + owner[counted], return_inverse=True)
    piece_mass, page = np.bincount(piece, mass[counted]), key // names
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
    ends = np.append(starts, len(chosen))[1:]
    for page, begin, end in zip(pages.tolist(), starts.tolist(), ends.tolist(), strict=True):
        of_page = chosen[begin:end]
        nodes, counts = np.unique(found.block[of_page], return_counts=True)
        blocks[page] = list(zip(nodes.tolist(), (counts / len(of_page)).tolist(), strict=True))
        links[page] = found.number[of_page]
    return blocks, links


def _evidence(**columns: npt.NDArray[np.generic]) -> list[dict[str, float]]:
    rows = zip(*(np.round(column.astype(float), 3).tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]
