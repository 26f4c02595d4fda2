"""A focused crawl of a known site without the fetching: look at its lists again, take what is new, notice what changed.

The site was learned by a `site` crawl; its store knows the TOC pages, where their entries stand, the families and their
wrappers. `FocusedCrawl` hands out what is due and takes in what came; `delivery.py` makes articles of it. What was found is
in the store at every moment, so that a run that died is simply run again.
"""

from __future__ import annotations

import heapq
import json
import logging
import math
from collections import Counter, deque
from typing import TYPE_CHECKING

from webstruct.agenda import Due, allowed, articles_by_value, due_lists
from webstruct.crawl import SOFT_404, STORE_NAME, WANTED, Fetched, SiteCrawl
from webstruct.entries import Entries, differences, next_page
from webstruct.errors import WebstructError
from webstruct.history import Check
from webstruct.known_site import KnownFamilies, KnownLists
from webstruct.page import Page
from webstruct.scope import Scope, clean, host_of, key
from webstruct.store import Decision, PageRow, Store, utc_now
from webstruct.versions import changes

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from webstruct.entries import Differences

logger = logging.getLogger(__name__)

SUSPECT = 2  # the priority of known articles that a list shows otherwise than before, or not any more
GONE = "gone"
MOVED = "moved"
_GONE_STATUS = (404, 410)
_MOVED_STATUS = (301, 308)
_NO_ENTRIES = Entries((), in_place=True)


