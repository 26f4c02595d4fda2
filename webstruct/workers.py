"""Parsing that can't stall a crawl: what could take long is done in a process that can be killed.

The parser's known weak spots are capped before the parse (see `page.py`). What is left are very large pages and tags with
thousands of quoted values that hide their own end; a linear look at the bytes finds both, and a worker process with a time
limit takes them. At about two milliseconds, all other pages are cheaper to parse here than to send elsewhere.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures import TimeoutError as FutureTimeoutError

from pebble import ProcessExpired, ProcessPool

from webstruct.errors import WebstructError
from webstruct.page import Page

LARGE_BYTES = 1_000_000
MANY_QUOTED_TAGS = 500
SECONDS = 5.0


class PageTooSlow(WebstructError):
    """A page took too long to parse, or more memory than there is."""


def is_suspicious(body: bytes) -> bool:
    """Whether a page might take longer than a moment."""
    return len(body) > LARGE_BYTES or body.count(b'"<') + body.count(b"'<") > MANY_QUOTED_TAGS


class CarefulParser:
    """Parses pages for an asynchronous caller; `close` it when done."""

    def __init__(self) -> None:
        self._pool: ProcessPool | None = None

    async def parse(self, body: bytes, url: str, encoding: str | None) -> Page:
        """The page, parsed; raises `PageTooSlow`."""
        if not is_suspicious(body):
            return Page.parse(body, url, encoding)
        if self._pool is None:
            self._pool = ProcessPool(max_workers=1, context=multiprocessing.get_context("spawn"))
        future = self._pool.schedule(_parse_packed, args=[body, url, encoding], timeout=SECONDS)
        try:
            return Page.unpack(await asyncio.wrap_future(future))
        except (FutureTimeoutError, ProcessExpired) as error:
            raise PageTooSlow(f"took longer than {SECONDS:g} seconds to parse") from error

    def close(self) -> None:
        """End the worker, if there is one."""
        if self._pool is not None:
            self._pool.stop()  # type: ignore[no-untyped-call]
            self._pool.join()


def _parse_packed(body: bytes, url: str, encoding: str | None) -> bytes:
    return Page.parse(body, url, encoding).pack()
