"""Pages for the benchmarks: of our own demo site, or of real sites kept in a folder beside the project.

A corpora folder holds one folder a site, with its pages below `www/` or in `www.tar.xz`.
"""

from __future__ import annotations

import random
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from webstruct.demo import DemoSite

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUFFIXES = {".html", ".htm", ".shtml", ".xhtml", ".php", ".asp", ".aspx", ".jsp"}
_CACHE = Path(tempfile.gettempdir()) / "webstruct-benchmark"


class SourcePage(NamedTuple):
    """One page as fetched."""

    url: str
    body: bytes


def sites(corpora: Path | None, sample: int) -> Iterator[tuple[str, list[SourcePage]]]:
    """Name and a seeded sample of pages of every site; our own demo sites where no folder is given."""
    if corpora is None:
        for language in ("en", "zh"):
            yield f"demo-{language}", _demo_pages(language, sample)
        return
    for rules in sorted(corpora.glob("*/rules.json")):
        yield rules.parent.name, _corpus_pages(rules.parent, sample)


def _demo_pages(language: str, sample: int) -> list[SourcePage]:
    site = DemoSite(pages=max(60, sample), language=language, dirt=False)
    pages = ((path, site.page(path)) for path in site.paths())
    return [SourcePage("http://demo.example" + path, page.body) for path, page in pages if page is not None][:sample]


def _corpus_pages(folder: Path, sample: int) -> list[SourcePage]:
    www = _unpacked(folder)
    files = sorted(file for file in www.rglob("*") if file.suffix.lower() in _SUFFIXES and file.is_file())
    random.Random(7).shuffle(files)
    return [
        SourcePage(f"http://{folder.name}.example/{file.relative_to(www).as_posix()}", file.read_bytes())
        for file in files[:sample]
    ]


def _unpacked(folder: Path) -> Path:
    if (folder / "www").is_dir():
        return folder / "www"
    target = _CACHE / folder.name
    if not target.is_dir():
        with (
            tempfile.TemporaryDirectory(dir=_CACHE.parent) as scratch,
            tarfile.open(folder / "www.tar.xz") as archive,
        ):
            archive.extractall(scratch, filter="data")
            target.parent.mkdir(parents=True, exist_ok=True)
            (Path(scratch) / "www").rename(target)
    return target
