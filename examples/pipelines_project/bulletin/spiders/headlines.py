"""The project's own spider, written for one newspaper by hand; it knows nothing of webstruct."""

from __future__ import annotations

from scrapy import Request, Spider

from bulletin.items import Story


class HeadlinesSpider(Spider):
    """Goes from the sections in the menu to their stories: ``scrapy crawl headlines -a url=http://127.0.0.1:8000/``."""

    name = "headlines"
    url = "http://127.0.0.1:8000/"

    async def start(self):
        yield Request(self.url, self.parse_home)

    def parse_home(self, response):
        yield from response.follow_all(css=".menu-item > a", callback=self.parse_section)

    def parse_section(self, response):
        yield from response.follow_all(css=".teaser h3 a", callback=self.parse_story)
        yield from response.follow_all(css="a[rel=next]", callback=self.parse_section)

    def parse_story(self, response):
        headline = response.css("h1::text, font b::text").get(default="")
        yield Story(url=response.url, headline=headline, html=response.text)
