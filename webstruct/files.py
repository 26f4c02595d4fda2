"""Files that a reader never sees half written, and that survive a crash once they have their name."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Any

from webstruct.errors import WebstructError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def atomic_file(path: Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """A file to write to, UTF-8 unless `binary`; it takes its place when all is written, or never.

    What is there and no file (a device, a pipe) is written to as it is, and never replaced.
    """
    if not path.parent.is_dir() or path.is_dir():
        problem = "is a folder" if path.is_dir() else "has no folder to be in"
        raise WebstructError(f"{path} {problem}; name a file in a folder that exists")
    mode, encoding, newline = ("wb", None, None) if binary else ("w", "utf-8", "")
    if path.exists() and not path.is_file():
        with path.open(mode, encoding=encoding, newline=newline) as device:
            yield device
        return
    path = path.resolve()  # a link stays, and leads to the new file
    with NamedTemporaryFile(
        mode, dir=path.parent, prefix=f".{path.name}.", delete=False, encoding=encoding, newline=newline
    ) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            Path(file.name).unlink()
            raise
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


def write_atomically(path: Path, text: str) -> None:
    """Write a text file as a whole."""
    with atomic_file(path) as file:
        file.write(text)
