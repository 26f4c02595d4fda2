"""Web archives (WARC, ISO 28500): what servers answered, read into a crawl's store and written from it.

Archives come from anywhere, so reading expects the worst: a file that is cut off or damaged, records that lie about their
length, compressed bombs. A record at a time is held, and none larger than a limit; whatever can't be used is skipped and
counted by reason, and reading goes on behind it.
"""

from __future__ import annotations

import gzip
import io
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import responses
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from w3lib.url import safe_url_string

from webstruct.crawl import SAME_PAGE
from webstruct.errors import WebstructError
from webstruct.files import atomic_file
from webstruct.page import Page
from webstruct.scope import clean, key
from webstruct.store import utc_now

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import IO

    from webstruct.store import PageRow, Store

GZIP_MAGIC, PLAIN_MAGIC = b"\x1f\x8b\x08", b"WARC/1."
CUT_OFF = "cut off"
NO_ADDRESS = "no usable address"
NO_RESPONSE = "no HTTP response"
TOO_LARGE = "too large"
UNREADABLE = "unreadable record"

_HTML_TYPES = ("text/html", "application/xhtml+xml")
_REDIRECT = 302
_SCAN_BYTES = 1 << 20


class ArchiveError(WebstructError):
    """An archive that can't be read or written; the message names it and the remedy."""


@dataclass(frozen=True)
class Capture:
    """What a server answered, as an archive keeps it.

    Attributes
    ----------
    body
        As it was sent, so compressed if a header says so.
    fetched_at
        ISO 8601 in UTC; None if the archive has no usable date.
    refers_to
        Of a repeated answer, which has no body: the URL under which the same body is kept.

    """

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    fetched_at: str | None = None
    refers_to: str | None = None

    def header(self, name: str) -> str:
        """The value of a header; empty if there is none."""
        return next((value for own, value in self.headers if own.lower() == name), "")

    @property
    def is_html(self) -> bool:
        """Whether this is a page by what the server said."""
        return self.status == HTTPStatus.OK and self.header("content-type").partition(";")[0].strip() in _HTML_TYPES


class WarcReader:
    """The captures of some archives, in the order of the files; can be gone through again and again.

    Attributes
    ----------
    skipped
        What the last pass left out, by reason.
    done, total
        How far it is, in bytes.

    """

    def __init__(self, paths: Sequence[Path], *, max_bytes: int) -> None:
        for path in paths:
            if not path.is_file():
                raise ArchiveError(f"{path} is not a file; name the WARC files to import")
        self._library = _library()
        self._paths = paths
        self._max_bytes = max_bytes
        self.total = sum(path.stat().st_size for path in paths)
        self.done = 0
        self.skipped: Counter[str] = Counter()

    def __iter__(self) -> Iterator[Capture]:
        self.done = 0
        self.skipped.clear()
        for path in self._paths:
            before, records = self.done, 0
            for record in self._records(path):
                self.done = before + record.stream_pos
                records += 1
                try:
                    yield self._capture(record)
                except _Unusable as reason:
                    self.skipped[str(reason)] += 1
            if not records:
                self.skipped[f"no record in {path.name}"] += 1
            self.done = before + path.stat().st_size

    def start_page(self, url: str | None = None) -> str:
        """The page that the site begins with: the first one, or the one at `url`."""
        for capture in self:
            if capture.is_html and (url is None or is_same_page(capture.url, url)):
                return capture.url
        names = ", ".join(map(str, self._paths))
        if url is None:
            reasons = "".join(f"; {reason}: {count}" for reason, count in self.skipped.most_common(5))
            raise ArchiveError(f"{names} holds no HTML page that can be read (is it a WARC file?){reasons}")
        raise ArchiveError(f"{url} is no HTML page of {names}; leave --url out to begin with the first page")

    def _records(self, path: Path) -> Iterator[Any]:
        """Responses and their repetitions; where a file is damaged, go on with the next record that can be read."""
        types = self._library.WarcRecordType
        wanted = types.response | types.revisit
        with path.open("rb") as file:
            magic = GZIP_MAGIC if file.read(3) == GZIP_MAGIC else PLAIN_MAGIC
            begin: int | None = 0
            while begin is not None:
                file.seek(begin)
                last = begin - 1
                try:
                    for record in self._library.ArchiveIterator(file, parse_http=False, quirks_mode=True):
                        last = record.stream_pos
                        if record.record_type & wanted:
                            yield record
                    return
                except OSError:
                    if last < begin:
                        self.skipped[UNREADABLE] += 1
                begin = _find(file, magic, max(begin, last) + 1)

    def _capture(self, record: Any) -> Capture:
        url = _address(record.headers.get("WARC-Target-URI") or "")
        refers_to = record.headers.get("WARC-Refers-To-Target-URI") if record.headers.get("WARC-Profile") else None
        if record.content_length > self._max_bytes:
            raise _Unusable(TOO_LARGE)
        try:
            record.parse_http(auto_decode="none", quirks_mode=True)
            body = record.reader.read(self._max_bytes + 1)
        except OSError as error:
            raise _Unusable(UNREADABLE) from error
        status = record.http_headers.status_code if record.http_headers is not None else None
        if status is None and refers_to is None:
            raise _Unusable(NO_RESPONSE)
        if len(body) < record.content_length:
            raise _Unusable(CUT_OFF)
        headers = tuple(record.http_headers.to_tuples()) if record.http_headers is not None else ()
        capture = Capture(
            url=url,
            status=status or HTTPStatus.OK,
            headers=headers,
            body=body,
            fetched_at=_moment(record.headers.get("WARC-Date")),
            refers_to=None if refers_to is None else _address(refers_to),
        )
        return self._unchunked(capture)

    def _unchunked(self, capture: Capture) -> Capture:
        """Without the transfer encoding; many tools have removed it already and left the header."""
        if "chunked" not in capture.header("transfer-encoding").lower():
            return capture
        from fastwarc.stream_io import ChunkedReader

        try:
            return replace(capture, body=ChunkedReader(io.BytesIO(capture.body)).read())
        except OSError:
            return capture


