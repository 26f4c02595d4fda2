"""A Scrapy scheduler over the crawl's own frontier, which survives `kill -9`.

Scrapy's disk queues lose most of a crawl when the process dies, because a request leaves the queue before its page is
safe. Here a URL stays pending in the store until its page is stored or its end is recorded; this scheduler only remembers
what it has handed out. Requests that are no pages of the site (retries, the closing request) wait in memory.
"""

from __future__ import annotations

import heapq
import time
from collections import deque
from typing import TYPE_CHECKING

from scrapy.core.scheduler import BaseScheduler

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from twisted.internet.defer import Deferred

    from webstruct.spiders.site import SiteSpider

# How many rows to read from the store at a time; it is also how many pages are fetched out of their best order.
_AHEAD = 32
NOT_BEFORE = "webstruct_not_before"


class FrontierScheduler(BaseScheduler):
    """Hands out the pages of `SiteSpider.crawl`, breadth first, and each once."""

    def open(self, spider: Spider) -> Deferred[None] | None:
        """Called by the engine before the first request."""
        self._spider: SiteSpider = spider  # type: ignore[assignment]
        self._ready: deque[Request] = deque()
        self._later: list[tuple[float, int, Request]] = []
        return None

    def has_pending_requests(self) -> bool:
        """Whether the crawl should go on: a request that waits for its time counts too."""
        return bool(self._ready or self._later) or not self._spider.crawl.exhausted

    def enqueue_request(self, request: Request) -> bool:
        """Take a request from the engine: at once, or when a server asked us to come back."""
        due = request.meta.get(NOT_BEFORE, 0.0)
        if due > time.monotonic():
            heapq.heappush(self._later, (due, id(request), request))
        else:
            self._ready.append(request)
        return True

    def next_request(self) -> Request | None:
        """The next request that is due."""
        if self._later and self._later[0][0] <= time.monotonic():
            return heapq.heappop(self._later)[2]
        if not self._ready:
            self._ready.extend(map(self._spider.request_for, self._spider.crawl.take(_AHEAD)))
        return self._ready.popleft() if self._ready else None
