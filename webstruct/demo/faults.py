"""Misbehaviour on request: below ``/_/`` the demo server does what bad servers do.

Every fault is one small function in the table `FAULTS`, which gets the handler, the rest of the path and the
query. The index at ``/_/`` links `EXAMPLES`, so that a crawl that begins there meets them all.
"""

from __future__ import annotations

import base64
import gzip
import time
import zlib
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from webstruct.demo.server import Handler

    Query: TypeAlias = dict[str, str]

ROOT = "/_/"
MEGABYTE = 2**20
ENDLESS_BYTES = 64 * MEGABYTE
ENDLESS_SECONDS = 20.0
MOST = 1_000_000
MOST_SECONDS = 60
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
REDIRECTS = {
    "loop": "/_/redirect/loop",
    "outside": "http://outside.example.org/",
    "file": "file:///etc/hostname",
    "data": "data:text/html,hello",
    "bad": "http://[::1",
    "empty": "",
}
TYPES = {"octet-stream": "application/octet-stream", "pdf": "application/pdf", "json": "application/json"}


def answer(handler: Handler) -> bool:
    """Answer a request below ``/_/`` and return True, or leave it to the site."""
    if not handler.path.startswith(ROOT):
        return False
    path, _, text = handler.path.removeprefix(ROOT).partition("?")
    name, _, rest = path.partition("/")
    query = {key: values[-1] for key, values in parse_qs(text, keep_blank_values=True).items()}
    fault = FAULTS.get(name)
    if fault is None:
        handler.reply(404, html("No such fault."))
        return True
    try:
        fault(handler, unquote(rest), query)
    except ValueError as error:
        handler.reply(400, html(escape(str(error))))
    return True


def html(body: str, head: str = "") -> bytes:
    """Make a small page."""
    start = f"<!doctype html><html><head><title>Fault</title>{head}</head>"
    return f"{start}<body><p>{body}</p></body></html>".encode()


def number(query: Query, name: str, default: int) -> int:
    """Read a count from the query, within bounds that keep the test machine alive."""
    value = int(query.get(name, default))
    if not 0 <= value <= MOST:
        raise ValueError(f"{name}={value} is not between 0 and {MOST}")
    return value


def header(value: str) -> str:
    """Make a value fit for a header: one line of Latin-1."""
    return "".join(value.split("\n")).replace("\r", "").encode("latin-1", "ignore").decode("latin-1")


def _index(handler: Handler, rest: str, query: Query) -> None:
    """Link all examples."""
    links = "".join(f'<li><a href="{ROOT}{escape(path)}">{escape(path)}</a></li>' for path in EXAMPLES)
    handler.reply(200, html(f"Everything that can go wrong:</p><ul>{links}</ul><p>"))


def _status(handler: Handler, rest: str, query: Query) -> None:
    """Fail with a status, the first ``times`` times or always, perhaps with Retry-After."""
    status = int(rest)
    if not 100 <= status <= 599:
        raise ValueError(f"status {status} is not between 100 and 599")
    if "times" in query and handler.server.demo.count(handler.path) > number(query, "times", 0):
        handler.reply(200, html("Better now."))
        return
    headers = {"Retry-After": header(query["retry-after"])} if "retry-after" in query else {}
    handler.reply(status, html(f"Status {status}."), headers)


def _redirect(handler: Handler, rest: str, query: Query) -> None:
    """Redirect: a number is a chain of that length, a name one of `REDIRECTS`, ``to`` takes ``location``."""
    if rest == "0":
        handler.reply(200, html("The end of the chain."))
        return
    if rest == "to":
        location = header(query.get("location", ""))
    else:
        location = REDIRECTS[rest] if rest in REDIRECTS else f"/_/redirect/{int(rest) - 1}"
    handler.reply(302, b"", {"Location": location})


def _slow(handler: Handler, rest: str, query: Query) -> None:
    """Drip a body for ``seconds``."""
    seconds = float(query.get("seconds", 2))
    if not 0 <= seconds <= MOST_SECONDS:
        raise ValueError(f"seconds={seconds} is not between 0 and {MOST_SECONDS}")
    body = html("Slow, slow, slow.")
    handler.begin(200, [("Content-Type", "text/html"), ("Content-Length", str(len(body)))])
    for position in range(len(body)):
        handler.send(body[position : position + 1])
        handler.wfile.flush()
        if handler.server.demo.closing.wait(seconds / len(body)):
            break


