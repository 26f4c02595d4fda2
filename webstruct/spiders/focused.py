"""Look at a known site again and deliver what is new or changed: `scrapy crawl focused -a site=DIR`."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider

from webstruct import exit_codes
from webstruct.arguments import FocusedArguments
from webstruct.config import Config
from webstruct.defaults import add_new_articles_feed
from webstruct.delivery import Delivery
from webstruct.focus import FocusedCrawl
from webstruct.spiders.base import FrontierSpider, analysis
from webstruct.terms import load_models

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webstruct.store import PageRow

logger = logging.getLogger(__name__)


class FocusedSpider(FrontierSpider):
    """Fetches what is due on a known site, and new articles. Arguments: site (or url), all, budget."""

    name = "focused"
    crawl: FocusedCrawl

    def __init__(self, **arguments: Any) -> None:
        super().__init__()
        self.arguments = FocusedArguments.parse(arguments)
        self.out = str(self.arguments.site)  # named in FEEDS
        self.start_url = ""
        self.delivery = ""
        self._asked = self._complete = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Called by Scrapy; opens the store, so that a second run of the same site ends before any request."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        Config.read(crawler.settings)
        load_models()
        arguments = spider.arguments
        spider.crawl = FocusedCrawl.open_known(arguments.site, everything=arguments.all, budget=arguments.budget)
        spider._delivery = Delivery(spider.crawl, arguments.site)
        spider.start_url = spider.crawl.start_url
        spider.delivery = f"{spider._delivery.number:06}"
        add_new_articles_feed(crawler.settings)
        crawler.signals.connect(spider.conclude_when_idle, signals.spider_idle)
        crawler.signals.connect(spider.finish, signals.engine_stopped)
        return spider

    _delivery: Delivery

    def request_for(self, row: PageRow) -> Request:
        """The request for a page; a known one is asked for only if it has changed."""
        request = super().request_for(row)
        if row.state == "stored":
            if row.etag:
                request.headers["If-None-Match"] = row.etag
            if row.last_modified:
                request.headers["If-Modified-Since"] = row.last_modified
        return request

    async def _record(self, page_id: int, response: Response) -> Request | None:
        if response.status == 304:
            self.crawl.unchanged(page_id)
            return None
        return await super()._record(page_id, response)

    # The end

    def conclude_when_idle(self) -> None:
        """Nothing is left to fetch: deliver, once, as the output of one last request."""
        if not self._asked:
            self._asked = True
            self.crawler.engine.crawl(Request("data:,", callback=self.deliver, dont_filter=True))
            raise DontCloseSpider

    async def deliver(self, response: Response) -> AsyncIterator[Any]:
        """New and changed articles; before, judge whether the site still is what it was."""
        delivery = self._delivery
        try:
            self.crawl.save()
            for alarm in delivery.judge():
                logger.warning("The site has changed: %s", alarm)
            if delivery.can_learn:
                template_pages = Config.read(self.crawler.settings).template_pages
                async for part in analysis(self.arguments.site, delivery.was_complete, template_pages):
                    if not isinstance(part, list):
                        delivery.switch(part)
                logger.warning("Its new design was learned, and is used from now on")
            for item in delivery.items():
                yield item
        except Exception:
            logger.exception("The new articles could not be delivered; they are safe in %s", self.out)
            self.crawler.stats.set_value("webstruct/exit_code", exit_codes.ANALYSIS_FAILED)
            return
        self._complete = True
        self._tell_stats()

    def _tell_stats(self) -> None:
        delivery, stats = self._delivery, self.crawler.stats
        figures = {"new": delivery.new, "changed": delivery.changed, "drift": len(delivery.alarms)}
        for name, value in {**self.crawl.tally, **figures}.items():
            stats.set_value(f"webstruct/{name}", value)
        stats.set_value("webstruct/learned_anew", int(delivery.learned_anew))
        stats.set_value("webstruct/exit_code", self._exit_code())

    def _exit_code(self) -> int:
        crawl = self.crawl
        if crawl.requests and not crawl.tally["answered"]:
            return exit_codes.NOTHING_FETCHED
        if self._delivery.alarms:
            return exit_codes.DRIFT
        return exit_codes.PAGE_LIMIT if crawl.over_budget else exit_codes.COMPLETE

    def closed(self, reason: str) -> None:
        """Called by Scrapy when no more items come; the store stays open until the feeds are written."""
        self._parser.close()
        stats = self.crawler.stats
        if stats.get_value("webstruct/store_error"):
            stats.set_value("webstruct/exit_code", exit_codes.STORE_PROBLEM)
        elif not self._complete and stats.get_value("webstruct/exit_code") is None:
            stats.set_value("webstruct/exit_code", exit_codes.INTERRUPTED)

    def finish(self) -> None:
        """All feeds are written: what was delivered is not delivered again."""
        stats = self.crawler.stats
        try:
            failed = any(name.startswith("feedexport/failed_count") for name in stats.get_stats())
            if self._complete and not failed:
                account = self._delivery.report()
                self._delivery.confirm("drift" if self._delivery.alarms else "finished")
                sys.stdout.write(_summary(account))
            elif failed:
                stats.set_value("webstruct/exit_code", exit_codes.FAILED)
        except Exception:
            logger.exception("The run could not be concluded; the next one delivers the same articles")
            stats.set_value("webstruct/exit_code", exit_codes.ANALYSIS_FAILED)
        finally:
            self.crawl.close()


def _summary(account: dict[str, Any]) -> str:
    """A short account for the person at the keyboard."""
    requests = account["requests"]
    lines = [
        f"{account['new']} new articles, {account['changed']} changed, {len(account['gone'])} gone",
        f"  asked for {requests['lists']} lists, {requests['wanted']} new pages, {requests['known']} known articles;"
        f" {requests['unchanged']} were unchanged",
    ]
    if not sum(requests.values()):
        lines[1] = "  no list is due yet; all=yes looks at everything"
    if account["drift"]:
        what = (
            "its new design was learned" if account["learned_anew"] else "more pages are needed to learn its new design"
        )
        lines.append(f"  the site has changed: {len(account['drift'])} templates no longer fit; {what}")
    return "\n".join(lines) + "\n"
