"""Crawl one site, as far as its scope and limits allow, and deliver its structure and articles at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.utils.sitemap import Sitemap

from webstruct.arguments import CrawlArguments
from webstruct.config import Config
from webstruct.crawl import SiteCrawl
from webstruct.defaults import PIPELINES, add_components, add_feeds
from webstruct.spiders.base import FrontierSpider
from webstruct.terms import load_models

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

MAX_SITEMAPS = 1000


class SiteSpider(FrontierSpider):
    """Learns a site from its address. Arguments: url, out, depth, max_pages, paths, subdomains, sitemap."""

    name = "site"

    def __init__(self, **arguments: Any) -> None:
        super().__init__()
        self.arguments = CrawlArguments.parse(arguments)
        self.start_url = self.arguments.url
        self.out = str(self.arguments.out)  # named in FEEDS
        self._sitemaps = 0

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
        """Called by Scrapy before the crawl: the closing pipeline delivers the results."""
        super().update_settings(settings)
        add_components(settings, "ITEM_PIPELINES", PIPELINES)

    async def start(self) -> AsyncIterator[Any]:
        """Enter the start page; the scheduler takes it from there."""
        self.crawl.resume()
        self.crawl.find(self.start_url)
        if self.arguments.sitemap:
            yield self._sitemap_request(
                self.start_url.split("/", 3)[0] + "//" + self.start_url.split("/", 3)[2] + "/sitemap.xml"
            )

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
