"""Incremental term entropy (LAMIS §3.3, WISDOM §3.1) as an item pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webstruct.pipelines.base import StreamPipeline

if TYPE_CHECKING:
    from webstruct.page import Page

_SHOWN_TERMS = 20


class EntropyPipeline(StreamPipeline):
    """Adds `terms`: the words that tell a page from the other pages seen so far, with their weights."""

    def look(self, page: Page) -> dict[str, Any]:
        """The page's most telling terms: frequent here, rare elsewhere."""
        names, counts = page.term_counts()
        weights = self.stream.entropy.weights(self.stream.entropy.ids(names)) * np.log1p(counts)
        best = np.argsort(-weights, kind="stable")[:_SHOWN_TERMS]
        return {"terms": {names[term]: round(float(weights[term]), 4) for term in best.tolist()}}
