"""Wrapper: where the pages of one family keep their article, and what stands there that is not the article.

It is plain data: CSS paths and selectors, and the lines that the family repeats word for word. So it can be read and
edited, stored as JSON, and used on a new page without learning. `learning.py` finds it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from webstruct.layout import Layout, Path, Selector, follow, parse_path, path_text, select
from webstruct.slots import NO_TEMPLATE, Step, TemplateNames

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstruct.flatten import BoolArray
    from webstruct.page import Page

# A line is a link if more than this share of it stands in links.
LINK_SHARE = 0.5
# Below a path that leads nowhere on a page, the search goes down to a child that has this share of the text.
DOMINANT_SHARE = 0.9
# With less than this share of its region's text left, a page is taken to be one that repeats itself.
POOR_SHARE = 0.1
# A line at the edge of the article is a sign-off if so many pages have it, and constant if half of them have.
SIGN_OFF_SHARE = 0.3
CONSTANT_SHARE = 0.5
_PLACES = ("title", "date", "author")
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt", "legend", "summary", "caption"))


@dataclass(frozen=True)
class Wrapper:
    """How to take the article out of a page.

    Attributes
    ----------
    pages
        Number of pages that it was learned from.
    region
        Path to the element (or elements) that hold the article.
    exclude
        What is no part of the article, wherever it stands in the region.
    inline_exclude
        Inline elements that always say the same, as "(opens in a new window)" or "¶".
    names
        The classes and ids of the template; others are page data.
    repeated
        Lines (rows of tables) that many pages have word for word, with the share of pages.
    title, date, author
        Where they stand; None if there is no such place.

    """

    pages: int
    region: Path
    names: TemplateNames = NO_TEMPLATE
    exclude: tuple[Selector, ...] = ()
    inline_exclude: tuple[Step, ...] = ()
    repeated: Mapping[str, float] = field(default_factory=dict, repr=False)
    title: Selector | None = None
    date: Selector | None = None
    author: Selector | None = None

    def as_dict(self) -> dict[str, Any]:
        """The wrapper as JSON values."""
        return {
            "pages": self.pages,
            "region": path_text(self.region),
            "exclude": [_selector_text(selector) for selector in self.exclude],
            "inline_exclude": list(map(str, self.inline_exclude)),
            "repeated": dict(self.repeated),
            "names": {tag + name: pages for (tag, name), pages in self.names.pages.items()},
            **{name: _selector_text(place) if (place := getattr(self, name)) else None for name in _PLACES},
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Wrapper:
        """The wrapper that `as_dict` wrote."""
        return cls(
            pages=values["pages"],
            region=parse_path(values["region"]),
            names=TemplateNames({_tag_and_name(text): pages for text, pages in values["names"].items()}),
            exclude=tuple(map(_parse_selector, values["exclude"])),
            inline_exclude=tuple(map(Step.parse, values["inline_exclude"])),
            repeated=dict(values["repeated"]),
            **{name: _parse_selector(text) if (text := values[name]) else None for name in _PLACES},
        )


@dataclass(frozen=True)
class Selection:
    """The lines of a page that a wrapper takes for its article, and how sure it is of the region."""

    lines: BoolArray
    confidence: float


def layout_for(wrapper: Wrapper, page: Page) -> Layout:
    """A page without what the wrapper knows to be silent."""
    return Layout(page, wrapper.names, frozenset(wrapper.inline_exclude))


def apply(wrapper: Wrapper, layout: Layout) -> Selection:
    """Choose the lines of a page that are its article."""
    lines = layout.lines
    share = np.fromiter((wrapper.repeated.get(key, 0.0) for key in layout.line_keys), dtype=float, count=len(lines))
    repeated = share > 0
    excluded = layout.lines_below(select(wrapper.exclude, layout))
    link = lines.anchor_chars > LINK_SHARE * lines.chars
    fresh = np.where(repeated | excluded | link, 0, lines.chars)
    roots, found = follow(wrapper.region, layout)
    found = found and bool(wrapper.region)
    if not found:
        roots = [dominant(layout, layout.line_sums(fresh), root) for root in roots]
    inside = layout.lines_below(roots) & ~excluded
    kept = inside & ~template_lines(inside, share > SIGN_OFF_SHARE)
    if not (fresh[kept].sum() > POOR_SHARE * lines.chars[layout.lines_below(roots)].sum()):
        constant = np.fromiter(
            (wrapper.repeated.get(text, 0) > 0.5 for text in lines.texts), dtype=bool, count=len(lines)
        )
        kept = layout.lines_below(roots) & ~constant
    return Selection(kept, _confidence(wrapper.pages) * (1.0 if found else 0.5))


def _confidence(pages: int) -> float:
    """What is learned from one page may be chance; from ten it hardly is."""
    return (pages + 1) / (pages + 2)


def dominant(layout: Layout, weight: Any, node: int) -> int:
    """The deepest element below `node` that still has nearly all of its weight."""
    while children := layout.children(node):
        best = max(children, key=lambda child: int(weight[child]))
        if not weight[best] or weight[best] < DOMINANT_SHARE * weight[node]:
            break
        node = best
    return node


def template_lines(inside: BoolArray, repeated: BoolArray) -> BoolArray:
    """Repeated lines that are no part of the article: those before its first, or after its last own line.

    A repeated line between others is a heading ("Conclusion") or a phrase of the site's language.
    """
    own = np.flatnonzero(inside & ~repeated)
    result = repeated.copy()
    if len(own):
        result[own[0] : own[-1]] = False
    return result


def _selector_text(selector: Selector) -> str:
    return " > ".join(map(str, selector))


def _parse_selector(text: str) -> Selector:
    return tuple(Step.parse(step) for step in text.split(" > "))


def _tag_and_name(text: str) -> tuple[str, str]:
    step = Step.parse(text)
    return step.tag, next(iter(step.names))
