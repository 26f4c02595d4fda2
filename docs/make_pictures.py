"""Make the pictures of docs/methods.md from the demo site: `python docs/make_pictures.py`.

Each picture is a small SVG file below `docs/images/`, drawn from what the methods themselves return.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import webstruct
from webstruct.alignment import align
from webstruct.demo import DemoSite
from webstruct.layout import Layout
from webstruct.page_types import ARTICLE, OTHER, TOC
from webstruct.report.drawing import Box, Run, draw_families
from webstruct.report.graph import CUT, LinkMap
from webstruct.report.words import vocabulary
from webstruct.structure_tree import StructureTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from webstruct.page import Page
    from webstruct.site import SiteModel
    from webstruct.skeleton import Node

IMAGES = Path(__file__).parent / "images"
ORIGIN = "http://lantern.example"
GREEN, BLUE, GREY, ORANGE, INK = "#2a8c5a", "#2f6fb7", "#9aa3ad", "#c9772b", "#222b33"
SHADES = {"informative": "#d3eedd", "template": "#e3e6ea", "dropped": "#f8e3cd"}
EDGES = {"informative": GREEN, "template": GREY, "dropped": ORANGE}
TYPE_COLOURS = {TOC: BLUE, ARTICLE: GREEN, OTHER: GREY}


class Picture:
    """Shapes on a white sheet, as high as what is drawn on it."""

    def __init__(self, width: int) -> None:
        self.width, self.height = width, 0.0
        self._shapes: list[str] = []

    def rectangle(self, x: float, y: float, width: float, height: float, fill: str, stroke: str = "none") -> None:
        """Draw a rectangle."""
        self._add(y + height, f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}"', fill, stroke)

    def dot(self, x: float, y: float, radius: float, fill: str) -> None:
        """Draw a filled circle."""
        self._add(y + radius, f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}"', fill, "none")

    def lines(self, ends: Iterable[tuple[float, float, float, float]], stroke: str, opacity: float = 1.0) -> None:
        """Draw straight lines; where many faint ones cross, it is darker."""
        paths = "".join(f'<path d="M{x:.0f} {y:.0f}L{to_x:.0f} {to_y:.0f}"/>' for x, y, to_x, to_y in ends)
        self._shapes.append(f'<g stroke="{stroke}" stroke-opacity="{opacity}">{paths}</g>')

    def text(self, x: float, y: float, words: str, fill: str = INK, *, end: bool = False, size: int = 12) -> None:
        """Write words from `x` on, or up to it."""
        anchor = ' text-anchor="end"' if end else ""
        self._shapes.append(
            f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{fill}"{anchor}>{escape(words)}</text>'
        )
        self.height = max(self.height, y + 4)

    def include(self, other: Picture) -> None:
        """Draw on top what was drawn elsewhere."""
        self._shapes += other._shapes
        self.height = max(self.height, other.height)

    def save(self, name: str, description: str) -> None:
        """Write the file, with words for those who can't see it."""
        height = round(self.height + 12)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {height}" width="{self.width}" '
            f'height="{height}" role="img" font-family="sans-serif"><title>{escape(description)}</title>'
            f'<rect width="100%" height="100%" fill="#fff"/>'
        )
        (IMAGES / f"{name}.svg").write_text("\n".join([head, *self._shapes, "</svg>\n"]), "utf-8")

    def _add(self, bottom: float, shape: str, fill: str, stroke: str) -> None:
        self._shapes.append(f'{shape} fill="{fill}" stroke="{stroke}"/>')
        self.height = max(self.height, bottom)


def short(words: str, length: int) -> str:
    """The beginning of a text."""
    return words if len(words) <= length else words[: length - 1] + "…"


def entropy(model: SiteModel) -> None:
    """How entropies are spread over terms and over their occurrences, and terms at both ends."""
    words, picture = vocabulary(model.site.entropy), Picture(720)
    columns = [("terms", BLUE, [bin.terms for bin in words.histogram])]
    columns += [("occurrences", ORANGE, [bin.occurrences for bin in words.histogram])]
    for row, (name, colour, counts) in enumerate(columns):
        base = 130.0 + 130 * row
        picture.text(20, base - 100, f"{name} by entropy", colour)
        for place, count in enumerate(counts):
            height = 90 * count / max(counts)
            picture.rectangle(20 + 20 * place, base - height, 17, height, colour)
        picture.lines([(20, base, 420, base)], INK)
    picture.text(20, 278, "0: on one page")
    picture.text(420, 278, "entropy 1: on all alike", end=True)
    for row, term in enumerate(words.most_informative[:7]):
        picture.text(450, 45 + 18 * row, f"{term.name}  E = {term.entropy:.2f}", BLUE)
    for row, term in enumerate(words.least_informative[:7]):
        picture.text(450, 175 + 18 * row, f"{term.name}  E = {term.entropy:.2f}", ORANGE)
    picture.save(
        "entropy", "Histogram of term entropies: most terms are on one page, many occurrences are of site-wide terms"
    )


