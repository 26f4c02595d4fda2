"""A live line while the crawl runs, and a short table at its end: for a person at a terminal, or as plain log lines."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from webstruct.config import Config
from webstruct.progress import LINE_SECONDS, is_terminal, make_bar

if TYPE_CHECKING:
    from typing import Self

    from rich.progress import Progress as Bar
    from scrapy.crawler import Crawler

    from webstruct.crawl import SiteCrawl
    from webstruct.store import Counts

logger = logging.getLogger(__name__)

# The stat that counts pages delivered by the closing analysis; it is there once that has begun.
DELIVERED = "webstruct/delivered"

_TERMINAL_SECONDS = 0.5


class Progress:
    """Reports pages done, queued and per second, templates and articles so far, until the crawl is over."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._terminal = is_terminal()
        self._began = time.monotonic()
        self._bar: Bar | None = None
        self._task: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        if not Config.read(crawler.settings).progress:
            raise NotConfigured
        progress = cls(crawler)
        crawler.signals.connect(progress.opened, signals.spider_opened)
        crawler.signals.connect(progress.closed, signals.spider_closed)
        return progress

    def opened(self) -> None:
        """Begin to report."""
        self._stored_before = self._crawler.spider.crawl.counts.stored  # type: ignore[union-attr]
        if self._terminal:
            self._bar = make_bar()
            self._task = self._bar.add_task("crawling", total=None)
            self._bar.start()
        self._loop = create_looping_call(self.report)
        self._loop.start(_TERMINAL_SECONDS if self._terminal else LINE_SECONDS, now=False)

    def report(self) -> None:
        """One report."""
        crawl: SiteCrawl = self._crawler.spider.crawl  # type: ignore[union-attr]
        counts = crawl.counts
        delivered = self._crawler.stats.get_value(DELIVERED)
        if delivered is None:
            done = counts.found - counts.pending
            total = min(counts.found, done + crawl.max_pages - counts.stored)
            text = self._account(crawl, counts)
        else:
            done, total = delivered, counts.stored
            text = f"learning the site from {total} pages, {done} delivered"
        if self._bar is not None:
            self._bar.update(self._task, description=text, completed=done, total=total)
        else:
            logger.info("%s", text)

    def _account(self, crawl: SiteCrawl, counts: Counts) -> str:
        speed = (counts.stored - self._stored_before) / max(1e-9, time.monotonic() - self._began)
        return (
            f"{counts.stored} pages, {counts.pending} queued, {speed:.1f} pages/s,"
            f" {crawl.families.estimate()} templates, about {crawl.readable} articles"
        )

    def closed(self) -> None:
        """Take the line away; the summary follows as ordinary output."""
        if self._loop.running:
            self._loop.stop()
        if self._bar is not None:
            self._bar.stop()
