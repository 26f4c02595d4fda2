"""One SQLite file that is either whole or refused; the strict door in front of a forgiving database.

SQLite takes an empty file for a new database, counts the rows of a damaged one, keeps numpy's integers as
BLOBs and NaN as NULL. Here a file is created, locked, checked and written, values are adapted and packed, and
every error is explained. What the file means, and what is promised of it, stands in `webstruct.store`.
"""

from __future__ import annotations

import math
import os
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import zstandard
from filelock import FileLock, Timeout

from webstruct.errors import WebstructError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

Kind = Literal["body", "arrays"]

INTEGER_LIMIT = 2**63
SMALLEST_FILE = 512  # SQLite takes anything shorter for a new database
FAULTS = (sqlite3.Error, UnicodeDecodeError)  # the latter where SQLite's own message quotes damaged text
LEVEL = 3
SAMPLES = 16  # pages that a compression dictionary is made of, at most
DICTIONARY_BYTES = 512 * 1024  # twice as much gained 7 % in size

EXPLANATIONS = {
    sqlite3.SQLITE_FULL: "the disk is full; nothing of this step was kept. Free some space and run again",
    sqlite3.SQLITE_READONLY: "the store is open for reading only, or its file or folder is write-protected",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; check that it exists and its folder can be written",
    sqlite3.SQLITE_BUSY: "another program holds the file; close it and run again",
    sqlite3.SQLITE_IOERR: "the disk reports an error; nothing of this step was kept",
}

LATEST_CONTENTS: dict[Kind, str] = {
    "body": "SELECT body_dictionary, body FROM pages JOIN contents ON page = id ORDER BY sequence DESC LIMIT :samples",
    "arrays": "SELECT arrays_dictionary, arrays FROM pages JOIN contents ON page = id"
    " ORDER BY sequence DESC LIMIT :samples",
}


class StoreError(WebstructError):
    """The store cannot do what was asked; the message names the file or field, and the remedy."""


class StoreLocked(StoreError):
    """Another process writes to this store."""


class StoreCorrupt(StoreError):
    """The file is damaged, or is no store. It was left exactly as it is."""


class StoreVersion(StoreError):
    """The file has a format that this version of the package does not read."""


class Format(NamedTuple):
    """What makes a file ours: SQLite's application id and user version, and the schema to the letter."""

    application: int
    version: int
    schema: str
    before: Format | None = None
    upgrade: str = ""  # what to add to a file of the format before


def clean_text(text: str) -> str:
    r"""Replace what SQLite cannot hold as text (lone surrogates, NUL) by U+FFFD, as an HTML parser does.

    >>> clean_text("caf\ud800\x00é")
    'caf��é'
    """
    text = text.replace("\0", "\ufffd")
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def adapt(field: str, value: object) -> int | float | str | bytes | None:
    """Turn `value` into what SQLite stores for it, or refuse it by the name of its field.

    A function of our own, because `sqlite3.register_adapter` would change every database of the process.
    """
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, (int, np.integer, np.bool_)):
        number = int(value)
        if not -INTEGER_LIMIT <= number < INTEGER_LIMIT:
            raise StoreError(f"{field}: {number} does not fit into 64 bits")
        return number
    if isinstance(value, (float, np.floating)):
        if math.isnan(value):
            raise StoreError(f"{field}: NaN is not a value; give None where nothing is known")
        return float(value)
    raise StoreError(f"{field}: {type(value).__name__} cannot be stored; give a number, text, bytes or None")


