"""robots.txt, the site map in parts, and the RSS feed."""

from __future__ import annotations

from datetime import UTC
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING

from webstruct.demo.plan import STATIC_PAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webstruct.demo.story import Newsroom

ARTICLES_PER_PART = 1000
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
SITEMAPS = "http://www.sitemaps.org/schemas/sitemap/0.9"


def robots(origin: str) -> str:
    """Return robots.txt: one forbidden directory, and where the site map is."""
    return f"User-agent: *\nDisallow: /private/\n\nSitemap: {origin}/sitemap.xml\n"


def sitemap_index(newsroom: Newsroom, origin: str) -> str:
    """Return the index of the site map's parts."""
    parts = range(sitemap_parts(newsroom))
    entries = "".join(f"<sitemap><loc>{origin}/sitemap-{part}.xml</loc></sitemap>\n" for part in parts)
    return f'{XML}<sitemapindex xmlns="{SITEMAPS}">\n{entries}</sitemapindex>\n'


def sitemap_parts(newsroom: Newsroom) -> int:
    """Return the number of parts: one for lists and other pages, the rest for articles."""
    return 1 + -(-newsroom.plan.articles // ARTICLES_PER_PART)


def sitemap_part(newsroom: Newsroom, origin: str, part: int) -> str:
    """Return one part of the site map."""
    entries = "".join(f"<url><loc>{escape(origin + path)}</loc></url>\n" for path in part_paths(newsroom, part))
    return f'{XML}<urlset xmlns="{SITEMAPS}">\n{entries}</urlset>\n'


def part_paths(newsroom: Newsroom, part: int) -> Iterator[str]:
    """Iterate over the paths in one part of the site map."""
    plan = newsroom.plan
    if part == 0:
        yield "/"
        yield from (f"/{name}.html" for name in STATIC_PAGES)
        yield from plan.list_paths()
        return
    first = (part - 1) * ARTICLES_PER_PART
    for number in range(first, min(first + ARTICLES_PER_PART, plan.articles)):
        if number not in plan.gone:
            yield from newsroom.card(number).part_paths


def rss(newsroom: Newsroom, origin: str) -> str:
    """Return the newest articles as an RSS feed."""
    cards = [newsroom.card(number) for number in newsroom.plan.listings["/latest/"].numbers(1)]
    entries = "".join(
        f"<item>{_element('title', card.headline)}{_element('link', origin + card.path)}"
        f"{_element('description', card.teaser)}{_element('guid', origin + card.path)}"
        f"{_element('pubDate', format_datetime(card.published.replace(tzinfo=UTC)))}</item>\n"
        for card in cards
    )
    language = newsroom.language
    about: Iterable[tuple[str, str]] = (
        ("title", language.site_name),
        ("link", f"{origin}/"),
        ("description", language.labels["slogan"]),
    )
    head = "".join(_element(name, value) for name, value in about)
    return f'{XML}<rss version="2.0"><channel>{head}\n{entries}</channel></rss>\n'


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(text)}</{name}>"
