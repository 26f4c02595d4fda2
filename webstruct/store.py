"""The store of one site: crawl frontier, pages, links, statistics, families and runs in one SQLite file.

Frontier and pages are one table. Each URL ever found is one row, whose state says what became of it; a
request under way is simply still pending, and is handed out again after a restart. `Store` states what is
promised; `webstruct.database` has the care for the file and the packing of contents.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from webstruct.database import (
    Database,
    Format,
    Packer,
    StoreCorrupt,
    StoreError,
    StoreLocked,
    StoreVersion,
    adapt,
    clean_text,
    damaged,
)
from webstruct.history import TABLES, History

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from numpy.typing import NDArray

__all__ = [
    "Counts",
    "Decision",
    "Family",
    "Fit",
    "Found",
    "PageRow",
    "Run",
    "State",
    "Store",
    "StoreCorrupt",
    "StoreError",
    "StoreLocked",
    "StoreVersion",
]

State = Literal["pending", "stored", "failed", "refused"]

BATCH = 256  # rows that an iterator reads at a time
OFF_SITE = 0  # the target of a link that leaves the site

_VERSION_1 = """
    CREATE TABLE pages (                     -- every URL ever found
        id INTEGER PRIMARY KEY,
        url TEXT NOT NULL,                   -- as first found
        key TEXT NOT NULL UNIQUE,            -- the same for all spellings of one page's URL
        state TEXT NOT NULL CHECK (state IN ('pending', 'stored', 'failed', 'refused')),
        depth INTEGER NOT NULL,
        priority INTEGER NOT NULL,
        parent INTEGER,                      -- the page it was first found on
        reason TEXT,                         -- why failed or refused, or a remark such as 'truncated'
        status INTEGER,
        redirect INTEGER,                    -- the page that it only leads on to
        fetched_at TEXT,
        etag TEXT,
        last_modified TEXT,
        content_hash BLOB,
        sequence INTEGER UNIQUE,             -- 1, 2, 3, ... in the order of storing
        type TEXT,                           -- from here on: decisions of the closing analysis
        family INTEGER,
        confidence REAL,
        hub REAL,
        authority REAL,
        rank REAL,
        CHECK ((state = 'stored') = (sequence IS NOT NULL))
    ) STRICT;
    CREATE INDEX frontier ON pages (priority DESC, depth, id) WHERE state = 'pending';

    CREATE TABLE tallies (                   -- pages by state and reason, so that counting never scans
        state TEXT NOT NULL, reason TEXT NOT NULL, pages INTEGER NOT NULL, PRIMARY KEY (state, reason)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER page_found AFTER INSERT ON pages BEGIN
        INSERT INTO tallies VALUES (new.state, coalesce(new.reason, ''), 1)
            ON CONFLICT DO UPDATE SET pages = pages + 1;
    END;
    CREATE TRIGGER page_moved AFTER UPDATE OF state, reason ON pages BEGIN
        UPDATE tallies SET pages = pages - 1 WHERE state = old.state AND reason = coalesce(old.reason, '');
        INSERT INTO tallies VALUES (new.state, coalesce(new.reason, ''), 1)
            ON CONFLICT DO UPDATE SET pages = pages + 1;
    END;

    CREATE TABLE contents (                  -- arrays before the body: they are read far more often
        page INTEGER PRIMARY KEY,
        arrays_dictionary INTEGER, arrays BLOB NOT NULL,
        body_dictionary INTEGER, body BLOB NOT NULL
    ) STRICT;
    CREATE TABLE dictionaries (id INTEGER PRIMARY KEY, kind TEXT NOT NULL UNIQUE, value BLOB NOT NULL) STRICT;
    CREATE TABLE links (page INTEGER PRIMARY KEY, targets BLOB NOT NULL) STRICT;
    CREATE TABLE statistics (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, value BLOB NOT NULL) STRICT;
    CREATE TABLE families (
        id INTEGER PRIMARY KEY, type TEXT NOT NULL, pages INTEGER NOT NULL, value BLOB NOT NULL
    ) STRICT;
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY, started TEXT NOT NULL, finished TEXT, outcome TEXT,
        arguments TEXT NOT NULL, counts TEXT NOT NULL
    ) STRICT;
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""
_FITS = """
    CREATE TABLE fits (                      -- how well each family's pages fitted what was known of it, by run
        run INTEGER, family INTEGER, measure TEXT, pages INTEGER, value REAL, PRIMARY KEY (run, family, measure)
    ) STRICT;
"""
_APPLICATION = int.from_bytes(b"WbSt", "big")
FORMAT = Format(
    _APPLICATION,
    version=2,
    schema=_VERSION_1 + _FITS + TABLES,
    before=Format(_APPLICATION, 1, _VERSION_1),
    upgrade=_FITS + TABLES,
)


