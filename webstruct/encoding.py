"""Bytes → text, as browsers read them, and a little better where a page lies about itself.

The order is the WHATWG's: byte order mark, HTTP header, `<meta>`, detection. Labels are the WHATWG's too (GB2312 and
GBK are read as GB18030, Latin-1 as windows-1252); names that are no text encodings (`idna`, `rot13`, `base64`) are
unknown labels and ignored. Two things go beyond browsers: bytes that are valid UTF-8 are read as UTF-8 whatever a page
declares, and a page that declares UTF-8 but holds something else (GBK and Big5 are common) is detected anew.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

import webencodings
from chardetng_py import EncodingDetector
from w3lib.encoding import html_body_declared_encoding

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NON_ASCII = re.compile(rb"[\x80-\xff]")
# A handful of non-ASCII bytes may be valid UTF-8 by chance (two GBK characters can be); sixteen are not.
_ENOUGH_TO_TRUST_UTF8 = 16
# A declared encoding is kept while at most this share of the non-ASCII bytes is wrong: real pages have a few bad bytes.
_TOLERATED_ERRORS = 0.05
_DETECTION_BYTES = 1 << 16
_META_BYTES = 1024
_META_UTF8 = re.compile(rb"<meta[^>]{0,100}?charset=[\"']?utf-8", re.IGNORECASE)


class Decoded(NamedTuple):
    """Text with the name of the codec that gave it and the share of characters that could not be read."""

    text: str
    encoding: str
    undecodable: float


def decode(body: bytes, header_label: str | None = None) -> Decoded:
    r"""Read the bytes of an HTML page; never fails.

    >>> decode('<meta charset=utf-8><p>中国公路网要闻'.encode('gbk') * 5).encoding
    'gb18030'
    >>> decode(b'<p>caf\xc3\xa9', 'rot13').text
    '<p>café'
    """
    for mark, name in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return _replacing(body[len(mark) :], name)
    utf8 = _strict(body, "utf-8")
    # Every character beyond ASCII makes the bytes one to three longer than the text.
    if utf8 is not None and len(body) - len(utf8) >= _ENOUGH_TO_TRUST_UTF8:
        return Decoded(utf8, "utf-8", 0.0)
    if utf8 is not None and not header_label and _META_UTF8.search(body, 0, _META_BYTES):
        return Decoded(utf8, "utf-8", 0.0)  # what most pages say, told without a whole look at their head
    declared = _declared(body, header_label)
    if declared.startswith("utf-16"):
        return _replacing(body, declared)
    if utf8 is not None and declared in ("", "utf-8"):
        return Decoded(utf8, "utf-8", 0.0)
    if declared:
        text = _strict(body, declared)
        if text is not None:
            return Decoded(text, declared, 0.0)
        attempt = _replacing(body, declared)
        if attempt.text.count("�") <= _TOLERATED_ERRORS * _count_non_ascii(body):
            return attempt
    return _replacing(body, _detected(body))


def _declared(body: bytes, header_label: str | None) -> str:
    """Codec named by the HTTP header, else by the page itself; empty if neither names a text encoding."""
    for label in (header_label, html_body_declared_encoding(body)):
        codec = _codec(label) if label else ""
        if not codec:
            continue
        # An ASCII-compatible page can't be UTF-16, whatever it says: it was readable enough to declare it.
        return "utf-8" if codec.startswith("utf-16") and b"\x00" not in body[:1024] else codec
    return "utf-16-le" if body[:1] == b"<" and body[1:2] == b"\x00" else ""


def _detected(body: bytes) -> str:
    """What a browser's detector makes of the bytes around the first ones that are not ASCII."""
    first = _NON_ASCII.search(body)
    start = max(0, first.start() - 256) if first else 0
    detector = EncodingDetector()
    detector.feed(body[start : start + _DETECTION_BYTES], last=True)
    return _codec(detector.guess(tld=None, allow_utf8=True)) or "utf-8"


def _codec(label: str) -> str:
    """Python's codec for a WHATWG label; empty for an unknown one and for `x-user-defined`, which is no text."""
    known = webencodings.lookup(label)
    if known is None or known.name == "x-user-defined":
        return ""
    return "gb18030" if known.name == "gbk" else str(known.codec_info.name)


def _count_non_ascii(body: bytes) -> int:
    return len(_NON_ASCII.findall(body))


def _strict(body: bytes, codec: str) -> str | None:
    try:
        return body.decode(codec)
    except UnicodeDecodeError:
        return None


def _replacing(body: bytes, codec: str) -> Decoded:
    text = body.decode(codec, "replace")
    return Decoded(text, codec, text.count("�") / max(1, len(text)))
