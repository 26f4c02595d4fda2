"""Skeleton: what is the site's tree of sections? (SEW: Liu, Ng & Lim, 2004, in its published and in our default form).

SEW looks at one page at a time, from the home page down, and fetches only what it finds (`navigation.py`). Where the
site has been crawled, all pages tell more, and the tree is made of five observations:

- A list of links that most pages carry is *global navigation* and belongs to the home page. The first one that leads to
  a list of articles is the menu, and so are those before it that lead home, and those after it that do both and lead to
  other pages: all their entries are sections, those of drop-downs are sections below them. Further lists count if
  nearly all of their entries are TOC pages: side bars of categories, not foot lines of imprints.
- A section's own page shows its *sub-sections*: a list of TOC pages that the home page does not have, or a menu whose
  targets carry that same menu.
- A list beside the link of an article belongs to that article (its tags, its author), and is nothing of the section.
- The pages that carry on a list (``/news/page/2/``), enumerations such as archives by month where there is a menu, and
  clouds, whose entries differ in style, name no sections.
- Where a section was found on another one's page, its parent is in doubt: its *breadcrumbs* say where it stands, else
  its address, if that lies in the folder of a third section.

`explained_skeleton` also gives every list that was looked at, and why it was taken or not.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from webstruct.menus import Item, all_links, entries, link_tree
from webstruct.navigation import FILE_ENDING, Node, published_skeleton, word_count
from webstruct.section_tree import SectionTree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from webstruct.page import Page
    from webstruct.sitepages import SitePages

__all__ = ["Node", "SkeletonParameters", "Verdict", "explained_skeleton", "published_skeleton", "skeleton"]

FloatArray = npt.NDArray[np.float64]

_NO_LETTERS = re.compile(r"[\W\d_]+")
_COUNT = re.compile(r"\s*[(\[（]\d+[)\]）]$")
_MAX_PAGE_NUMBER = 1000
# SEW's MaxNumWord and MinNL.
_MAX_WORDS = 4
_MIN_LINKS = 3
# Names are an enumeration if so many of them are the same but for their numbers.
_ENUMERATED = 0.6
# A group with a link to an article is a record, not a region, if it leads to no more articles than this.
_RECORD_ARTICLES = 3


@dataclass(frozen=True)
class SkeletonParameters:
    """What the default form goes by.

    Attributes
    ----------
    wide
        Share of all pages that link to the middle one of a list's targets, from which on the list is global navigation.
    toc_share
        Share of TOC pages in a list of sections; share of the targets' links back in a local menu.
    max_entries
        SEW's MaxNL: longer lists are no menus.
    depth
        Pages of sections down to this level are searched for sub-sections.

    """

    wide: float = 0.5
    toc_share: float = 0.75
    max_entries: int = 40
    depth: int = 3


class Verdict(StrEnum):
    """What became of a list of links."""

    MENU = "menu"
    SECTIONS = "list of sections"
    ENUMERATION = "enumeration"
    KNOWN = "known already"
    UNLIKE_MENU = "too long, or entries of different styles"
    FEW_LISTS = "too few list pages"


def skeleton(site: SitePages, types: Sequence[str], *, parameters: SkeletonParameters | None = None) -> Node:
    """The tree of sections of a crawled site.

    Parameters
    ----------
    types
        For each page "toc", "article" or "other".

    """
    return explained_skeleton(site, types, parameters=parameters)[0]


def explained_skeleton(
    site: SitePages, types: Sequence[str], *, parameters: SkeletonParameters | None = None
) -> tuple[Node, list[dict[str, Any]]]:
    """The tree, and how it came about, for JSON: a row for each list of links that was judged, in order.

    Rows have `page` (the URL it stands on), `verdict` (see `Verdict`), `names` of the crawled pages that it leads to,
    `link_share` (the share of all pages that link to the middle one of them) and `toc_share` (how many are TOC pages). A
    section that was moved has a row with `page` (its URL), `verdict` "moved", `names` (its own, and its new parent's) and
    `because` ("breadcrumbs" or "address").
    """
    builder = _Builder(site, types, parameters or SkeletonParameters())
    tree = builder.tree
    layer = builder.home()
    for _ in range(1, builder.parameters.depth):
        for page in layer:
            builder.section(page)
        layer = [child for page in layer for child in tree.children[page]]
    moves = tree.confirm_parents(site)
    return tree.nodes(site), [*builder.explanation, *moves]


@dataclass(frozen=True)
class _View:
    """A page, where its links lead, and its link tree without links to the home page and to its own further pages."""

    number: int
    page: Page
    targets: list[int]
    tree: Item

    def target(self, item: Item) -> int:
        return self.targets[item.link]

    def known(self, items: Sequence[Item]) -> set[int]:
        """Crawled pages that a list leads to."""
        return {self.target(item) for item in entries(items) if self.target(item) >= 0} - {self.number}

    def names(self, group: Item) -> list[str]:
        """Names of the crawled pages that a list leads to."""
        return [self.name(item) for item in entries(group.items) if self.target(item) >= 0]

    def name(self, item: Item) -> str:
        return _COUNT.sub("", self.page.link_text(int(self.page.link_node[item.link])))


class _Builder:
    """The tree so far, and what all pages' links say."""

    def __init__(self, site: SitePages, types: Sequence[str], parameters: SkeletonParameters) -> None:
        self.site = site
        self.types = types
        self.parameters = parameters
        self.share = _link_share(site)
        self.on_home = set(site.targets[0].tolist())
        self.tree = SectionTree(site.pages[0].url, site.pages[0].title)
        self.explanation: list[dict[str, Any]] = []

    # The home page

    def home(self) -> list[int]:
        """Place the sections that the home page shows, and return the first level of them."""
        view = self._view(0)
        found: list[tuple[Item, bool]] = []
        enumerations: list[Item] = []
        lone: list[Item] = []
        menu: set[int] = set()

        def judge(group: Item) -> bool:
            known = view.known(group.items)
            if not group.is_list or len(known) < 2:
                return False
            verdict = self._verdict_on_home(view, group, known, menu)
            self._explain(view, group, known, verdict)
            if verdict == Verdict.ENUMERATION:
                enumerations.append(group)
            elif verdict in (Verdict.MENU, Verdict.SECTIONS):
                found.append((group, verdict == Verdict.MENU))
                menu.update(known if verdict == Verdict.MENU and self._count(known, "toc") else ())
            return verdict in (Verdict.MENU, Verdict.SECTIONS, Verdict.ENUMERATION)

        self._search(view, judge, lone)
        for group, is_menu in found or [(group, False) for group in enumerations]:
            self._place(view, 0, group, is_menu=is_menu)
        lone_and_global = tuple(item for item in lone if self._is_global({view.target(item)}))
        self._place(view, 0, Item(items=lone_and_global), is_menu=False)
        return self.tree.children[0]

    def _verdict_on_home(self, view: _View, group: Item, known: set[int], menu: set[int]) -> Verdict:
        if not self._is_menu_like(view, group):
            return Verdict.UNLIKE_MENU
        is_menu = self._is_menu(group, known, menu)
        if not is_menu and not self._are_tocs(known):
            return Verdict.FEW_LISTS
        if _is_enumeration(view.names(group)):
            return Verdict.ENUMERATION
        return Verdict.MENU if is_menu else Verdict.SECTIONS

    def _is_menu(self, group: Item, known: set[int], menu: set[int]) -> bool:
        """Whether a list is the site's menu or, if there is one, a further menu: not one more look at the same pages."""
        if not self._is_global(known):
            return False
        leads_to_toc = self._count(known, "toc") > 0
        if not menu:
            return leads_to_toc or group.leads_home
        return leads_to_toc and group.leads_home and 2 * len(known - menu) > len(known)

    def _is_global(self, pages: set[int]) -> bool:
        return self._middle_share(pages) >= self.parameters.wide

    def _middle_share(self, pages: set[int]) -> float:
        return float(np.median(self.share[sorted(pages)]))

    # Pages of sections

    def section(self, number: int) -> None:
        """Place the sub-sections that a section's page shows."""
        view = self._view(number)
        found: list[tuple[Item, bool]] = []

        def judge(group: Item) -> bool:
            known = view.known(group.items)
            if len(known) < 2:
                return False
            verdict = self._verdict_on_section(view, group, known)
            self._explain(view, group, known, verdict)
            if verdict in (Verdict.MENU, Verdict.SECTIONS):
                found.append((group, verdict == Verdict.MENU))
                return True
            return verdict == Verdict.KNOWN and group.is_list

        self._search(view, judge, [])
        for group, is_menu in found:
            self._place(view, number, group, is_menu=is_menu)

    def _verdict_on_section(self, view: _View, group: Item, known: set[int]) -> Verdict:
        if not self._is_menu_like(view, group):
            return Verdict.UNLIKE_MENU
        new = [page for page in known if page not in self.tree and page not in self.on_home]
        if 2 * len(new) < len(known):
            return Verdict.KNOWN
        if self._is_local_menu(known) and not _is_enumeration(view.names(group)):
            return Verdict.MENU
        return Verdict.SECTIONS if group.is_list and self._are_tocs(known) else Verdict.FEW_LISTS

    def _is_local_menu(self, pages: set[int]) -> bool:
        """Whether the pages link to each other, and are more than articles that name each other."""
        if 2 * self._count(pages, "article") > len(pages):
            return False
        links = [len(pages.intersection(self.site.targets[page].tolist())) for page in pages]
        return bool(np.mean(links) >= self.parameters.toc_share * len(pages))

    # Both

    def _view(self, number: int) -> _View:
        page, targets = self.site.pages[number], self.site.targets[number]
        wanted = targets != 0
        for place, (target, url) in enumerate(zip(targets.tolist(), page.link_urls, strict=True)):
            wanted[place] &= not (self._is_further_page(target) and _carries_on(page.url, url))
        return _View(number, page, targets.tolist(), link_tree(page, wanted, targets == 0))

    def _is_further_page(self, page: int) -> bool:
        """Whether a page may carry on a list: no article, and not linked from everywhere."""
        return page > 0 and self.types[page] != "article" and bool(self.share[page] < self.parameters.wide)

    def _search(self, view: _View, judge: Callable[[Item], bool], lone: list[Item]) -> None:
        """Show groups to `judge`, outer ones first, and look inside those that it leaves.

        Lists are judged at once, pieces of layout only if they are no records. `lone` takes links that stand alone.
        """
        waiting = [view.tree]
        while waiting:
            item = waiting.pop()
            if item.link < 0:
                if item.is_list and judge(item):
                    continue
                if self._is_record(view, item) or (not item.is_list and judge(item)):
                    continue
                if not item.is_list:
                    links = (part for part in item.items if part.link >= 0 and not part.items)
                    lone.extend(link for link in links if view.target(link) > 0)
            elif self._is(view.target(item), "article"):
                continue
            waiting.extend(reversed(item.items))

    def _is_menu_like(self, view: _View, group: Item) -> bool:
        """Not too long, and most entries of the same style."""
        styles = Counter(
            view.page.attributes(int(view.page.link_node[item.link])).get("style", "") for item in entries(group.items)
        )
        return len(group.items) <= self.parameters.max_entries and 2 * max(styles.values()) >= styles.total()

    def _is_record(self, view: _View, group: Item) -> bool:
        """Whether a group is about an article: it has a link to one, and does not lead to many."""
        if not any(item.link >= 0 and self._is(view.target(item), "article") for item in group.items):
            return False
        articles = {view.targets[link] for link in all_links(group) if self._is(view.targets[link], "article")}
        return len(articles) <= _RECORD_ARTICLES

    def _is(self, page: int, kind: str) -> bool:
        return page >= 0 and self.types[page] == kind

    def _count(self, pages: set[int], kind: str) -> int:
        return sum(self.types[page] == kind for page in pages)

    def _are_tocs(self, pages: set[int]) -> bool:
        return self._count(pages, "toc") >= self.parameters.toc_share * len(pages)

    def _place(self, view: _View, parent: int, group: Item, *, is_menu: bool) -> None:
        """Put the entries of a group below `parent`, in their order; other groups than menus give TOC pages only."""
        for item in _with_overview(view.page, group.items):
            target = view.target(item) if item.link >= 0 else -1
            if target < 0:
                self._place(view, parent, item, is_menu=is_menu)
                continue
            if target not in self.tree and (
                self._is(target, "toc") or (is_menu and self._is_entry(view, group, target))
            ):
                self._add(view, parent, target, item)
            if target in self.tree.children[parent] and self.types[target] != "article":
                self._place_below(view, target, item.items)

    def _is_entry(self, view: _View, group: Item, page: int) -> bool:
        """Whether a page is an entry of a list within a menu; below the home page, of names, not of headlines."""
        if view.number == 0 or not group.is_list:
            return group.is_list
        names = view.names(group)
        has_few_words = bool(np.mean([word_count(name) for name in names]) < _MAX_WORDS)
        return has_few_words and (len(names) >= _MIN_LINKS or self.types[page] != "article")

    def _place_below(self, view: _View, parent: int, items: Sequence[Item]) -> None:
        """Put the entries of a drop-down below its head; articles are what a section has, not what it is made of."""
        for item in items:
            target = view.target(item) if item.link >= 0 else -1
            if target < 0:
                self._place_below(view, parent, item.items)
            elif target not in self.tree and self.types[target] != "article":
                self._add(view, parent, target, item)
                self._place_below(view, target, item.items)

    def _add(self, view: _View, parent: int, page: int, item: Item) -> None:
        self.tree.add(parent, page, url=view.page.link_urls[item.link], name=view.name(item))

    def _explain(self, view: _View, group: Item, known: set[int], verdict: Verdict) -> None:
        self.explanation.append(
            {
                "page": view.page.url,
                "verdict": verdict.value,
                "names": view.names(group),
                "link_share": round(self._middle_share(known), 4),
                "toc_share": round(self._count(known, "toc") / len(known), 4),
            }
        )


def _link_share(site: SitePages) -> FloatArray:
    """For each page the share of pages that link to it."""
    linking = np.zeros(len(site), dtype=np.int64)
    for targets in site.targets:
        linking[np.unique(targets[targets >= 0])] += 1
    share: FloatArray = linking / max(1, len(site))
    return share


def _carries_on(url: str, other: str) -> bool:
    """Whether an address is a page's own with a page number added.

    >>> _carries_on("http://e.com/a/", "http://e.com/a/page/2/"), _carries_on("http://e.com/a.htm", "http://e.com/a/5.htm")
    (True, True)
    >>> _carries_on("http://e.com/news/", "http://e.com/news/2026/"), _carries_on("http://e.com/news/", "http://e.com/7/")
    (False, False)
    """
    stem = FILE_ENDING.sub("", url)
    if not other.startswith(stem):
        return False
    rest = FILE_ENDING.sub("", other[len(stem) :])
    numbers = re.findall(r"\d+", rest)
    return len(numbers) == 1 and int(numbers[0]) < _MAX_PAGE_NUMBER and len(re.findall(r"[^\W\d_]+", rest)) <= 1


def _is_enumeration(names: Sequence[str]) -> bool:
    """Whether most names differ in their numbers only."""
    letters = Counter(_NO_LETTERS.sub("", name) for name in names)
    return max(letters.values()) >= _ENUMERATED * len(names)


def _with_overview(page: Page, items: Sequence[Item]) -> Sequence[Item]:
    """If the first entry's folder holds the others ("Service directory"), they stand below it."""
    links = [item.link for item in items]
    if len(items) < 3 or min(links) < 0 or items[0].items:
        return items
    folder = page.link_urls[links[0]]
    inside = sum(page.link_urls[link].startswith(folder) for link in links[1:])
    if not folder.endswith("/") or inside < 0.8 * (len(items) - 1):
        return items
    return [Item(links[0], tuple(items[1:]))]
