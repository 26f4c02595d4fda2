"""Which URLs are pages of the site, which of them are the same page, and how deep to go.

Tracking parameters and session ids go before a URL is fetched; the *key* of a URL goes further and is the same for all
spellings of one page: http and https, with and without `www.`, with and without the trailing slash or the name of the
index file, parameters in any order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from w3lib.url import canonicalize_url

from webstruct.errors import WebstructError

if TYPE_CHECKING:
    from collections.abc import Mapping

# Only names that mean nothing else: courlan's list also holds `cid` and `source`, which are categories on many sites.
_TRACKING = re.compile(
    r"utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_ga|_gl|_hsenc|_hsmi|spm", re.I
)
_SESSION = re.compile(r"jsessionid|phpsessid|aspsessionid\w*|asp\.net_sessionid|cfid|cftoken|session_?id|sid", re.I)
_SESSION_VALUE = re.compile(r"[0-9a-zA-Z_.!-]{12,}")
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?;]*", re.I)
_INDEX_FILE = re.compile(r"/(?:index|default)\.(?:html?|shtml|php|aspx?|jsp)$", re.I)
_DEFAULT_PORT = {"http": ":80", "https": ":443"}
_ANY_DEPTH = 1_000_000


@lru_cache(maxsize=1 << 13)
def clean(url: str) -> str:
    """The URL to fetch: without tracking parameters, session ids, default port and fragment.

    >>> clean("HTTP://Example.com:80/a;jsessionid=1A2B?utm_source=x&id=3#top")
    'http://example.com/a?id=3'
    """
    parts = urlsplit(url)
    netloc = parts.netloc.rpartition("@")[2].lower().removesuffix(_DEFAULT_PORT.get(parts.scheme, ":"))
    path = _PATH_SESSION.sub("", parts.path) if ";" in parts.path else parts.path
    query = "&".join(filter(_is_content, parts.query.split("&"))) if parts.query else ""
    return urlunsplit((parts.scheme, netloc, path or "/", query, ""))


def _is_content(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    if not name or _TRACKING.fullmatch(name):
        return False
    return not (_SESSION.fullmatch(name) and _SESSION_VALUE.fullmatch(value))


@lru_cache(maxsize=1 << 13)
def key(url: str) -> str:
    """What is the same for all spellings of one page's URL, given one that is `clean`.

    >>> {key(url) for url in ("http://www.e.com/a/", "https://e.com/a", "https://e.com/a/index.html")}
    {'e.com/a'}
    """
    address = url.partition("://")[2]
    if "?" in address or "%" in address or not address.isascii():
        address = canonicalize_url(url).partition("://")[2]
    path, mark, query = address.removeprefix("www.").partition("?")
    return _INDEX_FILE.sub("/", path).rstrip("/") + mark + query


@dataclass(frozen=True)
class Scope:
    """The part of the web that a crawl may enter.

    Attributes
    ----------
    hosts
        Host names without `www.`; the start page's, and those that it redirects to.
    subdomains
        Whether hosts below these belong to the site too.
    depth
        How many clicks from the start page to go; None for no limit.
    paths
        Another depth for pages whose path begins so (LAMIS's crawl depth for each sub-tree); the longest match counts.

    >>> scope = Scope(frozenset({"e.com"}), depth=3, paths={"/news/": 5})
    >>> scope.contains("https://www.e.com/a"), scope.contains("https://b.e.com/"), scope.limit("https://e.com/news/x")
    (True, False, 5)

    """

    hosts: frozenset[str]
    subdomains: bool = False
    depth: int | None = None
    paths: Mapping[str, int] = field(default_factory=dict)

    def contains(self, url: str) -> bool:
        """Whether the URL's host belongs to the site."""
        host = url.split("/", 3)[2].removeprefix("www.")
        if host in self.hosts:
            return True
        return self.subdomains and any(host.endswith("." + own) for own in self.hosts)

    def limit(self, url: str) -> int:
        """How deep a page may lie."""
        default = _ANY_DEPTH if self.depth is None else self.depth
        if not self.paths:
            return default
        path = urlsplit(url).path
        longest = max((prefix for prefix in self.paths if path.startswith(prefix)), key=len, default=None)
        return default if longest is None else self.paths[longest]


def host_of(url: str) -> str:
    """The host and port of a clean URL, without `www.`."""
    return url.split("/", 3)[2].removeprefix("www.")


def parse_paths(text: str) -> dict[str, int]:
    """Read `/news/:5,/tags/:1`.

    >>> parse_paths("/news/:5, /tags/:1")
    {'/news/': 5, '/tags/': 1}
    """
    paths = {}
    for part in filter(None, map(str.strip, text.split(","))):
        prefix, colon, depth = part.rpartition(":")
        if not colon or not prefix.startswith("/") or not depth.isdecimal():
            raise WebstructError(f"paths={text!r}: {part!r} should be a path and a depth, as in /news/:5")
        paths[prefix] = int(depth)
    return paths