class Found(NamedTuple):
    """A URL found on a page.

    URLs with the same `key` (by default, the URL itself) are one page. With a `reason` (out of scope, a trap) it is
    refused at once, not queued.
    """

    url: str
    depth: int
    priority: int = 0
    parent: int | None = None
    reason: str | None = None
    key: str | None = None


class PageRow(NamedTuple):
    """One row of the table of pages, column by column."""

    id: int
    url: str
    key: str
    state: State
    depth: int
    priority: int
    parent: int | None
    reason: str | None
    status: int | None
    redirect: int | None
    fetched_at: str | None
    etag: str | None
    last_modified: str | None
    content_hash: bytes | None
    sequence: int | None
    type: str | None
    family: int | None
    confidence: float | None
    hub: float | None
    authority: float | None
    rank: float | None


class Decision(NamedTuple):
    """What the closing analysis decided on one page."""

    page: int
    type: str
    family: int | None = None
    confidence: float | None = None
    hub: float | None = None
    authority: float | None = None
    rank: float | None = None


class Family(NamedTuple):
    """Pages of one template; `value` is anything JSON can hold, such as the wrapper."""

    id: int
    type: str
    pages: int
    value: Any


class Fit(NamedTuple):
    """How well the pages of a family fitted in one run: `value` is the mean over `pages` of a measure such as 'template'."""

    run: int
    family: int
    measure: str
    pages: int
    value: float


class Run(NamedTuple):
    """One crawl; `outcome` is None while it runs, and 'interrupted' if its process died."""

    id: int
    started: str
    finished: str | None
    outcome: str | None
    arguments: dict[str, Any]
    counts: dict[str, Any]


