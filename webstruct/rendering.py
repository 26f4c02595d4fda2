"""Chosen lines of a page → plain text and Markdown: paragraphs apart; lists, headings, code, tables in their form."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from webstruct.flatten import BLOCK_BREAK, LINE_BREAK, PREFORMATTED_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstruct.flatten import BoolArray
    from webstruct.layout import Layout

_HEADING_LEVEL = {f"h{level}": level for level in range(1, 7)}
_LIST_TAGS = frozenset(("ul", "ol", "dl", "menu", "dir"))
_ITEM_TAGS = frozenset(("li", "dt", "dd"))
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "kbd": "`", "samp": "`", "tt": "`"}


class _Place(NamedTuple):
    """What stands around a line: the nodes of its table, row of data, outermost list and item; −1 for none."""

    heading: int = 0
    quotes: int = 0
    code: bool = False
    table: int = -1
    row: int = -1
    outer_list: int = -1
    list_depth: int = 0
    ordered: bool = False
    item: int = -1


def render(layout: Layout, chosen: BoolArray) -> tuple[str, str]:
    """Text and Markdown of the chosen lines."""
    numbers = np.flatnonzero(chosen).tolist()
    places = _places(layout, layout.lines.node[numbers].tolist())
    breaks = _breaks(layout)[layout.lines.chunk_begin[numbers]].tolist()
    text: list[str] = []
    markdown: list[str] = []
    previous: _Place | None = None
    headed = -1
    for number, place, break_before in zip(numbers, places, breaks, strict=True):
        plain, marked = _line(layout, number, place)
        if not plain:
            continue
        gap = "" if previous is None else _gap(previous, place, is_line=break_before == LINE_BREAK)
        text.append(gap + plain)
        if previous and previous.row >= 0 and place.row != previous.row:
            markdown.append(_end_of_row(layout, previous, headed))
            headed = previous.table
        markdown.append(_markdown_gap(gap, previous, place) + _dress(marked, previous, place))
        previous = place
    if previous and previous.row >= 0:
        markdown.append(_end_of_row(layout, previous, headed))
    return "".join(text), "".join(markdown) + ("\n```" if previous and previous.code else "")


def _breaks(layout: Layout) -> npt.NDArray[np.uint8]:
    """By chunk the break before it; two `<br>` one after the other part paragraphs."""
    page = layout.page
    line_breaks = np.bincount(page.chunk_begin[page.nodes("br")], minlength=len(page.chunks) + 1)[:-1]
    return np.where(line_breaks > 1, BLOCK_BREAK, page.chunk_break).astype(np.uint8)


def _end_of_row(layout: Layout, place: _Place, headed: int) -> str:
    """The bar at the end of a row, and the rule below the first row of a table."""
    rule = "\n|" + " --- |" * len(layout.data_rows[place.row])
    return " |" if headed == place.table else " |" + rule


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
            known[inner] = _inside(layout, around, inner)
        result.append(known[node])
    return result


def _inside(layout: Layout, around: _Place, node: int) -> _Place:
    tag = layout.page.tag(node)
    if tag in _HEADING_LEVEL:
        return around._replace(heading=_HEADING_LEVEL[tag])
    if tag in PREFORMATTED_TAGS:
        return around._replace(code=True)
    if tag == "blockquote":
        return around._replace(quotes=around.quotes + 1)
    if tag == "table":
        return around._replace(table=node, row=-1)
    if tag == "tr":
        return around._replace(row=node if node in layout.data_rows else -1)
    if tag in _LIST_TAGS:
        outer = around.outer_list if around.outer_list >= 0 else node
        return around._replace(outer_list=outer, list_depth=around.list_depth + 1, ordered=tag == "ol")
    return around._replace(item=node) if tag in _ITEM_TAGS else around


def _gap(previous: _Place, place: _Place, *, is_line: bool) -> str:
    """What parts two lines of the text."""
    if place.row >= 0 and previous.row >= 0 and place.table == previous.table:
        return " " if place.row == previous.row else "\n"
    if is_line or (place.outer_list >= 0 and place.outer_list == previous.outer_list):
        return "\n"
    return "\n\n"


def _markdown_gap(gap: str, previous: _Place | None, place: _Place) -> str:
    """As in the text, but that cells are parted by bars, code is fenced, and a line's end within a paragraph marked."""
    if gap == " ":
        return " | "
    if previous and previous.code and not place.code:
        return "\n```" + gap
    if gap == "\n" and previous and previous.item == place.item and place.row < 0 and not place.code:
        return "  \n"
    return gap


def _dress(marked: str, previous: _Place | None, place: _Place) -> str:
    if place.code:
        return marked if previous and previous.code else "```\n" + marked
    if place.row >= 0:
        cell = marked.replace("|", "\\|")
        return cell if previous and previous.row == place.row else "| " + cell
    if place.heading:
        marked = f"{'#' * place.heading} {marked}"
    elif place.item >= 0 and not (previous and previous.item == place.item):
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
