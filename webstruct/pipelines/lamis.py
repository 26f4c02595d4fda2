"""The closing pipeline: when the crawl is exhausted, learn the site and deliver pages and articles as items.

Scrapy has no hook for items at the end of a crawl. While the spider is still open, they can be the output of one last
request, and so pass all pipelines and feeds like any other item; when a signal or an error ends the crawl, the spider is
closing already, and they are handed to feeds and signal handlers directly.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.asyncio import run_in_thread

from webstruct import exit_codes
from webstruct.results import SiteResults

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webstruct.crawl import SiteCrawl

logger = logging.getLogger(__name__)


class LamisPipeline:
    """Runs the closing analysis of the `site` spider's crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._asked = self._delivered = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        pipeline = cls(crawler)
        crawler.signals.connect(pipeline.conclude_when_idle, signals.spider_idle)
        return pipeline

    def process_item(self, item: Any) -> Any:
        """Let items pass."""
        return item

    @property
    def _crawl(self) -> SiteCrawl:
        return self._crawler.spider.crawl  # type: ignore[union-attr, no-any-return]

    def conclude_when_idle(self) -> None:
        """Nothing is left to fetch: ask for the results, once."""
        if not self._asked:
            self._asked = True
            last = Request("data:,", callback=self.deliver, dont_filter=True)
            self._crawler.engine.crawl(last)  # type: ignore[union-attr]
            raise DontCloseSpider

    async def deliver(self, response: Response) -> AsyncIterator[Any]:
        """The results, as the output of the last request."""
        async for item in self._results(interrupted=False):
            yield item

    async def close_spider(self) -> None:
        """Called by Scrapy at the end; delivers what is there if the crawl was cut short."""
        stats = self._crawler.stats
        if stats.get_value("webstruct/store_error"):
            stats.set_value("webstruct/exit_code", exit_codes.STORE_PROBLEM)
        elif not self._delivered:
            async for item in self._results(interrupted=True):
                await self._crawler.signals.send_catch_log_async(
                    signals.item_scraped, item=item, response=None, spider=self._crawler.spider
                )

    async def _results(self, *, interrupted: bool) -> AsyncIterator[Any]:
        stats = self._crawler.stats
        try:
            self._crawl.save()
            counts = self._crawl.counts
            results = SiteResults(
                Path(self._crawler.spider.out),  # type: ignore[union-attr]
                complete=not interrupted and counts.pending == 0,
            )
            batches = results.batches()
            while batch := await run_in_thread(next, batches, None):
                for item in batch:
                    yield item
            self._crawl.store.assign(results.decisions)
            self._crawl.store.save_families(results.families)
        except Exception:
            logger.exception("The closing analysis failed; the crawl itself is safe in %s", self._crawler.spider.out)  # type: ignore[union-attr]
            stats.set_value("webstruct/exit_code", exit_codes.ANALYSIS_FAILED)
            return
        self._delivered = True
        stats.set_value("webstruct/exit_code", self._exit_code(interrupted=interrupted))
        for name, value in results.summary["counts"].items():
            stats.set_value(f"webstruct/{name}", value)
        print(results.table())

    def _exit_code(self, *, interrupted: bool) -> int:
        counts = self._crawl.counts
        if interrupted:
            return exit_codes.INTERRUPTED
        if not counts.stored:
            return exit_codes.NOTHING_FETCHED
        return exit_codes.PAGE_LIMIT if counts.pending else exit_codes.COMPLETE
