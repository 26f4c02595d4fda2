"""Template stripping by sequence alignment as an item pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstruct.pipelines.base import StreamPipeline
from webstruct.stripping import strip
from webstruct.template import Template

if TYPE_CHECKING:
    from webstruct.page import Page
    from webstruct.pipelines.stream import Stream


class TemplatePipeline(StreamPipeline):
    """Adds `stripped`, the page without its template, as HTML and text, once its family has shown enough pages.

    Until then `template` says how many pages of the family have been seen.
    """

    def __init__(self, stream: Stream) -> None:
        super().__init__(stream)
        self._waiting: dict[int, list[Page]] = {}
        self._templates: dict[int, Template] = {}

    def look(self, page: Page) -> dict[str, Any]:
        """Strip the page, or learn from it."""
        family = self.stream.families.assign(page)[0]
        if family is None:
            return {"template": {"learned": False, "pages": 0}}
        if family not in self._templates:
            waiting = self._waiting.setdefault(family, [])
            waiting.append(page)
            wanted = self.stream.config.template_pages
            if len(waiting) < wanted:
                return {"template": {"learned": False, "pages": len(waiting)}}
            self._templates[family] = Template.learn(waiting, t=wanted)
            del self._waiting[family]
        template = self._templates[family]
        stripped = strip(page, template)
        return {
            "template": {"learned": True, "fit": round(template.fit(page), 4)},
            "stripped": {"html": stripped.html, "text": stripped.text},
        }
