"""What a store knows of a site that was learned: where lists have their entries, what families are, how to read them."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from webstruct import articles
from webstruct.articles import Article, extract_alone
from webstruct.drift import is_shrunken
from webstruct.entries import Entries, find_entries
from webstruct.page import Page
from webstruct.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstruct.store import Store

# The usual length of a family's articles is known from so many of them.
SAMPLE = 15


class KnownLists:
    """Where the TOC pages of a site have their entries.

    A TOC page that is new has them where the others of its family have theirs.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lists = {toc.page: toc for toc in store.history.lists()}
        self.continued = frozenset(toc.next for toc in self._lists.values() if toc.next)
        self._of_family: dict[int, Counter[str]] = {}
        for page, toc in self._lists.items():
            row = store.page(page)
            if row is not None and row.family is not None:
                self._of_family.setdefault(row.family, Counter()).update(toc.places)

    def entries(self, page: Page, page_id: int | None, family: int | None) -> Entries:
        """The entries of a TOC page, known or new."""
        if page_id is not None and page_id in self._lists:
            places = self._lists[page_id].places
        else:
            places = dict(self._of_family.get(family, {})) if family is not None else {}
        return find_entries(page, places, self.is_article)

    def is_article(self, key: str) -> bool:
        """Whether a URL's key is that of an article, or of a page that leads on to one."""
        row = self._store.page(key)
        if row is not None and row.redirect is not None:
            row = self._store.page(row.redirect)
        return row is not None and row.state == "stored" and row.type == "article"


class KnownFamilies:
    """What the families of a site are, and how their articles are read."""

    def __init__(self, store: Store) -> None:
        self._store = store
        families = store.families()
        self._type = {family.id: family.type for family in families}
        self._wrapper = {family.id: Wrapper.from_dict(family.value) for family in families if family.value}
        self._usual_chars: dict[int, float] = {}

    def type_of(self, family: int | None) -> str:
        """What an entry of a list is, by its family; an article if it is of none, or some of its family are articles."""
        return "article" if family is None or family in self._wrapper else self._type.get(family, "article")

    def extract(self, page: Page, family: int | None, anchor_texts: Sequence[str] = ()) -> Article:
        """The article of a page, by the wrapper of its family if it has one."""
        wrapper = self._wrapper.get(family) if family is not None else None
        return articles.extract(page, wrapper, anchor_texts=anchor_texts) if wrapper else extract_alone(page)

    def fits(self, article: Article, family: int) -> bool:
        """Whether an article has about the length that is usual in its family."""
        if family not in self._usual_chars:
            ids = self._store.sample(family, "article", SAMPLE)
            pages = (Page.unpack(self._store.arrays(page)) for page in ids)
            self._usual_chars[family] = median([len(self.extract(page, family).text) for page in pages] or [0])
        return not is_shrunken(len(article.text), self._usual_chars[family])

    def has_wrapper(self, family: int | None) -> bool:
        """Whether some pages of a family are articles."""
        return family in self._wrapper
