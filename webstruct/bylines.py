"""By-lines: who wrote an article, from the short line that says so in words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LINE_CHARS = 160
MAX_NAME_CHARS = 80
MAX_NAME_WORDS = 8

# How languages begin a by-line; what stands before it in the line is parted from it. Chinese needs no parting.
_BY = re.compile(
    r"(?:^|[\s|·•,，;；)）\]】、。-])(?:(?:written |posted |published |reported )?by\b|(?:(?:publicado|escrito) )?por\b"
    r"|(?:von|par)\b|(?:authors?|autora?|auteur|автор|verfasser)\s?[:：]|作者|文(?=\s?[:：/／]))(?:是|为|為)?\s*[:：/／]?\s*"
    r"|作者\s?[:：]\s*",
    re.IGNORECASE,
)
# Chinese news name the source where there is no author.
_SOURCE = re.compile(r"(?:来源|來源|稿源)\s?[:：]\s*")
# Where a name ends: at a mark, a number, or the label of something else.
_END = re.compile(
    r"(?:[|·•<>()（）\[\]【】{}!?。;；…“”\"]|\s[-–—]+(?:\s|$)|\s\d|\d{4}|\s(?:on|at|in|am|el|le)\s|[,，](?=\s*(?:\d|$))"
    r"|(?:浏览|瀏覽|点击|點擊|阅读|閱讀|时间|時間|日期|发布|發布|编辑|編輯|来源|來源|译者|譯者)|\s\S+\s?[:：]).*",
    re.IGNORECASE,
)
_FULL_STOP = re.compile(r"(?<=\w{3})\.$")
_LETTER = re.compile(r"[^\W\d_]")


class Byline(NamedTuple):
    """A name, and the number of the line that it stands in."""

    line: int
    name: str


def byline(texts: Sequence[str], number: int) -> Byline | None:
    """The name that a line gives: in the same line, or in the next if it says no more than "by".

    >>> byline(["March 12, 2018 by Ann Lee."], 0), byline(["Written by", "Ann Lee", "Editor"], 0)
    (Byline(line=0, name='Ann Lee'), Byline(line=1, name='Ann Lee'))
    >>> byline(["2019年7月30日 | 作者 钟华 | 4500字"], 0), byline(["This is by no means a by-line, as it goes on and on"], 0)
    (Byline(line=0, name='钟华'), None)
    """
    name = _name_behind(texts[number]) if len(texts[number]) <= MAX_LINE_CHARS else None
    if name == "" and number + 1 < len(texts):
        number, name = number + 1, texts[number + 1]
    return Byline(number, name) if name and is_name(name) else None


@lru_cache(maxsize=4096)  # the lines of menus come again on all pages
def _name_behind(text: str) -> str | None:
    """What follows the words of a by-line; empty if the line ends with them."""
    found = _BY.search(text) or _SOURCE.search(text)
    if found is None:
        return None
    rest = text[found.end() :]
    return _FULL_STOP.sub("", _END.sub("", rest).strip(" ,，:：/／—–-")) or ("" if not rest else None)


def byline_at(texts: Sequence[str], number: int) -> str | None:
    """The name that stands in a line, given by the line itself or by the one before."""
    for opening in (number, number - 1):
        found = byline(texts, opening) if opening >= 0 else None
        if found is not None and found.line == number:
            return found.name
    return None


def is_name(text: str) -> bool:
    """Whether a text could be a name, or some names: short, and where words are many, not begun like a phrase.

    >>> is_name("whiteg"), is_name("no means an author"), is_name("http://example.com/ann")
    (True, False, False)
    """
    words = text.split()
    return (
        0 < len(words) <= MAX_NAME_WORDS
        and len(text) <= MAX_NAME_CHARS
        and "://" not in text
        and (len(words) < 3 or not text[0].islower())
        and _LETTER.search(text) is not None
    )
