"""Places of a template: the same element of different pages, found by tags, classes and ids that the pages share.

A *step* is a tag with those of its classes and ids that belong to the template: a value that few pages carry
(``post-123``, ``category-sport``) is page data. A *slot* is a step below its ancestors up to the nearest one that has a
class or an id: ``div.entry > ul > li``. That names a place closely enough, and survives changes further up the page.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstruct.flatten import BLOCK_TAGS, IntArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webstruct.page import Page

# Of the values on one element, those that are nearly as widespread as the most widespread one belong to the template.
NEARLY_AS_WIDESPREAD = 0.8
# A value on fewer pages than this share of the sample (or on one page only) is page data.
TEMPLATE_SHARE = 0.05

_OWNER_TAGS = BLOCK_TAGS | {"td", "th"}
_SINGLE_TAGS = frozenset(("html", "body"))


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
        names = [text[begin:end] for begin, end in zip(places, places[1:], strict=False)]
        return cls(text[: places[0]], frozenset(names))

    def matches(self, other: Step) -> bool:
        """Whether an element's own step has this tag, and at least these names."""
        return self.tag == other.tag and self.names <= other.names


def own_steps(page: Page) -> list[Step]:
    """By kind: the tag with all of its classes and ids."""
    return [
        Step(tag, frozenset() if tag in _SINGLE_TAGS else _names(attributes))
        for tag, attributes in zip(page.kind_tags, page.kind_attributes, strict=True)
    ]


def _names(attributes: Iterable[tuple[str, str]]) -> frozenset[str]:
    found: list[str] = []
    for name, value in attributes:
        if name == "class":
            found.extend("." + part for part in _clean(value).split())
        elif name == "id" and value.strip():
            found.append("#" + "_".join(_clean(value).split()))
    return frozenset(found)


def _clean(value: str) -> str:
    """Names in a form that can be parted again when they are written one after the other."""
    return value.replace(".", "_").replace("#", "_").replace(">", "_")


def block_owner(page: Page) -> IntArray:
    """For each node the innermost block-level element that it is or stands in."""
    is_block = [tag in _OWNER_TAGS for tag in page.kind_tags]
    owner: list[int] = []
    for node, (kind, parent) in enumerate(zip(page.kind.tolist(), page.parent.tolist(), strict=True)):
        owner.append(node if is_block[kind] or parent < 0 else owner[parent])
    return np.array(owner, dtype=np.int32)


class TemplateNames:
    """Which classes and ids of a set of pages belong to their template."""

    def __init__(self, pages: Sequence[list[Step]]) -> None:
        counts: Counter[tuple[str, str]] = Counter()
        for steps in pages:
            counts.update({(step.tag, name) for step in steps for name in step.names})
        enough = max(min(2, len(pages)), TEMPLATE_SHARE * len(pages))
        self._pages = {name: count for name, count in counts.items() if count >= enough}

    def step(self, own: Step) -> Step:
        """An element's step without page data."""
        if not own.names:
            return own
        counts = {name: self._pages.get((own.tag, name), 0) for name in own.names}
        most = max(counts.values())
        return Step(
            own.tag, frozenset(n for n, count in counts.items() if most and count >= NEARLY_AS_WIDESPREAD * most)
        )


class Slots:
    """Numbers for slots, growing page by page.

    A slot is numbered by its step and its parent's *chain*: the parent's own step if that has names, else the parent's
    slot. So a chain goes up to the nearest ancestor with names, and each element costs one look-up.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[Step, int], int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, page: Page, owner: IntArray, steps: list[Step]) -> IntArray:
        """The slot of each block-level node; other nodes have that of their owner. `steps` are by kind."""
        numbers = self._numbers
        slots: list[int] = []
        chains: list[int] = []
        for node, (kind, parent, own) in enumerate(
            zip(page.kind.tolist(), page.parent.tolist(), owner.tolist(), strict=True)
        ):
            if own != node:
                slots.append(slots[parent])
                chains.append(chains[parent])
                continue
            step = steps[kind]
            slot = numbers.setdefault((step, chains[parent] if parent >= 0 else -1), len(numbers))
            slots.append(slot)
            chains.append(numbers.setdefault((step, -1), len(numbers)) if step.names else slot)
        return np.array(slots, dtype=np.int32)

    def chains(self) -> list[tuple[Step, ...]]:
        """By slot: its steps, outermost first."""
        keys = list(self._numbers)
        result: list[tuple[Step, ...]] = []
        for step, chain in keys:
            result.append((*_walk(keys, chain), step))
        return result


def _walk(keys: list[tuple[Step, int]], chain: int) -> tuple[Step, ...]:
    steps: list[Step] = []
    while chain >= 0 and len(steps) < 8:
        step, chain = keys[chain]
        steps.append(step)
    return tuple(reversed(steps))
