"""Links as written → absolute URLs, without ever failing on a bad one."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

_MAX_URL_CHARS = 4096
_NEWLINES = str.maketrans("", "", "\t\r\n")
# The common forms, for which joining is concatenation: no dot segments, no scheme, no back slashes.
_ABSOLUTE = re.compile(r"https?://([^/?\\]*)(?![^?]*/\.)")
_BELOW = re.compile(r"[\w%~-](?![^?]*/\.)[^:\\?]*(?:\?|$)", re.ASCII)


class Resolver:
    """Resolves the links of one page.

    Calling it gives None for what is no page: other schemes (`javascript:`, `mailto:`, `data:`, `file:`), broken
    addresses, and links within the page. Fragments go, and user names and passwords, which must not end in a log.

    >>> resolve = Resolver("http://example.com/news/", "utf-8")
    >>> resolve(" a b.html#top "), resolve("../x"), resolve("//cdn.example.com"), resolve("http://[::1")
    ('http://example.com/news/a%20b.html', 'http://example.com/x', 'http://cdn.example.com', None)
    """

    def __init__(self, base_url: str, encoding: str) -> None:
        self._base = base_url
        self._encoding = encoding
        parts = urlsplit(base_url)
        self._root = f"{parts.scheme}://{parts.netloc}/"
        self._folder = self._root + parts.path.rpartition("/")[0].lstrip("/")
        self._folder = self._folder if self._folder.endswith("/") else self._folder + "/"

    def __call__(self, href: str) -> str | None:
        """The address that a link leads to."""
        href = href.strip().partition("#")[0]
        if not href.isprintable():
            href = href.translate(_NEWLINES)
        if not href or len(href) > _MAX_URL_CHARS:
            return None
        # Links of menus are the same on every page: seen from the root, they are looked up, not resolved again.
        if href.startswith(("/", "http")):
            return _resolve(self._root, href, self._encoding)
        return _resolve(self._folder if _BELOW.match(href) else self._base, href, self._encoding)


@lru_cache(maxsize=1 << 13)
def _resolve(base: str, href: str, encoding: str) -> str | None:
    try:
        url = _join(base, href)
        return url if url is None or (url.isascii() and " " not in url) else safe_url_string(url, encoding=encoding)
    except ValueError:
        return None


def _join(base: str, href: str) -> str | None:
    if _BELOW.match(href):
        return base + href
    absolute = _ABSOLUTE.match(href)
    if absolute and _is_plain_host(absolute[1]):
        return href
    return _checked(urljoin(base, href))


@lru_cache(maxsize=4096)
def _is_plain_host(netloc: str) -> bool:
    try:
        return bool(netloc) and _checked(f"http://{netloc}/") == f"http://{netloc}/"
    except ValueError:
        return False


def _checked(url: str) -> str | None:
    """The URL without user and password, if it is an http(s) address; raises ValueError for a broken one."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    parts.port  # noqa: B018 - a port that is no number raises
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
