"""The templates of a site: one for each family of pages, carried on from run to run, and watched.

A template is distilled from a seeded choice of t pages of its family (`template.py`). When a family is seen again in a
later run, its new pages are first tried on the template that is known: the share of its tokens that they have is the
*fit* of the family in that run, and falls when the site is redesigned. Then they update it.

Families are numbered anew whenever they are settled (`families.py`); a family is the one of an earlier run that most of
its pages were in.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstruct.packing import pack, unpack
from webstruct.template import SAMPLE, Template

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from webstruct.families import Families
    from webstruct.flatten import BoolArray
    from webstruct.page import Page
    from webstruct.sitepages import SitePages

# What fewer pages share may be chance.
MIN_PAGES = 4
# Pages with more tokens take long to align, and show no more of the template: they are learned from only if there are
# not MIN_PAGES shorter ones; and beyond the second limit never, so that the cost stays bounded whatever a site serves.
LONG_PAGE, TOO_LONG_PAGE = 6_000, 20_000


class TemplateFit(NamedTuple):
    """How many pages were tried on a template, and the share of its tokens that they have, in the mean."""

    pages: int
    share: float


class EarlierTemplates(NamedTuple):
    """What an earlier run learned, by the numbers that families have now; and which pages came after it."""

    templates: Mapping[int, Template]
    is_new: BoolArray


@dataclass(frozen=True, eq=False)
class FamilyTemplates:
    """Template and fit by family; a family with no new page has no fit, one with too few pages no template."""

    templates: dict[int, Template] = field(default_factory=dict)
    fits: dict[int, TemplateFit] = field(default_factory=dict)

    @classmethod
    def learn(
        cls,
        site: SitePages,
        *,
        t: int = SAMPLE,
        earlier: EarlierTemplates | None = None,
    ) -> FamilyTemplates:
        """Learn the templates of all families with enough pages from t of them, or carry on those of an earlier run."""
        found = cls()
        for family, members in sorted(_members(site).items()):
            before = earlier.templates.get(family) if earlier else None
            if earlier and before:
                new = [number for number in members if earlier.is_new[number]]
                found._update(family, _chosen(site, new, t, family), t, before)
            elif len(members) >= MIN_PAGES:
                found._learn(family, _chosen(site, members, t, family), t)
        return found

    def _learn(self, family: int, pages: Sequence[Page], t: int) -> None:
        template = Template.learn(pages, t=t)
        if template.pages:
            self.templates[family] = template
            self.fits[family] = TemplateFit(template.pages, template.mean_score)

    def _update(self, family: int, pages: Sequence[Page], t: int, before: Template) -> None:
        self.templates[family] = before.updated(pages, t=t)
        if pages:
            self.fits[family] = TemplateFit(len(pages), float(np.mean([before.fit(page) for page in pages])))

    def pack(self) -> bytes:
        """The templates as bytes for the store."""
        packed = [template.pack() for template in self.templates.values()]
        return pack(
            {
                "families": np.array(list(self.templates), dtype=np.int64),
                "lengths": np.array([len(own) for own in packed], dtype=np.int64),
                "templates": np.frombuffer(b"".join(packed), dtype=np.uint8),
            }
        )


class StreamedTemplates:
    """Templates of pages that come one by one: each is learned from the first t pages of its family.

    A template is kept with one page that it was learned from, which says where it belongs when families get new numbers.
    """

    def __init__(self, families: Families, *, t: int = SAMPLE) -> None:
        self._families = families
        self._t = t
        self._learned: dict[int, tuple[Page, Template]] = {}
        self._waiting: dict[int, list[Page]] = {}
        self._settled_pages = families.settled_pages

    def know(self, template: Template, page: Page) -> None:
        """Begin with a template of an earlier crawl: that of the family of this page."""
        family = self._families.assign(page)[0]
        if family is not None:
            self._learned.setdefault(family, (page, template))

    def template_of(self, page: Page) -> tuple[Template | None, int]:
        """The template of a page's family, once there is one, and how many pages of the family it rests or will rest on."""
        if self._families.settled_pages != self._settled_pages:
            self._regroup()
        family = self._families.assign(page)[0]
        if family is None:
            return None, 0
        if family not in self._learned:
            waiting = self._waiting.setdefault(family, [])
            if all(page.url != other.url for other in waiting):
                waiting.append(page)
            if len(waiting) < self._t:
                return None, len(waiting)
            self._learned[family] = page, Template.learn(_short(self._waiting.pop(family)), t=self._t)
        template = self._learned[family][1]
        return template, template.pages

    def _regroup(self) -> None:
        learned, waiting = list(self._learned.values()), [page for own in self._waiting.values() for page in own]
        self._learned, self._waiting = {}, {}
        self._settled_pages = self._families.settled_pages
        for page, template in learned:
            self.know(template, page)
        for page in waiting:
            family = self._families.assign(page)[0]
            if family is not None and family not in self._learned:
                self._waiting.setdefault(family, []).append(page)


def unpack_templates(data: bytes) -> dict[int, Template]:
    """The templates that `FamilyTemplates.pack` wrote, by family."""
    fields = unpack(data)
    ends = np.cumsum(fields["lengths"])
    packed = fields["templates"].tobytes()
    parts = zip(fields["families"].tolist(), ends - fields["lengths"], ends, strict=True)
    return {family: Template.unpack(packed[begin:end]) for family, begin, end in parts}


def former_families(before: Iterable[int | None], now: Iterable[int]) -> dict[int, int]:
    """The number that a family had in an earlier run, by the number that it has now; new families have none.

    Parameters
    ----------
    before, now
        For each page its family then (None if it was not there) and now.

    >>> former_families([0, 0, 0, 1, 1, None], [1, 1, 2, 0, 0, 3])
    {1: 0, 0: 1}
    """
    shared = Counter((old, new) for old, new in zip(before, now, strict=True) if old is not None)
    former: dict[int, int] = {}
    for (old, new), _ in shared.most_common():
        if new not in former and old not in former.values():
            former[new] = old
    return former


def _members(site: SitePages) -> dict[int, list[int]]:
    """The pages of each family."""
    members: dict[int, list[int]] = {}
    for number, family in enumerate(site.family.tolist()):
        if family >= 0:
            members.setdefault(family, []).append(number)
    return members


def _chosen(site: SitePages, numbers: Sequence[int], t: int, seed: int) -> list[Page]:
    chosen = sorted(random.Random(seed).sample(numbers, min(t, len(numbers))))
    return _short([site.pages[number] for number in chosen])


def _short(pages: Sequence[Page]) -> list[Page]:
    """The pages that are not long, or the shortest of them."""
    lengths = np.array([2 * len(page) + len(page.chunks) for page in pages])
    shortest = np.argsort(lengths, kind="stable")[:MIN_PAGES].tolist()
    short = np.flatnonzero(lengths <= LONG_PAGE).tolist()
    chosen = short if len(short) >= len(shortest) else shortest
    return [pages[place] for place in chosen if lengths[place] <= TOO_LONG_PAGE]
