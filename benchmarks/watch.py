"""A Scrapy extension for benchmarks: peak memory of the crawling process itself, and how long its reactor was busy.

Switched on by `crawl.py`; writes a line of JSON to the file that BENCHMARK_WATCH names.
"""

from __future__ import annotations

import json
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

_TICK_SECONDS = 0.01
_LONG_SECONDS = 0.2


class Watch:
    """Ticks a hundred times a second: the time spent working between two ticks is how long nothing else could happen.

    It is the thread's CPU time, because other processes of the machine are no pauses of ours.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._file = Path(crawler.settings["BENCHMARK_WATCH"])
        self._last = 0.0
        self._longest, self._long = 0.0, 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        watch = cls(crawler)
        crawler.signals.connect(watch.begin, signals.spider_opened)
        crawler.signals.connect(watch.end, signals.spider_closed)
        return watch

    def begin(self) -> None:
        """Begin to tick."""
        self._last = time.thread_time()
        self._loop = create_looping_call(self._tick)
        self._loop.start(_TICK_SECONDS)

    def _tick(self) -> None:
        now = time.thread_time()
        pause, self._last = now - self._last, now
        self._longest = max(self._longest, pause)
        self._long += pause > _LONG_SECONDS

    def end(self) -> None:
        """Write what was seen."""
        self._loop.stop()
        figures = {
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "longest_pause_ms": 1000 * self._longest,
            "long_pauses": self._long,
        }
        self._file.write_text(json.dumps(figures))
