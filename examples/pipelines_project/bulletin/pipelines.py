"""The project's own pipeline."""

from __future__ import annotations


class Tidy:
    """Runs last and leaves the page's source out of what is stored."""

    def process_item(self, item):
        item.html = ""
        return item
