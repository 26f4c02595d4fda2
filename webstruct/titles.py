"""Which line is the headline: one that agrees with the names by which the page is known elsewhere."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")


def folded(text: str) -> str:
    """Words only, in lower case.

    >>> folded("1.2 Input & Output ¶")
    '1 2 input output'
    """
    return " ".join(_WORD.findall(text.lower()))


def agreement(text: str, name: str) -> float:
    """How much of the longer of two folded texts the other one makes up, if it stands in it.

    >>> agreement("flood warning", "flood warning the lantern")
    0.52
    """
    if len(text) < 2 or len(name) < 2:
        return 0.0
    if text in name:
        return len(text) / len(name)
    return len(name) / len(text) if name in text else 0.0
