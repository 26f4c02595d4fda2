"""Where the pages of a family have their headline, their date and their author."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from webstruct.bylines import byline
from webstruct.dates import find_date
from webstruct.titles import MAX_TITLE_CHARS, folded
from webstruct.wrapper import HEADINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from webstruct.layout import Layout, Selector
    from webstruct.views import View

# Dates and by-lines are short lines.
SHORT_LINE_CHARS = 120
_YEAR = re.compile(r"(?:19|20)\d\d")


def title_place(views: Sequence[View]) -> Selector | None:
    """The place, before most of the article, whose first line agrees best with the names of the page.

    A place that says the same on several pages is worth less, and a heading more.
    """
    total: dict[Selector, float] = {}
    texts: dict[Selector, list[str]] = {}
    for view in views:
        lines = view.layout.lines
        before = np.cumsum(view.own) - view.own
        seen: set[Selector] = set()
        for number in np.flatnonzero((before <= 0.3 * view.own.sum()) & (lines.chars <= MAX_TITLE_CHARS)).tolist():
            words = folded(lines.texts[number])
            score = view.names.agreement(words)
            selector = view.selector(int(lines.node[number])) if score > 0 else ()
            if score > 0 and selector not in seen:
                seen.add(selector)
                total[selector] = total.get(selector, 0.0) + score * (1.2 if selector[-1].tag in HEADINGS else 1.0)
                texts.setdefault(selector, []).append(words)
    return max(total, key=lambda place: total[place] * len(set(texts[place])) / len(texts[place]), default=None)


def date_place(views: Sequence[View]) -> Selector | None:
    """Where the day of publication stands."""
    return _place(views, _dated)


def author_place(views: Sequence[View]) -> Selector | None:
    """Where by-lines stand."""
    return _place(views, _signed)


def _place(views: Sequence[View], read: Callable[[Layout, int], tuple[int, str] | None]) -> Selector | None:
    """The place of a value, above the article or below it, that most pages have, and that is not the same on all.

    `read` takes the number of a line, and gives the value with the number of the line that it stands in.
    """
    values: dict[Selector, list[str]] = {}
    for view in views:
        lines = view.layout.lines
        position = (np.cumsum(view.own) - view.own) / max(1, view.own.sum())
        short = (lines.chars <= SHORT_LINE_CHARS) & ((position <= 0.3) | (position >= 0.95))
        seen: set[Selector] = set()
        for number in np.flatnonzero(short).tolist():
            if (found := read(view.layout, number)) is not None:
                selector = view.selector(int(lines.node[found[0]]))
                if selector not in seen:
                    values.setdefault(selector, []).append(found[1])
                seen.add(selector)
    most = max(values, key=lambda place: len(values[place]) * len(set(values[place])), default=None)
    return most if most and len(values[most]) >= 0.5 * len(views) and len(set(values[most])) > 1 else None


def _dated(layout: Layout, number: int) -> tuple[int, str] | None:
    text = layout.lines.texts[number]
    found = find_date(text, layout.page.language) if _YEAR.search(text) else None
    return None if found is None else (number, found)


def _signed(layout: Layout, number: int) -> tuple[int, str] | None:
    return byline(layout.lines.texts, number)
