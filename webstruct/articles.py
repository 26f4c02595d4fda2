"""A page and what is known of its family → the article: clean text, Markdown, title, date, author.

`extract` uses a family's wrapper. `extract_alone` is for one page of which nothing else is known: WISDOM's article
block, with no entropies to tell what the site repeats, so that it is only as good as one page can tell.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webstruct.layout import Layout, Selector, select
from webstruct.metadata import declared_author, declared_date, declared_title, find_date
from webstruct.rendering import render
from webstruct.slots import TemplateNames
from webstruct.titles import agreement, folded
from webstruct.wrapper import Wrapper, apply, layout_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstruct.flatten import BoolArray
    from webstruct.page import Page

_HEADLINE_TAGS = frozenset(("h1", "h2", "h3"))
# A by-line is short.
_BYLINE_CHARS = 120


@dataclass(frozen=True)
class Article:
    """An article as it is delivered; `date` is ISO 8601, `confidence` between 0 and 1."""

    url: str
    title: str
    date: str | None
    author: str | None
    language: str
    text: str
    markdown: str
    confidence: float

    def as_dict(self) -> dict[str, Any]:
        """The article as JSON values."""
        return asdict(self)


def extract(page: Page, wrapper: Wrapper, *, anchor_texts: Sequence[str] = ()) -> Article:
    """The article of a page of a known family.

    Parameters
    ----------
    anchor_texts
        The words by which other pages link to this one.

    """
    layout = layout_for(wrapper, page)
    selection = apply(wrapper, layout)
    return _assemble(layout, selection.lines, wrapper, anchor_texts, selection.confidence)


def extract_alone(page: Page) -> Article:
    """The article of a page of which the site is not known."""
    layout = Layout(page)
    wrapper = Wrapper(pages=0, region=(), names=TemplateNames({}))
    selection = apply(wrapper, layout)
    return _assemble(layout, selection.lines, wrapper, (), 0.3 * selection.confidence)


def _assemble(
    layout: Layout, chosen: BoolArray, wrapper: Wrapper, anchor_texts: Sequence[str], confidence: float
) -> Article:
    page, lines = layout.page, layout.lines
    headline = _headline(layout, wrapper, chosen, anchor_texts)
    if headline is not None:
        chosen = _below_headline(layout, chosen, headline)
    text, markdown = render(layout, chosen)
    title = lines.texts[headline] if headline is not None else declared_title(page) or page.title
    return Article(
        url=page.url,
        title=" ".join(title.split()),
        date=declared_date(page) or _slot_date(layout, wrapper),
        author=_slot_author(layout, wrapper) or declared_author(page),
        language=page.language,
        text=text,
        markdown=markdown,
        confidence=round(confidence if text else 0.0, 3),
    )


def _headline(layout: Layout, wrapper: Wrapper, chosen: BoolArray, anchor_texts: Sequence[str]) -> int | None:
    """The line that is the headline: at its place in the template, else the one that agrees best with other names."""
    in_slot = first_line(layout, wrapper, wrapper.title)
    if in_slot is not None:
        return in_slot
    names = [folded(name) for name in (layout.page.title, declared_title(layout.page) or "", *anchor_texts)]
    inside = np.flatnonzero(chosen)
    last = int(inside[len(inside) // 2]) if len(inside) else len(layout.lines) - 1
    scores = []
    for number in range(last + 1):
        words = folded(layout.lines.texts[number])
        heading = layout.step(int(layout.lines.node[number])).tag in _HEADLINE_TAGS
        score = max(agreement(words, name) for name in names) + 0.3 * heading
        scores.append(score)
    if not scores or max(scores) < 0.3:
        return None
    return int(np.argmax(scores))


def _below_headline(layout: Layout, chosen: BoolArray, headline: int) -> BoolArray:
    """What stands below the headline, unless that is only the smaller part."""
    below = chosen.copy()
    below[: headline + 1] = False
    if layout.lines.chars[below].sum() >= layout.lines.chars[chosen].sum() / 2:
        return below
    below = chosen.copy()
    below[headline] = False
    return below


def first_line(layout: Layout, wrapper: Wrapper, selector: Selector | None) -> int | None:
    """The first line at a place of the template, None if the page has none there."""
    if selector is None:
        return None
    nodes = select((selector,), layout, wrapper.names)
    found = np.flatnonzero(np.isin(layout.lines.node, nodes))
    return int(found[0]) if len(found) else None


def _slot_date(layout: Layout, wrapper: Wrapper) -> str | None:
    line = first_line(layout, wrapper, wrapper.date)
    return None if line is None else find_date(layout.lines.texts[line], layout.page.language)


def _slot_author(layout: Layout, wrapper: Wrapper) -> str | None:
    line = first_line(layout, wrapper, wrapper.author)
    return None if line is None else layout.lines.texts[line]
