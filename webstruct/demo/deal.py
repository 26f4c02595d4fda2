"""Dealing numbered articles to groups, invertibly: so a site of any size can be computed page by page.

Articles are dealt to sections, sub-sections, tags and authors like cards: each *deck* holds every group in
proportion to its weight and is shuffled by its own seed. So the group of article 73,912 and the 40th article
of a group are both found by looking at one deck, with no list of all articles.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Deal:
    """Deals the numbers 0, 1, 2 … to groups; a group's share is its weight.

    >>> deal = Deal([2, 1], "seed")
    >>> number = deal.number(1, 5)
    >>> deal.group(number), deal.rank(number)
    (1, 5)
    >>> deal.count(0, 300), deal.count(1, 300)
    (200, 100)
    """

    def __init__(self, weights: Sequence[int], seed: str) -> None:
        self.weights = tuple(weights)
        self.seed = seed
        self.size = sum(weights)
        self.deck = lru_cache(maxsize=64)(self._shuffled)

    def group(self, number: int) -> int:
        """Return the group that a number is dealt to."""
        turn, position = divmod(number, self.size)
        return self.deck(turn)[position]

    def rank(self, number: int) -> int:
        """Return how many earlier numbers went to the same group."""
        return self.count(self.group(number), number)

    def number(self, group: int, rank: int) -> int:
        """Return the number that its group received as its ``rank``-th, counted from 0."""
        turn, nth = divmod(rank, self.weights[group])
        positions = [position for position, card in enumerate(self.deck(turn)) if card == group]
        return turn * self.size + positions[nth]

    def count(self, group: int, total: int) -> int:
        """Return how many of the first ``total`` numbers a group received."""
        turns, rest = divmod(total, self.size)
        return turns * self.weights[group] + self.deck(turns)[:rest].count(group)

    def _shuffled(self, turn: int) -> tuple[int, ...]:
        cards = [group for group, weight in enumerate(self.weights) for _ in range(weight)]
        Random(f"{self.seed}/{turn}").shuffle(cards)
        return tuple(cards)
