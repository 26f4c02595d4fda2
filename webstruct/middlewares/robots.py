"""robots.txt as RFC 9309 has it: a server that can't answer for its rules is left alone, and rules have a size limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

# RFC 9309 §2.5: at least 500 KiB must be read; a million rules take ten seconds to parse.
MAX_BYTES = 500 * 1024
_DISALLOW_ALL = b"User-agent: *\nDisallow: /\n"


class StrictRobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy reads a failing robots.txt as permission; RFC 9309 §2.3.1.4 reads it as prohibition."""

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        if response.status >= 500:
            rules = _DISALLOW_ALL
        elif response.status >= 400:
            rules = b""
        else:
            rules = response.body[:MAX_BYTES]
        await super()._parse_robots(response.replace(body=rules), netloc, request)