class Database:
    """An open SQLite file of a given `Format`; every error leaves as a `StoreError` that names the file."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: FileLock | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        self._inside = False  # a transaction
        self._broken = False

    @classmethod
    def open(cls, path: Path, layout: Format, *, read_only: bool, exist_ok: bool) -> Self:
        """Open the file, or create it unless `read_only`; refuse it before a single byte is changed.

        Both ways check it through a read-only connection, which can neither roll back a foreign journal nor
        write the log back into a damaged file.
        """
        path = path.resolve()
        if read_only:
            return cls(path, _connect_to_read(path, layout), None)
        lock = _lock(path)
        try:
            if not path.exists():
                _create(path, layout)
            elif not exist_ok:
                raise StoreError(f"{path} exists already; choose another folder, or continue it")
            else:
                _bring_up_to_date(path, layout)
            _connect_to_read(path, layout).close()
            return cls(path, _connect_to_write(path), lock)
        except BaseException:
            lock.release()
            raise

    def close(self) -> None:
        """Close the file and let the next writer in; closing twice does no harm."""
        self._connection.close()
        if self._lock:
            self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all or nothing of what is done inside; a nested one joins the outer, and fails it if it fails.

        Not a savepoint, which could fail alone: it doubled the time to store a page.
        """
        if self._inside:
            self._refuse_if_broken()
            try:
                yield
            except BaseException:
                self._broken = True
                raise
            return
        self.execute("BEGIN IMMEDIATE" if self._lock else "BEGIN")
        self._inside, self._broken = True, False
        try:
            yield
            self._refuse_if_broken()
            self.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk can make SQLite roll back by itself
                self.execute("ROLLBACK")
            raise
        finally:
            self._inside = False

    def _refuse_if_broken(self) -> None:
        if self._broken:
            raise StoreError(f"{self.path}: a step of this transaction failed, so nothing of it can be kept")

    def execute(self, statement: str, /, **parameters: object) -> sqlite3.Cursor:
        """Run one statement with named parameters, each adapted under its own name."""
        bound = {field: adapt(field, value) for field, value in parameters.items()}
        try:
            return self._connection.execute(statement, bound)
        except FAULTS as error:
            raise _explain(self.path, error) from error

    def rows(self, statement: str, /, **parameters: object) -> list[Any]:
        """Return all rows of a query at once, so that no half-read cursor meets a write or a rollback."""
        cursor = self.execute(statement, **parameters)
        try:
            return cursor.fetchall()
        except FAULTS as error:
            raise _explain(self.path, error) from error


