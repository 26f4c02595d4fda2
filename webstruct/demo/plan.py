"""The plan of the site: which sections, lists and articles there are, and where, in closed form."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property, partial
from random import Random
from typing import TYPE_CHECKING

from webstruct.demo.calendar import REDESIGN_DAY, Calendar
from webstruct.demo.deal import Deal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webstruct.demo.language import Language, Named, Topic

FIRST_IDENTIFIER = 1001
FEWEST_ARTICLES = 12
STATIC_PAGES = ("about", "contact", "privacy", "imprint", "search", "login", "video")
LIST_SIZES = {"section": 10, "child": 15, "tag": 20, "author": 20, "latest": 20}

# Of every forty articles one has three pages and one has two, so that their number is known without counting.
PARTS_CYCLE = 40
PARTS = {11: 3, 31: 2}


@dataclass(frozen=True)
class Listing:
    """A list of articles on one or more pages, newest first.

    ``oldest`` gives the number of the n-th of all articles ``written`` for it, from the oldest on.
    """

    kind: str
    name: str
    path: str
    trail: tuple[Named, ...]
    size: int
    written: int
    oldest: Callable[[int], int]
    gone: frozenset[int]

    @property
    def count(self) -> int:
        """The number of articles in the list: those ever written for it without those that are gone."""
        return self.written - len(self._gone_ranks)

    @property
    def pages(self) -> int:
        """The number of pages; an empty list still has one."""
        return max(1, math.ceil(self.count / self.size))

    def numbers(self, page: int) -> list[int]:
        """Return the article numbers on one page of the list."""
        first = (page - 1) * self.size
        return [self._newest(index) for index in range(first, min(first + self.size, self.count))]

    def _newest(self, index: int) -> int:
        rank = self.written - 1 - index
        for gone in self._gone_ranks:
            if gone < rank:
                break
            rank -= 1
        return self.oldest(rank)

    @cached_property
    def _gone_ranks(self) -> list[int]:
        """The places of the articles that are gone, newest first; ``oldest`` grows with the rank."""
        ranks = ((bisect_left(range(self.written), number, key=self.oldest), number) for number in self.gone)
        members = (rank for rank, number in ranks if rank < self.written and self.oldest(rank) == number)
        return sorted(members, reverse=True)


class Plan:
    """Where everything is: articles are numbered 0, 1, 2 … by age, and all else follows from the number.

    Parameters
    ----------
    pages
        The wished size, from which the number of sections, tags and authors follows.
    articles
        The number of articles on day 0; `Plan.fit` finds the one that makes the site as large as wished.
    day
        How many days have passed since; each brings new articles and takes some away (see `Calendar`).

    """

    def __init__(
        self, language: Language, *, pages: int, articles: int, seed: int, start_date: date, day: int = 0
    ) -> None:
        self.language = language
        self.seed = seed
        self.day = day
        self.start_date = start_date
        self.articles_per_day = max(3, pages // 400)
        self.archived = articles * 3 // 10
        random = Random(f"{seed}/{language.code}/most-read")
        self.most_read = tuple(random.sample(range(max(0, articles - 30), articles), 5))
        self.calendar = Calendar(articles, self.articles_per_day, f"{seed}/{language.code}", frozenset(self.most_read))
        self.articles = self.calendar.articles(day)
        past = self.calendar.until(day)
        self.corrected_teasers = frozenset(past.corrected_teasers)
        self.corrected_bodies = frozenset(past.corrected_bodies)
        self.gone = frozenset(past.vanished)
        self.redesigned = day >= REDESIGN_DAY
        growth = math.log(max(pages, 60) / 60, 3)
        self.sections: tuple[Topic, ...] = language.topics[: 3 + int(growth)]
        self.children = min(5, 2 + int(growth * 0.8))
        self.tags = min(6, 1 + int(growth))
        self.formats = language.formats[: 1 + int(growth)]
        self.authors = 1 + int(growth * 1.5)
        self._section_deal = Deal([4] + [3] * (len(self.sections) - 1), f"{seed}/section")
        self._format_deal = Deal([1] * len(self.formats) + [2], f"{seed}/format")
        self._child_deals = self._deals("child", [1, 1] if self.children == 2 else [3, 2, 2, 2, 2][: self.children])
        self._tag_deals = self._deals("tag", [1] * self.tags + [1])
        self._author_deals = self._deals("author", [1] * self.authors)
        self.listings: dict[str, Listing] = {listing.path: listing for listing in self._listings()}
        following = re.escape(language.next_list_page).replace(r"\{page\}", r"([1-9]\d{0,8})")
        self._list_path = re.compile(rf"(/(?:.*/)?){following}")

    @classmethod
    def fit(cls, language: Language, *, pages: int, seed: int, start_date: date, day: int = 0) -> Plan:
        """Plan a site of about so many pages on day 0: the largest one that does not exceed it."""
        make = partial(cls, language, pages=pages, seed=seed, start_date=start_date)
        low, high = FEWEST_ARTICLES, max(FEWEST_ARTICLES + 1, pages)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if make(articles=middle).size() <= pages else (low, middle)
        return make(articles=low, day=day)

    def size(self) -> int:
        """Return the number of good pages on day 0."""
        lists = sum(listing.pages for listing in self.listings.values())
        further_parts = sum(
            (parts - 1) * ((self.articles - first + PARTS_CYCLE - 1) // PARTS_CYCLE) for first, parts in PARTS.items()
        )
        return 1 + len(STATIC_PAGES) + lists + self.articles + further_parts

    # Articles

    def parts(self, number: int) -> int:
        """Return on how many pages an article is printed."""
        return PARTS.get(number % PARTS_CYCLE, 1)

    def published(self, number: int) -> datetime:
        """Return when an article appeared; later numbers are never earlier."""
        day, order = divmod(number, self.articles_per_day)
        minutes = 6 * 60 + 16 * 60 * order // self.articles_per_day
        return datetime.combine(self.start_date, time()) + timedelta(days=day, minutes=minutes)

    def template(self, number: int) -> str:
        """Return the article template: the archive kept its old one, the rest has one of two by section."""
        if number < self.archived:
            return "classic"
        return "modern" if self._section_deal.group(number) % 2 else "boxes"

    def section(self, number: int) -> tuple[Topic, Named]:
        """Return the section and sub-section of an article."""
        section, rank = self._place(number)
        return self.sections[section], self.sections[section].children[self._child_deals[section].group(rank)]

    def tag_listings(self, number: int) -> list[Listing]:
        """Return the tags of an article: up to one of its topic and up to one of its format."""
        section, rank = self._place(number)
        tag, kind = self._tag_deals[section].group(rank), self._format_deal.group(number)
        slugs = [named.slug for named in self.sections[section].tags[: self.tags][tag : tag + 1]]
        slugs += [named.slug for named in self.formats[kind : kind + 1]]
        return [self.listings[f"/tag/{slug}/"] for slug in slugs]

    def author_listing(self, number: int) -> Listing:
        """Return the list of all that the author of an article wrote, which also names the author."""
        section, rank = self._place(number)
        return self.listings[self._author(section, self._author_deals[section].group(rank))[1]]

    # Lists

    def listing(self, path: str) -> tuple[Listing, int] | None:
        """Find the list and its page that stand at a path."""
        if path in self.listings:
            return self.listings[path], 1
        match = self._list_path.fullmatch(path)
        listing = self.listings.get(match[1]) if match else None
        if match is None or listing is None or not 2 <= int(match[2]) <= listing.pages:
            return None
        return listing, int(match[2])

    def list_path(self, listing: Listing, page: int) -> str:
        """Return the path of one page of a list."""
        return listing.path if page == 1 else listing.path + self.language.next_list_page.format(page=page)

    def list_paths(self) -> Iterator[str]:
        """Iterate over all pages of all lists."""
        for listing in self.listings.values():
            for page in range(1, listing.pages + 1):
                yield self.list_path(listing, page)

    # Private

    def _deals(self, kind: str, weights: list[int]) -> list[Deal]:
        return [Deal(weights, f"{self.seed}/{kind}/{index}") for index in range(len(self.sections))]

    def _place(self, number: int) -> tuple[int, int]:
        """Return the section's index and the article's rank in it."""
        return self._section_deal.group(number), self._section_deal.rank(number)

    def _author(self, section: int, index: int) -> tuple[str, str]:
        """Return an author's name and path."""
        random = Random(f"{self.seed}/author/{section}/{index}")
        lists = self.language.words
        if self.language.code == "zh":
            name = random.choice(lists["surname"]) + random.choice(lists["given"]) + random.choice(lists["given"])
        else:
            surname = random.choice(lists["surname_head"]) + random.choice(lists["surname_tail"])
            name = f"{random.choice(lists['first'])} {surname}"
        return name, f"/author/{self.sections[section].slug}-{index + 1}/"

    def _listings(self) -> Iterator[Listing]:
        """Describe all lists of the site: a few hundred at most, whatever the number of articles."""
        labels = self.language.labels
        yield self._listing("latest", labels["latest"], "/latest/", (), self.articles, lambda rank: rank)
        for index, section in enumerate(self.sections):
            yield from self._section_listings(index, section)
        for group, kind in enumerate(self.formats):
            count = self._format_deal.count(group, self.articles)
            yield self._listing(
                "tag", kind.name, f"/tag/{kind.slug}/", (), count, partial(self._format_deal.number, group)
            )
        yield self._listing("tag", labels["empty_tag"], "/tag/unwritten/", (), 0, lambda rank: rank)

    def _section_listings(self, index: int, section: Topic) -> Iterator[Listing]:
        """Describe a section's list and those of its sub-sections, tags and authors."""
        total = self._section_deal.count(index, self.articles)
        in_section = partial(self._section_deal.number, index)
        path = f"/{section.slug}/"
        yield self._listing("section", section.name, path, (section,), total, in_section)

        def within(kind: str, name: str, path: str, trail: tuple[Named, ...], deal: Deal, group: int) -> Listing:
            def number(rank: int) -> int:
                return in_section(deal.number(group, rank))

            return self._listing(kind, name, path, trail, deal.count(group, total), number)

        for group, child in enumerate(section.children[: self.children]):
            trail = (section, child)
            yield within("child", child.name, f"{path}{child.slug}/", trail, self._child_deals[index], group)
        for group, tag in enumerate(section.tags[: self.tags]):
            yield within("tag", tag.name, f"/tag/{tag.slug}/", (), self._tag_deals[index], group)
        for group in range(self.authors):
            name, author_path = self._author(index, group)
            yield within("author", name, author_path, (), self._author_deals[index], group)

    def _listing(
        self,
        kind: str,
        name: str,
        path: str,
        trail: tuple[Named, ...],
        written: int,
        oldest: Callable[[int], int],
    ) -> Listing:
        return Listing(kind, name, path, trail, LIST_SIZES[kind], written, oldest, self.gone)
