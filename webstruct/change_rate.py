"""How often a page changes, when it should be looked at again, and what a look is worth.

Changes are taken for a Poisson process (Cho & Garcia-Molina, "Estimating frequency of change", ACM TOIT 3(3), 2003). A
look tells whether a page changed since the look before, not how often; so after an interval ``I`` it has changed with
probability ``1 − e^(−λI)``, and the likelihood of all looks is greatest where

    Σ over looks with a change of  I / (e^(λI) − 1)   =   Σ over looks without one of  I

(their §5). Of a page that changed at every look, or at none, this knows nothing but ∞ or 0. So half a look with and half
a look without a change, one usual interval apart, are added to all pages: their smoothed estimator (§4.2), which for
equal intervals is the closed form ``λ = ln((n + 1) / (unchanged + ½)) / I``.
"""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

# Days. A page of which nothing is known is taken to change as likely as not within this time.
USUAL_INTERVAL = 1.0
_PRIOR_LOOKS = 0.5
# A page is due once it has changed with this probability; below a half, so that a daily run never comes minutes early.
DUE_PROBABILITY = 0.4
# However seldom it changes, a page is looked at once in so many days.
LONGEST_WAIT = 30.0
_SECONDS_A_DAY = 86400.0
_STEPS = 60


class Look(NamedTuple):
    """Days since the look before, and whether the page had changed."""

    days: float
    changed: bool


def days_between(earlier: str, later: str) -> float:
    """Days from one ISO 8601 time to another; 0 if a clock was set back.

    >>> days_between("2026-01-01T00:00:00+00:00", "2026-01-02T12:00:00+00:00")
    1.5
    """
    seconds = (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
    return max(0.0, seconds / _SECONDS_A_DAY)


def change_rate(looks: Sequence[Look]) -> float:
    """Changes a day.

    >>> round(change_rate([]), 4), round(change_rate([Look(1.0, True)] * 3 + [Look(1.0, False)]), 4)
    (0.6931, 1.204)
    """
    changed = [(max(look.days, 1 / _SECONDS_A_DAY), 1.0) for look in looks if look.changed]
    changed.append((USUAL_INTERVAL, _PRIOR_LOOKS))
    unchanged = sum(look.days for look in looks if not look.changed) + _PRIOR_LOOKS * USUAL_INTERVAL

    def surplus(rate: float) -> float:
        return sum(weight * days / math.expm1(min(rate * days, 700.0)) for days, weight in changed) - unchanged

    # Each term is below 1 / rate, so the root is no larger than this; the sum falls as the rate grows.
    low, high = 0.0, sum(weight for _, weight in changed) / unchanged
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) > 0 else (low, middle)
    return high


def change_probability(rate: float, days: float) -> float:
    """How likely a page has changed after so many days."""
    return -math.expm1(-rate * days)


def wait(rate: float) -> float:
    """Days until a page is due.

    >>> round(wait(change_rate([])), 3), wait(0.001)
    (0.737, 30.0)
    """
    return min(LONGEST_WAIT, -math.log1p(-DUE_PROBABILITY) / rate)


def value(rate: float, days: float, found: Sequence[int]) -> float:
    """The number of new articles that a look will bring, as far as looks at changes brought some before (`found`).

    Smoothed by one look that brought one article: a page not looked at yet is worth trying.
    """
    return change_probability(rate, days) * (sum(found) + 1.0) / (len(found) + 1.0)
