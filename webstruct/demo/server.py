"""A small web server on the loopback interface that serves a demo site and keeps a log of what was asked."""

from __future__ import annotations

import gzip
import hashlib
import socket
import sys
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Event, Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from webstruct.demo import faults

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from webstruct.demo.site import DemoSite
    from webstruct.demo.truth import DemoPage

IDLE_SECONDS = 30
CLOSE_SECONDS = 5


class LogEntry(NamedTuple):
    """One answered request: the path as the client wrote it, with its query."""

    method: str
    path: str
    status: int


class DemoServer:
    """Serves a site on 127.0.0.1 from a thread of its own, as a context manager.

    Below ``/_/`` it misbehaves on request (see `webstruct.demo.faults`); everything else comes from the site.

    Examples
    --------
    >>> from webstruct.demo import DemoSite
    >>> with DemoServer(DemoSite(pages=60)) as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True

    """

    def __init__(self, site: DemoSite, *, port: int = 0) -> None:
        self.site = site
        self.closing = Event()
        self._log: list[LogEntry] = []
        self._lock = Lock()
        self._visits: Counter[str] = Counter()
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        """The origin of the site, without a slash at the end."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def day(self) -> int:
        """The day of the site; set it, and the same newspaper goes on with another day."""
        return self.site.plan.day

    @day.setter
    def day(self, day: int) -> None:
        self.site = self.site.on(day)

    @property
    def requests(self) -> list[LogEntry]:
        """A copy of the log of all requests answered so far."""
        with self._lock:
            return list(self._log)

    def record(self, method: str, path: str, status: int) -> None:
        """Add a request to the log."""
        with self._lock:
            self._log.append(LogEntry(method, path, status))

    def count(self, path: str) -> int:
        """Count a visit to a path that answers by turns, and return its number, from 1."""
        with self._lock:
            self._visits[path] += 1
            return self._visits[path]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.close_connections()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """Remembers its connections, so that it can end those that clients keep alive."""

    request_queue_size = 128
    daemon_threads = True

    def __init__(self, address: tuple[str, int], demo: DemoServer) -> None:
        self.demo = demo
        self._open: set[socket.socket] = set()
        self._change = Condition()
        super().__init__(address, Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        with self._change:
            self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._change:
            self._open.discard(request)
            self._change.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent when a client went away; anything else is a bug and is shown."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def close_connections(self) -> None:
        """Hang up on all clients and wait until their threads have noticed."""
        with self._change:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._change.wait_for(lambda: not self._open, timeout=CLOSE_SECONDS)


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD, with conditional requests and compression."""

    protocol_version = "HTTP/1.1"
    server_version = "Lantern"
    timeout = IDLE_SECONDS
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        """Answer with a fault, a page or a 404."""
        if faults.answer(self):
            return
        demo = self.server.demo
        page = demo.site.page(self.path, demo.url)
        if page is None:
            self.reply(404, b"<html><title>404</title><p>Not found.</p></html>")
        else:
            self._send_page(page)

    do_HEAD = do_GET

    def reply(
        self,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        *,
        content_type: str = "text/html",
    ) -> None:
        """Send a whole answer."""
        length = {} if status == 304 else {"Content-Length": str(len(body))}
        self.begin(status, {"Content-Type": content_type, **(headers or {}), **length}.items())
        self.send(body)

    def begin(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """Log the request and send the status line and headers."""
        self.server.demo.record(self.command, self.path, status)
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()

    def send(self, data: bytes) -> None:
        """Send a piece of a body, which only GET has."""
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing to the terminal: the log is `DemoServer.requests`."""

    def _send_page(self, page: DemoPage) -> None:
        tag = hashlib.sha256(page.body).hexdigest()[:20]
        zipped = "gzip" in self.headers.get("Accept-Encoding", "") and not page.content_type.startswith("image/png")
        headers = {
            "ETag": f'"{tag}-gzip"' if zipped else f'"{tag}"',
            "Last-Modified": format_datetime(page.modified, usegmt=True),
            "Vary": "Accept-Encoding",
            **page.headers,
        }
        if page.status == 200 and self._unchanged(tag, page.modified):
            self.reply(304, b"", headers)
        elif zipped:
            body = gzip.compress(page.body, compresslevel=4, mtime=0)
            self.reply(page.status, body, {**headers, "Content-Encoding": "gzip"}, content_type=page.content_type)
        else:
            self.reply(page.status, page.body, headers, content_type=page.content_type)

    def _unchanged(self, tag: str, modified: datetime) -> bool:
        """Tell whether the client has the page; If-None-Match comes first (RFC 9110, 13.1.3)."""
        wanted = self.headers.get("If-None-Match")
        if wanted is not None:
            return wanted.strip() == "*" or f'"{tag}"' in wanted or f'"{tag}-gzip"' in wanted
        since = self.headers.get("If-Modified-Since")
        with suppress(TypeError, ValueError):
            return since is not None and modified <= parsedate_to_datetime(since).astimezone(UTC)
        return False
