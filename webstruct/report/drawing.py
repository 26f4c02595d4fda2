"""Sample pages of every family, drawn as nested blocks: what is template, what is informative, what is dropped.

A page is drawn from its arrays: blocks inside blocks, and in each the lines of text that are its own. A line is

- *informative* if it is delivered: a line of the article, its headline and date, or of a block that lists articles;
- *template* if it stands where the family's template has it (`template.py`), or if at least half of the looked-at pages
  of its family have it word for word;
- *dropped* if it is neither: text of this page that is no part of what it is for.

A block is what most of its own text is; without any, what most of the text in it is. WISDOM's measures go with it: CII,
API and SII of its subtree (§3.1–3.2).

Blocks and lines have the importance, too, that the compressed structure tree of the site gives to their places
(`structure_tree.py`): a second opinion, which knows nothing of families and wrappers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal

import numpy as np

from webstruct.articles import extract, lines_at
from webstruct.dates import find_date
from webstruct.layout import Layout
from webstruct.report.wording import address, line
from webstruct.structure_tree import StructureTree
from webstruct.wisdom import CoverageTree, coverage_tree
from webstruct.wrapper import apply, layout_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webstruct.flatten import BoolArray, IntArray
    from webstruct.page import Page
    from webstruct.site import FamilySummary, SiteModel
    from webstruct.structure_tree import CompressedTree, FloatArray

State = Literal["template", "informative", "dropped"]
STATES: tuple[State, ...] = ("template", "informative", "dropped")

MAX_FAMILIES = 10
# So many pages of a family are compared, and one of them is drawn; of a large family two.
COMPARED_PAGES = 6
LARGE_FAMILY = 50
MAX_BOXES = 60
MAX_DEPTH = 8
# A run of lines of one state shows so many of them, each so long.
MAX_LINES = 5
MAX_LINE = 140
MAX_LINKED = 200
# The structure tree is made of so many pages of the site, and of those that are compared.
STRUCTURE_PAGES = 200


@dataclass(frozen=True)
class Run:
    """Lines of one state that follow each other in a block, with their mean importance; `more` were left out."""

    state: State
    importance: float
    lines: list[str]
    more: int


@dataclass
class Box:
    """A block: its tag and names, what most of its text is, importance, WISDOM's measures, and what stands in it."""

    label: str
    state: State
    importance: float
    cii: float
    api: float
    sii: float
    chars: int
    links: int
    inside: list[Run | Box] = field(default_factory=list)


@dataclass(frozen=True)
class Drawing:
    """A page as nested blocks; characters by state are those of the whole page. `more` blocks are not drawn."""

    url: str
    title: str
    type: str
    language: str
    chars: dict[State, int]
    body: Box
    more: int


@dataclass(frozen=True)
class DrawnFamily:
    """A family of pages, and some of them."""

    id: int
    type: str
    pages: int
    region: str
    drawings: list[Drawing]


def draw_families(model: SiteModel, structure: CompressedTree | None = None) -> list[DrawnFamily]:
    """Draw pages of the largest families, and the start page.

    Importance is that of the given structure tree; without one, of a tree of some of the pages.
    """
    families = model.families[:MAX_FAMILIES]
    compared = {family.id: _pages_to_compare(model, family) for family in families}
    lines = {family: [set(_layout(model, n).line_keys) for n in numbers] for family, numbers in compared.items()}
    everywhere = _repeated([keys for family in lines.values() for keys in family])
    chosen = {family.id: _pages_to_draw(compared[family.id], family) for family in families}
    if len(model.site) and (start := int(model.site.family[0])) in chosen:
        chosen[start] = list(dict.fromkeys([0, *chosen[start]]))[:2]
    linked = LinkedTerms(model, [number for numbers in chosen.values() for number in numbers])
    structure = structure or _structure(model, chain.from_iterable(compared.values()))
    return [
        DrawnFamily(
            family.id,
            family.type,
            family.pages,
            line(str((family.wrapper or {}).get("region", ""))),
            [
                draw(model, number, linked, everywhere | _repeated(lines[family.id]), structure)
                for number in chosen[family.id]
            ],
        )
        for family in families
    ]


def _pages_to_compare(model: SiteModel, family: FamilySummary) -> list[int]:
    """An even selection of a family's pages of its own type."""
    of_type = [
        number
        for number in np.flatnonzero(model.site.family == family.id).tolist()
        if model.types.type[number] == family.type
    ]
    steps = np.linspace(0, len(of_type) - 1, min(COMPARED_PAGES, len(of_type)))
    return [of_type[int(place)] for place in steps]


