"""Drift: a site has changed so much that what was learned of it no longer fits.

Every run measures for each family how well its pages, as they come in, fit what is known of it (`Fit` in `store.py`):

- *wrapper*: the share of article pages that look like their family, have its region, and give an article that is not shrunken;
- *lists*: the share of TOC pages whose entries stand where they did;
- *template*: the share of the template's tokens that are found.

A family drifts when its latest pages fit by less than half (a template, by less than 70 %). One odd page proves nothing:
the last pages are counted together, from as many runs as it takes to have a few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstruct.store import Fit

# A family is judged by at least so many pages, and fits if the mean is at least this. Any two pages of the web share some
# tokens, so a template asks for more.
MIN_PAGES = 3
LEAST_FIT = {"wrapper": 0.5, "lists": 0.5, "template": 0.7}
# An article is shrunken if it has less than this share of the characters of the shortest that is known: there are briefs.
SHRUNKEN = 0.5
# A new design is learned once there are so many article pages of it; fewer say little of what they have in common.
ENOUGH_PAGES = 5


class Alarm(NamedTuple):
    """A family that no longer fits: by which measure, how well, and by how many pages that is known."""

    family: int
    measure: str
    pages: int
    fit: float

    def __str__(self) -> str:
        return f"family {self.family}: {self.measure} fits by {self.fit:.0%} on the last {self.pages} pages"


def is_shrunken(chars: int, least_chars: int) -> bool:
    """Whether a result is empty, or much less than the least of the family's articles."""
    return chars == 0 or chars < SHRUNKEN * least_chars


def alarms(fits: Iterable[Fit], *, after_run: int = 0) -> list[Alarm]:
    """The families that drift, by what was measured since they were learned.

    Parameters
    ----------
    fits
        Of one or more measures, by run.
    after_run
        The last run whose measures are of families that were learned anew since.

    """
    series: dict[tuple[int, str], list[Fit]] = {}
    for fit in fits:
        if fit.run > after_run and fit.pages:
            series.setdefault((fit.family, fit.measure), []).append(fit)
    found = []
    for (family, measure), values in series.items():
        pages, total = 0, 0.0
        for fit in sorted(values, key=lambda fit: -fit.run):
            pages, total = pages + fit.pages, total + fit.pages * fit.value
            if pages >= MIN_PAGES:
                break
        if pages >= MIN_PAGES and total / pages < LEAST_FIT[measure]:
            found.append(Alarm(family, measure, pages, total / pages))
    return sorted(found)


def can_learn(strange_articles: int, strange_lists: int) -> bool:
    """Whether there are enough pages of a new design: of its articles if it has any yet, else of its lists."""
    return (strange_articles or strange_lists) >= ENOUGH_PAGES
