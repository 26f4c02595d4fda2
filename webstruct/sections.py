"""Sections: in which section of the skeleton does each page stand? Most of all: each article."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from webstruct.folders import Folders
from webstruct.navigation import FILE_ENDING, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from webstruct.sitepages import IntArray, SitePages

_PAGE_NUMBER = re.compile(r"[\W_]\d{1,3}$")


def sections(site: SitePages, root: Node, toc_links: Sequence[Iterable[int]]) -> list[list[str]]:
    """For each page the names of the sections that it stands in, outermost first; empty where nothing tells.

    Three witnesses are heard: TOC pages that list the page (or pages that carry them on), the folders of its address,
    and sections to which it links more often than to others (a breadcrumb, a label). The section with the most
    witnesses, its parents' included, wins; the deeper one of equals.

    Parameters
    ----------
    toc_links
        For each page the numbers of the articles that its lists lead to.

    """
    ways = {way[-1].page: way for way in root.walk()}
    folders = Folders({page: way[-1].url for page, way in ways.items()})
    listed: dict[int, set[int]] = {}
    urls = [page.url for page in site.pages]
    for toc, articles in enumerate(toc_links):
        section = toc if toc in ways else folders.holding(urls[toc])
        for article in articles:
            listed.setdefault(int(article), set()).add(section)
    for number, first in _further_pages(urls):
        listed.setdefault(number, set()).update(listed.get(first, ()))
    usual = _usual_links(site, ways)
    result = []
    for number, url in enumerate(urls):
        if number in ways:
            result.append([node.name for node in ways[number][1:]])
            continue
        witnesses = Counter({*listed.get(number, ()), 0} - {0})
        witnesses.update({folders.holding(url), _most_linked(site.targets[number], usual)} - {0})
        result.append(_best_way(witnesses, ways))
    return result


class KnownSections:
    """The section of a page that came after the site was learned, by its section tree as it stands in `site.json`.

    Heard are the TOC pages that list the page, and the folders of its address.

    >>> politics = {"url": "http://e.com/politics/", "name": "Politics", "children": []}
    >>> sections = KnownSections({"url": "http://e.com/", "name": "E", "children": [politics]})
    >>> sections.of("http://e.com/2026/x.html", ["http://e.com/politics/page/2"])
    ['Politics']
    """

    def __init__(self, tree: dict[str, Any]) -> None:
        numbers = itertools.count()

        def node(values: dict[str, Any]) -> Node:
            return Node(values["url"], values["name"], next(numbers), tuple(map(node, values["children"])))

        self._ways = {way[-1].page: way for way in node(tree).walk()}
        self._folders = Folders({page: way[-1].url for page, way in self._ways.items()})

    def of(self, url: str, toc_urls: Iterable[str]) -> list[str]:
        """The names of its sections, outermost first."""
        witnesses = Counter({self._folders.holding(url)} - {0})
        witnesses.update({self._folders.holding(toc) for toc in toc_urls} - {0})
        return _best_way(witnesses, self._ways)


def _further_pages(urls: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pages that carry on an article (``story_2.html``), with the number of its first page."""
    number_of = {FILE_ENDING.sub("", url): number for number, url in enumerate(urls)}
    for stem, number in number_of.items():
        first = number_of.get(_PAGE_NUMBER.sub("", stem))
        if first is not None and first != number:
            yield number, first


def _best_way(witnesses: Counter[int], ways: dict[int, tuple[Node, ...]]) -> list[str]:
    def weight(section: int) -> tuple[int, int]:
        return sum(witnesses[node.page] for node in ways[section]), len(ways[section])

    best = max(witnesses, key=weight, default=0)
    return [node.name for node in ways[best][1:]]


def _usual_links(site: SitePages, ways: dict[int, tuple[Node, ...]]) -> dict[int, int]:
    """How many links a page usually has to each section: the menus."""
    counts: dict[int, Counter[int]] = {section: Counter() for section in ways if section}
    for targets in site.targets:
        for section, count in Counter(targets.tolist()).items():
            if section in counts:
                counts[section][count] += 1
    usual = {}
    for section, seen in counts.items():
        seen[0] = len(site) - seen.total()
        usual[section] = seen.most_common(1)[0][0]
    return usual


def _most_linked(targets: IntArray, usual: dict[int, int]) -> int:
    """The one section that a page links to more often than pages usually do; 0 if there is none, or several."""
    found = Counter(targets.tolist())
    extra = Counter({section: found[section] - usual[section] for section in found if section in usual})
    (most, second) = [*extra.most_common(2), (0, 0), (0, 0)][:2]
    return most[0] if most[1] > max(second[1], 0) else 0
