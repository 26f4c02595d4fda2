"""The article pages of a family → its wrapper: what is the same on all of them is not the article.

Four kinds of evidence, all from the site itself:

- lines that several pages have word for word;
- the content information index of WISDOM (§3.1.1), over a slot of the template instead of one page's node: the mean
  weight of its terms on all pages, if the slot says much the same on each (a by-line, a licence);
- lines that are links;
- records: places where the same lines come again and again on one page, behind the article (comments).

Slots where that outweighs text of the page's own are excluded. The region is then found as k-MIB finds a block (§3.2),
from the root down, by vote of the pages: to the child that has nearly all of what is left, as long as there is one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import numpy.typing as npt

from webstruct.flatten import covered
from webstruct.layout import Layout, Path, PathStep, Selector, follow
from webstruct.places import author_place, date_place, title_place
from webstruct.samples import Sample, linking_texts, without_copies
from webstruct.slots import Slots, Step, TemplateNames, inline_steps
from webstruct.views import View
from webstruct.wrapper import CONSTANT_SHARE, DOMINANT_SHARE, HEADINGS, Wrapper

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from webstruct.entropy import TermEntropy
    from webstruct.flatten import BoolArray
    from webstruct.page import Page
    from webstruct.sitepages import SitePages

FloatArray = npt.NDArray[np.float64]

SAMPLE = 30
# A family of fewer pages tells little by itself: there, what the site's other families repeat on most pages counts too.
SMALL = 5
# What says much the same on all pages: the mean entropy of its terms over those pages is higher.
FORMULA_ENTROPY = 2 / 3
# What a table says may be in its numbers, which are no terms.
_TABLE_TAGS = frozenset(("table", "thead", "tbody", "tfoot", "tr", "td", "th"))


@dataclass(frozen=True)
class Parameters:
    """What the learner goes by.

    Attributes
    ----------
    repeated_share
        A line is repeated if this share of the family's pages have it, and at least three (or all).
    fresh_share
        A slot with less fresh text than this share of all its text is no part of the article.
    content_index
        A slot with a lower content information index is no part of the article, if it says much the same on all pages.
        That being asked too, it is higher than WISDOM's 1 − 0.8.
    record_share
        A place where so many of the lines come again on the same page holds records.
    vote_share
        The region goes down a level if this share of the pages agree.
    name_share
        A step of the region asks for the names that this share of the pages have there.

    """

    repeated_share: float = 0.1
    fresh_share: float = 0.3
    content_index: float = 0.3
    record_share: float = 0.2
    vote_share: float = 0.5
    name_share: float = 0.9


def learn_wrappers(
    site: SitePages, is_article: BoolArray, urls: Sequence[str], *, parameters: Parameters | None = None
) -> dict[int, Wrapper]:
    """The wrapper of every family that has article pages, from a sample of them.

    The sample goes by a hash of the pages' addresses in `urls`, so that another order of fetching gives the same one.
    """
    parameters = parameters or Parameters()
    members: dict[int, list[int]] = {}
    for number in np.flatnonzero(is_article).tolist():
        members.setdefault(int(site.family[number]), []).append(number)
    wrappers: dict[int, Wrapper] = {}
    site_repeated: dict[str, float] = {}
    for family, numbers in sorted(members.items(), key=lambda item: (-len(item[1]), item[0])):
        chosen = sorted(numbers, key=lambda number: _draw(urls[number]))[:SAMPLE]
        anchors = linking_texts(site, chosen)
        samples = [Sample(site.pages[number], anchors.get(number, ())) for number in chosen]
        known = site_repeated if len(samples) < SMALL else {}
        wrappers[family] = learn_wrapper(samples, site.entropy, known, parameters=parameters)
        if len(samples) >= SMALL:
            site_repeated |= {key: share for key, share in wrappers[family].repeated.items() if share > CONSTANT_SHARE}
    return wrappers


def _draw(url: str) -> tuple[int, str]:
    """A lot for a page: the same wherever the site is served from."""
    path = url.partition("://")[2].partition("/")[2] or url
    return crc32(path.encode("utf-8", "replace")), path


def learn_wrapper(
    samples: Sequence[Sample],
    entropy: TermEntropy,
    known_repeated: Mapping[str, float] | None = None,
    *,
    parameters: Parameters | None = None,
) -> Wrapper:
    """The wrapper of the pages of one family; `known_repeated` are lines that other families of the site repeat."""
    parameters = parameters or Parameters()
    samples = without_copies(samples)
    inline_exclude = _constant_inline([sample.page for sample in samples])
    views = [
        View(Layout(page, inline_exclude=frozenset(inline_exclude)), anchors, entropy) for page, anchors in samples
    ]
    repeated = {**(known_repeated or {}), **_repeated(views, parameters.repeated_share)}
    names = TemplateNames.of([view.layout.steps for view in views])
    for view in views:
        view.look(names, repeated)
    _exclude(views, [[0] for _ in views], parameters)
    region = _region(views, parameters)
    places = [follow(region, view.layout)[0] for view in views]
    return Wrapper(
        pages=len(views),
        region=region,
        names=names,
        exclude=_exclude(views, places, parameters),
        inline_exclude=inline_exclude,
        repeated=repeated,
        title=title_place(views),
        date=date_place(views),
        author=author_place(views),
    )


def _constant_inline(pages: Sequence[Page]) -> tuple[Step, ...]:
    """Inline elements with a class that say the same wherever they stand, outside of code."""
    texts: dict[Step, Counter[str]] = {}
    where: dict[Step, set[int]] = {}
    for number, page in enumerate(pages):
        steps = inline_steps(page)
        named = np.zeros(len(page.kind_tags), dtype=bool)
        named[list(steps)] = True
        code = np.zeros(len(page), dtype=bool)
        code[page.nodes("pre", "code", "textarea")] = True
        wanted = named[page.kind] & ~covered(code, page.subtree_end)
        for node in np.flatnonzero(wanted & (page.chunk_end > page.chunk_begin)).tolist():
            step = steps[int(page.kind[node])]
            text = "".join(page.chunks[page.chunk_begin[node] : page.chunk_end[node]])
            texts.setdefault(step, Counter())[text.strip()] += 1
            where.setdefault(step, set()).add(number)
    return tuple(
        step
        for step, counts in texts.items()
        if len(where[step]) >= 3 and counts.total() >= 5 and counts.most_common(1)[0][1] >= 0.95 * counts.total()
    )


def _exclude(views: Sequence[View], places: Sequence[list[int]], parameters: Parameters) -> tuple[Selector, ...]:
    """Find the slots below the given places that are not the article."""
    slots = Slots()
    for view, roots in zip(views, places, strict=True):
        view.slot = slots.of(view.layout.page, view.layout.owner, view.steps, roots)
    chains = slots.chains()
    nameable = np.array([bool(chain) and bool(chain[-1].names) and chain[-1].tag not in HEADINGS for chain in chains])
    sums = _SlotSums.of(views, len(slots))
    in_words = np.array([bool(chain) and chain[-1].tag not in _TABLE_TAGS for chain in chains])
    common = nameable & in_words & sums.common(parameters.content_index)
    excluded = nameable & sums.stale(parameters.fresh_share) | common & _formulas(views, common, sums.terms)
    for view in views:
        view.exclude(excluded)
    excluded |= nameable & _records(views, sums, parameters)
    for view in views:
        view.exclude(excluded)
    outermost: set[Selector] = set()
    for slot in np.flatnonzero(excluded).tolist():
        if not any(chains[slot][:length] in outermost for length in range(len(chains[slot]))):
            outermost.add(chains[slot])
    return tuple(sorted(outermost, key=str))


def _repeated(views: Sequence[View], share: float) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for view in views:
        counts.update(set(view.layout.line_keys))
    enough = max(min(len(views), 3), share * len(views), 2)
    return {text: round(count / len(views), 2) for text, count in counts.items() if count >= enough}


@dataclass(frozen=True)
class _SlotSums:
    """Sums over all elements of a slot, with everything below them, on all pages."""

    chars: FloatArray
    fresh: FloatArray
    lines: FloatArray
    again: FloatArray
    weight: FloatArray
    terms: FloatArray

    @classmethod
    def of(cls, views: Sequence[View], slots: int) -> _SlotSums:
        sums = np.zeros((6, slots))
        for view in views:
            blocks = np.flatnonzero(view.layout.is_block & (view.slot >= 0))
            for row, values in zip(sums, view.sums, strict=True):
                row += np.bincount(view.slot[blocks], values[blocks], minlength=slots)
        return cls(*sums)

    def stale(self, fresh_share: float) -> BoolArray:
        """Slots with little text that is the page's own."""
        return self._minor(self.fresh < fresh_share * self.chars)

    def common(self, content_index: float) -> BoolArray:
        """Slots with words that are the site's, not the page's."""
        return self._minor((self.terms > 0) & (self.weight < content_index * self.terms))

    def _minor(self, slots: BoolArray) -> BoolArray:
        """Of some slots those that have text, but not most of what the pages have of their own."""
        minor: BoolArray = slots & (self.chars > 0) & ((self.fresh < 0.5 * self.fresh[0]) | (self.fresh == 0))
        return minor


