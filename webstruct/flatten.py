"""An lxml tree → flat arrays in document order: the one walk over a page's elements that everything else is a view of.

Nothing here recurses: depth is data. Elements are only *read* in Python (tag, attributes, text, tail, number of
children); what follows from that is array arithmetic. Its key is a clock that ticks at every start tag and every end
tag: a node opens at tick ``2·node − depth`` and closes at ``2·subtree_end − 1 − depth``, its text follows its opening
and its tail its closing, so that sorting texts by tick puts them in document order, and what happened between two of
them is a slice of ticks.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
Attributes = tuple[tuple[str, str], ...]

# Elements whose text is never shown. `noscript` is what a reader with a browser does not see. A `head` is not among them:
# libxml2 leaves what opens a body there if it does not know the tag (`<title>…</title><main>`).
SILENT_TAGS = frozenset("title script style template noscript noframes svg iframe object datalist".split())
BLOCK_TAGS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre "
    "search section summary table tbody tfoot thead tr ul".split()
)
LINE_TAGS = frozenset(("br", "td", "th"))
PREFORMATTED_TAGS = frozenset(("pre", "textarea", "listing", "xmp"))
NO_BREAK, LINE_BREAK, BLOCK_BREAK = 0, 1, 2
_BREAK_BITS, _SILENT_BIT, _PREFORMATTED_BIT = 3, 4, 8
_TRAITS = {
    tag: (BLOCK_BREAK if tag in BLOCK_TAGS else LINE_BREAK if tag in LINE_TAGS else NO_BREAK)
    | (_SILENT_BIT if tag in SILENT_TAGS else 0)
    | (_PREFORMATTED_BIT if tag in PREFORMATTED_TAGS else 0)
    for tag in BLOCK_TAGS | LINE_TAGS | SILENT_TAGS | PREFORMATTED_TAGS
}

_LINK_ATTRIBUTE = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
# What Unicode takes for the end of a line, and readers of JSON lines would trip over.
_LINE_ENDS = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x85\u2028\u2029"), "\n")


@dataclass(frozen=True)
class Kinds:
    """The distinct start tags of a page; `hrefs` holds addresses of links and frames, None for other tags."""

    tags: list[str]
    attributes: list[Attributes]
    hidden: BoolArray
    hrefs: list[str | None]


@dataclass(frozen=True)
class Flat:
    """The arrays of a page; `page.Page` says what each means."""

    kinds: Kinds
    kind: IntArray
    parent: IntArray
    subtree_end: IntArray
    depth: IntArray
    chunks: list[str]
    chunk_node: IntArray
    chunk_break: npt.NDArray[np.uint8]
    chunk_begin: IntArray
    chunk_end: IntArray
    cut: bool


def flatten(root: Any, max_nodes: int) -> Flat:
    """Walk the elements below `root` once, in document order, up to `max_nodes` of them.

    The tree must hold elements only (comments and processing instructions removed by the parser), so that the number of
    an element's children tells where its subtree ends.
    """
    numbers: dict[tuple[Any, ...] | str, int] = {}
    kinds_met: list[int] = []
    texts: list[str | None] = []
    tails: list[str | None] = []
    child_counts: list[int] = []
    for element in islice(root.iter("*"), max_nodes):
        pairs = element.items()
        start_tag = (element.tag, *pairs) if pairs else element.tag
        kinds_met.append(numbers.setdefault(start_tag, len(numbers)))
        texts.append(element.text)
        tails.append(element.tail)
        child_counts.append(len(element))
    tails[0] = None  # what follows the root is not part of the page
    kind = np.array(kinds_met, dtype=np.int32)
    kinds = _kinds(numbers)
    parent, depth, subtree_end = _tree(child_counts)
    node = np.arange(len(kind), dtype=np.int32)
    opens, closes = 2 * node - depth, 2 * subtree_end - 1 - depth
    traits = np.fromiter(map(_TRAITS.get, kinds.tags, repeat(0)), dtype=np.uint8, count=len(kinds.tags))[kind]
    silent = covered((traits & _SILENT_BIT).astype(bool), subtree_end)
    ticks, shown, text_node = _in_order(texts, tails, opens, closes, parent, silent)
    preformatted = covered((traits & _PREFORMATTED_BIT).astype(bool), subtree_end)[text_node]
    break_at = np.zeros(2 * len(kind), dtype=np.uint8)
    break_at[opens] = break_at[closes] = traits & _BREAK_BITS
    chunks, kept, chunk_break = _chunks(shown, ticks, preformatted, break_at)
    chunk_ticks = ticks[kept]
    return Flat(
        kinds=kinds,
        kind=kind,
        parent=parent,
        subtree_end=subtree_end,
        depth=depth,
        chunks=chunks,
        chunk_node=text_node[kept],
        chunk_break=chunk_break,
        chunk_begin=np.searchsorted(chunk_ticks, opens).astype(np.int32),
        chunk_end=np.searchsorted(chunk_ticks, closes).astype(np.int32),
        cut=len(kind) == max_nodes,
    )


def covered(marked: BoolArray, subtree_end: IntArray) -> BoolArray:
    """Nodes that are marked or stand below a marked node."""
    if not marked.any():
        return np.zeros(len(marked), dtype=bool)
    ends = np.bincount(subtree_end[marked], minlength=len(marked) + 1)[:-1]
    inside: BoolArray = np.cumsum(marked - ends) > 0
    return inside


def _tree(child_counts: Sequence[int]) -> tuple[IntArray, IntArray, IntArray]:
    """Parent, depth and subtree end of every node, from the number of its children.

    Let ``open[i]`` be how many children are still to come when node i is met. It falls by one at a leaf and never by
    more, so the subtree of i ends where it first stands one lower than at i. Likewise the parent of i is the last node
    before it that lies one level higher. Both are look-ups in the nodes sorted by level.
    """
    count = len(child_counts)
    node = np.arange(count + 1)
    still_open = np.concatenate([[0], np.cumsum(np.array(child_counts) - 1)])
    subtree_end = _neighbour(still_open, node, first_after=True)[:-1]
    depth = node[:-1] - np.cumsum(np.bincount(subtree_end, minlength=count + 1))[:-1]
    parent = _neighbour(depth, node[:-1], first_after=False)
    return parent.astype(np.int32), depth.astype(np.int32), subtree_end.astype(np.int32)


def _neighbour(level: npt.NDArray[np.intp], node: npt.NDArray[np.intp], *, first_after: bool) -> npt.NDArray[np.intp]:
    """For each node the nearest one (after it, or before it) whose level is lower by one; −1 for none before."""
    span = len(node) + 1
    keys = (level + 1) * span + node
    order = np.sort(keys)
    places = np.searchsorted(order, keys - span)
    if first_after:
        return order[np.minimum(places, len(order) - 1)] % span
    found = order[places - 1]
    return np.where((places > 0) & (found // span == level), found % span, -1)


def _kinds(start_tags: Collection[tuple[Any, ...] | str]) -> Kinds:
    """Start tags are a name alone, or a name followed by (attribute, value) pairs."""
    tags = [start_tag if isinstance(start_tag, str) else start_tag[0] for start_tag in start_tags]
    attributes = [() if isinstance(start_tag, str) else start_tag[1:] for start_tag in start_tags]
    hrefs = [
        dict(pairs).get(_LINK_ATTRIBUTE[tag]) if tag in _LINK_ATTRIBUTE else None
        for tag, pairs in zip(tags, attributes, strict=True)
    ]
    hidden = np.zeros(len(tags), dtype=bool)
    hidden[
        [
            kind
            for kind, pairs in enumerate(attributes)
            for name, value in pairs
            if (name == "style" or name == "hidden") and _hides(name, value)
        ]
    ] = True
    return Kinds(tags, attributes, hidden, hrefs)


def _hides(name: str, value: str) -> bool:
    """Hidden by its own start tag: what style sheets and scripts hide can't be seen from one page."""
    if name == "hidden":
        return value.lower() != "until-found"
    folded = value.replace(" ", "").lower()
    return "display:none" in folded or "visibility:hidden" in folded


