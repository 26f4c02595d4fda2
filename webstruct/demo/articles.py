"""The article templates: the old table layout, boxes with classes, a modern semantic one, and the redesign."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from webstruct.demo.chrome import Chrome, Sheet, Trail, card_link, items

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from webstruct.demo.story import Block, Card, Span, Story


@dataclass(frozen=True)
class Print:
    """One page of a story on its way to paper: which part it is, and its neighbours in time."""

    story: Story
    part: int
    origin: str
    chrome: Chrome
    older: Card | None
    newer: Card | None

    @property
    def card(self) -> Card:
        """The story's card."""
        return self.story.card

    @property
    def blocks(self) -> Sequence[Block]:
        """The blocks of this part."""
        return self.story.parts[self.part]

    def label(self, name: str) -> str:
        """Return a label, escaped."""
        return escape(self.chrome.labels[name])

    @property
    def date(self) -> str:
        """The date as this template writes it."""
        language, published = self.chrome.newsroom.language, self.card.published
        return language.dates[self.card.template].format(
            day=published.day,
            number=published.month,
            month=language.months[published.month - 1],
            year=published.year,
            clock=f"{published:%H:%M}",
        )


def article_sheet(page: Print) -> Sheet:
    """Set one page of an article in the template of its time and section."""
    card = page.card
    section, child = card.section, card.child
    template = page.chrome.look(card.template)
    trail: Trail = ((section.name, f"/{section.slug}/"), (child.name, f"/{section.slug}/{child.slug}/"))
    return Sheet(
        path=card.part_paths[page.part],
        title=card.headline,
        main=TEMPLATES[template](page),
        frame=template,
        trail=trail,
        body_class=f"single postid-{card.identifier} section-{section.slug}",
        head=_metadata(page) if template == "modern" else "",
        language_declared=card.number % 3 != 0,
    )


def _classic(page: Print) -> str:
    """Set the page as in 2002: paragraphs parted by <br><br> in a table cell."""
    card = page.card
    body = "\n".join(_classic_block(block, card) for block in page.blocks)
    return f"""<table width="100%" cellpadding="3"><tr><td>
<font size="5"><b>{escape(card.headline)}</b></font></td></tr>
<tr><td><font size="2" color="#666666">{page.date} &nbsp; {page.label("author")} {_author(page)}</font>
</td></tr>
<tr><td>{_share(page)}</td></tr>
<tr><td class="text">
{body}
</td></tr>
<tr><td>{_parts(page)}</td></tr>
<tr><td><font size="2"><b>{page.label("tags")}:</b> {", ".join(_tags(page))}</font></td></tr>
<tr><td bgcolor="#eeeeee"><b>{page.label("about_author")}</b><br>{_biography(page)}</td></tr>
<tr><td><b>{page.label("related")}</b><br>{"<br>".join(f"- {link}" for link in _related(page))}</td></tr>
<tr><td>{"<br>".join(_neighbours(page))}</td></tr>
{_comments(page, '<tr><td><b>{name}</b><br>{text}<br><a href="#reply">{reply}</a></td></tr>')}
</table>"""


def _boxes(page: Print) -> str:
    """Set the page as a content management system does: classes everywhere."""
    card = page.card
    body = "\n".join(_box_block(block, card, page) for block in page.blocks)
    return f"""<div id="post-{card.identifier}" class="post post-{card.identifier} type-post">
<h1 class="entry-title">{escape(card.headline)}</h1>
<div class="entry-meta"><span class="date">{page.date}</span> |
<span class="author">{page.label("author")} {_author(page)}</span></div>
<div class="share">{_share(page)}</div>
<div class="entry-content" id="content-{card.identifier * 7919 % 99991}">
{body}
</div>
<div class="page-links">{_parts(page)}</div>
<div class="entry-tags"><span>{page.label("tags")}</span> <ul class="tags">{items(_tags(page))}</ul></div>
<div class="author-box"><h4>{page.label("about_author")}</h4><p>{_biography(page)}</p></div>
<div class="related"><h3>{page.label("related")}</h3><ul>{items(_related(page))}</ul></div>
<div class="post-navigation">{" ".join(_neighbours(page))}</div>
<div class="comments" id="comments">
{_comments(page, '<div class="comment"><b>{name}</b><p>{text}</p><a href="#reply">{reply}</a></div>')}
</div>
</div>"""


