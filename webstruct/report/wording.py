"""Text of a site as the report shows it: short, and without characters that would change how other text is shown."""

from __future__ import annotations

import re

MAX_URL = 500
MAX_TITLE = 200

# Controls, marks that turn the direction of writing, and what is no text at all; line ends may stay.
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LINE_ENDS = re.compile("[\u2028\u2029\r]")


def plain(text: str) -> str:
    r"""Text of any number of lines, with a replacement character for each that must not be shown.

    >>> plain("abc\u202edef\u2028ghi")
    'abc\ufffddef\nghi'
    """
    return _LINE_ENDS.sub("\n", _UNSHOWN.sub("\ufffd", text))


def line(text: str | None, limit: int = MAX_TITLE) -> str:
    r"""Text as one line of a limited length.

    >>> line("  Flood\n warning ", 9)
    'Flood wa…'
    """
    folded = " ".join(plain((text or "")[: 4 * limit]).split())
    return folded if len(folded) <= limit else folded[: limit - 1] + "…"


def address(url: str | None) -> str:
    """An address; one that is too long is no link any more, so it is shown with its end left out."""
    return line(url, MAX_URL)
