"""Chosen lines of a page → plain text and Markdown: paragraphs apart; lists, headings, code, tables in their form."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstruct.flatten import LINE_BREAK, PREFORMATTED_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstruct.flatten import BoolArray
    from webstruct.layout import Layout

_HEADING_LEVEL = {f"h{level}": level for level in range(1, 7)}
_LIST_TAGS = frozenset(("ul", "ol", "dl", "menu", "dir"))
_ITEM_TAGS = frozenset(("li", "dt", "dd"))
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "kbd": "`", "samp": "`", "tt": "`"}


class _Place(NamedTuple):
    """What stands around a line: the nodes of its table, row, cell, outermost list and item; −1 for none."""

    heading: int = 0
    quotes: int = 0
    code: bool = False
    table: int = -1
    row: int = -1
    cell: int = -1
    outer_list: int = -1
    list_depth: int = 0
    ordered: bool = False
    item: int = -1


def render(layout: Layout, chosen: BoolArray) -> tuple[str, str]:
    """Text and Markdown of the chosen lines."""
    numbers = np.flatnonzero(chosen).tolist()
    places = _places(layout, layout.lines.node[numbers].tolist())
    text: list[str] = []
    markdown: list[str] = []
    previous: _Place | None = None
    for number, place in zip(numbers, places, strict=True):
        plain, marked = _line(layout, number, place)
        if not plain:
            continue
        break_before = int(layout.page.chunk_break[layout.lines.chunk_begin[number]])
        gap = "" if previous is None else _gap(previous, place, is_line=break_before == LINE_BREAK)
        text.append(gap + plain)
        markdown.append(_markdown_gap(gap, previous, place) + _dress(marked, previous, place))
        previous = place
    closing = _close(previous) if previous else ""
    return "".join(text), "".join(markdown) + closing


def _places(layout: Layout, nodes: Iterable[int]) -> list[_Place]:
    """The place of each node, from that of the block around it."""
    known: dict[int, _Place] = {-1: _Place()}
    result = []
    for node in nodes:
        todo = [node]
        while todo[-1] not in known:
            todo.append(int(layout.block_parent[todo[-1]]) if todo[-1] else -1)
        todo.pop()
        while todo:
            inner = todo.pop()
            around = known[int(layout.block_parent[inner]) if inner else -1]
            known[inner] = _inside(around, inner, layout.step(inner).tag)
        result.append(known[node])
    return result


def _inside(around: _Place, node: int, tag: str) -> _Place:
    if tag in _HEADING_LEVEL:
        return around._replace(heading=_HEADING_LEVEL[tag])
    if tag in PREFORMATTED_TAGS:
        return around._replace(code=True)
    if tag == "blockquote":
        return around._replace(quotes=around.quotes + 1)
    if tag == "table":
        return around._replace(table=node, row=-1, cell=-1)
    if tag == "tr":
        return around._replace(row=node, cell=-1)
    if tag in ("td", "th"):
        return around._replace(cell=node)
    if tag in _LIST_TAGS:
        outer = around.outer_list if around.outer_list >= 0 else node
        return around._replace(outer_list=outer, list_depth=around.list_depth + 1, ordered=tag == "ol")
    return around._replace(item=node) if tag in _ITEM_TAGS else around


def _gap(previous: _Place, place: _Place, *, is_line: bool) -> str:
    """What parts two lines of the text."""
    if place.row >= 0 and place.table == previous.table:
        if place.row != previous.row:
            return "\n"
        if place.cell != previous.cell:
            return " "
    if is_line or (place.outer_list >= 0 and place.outer_list == previous.outer_list):
        return "\n"
    return "\n\n"


def _markdown_gap(gap: str, previous: _Place | None, place: _Place) -> str:
    """As in the text, but that cells are parted by bars, and that code blocks and quotes need lines of their own."""
    if gap == " ":
        return " | "
    close = _close(previous) if previous is not None and _closes(previous, place) else ""
    if gap == "\n" and previous is not None and place.item == previous.item and place.row < 0:
        return close + "  \n"
    return close + gap


def _closes(previous: _Place, place: _Place) -> bool:
    return previous.code != place.code or (previous.row >= 0 and previous.row != place.row)


def _close(place: _Place) -> str:
    return "\n```" if place.code else " |" if place.row >= 0 else ""


def _dress(marked: str, previous: _Place | None, place: _Place) -> str:
    if place.code:
        opened = previous is not None and previous.code
        return marked if opened else "```\n" + marked
    if place.row >= 0:
        return marked.replace("|", "\\|") if previous is not None and previous.row == place.row else "| " + marked
    if place.heading:
        marked = f"{'#' * place.heading} {marked}"
    elif place.item >= 0 and (previous is None or previous.item != place.item):
        marked = "  " * (place.list_depth - 1) + ("1. " if place.ordered else "- ") + marked
    return "> " * place.quotes + marked


def _line(layout: Layout, number: int, place: _Place) -> tuple[str, str]:
    """A line as text and as Markdown."""
    page, lines = layout.page, layout.lines
    plain: list[str] = []
    marked: list[str] = []
    for chunk_number in range(int(lines.chunk_begin[number]), int(lines.chunk_end[number])):
        node = int(page.chunk_node[chunk_number])
        chunk = page.chunks[chunk_number]
        if layout.silent[chunk_number]:
            continue
        plain.append(chunk)
        marked.append(chunk if place.code else _inline(layout, node, chunk))
    strip = "\n" if place.code else None
    return "".join(plain).strip(strip), "".join(marked).strip(strip)


def _inline(layout: Layout, node: int, chunk: str) -> str:
    """A chunk with the marks of the inline elements around it."""
    page = layout.page
    lead = " " if chunk[:1] == " " else ""
    marked = chunk.strip()
    owner = int(layout.owner[node])
    while node != owner:
        tag = page.tag(node)
        if tag in _MARKS:
            marked = _MARKS[tag] + marked + _MARKS[tag]
        elif tag == "a" and (url := layout.link_url.get(node)):
            marked = f"[{marked}]({url})"
        node = int(page.parent[node])
    return lead + marked
