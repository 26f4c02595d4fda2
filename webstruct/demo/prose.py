"""A small grammar that writes prose with the statistics of a newspaper.

Words are drawn by Zipf's law from ranked lists; a text has its own *cast* (people, places and nouns that it
keeps coming back to), so that some terms are many times in one article and nowhere else, as in real news.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from webstruct.demo.language import Language, Topic

CAST_SIZES = {"person": 3, "place": 2, "noun": 6}
CAST_SHARE = 0.5
TOPIC_SHARE = 0.6


class Prose:
    """Writes one text about one topic; the same random generator gives the same text."""

    def __init__(self, language: Language, topic: Topic, random: Random) -> None:
        self.language = language
        self.topic = topic
        self.random = random
        self.cast: dict[str, list[str]] = {}
        self.cast = {
            "person": [self._expand("person") for _ in range(CAST_SIZES["person"])],
            "place": [self._expand("place") for _ in range(CAST_SIZES["place"])],
            "noun": random.sample(topic.words["noun"], CAST_SIZES["noun"]),
        }

    def say(self, rule: str) -> str:
        """Write one phrase or sentence after a rule of the language's grammar."""
        return self.language.tidy(self._expand(rule))

    def paragraph(self, sentences: int) -> str:
        """Write a paragraph of so many sentences."""
        return self.language.separator.join(self.say("sentence") for _ in range(sentences))

    def _expand(self, slot: str) -> str:
        """Fill a slot: from the cast, by bending a word, by a rule, or from a word list."""
        if slot in self.cast and self.random.random() < CAST_SHARE:
            return self.random.choice(self.cast[slot])
        if slot in self.language.inflections:
            base, bend = self.language.inflections[slot]
            return bend(self._expand(base))
        if slot in self.language.grammar:
            pieces = _pieces(self.random.choice(self.language.grammar[slot]))
            return "".join(self._expand(piece) if is_slot else piece for is_slot, piece in pieces)
        return self._word(slot)

    def _word(self, kind: str) -> str:
        """Draw a word of a kind, more often from the topic's own vocabulary than from the general one."""
        own = self.topic.words.get(kind)
        general = self.language.words[kind]
        word = zipf(own if own and self.random.random() < TOPIC_SHARE else general, self.random)
        return word.replace("-", " ") if kind in ("verb", "role") else word


def zipf(ranked: Sequence[str], random: Random) -> str:
    """Draw from a ranked list: rank r comes with probability log(1 + 1/r) / log(n + 1), that is about 1/r."""
    return ranked[int((len(ranked) + 1) ** random.random()) - 1]


@lru_cache(maxsize=4096)
def _pieces(template: str) -> tuple[tuple[bool, str], ...]:
    """Cut ``a {noun} of`` into literal text and slots, once per template."""
    parts = re.split(r"\{(\w+)\}", template)
    return tuple((index % 2 == 1, part) for index, part in enumerate(parts) if part)
