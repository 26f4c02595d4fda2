"""What stands around the contents of every page: masthead, menu, side bar, footer, in three frames and that of the redesign."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webstruct.demo.language import Topic
    from webstruct.demo.plan import Plan
    from webstruct.demo.story import Card, Newsroom

Trail = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Sheet:
    """The contents of one page and the frame to put them into."""

    path: str
    title: str
    main: str
    frame: str
    trail: Trail = ()
    body_class: str = ""
    head: str = ""
    language_declared: bool = True


class Chrome:
    """Renders sheets into whole pages; what is the same on all pages is made once."""

    def __init__(self, newsroom: Newsroom, *, dirt: bool) -> None:
        self.newsroom = newsroom
        self.plan: Plan = newsroom.plan
        self.labels = newsroom.language.labels
        self.dirt = dirt

    def render(self, sheet: Sheet) -> str:
        """Return the page as HTML in the frame that the sheet asks for."""
        frames = {"classic": self._classic, "boxes": self._boxes, "modern": self._modern, "fresh": self._fresh}
        return frames[self.look(sheet.frame)](sheet)

    def look(self, template: str) -> str:
        """Return what a template looks like today: the redesign leaves only the old archive as it was."""
        return "fresh" if self.plan.redesigned and template != "classic" else template

    # The frames

    def _classic(self, sheet: Sheet) -> str:
        """Frame of the old days: tables, fonts, centred."""
        return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html>
<head>
{self._head(sheet)}
</head>
<body bgcolor="#ffffff" class="old {sheet.body_class}">
{self._cookies(sheet)}
<center><table width="980" border="0" cellspacing="0" cellpadding="4" class="page">
<tr><td colspan="2" class="top"><a href="/"><font size="6">{self._site_name}</font></a><br>
<font size="2">{escape(self.labels["slogan"])}</font></td></tr>
<tr><td colspan="2" id="menu">{self.menu}</td></tr>
<tr><td colspan="2" class="path"><font size="2">{self._trail_links(sheet.trail, " &gt; ")}</font></td></tr>
<tr valign="top"><td width="680">
{sheet.main}
</td><td width="280" bgcolor="#f4f1ea">
<table width="100%"><tr><td><b>{escape(self.labels["most_read"])}</b></td></tr>{self._most_read_rows}</table>
{self.newsletter}
</td></tr>
<tr><td colspan="2" align="center"><hr>{self.footer}</td></tr>
</table></center>
</body>
</html>
"""

    def _boxes(self, sheet: Sheet) -> str:
        """Frame of divs with classes, as content management systems write it."""
        return f"""<!DOCTYPE html>
<html{self._lang(sheet)}>
<head>
{self._head(sheet)}
</head>
<body class="{sheet.body_class}">
{self._cookies(sheet)}
<div id="wrapper" class="site">
<div id="header" class="masthead"><div class="logo"><a href="/">{self._site_name}</a></div>
<div class="slogan">{escape(self.labels["slogan"])}</div>{self._search_form}</div>
<div id="navigation" class="nav-wrap">{self.menu}</div>
<div class="breadcrumb">{self._trail_links(sheet.trail, " » ")}</div>
<div id="content" class="columns">
<div id="main" class="col-main">
{sheet.main}
</div>
<div id="sidebar" class="col-side">
<div class="widget popular"><h3 class="widget-title">{escape(self.labels["most_read"])}</h3>
{self._most_read}</div>
<div class="widget">{self.newsletter}</div>
</div>
</div>
<div id="footer" class="footer">{self.footer}</div>
</div>
</body>
</html>
"""

    def _modern(self, sheet: Sheet) -> str:
        """Frame of semantic elements."""
        return f"""<!doctype html>
<html{self._lang(sheet)}>
<head>
{self._head(sheet)}
</head>
<body class="{sheet.body_class}">
{self._cookies(sheet)}
<header class="masthead"><a class="logo" href="/">{self._site_name}</a>
<p class="slogan">{escape(self.labels["slogan"])}</p>{self._search_form}</header>
<nav class="nav-wrap" aria-label="main">{self.menu}</nav>
<div class="columns">
<main class="col-main">
<nav class="breadcrumb" aria-label="breadcrumb">{self._trail_links(sheet.trail, " / ")}</nav>
{sheet.main}
</main>
<aside class="col-side">
<section class="widget popular"><h2 class="widget-title">{escape(self.labels["most_read"])}</h2>
{self._most_read}</section>
<section class="widget">{self.newsletter}</section>
</aside>
</div>
<footer class="footer">{self.footer}</footer>
</body>
</html>
"""

    def _fresh(self, sheet: Sheet) -> str:
        """Frame of the redesign: the side bar comes first, and other names and another nesting throughout."""
        return f"""<!doctype html>
<html{self._lang(sheet)}>
<head>
{self._head(sheet)}
</head>
<body class="fresh {sheet.body_class}">
<div class="shell">
<section class="bar"><div class="brand"><b><a href="/">{self._site_name}</a></b>
<em>{escape(self.labels["slogan"])}</em></div><div class="drawer">{self.menu}</div></section>
<div class="stage"><div class="rail"><div class="panel">{self.newsletter}</div>
<div class="panel"><h5>{escape(self.labels["most_read"])}</h5>{self._most_read}</div></div>
<div class="sheet" role="main"><div class="crumbs"><small>{self._trail_links(sheet.trail, " › ")}</small></div>
<div class="sheet-inner">
{sheet.main}
</div></div></div>
<section class="base">{self._search_form}{self.footer}</section>
</div>
{self._cookies(sheet)}
</body>
</html>
"""

    # What is the same on all pages

    @cached_property
    def menu(self) -> str:
        """The drop-down menu: sections with their sub-sections."""
        entries = "".join(self._menu_entry(section) for section in self.plan.sections)
        home = f'<li><a href="/">{escape(self.labels["home"])}</a></li>'
        latest = f'<li><a href="/latest/">{escape(self.labels["latest"])}</a></li>'
        return f'<ul class="menu">{home}{entries}{latest}</ul>'

    def _menu_entry(self, section: Topic) -> str:
        children = items(
            f'<a href="/{section.slug}/{child.slug}/">{escape(child.name)}</a>'
            for child in section.children[: self.plan.children]
        )
        link = f'<a href="/{section.slug}/">{escape(section.name)}</a>'
        return f'<li class="menu-item">{link}<ul class="sub-menu">{children}</ul></li>'

    @cached_property
    def footer(self) -> str:
        """The links that nobody reads, and the way to the dirt if there is any."""
        names = [
            "about",
            "contact",
            "privacy",
            "imprint",
            "search",
            "login",
            "video",
            *(["archive"] if self.dirt else []),
        ]
        targets = [(f"/{name}/" if name == "archive" else f"/{name}.html", self.labels[name]) for name in names]
        links = " | ".join(f'<a href="{path}">{escape(label)}</a>' for path, label in targets)
        unwritten = f'<a href="/tag/unwritten/">{escape(self.labels["empty_tag"])}</a>'
        return (
            f'<p class="footer-links">{links} | {unwritten} | <a href="/feed.xml">RSS</a></p>'
            f'<p class="copyright">&copy; 2026 {escape(self.labels["copyright"])}</p>'
        )

    @cached_property
    def newsletter(self) -> str:
        """The box that begs on every page, word for word."""
        labels = self.labels
        return (
            f'<div class="newsletter"><h4>{escape(labels["newsletter"])}</h4>'
            f"<p>{escape(labels['newsletter_text'])}</p>"
            f'<form action="/search.html"><input type="email" name="email">'
            f"<button>{escape(labels['subscribe'])}</button></form></div>"
        )

    @cached_property
    def _most_read(self) -> str:
        items = "".join(f"<li>{card_link(card)}</li>" for card in self.newsroom.most_read())
        return f'<ol class="most-read">{items}</ol>'

    @cached_property
    def _most_read_rows(self) -> str:
        return "".join(
            f'<tr><td><font size="2">{place}. {card_link(card)}</font></td></tr>'
            for place, card in enumerate(self.newsroom.most_read(), start=1)
        )

    @cached_property
    def _site_name(self) -> str:
        return escape(self.newsroom.language.site_name)

    @cached_property
    def _search_form(self) -> str:
        hint = escape(self.labels["search"])
        return f'<form class="search" action="/search.html"><input name="q" placeholder="{hint}"></form>'

    # What differs from page to page

    def _head(self, sheet: Sheet) -> str:
        """Make the head; only the modern frame names the canonical address."""
        canonical = f'\n<link rel="canonical" href="{escape(sheet.path)}">' if sheet.frame == "modern" else ""
        return (
            f'<meta charset="utf-8">\n<title>{escape(sheet.title)} - {self._site_name}</title>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<link rel="stylesheet" href="/assets/site.css">\n'
            '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
            f"{canonical}{sheet.head}"
        )

    def _lang(self, sheet: Sheet) -> str:
        return f' lang="{self.newsroom.language.code}"' if sheet.language_declared else ""

    def _cookies(self, sheet: Sheet) -> str:
        """Make the banner, with the kind of identifier that generators invent anew for each page."""
        token = self.newsroom.random("token", sheet.path).randrange(16**8)
        return (
            f'<div id="cc-{token:08x}" class="cookie-banner" data-nonce="{token}">'
            f"<p>{escape(self.labels['cookies'])}</p>"
            f'<button type="button">{escape(self.labels["accept"])}</button></div>'
        )

    def _trail_links(self, trail: Trail, between: str) -> str:
        steps = ((self.labels["home"], "/"), *trail)
        return between.join(f'<a href="{path}">{escape(name)}</a>' for name, path in steps)


def card_link(card: Card, href: str = "") -> str:
    """Link an article by its headline."""
    return f'<a href="{escape(href or card.path)}">{escape(card.headline)}</a>'


def items(pieces: Iterable[str]) -> str:
    """Wrap each piece of HTML as a list item."""
    return "".join(f"<li>{piece}</li>" for piece in pieces)
