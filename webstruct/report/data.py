"""What the report shows, as plain data: `Report`; and how it comes together while a site's pages pass by once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from heapq import heappush, heapreplace
from itertools import islice
from typing import TYPE_CHECKING, Any

from webstruct.items import ArticleItem, PageItem
from webstruct.report.drawing import DrawnFamily, draw_families
from webstruct.report.graph import LinkMap, Region
from webstruct.report.wording import address, line, plain
from webstruct.report.words import Vocabulary, vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webstruct.navigation import LinkSet, Navigation
    from webstruct.page import Page
    from webstruct.site import SiteModel
    from webstruct.store import PageRow
    from webstruct.structure_tree import CompressedTree

MAX_LISTS = 500
MAX_ARTICLES = 5000
MAX_FAILURES = 300
MAX_CANDIDATES = 15
# Characters of one article, and bytes of all articles together.
MAX_TEXT = 8000
TEXT_BYTES = 2_000_000


@dataclass
class Report:
    """All that a report shows; what is empty is left out of it.

    Attributes
    ----------
    site
        What stands in `site.json`, of any spider.
    language
        The one that most pages are written in.
    section_articles
        By way to a section, the number of articles in it and below.
    lists, articles
        Rows of the tables, the lists with the highest rank first.
    cut_texts
        Of how many articles only the beginning is there.
    graph, regions
        The link graph as its script draws it, and as a table says it.
    families
        Sample pages, drawn.
    vocabulary
        Terms and their entropies.
    failures
        Addresses that were not kept.
    navigation
        Candidates for the menus of the pages that a skeleton crawl looked at.

    """

    site: dict[str, Any]
    language: str = ""
    section_articles: Counter[tuple[str, ...]] = field(default_factory=Counter)
    lists: list[dict[str, Any]] = field(default_factory=list)
    articles: list[dict[str, Any]] = field(default_factory=list)
    cut_texts: int = 0
    graph: dict[str, Any] | None = None
    regions: list[Region] = field(default_factory=list)
    families: list[DrawnFamily] = field(default_factory=list)
    vocabulary: Vocabulary | None = None
    failures: list[dict[str, Any]] = field(default_factory=list)
    navigation: list[dict[str, Any]] = field(default_factory=list)


class SiteReport:
    """Collects a report: feed it the items of each page with `add`, then take it with `finish`.

    `structure` is the structure tree of the whole site, if there is one; if not, one of a sample is made.
    """

    def __init__(self, model: SiteModel, structure: CompressedTree | None = None) -> None:
        self._model, self._structure = model, structure
        self._map = LinkMap(model)
        self._languages: Counter[str] = Counter()
        self._section_articles: Counter[tuple[str, ...]] = Counter()
        self._lists: list[tuple[float, int, dict[str, Any]]] = []
        self._articles: list[dict[str, Any]] = []

    def add(self, number: int, page: Page, item: ArticleItem | PageItem) -> None:
        """Take an item of a page: of its article, or of the page itself."""
        if isinstance(item, ArticleItem):
            way = tuple(item.section)
            self._section_articles.update(way[:depth] for depth in range(1, len(way) + 1))
            if len(self._articles) < MAX_ARTICLES:
                self._articles.append(_article_row(item))
            return
        self._languages[page.language] += 1
        self._map.add(number, page)
        if item.type == "toc":
            row = (item.rank, -number, _list_row(item))
            if len(self._lists) < MAX_LISTS:
                heappush(self._lists, row)
            else:
                heapreplace(self._lists, max(row, self._lists[0]))

    def finish(self, site: dict[str, Any], failures: Iterable[PageRow]) -> Report:
        """The report, with what stands in `site.json` and the first of the addresses that were not kept."""
        articles, cut_texts = _within_budget(self._articles)
        several = len(self._model.site) > 1
        return Report(
            site=site,
            language=next(iter(dict(self._languages.most_common(1))), ""),
            section_articles=self._section_articles,
            lists=[row for _, _, row in sorted(self._lists, reverse=True)],
            articles=articles,
            cut_texts=cut_texts,
            graph=self._map.as_dict() if several else None,
            regions=self._map.regions() if several else [],
            families=draw_families(self._model, self._structure),
            vocabulary=vocabulary(self._model.site.entropy) if several else None,
            failures=[_failure_row(row) for row in failures],
        )


def news_report(site: dict[str, Any], articles: Iterable[ArticleItem], failures: Iterable[PageRow]) -> Report:
    """The report of a focused run: the site as it is now, and the articles that such runs brought, the newest first."""
    rows, cut_texts = _within_budget([_article_row(item) for item in islice(articles, MAX_ARTICLES)])
    languages = Counter(row["language"] for row in rows)
    return Report(
        site=site,
        language=next(iter(dict(languages.most_common(1))), ""),
        articles=rows,
        cut_texts=cut_texts,
        failures=[_failure_row(row) for row in failures],
    )


def _list_row(item: PageItem) -> dict[str, Any]:
    return {
        "url": address(item.url),
        "title": line(item.title),
        "rank": item.rank,
        "confidence": item.confidence,
        "hub": item.hub,
        "family": item.family,
        "links": len(item.links),
        "evidence": item.evidence,
    }


def _article_row(item: ArticleItem) -> dict[str, Any]:
    return {
        "url": address(item.url),
        "title": line(item.title),
        "date": item.date or "",
        "author": line(item.author),
        "language": item.language,
        "section": [line(name) for name in item.section],
        "confidence": item.confidence,
        "chars": len(item.text),
        "text": plain(item.text[:MAX_TEXT]),
        "lists": [address(url) for url in item.toc_urls[:3]],
    }


def _within_budget(articles: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """The articles with their texts cut to one length, the largest with which all of them fit the budget."""
    sizes = sorted(len(row["text"].encode("utf-8", "replace")) / max(1, len(row["text"])) for row in articles)
    bytes_of_char = sizes[len(sizes) // 2] if sizes else 1.0
    budget = TEXT_BYTES / max(1.0, bytes_of_char)
    limit = float(MAX_TEXT)
    for place, length in enumerate(lengths := sorted(len(row["text"]) for row in articles)):
        if length * (len(lengths) - place) > budget:
            limit = budget / (len(lengths) - place)
            break
        budget -= length
    kept = [{**row, "text": row["text"][: int(limit)]} for row in articles]
    return kept, sum(len(row["text"]) < row["chars"] for row in kept)


def _failure_row(row: PageRow) -> dict[str, Any]:
    return {"url": address(row.url), "state": row.state, "reason": line(row.reason), "status": row.status}


def navigation_row(found: Navigation) -> dict[str, Any]:
    """What SEW saw on a page: the candidate link sets, the most confident first, and what became of them."""
    candidates = sorted(found.candidates, key=lambda one: (bool(one.dropped), -one.confidence, -len(one.links)))
    chosen = {link.place for link in found.links}
    return {
        "url": address(found.url),
        "sections": len(found.links),
        "probability": found.probability,
        "candidates": [_candidate_row(one, chosen) for one in candidates[:MAX_CANDIDATES]],
        "more": max(0, len(candidates) - MAX_CANDIDATES),
    }


def _candidate_row(candidate: LinkSet, chosen: set[int]) -> dict[str, Any]:
    return {
        "path": line(candidate.path),
        "links": len(candidate.links),
        "names": [line(link.name, 40) for link in candidate.links[:6]],
        "chosen": bool(chosen) and chosen == {link.place for link in candidate.links},
        "dropped": candidate.dropped,
        "pruned": {heuristic: len(links) for heuristic, links in candidate.pruned.items()},
        "confidence": candidate.confidence,
        "features": candidate.features,
    }
