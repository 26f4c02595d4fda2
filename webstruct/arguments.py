"""The arguments of a crawl, as given with `-a name=value`: read, checked, and refused with a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webstruct.crawl import STORE_NAME
from webstruct.errors import WebstructError
from webstruct.scope import Scope, clean, host_of, parse_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)
_YES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


class ArgumentError(WebstructError):
    """A wrong argument; the message names it, its value and what is allowed."""


@dataclass(frozen=True)
class CrawlArguments:
    """What to crawl, how far, and where to put the results."""

    url: str
    out: Path
    depth: int | None = None
    max_pages: int = 10_000
    paths: Mapping[str, int] = field(default_factory=dict)
    subdomains: bool = False
    sitemap: bool = False

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> CrawlArguments:
        """Read arguments as the command line gives them: all strings, any of them missing.

        >>> CrawlArguments.parse({"url": "example.com/news", "depth": "3"}).url
        'http://example.com/news'
        """
        values = _known(given, cls.__dataclass_fields__)
        url = _url(values.get("url", ""))
        try:
            paths = parse_paths(values.get("paths", ""))
        except WebstructError as error:
            raise ArgumentError(str(error)) from error
        return cls(
            url=url,
            out=Path(values["out"]) if values.get("out") else default_folder(url),
            depth=_number("depth", values["depth"], 0) if values.get("depth") else None,
            max_pages=_number("max_pages", values.get("max_pages", "10000"), 1),
            paths=paths,
            subdomains=yes_or_no("subdomains", values.get("subdomains", "no")),
            sitemap=yes_or_no("sitemap", values.get("sitemap", "no")),
        )

    @property
    def scope(self) -> Scope:
        """The part of the web that these arguments allow."""
        return Scope(frozenset({host_of(self.url)}), self.subdomains, self.depth, self.paths)


@dataclass(frozen=True)
class FocusedArguments:
    """Which known site to look at again, and how much of it.

    Attributes
    ----------
    site
        The folder of the site's crawl.
    all
        Whether to look at all that is known, due or not.
    budget
        How many requests to make at the most; None for no limit.

    """

    site: Path
    all: bool = False
    budget: int | None = None

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> FocusedArguments:
        """Read arguments as the command line gives them; the folder may be named by the site's `url` instead."""
        values = _known(given, [*cls.__dataclass_fields__, "url"])
        if not values.get("site") and not values.get("url"):
            raise ArgumentError("site is missing: give the folder of a crawl, as in -a site=webstruct-out/example.com")
        folder = Path(values["site"]) if values.get("site") else default_folder(_url(values["url"]))
        if not (folder / STORE_NAME).is_file():
            raise ArgumentError(f"{folder} has no {STORE_NAME}: learn the site first, with scrapy crawl site -a url=…")
        return cls(
            site=folder,
            all=yes_or_no("all", values.get("all", "no")),
            budget=_number("budget", values["budget"], 1) if values.get("budget") else None,
        )


def default_folder(url: str) -> Path:
    """Where the crawl of a site is kept if no folder is named.

    >>> default_folder("http://127.0.0.1:8000/").as_posix()
    'webstruct-out/127.0.0.1_8000'
    """
    return Path("webstruct-out") / re.sub(r"[^\w.-]", "_", host_of(url))


def _known(given: Mapping[str, object], names: Iterable[str]) -> dict[str, str]:
    """Arguments as text; one that does not exist is an error, but for the scheduler's own (scrapyd's `_job`)."""
    values = {name: str(value) for name, value in given.items() if value is not None and name[:1] != "_"}
    if unknown := sorted(values.keys() - set(names)):
        raise ArgumentError(f"{unknown[0]}={values[unknown[0]]!r}: no such argument; there are {', '.join(names)}")
    return values


def _url(text: str) -> str:
    text = text.strip()
    if not text:
        raise ArgumentError("url is missing: give the site's address, as in -a url=https://example.com/")
    address = text if _SCHEME.match(text) else f"http://{text}"
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ArgumentError(f"url={text!r} is not an http or https address")
    return clean(address)


def _number(name: str, text: str, least: int) -> int:
    if not text.strip().isdecimal() or int(text) < least:
        raise ArgumentError(f"{name}={text!r} should be a whole number, at least {least}")
    return int(text)


def yes_or_no(name: str, text: str) -> bool:
    """Read an argument that is yes or no."""
    if text.strip().lower() not in _YES:
        raise ArgumentError(f"{name}={text!r} should be yes or no")
    return _YES[text.strip().lower()]
