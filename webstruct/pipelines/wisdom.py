"""WISDOM's informative blocks as an item pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstruct.pipelines.base import StreamPipeline
from webstruct.wisdom import coverage_tree, informative_structure

if TYPE_CHECKING:
    from webstruct.page import Page


class WisdomPipeline(StreamPipeline):
    """Adds `blocks`: the subtrees that carry the page's text, as XPaths, and `text`, what they say."""

    def look(self, page: Page) -> dict[str, Any]:
        """The article blocks by what is known of the site so far."""
        structure = informative_structure(coverage_tree(page, self.stream.entropy), "article")
        return {
            "blocks": [page.xpath(node) for node in structure.blocks],
            "text": "\n".join(page.text(node) for node in sorted(structure.blocks)),
        }
