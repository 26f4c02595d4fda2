"""The section tree, top-down, fetching only navigation links (SEW as published): `scrapy crawl skeleton -a url=…`."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.http.request import NO_CALLBACK
from w3lib.encoding import http_content_type_encoding

from webstruct import exit_codes
from webstruct.arguments import CrawlArguments, yes_or_no
from webstruct.defaults import MIDDLEWARES, POLITE, add_components
from webstruct.files import write_atomically
from webstruct.navigation import Navigation, Node, make_tree, navigation, trained_parameters
from webstruct.page import Page
from webstruct.scope import clean, key
from webstruct.sniff import kind_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

DEPTH = 3
_POLITE = {name: value for name, value in POLITE.items() if not name.startswith("LOGSTATS")}
_MIDDLEWARES = {name: order for name, order in MIDDLEWARES.items() if "retry" not in name}


class SkeletonSpider(Spider):
    """Walks the site level by level, from menus to menus. Arguments: url, depth, out, subdomains, explain."""

    name = "skeleton"

    def __init__(self, explain: str = "no", **arguments: Any) -> None:
        super().__init__()
        self.arguments = CrawlArguments.parse({"depth": DEPTH, **arguments})
        self.start_url = self.arguments.url
        self._explain = yes_or_no("explain", explain)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Called by Scrapy: as polite as the `site` spider."""
        super().update_settings(settings)
        for name, value in _POLITE.items():
            settings.set(name, value, priority="addon")
        add_components(settings, "DOWNLOADER_MIDDLEWARES", _MIDDLEWARES)

    async def start(self) -> AsyncIterator[Any]:
        """Walk, then print the tree and write it; the spider yields nothing."""
        from webstruct.report import Report, render  # heavy, and Scrapy imports every spider before it runs one

        tree, looked_at = await self._walk()
        fetched = len(looked_at)
        sys.stdout.write("\n".join(_lines(tree)) + f"\n{fetched} pages fetched\n")
        self.arguments.out.mkdir(parents=True, exist_ok=True)
        summary = {"url": self.start_url, "complete": fetched > 0, "pages": fetched, "skeleton": tree.as_dict()}
        write_atomically(self.arguments.out / "site.json", json.dumps(summary, ensure_ascii=False, indent=1))
        report = Report(summary, navigation=looked_at)
        write_atomically(self.arguments.out / "report.html", render(report))
        self.crawler.stats.set_value(
            "webstruct/exit_code", exit_codes.COMPLETE if fetched else exit_codes.NOTHING_FETCHED
        )
        return
        yield

    async def _walk(self) -> tuple[Node, list[dict[str, Any]]]:
        """Level by level (SEW Fig. 4), with what was seen of every page; one that the tree has is not placed again."""
        from webstruct.report import navigation_row

        parameters, used_sets = trained_parameters(), set[frozenset[str]]()
        numbers = {key(self.start_url): 0}
        label = {0: (self.start_url, self.start_url)}
        children: dict[int, list[int]] = {0: []}
        layer, looked_at = [0], list[dict[str, Any]]()
        for _ in range(self.arguments.depth or DEPTH):
            pages = await asyncio.gather(*(self._fetch(label[number][0]) for number in layer))
            for number, page in zip(layer, pages, strict=True):
                if page is None:
                    continue
                if number == 0:
                    label[0] = page.url, page.title or page.url
                found = navigation(page, used_sets, parameters)
                looked_at.append(navigation_row(found))
                used_sets.add(frozenset(link.url for link in found.links))
                if self._explain:
                    sys.stdout.write("\n".join(_explanation(found)) + "\n")
                for link in found.links:
                    address = clean(link.url)
                    if self.arguments.scope.contains(address) and key(address) not in numbers:
                        target = numbers[key(address)] = len(numbers)
                        children[number].append(target)
                        children[target] = []
                        label[target] = link.url, link.name
            layer = [child for number in layer for child in children[number]]
        return make_tree(children, label), looked_at

    async def _fetch(self, url: str) -> Page | None:
        try:
            request = Request(url, callback=NO_CALLBACK, dont_filter=True)
            response = await self.crawler.engine.download_async(request)
        except Exception as error:
            logger.warning("%s could not be fetched: %s", url, error)
            return None
        content_type = (response.headers.get(b"Content-Type") or b"").decode("latin-1")
        if response.status != 200 or kind_of(response.body, content_type) != "page":
            logger.warning("%s is no page (HTTP %s, %s)", url, response.status, content_type)
            return None
        return Page.parse(response.body, response.url, http_content_type_encoding(content_type))


def _lines(tree: Node) -> list[str]:
    return ["  " * (len(way) - 1) + f"{way[-1].name}  {way[-1].url}" for way in tree.walk()]


def _explanation(found: Navigation) -> list[str]:
    """All candidate sets of a page: kept or dropped, why, and how confident."""
    verdict = f"{len(found.links)} sections" if found.links else "a content page"
    lines = [f"{found.url}: {verdict}, probability {found.probability:.3f}"]
    for candidate in sorted(found.candidates, key=lambda one: -one.confidence):
        names = ", ".join(link.name for link in candidate.links[:6])
        state = f"dropped by {candidate.dropped}" if candidate.dropped else f"confidence {candidate.confidence:.2e}"
        pruned = "".join(f"; {heuristic} took {len(links)}" for heuristic, links in candidate.pruned.items() if links)
        lines.append(f"  {candidate.path}: {len(candidate.links)} links ({names}): {state}{pruned}")
        if candidate.features:
            lines.append("    " + ", ".join(f"{name} {value:.2f}" for name, value in candidate.features.items()))
    return lines
