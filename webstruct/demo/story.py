"""The newsroom: it writes any article from its number alone."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

from webstruct.demo.plan import FIRST_IDENTIFIER, Listing, Plan
from webstruct.demo.prose import Prose

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from webstruct.demo.language import Named, Topic

OUTSIDE_HOSTS = (
    "https://statistics.example.org/",
    "https://www.wire-agency.example.com/",
    "http://blog.example.net/",
)


@dataclass(frozen=True)
class Span:
    """A run of text in a paragraph, perhaps a link."""

    text: str
    href: str | None = None


@dataclass(frozen=True)
class Block:
    """One block of an article's body; its rows are lines of spans (in a table, one span per cell)."""

    kind: str
    rows: tuple[tuple[Span, ...], ...]

    @property
    def text(self) -> str:
        """The text that belongs to the article: none for figures, advertisements and promotions."""
        if self.kind in ("figure", "advertisement", "promotion"):
            return ""
        glue = " " if self.kind == "table" else ""
        return "\n".join(glue.join(span.text for span in row) for row in self.rows)


@dataclass(frozen=True)
class Comment:
    """What a reader wrote below an article."""

    name: str
    text: str


@dataclass(frozen=True)
class Card:
    """What lists and links show of an article."""

    number: int
    headline: str
    teaser: str
    published: datetime
    section: Topic
    child: Named
    author: Listing
    tags: tuple[Listing, ...]
    template: str
    part_paths: tuple[str, ...]

    @property
    def identifier(self) -> int:
        """The number that readers and URLs show."""
        return self.number + FIRST_IDENTIFIER

    @property
    def path(self) -> str:
        """The address of the article, or of its first page."""
        return self.part_paths[0]


@dataclass(frozen=True)
class Story:
    """An article in full: its card, the blocks of each of its pages, and what stands around them."""

    card: Card
    parts: tuple[tuple[Block, ...], ...]
    biography: str
    related: tuple[Card, ...]
    comments: tuple[Comment, ...]


