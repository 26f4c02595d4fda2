"""The frame of a streaming pipeline: page in, result on the item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstruct.pipelines.stream import Stream

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from webstruct.page import Page


class StreamPipeline:
    """Counts each page into the statistics and adds what `look` finds to its item."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        return cls(Stream.of(crawler))

    def process_item(self, item: Any) -> Any:
        """Look at an item that holds a page; let others pass."""
        page = self.stream.page(item)
        if page is not None:
            self.stream.count(page)
            self.stream.add_result(item, **self.look(page))
        return item

    def look(self, page: Page) -> dict[str, Any]:
        """What this pipeline has to say of a page."""
        raise NotImplementedError
