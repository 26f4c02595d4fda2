"""No request to private addresses: a page of the web must not make the crawler read the machine it runs on.

Names are checked at the moment of connecting, by the resolver that gives the connection its address, so that a name which
changes its address between check and use gains nothing. Addresses written as such are checked before the request.
"""

from __future__ import annotations

import socket
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.resolver import CachingThreadedResolver

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from twisted.internet.base import ReactorBase
    from twisted.internet.defer import Deferred

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
    """Refuses requests whose URL holds a private address."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Called by Scrapy."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Let public addresses and names pass; names are checked by `PublicResolver`."""
        host = urlsplit(request.url).hostname or ""
        if is_private(host) and not starts_privately(self._crawler):
            raise IgnoreRequest(PRIVATE_ADDRESS)


class PublicResolver(CachingThreadedResolver):
    """Gives no private address for a name, unless the site to crawl is itself a private one."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> Self:
        """Called by Scrapy."""
        resolver = super().from_crawler(crawler, reactor)
        resolver._crawler = crawler
        return resolver

    _crawler: Crawler

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802
        """Resolve a name for a connection."""
        return super().getHostByName(name, timeout).addCallback(self._check, name)

    def _check(self, address: Any, name: str) -> Any:
        if is_private(str(address)) and not starts_privately(self._crawler):
            raise CannotResolveHostError(f"{PRIVATE_ADDRESS} {address} behind {name}")
        return address
