"""`scrapy crawl`, with wrong arguments told in one sentence, and an exit code that says how the crawl ended."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse


class Command(ScrapyCrawl):
    """Runs a spider by name, as Scrapy's own command does."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments of our spiders before anything is started; afterwards, tell how it ended."""
        from webstruct import exit_codes
        from webstruct.arguments import ArgumentError, CrawlArguments, FocusedArguments
        from webstruct.errors import WebstructError
        from webstruct.spiders.base import FrontierSpider
        from webstruct.spiders.focused import FocusedSpider
        from webstruct.store import StoreError

        if len(args) != 1:
            raise UsageError("name one spider, as in: scrapy crawl site -a url=https://example.com/")
        crawler = self._create_crawler(args[0])
        if not issubclass(crawler.spidercls, FrontierSpider):
            super().run(args, opts)
            return
        arguments = FocusedArguments if issubclass(crawler.spidercls, FocusedSpider) else CrawlArguments
        try:
            arguments.parse(opts.spargs)
        except ArgumentError as error:
            raise UsageError(str(error), print_help=False) from error
        assert self.crawler_process
        crawling: Any = self.crawler_process.crawl(crawler, **opts.spargs)
        self.crawler_process.start()
        failure = crawling.exception() if crawling.done() and not crawling.cancelled() else None
        if isinstance(failure, WebstructError):
            sys.stderr.write(f"scrapy: error: {failure}\n")
            self.exitcode = exit_codes.STORE_PROBLEM if isinstance(failure, StoreError) else exit_codes.FAILED
        elif failure is not None or crawler.stats is None:
            raise failure or RuntimeError("the crawl did not start")
        else:
            self.exitcode = crawler.stats.get_value("webstruct/exit_code", exit_codes.FAILED)