def _endless(handler: Handler, rest: str, query: Query) -> None:
    """Send a body that does not end until the client hangs up (or 64 MB or 20 s have passed)."""
    handler.close_connection = True
    handler.begin(200, [("Content-Type", "text/html"), ("Connection", "close")])
    deadline = time.monotonic() + ENDLESS_SECONDS
    chunk = b"<p>and so on" * 4096
    for _ in range(ENDLESS_BYTES // len(chunk)):
        if time.monotonic() > deadline or handler.server.demo.closing.is_set():
            break
        handler.send(chunk)


def _truncated(handler: Handler, rest: str, query: Query) -> None:
    """Announce more bytes than come; with ``gzip=1``, cut a gzip stream in the middle instead."""
    if "gzip" in query:
        body = gzip.compress(html("cut " * 1000), mtime=0)
        handler.reply(200, body[: len(body) // 2], {"Content-Encoding": "gzip"})
        return
    body = html("This page is shorter than its length.")
    handler.close_connection = True
    handler.begin(200, [("Content-Type", "text/html"), ("Content-Length", str(len(body) + 1000))])
    handler.send(body)


def _bomb(handler: Handler, rest: str, query: Query) -> None:
    """Send a small body that grows to 100 MB of zeros."""
    handler.reply(200, zipped_zeros(100), {"Content-Encoding": "gzip"})


@lru_cache(maxsize=1)
def zipped_zeros(megabytes: int) -> bytes:
    """Compress zeros without ever holding them all."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(bytes(MEGABYTE)) for _ in range(megabytes)) + packer.flush()


def _binary(handler: Handler, rest: str, query: Query) -> None:
    """Send a picture and call it HTML."""
    handler.reply(200, PIXEL)


def _html_as(handler: Handler, rest: str, query: Query) -> None:
    """Send HTML and call it something else: a short name of `TYPES` or a whole media type."""
    handler.reply(200, html("This is HTML."), content_type=header(TYPES.get(rest, rest)))


def _deep(handler: Handler, rest: str, query: Query) -> None:
    """Nest elements."""
    depth = number(query, "depth", 5000)
    handler.reply(200, html("<div>" * depth + "the bottom" + "</div>" * depth))


def _attributes(handler: Handler, rest: str, query: Query) -> None:
    """Give one element very many attributes."""
    attributes = " ".join(f"a{index}=1" for index in range(number(query, "count", 40_000)))
    handler.reply(200, html(f"<b {attributes}>many attributes</b>"))


def _links(handler: Handler, rest: str, query: Query) -> None:
    """Put very many links on one page; all lead to the same one."""
    links = "".join(f'<a href="/_/empty?{index}">{index}</a>\n' for index in range(number(query, "count", 100_000)))
    handler.reply(200, html(links))


def _empty(handler: Handler, rest: str, query: Query) -> None:
    """Send nothing, successfully."""
    handler.reply(200, b"")


def _bad_charset(handler: Handler, rest: str, query: Query) -> None:
    """Declare a charset that is none for text."""
    name = header(query.get("name", "idna"))
    body = html("Which charset?", f'<meta charset="{escape(name)}">')
    handler.reply(200, body, content_type=f"text/html; charset={name}")


def _refresh(handler: Handler, rest: str, query: Query) -> None:
    """Send the browser on, to anywhere, by default to a script."""
    target = escape(query.get("to", "javascript:void(0)"))
    handler.reply(200, html("Wait.", f'<meta http-equiv="refresh" content="0; url={target}">'))


def _base(handler: Handler, rest: str, query: Query) -> None:
    """Declare a base address, by default one that cannot be parsed."""
    base = escape(query.get("href", "http://[::1"))
    handler.reply(200, html('<a href="/_/empty">a good link</a>', f'<base href="{base}">'))


def _cookies(handler: Handler, rest: str, query: Query) -> None:
    """Set many cookies."""
    body = html("Have a cookie.")
    cookies = [("Set-Cookie", f"crumb{index}={index:050}; Path=/") for index in range(number(query, "count", 50))]
    handler.begin(200, [("Content-Type", "text/html"), ("Content-Length", str(len(body))), *cookies])
    handler.send(body)


def _bad_status(handler: Handler, rest: str, query: Query) -> None:
    """Answer with a status that is no status."""
    code = int(query.get("code", 99999))
    body = html("What was the status?")
    handler.server.demo.record(handler.command, handler.path, code)
    handler.close_connection = True
    handler.send(f"HTTP/1.1 {code} What\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode())
    handler.send(body)


FAULTS: dict[str, Callable[[Handler, str, Query], None]] = {
    "": _index,
    "status": _status,
    "redirect": _redirect,
    "slow": _slow,
    "endless": _endless,
    "truncated": _truncated,
    "bomb": _bomb,
    "binary": _binary,
    "html-as": _html_as,
    "deep": _deep,
    "attributes": _attributes,
    "links": _links,
    "empty": _empty,
    "badcharset": _bad_charset,
    "refresh": _refresh,
    "base": _base,
    "cookies": _cookies,
    "badstatus": _bad_status,
}

EXAMPLES = (
    "status/404",
    "status/410",
    "status/500",
    "status/429?retry-after=1&times=1",
    "status/503?retry-after=1&times=2",
    "redirect/3",
    "redirect/30",
    *(f"redirect/{name}" for name in REDIRECTS),
    "slow?seconds=2",
    "endless",
    "truncated",
    "truncated?gzip=1",
    "bomb",
    "binary",
    *(f"html-as/{name}" for name in TYPES),
    "deep?depth=5000",
    "attributes?count=40000",
    "links?count=100000",
    "empty",
    "badcharset?name=idna",
    "badcharset?name=rot13",
    "refresh?to=javascript:void(0)",
    "refresh?to=file:///etc/hostname",
    "base?href=http://[::1",
    "base?href=file:///",
    "cookies",
    "badstatus",
    "badstatus?code=0",
)
