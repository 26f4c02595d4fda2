"""A page as wrappers see it: block-level elements with their steps, and the lines that stand in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstruct.flatten import BoolArray, IntArray, covered
from webstruct.lines import Lines, lines_of
from webstruct.slots import NO_TEMPLATE, Step, TemplateNames, block_owner, block_step, block_steps, inline_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webstruct.page import Page


@dataclass(frozen=True, eq=False)
class Layout:
    """The block-level view of a page."""

    page: Page
    names: TemplateNames = NO_TEMPLATE
    inline_exclude: frozenset[Step] = frozenset()

    @cached_property
    def owner(self) -> IntArray:
        """For each node the innermost block-level element that it is or stands in."""
        return block_owner(self.page)

    @cached_property
    def lines(self) -> Lines:
        """The visible lines."""
        return lines_of(self.page, self.owner, self.silent)

    @cached_property
    def data_rows(self) -> dict[int, list[int]]:
        """Rows of tables that hold data, not layout: several cells with one line each. By row: its lines."""
        lines = self.lines
        is_cell = np.fromiter((tag in ("td", "th") for tag in self.page.kind_tags), dtype=bool)
        cells = np.flatnonzero(is_cell[self.page.kind[lines.node]])
        rows: dict[int, list[int]] = {}
        for line, row in zip(cells.tolist(), self.block_parent[lines.node[cells]].tolist(), strict=True):
            rows.setdefault(row, []).append(line)
        return {row: own for row, own in rows.items() if 1 < len(own) == len(set(lines.node[own].tolist()))}

    @cached_property
    def line_keys(self) -> list[str]:
        """By line: what must come again for the line to be repeated, its text; for a cell, the text of its whole row.

        A number or a name in a table comes again on other pages by chance.
        """
        keys = list(self.lines.texts)
        for lines in self.data_rows.values():
            row_key = " | ".join(self.lines.texts[line] for line in lines)
            for line in lines:
                keys[line] = row_key
        return keys

    @cached_property
    def silent(self) -> BoolArray:
        """By chunk: whether it is hidden, or stands in an inline element that is no part of any text."""
        page = self.page
        hidden = page.hidden
        if self.inline_exclude:
            silent_kind = np.zeros(len(page.kind_tags), dtype=bool)
            steps = inline_steps(page, {step.tag for step in self.inline_exclude})
            silent_kind[[kind for kind, step in steps.items() if step in self.inline_exclude]] = True
            hidden = hidden | covered(silent_kind[page.kind], page.subtree_end)
        silent: BoolArray = hidden[page.chunk_node]
        return silent

    @cached_property
    def steps(self) -> list[Step]:
        """By kind: the tag, with all classes and ids of a block-level element."""
        return block_steps(self.page)

    def step(self, node: int) -> Step:
        """A node's own step."""
        return block_step(self.page, int(self.page.kind[node]))

    @cached_property
    def template_steps(self) -> list[Step]:
        """By kind: the step without page data."""
        return self.names.steps(block_steps(self.page, self.names.ids))

    @cached_property
    def kinds_of_step(self) -> dict[Step, list[int]]:
        """The kinds that have a template step."""
        kinds: dict[Step, list[int]] = {}
        for kind, step in enumerate(self.template_steps):
            kinds.setdefault(step, []).append(kind)
        return kinds

    @cached_property
    def is_block(self) -> BoolArray:
        """Whether a node is a block-level element."""
        blocks: BoolArray = self.owner == np.arange(len(self.page))
        return blocks

    @cached_property
    def block_parent(self) -> IntArray:
        """For each node but the root the block-level element around it."""
        parents: IntArray = self.owner[self.page.parent]
        return parents

    def children(self, node: int) -> list[int]:
        """Block-level elements directly below a block-level element."""
        block, ends = self._tree
        child, found = node + 1, []
        while child < ends[node]:
            if block[child]:
                found.append(child)
                child = ends[child]
            else:
                child += 1
        return found

    @cached_property
    def _tree(self) -> tuple[list[bool], list[int]]:
        return self.is_block.tolist(), self.page.subtree_end.tolist()

    @cached_property
    def link_url(self) -> dict[int, str]:
        """Where the links of the page lead, by node."""
        return dict(zip(self.page.link_node.tolist(), self.page.link_urls, strict=True))

    def line_sums(self, values: IntArray | BoolArray) -> IntArray:
        """By node: the sum of `values`, given by line, over the lines of the subtree."""
        sums: IntArray = self.page.subtree_sum(np.bincount(self.lines.node, values, minlength=len(self.page)))
        return sums

    def lines_below(self, nodes: Iterable[int]) -> BoolArray:
        """Which lines stand in one of these subtrees."""
        marked = np.zeros(len(self.page), dtype=bool)
        marked[list(nodes)] = True
        return covered(marked, self.page.subtree_end)[self.lines.node]