class Packer:
    """Packs contents with zstd, and with a dictionary of the site's own pages once there are some.

    Pages of one site resemble each other, so the raw text of a few whole pages as a dictionary makes them 2
    to 5 times smaller than zstd alone; the same amount in pieces of pages hardly helps. The database keeps
    the dictionaries, and each packed row names its own, so rows from before stay readable. Every packed value
    carries a checksum.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._codecs: dict[int | None, _Codec] = {}
        self._dictionaries: dict[Kind, int] = {}

    def pack(self, value: bytes) -> bytes:
        """Pack a value that resembles no other."""
        return self._codec(None).compress(value)

    def pack_alike(self, kind: Kind, value: bytes) -> tuple[int | None, bytes]:
        """Pack a value that resembles others of its kind, inside a transaction: (dictionary, packed)."""
        dictionary = self._dictionary(kind)
        return dictionary, self._codec(dictionary).compress(value)

    def unpack(self, packed: bytes, what: str, dictionary: int | None = None) -> bytes:
        """Unpack `what`, which is reported as damaged if its checksum is wrong."""
        try:
            return self._codec(dictionary).decompress(packed)
        except (zstandard.ZstdError, MemoryError) as error:  # a damaged length may ask for any amount
            raise damaged(self._database.path, f"the checksum of the {what} is wrong") from error

    def forget(self) -> None:
        """Forget what was read or made: a rollback may have taken a new dictionary back."""
        self._codecs.clear()
        self._dictionaries.clear()

    def _codec(self, dictionary: int | None) -> _Codec:
        if dictionary not in self._codecs:
            self._codecs[dictionary] = _Codec(b"" if dictionary is None else self._load(dictionary))
        return self._codecs[dictionary]

    def _load(self, dictionary: int) -> bytes:
        rows = self._database.rows("SELECT value FROM dictionaries WHERE id = :id", id=dictionary)
        if not rows:
            raise damaged(self._database.path, f"compression dictionary {dictionary} is missing")
        return self.unpack(rows[0][0], f"compression dictionary {dictionary}")

    def _dictionary(self, kind: Kind) -> int | None:
        if kind not in self._dictionaries:
            rows = self._database.rows("SELECT id FROM dictionaries WHERE kind = :kind", kind=kind)
            dictionary = rows[0][0] if rows else self._make_dictionary(kind)
            if dictionary is None:
                return None
            self._dictionaries[kind] = dictionary
        return self._dictionaries[kind]

    def _make_dictionary(self, kind: Kind) -> int | None:
        """Make a dictionary of the latest pages; tried once in SAMPLES pages, until they have any content."""
        (stored,) = self._database.rows("SELECT sum(pages) FROM tallies WHERE state = 'stored'")[0]
        if not stored or stored % SAMPLES:
            return None
        rows = self._database.rows(LATEST_CONTENTS[kind], samples=SAMPLES)
        material = _whole_samples([self.unpack(packed, kind, dictionary) for dictionary, packed in rows])
        if not material:
            return None
        statement = "INSERT INTO dictionaries (kind, value) VALUES (:kind, :value)"
        return self._database.execute(statement, kind=kind, value=self.pack(material)).lastrowid


class _Codec:
    """zstd with one dictionary; an empty one is none."""

    def __init__(self, dictionary: bytes) -> None:
        data = zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        data.precompute_compress(level=LEVEL)
        self._compressor = zstandard.ZstdCompressor(level=LEVEL, dict_data=data, write_checksum=True)
        self._decompressor = zstandard.ZstdDecompressor(dict_data=data)

    def compress(self, value: bytes) -> bytes:
        return self._compressor.compress(value)

    def decompress(self, packed: bytes) -> bytes:
        value = self._decompressor.decompress(packed, allow_extra_data=False)
        if not value and packed != self.compress(b""):  # zstandard verifies nothing where the length says 0
            raise zstandard.ZstdError("the length was damaged")
        return value


def _whole_samples(samples: list[bytes]) -> bytes:
    """Join whole samples as long as they fit, or take the beginning of the first if none does."""
    chosen: list[bytes] = []
    room = DICTIONARY_BYTES
    for sample in samples:
        if len(sample) <= room:
            chosen.append(sample)
            room -= len(sample)
    return b"".join(chosen) or samples[0][:DICTIONARY_BYTES]


def damaged(path: Path, finding: str) -> StoreCorrupt:
    """Word the refusal of a damaged file."""
    return StoreCorrupt(f"{path} is damaged: {finding}. It was left as it is; move it away or restore a copy")


def _explain(path: Path, error: Exception) -> StoreError:
    code = _kind_of(error)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or "decode" in str(error):
        return damaged(path, str(error))
    return StoreError(f"{path}: {EXPLANATIONS.get(code, 'SQLite refused a step')} ({error})")


def _kind_of(error: BaseException | None) -> int:
    """Return SQLite's primary error code, the low byte; 0 for errors of Python's module itself."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _lock(path: Path) -> FileLock:
    """Become the one writer. The system frees the lock when the process dies, however it dies."""
    lock = FileLock(f"{path}.lock", timeout=0, thread_local=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise StoreLocked(
            f"{path} is being written by another process; wait until it ends, or choose another folder"
        ) from None
    except OSError as error:
        raise StoreError(f"{path}: its folder cannot be written ({error.strerror})") from error
    return lock


def _create(path: Path, layout: Format) -> None:
    """Make the file under another name, then rename it: a half-made file is damage, never a fresh start."""
    if _has_log(path):
        raise StoreCorrupt(f"{path}-wal holds pages of a store that is gone; bring {path} back or move the log away")
    draft = Path(f"{path}.new")
    try:
        for suffix in ("", "-journal", "-wal", "-shm"):  # left by a creation that was killed
            Path(f"{draft}{suffix}").unlink(missing_ok=True)
        with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            connection.executescript(layout.schema)
            connection.execute(f"PRAGMA application_id = {layout.application:d}")
            connection.execute(f"PRAGMA user_version = {layout.version:d}")
            connection.execute("PRAGMA journal_mode = WAL")
        draft.rename(path)
        _flush_folder(path.parent)
    except FAULTS as error:
        raise _explain(path, error) from error
    except OSError as error:
        raise StoreError(f"{path} cannot be created ({error.strerror})") from error


def _bring_up_to_date(path: Path, layout: Format) -> None:
    """Add what the format before does not have, if the file is a whole one of that format."""
    if layout.before is None or _version(path) != layout.before.version:
        return
    _connect_to_read(path, layout.before).close()
    with closing(_connect_to_write(path)) as connection:
        try:
            connection.executescript(f"BEGIN; {layout.upgrade} PRAGMA user_version = {layout.version:d}; COMMIT;")
        except FAULTS as error:
            raise _explain(path, error) from error


def _version(path: Path) -> int | None:
    """The format of a file; None if it can't be read, which is for others to explain."""
    try:
        with closing(_connect(path, "mode=ro")) as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])
    except FAULTS:
        return None


