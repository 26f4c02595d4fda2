"""`scrapy skeleton URL`: the section tree of a site, fetching as few pages as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse


class Command(ScrapyCommand):
    """Runs the spider `skeleton`."""

    default_settings = {"LOG_LEVEL": "WARNING"}  # noqa: RUF012

    def syntax(self) -> str:
        """How it is called."""
        return "URL [--depth N] [--out DIR] [--explain]"

    def short_desc(self) -> str:
        """For `scrapy -h`."""
        return "Print the section tree of a site (scrapy-webstruct)"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """The options."""
        super().add_options(parser)
        parser.add_argument("--depth", default="3", help="how many levels to go (default 3)")
        parser.add_argument("--out", help="folder for site.json")
        parser.add_argument(
            "--explain", action="store_true", help="show every candidate menu, and why it was taken or not"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the arguments, walk the site."""
        from webstruct import exit_codes
        from webstruct.arguments import ArgumentError, CrawlArguments
        from webstruct.spiders.skeleton import SkeletonSpider

        if len(args) != 1:
            raise UsageError("name one site, as in: scrapy skeleton https://example.com/")
        arguments = {"url": args[0], "depth": opts.depth, "out": opts.out}
        try:
            CrawlArguments.parse(arguments)
        except ArgumentError as error:
            raise UsageError(str(error), print_help=False) from error
        assert self.crawler_process
        crawler = self.crawler_process.create_crawler(SkeletonSpider)
        self.crawler_process.crawl(crawler, **arguments, explain="yes" if opts.explain else "no")
        self.crawler_process.start()
        self.exitcode = crawler.stats.get_value("webstruct/exit_code", exit_codes.FAILED) if crawler.stats else 1
