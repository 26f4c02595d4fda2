"""A stored site as the methods see it: `SitePages` whose pages are unpacked from the store one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from webstruct.conclusion import TEMPLATES
from webstruct.family_templates import EarlierTemplates, unpack_templates
from webstruct.page import Page
from webstruct.sitepages import SitePages

if TYPE_CHECKING:
    from webstruct.entropy import TermEntropy
    from webstruct.families import Families
    from webstruct.sitepages import IntArray
    from webstruct.store import PageRow, Store
    from webstruct.template import Template


class StoredPages(Sequence[Page]):
    """The stored pages in the order of storing."""

    def __init__(self, store: Store, ids: Sequence[int]) -> None:
        self._store = store
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, number: int) -> Page: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Page]: ...
    def __getitem__(self, number: int | slice) -> Page | Sequence[Page]:
        if isinstance(number, slice):
            return StoredPages(self._store, self._ids[number])
        return Page.unpack(self._store.arrays(self._ids[number]))

    def __iter__(self) -> Iterator[Page]:
        return (self[number] for number in range(len(self)))


def load(store: Store, entropy: TermEntropy, families: Families) -> tuple[SitePages, list[PageRow]]:
    """The site, and the row of each of its pages; links to redirects lead to where those lead."""
    rows = sorted(store.pages(), key=lambda row: row.depth > 0)  # the start page first, though it was stored anew since
    ids = [row.id for row in rows]
    number_of = np.full(store.counts().found + 1, -1, dtype=np.int32)
    number_of[ids] = np.arange(len(ids))
    for page, onward in _ends(store.redirects()).items():
        number_of[page] = number_of[onward]
    targets: list[IntArray] = [number_of[store.links(page)] for page in ids]
    family_of = families.settle()
    family = np.array([family_of.get(row.url, -1) for row in rows], dtype=np.int32)
    return SitePages(StoredPages(store, ids), targets, entropy, family), rows


def earlier_templates(store: Store, rows: Sequence[PageRow], former: Mapping[int, int]) -> EarlierTemplates | None:
    """The templates that an earlier closing analysis saved; None before the first."""
    saved = store.load_statistics(TEMPLATES)
    if saved is None:
        return None
    value, sequence = saved
    then = unpack_templates(value)
    templates = {now: then[old] for now, old in former.items() if old in then}
    return EarlierTemplates(templates, np.array([(row.sequence or 0) > sequence for row in rows], dtype=bool))


def stored_templates(store: Store) -> Iterator[tuple[Template, Page]]:
    """The templates of the last closing analysis, each with a page of its family."""
    saved = store.load_statistics(TEMPLATES)
    first_page: dict[int | None, int] = {}
    for row in store.pages():
        first_page.setdefault(row.family, row.id)
    for family, template in unpack_templates(saved[0]).items() if saved else ():
        if family in first_page:
            yield template, Page.unpack(store.arrays(first_page[family]))


def _ends(redirects: dict[int, int]) -> dict[int, int]:
    """Where each chain of redirects ends; a circle ends anywhere in it."""
    ends = {}
    for page in redirects:
        seen, onward = {page}, redirects[page]
        while onward in redirects and onward not in seen:
            seen.add(onward)
            onward = redirects[onward]
        ends[page] = onward
    return ends