def _pages_to_draw(compared: Sequence[int], family: FamilySummary) -> list[int]:
    middle = len(compared) // 2
    return list(compared[middle : middle + (2 if family.pages >= LARGE_FAMILY else 1)])


def _structure(model: SiteModel, compared: Iterable[int]) -> CompressedTree:
    """The structure tree of an even selection of the site's pages, and of the given ones."""
    pages = len(model.site)
    steps = np.linspace(0, pages - 1, min(STRUCTURE_PAGES, pages))
    numbers = {*map(int, steps), *compared}
    return StructureTree.of(model.site.pages[number] for number in sorted(numbers)).compress()


def _repeated(pages: Sequence[set[str]]) -> set[str]:
    """Lines of at least half of the pages, and of more than one."""
    counts = Counter(key for keys in pages for key in keys)
    return {key for key, count in counts.items() if count > 1 and 2 * count >= len(pages)}


def _layout(model: SiteModel, number: int) -> Layout:
    page = model.site.pages[number]
    wrapper = model.wrappers.get(int(model.site.family[number]))
    return layout_for(wrapper, page) if wrapper and model.types.type[number] == "article" else Layout(page)


class LinkedTerms:
    """For the links of a few pages, the terms of the pages that they lead to: what API asks for."""

    def __init__(self, model: SiteModel, numbers: Iterable[int]) -> None:
        self._model = model
        self._terms: set[str] = set()
        for number in numbers:
            page = model.site.pages[number]
            in_links = np.unique(page.term[page.in_anchor[page.term_node]])
            self._terms.update(page.term_names[term] for term in in_links.tolist())
        self._of_page: dict[int, frozenset[str]] = {}

    def of(self, number: int) -> list[frozenset[str] | None]:
        """By link of a page; None for a page that was not crawled, or is beyond the limit."""
        targets = self._model.site.targets[number].tolist()
        asked = [target for target in dict.fromkeys(targets) if target >= 0][:MAX_LINKED]
        for target in asked:
            if target not in self._of_page:
                self._of_page[target] = frozenset(self._terms.intersection(self._model.site.pages[target].term_names))
        return [self._of_page.get(target) for target in targets]


def draw(model: SiteModel, number: int, linked: LinkedTerms, repeated: set[str], structure: CompressedTree) -> Drawing:
    """A page as nested blocks."""
    layout = _layout(model, number)
    page, lines, kind = layout.page, layout.lines, model.types.type[number]
    tree = coverage_tree(page, model.site.entropy, linked.of(number))
    states = _states(model, number, layout, repeated)
    sii = tree.sii(tree.api if kind == "toc" else tree.clen)
    body, more = _boxes(layout, tree, states, sii, structure.importance(page))
    chars = {state: int(lines.chars[states == place].sum()) for place, state in enumerate(STATES)}
    return Drawing(address(page.url), line(page.title), kind, page.language, chars, body, more)


def _states(model: SiteModel, number: int, layout: Layout, repeated: set[str]) -> IntArray:
    """By line its place in `STATES`."""
    again = np.fromiter((key in repeated for key in layout.line_keys), dtype=bool, count=len(layout.lines))
    template = again | _in_template(model, number, layout)
    informative = _delivered(model, number, layout)
    return np.where(informative, 1, np.where(template, 0, 2)).astype(np.int32)


def _in_template(model: SiteModel, number: int, layout: Layout) -> BoolArray:
    """Lines all of whose chunks stand where the family's template has them (template alignment)."""
    template, lines = model.templates.get(int(model.site.family[number])), layout.lines
    if template is None:
        return np.zeros(len(lines), dtype=bool)
    own = np.concatenate([[0], np.cumsum(~template.match(layout.page).chunks)])
    whole: BoolArray = own[lines.chunk_end] == own[lines.chunk_begin]
    return whole


def _delivered(model: SiteModel, number: int, layout: Layout) -> BoolArray:
    wrapper = model.wrappers.get(int(model.site.family[number]))
    if model.types.type[number] == "article" and wrapper:
        article = extract(layout.page, wrapper, anchor_texts=model.anchor_texts.get(number, ()))
        texts, delivered = layout.lines.texts, apply(wrapper, layout).lines.copy()
        headlines = [place for place, text in enumerate(texts) if " ".join(text.split()) == article.title]
        dated = [
            place
            for place in lines_at(layout, wrapper.date)
            if article.date and find_date(texts[place], article.language) == article.date
        ]
        delivered[headlines + dated] = True
        return delivered
    blocks = [node for node, _ in model.types.blocks[number]]
    inside: BoolArray = np.isin(layout.page.block[layout.lines.node], blocks)
    return inside