def links(model: SiteModel) -> None:
    """The link graph before and after the cut."""
    drawn = LinkMap(model)
    for number, page in enumerate(model.site.pages):
        drawn.add(number, page)
    data, picture = drawn.as_dict(), Picture(760)
    all_links = np.array(data["links"]).reshape(-1, 4)
    kept = all_links[all_links[:, 3] != CUT]
    for left, shown, name in ((10, all_links, "all links"), (390, kept, "informative links")):
        picture.text(left, 20, f"{len(shown)} {name}")
        _map(picture, data, shown, left)
    bottom = picture.height + 18
    for place, (kind, words) in enumerate(((TOC, "lists"), (ARTICLE, "articles"), (OTHER, "other"))):
        picture.dot(16 + 90 * place, bottom - 4, 4, TYPE_COLOURS[kind])
        picture.text(26 + 90 * place, bottom, words)
    picture.save("links", "The link graph of the demo site before and after the cut")


def _map(picture: Picture, data: dict[str, Any], shown: np.ndarray, left: float) -> None:
    x, y = np.array(data["x"], float), np.array(data["y"], float)
    scale = 350 / max(np.ptp(x), 1)
    x, y = left + 5 + (x - x.min()) * scale, 34 + (y - y.min()) * scale
    faint = 0.08 if len(shown) > 500 else 0.5
    ends = ((x[source], y[source], x[target], y[target]) for source, target in shown[:, :2].tolist())
    picture.lines(ends, INK, faint)
    for place, kind in enumerate(data["types"]):
        picture.dot(x[place], y[place], 4 if kind == 0 else 2.5, TYPE_COLOURS[(TOC, ARTICLE, OTHER)[kind]])


