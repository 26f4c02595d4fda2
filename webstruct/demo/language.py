"""What the demo needs to know of a language: its topics, words, grammar, labels and date formats."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Named:
    """A name people read and the slug that stands for it in URLs."""

    name: str
    slug: str


@dataclass(frozen=True)
class Topic(Named):
    """One section of the newspaper with the vocabulary that only it uses."""

    children: tuple[Named, ...]
    tags: tuple[Named, ...]
    words: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Language:
    """All language-dependent data of a demo site.

    ``words`` are word lists (frequent words first), ``grammar`` maps a rule to its alternatives, in which
    ``{name}`` is a slot for another rule or a word, and ``inflections`` maps a slot such as ``nouns`` to the
    word list it draws from and the function that bends the word. ``addresses`` and ``dates`` are keyed by
    article template.
    """

    code: str
    site_name: str
    topics: tuple[Topic, ...]
    formats: tuple[Named, ...]
    words: Mapping[str, tuple[str, ...]]
    grammar: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, str]
    months: tuple[str, ...]
    dates: Mapping[str, str]
    addresses: Mapping[str, str]
    next_list_page: str
    separator: str
    pages: Mapping[str, tuple[str, ...]]
    inflections: Mapping[str, tuple[str, Callable[[str], str]]] = field(default_factory=dict)
    tidy: Callable[[str], str] = str


def words(text: str) -> tuple[str, ...]:
    """Split a block of words, as the lexicons are written.

    >>> words("one two three")
    ('one', 'two', 'three')
    """
    return tuple(text.split())


def named(text: str) -> tuple[Named, ...]:
    """Read ``Name=slug`` pairs separated by commas.

    >>> named("Sea and Air=sea-air, Rail=rail")
    (Named(name='Sea and Air', slug='sea-air'), Named(name='Rail', slug='rail'))
    """
    pairs = (item.strip().split("=") for item in text.split(","))
    return tuple(Named(name, slug) for name, slug in pairs)


def topic(name: str, slug: str, *, children: str, tags: str, **vocabulary: str) -> Topic:
    """Write a topic as plain text: children and tags as for `named`, one block of words per kind."""
    lists = {kind: words(text) for kind, text in vocabulary.items()}
    return Topic(name, slug, named(children), named(tags), lists)
