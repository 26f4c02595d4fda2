"""What our spiders share that crawl a site into its store: each URL of the frontier ends as a page or with a reason."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, NoReturn

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.utils.asyncio import run_in_thread
from w3lib.encoding import http_content_type_encoding

from webstruct.crawl import Fetched, SiteCrawl
from webstruct.defaults import apply_defaults
from webstruct.middlewares.addresses import PRIVATE_ADDRESS
from webstruct.middlewares.compression import CUT
from webstruct.sniff import kind_of
from webstruct.store import PageRow, StoreError
from webstruct.urls import Resolver
from webstruct.workers import CarefulParser, PageTooSlow, Worker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from webstruct.conclusion import Conclusion
    from webstruct.page import Page

logger = logging.getLogger(__name__)

PAGE_ID = "webstruct_page"
HOPS = "webstruct_hops"
FETCHED_AT = "webstruct_fetched_at"
MAX_HOPS = 5
MANY_LINKS = 1000
# A refresh within this time, on a page with fewer characters, is a redirect; a front page that reloads itself is not.
_REFRESH_SECONDS, _STUB_CHARS = 10.0, 500

# No middleware decides what an answer means: every end of a request is recorded.
_AS_IT_IS = {"handle_httpstatus_all": True, "dont_redirect": True}

_REASONS = {
    "DownloadTimeoutError": "timeout",
    "DownloadConnectionRefusedError": "connection refused",
    "CannotResolveHostError": "host not found",
    "DownloadCancelledError": "too large",
    "DownloadFailedError": "connection failed",
    "ResponseDataLossError": "response cut off",
    "UnsupportedURLSchemeError": "unsupported URL",
}


class FrontierSpider(Spider):
    """Fetches what `crawl` hands out, and tells it what became of each page."""

    crawl: SiteCrawl

    def __init__(self) -> None:
        super().__init__()
        self._parser = CarefulParser()

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Called by Scrapy before the crawl; see `defaults.py`."""
        super().update_settings(settings)
        apply_defaults(settings)

    async def start(self) -> AsyncIterator[Any]:
        """The scheduler hands out the pages."""
        return
        yield

    def request_for(self, row: PageRow) -> Request:
        """The request for a page of the frontier."""
        return self._request(row.id, row.url, hops=0)

    def _request(self, page_id: int, url: str, *, hops: int) -> Request:
        return Request(
            url,
            callback=self.parse,
            errback=self.on_failure,
            dont_filter=True,
            meta={PAGE_ID: page_id, HOPS: hops, **_AS_IT_IS},
        )

    # Responses

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """Record what became of a URL: a page, a redirect, or the reason why it is neither."""
        page_id = response.meta[PAGE_ID]
        try:
            onward = await self._record(page_id, response)
        except StoreError as error:
            self.stop(error)
        except Exception as error:
            logger.exception("Can't make anything of %s", response.url)
            self.crawl.fail(page_id, f"error: {type(error).__name__}", response.status)
            return
        if onward is not None:
            yield onward
        while self.crawl.probes:
            yield self._probe_request(self.crawl.probes.pop())

    async def _record(self, page_id: int, response: Response) -> Request | None:
        location = response.headers.get(b"Location")
        if 300 <= response.status < 400 and location:
            return self._redirect(page_id, response, location.decode("utf-8", "replace"), "redirect")
        if response.status != 200:
            self.crawl.fail(page_id, f"HTTP {response.status}", response.status)
            return None
        content_type = content_type_of(response)
        kind = kind_of(response.body, content_type)
        if kind != "page":
            self.crawl.refuse(page_id, "a feed" if kind == "feed" else "not HTML", response.status)
            return None
        try:
            page = await self._parser.parse(response.body, response.url, http_content_type_encoding(content_type))
        except PageTooSlow as error:
            self.crawl.fail(page_id, str(error), response.status)
            return None
        if target := _refresh_target(page):
            return self._redirect(page_id, response, target, "meta refresh")
        if len(page.link_urls) > MANY_LINKS:
            for _ in self.crawl.enter_links(page_id, page):
                await asyncio.sleep(0)
        self.crawl.accept(page_id, page, _fetched(response))
        return None

    def _redirect(self, page_id: int, response: Response, location: str, kind: str) -> Request | None:
        hops = response.meta[HOPS] + 1
        target = Resolver(response.url, "utf-8")(location)
        if target is None:
            self.crawl.refuse(page_id, f"{kind} to no page", response.status)
        elif hops > MAX_HOPS:
            self.crawl.fail(page_id, f"{kind} in a circle", response.status)
        elif same_page := self.crawl.redirect(page_id, target, kind=kind, status=response.status):
            return self._request(page_id, same_page, hops=hops)
        return None

    def on_failure(self, failure: Failure) -> None:
        """Record why a page could not be had."""
        page_id = failure.request.meta[PAGE_ID]  # type: ignore[attr-defined]
        error = failure.value
        try:
            if isinstance(error, IgnoreRequest):
                self._ignored(page_id, str(error))
            else:
                self.crawl.fail(page_id, _REASONS.get(type(error).__name__, type(error).__name__))
        except StoreError as store_error:
            self.stop(store_error)

    def _ignored(self, page_id: int, message: str) -> None:
        if "robots" in message:
            self.crawl.refuse(page_id, "robots.txt")
        elif PRIVATE_ADDRESS in message:
            self.crawl.refuse(page_id, PRIVATE_ADDRESS)
        else:
            self.crawl.fail(page_id, "too large" if "size" in message.lower() else message)

    def stop(self, error: StoreError) -> NoReturn:
        """End the run: without its store it can't go on."""
        self.crawler.stats.set_value("webstruct/store_error", str(error))
        logger.error("%s", error)
        raise CloseSpider("store_error")

    # Probes

    def _probe_request(self, url: str) -> Request:
        return Request(url, callback=self.parse_probe, errback=self.no_answer, dont_filter=True, meta=dict(_AS_IT_IS))

    async def parse_probe(self, response: Response) -> None:
        """An address that does not exist: a server that answers with a page shows what its soft 404s look like."""
        content_type = content_type_of(response)
        if response.status == 200 and kind_of(response.body, content_type) == "page":
            encoding = http_content_type_encoding(content_type)
            self.crawl.learn_not_found(await self._parser.parse(response.body, response.url, encoding))

    def no_answer(self, failure: Failure) -> None:
        """What is asked for besides the pages may be missing."""
        logger.info("No answer from %s: %s", failure.request.url, failure.value)  # type: ignore[attr-defined]

    def closed(self, reason: str) -> None:
        """Called by Scrapy at the very end."""
        self._parser.close()
        self.crawl.close()


async def analysis(folder: Path, *arguments: Any) -> AsyncIterator[list[Any] | Conclusion]:
    """What `results.conclude` gives, from a process of its own: its memory ends with it, and it can't stall the crawl."""
    worker = Worker()
    try:
        parts = worker.run("webstruct.results:conclude", folder, *arguments)
        while (part := await run_in_thread(next, parts, None)) is not None:
            yield part
    finally:
        worker.close()


def _refresh_target(page: Page) -> str | None:
    refresh = page.refresh()
    if refresh is None or refresh[0] > _REFRESH_SECONDS or refresh[1] == page.url:
        return None
    return refresh[1] if len(page.text()) < _STUB_CHARS else None


def content_type_of(response: Response) -> str:
    """What a server says that its answer is."""
    return (response.headers.get(b"Content-Type") or b"").decode("latin-1")


def _fetched(response: Response) -> Fetched:
    def header(name: str) -> str | None:
        value = response.headers.get(name)
        return value.decode("latin-1") if value else None

    return Fetched(
        response.url,
        response.status,
        response.body,
        header("ETag"),
        header("Last-Modified"),
        CUT in response.flags,
        response.meta.get(FETCHED_AT),
    )
