"""A section tree while it grows: sections are added below others, and moved where their parent was in doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstruct.breadcrumbs import Breadcrumbs
from webstruct.folders import Folders
from webstruct.navigation import Node, make_tree

if TYPE_CHECKING:
    from webstruct.sitepages import SitePages


class SectionTree:
    """Sections by the numbers of their pages; 0 is the home page."""

    def __init__(self, url: str, name: str) -> None:
        self.children: dict[int, list[int]] = {0: []}
        self._parent: dict[int, int] = {}
        self._name = {0: name}
        self._url = {0: url}

    def __contains__(self, page: int) -> bool:
        return page in self.children

    def add(self, parent: int, page: int, *, url: str, name: str) -> None:
        """Put a new section below another one."""
        self.children[parent].append(page)
        self.children[page] = []
        self._parent[page] = parent
        self._name[page] = name
        self._url[page] = url

    def confirm_parents(self, site: SitePages) -> list[dict[str, Any]]:
        """Move sections that were found on another section's page to where they say they stand; returns a row for each.

        Breadcrumbs are believed first; then the address, if it is not in the parent's folder but in that of a third
        section.
        """
        breadcrumbs, folders = Breadcrumbs(site), Folders(self._url)
        moves = []
        for page in [page for page, parent in self._parent.items() if parent]:
            above, because = breadcrumbs.parent(page) or 0, "breadcrumbs"
            if not above and not self._url[page].startswith(_folder(self._url[self._parent[page]])):
                above, because = folders.above(self._url[page]), "address"
            if above in self and above not in (0, self._parent[page]) and page not in self._way_up(above):
                self._move(page, above)
                names = [self._name[page], self._name[above]]
                moves.append({"page": self._url[page], "verdict": "moved", "names": names, "because": because})
        return moves

    def _way_up(self, page: int) -> list[int]:
        way = [page]
        while way[-1]:
            way.append(self._parent[way[-1]])
        return way

    def _move(self, page: int, parent: int) -> None:
        self.children[self._parent[page]].remove(page)
        self.children[parent].append(page)
        self._parent[page] = parent

    def nodes(self, site: SitePages) -> Node:
        """The tree as it stands; a section without a name takes its page's title."""
        names = {page: name or site.pages[page].title for page, name in self._name.items()}
        return make_tree(self.children, {page: (self._url[page], name) for page, name in names.items()})


def _folder(url: str) -> str:
    return url.rpartition("/")[0] + "/"
