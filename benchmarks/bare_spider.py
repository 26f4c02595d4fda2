"""The yardstick of `crawl.py`: follows the same links with Scrapy's LinkExtractor and keeps nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.linkextractors import LinkExtractor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response


class BareSpider(Spider):
    """As little as a crawl can do."""

    name = "bare"
    url: str
    allowed_domains = ("127.0.0.1",)  # the demo site links to outside hosts, which must not be asked for

    async def start(self) -> AsyncIterator[Any]:
        """Begin at the start page."""
        self._links = LinkExtractor(allow="^" + re.escape(self.url))
        yield Request(self.url)

    def parse(self, response: Response) -> Iterator[Request]:
        """Follow all links."""
        yield from (Request(link.url) for link in self._links.extract_links(response))