def _has_log(path: Path) -> bool:
    log = Path(f"{path}-wal")
    return log.exists() and log.stat().st_size > 0


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _connect_to_write(path: Path) -> sqlite3.Connection:
    try:
        connection = _connect(path, "mode=rw")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection
    except FAULTS as error:
        raise _explain(path, error) from error


def _connect_to_read(path: Path, layout: Format) -> sqlite3.Connection:
    """Open for reading, and check; on read-only media, where SQLite cannot share memory, as it lies."""
    if not path.exists():
        raise StoreError(f"{path} does not exist; crawl the site first, or check the path")
    if path.stat().st_size < SMALLEST_FILE:
        raise damaged(path, "it is empty or cut")
    try:
        return _checked(path, "mode=ro", layout)
    except StoreError as error:
        if _kind_of(error.__cause__) != sqlite3.SQLITE_CANTOPEN or _has_log(path):
            raise
        return _checked(path, "immutable=1", layout)


def _connect(path: Path, options: str) -> sqlite3.Connection:
    # The closing analysis reads from a thread of its own; its steps never overlap.
    return sqlite3.connect(f"{path.as_uri()}?{options}", uri=True, isolation_level=None, check_same_thread=False)


def _checked(path: Path, options: str, layout: Format) -> sqlite3.Connection:
    """Connect, but refuse the file unless stamp, version, schema and every page of it are right."""
    connection = None
    try:
        connection = _connect(path, options)
        _check(connection, path, layout)
        return connection
    except BaseException as error:
        if connection:
            connection.close()
        if isinstance(error, FAULTS):
            raise _explain(path, error) from error
        raise


def _check(connection: sqlite3.Connection, path: Path, layout: Format) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != layout.application:
        raise StoreCorrupt(f"{path} is an SQLite file of another program; choose another folder")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != layout.version:
        remedy = "crawl the site again"
        if version > layout.version:
            remedy = "upgrade scrapy-webstruct"
        elif layout.before and version == layout.before.version:
            remedy = "crawl the site again, which brings it up to date"
        raise StoreVersion(
            f"{path} has store format {version}, but this version of scrapy-webstruct reads "
            f"{layout.version}; {remedy}, or choose another folder"
        )
    with closing(sqlite3.connect(":memory:")) as model:
        model.executescript(layout.schema)
        if _definitions(connection) != _definitions(model):
            raise damaged(path, "its tables are not those of its format")
    (finding,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if finding != "ok":
        raise damaged(path, finding)


def _definitions(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    """List what the schema defines: a changed trigger is as bad as a changed row."""
    return connection.execute(
        "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
    ).fetchall()
