"""How far long work is: a bar for a person at a terminal, now and then a plain line elsewhere; always on stderr."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import Self, TypeVar

    T = TypeVar("T")

LINE_SECONDS = 30.0


def is_terminal() -> bool:
    """Whether stderr can show a bar, and is allowed to."""
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")


def make_bar() -> Bar:
    """A bar that vanishes at the end and leaves stdout alone where it goes to a file."""
    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    )


class Work:
    """Some work under way, as a context manager; `quiet` says nothing at all."""

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self._what = what
        self._bar = make_bar() if is_terminal() and not quiet else None
        self._quiet = quiet
        self._said = time.monotonic()

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._task = self._bar.add_task(self._what, total=None)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def report(self, done: int, total: int) -> None:
        """Show how much is done."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total)
        elif not self._quiet and time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            sys.stderr.write(f"{self._what}: {done / max(total, 1):.0%}\n")

    def follow(self, things: Iterable[T], total: int) -> Iterator[T]:
        """The things, reporting each."""
        for number, thing in enumerate(things, 1):
            yield thing
            self.report(number, total)