class _Known(NamedTuple):
    """What matters of a row when its URL is found again."""

    id: int
    pending: bool
    depth: int
    priority: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many URLs are in each state."""

    stored: int = 0
    failed: int = 0
    refused: int = 0
    pending: int = 0

    @property
    def found(self) -> int:
        """All URLs: each is in exactly one state."""
        return self.stored + self.failed + self.refused + self.pending


class Store:
    """The store of one site, opened with `Store.open`.

    Promises, each with a test of its own in ``tests/test_store.py``:

    1. A page, its body, its arrays, its links and the URLs it leads to are stored together or not at all, and
       a step that returned survives ``kill -9`` (a power cut may take the last steps, never a part of one).
       So after any crash found = stored + failed + refused + pending, nothing is lost and nothing is counted
       twice.
    2. There is one writer. A second one is refused with `StoreLocked`; the lock ends with its process.
       Reading is always possible beside it, and never changes the file.
    3. A file that is empty, cut, damaged or foreign is refused with `StoreCorrupt` and left as it is, byte
       for byte. The whole file is checked when it is opened, and each content has a checksum that is verified
       when it is read. (What nothing repeats cannot be seen: a flipped bit in an HTTP status or in the spelling
       of a URL, whose key is safe; a whole page of the file written over the families.)
    4. A file of an earlier format is brought up to date when it is opened for writing, in one step. One of a
       later format, or an earlier one opened for reading only, is refused with `StoreVersion`, which names
       both versions and the remedy.
    5. Values go in as what they are, or not at all: numpy scalars as SQLite numbers, NaN and integers beyond
       64 bits refused by the name of their field, lone surrogates and NUL in text as U+FFFD.
    6. A full disk or a write-protected file ends in a `StoreError` that names the file; the step is rolled
       back and the store stays good.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._packer = Packer(database)
        self.history = History(database, self._packer)

    @classmethod
    def open(cls, path: str | Path, *, read_only: bool = False, exist_ok: bool = True) -> Self:
        """Open the store at `path`; create it, with its folders, if it is missing and not `read_only`.

        A caller who means to begin anew gives ``exist_ok=False``, which refuses a file that exists.
        """
        store = cls(Database.open(Path(path), FORMAT, read_only=read_only, exist_ok=exist_ok))
        try:
            store._check_counts()
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Close the file and let the next writer in; closing twice does no harm."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all or nothing of what is done inside.

        A nested one joins the outer: if it fails, the whole fails, even if the caller catches its error. In a
        read-only store all reads inside see the same state, whatever a writer does meanwhile.
        """
        try:
            with self._database.transaction():
                yield
        except BaseException:
            self._packer.forget()
            raise

    # The frontier

    def add(self, found: Iterable[Found]) -> list[int]:
        """Enter URLs and return the id of each, in order.

        An unknown URL becomes pending, or refused if it carries a reason. A known one keeps its row; but a
        smaller depth lowers that of a row still pending, so that depth is the shortest way known when a page
        is fetched, and a higher priority raises it.
        """
        with self.transaction():
            return self._enter_all(list(found), None)

    def pending(self, limit: int, exclude: Collection[int] = (), *, least_priority: int | None = None) -> list[PageRow]:
        """Return the next pages to fetch, by priority, then depth, then age; without those in `exclude`.

        Walks an index of the pending pages alone, so it takes as many steps as it returns and excludes.
        """
        rows = self._database.rows(
            "SELECT * FROM pages WHERE state = 'pending' AND priority >= coalesce(:least, priority)"
            " AND id NOT IN (SELECT value FROM json_each(:exclude))"
            " ORDER BY priority DESC, depth, id LIMIT :limit",
            exclude=json.dumps([int(page) for page in exclude]),
            least=least_priority,
            limit=limit,
        )
        return [PageRow(*row) for row in rows]

    def store_page(
        self,
        page: int,
        *,
        status: int,
        body: bytes,
        arrays: bytes,
        links: Sequence[Found | None],
        url: str | None = None,
        reason: str | None = None,
        fetched_at: str | None = None,
        etag: str | None = None,
        last_modified: str | None = None,
        content_hash: bytes | None = None,
        replace: bool = False,
    ) -> list[int]:
        """Store a fetched page with all that hangs on it, in one transaction; return its targets' ids.

        The page may have failed or been refused before. Its links come in document order, and have it as their
        parent unless they name another; None stands for a link that leaves the site, and gives the target 0. `url`
        is where it was fetched in the end, if not where it was first found. `reason` is a remark on a page that is kept
        all the same ('truncated'); `fetched_at` is ISO 8601 in UTC, by default now.

        To store a stored page again is an error, because it would count twice; unless `replace` says that it
        was fetched anew: then contents and links are replaced, and it moves to the end of the sequence.
        """
        with self.transaction():
            row = self._existing(page)
            if row.state == "stored" and not replace:
                raise StoreError(f"page {page} ({row.url}) is stored already; replace=True would store it anew")
            targets = self._enter_all(links, page)
            self._save_contents(page, body, arrays, targets)
            self._database.execute(
                "UPDATE pages SET state = 'stored', sequence = :sequence, status = :status, reason = :reason,"
                " url = coalesce(:url, url),"
                " fetched_at = :fetched_at, etag = :etag,"
                " last_modified = :last_modified, content_hash = :content_hash WHERE id = :page",
                page=page,
                sequence=self.last_sequence() + 1,
                status=status,
                reason=reason,
                url=url,
                fetched_at=fetched_at or utc_now(),
                etag=etag,
                last_modified=last_modified,
                content_hash=content_hash,
            )
        return targets

    def fail(self, page: int, reason: str, status: int | None = None) -> None:
        """Record that a pending page could not be fetched or read, and why."""
        self._end(page, "failed", reason, status)

    def refuse(self, page: int, reason: str, status: int | None = None) -> None:
        """Record that a pending page is not to be fetched or kept, and why."""
        self._end(page, "refused", reason, status)

    def redirect(self, page: int, target: Found, reason: str, status: int) -> int:
        """Refuse a page that only leads on to another, and enter that one; return its id."""
        with self.transaction():
            (onward,) = self._enter_all([target], page)
            self._end(page, "refused", reason, status)
            self._database.execute("UPDATE pages SET redirect = :onward WHERE id = :page", onward=onward, page=page)
        return onward

    def requeue(self, state: State, reason: str) -> int:
        """Make the pages that failed or were refused for `reason` pending again; return how many."""
        with self.transaction():
            changed = self._database.execute(
                "UPDATE pages SET state = 'pending', reason = NULL, status = NULL, redirect = NULL"
                " WHERE state = :state AND reason = :reason AND state IN ('failed', 'refused')",
                state=state,
                reason=reason,
            )
        return changed.rowcount

    def requeue_page(self, page: int, priority: int) -> None:
        """Make one page that failed or was refused pending again."""
        with self.transaction():
            row = self._existing(page)
            if row.state not in ("failed", "refused"):
                raise StoreError(f"page {page} ({row.url}) is {row.state}, so it cannot be queued again")
            self._database.execute(
                "UPDATE pages SET state = 'pending', priority = :priority, reason = NULL, status = NULL,"
                " redirect = NULL WHERE id = :page",
                page=page,
                priority=priority,
            )

    def set_priority(self, page: int, priority: int) -> None:
        """Change how urgent a page is, to fetch or to look at again."""
        with self.transaction():
            self._database.execute(
                "UPDATE pages SET priority = :priority WHERE id = :page", page=page, priority=priority
            )

    def vanish(self, page: int, reason: str, status: int | None = None, *, redirect: Found | None = None) -> int | None:
        """Record that a stored page is no more; its contents and links go. Enters where it `redirect`s to, if anywhere."""
        with self.transaction():
            row = self._existing(page)
            if row.state != "stored":
                raise StoreError(f"page {page} ({row.url}) is {row.state}, so it cannot vanish")
            onward = self._enter_all([redirect], page)[0] if redirect else None
            self._database.execute(
                "UPDATE pages SET state = 'failed', sequence = NULL, content_hash = NULL, reason = :reason, status = :status,"
                " redirect = :onward WHERE id = :page",
                page=page,
                reason=reason,
                status=status,
                onward=onward,
            )
            for table in ("contents", "links"):
                self._database.execute(f"DELETE FROM {table} WHERE page = :page", page=page)  # noqa: S608
            self.history.forget_page(page)
        return onward

    def redirects(self) -> dict[int, int]:
        """Return where the pages lead that only lead on to another."""
        return dict(self._database.rows("SELECT id, redirect FROM pages WHERE redirect IS NOT NULL"))

    # Counting

    def counts(self) -> Counts:
        """Count the URLs by state, in microseconds however many there are."""
        return Counts(**dict(self._database.rows("SELECT state, sum(pages) FROM tallies GROUP BY state")))

    def reasons(self) -> Counter[tuple[State, str]]:
        """Count the URLs that carry a reason, by state and reason."""
        rows = self._database.rows("SELECT state, reason, pages FROM tallies WHERE reason <> '' AND pages > 0")
        return Counter({(state, reason): pages for state, reason, pages in rows})

    def last_sequence(self) -> int:
        """Return the sequence of the page stored last; 0 before the first."""
        return int(self._database.rows("SELECT coalesce(max(sequence), 0) FROM pages")[0][0])

    # Pages and their contents

    def page(self, key: int | str) -> PageRow | None:
        """Return the row of a page by id or key; None if there is none."""
        by_key, by_id = "SELECT * FROM pages WHERE key = :key", "SELECT * FROM pages WHERE id = :key"
        rows = self._database.rows(by_key if isinstance(key, str) else by_id, key=key)
        return PageRow(*rows[0]) if rows else None

    def pages(self, state: State = "stored") -> Iterator[PageRow]:
        """Yield the pages of one state: stored ones in the order of storing, others in the order of finding.

        Like all iterators here it holds one batch of rows, and storing meanwhile does no harm: what is stored
        after the iterator was made is left out.
        """
        if state not in get_args(State):
            raise StoreError(f"{state!r} is no state of a page; give one of {', '.join(get_args(State))}")
        if state == "stored":
            query = (
                "SELECT sequence, * FROM pages WHERE sequence > :after AND sequence <= :last"
                " ORDER BY sequence LIMIT :batch"
            )
            rows = self._stream(query, last=self.last_sequence())
        else:
            query = "SELECT id, * FROM pages WHERE state = :state AND id > :after ORDER BY id LIMIT :batch"
            rows = self._stream(query, state=state)
        return (PageRow(*row[1:]) for row in rows)

    def sample(self, family: int, kind: str, limit: int) -> list[int]:
        """Return the ids of some stored pages of a family and type, the newest first."""
        query = (
            "SELECT id FROM pages WHERE state = 'stored' AND family = :family AND type = :kind"
            " ORDER BY sequence DESC LIMIT :limit"
        )
        return [page for (page,) in self._database.rows(query, family=family, kind=kind, limit=limit)]

    def body(self, page: int) -> bytes:
        """Return the body of a stored page as it was fetched."""
        return self._content(page, "SELECT body_dictionary, body FROM contents WHERE page = :page", "body")

    def arrays(self, page: int) -> bytes:
        """Return the arrays of a stored page."""
        return self._content(page, "SELECT arrays_dictionary, arrays FROM contents WHERE page = :page", "arrays")

    def iter_arrays(self, after_sequence: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield (page, arrays) in the order of storing, beginning after `after_sequence`."""
        query = (
            "SELECT sequence, id, arrays_dictionary, arrays FROM pages JOIN contents ON page = id"
            " WHERE sequence > :after AND sequence <= :last ORDER BY sequence LIMIT :batch"
        )
        rows = self._stream(query, after_sequence, last=self.last_sequence())
        return ((page, self._packer.unpack(packed, f"arrays of page {page}", key)) for _, page, key, packed in rows)

    def links(self, page: int) -> NDArray[np.int64]:
        """Return the ids of the pages that a stored page links to, in document order."""
        return _targets(self._content(page, "SELECT NULL, targets FROM links WHERE page = :page", "links"))

    def iter_links(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield (page, target ids) of all stored pages, in the order of their ids."""
        rows = self._stream("SELECT page, targets FROM links WHERE page > :after ORDER BY page LIMIT :batch")
        return ((page, _targets(self._packer.unpack(packed, f"links of page {page}"))) for page, packed in rows)

    # What is learned

    def save_statistics(self, name: str, value: bytes, sequence: int) -> None:
        """Save statistics over all pages up to `sequence`, replacing earlier ones of that name.

        Statistics are one large value, too dear to write with each page. So they are saved now and then, with
        the sequence of the last page in them. After a crash the caller loads them and replays
        ``iter_arrays(after_sequence=sequence)``, and they are exact again. A page stored anew is replayed
        like a new one: take its old arrays out of the statistics before you replace it.
        """
        statement = "INSERT OR REPLACE INTO statistics VALUES (:name, :sequence, :value)"
        with self.transaction():
            self._database.execute(statement, name=name, sequence=sequence, value=self._packer.pack(value))

    def load_statistics(self, name: str) -> tuple[bytes, int] | None:
        """Return (value, sequence) as last saved under `name`, or None."""
        rows = self._database.rows("SELECT value, sequence FROM statistics WHERE name = :name", name=name)
        return (self._packer.unpack(rows[0][0], f"statistics {name!r}"), rows[0][1]) if rows else None

    def assign(self, decisions: Iterable[Decision]) -> None:
        """Write the decisions of the closing analysis into the rows of their pages, all or none."""
        statement = (
            "UPDATE pages SET type = :type, family = :family, confidence = :confidence, hub = :hub,"
            " authority = :authority, rank = :rank WHERE id = :page"
        )
        with self.transaction():
            for decision in decisions:
                if not self._database.execute(statement, **decision._asdict()).rowcount:
                    raise StoreError(f"page {decision.page} is not in {self._database.path}")

    def save_families(self, families: Iterable[Family], former: Mapping[int, int] | None = None) -> None:
        """Replace all families by these.

        With `former`, the numbers that families had before by the numbers that they have now, their fits follow them, and
        those of a family that is no more are dropped.
        """
        statement = "INSERT INTO families VALUES (:id, :type, :pages, :value)"
        with self.transaction():
            if former is not None:
                self._renumber_fits({old: new for new, old in former.items()})
            self._database.execute("DELETE FROM families")
            for family in families:
                value = self._packer.pack(to_json("value", family.value).encode())
                self._database.execute(statement, **family._replace(value=value)._asdict())

    def families(self) -> list[Family]:
        """Return the families, by id."""
        rows = map(Family._make, self._database.rows("SELECT * FROM families ORDER BY id"))
        return [row._replace(value=json.loads(self._packer.unpack(row.value, f"family {row.id}"))) for row in rows]

    def save_fits(self, fits: Iterable[Fit]) -> None:
        """Add fits to those of earlier runs; one of the same run, family and measure is replaced."""
        statement = "INSERT OR REPLACE INTO fits VALUES (:run, :family, :measure, :pages, :value)"
        with self.transaction():
            for fit in fits:
                self._database.execute(statement, **fit._asdict())

    def fits(self, measure: str) -> list[Fit]:
        """Return the fits of one measure, by run and family."""
        query = "SELECT * FROM fits WHERE measure = :measure ORDER BY run, family"
        return [Fit(*row) for row in self._database.rows(query, measure=measure)]

    # Runs and notes

    def begin_run(self, arguments: Mapping[str, Any]) -> int:
        """Record that a crawl begins, and return its id.

        A run that never finished is marked as interrupted: there is one writer, so its process must have
        died.
        """
        statement = "INSERT INTO runs (started, arguments, counts) VALUES (:started, :arguments, '{}')"
        with self.transaction():
            self._database.execute("UPDATE runs SET outcome = 'interrupted' WHERE outcome IS NULL")
            written = to_json("arguments", dict(arguments))
            return int(self._database.execute(statement, started=utc_now(), arguments=written).lastrowid or 0)

    def finish_run(self, run: int, outcome: str, counts: Mapping[str, Any]) -> None:
        """Record how a crawl ended."""
        statement = (
            "UPDATE runs SET finished = :finished, outcome = :outcome, counts = :counts"
            " WHERE id = :run AND outcome IS NULL"
        )
        with self.transaction():
            written = to_json("counts", dict(counts))
            changed = self._database.execute(statement, run=run, finished=utc_now(), outcome=outcome, counts=written)
            if not changed.rowcount:
                raise StoreError(f"run {run} is not under way in {self._database.path}")

    def runs(self) -> list[Run]:
        """Return all runs, the oldest first."""
        rows = map(Run._make, self._database.rows("SELECT * FROM runs ORDER BY id"))
        return [
            row._replace(arguments=json.loads(str(row.arguments)), counts=json.loads(str(row.counts))) for row in rows
        ]

    def get_meta(self, key: str) -> str | None:
        """Return the note under `key`, such as the start URL; None if there is none."""
        rows = self._database.rows("SELECT value FROM meta WHERE key = :key", key=key)
        return rows[0][0] if rows else None

    def set_meta(self, key: str, value: str) -> None:
        """Keep a note under `key`."""
        with self.transaction():
            self._database.execute("INSERT OR REPLACE INTO meta VALUES (:key, :value)", key=key, value=value)

    # Helpers, in the order of use

    def _renumber_fits(self, number_of: Mapping[int, int]) -> None:
        fits = [Fit(*row) for row in self._database.rows("SELECT * FROM fits")]
        self._database.execute("DELETE FROM fits")
        self.save_fits(fit._replace(family=number_of[fit.family]) for fit in fits if fit.family in number_of)

    def _check_counts(self) -> None:
        """Compare the counts that must agree: a row that vanished, or a wrong figure, is damage too."""
        with self._database.transaction():  # one state, though a writer may be at work
            (actual,) = self._database.rows(
                "SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM contents), (SELECT count(*) FROM links)"
            )
            differences = self._database.rows(
                "SELECT state, coalesce(reason, ''), count(*) FROM pages GROUP BY 1, 2"
                " EXCEPT SELECT state, reason, pages FROM tallies"
            )
            counts = self.counts()
        if differences or actual != (counts.found, counts.stored, counts.stored):
            raise damaged(self._database.path, "its counts do not agree with its pages")

    def _enter_all(self, links: Sequence[Found | None], parent: int | None) -> list[int]:
        keys = [clean_text(link.key or link.url) if link else "" for link in links]
        known = self._known(list(filter(None, keys)))
        return [
            self._enter(key, link, parent, known) if link else OFF_SITE for key, link in zip(keys, links, strict=True)
        ]

    def _known(self, keys: list[str]) -> dict[str, _Known]:
        """Look up keys in one query."""
        rows = self._database.rows(
            "SELECT pages.key, pages.id, state = 'pending', depth, priority"
            " FROM json_each(:keys) AS wanted JOIN pages ON pages.key = wanted.value",
            keys=json.dumps(keys),
        )
        return {key: _Known(*row) for key, *row in rows}

    def _enter(self, key: str, link: Found, parent: int | None, known: dict[str, _Known]) -> int:
        if key not in known:
            entered = self._database.execute(
                "INSERT INTO pages (url, key, state, depth, priority, parent, reason) VALUES"
                " (:url, :key, iif(:reason IS NULL, 'pending', 'refused'), :depth, :priority, :parent, :reason)",
                url=clean_text(link.url),
                key=key,
                depth=link.depth,
                priority=link.priority,
                parent=parent if link.parent is None else link.parent,
                reason=link.reason,
            )
            known[key] = _Known(int(entered.lastrowid or 0), link.reason is None, link.depth, link.priority)
        row = known[key]
        if row.pending and (link.depth < row.depth or link.priority > row.priority):
            better = row._replace(depth=min(link.depth, row.depth), priority=max(link.priority, row.priority))
            statement = "UPDATE pages SET depth = :depth, priority = :priority WHERE id = :page"
            self._database.execute(statement, depth=better.depth, priority=better.priority, page=row.id)
            known[key] = better
        return row.id

    def _existing(self, page: int) -> PageRow:
        row = self.page(page)
        if row is None:
            raise StoreError(f"page {page} is not in {self._database.path}")
        return row

    def _save_contents(self, page: int, body: bytes, arrays: bytes, targets: list[int]) -> None:
        arrays_dictionary, packed_arrays = self._packer.pack_alike("arrays", arrays)
        body_dictionary, packed_body = self._packer.pack_alike("body", body)
        packed_targets = self._packer.pack(np.array(targets, dtype="<i8").tobytes())
        self._database.execute(
            "INSERT OR REPLACE INTO contents VALUES (:page, :arrays_dictionary, :arrays, :body_dictionary, :body)",
            page=page,
            arrays_dictionary=arrays_dictionary,
            arrays=packed_arrays,
            body_dictionary=body_dictionary,
            body=packed_body,
        )
        statement = "INSERT OR REPLACE INTO links VALUES (:page, :targets)"
        self._database.execute(statement, page=page, targets=packed_targets)

    def _end(self, page: int, state: State, reason: str, status: int | None) -> None:
        statement = "UPDATE pages SET state = :state, reason = :reason, status = :status WHERE id = :page"
        with self.transaction():
            row = self._existing(page)
            if row.state != "pending":
                raise StoreError(f"page {page} ({row.url}) is {row.state}, so it cannot become {state}")
            self._database.execute(statement, page=page, state=state, reason=reason, status=status)

    def _stream(self, query: str, after: int = 0, **parameters: object) -> Iterator[Any]:
        """Yield the rows of a query whose first column is its key, a batch at a time."""
        while rows := self._database.rows(query, after=after, batch=BATCH, **parameters):
            yield from rows
            after = rows[-1][0]

    def _content(self, page: int, query: str, what: str) -> bytes:
        rows = self._database.rows(query, page=page)
        if rows:
            dictionary, packed = rows[0]
            return self._packer.unpack(packed, f"{what} of page {page}", dictionary)
        row = self._existing(page)
        if row.state == "stored":
            raise damaged(self._database.path, f"the {what} of page {page} is missing")
        raise StoreError(f"page {page} ({row.url}) is {row.state}; only stored pages have {what}")


def utc_now() -> str:
    """Return the time as it is written everywhere in the store: ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def to_json(field: str, value: object) -> str:
    """Write `value` as JSON under the same rules as a column; NaN is no JSON."""
    try:
        return clean_text(
            json.dumps(value, ensure_ascii=False, allow_nan=False, default=lambda item: adapt(field, item))
        )
    except (TypeError, ValueError) as error:
        raise StoreError(f"{field}: {error}") from error


def _targets(packed: bytes) -> NDArray[np.int64]:
    return np.frombuffer(packed, dtype="<i8").astype(np.int64)
