"""Feature weighting by the compressed structure tree as an item pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstruct.crawl import STORE_NAME
from webstruct.pipelines.base import StreamPipeline
from webstruct.sitestore import StoredPages
from webstruct.store import Store
from webstruct.structure_tree import StructureTree

if TYPE_CHECKING:
    from webstruct.page import Page
    from webstruct.pipelines.stream import Stream


class WeightingPipeline(StreamPipeline):
    """Adds `features`: the page's words with weights that know where on the page each stands.

    The tree is compressed anew whenever the number of its pages has doubled; in between, pages are weighed by the last one.
    """

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream)
        self._tree = StructureTree()
        self._known: set[str] = set()
        if stream.config.store:
            self._begin_with(Path(stream.config.store))
        self._compressed, self._compressed_pages = self._tree.compress(), self._tree.pages

    def look(self, page: Page) -> dict[str, Any]:
        """The weights by what is known of the site so far."""
        self._add(page)
        if self._tree.pages >= 2 * self._compressed_pages:
            self._compressed, self._compressed_pages = self._tree.compress(), self._tree.pages
        return {"features": self._compressed.features(page)}

    def _add(self, page: Page) -> None:
        if page.url not in self._known:
            self._known.add(page.url)
            self._tree.add(page)

    def _begin_with(self, folder: Path) -> None:
        with Store.open(folder / STORE_NAME, read_only=True) as store:
            for page in StoredPages(store, [row.id for row in store.pages()]):
                self._add(page)
