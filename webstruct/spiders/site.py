"""Crawl one site, as far as its scope and limits allow, and deliver its structure and articles at the end."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, NoReturn

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.utils.sitemap import Sitemap
from w3lib.encoding import http_content_type_encoding

from webstruct.arguments import CrawlArguments
from webstruct.config import Config
from webstruct.crawl import Fetched, SiteCrawl
from webstruct.defaults import add_feeds, apply_defaults
from webstruct.middlewares.addresses import PRIVATE_ADDRESS
from webstruct.middlewares.compression import CUT
from webstruct.sniff import kind_of
from webstruct.store import PageRow, StoreError
from webstruct.terms import load_models
from webstruct.urls import Resolver
from webstruct.workers import CarefulParser, PageTooSlow

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from webstruct.page import Page

logger = logging.getLogger(__name__)

PAGE_ID = "webstruct_page"
HOPS = "webstruct_hops"
FETCHED_AT = "webstruct_fetched_at"
MAX_HOPS = 5
MAX_SITEMAPS = 1000
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


class SiteSpider(Spider):
    """Learns a site from its address. Arguments: url, out, depth, max_pages, paths, subdomains, sitemap."""

    name = "site"

    def __init__(self, **arguments: Any) -> None:
        super().__init__()
        self.arguments = CrawlArguments.parse(arguments)
        self.start_url = self.arguments.url
        self.out = str(self.arguments.out)  # named in FEEDS
        self._parser = CarefulParser()
        self._sitemaps = 0
        self.crawl: SiteCrawl

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Called by Scrapy; opens the store, so that a locked or damaged one ends the run before any request.

        Models are loaded here, too, where no request waits for an answer.
        """
        spider = super().from_crawler(crawler, *args, **kwargs)
        Config.read(crawler.settings)  # a wrong setting ends the run here, with a sentence
        add_feeds(crawler.settings)
        load_models()
        arguments = spider.arguments
        spider.crawl = SiteCrawl.open(arguments.out, arguments.url, arguments.scope, max_pages=arguments.max_pages)
        return spider

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Called by Scrapy before the crawl; see `defaults.py`."""
        super().update_settings(settings)
        apply_defaults(settings)

    # Requests

    async def start(self) -> AsyncIterator[Any]:
        """Enter the start page; the scheduler takes it from there."""
        self.crawl.resume()
        self.crawl.find(self.start_url)
        if self.arguments.sitemap:
            yield self._sitemap_request(
                self.start_url.split("/", 3)[0] + "//" + self.start_url.split("/", 3)[2] + "/sitemap.xml"
            )

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

    # Sitemaps

    def _sitemap_request(self, url: str) -> Request:
        self._sitemaps += 1
        return Request(url, callback=self.parse_sitemap, errback=self.no_answer, dont_filter=True)

    def parse_sitemap(self, response: Response) -> Iterator[Request]:
        """Enter the URLs of a sitemap; go on to those that it lists."""
        sitemap = Sitemap(response.body)
        for entry in sitemap:
            address = entry["loc"]
            if not self.crawl.scope.contains(address):
                continue
            if sitemap.type == "sitemapindex" and self._sitemaps < MAX_SITEMAPS:
                yield self._sitemap_request(address)
            elif sitemap.type == "urlset":
                self.crawl.find(address, depth=1)

    def no_answer(self, failure: Failure) -> None:
        """What is asked for besides the pages may be missing."""
        logger.info("No answer from %s: %s", failure.request.url, failure.value)  # type: ignore[attr-defined]

    def closed(self, reason: str) -> None:
        """Called by Scrapy at the very end."""
        self._parser.close()
        self.crawl.close()


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