class _Unusable(Exception):
    """Why a record is left out."""


def is_same_page(url: str, other: str) -> bool:
    """Whether two URLs are spellings of one page's."""
    return key(clean(url)) == key(clean(other))


def _library() -> Any:
    try:
        from fastwarc import warc
    except ImportError as error:
        raise ArchiveError("WARC files need fastwarc: pip install 'scrapy-webstruct[warc]'") from error
    return warc


def _address(text: str) -> str:
    """A URL as a request for it would spell it."""
    try:
        url = safe_url_string(text.strip("<> "))
        parts = urlsplit(clean(url))
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise _Unusable(NO_ADDRESS)
    return url


def _moment(text: str | None) -> str | None:
    try:
        return datetime.fromisoformat(text or "").astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return None


def _find(file: IO[bytes], wanted: bytes, begin: int) -> int | None:
    """Where `wanted` stands next in a file."""
    file.seek(begin)
    held = b""
    while block := file.read(_SCAN_BYTES):
        held += block
        if (place := held.find(wanted)) >= 0:
            return begin + place
        begin += len(held) - len(wanted) + 1
        held = held[1 - len(wanted) :]
    return None


def write_warc(store: Store, path: Path) -> Iterator[PageRow]:
    """Write the stored pages as an archive, compressed unless its name ends in .warc; yields each when it is written.

    The store keeps bodies, not headers: those that matter for reading a page again (its encoding, validators, redirects)
    are made from what is known. Pages come in the order of storing, redirects behind the page that they were found on,
    and last the addresses that only repeat a page, so that who reads the archive finds them as the crawl did.
    """
    library = _library()
    compressed = path.suffix != ".warc"
    redirects: dict[int | None, list[PageRow]] = {}
    for alias in store.pages("refused"):
        if alias.redirect is not None and alias.reason != SAME_PAGE:
            redirects.setdefault(alias.parent, []).append(alias)

    def write(record: Any) -> None:
        plain = io.BytesIO()
        record.write(plain, checksum_data=True)
        file.write(gzip.compress(plain.getvalue(), mtime=0) if compressed else plain.getvalue())

    def write_redirects(found_on: int | None, moment: str | None) -> None:
        waiting = redirects.pop(found_on, [])
        while waiting:
            alias = waiting.pop(0)
            if onward := store.page(alias.redirect or 0):
                write(_redirect_record(library, alias, onward, moment))
            waiting += redirects.pop(alias.id, [])

    with atomic_file(path, binary=True) as file:
        write_redirects(None, None)
        for row in store.pages():
            write(_page_record(library, row, _content_type(store, row), store.body(row.id)))
            write_redirects(row.id, row.fetched_at)
            yield row
        for alias in store.pages("refused"):
            original = store.page(alias.redirect) if alias.redirect and alias.reason == SAME_PAGE else None
            if original is not None and original.state == "stored":
                write(_repetition_record(library, alias, original, _content_type(store, original)))


def _content_type(store: Store, row: PageRow) -> str:
    return f"text/html; charset={Page.unpack(store.arrays(row.id)).encoding}"


def _page_record(library: Any, row: PageRow, content_type: str, body: bytes) -> Any:
    headers = [("Content-Type", content_type), ("ETag", row.etag), ("Last-Modified", row.last_modified)]
    return _record(library, "response", row.url, row.fetched_at, row.status or HTTPStatus.OK, headers, body)


def _redirect_record(library: Any, alias: PageRow, onward: PageRow, moment: str | None) -> Any:
    """Also of a redirect that the page itself asked for, with a status that says so."""
    status = alias.status if alias.status and 300 <= alias.status < 400 else _REDIRECT
    return _record(library, "response", alias.url, moment, status, [("Location", onward.url)])


def _repetition_record(library: Any, alias: PageRow, row: PageRow, content_type: str) -> Any:
    headers = [("Content-Type", content_type)]
    record = _record(library, "revisit", alias.url, row.fetched_at, alias.status or HTTPStatus.OK, headers)
    record.headers["WARC-Profile"] = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    record.headers["WARC-Refers-To-Target-URI"] = row.url
    record.headers["WARC-Refers-To-Date"] = _warc_date(row.fetched_at)
    return record


def _record(
    library: Any,
    kind: str,
    url: str,
    moment: str | None,
    status: int,
    headers: Iterable[tuple[str, str | None]],
    body: bytes = b"",
) -> Any:
    given = [*((name, value) for name, value in headers if value), ("Content-Length", str(len(body)))]
    lines = [
        f"HTTP/1.1 {status} {responses.get(status, '')}",
        *(f"{name}: {' '.join(value.split())}" for name, value in given),
    ]
    record = library.WarcRecord()
    record.init_headers(getattr(library.WarcRecordType, kind))
    record.headers["WARC-Target-URI"] = url
    record.headers["WARC-Date"] = _warc_date(moment)
    record.set_bytes_content("\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + body)
    record.headers["Content-Type"] = "application/http; msgtype=response"
    return record


def _warc_date(moment: str | None) -> str:
    return (moment or utc_now()).replace("+00:00", "Z")
