"""Feeds that a reader never sees half written: into a temporary file, which takes the feed's name when it is complete."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Any

from scrapy.extensions.feedexport import FileFeedStorage

if TYPE_CHECKING:
    from scrapy import Spider
    from twisted.internet.defer import Deferred


class AtomicFileFeedStorage(FileFeedStorage):
    """Scrapy's file storage, for feeds that overwrite; others are appended to as ever."""

    def open(self, spider: Spider) -> IO[bytes]:
        """Open a temporary file beside the feed."""
        if self.write_mode != "wb":
            return super().open(spider)
        folder = Path(self.path).parent
        folder.mkdir(parents=True, exist_ok=True)
        file: Any = NamedTemporaryFile(dir=folder, prefix=f".{Path(self.path).name}.", delete=False)  # noqa: SIM115
        return file  # type: ignore[no-any-return]

    def store(self, file: IO[bytes]) -> Deferred[None] | None:
        """Flush it to disk and give it its name."""
        if self.write_mode != "wb":
            return super().store(file)
        file.flush()
        os.fsync(file.fileno())
        file.close()
        Path(file.name).chmod(0o644)
        Path(file.name).replace(self.path)
        return None