def _formulas(views: Sequence[View], slots: BoolArray, terms: FloatArray) -> BoolArray:
    """Of some slots those that say much the same on all pages, as a by-line or a licence does.

    As InfoDiscoverer does with blocks (LAMIS §4.3), by the mean entropy of their terms; here that of a term in its slot,
    over the pages with text in this slot. With fewer than three pages nothing can be told of that, and all are.
    """
    if len(views) < 3 or not slots.any():
        return slots
    span = np.int64(2 + max(int(view.term_id.max(initial=0)) for view in views))
    # Slots and terms begin with −1.
    met = [(view.slot[view.layout.page.term_node] + 1) * span + view.term_id + 1 for view in views]
    keys, pages = np.unique(np.concatenate(list(map(np.unique, met))), return_counts=True)
    pages_of_slot = np.bincount(np.concatenate([np.unique(own // span) for own in met]))
    term_entropy = np.log(pages) / np.log(np.maximum(2, pages_of_slot[keys // span]))
    entropy = np.zeros(len(slots))
    for view, own in zip(views, met, strict=True):
        page, blocks = view.layout.page, np.flatnonzero(view.layout.is_block & (view.slot >= 0))
        own_entropy = np.bincount(page.term_node, term_entropy[np.searchsorted(keys, own)], minlength=len(page))
        entropy += np.bincount(view.slot[blocks], page.subtree_sum(own_entropy)[blocks], minlength=len(slots))
    return entropy > FORMULA_ENTROPY * terms


def _records(views: Sequence[View], sums: _SlotSums, parameters: Parameters) -> BoolArray:
    """Slots that hold records behind the article: the same lines again and again, and hardly any own text after.

    The article stands before the first of them: an element that also opens the article holds no records.
    """
    suspects = sums.again > parameters.record_share * np.maximum(sums.lines, 1)
    before_first, before, inside, after = np.zeros((4, len(suspects)))
    for view in views:
        layout = view.layout
        total = np.concatenate([[0], np.cumsum(np.bincount(layout.lines.node, view.own, minlength=len(layout.page)))])
        nodes = np.flatnonzero(layout.is_block & (view.slot > 0) & suspects[view.slot])
        ends, slots = layout.page.subtree_end[nodes], view.slot[nodes]
        met, first = np.unique(slots, return_index=True)
        before_first[met] += total[nodes[first]]
        for sums_of, values in (
            (before, total[nodes]),
            (inside, total[ends] - total[nodes]),
            (after, total[-1] - total[ends]),
        ):
            sums_of += np.bincount(slots, values, minlength=len(suspects))
    return suspects & (before_first > 0.2 * inside) & (after < 0.5 * before)


def _region(views: Sequence[View], parameters: Parameters) -> Path:
    path: list[PathStep] = []
    places = [[0] for _ in views]
    while True:
        voters = [(view, nodes) for view, nodes in zip(views, places, strict=True) if view.weight[nodes].sum() > 0]
        votes = [(view, child) for view, nodes in voters if (child := _dominant_child(view, nodes)) is not None]
        tag, count = (
            Counter(view.layout.step(child).tag for view, child in votes).most_common(1)[0] if votes else ("", 0)
        )
        if count < max(1, parameters.vote_share * len(voters)):
            return tuple(path)
        chosen = [(view.layout, child) for view, child in votes if view.layout.step(child).tag == tag]
        path.append(_path_step(tag, chosen, parameters.name_share))
        places = [
            [
                child
                for node in nodes
                for child in path[-1].below(view.layout, node) or path[-1].alike(view.layout, node)
            ]
            or nodes
            for view, nodes in zip(views, places, strict=True)
        ]


def _dominant_child(view: View, nodes: list[int]) -> int | None:
    children = [child for node in nodes for child in view.layout.children(node)]
    best = max(children, key=lambda child: int(view.weight[child]), default=None)
    return best if best is not None and view.weight[best] >= DOMINANT_SHARE * view.weight[nodes].sum() else None


def _path_step(tag: str, chosen: Sequence[tuple[Layout, int]], name_share: float) -> PathStep:
    """The names that nearly all of the chosen elements have, and their position if names alone don't settle it."""
    counts = Counter(name for layout, node in chosen for name in layout.step(node).names)
    step = Step(tag, frozenset(name for name, count in counts.items() if count >= name_share * len(chosen)))
    positions: Counter[int] = Counter()
    doubtful = 0
    for layout, node in chosen:
        alike = [child for child in layout.children(int(layout.block_parent[node])) if layout.step(child).tag == tag]
        positions[alike.index(node) + 1] += 1
        doubtful += sum(step.matches(layout.step(child)) for child in alike) > 1
    return PathStep(step, positions.most_common(1)[0][0] if doubtful > (1 - name_share) * len(chosen) else 0)
