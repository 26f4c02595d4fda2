"""What the pipelines of one project share: items read as pages, and the statistics of all pages seen so far.

In somebody else's project pages come as a stream of items, of any type that itemadapter knows. Each is parsed once, however
many of our pipelines look at it; an item without URL and HTML passes untouched.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter

from webstruct.config import Config
from webstruct.entropy import TermEntropy
from webstruct.families import Families
from webstruct.family_templates import StreamedTemplates
from webstruct.page import Page
from webstruct.sitestore import stored_templates
from webstruct.store import Store

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_REMEMBERED_PAGES = 32


class Stream:
    """The pages of one crawl, as its items bring them."""

    _of_crawler: ClassVar[WeakKeyDictionary[Crawler, Stream]] = WeakKeyDictionary()

    def __init__(self, config: Config) -> None:
        self.config = config
        self.entropy = TermEntropy()
        self.families = Families()
        self.templates = StreamedTemplates(self.families, t=config.template_pages)
        self._pages: OrderedDict[tuple[str, int], Page] = OrderedDict()
        self._counted: set[str] = set()
        self._no_field: set[type] = set()
        if config.store:
            self._begin_with(Path(config.store))

    @classmethod
    def of(cls, crawler: Crawler) -> Stream:
        """The one stream of a crawl, whichever pipeline asks first."""
        if crawler not in cls._of_crawler:
            cls._of_crawler[crawler] = cls(Config.read(crawler.settings))
        return cls._of_crawler[crawler]

    def page(self, item: Any) -> Page | None:
        """The page that an item holds; None if it holds none."""
        if not ItemAdapter.is_item(item):
            return None
        adapter = ItemAdapter(item)
        url, html = adapter.get(self.config.url_field), adapter.get(self.config.html_field)
        if not isinstance(url, str) or not isinstance(html, (str, bytes)) or not html:
            return None
        key = url, hash(html)
        if key not in self._pages:
            self._pages[key] = Page.parse(html, url)
            while len(self._pages) > _REMEMBERED_PAGES:
                self._pages.popitem(last=False)
        return self._pages[key]

    def count(self, page: Page) -> None:
        """Count a page into the statistics, once: whichever pipeline sees it first."""
        if page.url not in self._counted:
            self._counted.add(page.url)
            self.entropy.update(*page.term_counts())
            self.families.add(page)

    def add_result(self, item: Any, **values: Any) -> None:
        """Put what was found on the item, with how much it rests on."""
        adapter = ItemAdapter(item)
        field = self.config.result_field
        seen = self.entropy.pages
        result = {
            **(adapter.get(field) or {}),
            "pages_seen": seen,
            "settled": seen >= self.config.settled_pages,
            **values,
        }
        try:
            adapter[field] = result
        except KeyError:
            if type(item) not in self._no_field:
                self._no_field.add(type(item))
                logger.warning(
                    "%s has no field %r for our results; add one, or name another with WEBSTRUCT_RESULT_FIELD",
                    type(item).__name__,
                    field,
                )

    def _begin_with(self, folder: Path) -> None:
        """Take over the statistics of an earlier crawl, so that the first page is judged as well as the last."""
        with Store.open(folder / "site.db", read_only=True) as store:
            terms, families = store.load_statistics("terms"), store.load_statistics("families")
            if terms and families:
                self.entropy = TermEntropy.load(terms[0])
                self.families = Families.load(families[0])
                self._counted = set(self.families.settle())
                self.templates = StreamedTemplates(self.families, t=self.config.template_pages)
                for template, page in stored_templates(store):
                    self.templates.know(template, page)
