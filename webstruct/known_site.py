"""What a store knows of a site that was learned: where lists have their entries, what families are, how to read them."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from webstruct import articles
from webstruct.articles import Article, extract_alone
from webstruct.conclusion import TEMPLATES
from webstruct.crawl import STORE_NAME
from webstruct.drift import is_shrunken
from webstruct.entries import Entries, find_entries, next_page
from webstruct.errors import WebstructError
from webstruct.families import Families
from webstruct.family_templates import TOO_LONG_PAGE, unpack_templates
from webstruct.page import Page
from webstruct.scope import clean, host_of, key
from webstruct.store import Store
from webstruct.versions import ReadPage
from webstruct.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

# How short a family's articles are is known from so many of them.
SAMPLE = 30
# Whatever it was learned from, a wrapper that finds its region is surer than this, and one that does not is not.
_REGION_FOUND = 0.5


class KnownLists:
    """Where the TOC pages of a site have their entries.

    A TOC page that is new has them where the others of its family have theirs.
    """

    def __init__(self, store: Store) -> None:
        self._lists = {toc.page: toc for toc in store.history.lists()}
        self.continued = frozenset(toc.next for toc in self._lists.values() if toc.next)
        self._of_family: dict[int, Counter[str]] = {}
        for page, toc in self._lists.items():
            row = store.page(page)
            if row is not None and row.family is not None:
                self._of_family.setdefault(row.family, Counter()).update(toc.places)

    def entries(
        self, page: Page, page_id: int | None, family: int | None, is_article: Callable[[str], bool]
    ) -> Entries:
        """The entries of a TOC page: where it has had them, or, on a new page or one of another design, its family."""
        own = self._lists.get(page_id) if page_id is not None else None
        found = find_entries(page, own.places if own else {}, is_article)
        if found.in_place or family not in self._of_family:
            return found
        as_family = find_entries(page, self._of_family[family], is_article)
        return as_family if as_family.in_place else found


class KnownFamilies:
    """What the families of a site are, and how their articles are read."""

    def __init__(self, store: Store) -> None:
        self._store = store
        families = store.families()
        self._type = {family.id: family.type for family in families}
        self._wrapper = {family.id: Wrapper.from_dict(family.value) for family in families if family.value}
        with_articles = [family for family in families if family.id in self._wrapper]
        most = max(with_articles, key=lambda family: (family.type == "article", family.pages), default=None)
        self._largest = most.id if most else None
        self._least_chars: dict[int, int] = {}
        saved = store.load_statistics(TEMPLATES)
        self._templates = unpack_templates(saved[0]) if saved else {}

    def type_of(self, family: int | None) -> str:
        """What an entry of a list is, by its family; an article if it is of none, or some of its family are articles."""
        return "article" if family is None or family in self._wrapper else self._type.get(family, "article")

    def extract(self, page: Page, family: int | None, anchor_texts: Sequence[str] = ()) -> Article:
        """The article of a page, by the wrapper of its family.

        A page of another design has none: there the wrapper of most articles is kept in use, which at least knows what
        the site repeats.
        """
        chosen = self.with_articles(family)
        if chosen is None:
            return extract_alone(page)
        return articles.extract(page, self._wrapper[chosen], anchor_texts=anchor_texts)

    def template_fit(self, page: Page, family: int) -> float | None:
        """The share of the template's tokens that a page has; None if there is no template, or the page is too long."""
        template = self._templates.get(family)
        return None if template is None or len(page) > TOO_LONG_PAGE else template.fit(page)

    def read(self, page: Page, family: int | None) -> ReadPage:
        """The article of a page, and all that the page shows."""
        return ReadPage(self.extract(page, family).as_dict(), page.text())

    def with_articles(self, family: int | None) -> int | None:
        """The family, if it has articles, or else the largest one of articles; None if no page of the site is one."""
        return family if family in self._wrapper else self._largest

    def fits(self, article: Article, family: int) -> bool:
        """Whether the family's wrapper found its region on a page, and an article that is not shrunken."""
        if family not in self._least_chars:
            ids = self._store.sample(family, "article", SAMPLE)
            pages = (Page.unpack(self._store.arrays(page)) for page in ids)
            self._least_chars[family] = min((len(self.extract(page, family).text) for page in pages), default=0)
        return article.confidence > _REGION_FOUND and not is_shrunken(len(article.text), self._least_chars[family])


class KnownSite:
    """A learned site, read once and let go: what the lists of any page lead to.

    Attributes
    ----------
    hosts
        Its hosts, without `www.`.

    """

    def __init__(self, store: Store) -> None:
        start_url = store.get_meta("start_url")
        families = store.load_statistics("families")
        if start_url is None or families is None:
            raise WebstructError("the crawl in this folder was never analysed; run scrapy crawl site to its end")
        self.hosts = frozenset({host_of(start_url), *json.loads(store.get_meta("hosts") or "[]")})
        self._families = Families.load(families[0])
        self._lists = KnownLists(store)
        self._family_types = KnownFamilies(store)
        rows = [row for row in store.pages() if row.type in ("toc", "article")]
        self._toc_ids = {row.key: row.id for row in rows if row.type == "toc"}
        self._articles = {row.key for row in rows if row.type == "article"}

    @classmethod
    def load(cls, folder: Path) -> KnownSite:
        """The site in the folder of its crawl."""
        with Store.open(folder / STORE_NAME, read_only=True) as store:
            return cls(store)

    def entry_keys(self, page: Page) -> set[str]:
        """Keys of what the lists of a page lead to, and of the page that carries it on; none if it is no list page."""
        page_id = self._toc_ids.get(key(clean(page.url)))
        family, _ = self._families.assign(page)
        if page_id is None and (family is None or self._family_types.type_of(family) != "toc"):
            return set()
        entries = self._lists.entries(page, page_id, family, self._articles.__contains__)
        onward = next_page(page)
        return {*entries.by_key, *([key(onward)] if onward else [])}
