"""What came: a page, a feed, or something else? By its first bytes, because servers often say the wrong thing."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["page", "feed", "other"]

_PAGE_TYPES = ("", "text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_XML_TYPES = ("text/xml", "application/xml", "application/rss+xml", "application/atom+xml")
_MAGIC = (
    b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"Rar!", b"\x1f\x8b", b"7z\xbc\xaf", b"BM", b"RIFF",
    b"ID3", b"OggS", b"\x00\x00\x01\x00", b"\x7fELF", b"MZ", b"wOFF", b"{\\rtf",
)  # fmt: skip
_MARKUP = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.{0,2000}?-->\s*)*<(!doctype\s+html|html|head|body)\b", re.I | re.S
)
_FEED = re.compile(
    rb"\s*<\?xml[^>]*\?>\s*(?:<\?[^>]*\?>\s*|<!--.{0,2000}?-->\s*)*<(rss|feed|rdf:RDF|urlset|sitemapindex)\b", re.S
)


def kind_of(body: bytes, content_type: str) -> Kind:
    """Tell pages from feeds and from files that are no pages.

    >>> kind_of(b"%PDF-1.4 ...", "text/html"), kind_of(b"<!DOCTYPE html><p>x", "application/pdf"), kind_of(b"hi", "text/html")
    ('other', 'page', 'page')
    """
    start = body[:4096]
    declared = content_type.partition(";")[0].strip().lower()
    if _FEED.match(start) or (declared in _XML_TYPES and not _MARKUP.match(start)):
        return "feed"
    if start.startswith(_MAGIC):
        return "other"
    if declared in _PAGE_TYPES:
        return "other" if _is_binary(start) else "page"
    return "page" if _MARKUP.match(start) else "other"


def _is_binary(start: bytes) -> bool:
    """NUL bytes that are not those of UTF-16 text."""
    return b"\x00" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<"))
