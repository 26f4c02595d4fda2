"""Spiders that fetch nothing: they learn a site from its store, or from archives that they read into it.

Everything behind the fetching is the `site` spider's: what becomes of an answer, the closing analysis, feeds, item
pipelines, exit codes. They have no name of their own, so that `scrapy list` does not show them; commands start them.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.http import Response

from webstruct.defaults import PROGRESS
from webstruct.middlewares.compression import WholeBodyMiddleware
from webstruct.scope import clean, key
from webstruct.sniff import kind_of
from webstruct.spiders.base import FETCHED_AT, HOPS, PAGE_ID, content_type_of
from webstruct.spiders.site import SiteSpider
from webstruct.warc import TOO_LARGE, is_same_page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from scrapy.settings import BaseSettings

    from webstruct.warc import Capture, WarcReader

# Pages of an archive that no page before them links to are taken to be one click away, as those of a sitemap are.
_UNKNOWN_DEPTH = 1


class StoredSpider(SiteSpider):
    """Runs the closing analysis on the pages in the store, without a request to the site."""

    name = ""

    def __init__(self, **arguments: Any) -> None:
        self.name = SiteSpider.name
        super().__init__(**arguments)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Called by Scrapy: the frontier is left alone, and there is no way to the network, nor progress on it."""
        super().update_settings(settings)
        settings.set("EXTENSIONS", {**settings.getdict("EXTENSIONS"), PROGRESS: None}, priority="cmdline")
        settings.set("SCHEDULER", "scrapy.core.scheduler.Scheduler", priority="spider")
        handlers = {**settings.getdict("DOWNLOAD_HANDLERS"), "http": None, "https": None}
        settings.set("DOWNLOAD_HANDLERS", handlers, priority="cmdline")

    async def start(self) -> AsyncIterator[Any]:
        """Nothing to fetch."""
        return
        yield


class ArchiveSpider(StoredSpider):
    """Reads the pages of web archives into the store as if they were fetched now, then learns the site.

    Attributes
    ----------
    outcomes
        What became of the captures: None for pages taken, else by reason.

    """

    def __init__(self, *, reader: WarcReader, report: Callable[[int, int], None], **arguments: Any) -> None:
        super().__init__(**arguments)
        self._reader = reader
        self._report = report
        self.outcomes: Counter[str | None] = Counter()

    async def start(self) -> AsyncIterator[Any]:
        """Take the start page, which is page 0 of the site, then all others."""
        self._decompression = WholeBodyMiddleware.from_crawler(self.crawler)
        try:
            first = next(filter(self._is_start, self._reader), None)
            if first is not None:
                self.outcomes[await self._take(first, 0)] += 1
            for capture in self._reader:
                if capture != first:
                    self.outcomes[await self._take(capture, _UNKNOWN_DEPTH)] += 1
                self._report(self._reader.done, self._reader.total)
                await asyncio.sleep(0)
        except CloseSpider:  # the store can't be written; the exit code tells
            return
        self.outcomes.update(self._reader.skipped)
        return
        yield

    def _is_start(self, capture: Capture) -> bool:
        return capture.is_html and is_same_page(capture.url, self.start_url)

    async def _take(self, capture: Capture, depth: int) -> str | None:
        """Record what became of a URL, at this depth unless it is known; the reason, if it is no page of the site."""
        address, store = clean(capture.url), self.crawl.store
        if not self.crawl.scope.contains(address):
            return "another site"
        known = store.page(key(address))
        if known is not None and known.state != "pending":
            return "captured more than once" if known.state == "stored" else known.reason
        try:
            response = self._response(capture)
        except IgnoreRequest as reason:
            return str(reason)
        if known is None and not _is_page(response):
            return f"HTTP {response.status}" if response.status >= 400 else "not HTML"  # an image, a script, robots.txt
        page_id = self.crawl.find(address, depth if known is None else known.depth)
        if (row := store.page(page_id)) and row.state == "pending":
            response.meta[PAGE_ID] = page_id
            async for _ in self.parse(response):
                pass  # what it asks for (another spelling of this page, a probe) is in the archive or nowhere
            row = store.page(page_id)
        assert row is not None
        if row.state == "stored":
            return None
        return row.reason or "redirect to the same page"

    def _response(self, capture: Capture) -> Response:
        """A capture as Scrapy would have received it."""
        request = Request(capture.url, meta={HOPS: 0, FETCHED_AT: capture.fetched_at})
        if capture.refers_to is not None:
            kind = {"Content-Type": capture.header("content-type")}
            return Response(request.url, capture.status, kind, self._stored_body(capture.refers_to), request=request)
        headers = {name: [value for own, value in capture.headers if own == name] for name, _ in capture.headers}
        response = Response(request.url, capture.status, headers, capture.body, request=request)
        try:
            return self._decompression.process_response(request, response)  # type: ignore[return-value]
        except IgnoreRequest as error:
            raise IgnoreRequest(TOO_LARGE if "MAXSIZE" in str(error) else str(error)) from error
        except Exception:  # an encoding is named, but an archiving tool has decoded it already
            return response

    def _stored_body(self, url: str) -> bytes:
        original = self.crawl.store.page(key(clean(url)))
        if original is None or original.state != "stored":
            raise IgnoreRequest("repeats an answer that is not in the archive")
        return self.crawl.store.body(original.id)


def _is_page(response: Response) -> bool:
    if response.status != 200:
        return 300 <= response.status < 400
    return kind_of(response.body, content_type_of(response)) == "page"