class PathStep(NamedTuple):
    """One step down a path; `position` among the siblings of the same tag settles which, if several match."""

    step: Step
    position: int = 0

    def __str__(self) -> str:
        return f"{self.step}:nth-of-type({self.position})" if self.position else str(self.step)

    @classmethod
    def parse(cls, text: str) -> PathStep:
        """The step that `str` wrote."""
        step, _, position = text.partition(":nth-of-type(")
        return cls(Step.parse(step), int(position.rstrip(")") or 0))

    def below(self, layout: Layout, node: int) -> list[int]:
        """The children that have the tag and the names."""
        alike = [child for child in layout.children(node) if layout.step(child).tag == self.step.tag]
        named = [child for child in alike if self.step.names <= layout.step(child).names]
        at_position = alike[self.position - 1 : self.position] if self.position else []
        return at_position if at_position and at_position[0] in named else named

    def alike(self, layout: Layout, node: int) -> list[int]:
        """The child that has the tag without the names: the only one, or the one at the position."""
        alike = [child for child in layout.children(node) if layout.step(child).tag == self.step.tag]
        return alike[self.position - 1 : self.position] if self.position else alike if len(alike) == 1 else []


Path = tuple[PathStep, ...]


def follow(path: Path, layout: Layout) -> tuple[list[int], bool]:
    """The elements that a path leads to on a page, and whether it was found to its end.

    Names may differ (`article.link` for `article.story`) if the rest of the path is found below; else the path has been
    followed to where the names still agreed.
    """
    found = sure = [0]
    certain = True
    for path_step in path:
        below = [child for node in found for child in path_step.below(layout, node)]
        certain = certain and bool(below)
        found = below or [child for node in found for child in path_step.alike(layout, node)]
        if not found:
            return sure, False
        sure = found if certain else sure
    return found, True


def path_text(path: Path) -> str:
    """A path as a CSS selector.

    >>> path_text(parse_path("body > div#main.wide > div:nth-of-type(2)"))
    'body > div#main.wide > div:nth-of-type(2)'
    """
    return " > ".join(map(str, path))


def parse_path(text: str) -> Path:
    """The path that `path_text` wrote."""
    return tuple(PathStep.parse(step) for step in text.split(" > ")) if text else ()


Selector = tuple[Step, ...]


def select(selectors: Sequence[Selector], layout: Layout) -> list[int]:
    """Block-level elements that match one of the selectors: steps from an ancestor down, child by child."""
    steps = layout.template_steps
    by_step: dict[Step, list[Selector]] = {}
    for selector in selectors:
        by_step.setdefault(selector[-1], []).append(selector)
    wanted = np.zeros(len(steps), dtype=bool)
    wanted[[kind for step in by_step for kind in layout.kinds_of_step.get(step, ())]] = True
    nodes = np.flatnonzero(wanted[layout.page.kind] & layout.is_block).tolist()
    kinds, parents = layout.page.kind, layout.block_parent

    def matches(selector: Selector, node: int) -> bool:
        for step in reversed(selector[:-1]):
            node = int(parents[node]) if node else -1
            if node < 0 or steps[kinds[node]] != step:
                return False
        return True

    return [node for node in nodes if any(matches(selector, node) for selector in by_step[steps[kinds[node]]])]
