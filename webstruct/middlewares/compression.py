"""Compressed bodies: whole or marked as cut, and not wrapped a thousand times.

Scrapy takes what it can get out of a compressed body, so that one cut in the middle looks like a good page.
"""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

import brotli
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request

CUT = "cut"
MAX_LAYERS = 2


class WholeBodyMiddleware(HttpCompressionMiddleware):
    """Decompresses as Scrapy does, and flags a response whose compressed body has no end as `CUT`."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Decompress a response."""
        layers = b",".join(response.headers.getlist("Content-Encoding")).lower().split(b",")
        if len(layers) > MAX_LAYERS:
            raise IgnoreRequest(f"compressed more than {MAX_LAYERS} times")
        decoded = super().process_response(request, response)
        if isinstance(decoded, Response) and is_cut(response.body, layers[-1].strip(), len(decoded.body)):
            return decoded.replace(flags=[*decoded.flags, CUT])
        return decoded


def is_cut(body: bytes, encoding: bytes, size: int) -> bool:
    """Whether a compressed body, of which `size` bytes came out, ends before its end."""
    if encoding in (b"gzip", b"x-gzip") and int.from_bytes(body[-4:], "little") == size:
        return False  # the last bytes of a whole gzip body are its size: no need to read it again
    lacks_end = _LACKS_END.get(encoding)
    try:
        return lacks_end is not None and lacks_end(body)
    except (OSError, zlib.error, brotli.error):  # not even compressed
        return False


def _gzip_lacks_end(body: bytes) -> bool:
    try:
        gzip.decompress(body)
    except EOFError:
        return True
    return False


def _deflate_lacks_end(body: bytes) -> bool:
    has_header = body[:1] == b"\x78"
    stream = zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
    stream.decompress(body)
    return not stream.eof


def _brotli_lacks_end(body: bytes) -> bool:
    stream = brotli.Decompressor()
    stream.process(body)
    return not stream.is_finished()


_LACKS_END: dict[bytes, Callable[[bytes], bool]] = {
    b"gzip": _gzip_lacks_end,
    b"x-gzip": _gzip_lacks_end,
    b"deflate": _deflate_lacks_end,
    b"br": _brotli_lacks_end,
}