def _modern(page: Print) -> str:
    """Set the page in semantic elements: article, header, figure, time."""
    card = page.card
    lead, *rest = page.blocks
    body = "\n".join(_modern_block(block, card, page) for block in rest)
    return f"""<article class="story" data-id="{card.identifier}">
<header><h1>{escape(card.headline)}</h1>
<p class="standfirst">{_spans(lead.rows[0])}</p>
<p class="byline">{_author(page)} <time datetime="{card.published.isoformat()}">{page.date}</time></p>
<div class="share">{_share(page)}</div></header>
<section class="story-body">
{body}
</section>
<footer>{_parts(page)}<ul class="tags" aria-label="{page.label("tags")}">{items(_tags(page))}</ul>
<aside class="author-box"><h2>{page.label("about_author")}</h2><p>{_biography(page)}</p></aside></footer>
</article>
<section class="related"><h2>{page.label("related")}</h2><ul>{items(_related(page))}</ul></section>
<nav class="pager">{" ".join(_neighbours(page))}</nav>
<section class="comments" id="comments">
{_comments(page, '<div class="comment"><h3>{name}</h3><p>{text}</p><a href="#reply">{reply}</a></div>')}
</section>"""


def _fresh(page: Print) -> str:
    """Set the page as after the redesign: tags and share links first, a definition list of credits, divs of text."""
    card = page.card
    body = "\n".join(_fresh_block(block, card, page) for block in page.blocks)
    return f"""<div class="paper" data-key="{card.identifier}"><div class="paper-top">
<ul class="chips">{items(_tags(page))}</ul><div class="send">{_share(page)}</div>
<h2 class="headline">{escape(card.headline)}</h2>
<dl class="credits"><dt>{page.label("author")}</dt><dd>{_author(page)}</dd><dd class="when">{page.date}</dd></dl></div>
<div class="paper-text"><div class="measure">
{body}
</div></div>
<div class="paper-end">{_parts(page)}<p class="bio"><b>{page.label("about_author")}</b> {_biography(page)}</p>
<div class="onward"><h4>{page.label("related")}</h4>{"".join(f"<p>{link}</p>" for link in _related(page))}</div>
<div class="step">{" ".join(_neighbours(page))}</div></div>
<ol class="voices">
{_comments(page, '<li><i>{name}</i><blockquote>{text}</blockquote><a href="#reply">{reply}</a></li>')}
</ol></div>"""


TEMPLATES: dict[str, Callable[[Print], str]] = {
    "classic": _classic,
    "boxes": _boxes,
    "modern": _modern,
    "fresh": _fresh,
}


# The blocks of the body


def _classic_block(block: Block, card: Card) -> str:
    lines = [_spans(row) for row in block.rows]
    match block.kind:
        case "heading":
            return f"<b>{lines[0]}</b><br><br>"
        case "figure":
            caption = f'<font size="1">{lines[0]}</font>'
            return f'<table align="center"><tr><td>{_image(card, block)}<br>{caption}</td></tr></table>'
        case "advertisement":
            return f'<table align="right" width="200" border="1"><tr><td>{lines[0]}</td></tr></table>'
        case "promotion":
            return f'<table align="left" width="200" bgcolor="#ffffcc"><tr><td>{lines[0]}</td></tr></table>'
        case "paragraph":
            return f"{lines[0]}<br><br>"
        case _:
            return _common_block(block, lines)


def _box_block(block: Block, card: Card, page: Print) -> str:
    lines = [_spans(row) for row in block.rows]
    match block.kind:
        case "heading":
            return f"<h3>{lines[0]}</h3>"
        case "figure":
            return f'<div class="picture">{_image(card, block)}<p class="picture-text">{lines[0]}</p></div>'
        case "advertisement":
            return f'<div class="ad"><span>{page.label("advertisement")}</span><p>{lines[0]}</p></div>'
        case "promotion":
            return f'<div class="promo">{page.label("see_also")}: {lines[0]}</div>'
        case "paragraph":
            return f"<p>{lines[0]}</p>"
        case _:
            return _common_block(block, lines)


def _modern_block(block: Block, card: Card, page: Print) -> str:
    lines = [_spans(row) for row in block.rows]
    match block.kind:
        case "heading":
            return f"<h2>{lines[0]}</h2>"
        case "figure":
            return f"<figure>{_image(card, block)}<figcaption>{lines[0]}</figcaption></figure>"
        case "advertisement":
            return f'<aside class="ad"><small>{page.label("advertisement")}</small><p>{lines[0]}</p></aside>'
        case "promotion":
            return f'<aside class="promo"><strong>{page.label("see_also")}</strong> {lines[0]}</aside>'
        case "paragraph":
            return f"<p>{lines[0]}</p>"
        case _:
            return _common_block(block, lines)


def _fresh_block(block: Block, card: Card, page: Print) -> str:
    lines = [_spans(row) for row in block.rows]
    match block.kind:
        case "heading":
            return f'<h4 class="step-head"><span>{lines[0]}</span></h4>'
        case "figure":
            return f'<div class="shot">{_image(card, block)}<small>{lines[0]}</small></div>'
        case "advertisement":
            return f'<div class="sponsor"><u>{page.label("advertisement")}</u> {lines[0]}</div>'
        case "promotion":
            return f'<div class="teaser-inline">{page.label("see_also")}: {lines[0]}</div>'
        case "paragraph":
            return f'<div class="par">{lines[0]}</div>'
        case _:
            return _common_block(block, lines)


