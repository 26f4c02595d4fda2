"""A page without the template of its family: its own content, and the structure that encloses it.

Template text goes, and so does each element that shows nothing else; what is left is a whole HTML page (Geraci & Maggini,
template-alignment §3.2, cluster pages that were stripped like this).
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstruct.flatten import SILENT_TAGS, covered
from webstruct.page import Page, Tokens, joined
from webstruct.template import Match, Template, attribute_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstruct.flatten import Attributes, BoolArray

# A stripped page has no use for what is not shown; it always has its frame.
_UNSHOWN_TAGS = SILENT_TAGS - {"title", "iframe", "object"}
_FRAME_TAGS = frozenset(("html", "head", "title", "body"))
# Even when they are empty they give the text around them its form.
_FORM_TAGS = frozenset(("br", "hr", "wbr", "td", "th"))
_ATTRIBUTE_NAME = re.compile(r"""[^\s"'<>/=]+""")


class Stripped(NamedTuple):
    """The page's own content.

    Attributes
    ----------
    html, text
        What is left, as a whole HTML page and as visible text.
    kept_nodes, kept_chunks
        By node and by text chunk of the page: whether it is left.
    match
        Which tokens of the page are template.

    """

    html: str
    text: str
    kept_nodes: BoolArray
    kept_chunks: BoolArray
    match: Match


def strip(page: Page, template: Template) -> Stripped:
    """Leave out template text and what holds nothing else; what encloses the page's own content stays.

    >>> pages = [Page.parse(f"<div>Menu</div><p>Story {n}", f"http://example.com/{n}") for n in range(4)]
    >>> strip(pages[0], Template.learn(pages)).html
    '<!DOCTYPE html><html><body><p>Story 0</p></body></html>'
    """
    match = template.match(page)
    kept_chunks = ~match.chunks
    kept_nodes = _kept_nodes(page, match, kept_chunks, template.values)
    kept_chunks &= kept_nodes[page.chunk_node]
    stripped_html = _html(page, match.tokens, kept_nodes, kept_chunks)
    text = joined(page.chunks, page.chunk_break, kept_chunks & ~page.hidden[page.chunk_node])
    return Stripped(stripped_html, text, kept_nodes, kept_chunks, match)


def _kept_nodes(page: Page, match: Match, kept_chunks: BoolArray, values: frozenset[str]) -> BoolArray:
    """An element stays if it shows something of the page's own, or shows nothing at all and is not template."""
    media = _by_kind(page, lambda _, attributes: any(_media(attributes)))
    own_media = _by_kind(page, lambda tag, attributes: not values.issuperset(attribute_keys(tag, _media(attributes))))
    texts = np.bincount(page.chunk_node, minlength=len(page))
    own_texts = np.bincount(page.chunk_node[kept_chunks], minlength=len(page))
    shows_own = page.subtree_sum(own_texts + own_media) > 0
    shows_nothing = page.subtree_sum(texts + media) == 0
    is_needed = ~match.nodes(page) | _by_kind(page, lambda tag, _: tag in _FORM_TAGS)
    stays = shows_own | (shows_nothing & is_needed) | _by_kind(page, lambda tag, _: tag in _FRAME_TAGS)
    return ~covered(~stays | _by_kind(page, lambda tag, _: tag in _UNSHOWN_TAGS), page.subtree_end)


def _by_kind(page: Page, holds: Callable[[str, Attributes], bool]) -> BoolArray:
    """By node: whether something holds for its start tag."""
    kinds = zip(page.kind_tags, page.kind_attributes, strict=True)
    return np.fromiter((holds(*kind) for kind in kinds), dtype=bool, count=len(page.kind_tags))[page.kind]


def _media(attributes: Attributes) -> Attributes:
    """What an element shows by its attributes: pictures, films and frames, also those that a script loads later."""
    return tuple((name, value) for name, value in attributes if name.endswith("src"))


def _html(page: Page, tokens: Tokens, kept_nodes: BoolArray, kept_chunks: BoolArray) -> str:
    title = page.nodes("title")[:1].tolist()
    is_kept = kept_nodes.tolist()
    chunks = zip(page.chunks, kept_chunks.tolist(), strict=True)
    pieces = ["<!DOCTYPE html>"]
    for token, node, is_text in zip(tokens.tokens, tokens.nodes.tolist(), tokens.is_text.tolist(), strict=True):
        if is_text:
            chunk, chunk_kept = next(chunks)
            pieces.append(html.escape(chunk, quote=False) if chunk_kept else "")
        elif is_kept[node] and token.startswith("</"):
            pieces.append(token)
        elif is_kept[node]:
            pieces.append(_whole_start_tag(page, node))
            pieces.append(html.escape(page.title, quote=False) if node in title else "")
    return "".join(pieces)


def _whole_start_tag(page: Page, node: int) -> str:
    shown = (
        f' {name}="{html.escape(value)}"'
        for name, value in page.kind_attributes[page.kind[node]]
        if _ATTRIBUTE_NAME.fullmatch(name)
    )
    return f"<{page.tag(node)}{''.join(shown)}>"
