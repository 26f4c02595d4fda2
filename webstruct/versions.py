"""Two versions of an article → what changed: fields, and the paragraphs that came and went."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

FIELDS = ("title", "date", "author", "text")
# Of a rewritten article so many paragraphs, and so much of each, are enough to see what happened.
SHOWN_PARAGRAPHS, SHOWN_CHARS = 20, 300


def changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    r"""What differs by field: the old and the new value, and for the text its removed and added paragraphs.

    White space is no difference: another design may set the same words otherwise.

    >>> changes({"title": "A", "text": "One.\nTwo."}, {"title": "A", "text": "One.\nThree."})
    {'text': {'removed': ['Two.'], 'added': ['Three.']}}
    """
    found: dict[str, Any] = {}
    for name in FIELDS:
        old, new = before.get(name), after.get(name)
        if name == "text":
            removed, added = _paragraphs_that_differ(old or "", new or "")
            if removed or added:
                found[name] = {"removed": removed, "added": added}
        elif _folded(old) != _folded(new):
            found[name] = [old, new]
    return found


def _paragraphs_that_differ(old: str, new: str) -> tuple[list[str], list[str]]:
    before, after = ([line for part in text.splitlines() if (line := _folded(part))] for text in (old, new))
    removed: list[str] = []
    added: list[str] = []
    for kind, begin, end, new_begin, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            removed += before[begin:end]
            added += after[new_begin:new_end]
    return _shown(removed), _shown(added)


def _folded(value: str | None) -> str:
    return " ".join((value or "").split())


def _shown(paragraphs: list[str]) -> list[str]:
    return [text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…" for text in paragraphs[:SHOWN_PARAGRAPHS]]
