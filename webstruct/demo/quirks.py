"""Quirks of good articles: broken markup, a byte order mark, old and wrongly declared encodings.

The article is as true as any other; only its bytes are what one meets on the web.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

CYCLE = 25


def encode(html: str, number: int, language: str) -> tuple[bytes, str]:
    """Return the bytes and the content type of an article on a dirty site, quirky for some numbers."""
    quirk = QUIRKS[language].get(number % CYCLE, plain)
    return quirk(html)


def plain(html: str) -> tuple[bytes, str]:
    """Encode a page as it should be."""
    return html.encode(), "text/html; charset=utf-8"


def broken_markup(html: str) -> tuple[bytes, str]:
    """Leave out end tags, add stray ones, cross elements over, and use an id twice."""
    html = re.sub(r"</p>(?=\s*<p>)|</li>(?=<li>)", "", html)
    html = html.replace("</h1>", "</h1><a id=top></a><i><b><a id=top></a></i></b>", 1)
    return plain(html.replace("</body>", "</div></span></p>&copy 2026 & <\n</body>"))


def byte_order_mark(html: str) -> tuple[bytes, str]:
    """Begin with a BOM and leave the charset out of the header."""
    return codecs.BOM_UTF8 + html.encode(), "text/html"


def gbk_as_gb2312(html: str) -> tuple[bytes, str]:
    """Encode as GBK and declare gb2312, as most Chinese sites of the 2000s did."""
    html = html.replace(
        '<meta charset="utf-8">', '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">', 1
    )
    return html.encode("gbk", "xmlcharrefreplace"), "text/html"


def gbk_as_utf8(html: str) -> tuple[bytes, str]:
    """Encode as GBK but declare UTF-8, in the page and in the header."""
    return html.encode("gbk", "xmlcharrefreplace"), "text/html; charset=utf-8"


QUIRKS: dict[str, dict[int, Callable[[str], tuple[bytes, str]]]] = {
    "en": {3: broken_markup, 5: byte_order_mark, 17: broken_markup},
    "zh": {3: broken_markup, 5: byte_order_mark, 8: gbk_as_gb2312, 9: gbk_as_utf8, 17: broken_markup},
}