def _common_block(block: Block, lines: list[str]) -> str:
    """Blocks that all templates write alike."""
    match block.kind:
        case "list":
            return f"<ul>{items(lines)}</ul>"
        case "quote":
            return f"<blockquote><p>{lines[0]}</p></blockquote>"
        case "code":
            return "<pre><code>" + "\n".join(lines) + "</code></pre>"
        case _:
            rows = ("".join(f"<td>{escape(span.text)}</td>" for span in row) for row in block.rows)
            return f'<table class="figures">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>'


def _spans(row: Sequence[Span]) -> str:
    return "".join(
        escape(span.text) if span.href is None else f'<a href="{escape(span.href)}">{escape(span.text)}</a>'
        for span in row
    )


def _image(card: Card, block: Block) -> str:
    caption = escape(block.rows[0][0].text)
    return f'<img src="/images/{card.identifier}.svg" width="640" height="360" alt="{caption}">'


# What stands around the body


def _author(page: Print) -> str:
    author = page.card.author
    return f'<a href="{author.path}" rel="author">{escape(author.name)}</a>'


def _biography(page: Print) -> str:
    return f"{_author(page)}: {escape(page.story.biography)}"


def _tags(page: Print) -> list[str]:
    return [f'<a href="{tag.path}" rel="tag">{escape(tag.name)}</a>' for tag in page.card.tags]


def _share(page: Print) -> str:
    """Links to share the article by, as sites have them: outside hosts, mailto: and javascript:."""
    address = escape(f"{page.origin}{page.card.path}")
    return (
        f'{page.label("share")}: <a href="https://social.example.com/share?url={address}">Chirp</a> '
        f'<a href="https://faces.example.net/post?u={address}">Faces</a> '
        f'<a href="mailto:?subject=story&amp;body={address}">{page.label("mail")}</a> '
        f'<a href="javascript:window.print()">{page.label("print")}</a>'
    )


def _parts(page: Print) -> str:
    """Links between the pages of an article on several pages."""
    paths = page.card.part_paths
    if len(paths) == 1:
        return ""
    links = [
        f"<b>{index + 1}</b>" if index == page.part else f'<a href="{path}">{index + 1}</a>'
        for index, path in enumerate(paths)
    ]
    if page.part + 1 < len(paths):
        links.append(f'<a rel="next" href="{paths[page.part + 1]}">{page.label("next")}</a>')
    return f'<p class="parts">{" ".join(links)}</p>'


def _related(page: Print) -> list[str]:
    """Links to related articles; on a dirty site some addresses are written in needlessly different ways."""
    links = []
    for place, other in enumerate(page.story.related):
        decorate = DECORATIONS[(page.card.number + place) % len(DECORATIONS)] if page.chrome.dirt else "{path}"
        href = decorate.format(path=other.path, origin=page.origin.upper(), session=page.card.number * 7919)
        links.append(card_link(other, href))
    return links


DECORATIONS = (
    "{path}",
    "{path}?utm_source=related&utm_medium=web",
    "{path}",
    "{path}#comments",
    "{origin}{path}",
    "{path}",
    "{path};jsessionid={session:X}",
    "{path}",
    "{path}?sessionid={session:x}",
)


def _neighbours(page: Print) -> list[str]:
    """Links to the article before and the one after."""
    links = []
    if page.older:
        links.append(f'<span class="previous">{page.label("previous_story")}: {card_link(page.older)}</span>')
    if page.newer:
        links.append(f'<span class="next">{page.label("next_story")}: {card_link(page.newer)}</span>')
    return links


def _comments(page: Print, pattern: str) -> str:
    """Comments of readers below the first page of an article, where there are any."""
    comments = page.story.comments if page.part == 0 else ()
    reply = page.label("reply")
    return "\n".join(
        pattern.format(name=escape(comment.name), text=escape(comment.text), reply=reply) for comment in comments
    )


def _metadata(page: Print) -> str:
    """OpenGraph and JSON-LD, which only the modern template has."""
    card = page.card
    address = f"{page.origin}{card.path}"
    linked_data = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": card.headline,
        "datePublished": card.published.isoformat(),
        "author": {"@type": "Person", "name": card.author.name},
        "articleSection": card.section.name,
        "mainEntityOfPage": address,
    }
    properties = {
        "og:type": "article",
        "og:title": card.headline,
        "og:description": card.teaser,
        "og:url": address,
    }
    metas = "".join(f'\n<meta property="{name}" content="{escape(value)}">' for name, value in properties.items())
    text = json.dumps(linked_data, ensure_ascii=False).replace("</", "<\\/")
    return f'{metas}\n<script type="application/ld+json">{text}</script>'