class FocusedCrawl(SiteCrawl):
    """The state of a focused crawl; see the module's docstring.

    Parameters
    ----------
    everything
        Look at all TOC pages and articles, due or not.
    budget
        How many pages to ask for at the most; None for no limit.

    """

    def __init__(
        self, store: Store, start_url: str, scope: Scope, *, everything: bool = False, budget: int | None = None
    ) -> None:
        super().__init__(store, start_url, scope, max_pages=10**9)
        if not self.families.settled_pages:
            raise WebstructError(f"the crawl of {start_url} was never analysed; run the site spider to its end first")
        self.run = store.begin_run({"spider": "focused", "all": everything, "budget": budget})
        self.tally: Counter[str] = Counter()
        self.gone_urls: list[str] = []
        self.reading = Reading()
        self.known_families = KnownFamilies(store)
        self.fits: dict[tuple[int, str], list[float]] = {}
        self._known_lists = KnownLists(store)
        self._everything = everything
        self._budget = math.inf if budget is None else budget
        self._now = utc_now()
        self._checks = store.history.checks()
        tocs = [row for row in store.pages() if row.type == "toc"]
        self._list_ids = {row.id for row in tocs}
        continued = self._known_lists.continued
        self._due = due_lists(tocs, self._checks, self._now, continued=continued, everything=everything)
        self._known: deque[PageRow] | None = None
        self._taken: set[int] = set()
        self._heirs: dict[int, str] = {}  # where pages moved to, and the types of those

    @classmethod
    def open_known(cls, folder: Path, *, everything: bool = False, budget: int | None = None) -> FocusedCrawl:
        """Open the known site in `folder`."""
        store = Store.open(folder / STORE_NAME)
        try:
            start_url = store.get_meta("start_url")
            if start_url is None:
                raise WebstructError(f"{folder} holds no crawl yet; learn the site first, with scrapy crawl site")
            depth, paths, *subdomains = json.loads(store.get_meta("limits") or "[null, {}]")
            scope = Scope(frozenset({host_of(start_url)}), any(subdomains), depth, paths)
            crawl = cls(store, start_url, scope, everything=everything, budget=budget)
            crawl.resume()
            return crawl
        except BaseException:
            store.close()
            raise

    # What to fetch

    @property
    def requests(self) -> int:
        """How many pages were asked for: lists, new articles, known articles."""
        return self.tally["lists"] + self.tally["wanted"] + self.tally["known"]

    @property
    def over_budget(self) -> bool:
        """Whether something was left for the next run because the budget is spent."""
        return self.requests >= self._budget and bool(self._due or self._wanted())

    @property
    def exhausted(self) -> bool:
        """Whether nothing can be handed out for now; what is under way may still bring something."""
        return self.requests >= self._budget or not (self._list_is_next() or self._wanted() or self._known_is_next())

    def take(self, limit: int) -> list[PageRow]:
        """The next pages to fetch: TOC pages and new articles by value, then known articles worth a look."""
        rows: list[PageRow] = []
        while len(rows) < limit and not self.exhausted:
            rows.append(row := self._next())
            self._under_way.add(row.id)
            self._taken.add(row.id)
        return rows

    def _next(self) -> PageRow:
        if self._list_is_next():
            self.tally["lists"] += 1
            return self._row(heapq.heappop(self._due).page)
        if wanted := self._wanted():
            self.tally["wanted"] += 1
            return wanted[0]
        assert self._known
        self.tally["known"] += 1
        return self._known.popleft()

    def _wanted(self) -> list[PageRow]:
        return self.store.pending(1, self._under_way, least_priority=WANTED)

    def _list_is_next(self) -> bool:
        """Whether the best TOC page is worth more than a new article.

        Where every request counts, TOC pages are asked for one by one: what the last one lists may be worth more.
        """
        if not self._due or (self._budget < math.inf and self._list_ids & self._under_way):
            return False
        return -self._due[0].value >= 1 or not self._wanted()

    def _known_is_next(self) -> bool:
        """Whether a known article may be looked at: when all lists are read, because they tell which."""
        if self._under_way:
            return False
        if self._known is None:
            self._known = deque(self._known_by_value())
        return bool(self._known) and self.tally["known"] < self._allowed_for(self._known[0])

    def _allowed_for(self, row: PageRow) -> float:
        """How many known articles may be looked at, if the next is this one.

        One that is in question may cost what was saved on lists that are not due; another one only the usual share.
        """
        if self._everything:
            return math.inf
        asked = self.tally["lists"] + self.tally["wanted"]
        if row.priority < SUSPECT:
            return allowed(asked)
        bound = len(self._list_ids) + self.tally["wanted"]
        return bound - asked + allowed(bound)

    def _known_by_value(self) -> list[PageRow]:
        """Articles in question first, those of earlier runs too; then by age."""
        for name in self.reading.cleared:
            if (row := self.store.page(name)) is not None:
                self.store.set_priority(row.id, WANTED)
        known = [row for row in self.store.pages() if row.type == "article" and row.id not in self._taken]
        ranked = articles_by_value(known, self._checks, self._now, everything=self._everything)
        place = {page: number for number, page in enumerate(ranked)}
        chosen = (row for row in known if row.id in place or row.priority >= SUSPECT)
        return sorted(chosen, key=lambda row: (-row.priority if row.priority >= SUSPECT else 0, place.get(row.id, 0)))

    # What became of it

    def accept(self, page_id: int, page: Page, fetched: Fetched, *, wanted: Collection[str] = ()) -> None:
        """Take in a page: a new one, or one that is known as it is now."""
        row = self._row(page_id)
        if row.state != "stored":
            self.tally["answered"] += 1
            self._accept_new(row, page, fetched)
            return
        old = Page.unpack(self.store.arrays(page_id))
        if old.chunks == page.chunks and old.link_urls == page.link_urls:
            self.unchanged(page_id)
            return
        if row.parent is not None and self._is_not_found(page):
            self.fail(page_id, SOFT_404, _GONE_STATUS[0])
            return
        self.tally["answered"] += 1
        if row.type == "toc":
            self._accept_list(row, old, page, fetched)
        else:
            self._accept_article(row, old, page, fetched)

    def unchanged(self, page_id: int) -> None:
        """Take note that a known page is what it was."""
        self.tally["answered"] += 1
        self.tally["unchanged"] += 1
        self._look(self._row(page_id), changed=False)
        self._under_way.discard(page_id)

    def _accept_new(self, row: PageRow, page: Page, fetched: Fetched) -> None:
        family, likeness = self.families.assign(page)
        kind = self._heirs.get(row.id) or self.known_families.type_of(family)
        entries = self._entries(page, None, family) if kind == "toc" else _NO_ENTRIES
        with self.store.transaction():
            super().accept(row.id, page, fetched, wanted=entries.by_key)
            if self._row(row.id).state != "stored":  # it is a page that is known, with other parameters
                return
            self.store.assign([Decision(row.id, kind, family, likeness)])
            if kind == "article":
                self.store.history.add_version(row.id, self._now, None)
        if kind == "article":
            self._measure_article(page, family, self.families.nearest(page)[0])
        elif kind == "toc":
            self._read(page, entries)

    def _accept_list(self, row: PageRow, old: Page, page: Page, fetched: Fetched) -> None:
        """Queue the articles that a TOC page lists for the first time, in one step with storing it.

        Else, if the process died between the two, the next run would find the page unchanged.
        """
        family, _ = self.families.assign(page)
        before = self._entries(old, row.id, row.family)
        after = self._entries(page, row.id, family)
        found = differences(before, after)
        new = [name for name in after.by_key if self._is_new(name)]
        self.reading.new_keys.update(new)
        with self.store.transaction():
            self.replace(row, page, fetched, wanted=after.by_key)
            self._assign(row, family)
            for name in found.added:
                self._queue_again(name)
            for name in [*found.retitled, *found.reworded, *found.missing]:
                self._suspect(name)
            self._check(row, changed=list(before.by_key) != list(after.by_key), found=len(new))
        if (expected := row.family if family is None else family) is not None:
            self.fits.setdefault((expected, "lists"), []).append(after.in_place)
        self.reading.take_differences(found)
        self._read(page, after)

    def _accept_article(self, row: PageRow, old: Page, page: Page, fetched: Fetched) -> None:
        """Replace an article; whether its text is another one is decided when its family is certain."""
        family, _ = self.families.assign(page)
        before, after = self.known_families.read(old, row.family), self.known_families.read(page, family)
        is_new_version = family is None or bool(changes(before, after))
        with self.store.transaction():
            self.replace(row, page, fetched)
            self._assign(row, family)
            self._look(row, changed=is_new_version)
            if is_new_version:
                self.store.history.add_version(row.id, self._now, before._asdict())
        self._measure_article(page, family, row.family)

    def fail(self, page_id: int, reason: str, status: int | None = None) -> None:
        """Record that a page could not be had; one that was known is kept, unless the server says that it is gone.

        A server that finds nothing at all has lost more than its pages: then nothing is taken for gone.
        """
        row = self._row(page_id)
        if row.state != "stored":
            super().fail(page_id, reason, status)
        elif status in _GONE_STATUS and self.tally["answered"] > self.tally["gone"]:
            self.tally["gone"] += 1
            self.gone_urls.append(row.url)
            self.gone(row, GONE, status)
        else:
            self._keep_as_it_is(row, reason)

    def refuse(self, page_id: int, reason: str, status: int | None = None) -> None:
        """Record that a URL is none of the site's pages; one that was known is kept."""
        row = self._row(page_id)
        if row.state != "stored":
            super().refuse(page_id, reason, status)
        else:
            self._keep_as_it_is(row, reason)

    def redirect(self, page_id: int, url: str, *, kind: str, status: int) -> str | None:
        """Follow a page to another URL; a known one only if it moved for good."""
        row = self._row(page_id)
        if row.state != "stored":
            return super().redirect(page_id, url, kind=kind, status=status)
        target = clean(url)
        if key(target) == row.key:
            return target
        found = self._found(target, row.depth)
        if status not in _MOVED_STATUS or found is None:
            self._keep_as_it_is(row, kind)
            return None
        onward = self.gone(row, MOVED, status, redirect=found._replace(priority=WANTED))
        if onward is not None and row.type is not None:
            self._heirs[onward] = row.type
        return None

    def _keep_as_it_is(self, row: PageRow, reason: str) -> None:
        logger.info("%s is kept as it was: %s", row.url, reason)
        self.tally["failed"] += 1
        self._under_way.discard(row.id)

    # Helpers

    def _want_probe(self, url: str) -> None:
        """No probes: what the site shows for addresses that do not exist is known from when it was learned."""

    def _entries(self, page: Page, page_id: int | None, family: int | None) -> Entries:
        return self._known_lists.entries(page, page_id, family, self._is_article)

    def _is_article(self, name: str) -> bool:
        """Whether a URL's key is that of an article, or of a page that leads on to one."""
        row = self.store.page(name)
        if row is not None and row.redirect is not None:
            row = self.store.page(row.redirect)
        return row is not None and row.state == "stored" and row.type == "article"

    def _is_new(self, name: str) -> bool:
        """Whether an entry was never asked for, nor found on another list before."""
        row = self.store.page(name)
        return row is None or (row.state == "pending" and row.priority < WANTED)

    def _suspect(self, name: str) -> None:
        """Remember, whatever becomes of this run, that an article is in question."""
        row = self.store.page(name)
        if row is not None and row.state == "stored" and row.type == "article":
            self.store.set_priority(row.id, SUSPECT)

    def _assign(self, row: PageRow, family: int | None) -> None:
        """A page of another design is of another family, or of none that is known."""
        assert row.type is not None
        self.store.assign([Decision(row.id, row.type, family, row.confidence, row.hub, row.authority, row.rank)])

    def _queue_again(self, name: str) -> None:
        """An article that failed or was gone, and is listed anew, is worth another try."""
        row = self.store.page(name)
        if row is not None and row.state == "failed":
            self.store.requeue_page(row.id, WANTED)

    def _read(self, page: Page, entries: Entries) -> None:
        """Take note of the entries of a TOC page; go on to the page that carries it on while no known article appears."""
        self.reading.take(page.url, entries)
        rows = [self.store.page(name) for name in entries.by_key if name not in self.reading.new_keys]
        if not entries.by_key or any(row and row.state != "pending" for row in rows):
            return
        onward = next_page(page)
        row = self.store.page(key(onward)) if onward else None
        if row is not None and row.id in self._list_ids and row.id not in self._taken:
            heapq.heappush(self._due, Due(-math.inf, row.id))
        elif onward and row is None and (found := self._found(onward, 0)):
            self.store.add([found._replace(priority=WANTED)])

    def _look(self, row: PageRow, *, changed: bool) -> None:
        """Remember a look at an article: it is no longer in question."""
        self.store.set_priority(row.id, min(row.priority, WANTED))
        self._check(row, changed=changed)

    def _check(self, row: PageRow, *, changed: bool, found: int = 0) -> None:
        """Remember this look at a page; before the first, when the page was stored."""
        history = self.store.history
        if row.id not in self._checks and row.fetched_at:
            history.add_check(Check(row.id, row.fetched_at, changed=False))
        history.add_check(Check(row.id, self._now, changed, found))

    def _measure_article(self, page: Page, family: int | None, expected: int | None) -> None:
        """Count for the family that a page should be of whether it looks like it and gives an article."""
        judged = self.known_families.with_articles(expected if family is None else family)
        if judged is not None and family in (None, judged):
            article = self.known_families.extract(page, judged)
            fits = family is not None and self.known_families.fits(article, judged)
            self.fits.setdefault((judged, "wrapper"), []).append(fits)
            if (share := self.known_families.template_fit(page, judged)) is not None:
                self.fits.setdefault((judged, "template"), []).append(share)


