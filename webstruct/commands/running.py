"""Running one of our spiders from a command, and what its end means for the command's own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from webstruct import exit_codes
from webstruct.errors import WebstructError
from webstruct.store import StoreError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler, CrawlerProcessBase


def run_spider(process: CrawlerProcessBase, crawler: Crawler, **arguments: Any) -> int:
    """Run a spider to its end; returns the exit code, having told what went wrong in a sentence."""
    crawling: Any = process.crawl(crawler, **arguments)
    process.start()
    failure = crawling.exception() if crawling.done() and not crawling.cancelled() else None
    if isinstance(failure, WebstructError):
        return tell(failure)
    if failure is not None or crawler.stats is None:
        raise failure or RuntimeError("the crawl did not start")
    return int(crawler.stats.get_value("webstruct/exit_code", exit_codes.FAILED))


def tell(error: WebstructError) -> int:
    """Say what is wrong; returns the exit code for it."""
    sys.stderr.write(f"scrapy: error: {printable(str(error))}\n")
    return exit_codes.STORE_PROBLEM if isinstance(error, StoreError) else exit_codes.FAILED


def printable(text: str) -> str:
    r"""Text from the web without the characters that move a terminal's cursor, change its colours or its direction.

    >>> printable("a\x1b[2Jb\u202ec\n  d")
    'a�[2Jb�c\n  d'
    """
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)
