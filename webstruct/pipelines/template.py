"""Template stripping by sequence alignment as an item pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstruct.pipelines.base import StreamPipeline
from webstruct.stripping import strip

if TYPE_CHECKING:
    from webstruct.page import Page


class TemplatePipeline(StreamPipeline):
    """Adds `stripped`, the page without its template, as HTML and text, once its family has shown enough pages.

    `template` says whether it has (`learned`), how many pages of the family that rests on (`pages`), and what share of the
    template the page has (`fit`).
    """

    def look(self, page: Page) -> dict[str, Any]:
        """Strip the page, or learn from it."""
        template, pages = self.stream.templates.template_of(page)
        if template is None:
            return {"template": {"learned": False, "pages": pages}}
        stripped = strip(page, template)
        return {
            "template": {"learned": True, "pages": pages, "fit": round(stripped.match.fit, 4)},
            "stripped": {"html": stripped.html, "text": stripped.text},
        }
