"""The closing pipeline: when the crawl is exhausted, learn the site and deliver pages and articles as items.

Scrapy has no hook for items at the end of a crawl. While the spider is still open, they can be the output of one last
request, and so pass all pipelines and feeds like any other item; when a signal or an error ends the crawl, the spider is
closing already, and they are handed to feeds and signal handlers directly.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.asyncio import run_in_thread

from webstruct import exit_codes
from webstruct.config import Config
from webstruct.crawl import Fetched, SiteCrawl
from webstruct.extensions.progress import DELIVERED
from webstruct.items import ArticleItem, PageItem
from webstruct.pipelines.stream import Stream
from webstruct.scope import Scope, clean, host_of
from webstruct.spiders.base import analysis
from webstruct.spiders.site import SiteSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Self

    import networkx as nx
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webstruct.page import Page

logger = logging.getLogger(__name__)

MANY_PAGES = 10**9


class LamisPipeline:
    """Gathers the link graph of a crawl, and learns the site from it when the spider is idle.

    With the `site` spider it concludes that spider's crawl. In any other project it keeps the pages of the items that pass,
    in a store of its own, and writes `site.json` and `report.html` beside it at the end.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._asked = self._delivered = False
        self._own: SiteCrawl | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        pipeline = cls(crawler)
        crawler.signals.connect(pipeline.conclude_when_idle, signals.spider_idle)
        return pipeline

    @property
    def folder(self) -> Path:
        """Where the store and the results are."""
        spider = self._crawler.spider
        if isinstance(spider, SiteSpider):
            return spider.arguments.out
        name = spider.name if spider else "site"
        return Path(Stream.of(self._crawler).config.out or Path("webstruct-out") / name)

    @property
    def graph(self) -> nx.DiGraph:
        """The site as a networkx graph, once the crawl is over."""
        from webstruct.results import site_graph  # heavy, and not needed while crawling

        return site_graph(self.folder)

    @property
    def _crawl(self) -> SiteCrawl | None:
        spider = self._crawler.spider
        return spider.crawl if isinstance(spider, SiteSpider) else self._own

    def process_item(self, item: Any) -> Any:
        """Keep the page of a foreign item; let all items pass."""
        if isinstance(item, (ArticleItem, PageItem)):
            return item
        page = Stream.of(self._crawler).page(item)
        if page is not None:
            self._keep(page, item)
        return item

    def _keep(self, page: Page, item: Any) -> None:
        html = ItemAdapter(item)[Stream.of(self._crawler).config.html_field]
        body = html if isinstance(html, bytes) else html.encode("utf-8", "replace")
        address = clean(page.url)
        if self._own is None:
            self._own = SiteCrawl.open(self.folder, address, Scope(frozenset({host_of(address)})), max_pages=MANY_PAGES)
        self._own.widen(host_of(address))
        page_id = self._own.find(address)
        row = self._own.store.page(page_id)
        if row is not None and row.state == "pending":
            self._own.accept(page_id, page, Fetched(page.url, 200, body))

    def conclude_when_idle(self) -> None:
        """Nothing is left to fetch: ask for the results of the `site` spider, once."""
        if isinstance(self._crawler.spider, SiteSpider) and not self._asked:
            self._asked = True
            last = Request("data:,", callback=self.deliver, dont_filter=True)
            self._crawler.engine.crawl(last)
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
        elif not self._delivered and self._crawl is not None:
            foreign = not isinstance(self._crawler.spider, SiteSpider)
            async for item in self._results(interrupted=not foreign):
                if not foreign:
                    await self._crawler.signals.send_catch_log_async(
                        signals.item_scraped, item=item, response=None, spider=self._crawler.spider
                    )
        if self._own is not None:
            self._own.close()

    async def _results(self, *, interrupted: bool) -> AsyncIterator[Any]:
        stats, crawl = self._crawler.stats, self._crawl
        assert crawl is not None
        try:
            crawl.save()
            complete = not interrupted and crawl.counts.pending == 0
            config = Config.read(self._crawler.settings)
            stats.set_value(DELIVERED, 0)
            async for part in analysis(self.folder, complete, config.template_pages, config.features):
                if isinstance(part, list):
                    for item in part:
                        yield item
                    stats.inc_value(DELIVERED, sum(isinstance(item, PageItem) for item in part))
                else:
                    conclusion = part
            await run_in_thread(crawl.keep, conclusion)
            crawl.store.finish_run(crawl.run, "complete" if complete else "incomplete", conclusion.summary["counts"])
        except Exception as error:
            logger.error("The closing analysis failed; the crawl itself is safe in %s\n%s", self.folder, error)
            stats.set_value("webstruct/exit_code", exit_codes.ANALYSIS_FAILED)
            return
        self._delivered = True
        stats.set_value("webstruct/exit_code", _exit_code(crawl, interrupted=interrupted))
        for name, value in {**conclusion.summary["counts"], **conclusion.summary["types"]}.items():
            stats.set_value(f"webstruct/{name}", value)
        for fit in conclusion.fits:
            stats.set_value(f"webstruct/{fit.measure}_fit/{fit.family}", round(fit.value, 4))
        if isinstance(self._crawler.spider, SiteSpider) and Stream.of(self._crawler).config.progress:
            sys.stdout.write(conclusion.table(self.folder) + "\n")


def _exit_code(crawl: SiteCrawl, *, interrupted: bool) -> int:
    counts = crawl.counts
    if interrupted:
        return exit_codes.INTERRUPTED
    if not counts.stored:
        return exit_codes.NOTHING_FETCHED
    return exit_codes.PAGE_LIMIT if counts.pending else exit_codes.COMPLETE
