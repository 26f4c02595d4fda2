"""The end of a focused crawl: new and changed articles as items, the alarm if the site drifted, and the account of the run.

Articles are made from the store, so that those of a run that died are delivered by the next. A delivery has a number, which
is used up only once the user's files are complete (`confirm`): a run that dies before gives its number, and with it the name
of its file, to the next one, which writes the same articles and more.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from webstruct.crawl import LEARNED_IN_RUN
from webstruct.drift import LEAST_FIT, Alarm, alarms, can_learn
from webstruct.items import ArticleItem
from webstruct.known_site import KnownFamilies
from webstruct.page import Page
from webstruct.results import refresh
from webstruct.sections import KnownSections
from webstruct.store import Fit, PageRow
from webstruct.versions import ReadPage, changes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webstruct.articles import Article
    from webstruct.conclusion import Conclusion
    from webstruct.focus import FocusedCrawl

_TOC_URLS, _ANCHOR_TEXTS = 20, 5


class Delivery:
    """Concludes a focused crawl: `judge`, perhaps `switch`, give all `items`, `report`, and then `confirm`."""

    def __init__(self, crawl: FocusedCrawl, folder: Path) -> None:
        self._crawl = crawl
        self._store = crawl.store
        self._folder = folder
        self._summary: dict[str, Any] = json.loads((folder / "site.json").read_text("utf-8"))
        self._sections = KnownSections(self._summary["skeleton"])
        self._delivered: list[tuple[int, dict[str, Any]]] = []
        self.number = self._store.history.deliveries() + 1
        self.alarms: list[Alarm] = []
        self.learned_anew = False
        self.new = self.changed = 0

    # Drift

    def judge(self) -> list[Alarm]:
        """Save how well the pages of this run fitted, and tell which families drift."""
        run = self._crawl.run
        measured = self._crawl.fits.items()
        self._store.save_fits(
            Fit(run, family, measure, len(fits), sum(fits) / len(fits)) for (family, measure), fits in measured
        )
        learned = int(self._store.get_meta(LEARNED_IN_RUN) or 0)
        known = [fit for measure in LEAST_FIT for fit in self._store.fits(measure)]
        self.alarms = alarms(known, after_run=learned)
        return self.alarms

    @property
    def can_learn(self) -> bool:
        """Whether a drift was found, and enough pages of the new design are there to learn it."""
        if not self.alarms:
            return False
        articles = sum(row.type == "article" and row.family is None for row in self._store.pages())
        lists = sum(not fits for (_, measure), each in self._crawl.fits.items() if measure == "lists" for fits in each)
        return can_learn(articles, lists)

    @property
    def was_complete(self) -> bool:
        """Whether the site was crawled completely when it was learned."""
        return bool(self._summary["complete"])

    def switch(self, conclusion: Conclusion) -> None:
        """Use what was learned anew from now on; the old families stay where their pages do."""
        self._crawl.keep(conclusion)
        self._crawl.known_families = KnownFamilies(self._store)
        self._sections = KnownSections(conclusion.summary["skeleton"])
        self.learned_anew = True

    # Articles

    def items(self) -> Iterator[ArticleItem]:
        """New and changed articles, one at a time."""
        for page_id in self._store.history.undelivered():
            row, version = self._store.page(page_id), self._store.history.version(page_id)
            assert row is not None
            page = Page.unpack(self._store.arrays(page_id))
            anchor_texts = self._crawl.reading.anchor_texts.get(row.key, [])[:_ANCHOR_TEXTS]
            article = self._crawl.known_families.extract(page, row.family, anchor_texts)
            difference: dict[str, Any] = {}
            if version.previous is not None:
                if row.family is None:  # of a new design: wait until it can be read as well as the old one
                    continue
                difference = changes(ReadPage(**version.previous), ReadPage(article.as_dict(), page.text()))
                if not difference:
                    self._store.history.drop_version(page_id)
                    continue
            self.new, self.changed = self.new + (not difference), self.changed + bool(difference)
            self._delivered.append((page_id, difference))
            yield self._item(row, article, version.version, difference)

    def _item(self, row: PageRow, article: Article, version: int, difference: dict[str, Any]) -> ArticleItem:
        parent = self._store.page(row.parent) if row.parent else None
        toc_urls = self._crawl.reading.toc_urls.get(row.key) or [parent.url for parent in [parent] if parent]
        return ArticleItem(
            **{**article.as_dict(), "url": row.url},
            section=self._sections.of(row.url, toc_urls),
            toc_urls=toc_urls[:_TOC_URLS],
            version=version,
            changes=difference,
        )

    # The account

    def report(self) -> dict[str, Any]:
        """Write `site.json` and `report.html`, and return the account of the run."""
        crawl, tally = self._crawl, self._crawl.tally
        account = {
            "run": crawl.run,
            "delivery": self.number if self._delivered else None,
            "new": self.new,
            "changed": self.changed,
            "gone": crawl.gone_urls,
            "requests": {name: tally[name] for name in ("lists", "wanted", "known", "unchanged", "failed")},
            "drift": [alarm._asdict() for alarm in self.alarms],
            "learned_anew": self.learned_anew,
        }
        refresh(self._folder, self._store, lists=crawl.reading.lists, focused=account)
        return account

    def confirm(self, outcome: str) -> None:
        """The user's files are complete: nothing of this will be delivered again."""
        with self._store.transaction():
            self._store.history.deliver(self.number, self._delivered)
            counts = {"new": self.new, "changed": self.changed, "requests": self._crawl.requests}
            self._store.finish_run(self._crawl.run, outcome, counts)