def _boxes(
    layout: Layout, tree: CoverageTree, states: IntArray, sii: FloatArray, importance: FloatArray
) -> tuple[Box, int]:
    """The outermost box; and the number of blocks that were left out, the smallest ones, with their text."""
    page = layout.page
    block = page.block[layout.lines.node]
    own_lines: dict[int, list[int]] = {}
    for number, node in enumerate(block.tolist()):
        own_lines.setdefault(node, []).append(number)
    shown = _largest(own_lines, layout)
    parent = _enclosing(page, shown)
    below = np.stack(
        [layout.line_sums(np.where(states == place, layout.lines.chars, 0)) for place in range(len(STATES))]
    )
    boxes: dict[int, Box] = {}
    for node in sorted(parent):
        mine = own_lines.get(node)
        weight = np.bincount(states[mine], layout.lines.chars[mine], minlength=len(STATES)) if mine else below[:, node]
        boxes[node] = Box(
            label=line(str(layout.step(node)), 60),
            state=STATES[int(weight.argmax())],
            importance=round(float(importance[node]), 3),
            cii=round(float(tree.cii[node]), 3),
            api=round(float(tree.api[node] / max(1.0, tree.anchors[node])), 3),
            sii=round(float(sii[node]), 3),
            chars=int(tree.alen[node] + tree.clen[node]),
            links=int(tree.anchors[node]),
        )
    _fill(layout, states, importance, own_lines, parent, boxes)
    outermost = boxes[0]
    while len(outermost.inside) == 1 and isinstance(inner := outermost.inside[0], Box):
        outermost = inner
    return outermost, len(own_lines) - len(shown)


def _largest(own_lines: dict[int, list[int]], layout: Layout) -> set[int]:
    """The blocks with text that are drawn."""
    chars = {node: int(layout.lines.chars[mine].sum()) for node, mine in own_lines.items()}
    return set(sorted(chars, key=lambda node: (-chars[node], node))[:MAX_BOXES])


def _enclosing(page: Page, shown: set[int]) -> dict[int, int]:
    """Block → the block around it, of those that are drawn: all with text, and those that hold several of them.

    Below `MAX_DEPTH` boxes are drawn side by side.
    """
    block_parent = {}
    children: Counter[int] = Counter()
    for node in shown:
        while node not in block_parent and node > 0:
            above = int(page.block[page.parent[node]])
            block_parent[node] = above
            children[above] += 1
            node = above
    outermost = 0
    kept = {node for node in block_parent if node in shown or children[node] > 1} | {outermost}
    parent = {outermost: -1}
    depth = {outermost: 0}
    for node in sorted(kept - {outermost}):
        above = block_parent[node]
        while above not in kept:
            above = block_parent[above]
        if depth[above] >= MAX_DEPTH:
            above = parent[above]
        parent[node], depth[node] = above, depth[above] + 1
    return parent


def _fill(
    layout: Layout,
    states: IntArray,
    importance: FloatArray,
    own_lines: dict[int, list[int]],
    parent: dict[int, int],
    boxes: dict[int, Box],
) -> None:
    """Put into every box its runs of lines and its boxes, in document order."""
    page = layout.page
    of_line = importance[page.chunk_node[layout.lines.chunk_begin]]
    parts: dict[int, list[tuple[int, int]]] = {node: [] for node in boxes}
    for node, above in parent.items():
        if above >= 0:
            parts[above].append((node, -1))
        parts[node] += [(int(layout.lines.node[number]), number) for number in own_lines.get(node, ())]
    for node, own in parts.items():
        run: list[int] = []
        for start, number in [*sorted(own), (len(page), -1)]:
            if run and (number < 0 or states[number] != states[run[-1]]):
                boxes[node].inside.append(_run(layout, STATES[int(states[run[0]])], of_line, run))
                run = []
            if number >= 0:
                run.append(number)
            elif start < len(page):
                boxes[node].inside.append(boxes[start])


def _run(layout: Layout, state: State, importance: FloatArray, numbers: Sequence[int]) -> Run:
    texts = [layout.lines.texts[number] for number in numbers[:MAX_LINES]]
    mean = np.average(importance[numbers], weights=layout.lines.chars[numbers])
    return Run(state, round(float(mean), 3), [line(text, MAX_LINE) for text in texts], len(numbers) - len(texts))
