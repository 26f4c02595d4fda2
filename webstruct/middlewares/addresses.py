"""No request to private addresses: a page of the web must not make the crawler read the machine it runs on.

Names are looked up before the request, by the resolver of the process, which keeps the answer for the connection. (A
resolver of our own would not do: Scrapy has one for all crawlers, made before any spider's settings are known.) If the name
changes in between all the same, what comes back is dropped.
"""

from __future__ import annotations

import socket
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.exceptions import IgnoreRequest
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.error import DNSLookupError

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

PRIVATE_ADDRESS = "private address"


def is_private(address: str) -> bool:
    """Whether an address is not one of the public internet, in whatever way it is written.

    >>> [is_private(a) for a in ("8.8.8.8", "10.0.0.1", "127.1", "0x7f.1", "2130706433", "::ffff:127.0.0.1", "e.com")]
    [False, True, True, True, True, True, False]
    """
    try:
        parsed = ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        try:
            parsed = ip_address(socket.inet_aton(address))
        except (OSError, ValueError):
            return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped:
        parsed = parsed.ipv4_mapped
    return not parsed.is_global or parsed.is_multicast


def starts_privately(crawler: Crawler) -> bool:
    """Whether the user asked for a private site, by its address or as localhost: then private addresses are meant."""
    start_url = getattr(crawler.spider, "start_url", "")
    host = urlsplit(start_url).hostname or ""
    return is_private(host) or host == "localhost" or host.endswith(".localhost")


class AddressMiddleware:
    """Refuses requests to private addresses, unless the site to crawl is itself a private one."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Let public addresses pass."""
        if not starts_privately(self._crawler) and await _leads_to_private(urlsplit(request.url).hostname or ""):
            raise IgnoreRequest(PRIVATE_ADDRESS)

    def process_response(self, request: Request, response: Response) -> Response:
        """Drop what a private address answered all the same: its name changed between the look-up and the connection."""
        address = response.ip_address
        if address is not None and is_private(str(address)) and not starts_privately(self._crawler):
            raise IgnoreRequest(PRIVATE_ADDRESS)
        return response


async def _leads_to_private(host: str) -> bool:
    """Whether a host is a private address, or a name for one; a name without an address is the downloader's to report."""
    if not host or is_private(host):
        return bool(host)
    from twisted.internet import reactor  # Scrapy chooses which, at its start

    try:
        return is_private(await maybe_deferred_to_future(reactor.resolve(host)))  # type: ignore[arg-type]
    except (DNSLookupError, OSError):
        return False
