"""One crawl of one site: what is known, what to fetch next, and what became of each URL.

This is the crawl without the fetching. It knows no Scrapy: a spider hands in pages, redirects and failures, and asks
which URLs come next. Everything lasting is in the store; what is held in memory (term statistics, sketches of page
structure, trap counters) is saved there now and then and made good from the stored pages after a crash.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from hashlib import blake2b
from mimetypes import MimeTypes
from typing import TYPE_CHECKING

from webstruct import scope as urls
from webstruct.entropy import TermEntropy
from webstruct.errors import WebstructError
from webstruct.families import Families
from webstruct.page import Page
from webstruct.soft404 import NotFoundPage, probe_url
from webstruct.store import Counts, Found, PageRow, Store
from webstruct.traps import TrapGuard, pattern_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from webstruct.conclusion import Conclusion
    from webstruct.scope import Scope

logger = logging.getLogger(__name__)

STORE_NAME = "site.db"
LEARNED_IN_RUN = "learned_in_run"
WANTED = 1  # the priority of articles that a list leads to; others have 0
BEYOND_DEPTH = "beyond the depth limit"
NOT_A_PAGE = "not a page by its file name"
OFF_SITE = "redirect off the site"
SAME_PAGE = "same page with other parameters"
SOFT_404 = "soft 404"
# Failures that another day may not have: the next run asks again.
PASSING = ("HTTP 5", "HTTP 429", "HTTP 408", "timeout", "connection", "host not found", "response cut off")

_CHECKPOINT_PAGES = 1000
_HASHED_CHARS = 200
_MAX_PROBES = 20
_LINKS_AT_ONCE = 500
# A page with so many characters in paragraphs reads like an article: a count for the person who watches.
_PARAGRAPH_CHARS, _ARTICLE_CHARS = 80, 500
_PAGE_TYPES = (None, "text/html", "application/xhtml+xml")
_FILE_TYPES = MimeTypes(filenames=())


@dataclass(frozen=True)
class Fetched:
    """A page as it came: where from, what the server said of it, and when (ISO 8601 in UTC, None for now)."""

    url: str
    status: int
    body: bytes
    etag: str | None = None
    last_modified: str | None = None
    cut: bool = False
    fetched_at: str | None = None


class SiteCrawl:
    """The state of a crawl; see the module's docstring.

    Parameters
    ----------
    store
        The open store, new or of an earlier run.
    start_url
        Where the site begins.
    scope
        Which URLs belong to it.
    max_pages
        How many pages to keep at the most.

    """

    def __init__(self, store: Store, start_url: str, scope: Scope, *, max_pages: int) -> None:
        self.store = store
        self.start_url = urls.clean(start_url)
        self.scope = scope
        self.max_pages = max_pages
        self.entropy = TermEntropy()
        self.families = Families()
        self._traps = TrapGuard()
        self._first_with: dict[bytes, int] = {}
        self._under_way: set[int] = set()
        self._saved_sequence = self._unsaved = 0
        self.run = 0
        self._not_found: list[NotFoundPage] = []
        self._probed: set[str] = set()
        self.probes: list[str] = []
        self.readable = 0
        self._restore()

    @classmethod
    def open(cls, folder: Path, start_url: str, scope: Scope, *, max_pages: int) -> SiteCrawl:
        """Open the crawl kept in `folder`, or begin one there."""
        store = Store.open(folder / STORE_NAME)
        try:
            known = store.get_meta("start_url")
            if known is not None and urls.key(known) != urls.key(urls.clean(start_url)):
                raise WebstructError(f"{folder} holds the crawl of {known}; choose another folder with out=DIR")
            crawl = cls(store, start_url, scope, max_pages=max_pages)
            crawl.run = store.begin_run({"spider": "site", "url": start_url, "max_pages": max_pages})
            return crawl
        except BaseException:
            store.close()
            raise

    def close(self) -> None:
        """Save the statistics and close the store."""
        self.save()
        self.store.close()

    # What to fetch

    @property
    def counts(self) -> Counts:
        """URLs by what became of them."""
        return self.store.counts()

    @property
    def room(self) -> int:
        """How many more pages may be asked for before the page limit is reached."""
        return self.max_pages - self.store.counts().stored - len(self._under_way)

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left to ask for: all URLs are done or under way, or the page limit is reached."""
        return self.store.counts().pending <= len(self._under_way) or self.room <= 0

    def resume(self) -> None:
        """Queue what an earlier run could not get, or was not to get under other limits."""
        limits = json.dumps([self.scope.depth, dict(self.scope.paths), self.scope.subdomains], sort_keys=True)
        if self.store.get_meta("limits") != limits:
            self.store.requeue("refused", BEYOND_DEPTH)
            self.store.set_meta("limits", limits)
        for state, reason in self.store.reasons():
            if state == "failed" and reason.startswith(PASSING):
                self.store.requeue(state, reason)

    def take(self, limit: int) -> list[PageRow]:
        """The next pages to fetch, breadth first; they count as under way until they are stored, failed or refused."""
        rows = self.store.pending(min(limit, self.room), self._under_way) if self.room > 0 else []
        self._under_way.update(row.id for row in rows)
        return rows

    def find(self, url: str, depth: int = 0) -> int:
        """Enter a URL from outside (the start page, a sitemap) and return its page number in the store."""
        found = self._found(url, depth)
        if found is None:
            raise WebstructError(f"{url} is not on the site {', '.join(sorted(self.scope.hosts))}")
        return self.store.add([found])[0]

    # What became of it

    def accept(self, page_id: int, page: Page, fetched: Fetched, *, wanted: Collection[str] = ()) -> None:
        """Keep a page: count its words, sketch its structure, and store it with the URLs it leads to.

        URLs whose keys are `wanted` go before all others. After that, `probes` may hold addresses to ask for; what they
        show is to be handed to `learn_not_found`.
        """
        row = self._row(page_id)
        if row.parent is not None and self._is_not_found(page):
            self.fail(page_id, SOFT_404, fetched.status)
            return
        content_hash = _content_hash(page)
        is_copy = self._traps.is_copy(row.url, content_hash)
        original = self._first_with.get(content_hash) if content_hash is not None else None
        known_page = self._row(original) if original is not None else None
        if known_page and known_page.content_hash == content_hash and _same_path(known_page, row):
            found = Found(known_page.url, known_page.depth, key=known_page.key)
            self.store.redirect(page_id, found, SAME_PAGE, fetched.status)
            self._under_way.discard(page_id)
            return
        links = [None] * len(page.link_urls) if is_copy else self._links(page, row.depth + 1, wanted)
        targets = self.store.store_page(
            page_id,
            status=fetched.status,
            body=fetched.body,
            arrays=page.pack(),
            links=links,
            url=fetched.url,
            reason="copy of another page" if is_copy else _remark(page, fetched),
            fetched_at=fetched.fetched_at,
            etag=fetched.etag,
            last_modified=fetched.last_modified,
            content_hash=content_hash,
        )
        self._under_way.discard(page_id)
        if content_hash is not None:
            self._first_with.setdefault(content_hash, page_id)
        if row.parent is None or original is not None:
            self._want_probe(row.url)
        words_before = len(self.entropy)
        self._count(page)
        own = pattern_of(row.url)
        outside = {target for link, target in zip(links, targets, strict=True) if link and pattern_of(link.url) != own}
        self._traps.watch(row.url, new_words=len(self.entropy) > words_before, targets=outside)
        self._unsaved += 1
        if self._unsaved >= max(_CHECKPOINT_PAGES, len(self.families) // 4):
            self.save()

    def replace(self, row: PageRow, page: Page, fetched: Fetched, *, wanted: Collection[str] = ()) -> None:
        """Keep a new version of a stored page in place of the old one."""
        with self.store.transaction():
            self._take_out(row)
            self.store.store_page(
                row.id,
                status=fetched.status,
                body=fetched.body,
                arrays=page.pack(),
                links=self._links(page, row.depth + 1, wanted),
                url=fetched.url,
                reason=_remark(page, fetched),
                etag=fetched.etag,
                last_modified=fetched.last_modified,
                content_hash=_content_hash(page),
                replace=True,
            )
        self._count(page)
        self._under_way.discard(row.id)

    def gone(
        self, row: PageRow, reason: str, status: int | None = None, *, redirect: Found | None = None
    ) -> int | None:
        """Record that a stored page is no more; returns the page that it `redirect`s to, if it does."""
        with self.store.transaction():
            self._take_out(row)
            onward = self.store.vanish(row.id, reason, status, redirect=redirect)
        self._under_way.discard(row.id)
        return onward

    def enter_links(self, page_id: int, page: Page) -> Iterator[None]:
        """Enter the URLs of a page with very many, some at a time, so that the caller can do other things in between.

        To be gone through before `accept`, which then finds them known: ten thousand new ones at once take half a second.
        """
        depth = self._row(page_id).depth + 1
        for begin in range(0, len(page.link_urls), _LINKS_AT_ONCE):
            found = (self._found(url, depth) for url in page.link_urls[begin : begin + _LINKS_AT_ONCE])
            self.store.add([one._replace(parent=page_id) for one in found if one is not None])
            yield

    def learn_not_found(self, page: Page) -> None:
        """Take note of what the site shows, as if it were a good page, for an address that does not exist."""
        start = self.store.page(urls.key(self.start_url))
        if start is None or start.state != "stored":
            return
        if found := NotFoundPage.learn(page, Page.unpack(self.store.arrays(start.id))):
            self._not_found.append(found)
            logger.info("%s answers as if it were a page: such pages are taken for errors", page.url)
            self.store.set_meta(
                "not_found", json.dumps([[*map(sorted, (one.shown, one.message))] for one in self._not_found])
            )

    def redirect(self, page_id: int, url: str, *, kind: str, status: int) -> str | None:
        """Follow a page to another URL.

        Gives the URL to fetch for the same page where the two are spellings of one (http and https, a trailing slash);
        else the page is recorded as a redirect, the target is queued as a page of its own, and None is returned.
        """
        row = self._row(page_id)
        target = urls.clean(url)
        if row.depth == 0 and row.parent is None and not self.scope.contains(target):
            self.widen(urls.host_of(target))
        if urls.key(target) == row.key:
            return target
        self._traps.watch(row.url, new_words=False)
        found = self._found(target, row.depth)
        if found is None:
            self.refuse(page_id, OFF_SITE, status)
        else:
            self.store.redirect(page_id, found._replace(priority=row.priority), kind, status)
            self._under_way.discard(page_id)
        return None

    def fail(self, page_id: int, reason: str, status: int | None = None) -> None:
        """Record that a page could not be had."""
        self.store.fail(page_id, reason, status)
        self._under_way.discard(page_id)

    def refuse(self, page_id: int, reason: str, status: int | None = None) -> None:
        """Record that a URL is none of the site's pages."""
        self.store.refuse(page_id, reason, status)
        self._under_way.discard(page_id)

    def widen(self, host: str) -> None:
        """Take another host for part of the site: the start page redirects there, or a project's own spider went there."""
        if host not in self.scope.hosts:
            self.scope = replace(self.scope, hosts=self.scope.hosts | {host})
            self.store.set_meta("hosts", json.dumps(sorted(self.scope.hosts)))
            logger.info("%s is taken for part of the site", host)

    # What lasts

    def save(self) -> None:
        """Save the statistics as of the pages stored so far."""
        sequence = self.store.last_sequence()
        with self.store.transaction():
            self.store.history.clear_outdated()
            self.store.save_statistics("terms", self.entropy.save(), sequence)
            self.store.save_statistics("families", self.families.save(), sequence)
            self.store.save_statistics("traps", self._traps.save(), sequence)
            self.store.set_meta("readable", str(self.readable))
        self._saved_sequence = sequence
        self._unsaved = 0

    def keep(self, conclusion: Conclusion) -> None:
        """Keep what the closing analysis found out."""
        self.families.use_settled(conclusion.settled)
        with self.store.transaction():
            conclusion.save(self.store)
            self.store.set_meta(LEARNED_IN_RUN, str(max((run.id for run in self.store.runs()), default=0)))
            self.save()

    def _restore(self) -> None:
        saved = {name: self.store.load_statistics(name) for name in ("terms", "families", "traps")}
        after = 0
        if saved["terms"] and saved["families"] and saved["traps"]:
            self.entropy = TermEntropy.load(saved["terms"][0])
            self.families = Families.load(saved["families"][0])
            self._traps = TrapGuard.load(saved["traps"][0])
            after = saved["terms"][1]
            self.readable = int(self.store.get_meta("readable") or 0)
            for url, arrays in self.store.history.outdated():
                self._discount(url, Page.unpack(arrays))
        self._saved_sequence = after
        for _, arrays in self.store.iter_arrays(after):
            self._count(Page.unpack(arrays))
        for row in self.store.pages():
            if row.content_hash is not None:
                self._first_with.setdefault(row.content_hash, row.id)
        if hosts := self.store.get_meta("hosts"):
            self.scope = replace(self.scope, hosts=self.scope.hosts | set(json.loads(hosts)))
        self._not_found = [NotFoundPage(*one) for one in json.loads(self.store.get_meta("not_found") or "[]")]
        self._probed = set(json.loads(self.store.get_meta("probed") or "[]"))
        self.store.set_meta("start_url", self.start_url)

    # Helpers, in the order of use

    def _row(self, page_id: int) -> PageRow:
        row = self.store.page(page_id)
        if row is None:
            raise WebstructError(f"page {page_id} is not in the store")
        return row

    def _count(self, page: Page) -> None:
        self.entropy.update(*page.term_counts())
        self.families.collect(page)
        self.readable += _is_readable(page)

    def _discount(self, url: str, page: Page) -> None:
        self.entropy.remove(*page.term_counts())
        self.families.discard(url)
        self.readable -= _is_readable(page)

    def _is_not_found(self, page: Page) -> bool:
        return any(known.is_shown_by(page) for known in self._not_found)

    def _want_probe(self, url: str) -> None:
        """Ask what a folder shows for an address that does not exist, once."""
        address = probe_url(url)
        if address not in self._probed and len(self._probed) < _MAX_PROBES:
            self._probed.add(address)
            self.store.set_meta("probed", json.dumps(sorted(self._probed)))
            self.probes.append(address)

    def _links(self, page: Page, depth: int, wanted: Collection[str]) -> list[Found | None]:
        """What each link of a page means for the crawl; a link leading back to the page's own spelling included."""
        links = (self._found(url, depth) for url in page.link_urls)
        return [link._replace(priority=WANTED) if link and link.key in wanted else link for link in links]

    def _take_out(self, row: PageRow) -> None:
        """Subtract a stored page from the statistics, also from those saved earlier, should the process die."""
        arrays = self.store.arrays(row.id)
        self._discount(row.url, Page.unpack(arrays))
        if row.sequence is not None and row.sequence <= self._saved_sequence:
            self.store.history.add_outdated(row.url, arrays)

    def _found(self, url: str, depth: int) -> Found | None:
        try:
            address = urls.clean(url)
        except ValueError:
            return None
        if not self.scope.contains(address):
            return None
        reason = self._traps.reason(address)
        if reason is None and depth > self.scope.limit(address):
            reason = BEYOND_DEPTH
        if reason is None and _file_type(address) not in _PAGE_TYPES:
            reason = NOT_A_PAGE
        return Found(address, depth, reason=reason, key=urls.key(address))


def _same_path(one: PageRow, other: PageRow) -> bool:
    """Whether only parameters tell two pages apart: if they show the same, they are the same."""
    return one.key.partition("?")[0] == other.key.partition("?")[0]


def _remark(page: Page, fetched: Fetched) -> str | None:
    """What to know of a page that is kept all the same."""
    if cuts := (*page.cuts, *(("transfer",) if fetched.cut else ())):
        return "cut: " + ", ".join(cuts)
    return None if page.chunks or page.link_urls else "no content"


def _is_readable(page: Page) -> bool:
    return sum(len(chunk) for chunk in page.chunks if len(chunk) >= _PARAGRAPH_CHARS) >= _ARTICLE_CHARS


def _content_hash(page: Page) -> bytes | None:
    """A fingerprint of what a reader sees; None for pages that show too little to be told apart by it."""
    text = page.text()
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest() if len(text) >= _HASHED_CHARS else None


def _file_type(url: str) -> str | None:
    """What a browser would expect behind the URL, by its file name; None if nothing in particular."""
    name = url.partition("?")[0].rpartition("/")[2]
    return _FILE_TYPES.guess_type(name.lower())[0] if "." in name else None
