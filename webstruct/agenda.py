"""What a focused crawl looks at again, and in which order: TOC pages by their rates of change, articles by their age."""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from webstruct.change_rate import LONGEST_WAIT, Look, change_rate, days_between, value, wait

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from webstruct.history import Check
    from webstruct.store import PageRow

# The share of requests, over those for TOC pages and new articles, that may go to articles that are known.
ALLOWANCE = 0.05
# An article is worth a look of its own from this value on: after half a day for a new one, after days for older ones.
WORTH_A_LOOK = 0.01


class Due(NamedTuple):
    """A TOC page that should be looked at, and the number of new articles that this is expected to bring."""

    value: float
    page: int


def due_lists(
    rows: Iterable[PageRow],
    checks: Mapping[int, Sequence[Check]],
    now: str,
    *,
    continued: Container[str] = (),
    everything: bool = False,
) -> list[Due]:
    """The TOC pages that are due, as a heap with the most valuable first (its values negative).

    A page that only carries a list on (its key is in `continued`) shows what was on the page before it: it is followed
    when needed, and looked at for its own sake only once in a long while.
    """
    due = []
    for row in rows:
        looks = checks.get(row.id, ())
        rate = change_rate(_intervals(looks))
        days = days_between(_last_look(row, looks), now)
        if everything or days >= (LONGEST_WAIT if row.key in continued else wait(rate)):
            due.append(Due(-value(rate, days, [look.found for look in looks if look.changed]), row.id))
    heapq.heapify(due)
    return due


def articles_by_value(
    rows: Iterable[PageRow], checks: Mapping[int, Sequence[Check]], now: str, *, everything: bool = False
) -> list[int]:
    """Known articles worth a look, the most valuable first.

    Corrections come soon after an article does. With a hazard that falls as the square of an article's age (in days, plus
    one), the expected number of changes between two ages is ``1 / (1 + before) − 1 / (1 + now)``, and what a change is
    worth to a reader falls with the age as well. Of equals, those nearer to the start page come first: news are.
    """
    scored = []
    for row in rows:
        looks = checks.get(row.id, ())
        first = min([row.fetched_at or now, *(look.at for look in looks[:1])])
        age, before = days_between(first, now), days_between(first, _last_look(row, looks))
        worth = (1 / (1 + before) - 1 / (1 + age)) / (1 + age)
        if everything or worth >= WORTH_A_LOOK:
            scored.append((-worth, row.depth, row.id))
    return [page for *_, page in sorted(scored)]


def allowed(requests: int) -> int:
    """How many looks at known articles go with so many requests for TOC pages and new articles.

    >>> allowed(19), allowed(40)
    (0, 2)
    """
    return int(ALLOWANCE * requests)


def _last_look(row: PageRow, looks: Sequence[Check]) -> str:
    return max([row.fetched_at or "", *(look.at for look in looks[-1:])])


def _intervals(looks: Sequence[Check]) -> list[Look]:
    """Each look with the time since the one before; the first of them is the one by which the page was first stored."""
    return [Look(days_between(earlier.at, later.at), later.changed) for earlier, later in pairwise(looks)]
