"""`scrapy crawl`, with wrong arguments told in one sentence, and an exit code that says how the crawl ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse


class Command(ScrapyCrawl):
    """Runs a spider by name, as Scrapy's own command does."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments of our spiders before anything is started; afterwards, tell how it ended."""
        from webstruct.arguments import ArgumentError, CrawlArguments, FocusedArguments
        from webstruct.commands.running import run_spider
        from webstruct.spiders.base import FrontierSpider
        from webstruct.spiders.focused import FocusedSpider

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
        self.exitcode = run_spider(self.crawler_process, crawler, **opts.spargs)
