"""Places of a template: the same element of different pages, found by tags, classes and ids that the pages share.

A *step* is a tag with those of its classes and ids that belong to the template: a value that few pages carry
(``post-123``, ``category-sport``) is page data. A *slot* is a place of the template: the steps that lead to it from the
element that holds the article, ``div.related > ul > li``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstruct.flatten import BLOCK_TAGS, IntArray

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from webstruct.page import Page

# Of the values on one element, those that are nearly as widespread as the most widespread one belong to the template.
NEARLY_AS_WIDESPREAD = 0.8
# A value on fewer pages than this share of the sample (or on one page only) is page data.
TEMPLATE_SHARE = 0.05

_OWNER_TAGS = BLOCK_TAGS | {"td", "th"}
_INLINE_TAGS = frozenset("a abbr b bdi cite data em i label mark q s small span strong sub sup time u".split())
_SINGLE_TAGS = frozenset(("html", "body"))
_NAMED_TAGS = _OWNER_TAGS - _SINGLE_TAGS
_SEPARATORS = str.maketrans(".#>:", "____")


class Step(NamedTuple):
    """A tag and the classes (`.name`) and ids (`#name`) asked of it.

    >>> str(Step("div", frozenset({".entry", "#main"})))
    'div#main.entry'
    """

    tag: str
    names: frozenset[str]

    def __str__(self) -> str:
        return self.tag + "".join(sorted(self.names))

    @classmethod
    def parse(cls, text: str) -> Step:
        """The step that `str` wrote."""
        places = [place for place, char in enumerate(text) if char in "#."] + [len(text)]
        names = [text[begin:end] for begin, end in pairwise(places)]
        return cls(text[: places[0]], frozenset(names))

    def matches(self, other: Step) -> bool:
        """Whether an element's own step has this tag, and at least these names."""
        return self.tag == other.tag and self.names <= other.names


def block_steps(page: Page, known_ids: Collection[str] | None = None) -> list[Step]:
    """By kind: the tag, and all classes and ids of a block-level element; with `known_ids` no others (`#name`)."""
    return [
        _step(tag, attributes, known_ids) if attributes and tag in _NAMED_TAGS else _named(tag, "", "")
        for tag, attributes in zip(page.kind_tags, page.kind_attributes, strict=True)
    ]


def block_step(page: Page, kind: int) -> Step:
    """The same for one kind."""
    tag = page.kind_tags[kind]
    return _step(tag, page.kind_attributes[kind]) if tag in _NAMED_TAGS else _named(tag, "", "")


def inline_steps(page: Page, tags: Collection[str] = _INLINE_TAGS) -> dict[int, Step]:
    """By kind: the tag and classes of inline elements with one of some tags that have any."""
    return {
        kind: _named(tag, classes, "")
        for kind, (tag, attributes) in enumerate(zip(page.kind_tags, page.kind_attributes, strict=True))
        if tag in tags and (classes := _classes(attributes))
    }


def _classes(attributes: Iterable[tuple[str, str]]) -> str:
    for name, value in attributes:
        if name == "class":
            return value.strip()
    return ""


def _step(tag: str, attributes: Iterable[tuple[str, str]], known_ids: Collection[str] | None = None) -> Step:
    classes = identity = ""
    for name, value in attributes:
        if name == "class":
            classes = value
        elif name == "id" and (known_ids is None or _id_name(value) in known_ids):
            identity = value
    return _named(tag, classes, identity)


@lru_cache(maxsize=65536)
def _named(tag: str, classes: str, identity: str) -> Step:
    names = ["." + part for part in _clean(classes).split()]
    if identity.strip():
        names.append(_id_name(identity))
    return Step(tag, frozenset(names))


def _id_name(identity: str) -> str:
    return "#" + "_".join(_clean(identity).split())


def _clean(value: str) -> str:
    """Names in a form that can be parted again when they are written one after the other."""
    return value.translate(_SEPARATORS)


def block_owner(page: Page) -> IntArray:
    """For each node the innermost block-level element that it is or stands in."""
    is_block = [tag in _OWNER_TAGS for tag in page.kind_tags]
    owner: list[int] = []
    for node, (kind, parent) in enumerate(zip(page.kind.tolist(), page.parent.tolist(), strict=True)):
        owner.append(node if is_block[kind] or parent < 0 else owner[parent])
    return np.array(owner, dtype=np.int32)


@dataclass(frozen=True)
class TemplateNames:
    """Which classes and ids belong to a template: those of a tag that enough pages carry, with the number of pages.

    `pages` is by tag and name, ``("div", ".entry")``.
    """

    pages: Mapping[tuple[str, str], int]
    _step_of: dict[Step, Step] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, pages: Sequence[list[Step]]) -> TemplateNames:
        """The names of some pages, each given by the steps of its kinds."""
        counts: Counter[tuple[str, str]] = Counter()
        for steps in pages:
            counts.update({(step.tag, name) for step in set(steps) for name in step.names})
        enough = max(min(2, len(pages)), TEMPLATE_SHARE * len(pages))
        return cls({name: count for name, count in counts.items() if count >= enough})

    @cached_property
    def ids(self) -> frozenset[str]:
        """Those of them that are ids."""
        return frozenset(name for _, name in self.pages if name.startswith("#"))

    def steps(self, own: Iterable[Step]) -> list[Step]:
        """Elements' steps without page data."""
        return [self.step(step) if step.names else step for step in own]

    def step(self, own: Step) -> Step:
        """An element's step without page data."""
        if own not in self._step_of:
            counts = [(self.pages.get((own.tag, name), 0), name) for name in own.names]
            enough = max(1, NEARLY_AS_WIDESPREAD * max(counts, default=(0, ""))[0])
            self._step_of[own] = Step(own.tag, frozenset(name for count, name in counts if count >= enough))
        return self._step_of[own]


NO_TEMPLATE = TemplateNames({})


class Slots:
    """Numbers for places below some roots, growing page by page: a place is its step and the place around it."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, Step], int] = {}

    def __len__(self) -> int:
        return len(self._numbers) + 1

    def of(self, page: Page, owner: IntArray, steps: list[Step], roots: Collection[int]) -> IntArray:
        """The slot of each block-level node below `roots`, which themselves have slot 0; −1 for other nodes.

        `steps` are by kind. A node that is no block-level element has the slot of its owner.
        """
        numbers = self._numbers
        slots = [-1] * len(page)
        kinds, parents, owners = page.kind.tolist(), page.parent.tolist(), owner.tolist()
        for root in roots:
            slots[root] = 0
            for node in range(root + 1, int(page.subtree_end[root])):
                around = slots[parents[node]]
                if owners[node] == node:
                    around = numbers.setdefault((around, steps[kinds[node]]), len(numbers) + 1)
                slots[node] = around
        return np.array(slots, dtype=np.int32)

    def chains(self) -> list[tuple[Step, ...]]:
        """By slot: its steps from below the root down."""
        chains: list[tuple[Step, ...]] = [()]
        for around, step in self._numbers:
            chains.append((*chains[around], step))
        return chains
