"""The link graph, before and after the cut (LAMIS Figs 3–6), on a map of the site.

The map is the informative structure itself: every list is a disc with its articles around it, the discs of a section
form a region, and the regions form the site. So links after the cut are short, what they leave behind is seen to be a
web across the whole site, and both pictures have every page in the same place. Nothing is drawn by chance: the same site
has the same map.

A large site is thinned out: its sections, an even selection of its lists and of its other pages, and one of the links.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from os.path import commonprefix
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from webstruct.lamis import anchors
from webstruct.report.wording import address, line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstruct.page import Page
    from webstruct.site import SiteModel

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MAX_PAGES = 2000
MAX_LINKS = 8000
# The longer side of the map, and how much broader than high it is to be.
EXTENT = 10_000
BREADTH = 2.0
TYPES = ("toc", "article", "other")
# Kinds of links: cut; informative; informative, and to an article of the list's own disc.
CUT, KEPT, OWN = 0, 1, 2

_GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
_MAX_LINKS_OF_PAGE = 500
_LABEL = 80
_GAP = 1.0
# Candidate places for a circle of a packing, for each circle in it.
_PLACES = 40
_MIN_PLACES, _MAX_PLACES = 400, 8000


@dataclass(frozen=True)
class Region:
    """A section of the map in numbers: pages by type, links that leave its pages, and those that the cut left."""

    name: str
    pages: Counter[str]
    links: int
    informative: int


class LinkMap:
    """The pages that are drawn and their places; then, fed page by page, their titles and links."""

    def __init__(self, model: SiteModel) -> None:
        self._model = model
        self._drawn = _chosen(model)
        self._place_of = np.full(len(model.site), -1)
        self._place_of[self._drawn] = np.arange(len(self._drawn))
        self._map = _map(model, self._drawn)
        self._labels = [("", "")] * len(self._drawn)
        self._links: list[IntArray] = [np.zeros((0, 4), dtype=np.int64)]

    def add(self, number: int, page: Page) -> None:
        """Take the links of a page, if it is drawn, to others that are."""
        source = int(self._place_of[number])
        if source < 0:
            return
        self._labels[source] = line(page.title, _LABEL), address(page.url)
        targets = np.asarray(self._model.site.targets[number])
        place = np.where(targets >= 0, self._place_of[targets], -1)
        entropy = anchors(page, self._model.site.entropy).entropy
        kind = np.full(len(targets), CUT)
        informative = self._model.types.links[number]
        kind[informative] = np.where(self._map.home[place[informative]] == source, OWN, KEPT)
        links = np.flatnonzero((place >= 0) & (place != source))
        links = links[np.lexsort((entropy[links], kind[links] == CUT))]
        links = links[np.unique(place[links], return_index=True)[1]]
        found = np.column_stack([np.full(len(links), source), place[links], np.rint(100 * entropy[links]), kind[links]])
        self._links.append(_evenly(found.astype(np.int64), _MAX_LINKS_OF_PAGE))

    def regions(self) -> list[Region]:
        """The sections of the map in numbers: what the picture says, in words."""
        links = np.concatenate(self._links)
        names = self._map.names
        region = np.array(self._map.region_of, dtype=np.int64)
        leaving = np.bincount(region[links[:, 0]], minlength=len(names))
        informative = np.bincount(region[links[:, 0]], links[:, 3] != CUT, minlength=len(names))
        pages: list[Counter[str]] = [Counter() for _ in names]
        for place, number in enumerate(self._drawn):
            pages[self._map.region_of[place]][self._model.types.type[number]] += 1
        return [
            Region(line(name), pages[place], int(leaving[place]), int(informative[place]))
            for place, name in enumerate(names)
        ]

    def as_dict(self) -> dict[str, Any]:
        """What the report's script draws: columns by page, and four numbers a link: from, to, entropy, kind."""
        links = np.concatenate(self._links)
        kept = links[links[:, 3] != CUT]
        cut = links[links[:, 3] == CUT]
        shown_kept = _evenly(kept, MAX_LINKS // 2)
        shown = np.concatenate([_evenly(cut, MAX_LINKS - len(shown_kept)), shown_kept])
        types = [TYPES.index(self._model.types.type[number]) for number in self._drawn]
        return {
            "extent": self._map.extent,
            "titles": _without_common_end([title for title, _ in self._labels]),
            "urls": [url for _, url in self._labels],
            "types": types,
            "sizes": [len(self._model.types.links[number]) for number in self._drawn],
            "x": self._map.place[:, 0].tolist(),
            "y": self._map.place[:, 1].tolist(),
            "links": shown.ravel().tolist(),
            "sections": [
                {"name": line(name, _LABEL), "x": x, "y": y, "radius": radius}
                for name, (x, y, radius) in zip(self._map.names, self._map.circles, strict=True)
            ],
            "pages": {"drawn": len(self._drawn), "all": len(self._model.site)},
            "linked": {
                "drawn": len(shown),
                "all": len(links),
                "kept": {"drawn": len(shown_kept), "all": len(kept)},
            },
        }


def _without_common_end(titles: list[str]) -> list[str]:
    """Titles without the ending that at least half of them share: the name of the site.

    >>> _without_common_end(["The News", "Sport - The News", "Arts - The News", "Opera - The News"])
    ['The News', 'Sport', 'Arts', 'Opera']
    >>> _without_common_end(["Biking", "Sailing"])
    ['Biking', 'Sailing']
    """
    backwards = sorted(title[::-1] for title in titles)
    apart = max(1, len(titles) // 2)
    pairs = zip(backwards, backwards[apart:], strict=False)
    end = max(map(commonprefix, pairs), key=len, default="")[::-1]
    end = end[next((place for place, char in enumerate(end) if not char.isalnum()), len(end)) :]
    return [title.removesuffix(end) or title for title in titles]


def _chosen(model: SiteModel) -> list[int]:
    """Numbers of the pages that are drawn: of a large site its sections, and an even selection of lists and the rest."""
    pages = len(model.site)
    if pages <= MAX_PAGES:
        return list(range(pages))
    sections = [way[-1].page for way in model.tree.walk() if way[-1].page >= 0]
    chosen = set(_evenly(sections, MAX_PAGES // 4)) | {0}
    lists = [number for number, kind in enumerate(model.types.type) if kind == "toc" and number not in chosen]
    chosen.update(_evenly(lists, MAX_PAGES // 4))
    rest = [number for number, kind in enumerate(model.types.type) if kind != "toc" and number not in chosen]
    return sorted(chosen.union(_evenly(rest, MAX_PAGES - len(chosen))))


def _evenly(values: Any, limit: int) -> Any:
    """At most `limit` values, evenly selected."""
    if len(values) <= limit:
        return values
    places = (np.arange(limit) * len(values)) // max(1, limit)
    return values[places] if isinstance(values, np.ndarray) else [values[place] for place in places.tolist()]


@dataclass(frozen=True)
class _Map:
    """Width and height; by page its place, its region and the list that it stands around; by region name and circle."""

    extent: tuple[int, int]
    place: npt.NDArray[np.int64]
    region_of: list[int]
    home: IntArray
    names: list[str]
    circles: list[tuple[int, int, int]]


def _map(model: SiteModel, drawn: Sequence[int]) -> _Map:
    """Pack pages into discs, discs into regions, regions into the map."""
    discs = _discs(model, drawn)
    sizes = Counter({name: 0 for name, _ in discs})
    for (name, _), pages in discs.items():
        sizes[name] += len(pages)
    names = sorted(sizes, key=lambda name: (not name, -sizes[name], name))
    place_of = {number: place for place, number in enumerate(drawn)}
    home = np.full(len(drawn), -1)
    for (_, toc), pages in discs.items():
        if toc >= 0:
            home[[place_of[number] for number in pages if number != toc]] = place_of[toc]
    center = np.zeros((len(drawn), 2))
    region_of = [0] * len(drawn)
    radii: list[float] = []
    for region, name in enumerate(names):
        members = sorted((pages for key, pages in discs.items() if key[0] == name), key=lambda pages: -len(pages))
        middles, radius = _region_of(members)
        for pages, middle in zip(members, middles, strict=True):
            places = [place_of[number] for number in pages]
            center[places] = middle + _sunflower(len(pages))
            for place in places:
                region_of[place] = region
        radii.append(radius)
    middles = _pack(radii, BREADTH)
    center += middles[region_of]
    low = (middles - np.array(radii)[:, None]).min(axis=0, initial=0.0)
    high = (middles + np.array(radii)[:, None]).max(axis=0, initial=0.0)
    scale = EXTENT / max(1.0, *(high - low).tolist())
    circles = np.rint(np.column_stack([middles - low, radii]) * scale).astype(np.int64)
    return _Map(
        extent=(round((high - low)[0] * scale), round((high - low)[1] * scale)),
        place=np.rint((center - low) * scale).astype(np.int64),
        region_of=region_of,
        home=home,
        names=names,
        circles=[(x, y, radius) for x, y, radius in circles.tolist()],
    )


def _region_of(members: Sequence[list[int]]) -> tuple[FloatArray, float]:
    """Discs side by side: their centres around 0, and the radius of a circle around all of them."""
    radii = np.array([_GAP + math.sqrt(len(pages)) for pages in members])
    middles = _pack(radii.tolist())
    low, high = (middles - radii[:, None]).min(axis=0), (middles + radii[:, None]).max(axis=0)
    middles = middles - (low + high) / 2
    return middles, float((np.hypot(*middles.T) + radii).max()) + _GAP


def _discs(model: SiteModel, drawn: Sequence[int]) -> dict[tuple[str, int], list[int]]:
    """Region and list → the list and its articles; pages that no list leads to make a disc without a list (−1).

    Of several lists of an article, one of its own section is preferred, then the shorter one.
    """
    inside = set(drawn)
    lists = {number for number in drawn if model.types.type[number] == "toc"}
    discs: dict[tuple[str, int], list[int]] = {(_region(model, number), number): [number] for number in sorted(lists)}
    for number in drawn:
        if number in lists:
            continue
        candidates = [toc for toc in model.listed_by.get(number, ()) if toc in lists and toc in inside]
        own = model.section_of[number]
        home = min(
            candidates,
            key=lambda toc: (model.section_of[toc] != own, len(model.types.links[toc]), toc),
            default=-1,
        )
        region = _region(model, home if home >= 0 else number)
        discs.setdefault((region, home), []).append(number)
    return discs


def _region(model: SiteModel, number: int) -> str:
    section = model.section_of[number]
    return section[0] if section else ""


def _sunflower(points: int) -> FloatArray:
    """Points that fill a disc evenly, from its centre outwards; the area of each is that of a circle of radius 1."""
    number = np.arange(points)
    radius, angle = np.sqrt(number), number * _GOLDEN_ANGLE
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _pack(radii: Sequence[float], breadth: float = 1.0) -> FloatArray:
    """Centres of circles side by side, in an area that is `breadth` times as broad as it is high.

    Each circle, one after the other, takes the innermost of many evenly spread places where it touches no other.
    """
    places = min(_MAX_PLACES, max(_MIN_PLACES, _PLACES * len(radii)))
    area = sum((radius + _GAP) ** 2 for radius in radii)
    candidates = _sunflower(places) * math.sqrt(3.0 * area / places) * (math.sqrt(breadth), 1 / math.sqrt(breadth))
    clearance = np.full(places, np.inf)
    centers = np.zeros((len(radii), 2))
    edge = 0.0
    for circle, radius in enumerate(radii):
        fits = np.flatnonzero(clearance >= radius)
        center = candidates[fits[0]] if len(fits) else np.array([edge + radius, 0.0])
        centers[circle] = center
        clearance = np.minimum(clearance, np.hypot(*(candidates - center).T) - radius)
        edge = max(edge, float(np.hypot(*center)) + radius)
    return centers
