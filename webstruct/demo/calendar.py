"""What happens to the newspaper from day to day: articles appear, are corrected and vanish.

Day 0 is the site as it was founded. Articles are known by their number here (see `webstruct.demo.plan`); an
article is corrected or vanishes at most once, and never on the day it appears.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

REDESIGN_DAY = 6
CORRECTED_WITHIN_DAYS = 8
VANISHED_WITHIN_DAYS = 40


@dataclass(frozen=True)
class Events:
    """The events of one day, by article number; lists show the correction of a teaser, not that of a body."""

    new: range
    corrected_teasers: tuple[int, ...] = ()
    corrected_bodies: tuple[int, ...] = ()
    vanished: tuple[int, ...] = ()


class Calendar:
    """Tells the events of any day, the same for the same arguments.

    Parameters
    ----------
    founded
        The number of articles on day 0.
    per_day
        How many articles appear each day.
    seed
        Decides which articles are corrected and vanish.
    kept
        Articles that never vanish, because every page links to them.

    Examples
    --------
    >>> calendar = Calendar(30, 3, "seed", kept=frozenset())
    >>> calendar.articles(2), calendar.events(2).new
    (36, range(33, 36))
    >>> [len(calendar.events(day).vanished) for day in range(4)]
    [0, 1, 1, 1]

    """

    def __init__(self, founded: int, per_day: int, seed: str, kept: frozenset[int]) -> None:
        self.founded = founded
        self.per_day = per_day
        self._seed = seed
        self._kept = kept
        self._touched: set[int] = set()
        self._events = [Events(range(founded, founded))]

    def articles(self, day: int) -> int:
        """Return how many articles were ever written until the evening of a day."""
        return self.founded + day * self.per_day

    def first_evening(self, number: int) -> int:
        """Return how many articles there were in the evening of the day that an article appeared."""
        return self.articles(max(0, -(-(number + 1 - self.founded) // self.per_day)))

    def events(self, day: int) -> Events:
        """Return what happens on a day."""
        while len(self._events) <= day:
            self._events.append(self._next_day(len(self._events)))
        return self._events[day]

    def until(self, day: int) -> Events:
        """Return everything that happened from day 1 to a day."""
        days = [self.events(past) for past in range(day + 1)]
        return Events(
            range(self.founded, self.articles(day)),
            tuple(number for events in days for number in events.corrected_teasers),
            tuple(number for events in days for number in events.corrected_bodies),
            tuple(number for events in days for number in events.vanished),
        )

    def _next_day(self, day: int) -> Events:
        random = Random(f"{self._seed}/day/{day}")
        teasers = self._choose(random, day, 1 + self.per_day // 50, CORRECTED_WITHIN_DAYS)
        bodies = self._choose(random, day, 1 + self.per_day // 50, CORRECTED_WITHIN_DAYS)
        vanished = self._choose(random, day, 1 + self.per_day // 50, VANISHED_WITHIN_DAYS, but=self._kept)
        return Events(range(self.articles(day - 1), self.articles(day)), teasers, bodies, vanished)

    def _choose(
        self, random: Random, day: int, count: int, within_days: int, but: frozenset[int] = frozenset()
    ) -> tuple[int, ...]:
        """Choose articles of the last days to which nothing has happened; yesterday's alone are enough of them."""
        written = self.articles(day - 1)
        recent = range(max(0, written - within_days * self.per_day), written)
        untouched = [number for number in recent if number not in self._touched and number not in but]
        chosen = random.sample(untouched, count)
        self._touched.update(chosen)
        return tuple(chosen)