class Reading:
    """What the lists of one run showed.

    Attributes
    ----------
    lists
        By the URL of a TOC page: the URLs of its entries.
    new_keys
        Articles that were found for the first time.
    toc_urls, anchor_texts
        By an article's key: the TOC pages that list it, and the words by which they do.

    """

    def __init__(self) -> None:
        self.lists: dict[str, list[str]] = {}
        self.new_keys: set[str] = set()
        self.toc_urls: dict[str, list[str]] = {}
        self.anchor_texts: dict[str, list[str]] = {}
        self._missing: set[str] = set()
        self._otherwise: set[str] = set()

    def take(self, url: str, entries: Entries) -> None:
        """Take note of the entries of a TOC page."""
        self.lists[url] = [entry.url for entry in entries.entries]
        for name, entry in entries.by_key.items():
            self.toc_urls.setdefault(name, []).append(url)
            if entry.title:
                self.anchor_texts.setdefault(name, []).append(entry.title)

    def take_differences(self, found: Differences) -> None:
        """Take note of what a TOC page shows otherwise than before."""
        self._missing.update(found.missing)
        self._otherwise.update(found.retitled, found.reworded)

    @property
    def cleared(self) -> set[str]:
        """Articles that one TOC page has lost, but another one shows as ever: they are not in question."""
        return {name for name in self._missing if name in self.toc_urls} - self._otherwise
