"""A folder with the results of a crawl, as other programs find it: the files that are there, or what to do about it."""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from heapq import nlargest
from typing import TYPE_CHECKING, Any

from webstruct.crawl import STORE_NAME
from webstruct.errors import WebstructError
from webstruct.scope import clean, key
from webstruct.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from webstruct.store import PageRow

# What the commands need; a skeleton crawl writes a `site.json` without it.
_WRITTEN = frozenset(("complete", "finished", "types", "structure", "families"))
_SUGGESTIONS, _CANDIDATES = 3, 100


class FolderError(WebstructError):
    """A folder or URL of which nothing is known; the message names it and the remedy."""


class SiteFolder:
    """The results of one site; a missing or broken file is told in a sentence."""

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise FolderError(f"{path} is not a folder; name one that `scrapy webstruct crawl` wrote")
        if not (path / STORE_NAME).is_file():
            raise FolderError(f"{path} has no {STORE_NAME}; `scrapy webstruct crawl URL -a out={path}` makes one")
        self.path = path

    def store(self) -> Store:
        """The store, for reading."""
        return Store.open(self.path / STORE_NAME, read_only=True)

    def summary(self) -> dict[str, Any]:
        """What is in `site.json`."""
        with self._open("site.json") as file:
            try:
                summary: dict[str, Any] = json.load(file)
            except ValueError as error:
                raise self._broken("site.json", str(error)) from error
        if not isinstance(summary, dict) or not summary.keys() >= _WRITTEN:
            raise self._broken("site.json", "the closing analysis did not write it")
        return summary

    def articles(self) -> Iterator[dict[str, Any]]:
        """What is in `articles.jsonl`, one article at a time."""
        return self._lines("articles.jsonl")

    def pages(self) -> Iterator[dict[str, Any]]:
        """What is in `pages.jsonl`, one page at a time."""
        return self._lines("pages.jsonl")

    def page(self, url: str) -> dict[str, Any]:
        """What is in `pages.jsonl` of one page."""
        for page in self.pages():
            if page.get("url") == url:
                return page
        raise self._broken("pages.jsonl", f"{url} is not in it")

    def _lines(self, name: str) -> Iterator[dict[str, Any]]:
        with self._open(name) as file:
            for number, line in enumerate(file, 1):
                try:
                    values = json.loads(line)
                    if not isinstance(values, dict):
                        raise ValueError
                except ValueError as error:
                    raise self._broken(name, f"line {number} is no JSON object") from error
                yield values

    def _open(self, name: str) -> Any:
        try:
            return (self.path / name).open(encoding="utf-8", errors="replace")
        except FileNotFoundError as error:
            raise FolderError(
                f"{self.path} has no {name}: the site is not analysed yet; `scrapy webstruct analyse {self.path}` does it"
            ) from error

    def _broken(self, name: str, why: str) -> FolderError:
        return FolderError(
            f"{self.path / name} can't be used ({why}); `scrapy webstruct analyse {self.path}` writes it anew"
        )


def row_of(store: Store, url: str) -> PageRow:
    """The row of a URL, in any spelling that the crawl takes for the same page."""
    address = url if "://" in url else f"http://{url}"
    try:
        row = store.page(key(clean(address)))
    except ValueError as error:
        raise FolderError(f"{url} is not an http or https address") from error
    if row is None:
        nearest = "".join(f"\n  {near}" for near in nearest_urls(url, (row.url for row in store.pages())))
        raise FolderError(f"{url} was not found in the crawl; near it:{nearest or ' nothing'}")
    return row


def nearest_urls(url: str, urls: Iterable[str]) -> list[str]:
    """The URLs most like `url`: of those that share most of its parts the ones that share most of its letters.

    >>> nearest_urls("http://e.com/news/flood", ["http://e.com/", "http://e.com/news/floods.html", "http://e.com/tags/x"])
    ['http://e.com/news/floods.html', 'http://e.com/', 'http://e.com/tags/x']
    """
    parts = set(_parts(url))
    likely = nlargest(_CANDIDATES, urls, key=lambda other: (len(parts & set(_parts(other))), -len(other)))
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(url)

    def likeness(other: str) -> float:
        matcher.set_seq1(other)
        return matcher.ratio()

    return nlargest(_SUGGESTIONS, likely, key=likeness)


def _parts(url: str) -> list[str]:
    return url.replace("?", "/").replace("&", "/").replace("-", "/").replace(".", "/").split("/")
