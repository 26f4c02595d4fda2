"""Types: is a page a list of articles (TOC), an article, or something else? And which of its links lead to articles?

LAMIS (§4.2–4.3) says it in a circle: a TOC page is one whose informative blocks link to articles, an article is a page that such
blocks link to. The circle is entered with what one pass over the pages shows of every link:

- *place*: the tags and classes of the link, its parent and its grandparent. A target that stands in the same place of ``k`` out
  of ``n`` pages has the entropy ``ln k / ln n``, as a term has: 1 for menus and side bars, near 0 for the entries of a list.
- *line*: the entry of a list opens a line, or fills most of it. A link within running text does neither.
- *mutual*: if the target links back from the same place, the two are neighbours in a navigation.

The links that are left are the page's entries. They cut the page into pieces, and each piece has a mass: its characters, weighted
by the information of their terms (``W = 1 − E``). The **number of entries** is the perplexity of the masses, ``exp(−Σ q ln q)``:
12 for a list of twelve teasers, 1 for an article, however many related pages it names below its text, since one piece holds
nearly all of the mass. (It is WISDOM's SII, §3.3, without its logarithm's base.)

A list has at least three entries. What the page shows is joined with what the other pages of its template family show, as
log-odds are; a mixed or a small family has no say. Then entries that lead to TOC pages are dropped, and all is done again until
no page changes its type.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from webstruct.lamis import FloatArray, IntArray, Links, anchors, lamis
from webstruct.page import Page
from webstruct.sitepages import SitePages

BoolArray = npt.NDArray[np.bool_]

# A list has at least so many entries.
MIN_ENTRIES = 3.0
# Log-odds of TOC for a page with e times as many entries.
SLOPE = 3.0
# The family's share of TOC pages counts as if so many undecided pages were in it.
UNDECIDED = 2.0
# Places with an entropy above this are part of the template.
MAX_PLACE_ENTROPY = 0.5
# An article has at least so many informative characters of its own.
MIN_TEXT = 40.0
_MAX_ROUNDS = 10
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, eq=False)
class PageTypes:
    """What was decided, by page.

    Attributes
    ----------
    type
        "toc", "article" or "other".
    confidence
        From 0 to 1.
    hub, authority
        LAMIS values over the entries.
    rank
        Log-odds of being a TOC page.
    evidence
        What the decision rests on.
    blocks
        Of a TOC page: the nodes of the blocks that list articles, with the share of the page's entries in each.
    links
        Of a TOC page: places in `Page.link_urls` of the links to articles in these blocks, in document order.
    """

    type: list[str]
    confidence: FloatArray
    hub: FloatArray
    authority: FloatArray
    rank: FloatArray
    evidence: list[dict[str, float]]
    blocks: list[list[tuple[int, float]]]
    links: list[IntArray]


@dataclass(frozen=True, eq=False)
class Scan:
    """What one pass over the pages gathers; one place in the arrays a link within the site, then one a page.

    `mass` is that of the text from a link to the next one, `head` that before the first link of a page, `text` that of all
    text outside of links.
    """

    source: IntArray
    target: IntArray
    number: IntArray
    block: IntArray
    place: npt.NDArray[np.int64]
    entropy: FloatArray
    terms: IntArray
    own_line: BoolArray
    mass: FloatArray
    head: FloatArray
    text: FloatArray


def scan(site: SitePages) -> Scan:
    """Go through the pages once."""
    rows = [_scan_page(page, number, site) for number, page in enumerate(site.pages)]
    columns = [np.concatenate(column) for column in zip(*(row[:-2] for row in rows), strict=True)]
    head, text = (np.array([row[k] for row in rows]) for k in (-2, -1))
    return Scan(*columns, head, text)


def _scan_page(page: Page, number: int, site: SitePages):
    target = np.asarray(site.targets[number])
    kept = np.flatnonzero((target >= 0) & (target != number))
    node = page.link_node[kept]
    found = anchors(page, site.entropy)
    chars, mass, inside = _chunk_masses(page, site)
    last = np.searchsorted(page.chunk_begin[node], np.arange(len(mass)), side="right")
    pieces = np.bincount(last, mass, minlength=len(node) + 1)
    return (
        np.full(len(node), number, dtype=np.int32), target[kept].astype(np.int32), kept.astype(np.int32),
        page.block[node], _places(page, node), found.entropy[kept], found.terms[kept], _own_line(page, node, chars, inside),
        pieces[1:], pieces[0], float(mass[~inside].sum()),
    )


def _chunk_masses(page, site):
    statistics = site.entropy
    weights = statistics.weights(statistics.ids(page.term_names))
    count = np.bincount(page.term_node, minlength=len(page))
    total = np.bincount(page.term_node, weights[page.term], minlength=len(page))
    chars = page._chunk_chars
    mass = chars * (total / np.maximum(count, 1))[page.chunk_node]
    return chars, mass, page.in_anchor[page.chunk_node]


def _own_line(page, node, chars, inside):
    begin = page.chunk_begin[node]
    shown = page.chunk_end[node] > begin
    result = np.zeros(len(node), dtype=bool)
    if not shown.any():
        return result
    line = np.cumsum(page.chunk_break != 0)
    line -= line[0]
    total = np.bincount(line, chars)
    linked = np.bincount(line[inside], chars[inside], minlength=len(total))
    before = np.cumsum(chars) - chars
    line_start = before[np.searchsorted(line, np.arange(len(total)))]
    first = begin[shown]
    opens = before[first] == line_start[line[first]]
    fills = 2 * linked[line[first]] >= total[line[first]]
    result[shown] = opens | fills
    return result


def _places(page, node):
    parent = np.maximum(page.parent[node], 0)
    grandparent = np.maximum(page.parent[parent], 0)
    kinds, inverse = np.unique(np.concatenate([page.kind[node], page.kind[parent], page.kind[grandparent]]), return_inverse=True)
    likeness = np.array([_likeness(page.kind_tags[k], dict(page.kind_attributes[k]).get("class", "")) for k in kinds.tolist()], dtype=np.int64)
    a, b, c = likeness[inverse].reshape(3, -1) if len(kinds) else np.zeros((3, 0), dtype=np.int64)
    return (a << 42) ^ (b << 21) ^ c


_numbers = {}


@lru_cache(maxsize=100000)
def _likeness(tag, classes):
    return _numbers.setdefault((tag, _DIGITS.sub("", classes)), len(_numbers))


def place_entropy(s: Scan) -> FloatArray:
    """ln k / ln n of (target, place)."""
    n = len(s.head)
    _, place = np.unique(s.place, return_inverse=True)
    key = s.target.astype(np.int64) * (place.max(initial=0) + 1) + place
    _, key = np.unique(key, return_inverse=True)
    pairs = np.unique(key.astype(np.int64) * n + s.source)
    pages = np.bincount(pairs // n)
    return np.log(pages[key]) / max(math.log(n), 1e-9)


def mutual(s: Scan) -> BoolArray:
    _, place = np.unique(s.place, return_inverse=True)
    n = len(s.head)
    there = (place.astype(np.int64) * n + s.source) * n + s.target
    back = (place.astype(np.int64) * n + s.target) * n + s.source
    return np.isin(back, there)


def entry_count(s: Scan, entry: BoolArray) -> FloatArray:
    """Perplexity of the masses of the pieces into which a page's entries cut it, by page."""
    n = len(s.head)
    chosen = np.flatnonzero(entry)
    # the piece of a link belongs to the last entry at or before it on the page, else to the head
    last = np.searchsorted(chosen, np.arange(len(s.source)), side="right") - 1
    owner = chosen[np.maximum(last, 0)] if len(chosen) else np.zeros(len(s.source), dtype=np.int64)
    owned = (last >= 0) & (s.source[owner] == s.source) if len(chosen) else np.zeros(len(s.source), dtype=bool)
    name = np.where(owned, s.target[owner], n) if len(chosen) else np.full(len(s.source), n)
    page = np.concatenate([s.source, np.arange(n)])
    name = np.concatenate([name, np.full(n, n)])
    mass = np.concatenate([s.mass, s.head])
    key, inverse = np.unique(page.astype(np.int64) * (n + 1) + name, return_inverse=True)
    piece = np.bincount(inverse, mass)
    page = key // (n + 1)
    total = np.bincount(page, piece, minlength=n)
    q = piece / np.where(total > 0, total, 1)[page]
    return np.exp(np.bincount(page, -q * np.log(np.where(q > 0, q, 1)), minlength=n))
