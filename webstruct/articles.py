"""A page and what is known of its family → the article: clean text, Markdown, title, date, author.

`extract` uses a family's wrapper. `extract_alone` is for one page of which nothing else is known, as good as one page
can tell: as in WISDOM's k-MIB the search goes from the root down, but to the child that has nearly all of the text,
which finds more of the article than an even spread over children does (benchmarks/articles.py).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from webstruct.bylines import byline_at
from webstruct.dates import find_date
from webstruct.layout import Layout, Selector, select
from webstruct.metadata import Metadata, metadata
from webstruct.rendering import render
from webstruct.titles import MAX_TITLE_CHARS, Names, folded
from webstruct.wrapper import Wrapper, apply, layout_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstruct.flatten import BoolArray
    from webstruct.page import Page

_HEADLINE_TAGS = frozenset(("h1", "h2", "h3"))


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
    wrapper = Wrapper(pages=0, region=())
    selection = apply(wrapper, layout)
    return _assemble(layout, selection.lines, wrapper, (), 0.3 * selection.confidence)


def joined(parts: Sequence[Article]) -> Article:
    """One article from its parts; a part that repeats what came before adds nothing.

    >>> from webstruct.page import Page
    >>> pages = [Page.parse(f"<h1>Flood</h1><p>{text}", "http://e.com/") for text in ("One.", "Two.", "One.")]
    >>> joined(list(map(extract_alone, pages))).text.split()
    ['One.', 'Two.']
    """
    known: set[str] = set()
    own = []
    for part in parts:
        lines = set(part.text.splitlines())
        if 2 * len(lines & known) < len(lines):
            own.append(part)
        known |= lines
    return replace(
        parts[0],
        date=next((part.date for part in parts if part.date), None),
        author=next((part.author for part in parts if part.author), None),
        text="\n\n".join(part.text for part in own),
        markdown="\n\n".join(part.markdown for part in own),
        confidence=min(part.confidence for part in own) if own else 0.0,
    )


def _assemble(
    layout: Layout, chosen: BoolArray, wrapper: Wrapper, anchor_texts: Sequence[str], confidence: float
) -> Article:
    page, lines, declared = layout.page, layout.lines, metadata(layout.page)
    headline = _headline(layout, wrapper, chosen, Names((page.title, *declared.titles, *anchor_texts)))
    if headline is not None:
        chosen = _below_headline(layout, chosen, headline)
    text, markdown = render(layout, chosen)
    title = lines.texts[headline] if headline is not None else next(iter(declared.titles), page.title)
    return Article(
        url=page.url,
        title=" ".join(title.split()),
        date=_date(layout, wrapper, declared),
        author=_author(layout, wrapper, declared),
        language=page.language,
        text=text,
        markdown=markdown,
        confidence=round(confidence if text else 0.0, 3),
    )


def _headline(layout: Layout, wrapper: Wrapper, chosen: BoolArray, names: Names) -> int | None:
    """The line that is the headline: at its place in the template, else the one that agrees best with other names."""
    if in_slot := lines_at(layout, wrapper.title):
        return in_slot[0]
    inside = np.flatnonzero(chosen)
    last = int(inside[len(inside) // 2]) if len(inside) else len(layout.lines) - 1
    scores = [
        names.agreement(folded(text)) + 0.3 * (layout.page.tag(node) in _HEADLINE_TAGS)
        if len(text) <= MAX_TITLE_CHARS
        else 0.0
        for text, node in zip(layout.lines.texts[: last + 1], layout.lines.node.tolist(), strict=False)
    ]
    return int(np.argmax(scores)) if scores and max(scores) >= 0.3 else None


def _below_headline(layout: Layout, chosen: BoolArray, headline: int) -> BoolArray:
    """What stands below the headline, unless that is only the smaller part."""
    below = chosen.copy()
    below[: headline + 1] = False
    if layout.lines.chars[below].sum() >= layout.lines.chars[chosen].sum() / 2:
        return below
    below = chosen.copy()
    below[headline] = False
    return below


def lines_at(layout: Layout, selector: Selector | None) -> list[int]:
    """The lines at a place of the template."""
    if selector is None:
        return []
    lines: list[int] = np.flatnonzero(np.isin(layout.lines.node, select((selector,), layout))).tolist()
    return lines


def _date(layout: Layout, wrapper: Wrapper, declared: Metadata) -> str | None:
    """What the page declares; else what stands at the template's place for it; else its first `<time>`."""
    if declared.date or wrapper.date is None:
        return declared.date or declared.first_time
    texts, language = layout.lines.texts, layout.page.language
    return next(filter(None, (find_date(texts[line], language) for line in lines_at(layout, wrapper.date))), None)


def _author(layout: Layout, wrapper: Wrapper, declared: Metadata) -> str | None:
    """Who is marked as the author; else who is named at the template's place for it; else who is declared."""
    if declared.author or wrapper.author is None:
        return declared.author or declared.site_author
    texts = layout.lines.texts
    return next(filter(None, (byline_at(texts, line) for line in lines_at(layout, wrapper.author))), None)
