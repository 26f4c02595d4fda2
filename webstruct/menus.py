"""Menus: the links of a page, nested as the page shows them. No page but this one is looked at.

The tree of the page is cut down to its links: what holds one link is that link, what holds several is a *group*. A link
that opens a group and stands above the rest of it is the head of a drop-down (``<li><a>News</a><ul>…</ul></li>``), and
the rest are its items. A group whose parts are entries (list items, table rows, plain links) is a *list*; one whose
parts are containers is a piece of layout (a header with a logo, a bar and a menu), unless the containers look alike and
most of them hold one link each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from webstruct.blocks import CONTAINER_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webstruct.flatten import BoolArray
    from webstruct.page import Page

# What is nested deeper than this is no menu, and is left out.
MAX_NESTING = 50
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Item:
    """A link with the items below it, or a group of items.

    Attributes
    ----------
    link
        Place in `Page.link_urls`; −1 for a group.
    items
        What stands below a link, or in a group.
    is_list
        Whether a group is a list of entries, not a piece of layout.
    leads_home
        Whether one more entry of a list, left out of `items`, leads to the home page.
    height
        How deep the items are nested.

    """

    link: int = -1
    items: tuple[Item, ...] = ()
    is_list: bool = False
    leads_home: bool = False
    height: int = field(init=False)

    def __post_init__(self) -> None:
        height = 1 + max((item.height for item in self.items), default=0)
        object.__setattr__(self, "height", height)


def link_tree(page: Page, wanted: BoolArray, home: BoolArray) -> Item:
    """The `wanted` links of a page as one nested group; lists remember that they have one of the `home` links.

    >>> from webstruct.page import Page
    >>> html = "<ul><li><a href=/a>A</a><ul><li><a href=/b>B</a><li><a href=/c>C</a></ul><li><a href=/d>D</a>"
    >>> page = Page.parse(html, "http://example.com/")
    >>> tree = link_tree(page, page.link_node > 0, page.link_node < 0)
    >>> [(page.link_urls[item.link], len(item.items)) for item in tree.items]
    [('http://example.com/a', 1), ('http://example.com/d', 0)]
    """
    link_at: dict[int, int] = {}
    for place in np.flatnonzero(wanted | home).tolist():
        link_at[int(page.link_node[place])] = -1 if home[place] else place
    parts = _parts(page, link_at)
    built: dict[int, Item] = {}
    for node in sorted(parts, reverse=True):
        built[node] = _item(page, node, parts[node], built) if parts[node] else Item(link_at[node])
    root = built.get(0, Item())
    return Item(items=(root,)) if root.link >= 0 else root


def entries(items: Sequence[Item]) -> Iterator[Item]:
    """The links of a list: those of its groups are its own, those below a link are not."""
    for item in items:
        if item.link >= 0:
            yield item
        else:
            yield from entries(item.items)


def all_links(item: Item) -> Iterator[int]:
    """Every link below an item, and its own."""
    if item.link >= 0:
        yield item.link
    for part in item.items:
        yield from all_links(part)


def _parts(page: Page, link_at: dict[int, int]) -> dict[int, list[int]]:
    """For every node on the way to a link, its children on such a way; none for the links themselves."""
    parent = page.parent.tolist()
    parts: dict[int, list[int]] = {}
    for node in link_at:
        if node in parts:
            continue
        parts[node] = []
        while (above := parent[node]) >= 0:
            is_new = above not in parts
            parts.setdefault(above, []).append(node)
            if not is_new:
                break
            node = above
    return parts


def _item(page: Page, node: int, children: list[int], built: dict[int, Item]) -> Item:
    """What a node shows: the only thing in it, a link with a drop-down, or a group."""
    shown = [child for child in children if built[child].link >= 0 or built[child].items]
    leads_home = len(shown) < len(children)
    if not shown:
        return Item()
    children = _without_repeats(page, shown, built)
    items = tuple(built[child] for child in children)
    if len(items) == 1:
        return items[0]
    if max(item.height for item in items) >= MAX_NESTING:
        items = tuple(Item(item.link) for item in items)
    if _has_head(page, node, children, items):
        return Item(items[0].link, items[1:])
    are_entries = not any(page.tag(child) in CONTAINER_TAGS for child in children)
    is_list = are_entries or _are_alike(page, children, items)
    return Item(items=items, is_list=is_list, leads_home=leads_home and is_list)


def _without_repeats(page: Page, children: list[int], built: dict[int, Item]) -> list[int]:
    """A picture and its caption that lead to the same place are one entry: the one with words."""
    kept: list[int] = []
    for child in children:
        item, last = built[child], built[kept[-1]] if kept else Item()
        are_links = item.link >= 0 and last.link >= 0 and not item.items and not last.items
        if not are_links or page.link_urls[item.link] != page.link_urls[last.link]:
            kept.append(child)
        elif not page.link_text(int(page.link_node[last.link])):
            kept[-1] = child
    return kept


def _has_head(page: Page, node: int, children: Sequence[int], items: Sequence[Item]) -> bool:
    """Whether the first item is a link, and what follows stands below it: groups, or containers of one link."""
    is_entry = page.tag(node) not in CONTAINER_TAGS
    is_container = [page.tag(child) in CONTAINER_TAGS for child in children]
    return (
        items[0].link >= 0
        and not items[0].items
        and not is_container[0]
        and page.tag(children[0]) != page.tag(children[1])
        and (is_entry or len(items) == 2)
        and all(item.link < 0 or inside for item, inside in zip(items[1:], is_container[1:], strict=True))
    )


def _are_alike(page: Page, children: Sequence[int], items: Sequence[Item]) -> bool:
    """Whether containers have the same tag and class, and most of them hold one link."""
    looks = {(page.tag(child), _DIGITS.sub("", page.attributes(child).get("class", ""))) for child in children}
    return len(looks) == 1 and 2 * sum(item.link >= 0 for item in items) > len(items)
