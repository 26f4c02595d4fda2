"""Soft 404s: "not found" said with the status of a good page.

What a site says of an address that does not exist is learned by asking for one (a *probe*): at the root of the site, and in
a folder where one content turned up twice. A page is a soft 404 if it has what the probe shows and the site's start page
does not, the message, and nothing of its own to speak of. So a short article is none, whatever its template repeats.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstruct.page import Page

# What such a page may show of its own: the address that was asked for, the time, a word or two.
MAX_OWN_CHARS = 100


def probe_url(url: str) -> str:
    """An address in the folder of `url` that surely does not exist; always the same for the same folder.

    >>> probe_url("http://e.com/news/a.html") == probe_url("http://e.com/news/b.html?page=2")
    True
    """
    folder = urljoin(url, ".")
    return urljoin(folder, _token(folder))


def _token(folder: str) -> str:
    return "no-such-page-" + blake2b(folder.encode(), digest_size=6).hexdigest()


class NotFoundPage:
    """What a site shows for an address that does not exist.

    Attributes
    ----------
    shown
        All texts of the probe.
    message
        Those of them that the start page does not have, and that do not repeat the address.
    """

    def __init__(self, shown: Iterable[str], message: Iterable[str]) -> None:
        self.shown = frozenset(shown)
        self.message = frozenset(message)

    @classmethod
    def learn(cls, probe: Page, start: Page) -> NotFoundPage | None:
        """What the probe says; None if it says nothing of its own, as where every address shows the start page."""
        shown, token = _texts(probe), _token(urljoin(probe.url, "."))
        message = {text for text in shown - _texts(start) if token not in text}
        return cls(shown, message) if message else None

    def is_shown_by(self, page: Page) -> bool:
        """Whether a page is this one again."""
        texts = _texts(page)
        return self.message <= texts and sum(map(len, texts - self.shown)) <= MAX_OWN_CHARS


def _texts(page: Page) -> frozenset[str]:
    return frozenset(chunk.strip() for chunk in page.chunks)
