"""Two versions of an article → what changed: fields, and the paragraphs that came and went."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any, NamedTuple

FIELDS = ("date", "author")  # told if headline or text changed
# Of a rewritten article so many paragraphs, and so much of each, are enough to see what happened.
SHOWN_PARAGRAPHS, SHOWN_CHARS = 20, 300


class ReadPage(NamedTuple):
    """An article as it was read, and all that its page shows."""

    article: dict[str, Any]
    shown: str


def changes(before: ReadPage, after: ReadPage) -> dict[str, Any]:
    r"""What differs by field: the old and the new value, and for the text its removed and added paragraphs.

    Nothing, unless headline or text differ: dates move without a reason. What is read from a page may differ though the
    page shows the same, because its design is new, or its wrapper: a paragraph that both pages show is no change, wherever
    it stands. Nor is white space, nor a headline that only the window's title has.

    >>> one, two = ({"title": "A", "text": text} for text in ("One.\nTwo.", "One.\nThree."))
    >>> changes(ReadPage(one, "A\nOne.\nTwo."), ReadPage(two, "A\nOne.\nThree."))
    {'text': {'removed': ['Two.'], 'added': ['Three.']}}
    """
    shown_before, shown_after = _folded(before.shown), _folded(after.shown)
    found: dict[str, Any] = {}
    old, new = before.article, after.article
    title, new_title = _folded(old["title"]), _folded(new["title"])
    both_shown = title in shown_before and new_title in shown_after
    if both_shown and not (title in shown_after and new_title in shown_before):
        found["title"] = [title, new_title]
    removed, added = _paragraphs_that_differ(old["text"], new["text"])
    removed = [text for text in removed if text not in shown_after]
    added = [text for text in added if text not in shown_before]
    if removed or added:
        found["text"] = {"removed": _shortened(removed), "added": _shortened(added)}
    if found:
        found |= {name: [old.get(name), new.get(name)] for name in FIELDS if old.get(name) != new.get(name)}
    return found


def _paragraphs_that_differ(old: str, new: str) -> tuple[list[str], list[str]]:
    before, after = ([line for part in text.splitlines() if (line := _folded(part))] for text in (old, new))
    removed: list[str] = []
    added: list[str] = []
    for kind, begin, end, new_begin, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            removed += before[begin:end]
            added += after[new_begin:new_end]
    return removed, added


def _folded(value: str | None) -> str:
    return " ".join((value or "").split())


def _shortened(paragraphs: list[str]) -> list[str]:
    return [text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…" for text in paragraphs[:SHOWN_PARAGRAPHS]]