def _in_order(
    texts: list[str | None],
    tails: list[str | None],
    opens: IntArray,
    closes: IntArray,
    parent: IntArray,
    silent: BoolArray,
) -> tuple[IntArray, list[str], IntArray]:
    """Texts and tails that are not silent, in document order: tick, text, and the node that each stands in."""
    pieces = texts + tails
    inside = np.concatenate([np.arange(len(texts), dtype=np.int32), parent])
    shown = np.flatnonzero(np.fromiter(map(bool, pieces), dtype=bool, count=len(pieces)) & ~silent[inside])
    ticks = np.concatenate([opens, closes])[shown]
    order = np.argsort(ticks)
    shown = shown[order]
    return ticks[order], [pieces[place] for place in shown.tolist()], inside[shown]  # type: ignore[misc]


def _chunks(
    texts: list[str], ticks: IntArray, preformatted: BoolArray, break_at: npt.NDArray[np.uint8]
) -> tuple[list[str], npt.NDArray[np.intp], npt.NDArray[np.uint8]]:
    """Texts with white space folded, empty ones dropped; their places among `texts`, and the break before each.

    White space between two chunks with no break between them is kept as one leading space of the second; in preformatted
    text, as it is.
    """
    kept = np.array([place for place, text in enumerate(texts) if not text.isspace()], dtype=np.intp)
    if not len(kept):
        return [], kept, np.zeros(0, dtype=np.uint8)
    since = np.concatenate([[0], ticks[kept][:-1] + 1])
    breaks = np.maximum.reduceat(break_at[: ticks[kept[-1]] + 1], since)
    chunks = []
    after = 0  # the place behind the last chunk
    for place, has_break, raw in zip(kept.tolist(), breaks.tolist(), preformatted[kept].tolist(), strict=True):
        text = texts[place]
        chunk = text if raw else " ".join(text.split())
        if raw:
            chunk = (chunk if has_break else "".join(texts[after:place]) + chunk).translate(_LINE_ENDS)
        elif not has_break and (text[0].isspace() or (place and texts[place - 1][-1].isspace())):
            chunk = " " + chunk
        chunks.append(chunk)
        after = place + 1
    return chunks, kept, breaks
