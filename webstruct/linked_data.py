"""JSON-LD of a page → what it declares of its article (schema.org): headline, day of publication, author.

Pages declare it well or badly: with comments around it, commas too many, line ends within strings, several objects or
one graph of them. What can't be read is left out, and a page with millions of nested brackets costs no more than others.
"""

from __future__ import annotations

import html
import json
import re
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_OBJECTS = 1000
_ARTICLE_TYPE = re.compile(r"(?:Article|Posting|Report|Review)$")
_PAGE_TYPE = re.compile(r"(?:WebPage|ItemPage)$")
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_DECODER = json.JSONDecoder(strict=False)


class LinkedArticle(NamedTuple):
    """What is declared; a field that is not is empty. `by_person` tells authors from organisations."""

    headline: str = ""
    date: str = ""
    author: str = ""
    by_person: bool = False


def linked_article(texts: Sequence[str]) -> LinkedArticle:
    """The first article that JSON-LD texts declare, with what its page adds.

    >>> linked_article(['{"@type": "NewsArticle", "headline": "Flood", "author": [{"name": "Ann Lee"},]}'])
    LinkedArticle(headline='Flood', date='', author='Ann Lee', by_person=True)
    """
    if not texts:
        return LinkedArticle()
    objects = list(_objects(texts))
    named = {own["@id"]: own for own in objects if isinstance(own.get("@id"), str) and "name" in own}
    articles = [own for own in objects if _has_type(own, _ARTICLE_TYPE)]
    pages = [own for own in objects if _has_type(own, _PAGE_TYPE)]
    headline, date, author, by_person = "", "", "", False
    for own in [*articles[:1], *pages[:1]]:
        headline = headline or _text(own.get("headline"))
        date = date or _text(own.get("datePublished"))
        if not author:
            author, by_person = _author(own.get("author"), named)
    return LinkedArticle(headline, date, author, by_person)


def _objects(texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """All objects, those further out first."""
    queue: deque[Any] = deque(map(_parsed, texts))
    visited = 0
    while queue and visited < MAX_OBJECTS:
        value = queue.popleft()
        visited += 1
        if isinstance(value, dict):
            yield value
            queue.extend(inner for inner in value.values() if isinstance(inner, dict | list))
        elif isinstance(value, list):
            queue.extend(inner for inner in value if isinstance(inner, dict | list))


def _parsed(text: str) -> Any:
    """The first JSON value of a text, whatever stands around it; None if there is none."""
    begin = min((place for place in map(text.find, "{[") if place >= 0), default=-1)
    if begin < 0:
        return None
    for attempt in (text, _TRAILING_COMMA.sub("", text)):
        try:
            return _DECODER.raw_decode(attempt, begin)[0]
        except (ValueError, RecursionError):
            continue
    return None


def _has_type(own: dict[str, Any], wanted: re.Pattern[str]) -> bool:
    types = own.get("@type")
    return any(
        isinstance(name, str) and wanted.search(name) for name in (types if isinstance(types, list) else [types])
    )


def _text(value: Any) -> str:
    return " ".join(html.unescape(value).split()) if isinstance(value, str) else ""


def _author(value: Any, named: dict[str, dict[str, Any]]) -> tuple[str, bool]:
    """Names of the authors, and whether they are persons: given as text, as objects, or by the ids of such."""
    names, by_person = [], False
    for own in value if isinstance(value, list) else [value]:
        known = named.get(own.get("@id", ""), own) if isinstance(own, dict) and "name" not in own else own
        is_object = isinstance(known, dict)
        if name := _text(known.get("name") if is_object else known):
            names.append(name)
            by_person = by_person or not (is_object and known.get("@type") == "Organization")
    return ", ".join(dict.fromkeys(names)), by_person
