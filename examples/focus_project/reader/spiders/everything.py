"""The project's own spider: it follows every link of the host, and so gets into terms of use and calendars too."""

from __future__ import annotations

from scrapy import Request
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from reader.items import Headline


class EverythingSpider(CrawlSpider):
    """Follows what it is let follow: ``scrapy crawl everything -a urls="http://127.0.0.1:8000/"``."""

    name = "everything"
    allowed_domains = ("127.0.0.1",)
    urls = "http://127.0.0.1:8000/"
    rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)

    async def start(self):
        for url in self.urls.split():
            yield Request(url)

    def parse_page(self, response):
        yield Headline(url=response.url, title=response.css("title::text").get(default=""))