class Newsroom:
    """Writes cards and stories, each from ``(seed, number)``; only the latest cards are kept in memory."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.language = plan.language
        self.card = lru_cache(maxsize=1024)(self._card)

    def random(self, *key: object) -> Random:
        """Return a generator of its own for anything that must be the same each time."""
        return Random("/".join(str(part) for part in (self.plan.seed, self.language.code, *key)))

    def find(self, path: str) -> tuple[Card, int] | None:
        """Find the article and its part (from 0) that stand at a path."""
        match = re.search(r"(\d{4,9})(?:_\d)?(?:\.\w+)?$", path)
        number = int(match[1]) - FIRST_IDENTIFIER if match else -1
        if not 0 <= number < self.plan.articles:
            return None
        card = self.card(number)
        return (card, card.part_paths.index(path)) if path in card.part_paths else None

    def most_read(self) -> list[Card]:
        """Return the most-read articles: the same on every page of the site, and every day."""
        return [self.card(number) for number in self.plan.most_read]

    def story(self, number: int) -> Story:
        """Write an article in full."""
        card = self.card(number)
        random = self.random("story", number)
        prose = Prose(self.language, card.section, random)
        author = Prose(self.language, card.section, self.random("biography", card.author.path))
        return Story(
            card=card,
            parts=tuple(self._blocks(card, prose, part) for part in range(len(card.part_paths))),
            biography=author.say("biography"),
            related=tuple(self.card(other) for other in self._related(number, random)),
            comments=tuple(self._comments(prose)) if random.random() < 0.25 else (),
        )

    def _card(self, number: int) -> Card:
        section, child = self.plan.section(number)
        # The story's generator chooses the cast, so that headline and body speak of the same people.
        prose = Prose(self.language, section, self.random("story", number))
        prose.random = self.random("card", number)
        headline = prose.say("headline")
        template = self.plan.template(number)
        published = self.plan.published(number)
        parts = self.plan.parts(number)
        address = self.language.addresses[template]
        paths = tuple(
            address.format(
                section=section.slug,
                child=child.slug,
                year=published.year,
                number=published.month,
                day=published.day,
                slug=slug(headline),
                identifier=number + FIRST_IDENTIFIER,
                part=f"_{part}" if part > 1 else "",
            )
            for part in range(1, parts + 1)
        )
        return Card(
            number=number,
            headline=headline,
            teaser=self._teaser(number, prose),
            published=published,
            section=section,
            child=child,
            author=self.plan.author_listing(number),
            tags=tuple(self.plan.tag_listings(number)),
            template=template,
            part_paths=paths,
        )

    def _teaser(self, number: int, prose: Prose) -> str:
        """Write the first paragraph, which lists show too; a correction writes it anew."""
        teaser = prose.paragraph(prose.random.randint(1, 2))
        return self._correction(prose, number) if number in self.plan.corrected_teasers else teaser

    def _blocks(self, card: Card, prose: Prose, part: int) -> tuple[Block, ...]:
        """Write one page of an article; a correction writes a later paragraph of the first page anew."""
        blocks = list(self._body(card, prose, part))
        if part == 0 and card.number in self.plan.corrected_bodies:
            paragraphs = [place for place, block in enumerate(blocks) if block.kind == "paragraph"]
            blocks[paragraphs[2]] = block("paragraph", self._correction(prose, card.number))
        return tuple(blocks)

    def _correction(self, prose: Prose, number: int) -> str:
        """Write a paragraph with the people of a text but a generator of its own, which disturbs no other text."""
        corrected = copy(prose)
        corrected.random = self.random("correction", number)
        return corrected.paragraph(2)

    def _body(self, card: Card, prose: Prose, part: int) -> Iterator[Block]:
        """Write the blocks of one page of an article: prose in the main, now and then something else."""
        random = prose.random
        if part == 0:
            yield block("paragraph", card.teaser)
            yield block("figure", prose.say("caption"))
        extras = random.sample(("list", "quote", "table", "figure", "promotion", "advertisement", "code"), 3)
        for index in range(random.choice((3, 4, 5, 6, 7, 8, 10, 12, 15))):
            if index > 1 and random.random() < 0.2:
                yield block("heading", prose.say("subheading"))
            yield self._paragraph(card, prose)
            if extras and index and random.random() < 0.3:
                yield from self._extra(extras.pop(), card, prose)

    def _paragraph(self, card: Card, prose: Prose) -> Block:
        """Write a paragraph, one in five with a link to another article or to an outside host."""
        random = prose.random
        text = prose.paragraph(random.choice((1, 1, 2, 2, 3, 3, 4, 5, 6)))
        lot = random.random()
        gap = self.language.separator
        if lot < 0.12 and card.number:
            other = self.card(random.randrange(max(0, card.number - 200), card.number))
            link = Span(other.headline, other.path)
            return Block(
                "paragraph",
                ((Span(f"{text}{gap}{prose.say('reference')}{gap}"), link, Span("。" if not gap else ".")),),
            )
        if lot < 0.2:
            host = random.choice(OUTSIDE_HOSTS)
            link = Span(host.split("/")[2], f"{host}{card.section.slug}/{random.randrange(10**6)}")
            return Block(
                "paragraph",
                ((Span(f"{text}{gap}{prose.say('source')} "), link, Span("。" if not gap else ".")),),
            )
        return block("paragraph", text)

    def _extra(self, kind: str, card: Card, prose: Prose) -> Iterator[Block]:
        random = prose.random
        labels = self.language.labels
        if kind == "list":
            yield block("list", *(prose.say("item") for _ in range(random.randint(3, 6))))
        elif kind == "quote":
            yield block("quote", prose.paragraph(random.randint(1, 2)))
        elif kind == "table":
            yield table(prose)
        elif kind == "figure":
            yield block("figure", prose.say("caption"))
        elif kind == "advertisement":
            yield block("advertisement", labels["advertisement_text"])
        elif kind == "promotion":
            other = self.card((card.number * 7 + 3) % self.plan.calendar.first_evening(card.number))
            yield Block("promotion", ((Span(other.headline, other.path),),))
        elif kind == "code" and card.section.slug in ("science", "keji"):
            yield code(prose)

    def _comments(self, prose: Prose) -> Iterator[Comment]:
        random = prose.random
        for _ in range(random.randint(2, 6)):
            name = f"{self.language.labels['anonymous']} {random.randrange(1000, 9999)}"
            text = f"{prose.say('comment')}{self.language.separator}{prose.paragraph(random.randint(1, 2))}"
            yield Comment(name, text)

    def _related(self, number: int, random: Random) -> list[int]:
        """Choose 3 to 6 other articles that there were when this one appeared, not too far away in time."""
        near = range(max(0, number - 150), min(self.plan.calendar.first_evening(number), number + 150))
        chosen = random.sample(near, min(len(near), random.randint(4, 7)))
        return [other for other in chosen if other != number][:6]


def block(kind: str, *lines: str) -> Block:
    """Make a block of plain lines."""
    return Block(kind, tuple((Span(line),) for line in lines))


def table(prose: Prose) -> Block:
    """Make a table of a few rows: a name and two figures."""
    random = prose.random
    head = (Span(prose.say("column")), Span("2025"), Span("2026"))
    rows = (
        (Span(prose.say("place")), Span(str(random.randrange(900))), Span(str(random.randrange(900)))) for _ in range(4)
    )
    return Block("table", (head, *rows))


def code(prose: Prose) -> Block:
    """Make a few lines of a programme."""
    first, second = prose.random.sample(("sample", "signal", "orbit", "sensor", "frame", "pulse"), 2)
    limit = prose.random.randrange(10, 99)
    return block(
        "code",
        f"def {first}({second}s):",
        f"    kept = [{second} for {second} in {second}s if {second} > {limit}]",
        "    return sum(kept) / len(kept)",
    )


def slug(headline: str) -> str:
    """Make the part of a URL that repeats the headline.

    >>> slug("“Old” bridges: why?")
    'old-bridges-why'
    """
    return "-".join(re.findall(r"[a-z0-9]+", headline.lower())[:8])
