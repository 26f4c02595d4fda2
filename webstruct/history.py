"""What a store remembers from run to run: where lists have their entries, every look at a known page, article versions.

These are the tables of focused crawls. A page of the site is one row of `pages`, which is the present; this is the past.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from webstruct.database import Database, Packer

# So many looks at a page are remembered: enough for its rate of change, and few enough to notice when that changes.
CHECKS_KEPT = 50

TABLES = """
    CREATE TABLE lists (                     -- TOC pages: places of their entries, key of the page that carries them on
        page INTEGER PRIMARY KEY, places TEXT NOT NULL, next TEXT
    ) STRICT;
    CREATE TABLE checks (                    -- looks at pages that were known already, and articles first found there
        page INTEGER NOT NULL, at TEXT NOT NULL, changed INTEGER NOT NULL, found INTEGER NOT NULL,
        PRIMARY KEY (page, at)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE versions (                  -- articles that focused runs brought; the rest is version 1
        page INTEGER NOT NULL, version INTEGER NOT NULL, seen TEXT NOT NULL,
        previous BLOB,                       -- the article before, as JSON, until the new version is delivered
        changes TEXT,                        -- what differs, as JSON
        delivery INTEGER,                    -- the number of the delivery that brought it to the user
        PRIMARY KEY (page, version)
    ) STRICT;
    CREATE INDEX undelivered ON versions (page) WHERE delivery IS NULL;
    CREATE TABLE outdated (                  -- contents replaced since the statistics were saved, which still count them
        id INTEGER PRIMARY KEY, url TEXT NOT NULL, arrays BLOB NOT NULL
    ) STRICT;
"""


class TocList(NamedTuple):
    """A TOC page: in which places of the template how many entries stand, and the key of the page that carries it on."""

    page: int
    places: dict[str, int]
    next: str | None = None


class Check(NamedTuple):
    """One look at a known page: whether it had changed, and how many articles were first found there."""

    page: int
    at: str
    changed: bool
    found: int = 0


class Version(NamedTuple):
    """A version of an article that is still to be delivered; `previous` is the article before, if there was one."""

    page: int
    version: int
    previous: dict[str, Any] | None


class History:
    """The past of one site; a part of its `Store`."""

    def __init__(self, database: Database, packer: Packer) -> None:
        self._database = database
        self._packer = packer

    # Lists

    def save_lists(self, lists: Iterable[TocList]) -> None:
        """Replace all lists by these."""
        statement = "INSERT INTO lists VALUES (:page, :places, :next)"
        with self._database.transaction():
            self._database.execute("DELETE FROM lists")
            for page, places, onward in lists:
                self._database.execute(statement, page=page, places=json.dumps(places), next=onward)

    def lists(self) -> Iterator[TocList]:
        """The lists, by page."""
        for page, places, onward in self._database.rows("SELECT * FROM lists ORDER BY page"):
            yield TocList(page, json.loads(places), onward)

    # Checks

    def add_check(self, check: Check) -> None:
        """Remember a look at a page, and forget the oldest ones."""
        with self._database.transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO checks VALUES (:page, :at, :changed, :found)", **check._asdict()
            )
            self._database.execute(
                "DELETE FROM checks WHERE page = :page AND at <="
                " (SELECT at FROM checks WHERE page = :page ORDER BY at DESC LIMIT 1 OFFSET :kept)",
                page=check.page,
                kept=CHECKS_KEPT,
            )

    def checks(self) -> dict[int, list[Check]]:
        """All looks by page, the oldest first."""
        found: dict[int, list[Check]] = {}
        for page, at, changed, new in self._database.rows("SELECT * FROM checks ORDER BY page, at"):
            found.setdefault(page, []).append(Check(page, at, bool(changed), new))
        return found

    # Versions

    def add_version(self, page: int, seen: str, previous: dict[str, Any] | None) -> int:
        """Enter a version that is to be delivered and return its number.

        While one is still to be delivered, a page that changes once more gets no second one.
        """
        (last, waiting), *_ = self._database.rows(
            "SELECT coalesce(max(version), 0), coalesce(sum(delivery IS NULL), 0) FROM versions WHERE page = :page",
            page=page,
        )
        if waiting:
            return int(last)
        version = (last or (1 if previous else 0)) + 1
        with self._database.transaction():
            self._database.execute(
                "INSERT INTO versions VALUES (:page, :version, :seen, :previous, NULL, NULL)",
                page=page,
                version=version,
                seen=seen,
                previous=self._packer.pack(json.dumps(previous, ensure_ascii=False).encode()) if previous else None,
            )
        return int(version)

    def undelivered(self) -> list[int]:
        """Pages with a version that is still to be delivered."""
        rows = self._database.rows("SELECT page FROM versions WHERE delivery IS NULL ORDER BY page")
        return [page for (page,) in rows]

    def version(self, page: int) -> Version:
        """The version of a page that is still to be delivered."""
        ((version, previous),) = self._database.rows(
            "SELECT version, previous FROM versions WHERE page = :page AND delivery IS NULL", page=page
        )
        before = (
            json.loads(self._packer.unpack(previous, f"version {version - 1} of page {page}")) if previous else None
        )
        return Version(page, version, before)

    def drop_version(self, page: int) -> None:
        """Take back a version that turned out to be none: what changed was not the article."""
        with self._database.transaction():
            self._database.execute("DELETE FROM versions WHERE page = :page AND delivery IS NULL", page=page)

    def deliver(self, delivery: int, changes: Sequence[tuple[int, dict[str, Any] | None]]) -> None:
        """Record that these pages' versions have reached the user, and what was new in each, all or none."""
        with self._database.transaction():
            for page, difference in changes:
                self._database.execute(
                    "UPDATE versions SET delivery = :delivery, changes = :changes, previous = NULL"
                    " WHERE page = :page AND delivery IS NULL",
                    page=page,
                    delivery=delivery,
                    changes=json.dumps(difference, ensure_ascii=False) if difference else None,
                )

    def deliveries(self) -> int:
        """The number of the last delivery; 0 before the first."""
        return int(self._database.rows("SELECT coalesce(max(delivery), 0) FROM versions")[0][0])

    def forget_page(self, page: int) -> None:
        """Take a page that is gone out of the lists and out of what is to be delivered."""
        with self._database.transaction():
            self._database.execute("DELETE FROM lists WHERE page = :page", page=page)
            self.drop_version(page)

    # Contents that the saved statistics still count

    def add_outdated(self, url: str, arrays: bytes) -> None:
        """Keep the arrays of a page that is being replaced, or is gone, until the statistics are saved again."""
        with self._database.transaction():
            self._database.execute(
                "INSERT INTO outdated (url, arrays) VALUES (:url, :arrays)", url=url, arrays=self._packer.pack(arrays)
            )

    def outdated(self) -> Iterator[tuple[str, bytes]]:
        """URL and arrays of contents to be taken out of the statistics as they were last saved."""
        for number, url in self._database.rows("SELECT id, url FROM outdated ORDER BY id"):
            ((arrays,),) = self._database.rows("SELECT arrays FROM outdated WHERE id = :number", number=number)
            yield url, self._packer.unpack(arrays, f"outdated arrays of {url}")

    def clear_outdated(self) -> None:
        """The statistics are saved without these contents."""
        with self._database.transaction():
            self._database.execute("DELETE FROM outdated")
