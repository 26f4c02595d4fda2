"""The demo site: every page computed from its path, with the truth about it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from html import escape
from typing import TYPE_CHECKING, Any

from webstruct.demo import feeds, quirks
from webstruct.demo.articles import Print, article_sheet
from webstruct.demo.chinese import CHINESE
from webstruct.demo.chrome import Chrome, Sheet
from webstruct.demo.dirt import PLAIN_PAGES, dirty_page
from webstruct.demo.english import ENGLISH
from webstruct.demo.extras import STYLE, picture, static_sheet
from webstruct.demo.lists import home_sheet, list_sheet
from webstruct.demo.plan import STATIC_PAGES, Listing, Plan
from webstruct.demo.story import Card, Newsroom
from webstruct.demo.truth import Changes, DemoPage, Truth
from webstruct.errors import WebstructError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LANGUAGES = {language.code: language for language in (ENGLISH, CHINESE)}
ORIGIN = "http://lantern.example"


class DemoSite:
    """A newspaper of about ``pages`` pages, the same for the same arguments, computed page by page.

    Parameters
    ----------
    pages
        About how many good HTML pages there are; a site asked to be smaller than about 40 still has its
        lists. language
        ``"en"`` or ``"zh"``.
    seed
        Another seed gives another newspaper.
    start_date
        The day of the oldest article.
    dirt
        Whether the site has traps, twins, odd links, broken markup and wrong encodings.
    day
        Days since the site was founded. Each day some articles appear, some are corrected and some vanish
        (see `changes`); on day 6 all pages but the old archive get another design.

    Examples
    --------
    >>> site = DemoSite(pages=60)
    >>> site.page("/politics/").truth.type
    'toc'
    >>> site.truth("/nowhere") is None
    True
    >>> len(site.changes(3).new), site.changes(3).new[0] in site.on(3).truth("/latest/").toc_links
    (3, True)

    """

    def __init__(
        self,
        pages: int = 60,
        language: str = "en",
        seed: int = 7,
        start_date: date = date(2026, 1, 5),
        *,
        dirt: bool = True,
        day: int = 0,
    ) -> None:
        if language not in LANGUAGES:
            raise WebstructError(f"no demo site in language {language!r}; there is {', '.join(sorted(LANGUAGES))}")
        if pages < 1:
            raise WebstructError(f"a demo site of {pages} pages; at least 1 is needed")
        if day < 0:
            raise WebstructError(f"day {day} of a demo site; the first is day 0")
        self.pages = pages
        self.dirt = dirt
        self.plan = Plan.fit(LANGUAGES[language], pages=pages, seed=seed, start_date=start_date, day=day)
        self._newsroom = Newsroom(self.plan)
        self._chrome = Chrome(self._newsroom, dirt=dirt)
        self._updated = self._instant(self.plan.published(self.plan.articles - 1))
        self._days = {day: self}

    def on(self, day: int) -> DemoSite:
        """Return the same newspaper on another day."""
        if day not in self._days:
            plan = self.plan
            other = DemoSite(self.pages, plan.language.code, plan.seed, plan.start_date, dirt=self.dirt, day=day)
            other._days = self._days
            self._days[day] = other
        return self._days[day]

    def changes(self, day: int) -> Changes:
        """Return what happens on a day, whatever the day of this site."""
        events = self.on(day).plan.calendar.events(day)
        announced = self._article_paths(events.corrected_teasers)
        return Changes(
            new=self._article_paths(events.new),
            corrected=announced + self._article_paths(events.corrected_bodies),
            announced=announced,
            vanished=self._article_paths(events.vanished),
        )

    def paths(self) -> Iterator[str]:
        """Iterate over all good pages: lists and articles, and what else a crawl should bring home."""
        for part in range(feeds.sitemap_parts(self._newsroom)):
            yield from feeds.part_paths(self._newsroom, part)
        if self.dirt:
            yield from PLAIN_PAGES

    def page(self, path: str, origin: str = ORIGIN) -> DemoPage | None:
        """Answer a request for a path (with its query) on a server at ``origin``; None is a 404.

        The page was modified on the last day that changed its bytes.
        """
        page = self._today(path, origin)
        if page is None or page.status != 200:
            return page
        for day in reversed(range(self.plan.day)):
            earlier = self.on(day)._today(path, origin)
            if earlier is None or earlier.body != page.body:
                break
            page = earlier
        return page

    def truth(self, path: str) -> Truth | None:
        """Return what is true about a page."""
        page = self._today(path, ORIGIN)
        return page.truth if page else None

    def skeleton(self, origin: str = "") -> dict[str, Any]:
        """Return the tree of sections: ``url`` (a path behind ``origin``), ``name`` and ``children``."""
        sections = [
            {
                "url": f"{origin}/{section.slug}/",
                "name": section.name,
                "children": [
                    {"url": f"{origin}/{section.slug}/{child.slug}/", "name": child.name, "children": []}
                    for child in section.children[: self.plan.children]
                ],
            }
            for section in self.plan.sections
        ]
        return {"url": f"{origin}/", "name": self.plan.language.site_name, "children": sections}

    # Kinds of pages

    def _today(self, path: str, origin: str) -> DemoPage | None:
        """Answer a request; the page counts as modified today."""
        bare, _, query = path.partition("#")[0].partition("?")
        bare = re.sub(r";jsessionid=[^/]*", "", bare)
        page = self._file(bare, origin) or self._good_page(bare, origin)
        if page and self.dirt and query == "print=1" and page.truth.type == "article":
            return self._print_version(page.truth)
        if page and path != bare:
            return replace(page, truth=replace(page.truth, trap="twin"))
        return page or self._twin(bare, origin) or (self._dirty_page(bare, query, origin) if self.dirt else None)

    def _good_page(self, path: str, origin: str) -> DemoPage | None:
        if path == "/":
            sheet, cards = home_sheet(self._chrome)
            return self._list_page(sheet, cards, "home", [])
        if path in (f"/{name}.html" for name in STATIC_PAGES):
            sheet = static_sheet(self._chrome, path[1:-5])
            return self._html(sheet, Truth("other", path, self._chrome.look(sheet.frame), title=sheet.title))
        listed = self.plan.listing(path)
        if listed:
            return self._listing_page(*listed)
        found = self._newsroom.find(path)
        if found is None:
            return None
        card, part = found
        return self._gone_page(path, card) if card.number in self.plan.gone else self._article_page(card, part, origin)

    def _listing_page(self, listing: Listing, page: int) -> DemoPage:
        sheet, cards = list_sheet(self._chrome, listing, page)
        return self._list_page(sheet, cards, f"list-{listing.kind}", [step.name for step in listing.trail])

    def _list_page(self, sheet: Sheet, cards: list[Card], template: str, section: list[str]) -> DemoPage:
        links = list(dict.fromkeys(card.path for card in cards))
        return self._html(
            sheet,
            Truth(
                "toc" if links else "other", sheet.path, template, title=sheet.title, section=section, toc_links=links
            ),
        )

    def _article_page(self, card: Card, part: int, origin: str) -> DemoPage:
        story = self._newsroom.story(card.number)
        older = self._newsroom.card(card.number - 1) if card.number else None
        newer = self._newsroom.card(card.number + 1) if card.number + 1 < self.plan.articles else None
        html = self._chrome.render(article_sheet(Print(story, part, origin, self._chrome, older, newer)))
        body, content_type = (
            quirks.encode(html, card.number, self.plan.language.code) if self.dirt else quirks.plain(html)
        )
        truth = Truth(
            type="article",
            canonical=card.part_paths[part],
            template=self._chrome.look(card.template),
            title=card.headline,
            date=f"{card.published:%Y-%m-%d}",
            author=card.author.name,
            section=[card.section.name, card.child.name],
            text="\n\n".join(block.text for block in story.parts[part] if block.text),
            parts=list(card.part_paths),
        )
        is_new = not self.plan.day or card.number in self.plan.calendar.events(self.plan.day).new
        modified = self._instant(card.published) if is_new else self._updated
        return DemoPage(body, truth, modified, content_type=content_type)

    def _gone_page(self, path: str, card: Card) -> DemoPage:
        """Say that an article has vanished, one in two with the status that says so."""
        body = f"<html><title>-</title><p>{escape(self.plan.language.labels['not_found'])}</p></html>".encode()
        return DemoPage(
            body, Truth("other", path, "gone", trap="gone"), self._updated, status=(404, 410)[card.number % 2]
        )

    def _html(self, sheet: Sheet, truth: Truth) -> DemoPage:
        return DemoPage(self._chrome.render(sheet).encode(), truth, self._updated)

    def _file(self, path: str, origin: str) -> DemoPage | None:
        """Answer what is no HTML: feeds, pictures, the style sheet."""
        sitemap = re.fullmatch(r"/sitemap-(\d{1,6})\.xml", path)
        image = re.fullmatch(r"/images/(\d{1,12})\.svg", path)
        if path == "/robots.txt":
            text, content_type = feeds.robots(origin), "text/plain; charset=utf-8"
        elif path == "/assets/site.css":
            text, content_type = STYLE, "text/css; charset=utf-8"
        elif path == "/feed.xml":
            text, content_type = feeds.rss(self._newsroom, origin), "application/rss+xml; charset=utf-8"
        elif path == "/sitemap.xml":
            text, content_type = feeds.sitemap_index(self._newsroom, origin), "application/xml"
        elif sitemap and int(sitemap[1]) < feeds.sitemap_parts(self._newsroom):
            text, content_type = (
                feeds.sitemap_part(self._newsroom, origin, int(sitemap[1])),
                "application/xml",
            )
        elif image:
            text, content_type = picture(int(image[1])), "image/svg+xml"
        else:
            return None
        return DemoPage(text.encode(), Truth("other", path, "file"), self._updated, content_type=content_type)

    # Dirt

    def _twin(self, path: str, origin: str) -> DemoPage | None:
        """Answer ``/x/index.html`` and ``/x`` like ``/x/`` if the site is dirty, else with a redirect."""
        canonical = path.removesuffix("index.html") if path.endswith("/index.html") else f"{path}/"
        if canonical != "/" and canonical not in self.plan.listings and canonical != path:
            return None
        page = self._good_page(canonical, origin)
        if page is None:
            return None
        truth = replace(page.truth, trap="twin")
        if self.dirt:
            return replace(page, truth=truth)
        return DemoPage(b"", truth, page.modified, status=301, headers={"Location": canonical})

    def _print_version(self, truth: Truth) -> DemoPage:
        """Return an article bare of everything else, which names its real address."""
        text = "".join(f"<p>{escape(block)}</p>\n" for block in truth.text.split("\n\n"))
        html = (
            f'<html><head><meta charset="utf-8"><title>{escape(truth.title)}</title>'
            f'<link rel="canonical" href="{escape(truth.canonical)}"></head>\n'
            f"<body><h1>{escape(truth.title)}</h1>\n{text}</body></html>"
        )
        return DemoPage(html.encode(), replace(truth, template="print", trap="print"), self._updated)

    def _dirty_page(self, path: str, query: str, origin: str) -> DemoPage | None:
        answer = dirty_page(self._chrome, path, query, origin)
        return DemoPage(answer[0].encode(), answer[1], self._updated) if answer else None

    def _article_paths(self, numbers: Iterable[int]) -> list[str]:
        return [self._newsroom.card(number).path for number in numbers]

    @staticmethod
    def _instant(moment: datetime) -> datetime:
        """Take the newspaper's clock as UTC."""
        return moment.replace(tzinfo=UTC)
