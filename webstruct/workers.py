"""Work that can't stall or take down a crawl: it is done in a process that can be killed.

`Worker` is one Python process that runs functions for its owner and sends back what they yield. It is started by command
line rather than by `multiprocessing`, whose children run the owner's main script again: a plain script that starts a
crawl would not survive it.

`CarefulParser` sends to it the few pages that could take long. The parser's known weak spots are capped before the parse
(see `page.py`). What is left are very large pages and tags with thousands of quoted values that hide their own end; a
linear look at the bytes finds both. At about two milliseconds, all other pages are cheaper to parse here than to send
elsewhere.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import traceback
from pkgutil import resolve_name
from threading import Lock
from typing import IO, TYPE_CHECKING, Any

from webstruct.errors import WebstructError
from webstruct.page import Page

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

LARGE_BYTES = 1_000_000
MANY_QUOTED_TAGS = 500
SECONDS = 5.0

_SERVE = "from webstruct.workers import serve; serve()"


class WorkerError(WebstructError):
    """The work ended with an error; the message holds the worker's traceback."""


class WorkerDied(WorkerError):
    """The process ended before its work did: killed, out of memory or out of time."""


class PageTooSlow(WebstructError):
    """A page took too long to parse, or more memory than there is."""


class Worker:
    """One process, started when it is first needed; `close` it when done."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._one_at_a_time = Lock()

    def run(self, function: str, *args: Any, seconds: float = 0) -> Generator[Any, None, None]:
        """Yield what a function yields over there, where it goes on as fast as it is listened to.

        It is named (`module:function`) so that its module need not be loaded here; arguments and values are pickled. A call
        that takes more CPU than `seconds` is killed with its process; the next one starts another.
        """
        with self._one_at_a_time:
            process = self._process = self._process or _start()
            assert process.stdin and process.stdout
            ended = False
            try:
                pickle.dump((function, args, seconds), process.stdin)
                process.stdin.flush()
                while (message := pickle.load(process.stdout))[0] == "value":  # noqa: S301 - from our own process
                    yield message[1]
                ended = True
            except (EOFError, OSError, pickle.UnpicklingError) as error:
                raise WorkerDied(f"the worker process ended with {process.wait()}") from error
            finally:
                if not ended:  # its owner has stopped listening, or it died
                    self.close()
        if message[0] == "error":
            raise WorkerError(message[1])

    def close(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _start() -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(  # noqa: S603 - nothing in it is from outside
        [sys.executable, "-c", _SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"},
    )


def serve() -> None:
    """The worker's side: do what comes in by standard input, until that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is its owner's to answer
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # whatever prints must not get among the answers
        while True:
            try:
                function, args, seconds = pickle.load(sys.stdin.buffer)  # noqa: S301 - from our own process
                signal.setitimer(signal.ITIMER_PROF, seconds)  # whose signal ends the process, even inside of a library
                for message in _messages(function, args):
                    _answer(answers, message)
                signal.setitimer(signal.ITIMER_PROF, 0)
            except (EOFError, BrokenPipeError):  # its owner is gone
                os._exit(0)


def _answer(answers: IO[bytes], message: tuple[str, Any]) -> None:
    pickle.dump(message, answers, pickle.HIGHEST_PROTOCOL)
    answers.flush()


def _messages(function: str, args: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    try:
        for value in resolve_name(function)(*args):
            yield "value", value
    except Exception:
        yield "error", traceback.format_exc()
    else:
        yield "end", None


def is_suspicious(body: bytes) -> bool:
    """Whether a page might take longer than a moment."""
    return len(body) > LARGE_BYTES or body.count(b'"<') + body.count(b"'<") > MANY_QUOTED_TAGS


class CarefulParser:
    """Parses pages for an asynchronous caller; `close` it when done."""

    def __init__(self) -> None:
        self._worker = Worker()

    async def parse(self, body: bytes, url: str, encoding: str | None) -> Page:
        """The page, parsed; raises `PageTooSlow`."""
        if not is_suspicious(body):
            return Page.parse(body, url, encoding)
        try:
            return await asyncio.to_thread(self._parse_elsewhere, body, url, encoding)
        except WorkerDied as error:
            raise PageTooSlow(f"took longer than {SECONDS:g} seconds to parse") from error

    def _parse_elsewhere(self, *args: Any) -> Page:
        (packed,) = self._worker.run("webstruct.workers:parse_packed", *args, seconds=SECONDS)
        return Page.unpack(packed)

    def close(self) -> None:
        """End the worker, if there is one."""
        self._worker.close()


def parse_packed(body: bytes, url: str, encoding: str | None) -> Iterator[bytes]:
    """A page parsed in the worker, as `Page.unpack` takes it."""
    yield Page.parse(body, url, encoding).pack()
