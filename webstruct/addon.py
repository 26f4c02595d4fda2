"""One line that switches everything on in a Scrapy project: `ADDONS = {"webstruct.Addon": 500}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstruct.pipelines.entropy import EntropyPipeline
from webstruct.pipelines.lamis import LamisPipeline
from webstruct.pipelines.template import TemplatePipeline
from webstruct.pipelines.weighting import WeightingPipeline
from webstruct.pipelines.wisdom import WisdomPipeline

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

PIPELINES = (
    (EntropyPipeline, 310),
    (WisdomPipeline, 320),
    (TemplatePipeline, 330),
    (WeightingPipeline, 340),
    (LamisPipeline, 900),
)
SPIDERS = "webstruct.spiders"


class Addon:
    """Adds our pipelines and our spiders; what a project says of one of them counts."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Make `scrapy crawl site` known to the project."""
        modules = settings.getlist("SPIDER_MODULES")
        if SPIDERS not in modules:
            settings.set(
                "SPIDER_MODULES", [*modules, SPIDERS], priority=settings.getpriority("SPIDER_MODULES") or "addon"
            )

    def update_settings(self, settings: BaseSettings) -> None:
        """Add the pipelines."""
        for pipeline, order in PIPELINES:
            settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", pipeline, order)
