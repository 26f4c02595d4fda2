"""The list pages: home, sections, tags, authors and the latest stories."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from webstruct.demo.chrome import Chrome, Sheet, Trail, card_link, items

if TYPE_CHECKING:
    from webstruct.demo.language import Topic
    from webstruct.demo.plan import Listing
    from webstruct.demo.story import Card

TOP_STORIES = 5
STORIES_PER_SECTION = 4


def home_sheet(chrome: Chrome) -> tuple[Sheet, list[Card]]:
    """Return the home page and the articles it lists: the top stories, then a few of each section."""
    newsroom, plan = chrome.newsroom, chrome.plan
    top = [newsroom.card(number) for number in plan.listings["/latest/"].numbers(1)[:TOP_STORIES]]
    lead, *others = top
    cards = list(top)
    blocks = []
    for section in plan.sections:
        stories = [
            newsroom.card(number) for number in plan.listings[f"/{section.slug}/"].numbers(1)[:STORIES_PER_SECTION]
        ]
        cards += stories
        blocks.append(_home_section(chrome, section, stories))
    main = (
        f'<section class="lead">{_thumbnail(lead)}<h1>{card_link(lead)}</h1>'
        f"<p>{escape(lead.teaser)}</p></section>\n"
        f'<section class="top"><h2>{escape(chrome.labels["top"])}</h2>'
        f"{''.join(_teaser(chrome, card) for card in others)}</section>\n" + "\n".join(blocks)
    )
    title = chrome.labels["slogan"]
    return Sheet("/", title, main, frame="modern", body_class="home"), cards


def _home_section(chrome: Chrome, section: Topic, cards: list[Card]) -> str:
    """Show the newest articles of a section on the home page."""
    name, path = escape(section.name), f"/{section.slug}/"
    more = f'<a href="{path}">{escape(chrome.labels["more_from"])} {name}</a>'
    if chrome.plan.redesigned:
        rows = "".join(f'<div class="row">{card_link(card)}{_thumbnail(card)}</div>' for card in cards)
        return f'<div class="strip"><div class="strip-head"><a href="{path}">{name}</a> {more}</div>{rows}</div>'
    return (
        f'<section class="home-section"><h2><a href="{path}">{name}</a></h2>'
        f'<ul class="cards">{items(_thumbnail(card) + card_link(card) for card in cards)}</ul>'
        f'<p class="more">{more}</p></section>'
    )


def list_sheet(chrome: Chrome, listing: Listing, page: int) -> tuple[Sheet, list[Card]]:
    """Return one page of a list and the articles on it."""
    cards = [chrome.newsroom.card(number) for number in listing.numbers(page)]
    stories = "\n".join(_teaser(chrome, card) for card in cards) or f"<p>{escape(chrome.labels['empty'])}</p>"
    kind = f'<p class="kind">{escape(chrome.labels[listing.kind])}</p>' if listing.kind in ("tag", "author") else ""
    readers = _readers(chrome, listing.path) if listing.kind == "author" and chrome.plan.day else ""
    main = (
        f'{kind}{readers}<h1 class="list-title">{escape(listing.name)}</h1>\n<div class="list list-{listing.kind}">\n'
        f"{stories}\n</div>\n{_pagination(chrome, listing, page)}"
    )
    title = listing.name if page == 1 else f"{listing.name} - {chrome.labels['page']} {page}"
    sheet = Sheet(
        path=chrome.plan.list_path(listing, page),
        title=title,
        main=main,
        frame="boxes",
        trail=_trail(listing),
        body_class=f"archive {listing.kind} paged-{page}",
    )
    return sheet, cards


def _readers(chrome: Chrome, path: str) -> str:
    """Make a box that changes every day although the list below it does not."""
    count = chrome.newsroom.random("readers", path, chrome.plan.day).randrange(10_000, 100_000)
    return f'<p class="readers">{escape(chrome.labels["readers"])}: {count}</p>\n'


def _trail(listing: Listing) -> Trail:
    path = "/"
    steps = []
    for step in listing.trail:
        path += f"{step.slug}/"
        steps.append((step.name, path))
    return tuple(steps)


def _teaser(chrome: Chrome, card: Card) -> str:
    """One entry of a list: thumbnail, headline, date and the beginning of the text."""
    more = escape(chrome.labels["read_more"])
    if chrome.plan.redesigned:
        return (
            f'<article class="tile" id="tile-{card.identifier}"><div class="tile-text">'
            f'<h4>{card_link(card)}</h4><div class="tile-lead">{escape(card.teaser)} '
            f'<a href="{card.path}">{more}</a></div><small>{card.published:%Y-%m-%d}</small></div>'
            f'<div class="tile-shot">{_thumbnail(card)}</div></article>'
        )
    return (
        f'<div class="teaser" id="teaser-{card.identifier}">{_thumbnail(card)}<h3>{card_link(card)}</h3>'
        f'<span class="date">{card.published:%Y-%m-%d}</span><p>{escape(card.teaser)} '
        f'<a class="more" href="{card.path}">{more}</a></p></div>'
    )


def _thumbnail(card: Card) -> str:
    headline = escape(card.headline)
    image = f'<img src="/images/{card.identifier}.svg" width="160" height="90" alt="{headline}">'
    return f'<a class="thumbnail" href="{card.path}">{image}</a>'


def _pagination(chrome: Chrome, listing: Listing, page: int) -> str:
    """Links to the first, last and neighbouring pages."""
    if listing.pages == 1:
        return ""
    near = range(max(1, page - 2), min(listing.pages, page + 2) + 1)
    links = []
    if page > 1:
        previous = chrome.plan.list_path(listing, page - 1)
        links.append(f'<a rel="prev" href="{previous}">{escape(chrome.labels["previous"])}</a>')
    for other in sorted({1, listing.pages, *near}):
        path = chrome.plan.list_path(listing, other)
        links.append(f"<b>{other}</b>" if other == page else f'<a href="{path}">{other}</a>')
    if page < listing.pages:
        following = chrome.plan.list_path(listing, page + 1)
        links.append(f'<a rel="next" href="{following}">{escape(chrome.labels["next"])}</a>')
    return f'<div class="pagination">{" ".join(links)}</div>'