def types(model: SiteModel) -> None:
    """The rank of every page, by the type that was decided."""
    picture = Picture(720)
    rank = np.clip(model.types.rank, -6, 6)
    for row, kind in enumerate((TOC, ARTICLE, OTHER)):
        height = 40.0 + 60 * row
        picture.text(10, height + 4, {TOC: "lists", ARTICLE: "articles", OTHER: "other"}[kind], TYPE_COLOURS[kind])
        stacked: Counter[int] = Counter()
        for value in rank[[found == kind for found in model.types.type]].tolist():
            column = round(90 + (value + 6) * 50)
            stacked[column // 6] += 1
            picture.dot(column // 6 * 6, height + 18 - 5 * stacked[column // 6], 2.5, TYPE_COLOURS[kind])
    picture.lines([(390, 10, 390, 190)], INK)
    picture.text(384, 204, "no list", end=True)
    picture.text(396, 204, "rank 0: list from here on")
    picture.save("types", "The rank of every page of the demo site, by type: lists are above 0")


def blocks(model: SiteModel) -> None:
    """An article of the largest family of articles, with its blocks shaded."""
    family = next(drawn for drawn in draw_families(model) if drawn.type == ARTICLE)
    picture = Picture(720)
    _box(picture, family.drawings[0].body, 10, 10, 700)
    bottom = picture.height + 10
    for place, (state, shade) in enumerate(SHADES.items()):
        picture.rectangle(10 + 130 * place, bottom, 14, 14, shade, EDGES[state])
        picture.text(30 + 130 * place, bottom + 12, state)
    picture.save("blocks", "An article of the demo site: its blocks, shaded as informative, template and dropped")


def _box(picture: Picture, box: Box, left: float, top: float, width: float) -> float:
    """Draw a block with what is in it, and return where it ends."""
    drawn = Picture(0)
    inner = top + 20
    for part in box.inside:
        if isinstance(part, Run):
            for words in part.lines[:2]:
                drawn.rectangle(left + 5, inner, width - 10, 15, SHADES[part.state])
                drawn.text(left + 8, inner + 11, short(words, int(width / 6.2)), size=10)
                inner += 16
        else:
            inner = _box(drawn, part, left + 6, inner, width - 12) + 3
    picture.rectangle(left, top, width, inner + 3 - top, "#fff", EDGES[box.state])
    picture.text(left + 4, top + 13, short(box.label, 40), EDGES[box.state], size=10)
    measures = f"CII {box.cii:.2f}   API {box.api:.2f}   SII {box.sii:.2f}"
    picture.text(left + width - 4, top + 13, measures, EDGES[box.state], end=True, size=10)
    picture.include(drawn)
    return inner + 3


def alignment(model: SiteModel) -> None:
    """A part of two articles of one family, token by token, side by side."""
    family = next(family.id for family in model.families if family.type == ARTICLE)
    pages = [page for page, of in zip(model.site.pages, model.site.family, strict=True) if of == family]
    numbers: dict[str, int] = {}
    tokens = [page.tokens().tokens for page in (pages[0], pages[-1])]
    aligned = align(*(np.array([numbers.setdefault(token, len(numbers)) for token in page]) for page in tokens))
    places = np.column_stack([aligned.first, aligned.second])
    headline = int(np.flatnonzero(aligned.first == next(i for i, t in enumerate(tokens[0]) if t.startswith("<h1")))[0])
    picture = Picture(720)
    gap = headline + int(np.flatnonzero((places[headline:] < 0).any(axis=1))[0])
    for row, column in enumerate([*range(headline - 2, headline + 15), *range(gap - 5, gap + 10)]):
        for side, place in enumerate(places[column].tolist()):
            kept = "informative" if not aligned.matched[column] else "template"
            fill = SHADES[kept] if place >= 0 else "#fff"
            picture.rectangle(10 + 355 * side, 10 + 20 * row, 345, 18, fill)
            words = short(tokens[side][place], 52) if place >= 0 else "– gap –"
            picture.text(16 + 355 * side, 23 + 20 * row, words, INK if place >= 0 else GREY, size=11)
    picture.save("alignment", "Two articles of the demo site aligned: equal tokens are template, others the page's own")


def importance(model: SiteModel) -> None:
    """The blocks of an article, with what the compressed structure tree says of them."""
    tree = StructureTree.of(model.site.pages).compress()
    family = next(family.id for family in model.families if family.type == ARTICLE)
    page = next(page for page, of in zip(model.site.pages, model.site.family, strict=True) if of == family)
    important, layout, picture = tree.importance(page), Layout(page), Picture(720)
    blocks = [node for node in np.unique(page.block).tolist() if page.text(node)]
    for row, node in enumerate(blocks):
        x, y = 10 + 10.0 * int(page.depth[node]), 10 + 19.0 * row
        picture.rectangle(560, y, 150 * float(important[node]), 14, BLUE)
        picture.text(550, y + 11, f"{important[node]:.2f}", end=True, size=11)
        picture.text(x, y + 11, short(str(layout.step(node)), 24), BLUE, size=11)
        picture.text(230, y + 11, short(page.text(node).replace("\n", " "), 44), size=11)
    picture.save(
        "importance",
        "The blocks of an article of the demo site, with their importance in the compressed structure tree",
    )


def sections(model: SiteModel) -> None:
    """The section tree with the articles in it."""
    filed = Counter(
        tuple(names) for names, kind in zip(model.section_of, model.types.type, strict=True) if kind == ARTICLE
    )
    picture = Picture(720)
    row = 0

    def draw(node: Node, names: tuple[str, ...]) -> None:
        nonlocal row
        x, y = 20 + 40.0 * len(names), 24 + 22.0 * row
        row += 1
        below = sum(count for path, count in filed.items() if path[: len(names)] == names)
        if names:
            picture.lines([(x - 30, y - 4, x - 6, y - 4)], GREY)
        picture.text(x, y, f"{names[-1] if names else 'The Daily Lantern'}  ({below} articles)")
        first = y
        for child in node.children:
            draw(child, (*names, child.name))
        if node.children:
            picture.lines([(x + 10, first + 6, x + 10, 24 + 22.0 * (row - 1) - 4)], GREY)

    draw(model.tree, ())
    picture.save("sections", "The section tree of the demo site, with the number of articles in each section")


PICTURES: tuple[Callable[[SiteModel], None], ...] = (entropy, links, types, blocks, alignment, importance, sections)


def demo_model(pages: int = 60) -> SiteModel:
    """The demo site, learned."""
    site = DemoSite(pages=pages, dirt=False)
    found: Iterable[Page] = (webstruct.Page.parse(site.page(path).body, ORIGIN + path) for path in site.paths())
    return webstruct.learn(found)


def main() -> None:
    """Draw them all."""
    IMAGES.mkdir(exist_ok=True)
    model = demo_model()
    for picture in PICTURES:
        picture(model)
        file = IMAGES / f"{picture.__name__}.svg"
        print(f"{file} has {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
