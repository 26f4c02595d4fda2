"""The closing analysis of a stored site, and its results: items in batches, `site.json` and `report.html`.

Runs on a store opened for reading only, so that it can be done in another process than the crawl's, or long after it.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx

from webstruct.conclusion import Conclusion
from webstruct.crawl import STORE_NAME
from webstruct.entries import toc_list
from webstruct.entropy import TermEntropy
from webstruct.errors import WebstructError
from webstruct.families import Families
from webstruct.family_templates import FamilyTemplates, former_families
from webstruct.files import write_atomically
from webstruct.items import ArticleItem, PageItem
from webstruct.lamis import graph, read_links
from webstruct.page_types import MIN_ENTRIES, TEMPLATE_ENTROPY
from webstruct.report import MAX_FAILURES, SiteReport, news_report, render
from webstruct.site import SiteModel
from webstruct.sitestore import earlier_templates, load
from webstruct.store import Decision, Family, Fit, PageRow, Store, utc_now
from webstruct.structure_tree import StructureTree
from webstruct.template import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webstruct.history import TocList
    from webstruct.sitepages import SitePages
    from webstruct.template import Template

Item = ArticleItem | PageItem

BATCH = 100
TEMPLATE_FIT = "template"
_TYPES = ("toc", "article", "other")
# What the decisions of `page_types` rest on.
THRESHOLDS = {"entries": MIN_ENTRIES, "template_entropy": TEMPLATE_ENTROPY}


def conclude(
    folder: Path,
    complete: bool,
    template_pages: int = SAMPLE,
    features: bool = False,
    finished: str | None = None,
) -> Iterator[list[Item] | Conclusion]:
    """Learn the site in a folder and write its files: all items in batches, and the conclusion at the end.

    `finished` is when the crawl was, if not now.
    """
    results = SiteResults(
        folder, complete=complete, template_pages=template_pages, features=features, finished=finished
    )
    yield from results.batches()
    yield Conclusion(
        summary=results.summary,
        decisions=results.decisions,
        families=results.families,
        former=results.former,
        fits=results.fits,
        lists=results.lists,
        settled=results.settled,
        templates=results.templates,
        sequence=results.sequence,
    )


class SiteResults:
    """What was learned of the site in a folder.

    Going through `batches` learns the site, gives its pages and articles as items, and at the end writes `site.json` and
    `report.html`; from then on there is what makes up a `Conclusion`.
    """

    def __init__(
        self,
        folder: Path,
        *,
        complete: bool,
        template_pages: int = SAMPLE,
        features: bool = False,
        finished: str | None = None,
    ) -> None:
        self._folder = folder
        self._finished = finished
        self._complete = complete
        self._template_pages = template_pages
        self._features = features
        self.summary: dict[str, Any] = {}
        self.decisions: list[Decision] = []
        self.families: list[Family] = []
        self.former: dict[int, int] = {}
        self.fits: list[Fit] = []
        self.templates = b""
        self.sequence = 0
        self.lists: list[TocList] = []
        self.settled = b""

    def batches(self) -> Iterator[list[Item]]:
        """The pages and articles of the site, some at a time; one pass over the pages does it."""
        with Store.open(self._folder / STORE_NAME, read_only=True) as store:
            entropy, grouping = _statistics(store)
            site, rows = load(store, entropy, grouping)
            learned = self._learn_templates(store, site, rows)
            model = SiteModel.learn(site, grouping, learned)
            self.settled = grouping.save_settled()
            self.decisions = [
                Decision(
                    row.id,
                    model.types.type[number],
                    int(site.family[number]),
                    float(model.types.confidence[number]),
                    float(model.types.hub[number]),
                    float(model.types.authority[number]),
                    float(model.types.rank[number]),
                )
                for number, row in enumerate(rows)
            ]
            self.families = [Family(family.id, family.type, family.pages, family.wrapper) for family in model.families]
            tree = StructureTree.of(site.pages).compress() if self._features else None
            report = SiteReport(model, tree)
            batch: list[Item] = []
            for number, page in enumerate(site.pages):
                if len(links := model.types.links[number]):
                    self.lists.append(toc_list(rows[number].id, page, links))
                for item in model.items(number, page, rows, tree):
                    batch.append(item)
                    report.add(number, page, item)
                if len(batch) >= BATCH:
                    yield batch
                    batch = []
            self.summary = self._summary(store, model, rows)
            not_kept = islice(chain(store.pages("failed"), store.pages("refused")), MAX_FAILURES)
            html = render(report.finish(self.summary, not_kept))
            if batch:
                yield batch
        write_atomically(self._folder / "report.html", html)
        write_atomically(self._folder / "site.json", json.dumps(self.summary, ensure_ascii=False, indent=1))

    def _learn_templates(self, store: Store, site: SitePages, rows: list[PageRow]) -> FamilyTemplates:
        """The templates of this run; the fits of earlier ones follow their families."""
        self.former = former_families((row.family for row in rows), site.family.tolist())
        earlier = earlier_templates(store, rows, self.former)
        learned = FamilyTemplates.learn(site, t=self._template_pages, earlier=earlier)
        run = max((run.id for run in store.runs()), default=0)
        self.fits = [
            Fit(run, family, TEMPLATE_FIT, fit.pages, fit.share) for family, fit in sorted(learned.fits.items())
        ]
        self.templates = learned.pack()
        self.sequence = max((row.sequence or 0 for row in rows), default=0)
        return learned

    def _summary(self, store: Store, model: SiteModel, rows: list[PageRow]) -> dict[str, Any]:
        fits = self._fits_by_family(store)
        types = Counter(model.types.type)
        moments = sorted(row.fetched_at for row in rows if row.fetched_at)
        return {
            "url": store.get_meta("start_url"),
            "complete": self._complete,
            "started": moments[0] if moments else None,
            "finished": self._finished or utc_now(),
            "pages": len(rows),
            "links": sum(len(targets) for targets in model.site.targets),
            "types": {name: types[name] for name in _TYPES},
            **_counts(store),
            "thresholds": THRESHOLDS,
            "skeleton": model.tree.as_dict(),
            "structure": _structure(model, rows),
            "families": [
                {
                    "id": family.id,
                    "type": family.type,
                    "pages": family.pages,
                    "wrapper": family.wrapper,
                    "template": _template_summary(model.templates.get(family.id)),
                    "fits": [
                        {"run": fit.run, "pages": fit.pages, "share": round(fit.value, 4)}
                        for fit in fits.get(family.id, ())
                    ],
                }
                for family in model.families
            ],
        }

    def _fits_by_family(self, store: Store) -> dict[int, list[Fit]]:
        """How well the pages of each family fitted its template, in the runs before and in this one."""
        number_of = {old: new for new, old in self.former.items()}
        fits: dict[int, list[Fit]] = {}
        for fit in store.fits(TEMPLATE_FIT):
            if fit.family in number_of:
                fits.setdefault(number_of[fit.family], []).append(fit)
        for fit in self.fits:
            fits.setdefault(fit.family, []).append(fit)
        return fits


def _template_summary(template: Template | None) -> dict[str, int] | None:
    return None if template is None else {"pages": template.pages, "tokens": len(template.tokens)}


def _counts(store: Store) -> dict[str, Any]:
    """URLs by what became of them, and why."""
    counts = store.counts()
    names = ("found", "stored", "failed", "refused", "pending")
    return {
        "counts": {name: getattr(counts, name) for name in names},
        "reasons": [
            {"state": state, "reason": reason, "urls": urls} for (state, reason), urls in store.reasons().most_common()
        ],
    }


def _structure(model: SiteModel, rows: list[PageRow]) -> list[dict[str, Any]]:
    """The informative structure: TOC pages, highest rank first, with the articles that they list."""
    tocs = [number for number, links in enumerate(model.types.links) if len(links)]
    return [
        {
            "toc": rows[number].url,
            "articles": [
                rows[target].url
                for target in model.site.targets[number][model.types.links[number]].tolist()
                if target >= 0
            ],
        }
        for number in sorted(tocs, key=lambda number: -model.types.rank[number])
    ]


def site_graph(folder: str | Path, *, below: float = math.inf) -> nx.DiGraph:
    """The link graph of a crawled and analysed site.

    Nodes are URLs with `type`, `hub`, `authority` and `rank`; edges have the anchor's `text`, `entropy`, number of `terms`
    and `block`. With `below`, links whose anchor has a higher entropy are left out: what remains is the informative
    structure (LAMIS Figs 3–6).
    """
    with Store.open(Path(folder) / STORE_NAME, read_only=True) as store:
        site, rows = load(store, *_statistics(store))
        texts = [
            page.link_text(node)
            for page, targets in zip(site.pages, site.targets, strict=True)
            for node, target in zip(page.link_node.tolist(), targets.tolist(), strict=True)
            if target >= 0
        ]
        result = graph(read_links(site), [row.url for row in rows], anchor_texts=texts, below=below)
    for name in ("type", "hub", "authority", "rank"):
        values = {row.url: getattr(row, name) for row in rows if getattr(row, name) is not None}
        nx.set_node_attributes(result, values, name)
    return result


def refresh(
    folder: Path, store: Store, *, lists: Mapping[str, list[str]], focused: Mapping[str, Any]
) -> dict[str, Any]:
    """Bring `site.json` up to date after a focused run, without learning the site again; write what it brought as a report.

    Parameters
    ----------
    lists
        By the URL of a TOC page that was read: the URLs of its entries.
    focused
        The account of the run.

    """
    summary: dict[str, Any] = json.loads((folder / "site.json").read_text("utf-8"))
    rows = list(store.pages())
    types = Counter(row.type for row in rows)
    urls = {row.url for row in rows}
    summary |= {
        "finished": utc_now(),
        "pages": len(rows),
        "links": sum(len(targets) for _, targets in store.iter_links()),
        "types": {name: types[name] for name in _TYPES},
        **_counts(store),
        "structure": [
            {
                "toc": entry["toc"],
                "articles": [url for url in lists.get(entry["toc"], entry["articles"]) if url in urls],
            }
            for entry in summary["structure"]
            if entry["toc"] in urls
        ],
        "focused": dict(focused),
    }
    files = sorted(folder.glob("new/*.jsonl"), reverse=True)
    articles = (ArticleItem(**json.loads(line)) for file in files for line in file.open(encoding="utf-8"))
    failures = islice(store.pages("failed"), MAX_FAILURES)
    (folder / "new").mkdir(exist_ok=True)
    write_atomically(folder / "new" / "report.html", render(news_report(summary, articles, failures)))
    write_atomically(folder / "site.json", json.dumps(summary, ensure_ascii=False, indent=1))
    return summary


def _statistics(store: Store) -> tuple[TermEntropy, Families]:
    terms, families = store.load_statistics("terms"), store.load_statistics("families")
    if terms is None or families is None:
        raise WebstructError("the store has no statistics; crawl the site first")
    return TermEntropy.load(terms[0]), Families.load(families[0])
