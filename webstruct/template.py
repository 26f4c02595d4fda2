"""Template of a page family: which tokens of its pages belong to it? (Geraci & Maggini, template-alignment §2).

A template is distilled from t pages of one family: the pages are aligned in pairs, the results in pairs again, up to
one profile at the root of the tree. A token's score is the share of pages that have it in its place; what stands on
less than half of the pages is not template. A page is stripped by aligning it with the template of its family.

Three things go beyond the paper; each was measured on real sites:

- Generators write page ids, time stamps and nonces into attributes. A value is held to the rule for tokens: on less
  than half of the sampled pages it is page data, and is left out of its tag; of a `class`, word by word.
- Pages of like length are paired. The paper pairs at random, but the gaps that a short page needs beside a long one
  push blocks out of place which both have.
- *Alike siblings stand or fall together.* Paragraphs match paragraphs by chance, and a sign-off may close every article
  of a family. Siblings with the same start tag are a list of paragraphs, entries or comments: if most of its text is
  the page's own, then all of it is.
"""

from __future__ import annotations

import html
import random
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webstruct.alignment import BoolArray, FloatArray, IntArray, Profile, align, distil, merge
from webstruct.flatten import SILENT_TAGS, covered
from webstruct.packing import pack, unpack
from webstruct.page import MAX_VALUE_CHARS, Page, Tokens, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from webstruct.flatten import Attributes

# How many pages a template is distilled from (t).
SAMPLE = 16
# A token is template from the first score on; down to the second it is kept for the next update (§2.2).
TEMPLATE_SCORE = 1 / 2
KEPT_SCORE = 1 / 4
# What stands on one page only is page data, however few pages there are.
_LEAST_PAGES = 2
# A sibling with more of the page's texts than this is a column or a band of the page, and no list entry.
_ENTRY_SHARE = 1 / 2

# A stripped page has no use for what is not shown; it always has its frame.
_UNSHOWN_TAGS = SILENT_TAGS - {"head", "iframe", "object"}
_FRAME_TAGS = frozenset(("html", "head", "title", "body"))
# Even when they are empty they give the text around them its form.
_FORM_TAGS = frozenset(("br", "hr", "wbr", "td", "th"))
_ATTRIBUTE_NAME = re.compile(r"""[^\s"'<>/=]+""")


class Match(NamedTuple):
    """A page aligned with a template.

    Attributes
    ----------
    found
        By token of the template: whether the page has it in its place.
    is_template
        By token of the page: whether it is template.
    tokens
        The tokens of the page, with the node of each.

    """

    found: BoolArray
    is_template: BoolArray
    tokens: Tokens

    @property
    def chunks(self) -> BoolArray:
        """By text chunk of the page: whether it is template."""
        return self.is_template[self.tokens.is_text]

    def nodes(self, page: Page) -> BoolArray:
        """By node of the page: whether it is template with all that it holds."""
        own = np.bincount(self.tokens.nodes[~self.is_template], minlength=len(page))
        is_whole: BoolArray = page.subtree_sum(own) == 0
        return is_whole


@dataclass(frozen=True, eq=False)
class Template:
    """What the pages of a family share.

    Attributes
    ----------
    profile, scores
        Tokens in document order, and the share of pages that have each.
    pages
        The number of pages that the scores rest on; 0 if there were fewer than two to compare.
    values
        Attributes and attribute values that are no page data.

    """

    profile: list[str]
    scores: FloatArray
    pages: int
    values: frozenset[str]

    @classmethod
    def learn(cls, pages: Sequence[Page], *, t: int = SAMPLE, seed: int = 0) -> Template:
        """Distil the template of a family from t of its pages, chosen by `seed`.

        Of a single page nothing can be said: its template is empty.

        >>> menu = "<ul><li>Home<li>News</ul>"
        >>> pages = [Page.parse(f"{menu}<p id={n}>Story {n}", f"http://example.com/{n}") for n in range(4)]
        >>> "".join(Template.learn(pages).tokens)
        '<html><body><ul><li>home</li><li>news</li></ul><p id></p></body></html>'
        """
        sample = _sample(pages, t, seed)
        if len(sample) < _LEAST_PAGES:
            return cls([], np.zeros(0), 0, frozenset())
        values = _recurring_values(sample)
        vocabulary: dict[str, int] = {}
        root = _distilled(sample, values, vocabulary)
        return cls(_names(root.tokens, vocabulary), root.counts / len(sample), len(sample), values)

    def updated(self, pages: Sequence[Page], *, t: int = SAMPLE, seed: int = 0) -> Template:
        """The template after a later run: what it was and what the new pages share are one more pair of the tree.

        Each weighs as many pages as it rests on, the old one at most t, so that it fades when the site has changed.
        """
        sample = _sample(pages, t, seed)
        if not self.pages or not sample:
            return self.learn(pages, t=t, seed=seed) if sample else self
        values = self.values | _recurring_values(sample)
        vocabulary: dict[str, int] = {}
        old = Profile(_intern(self.profile, vocabulary), self.scores * self.pages)
        total = self.pages + len(sample)
        merged = merge(old, _distilled(sample, values, vocabulary)).pruned(KEPT_SCORE * total)
        return Template(_names(merged.tokens, vocabulary), merged.counts / total, min(total, t), values)

    @cached_property
    def _is_kept(self) -> BoolArray:
        kept: BoolArray = self.scores >= max(TEMPLATE_SCORE, _LEAST_PAGES / max(1, self.pages))
        return kept

    @cached_property
    def tokens(self) -> list[str]:
        """The template itself: tags with sorted attributes, and text escaped as in HTML."""
        return [self.profile[place] for place in np.flatnonzero(self._is_kept).tolist()]

    @property
    def mean_score(self) -> float:
        """The share of the template's tokens on the pages that it was learned from, in the mean; 1 if it is empty."""
        return float(self.scores[self._is_kept].mean()) if self._is_kept.any() else 1.0

    @cached_property
    def _numbers(self) -> tuple[IntArray, dict[str, int]]:
        vocabulary: dict[str, int] = {}
        return _intern(self.tokens, vocabulary), vocabulary

    def match(self, page: Page) -> Match:
        """Align a page with the template, and tell which of its tokens are template."""
        own, vocabulary = self._numbers
        tokens, start_tags = page.tokens(), _start_tags(page, self.values)
        names = _normalised(page, tokens, start_tags)
        alignment = align(own, np.array([vocabulary.get(name, -1) for name in names], dtype=np.int32))
        found, matched = np.zeros(len(own), dtype=bool), np.zeros(len(names), dtype=bool)
        found[alignment.first[alignment.matched]] = True
        matched[alignment.second[alignment.matched]] = True
        is_own = _in_own_lists(page, start_tags, tokens, matched)
        return Match(found, matched & ~is_own[tokens.nodes], tokens)

    def fit(self, page: Page) -> float:
        """The share of the template's tokens that the page has: low after a redesign; 1 for an empty template."""
        found = self.match(page).found
        return float(found.mean()) if len(found) else 1.0

    def pack(self) -> bytes:
        """The template as bytes for the store."""
        fields = {"profile": self.profile, "scores": self.scores, "pages": self.pages, "values": sorted(self.values)}
        return pack(fields)

    @classmethod
    def unpack(cls, data: bytes) -> Template:
        """The template that `pack` wrote."""
        fields = unpack(data)
        return cls(fields["profile"], fields["scores"], fields["pages"], frozenset(fields["values"]))


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


def _sample(pages: Sequence[Page], t: int, seed: int) -> list[Page]:
    chosen = random.Random(seed).sample(range(len(pages)), min(t, len(pages)))
    return [pages[number] for number in sorted(chosen)]


def _distilled(sample: Sequence[Page], values: frozenset[str], vocabulary: dict[str, int]) -> Profile:
    """The root of the tree over some pages, those of like length beside each other."""
    names = (_normalised(page, page.tokens(), _start_tags(page, values)) for page in sample)
    return distil(sorted((_intern(own, vocabulary) for own in names), key=len))


def _recurring_values(pages: Sequence[Page]) -> frozenset[str]:
    """Attributes and attribute values that stand on half of the pages, and on more than one."""
    seen: Counter[str] = Counter()
    for page in pages:
        kinds = zip(page.kind_tags, page.kind_attributes, strict=True)
        seen.update({key for tag, attributes in kinds for key in _keys(tag, attributes)})
    least = max(_LEAST_PAGES, TEMPLATE_SCORE * len(pages))
    return frozenset(key for key, count in seen.items() if count >= least)


def _keys(tag: str, attributes: Attributes) -> Iterator[str]:
    for name, value in attributes:
        yield f"{tag} {name}"
        yield from (f"{tag} {name}={word}" for word in _words(name, value))


def _words(name: str, value: str) -> list[str]:
    """The classes of a `class` in order; any other value as a whole, folded, and as short as a stored page has it."""
    words = value[:MAX_VALUE_CHARS].lower().split()
    return sorted(set(words)) if name == "class" else [" ".join(words)]


def _start_tags(page: Page, values: frozenset[str]) -> list[str]:
    """By kind of the page: its start tag with sorted attributes and without page data."""
    kinds = zip(page.kind_tags, page.kind_attributes, strict=True)
    return [_start_tag(tag, attributes, values) for tag, attributes in kinds]


def _start_tag(tag: str, attributes: Attributes, values: frozenset[str]) -> str:
    shown = [f"<{tag}"]
    for name, value in sorted(attributes):
        if f"{tag} {name}" in values:
            kept = " ".join(word for word in _words(name, value) if f"{tag} {name}={word}" in values)
            shown.append(f'{name}="{html.escape(kept)}"' if kept else name)
    return " ".join(shown) + ">"


def _normalised(page: Page, tokens: Tokens, start_tags: Sequence[str]) -> list[str]:
    """The page's tokens with these start tags; a text can't be taken for a tag."""
    kinds = page.kind[tokens.nodes].tolist()
    return [
        html.escape(token, quote=False) if is_text else token if token.startswith("</") else start_tags[kind]
        for token, is_text, kind in zip(tokens.tokens, tokens.is_text.tolist(), kinds, strict=True)
    ]


def _intern(names: Iterable[str], vocabulary: dict[str, int]) -> IntArray:
    return np.array([vocabulary.setdefault(name, len(vocabulary)) for name in names], dtype=np.int32)


def _names(tokens: IntArray, vocabulary: dict[str, int]) -> list[str]:
    names = list(vocabulary)
    return [names[token] for token in tokens.tolist()]


def _in_own_lists(page: Page, start_tags: Sequence[str], tokens: Tokens, matched: BoolArray) -> BoolArray:
    """Nodes that are, or stand below, alike siblings most of whose text is the page's own."""
    texts = page.subtree_sum(np.bincount(tokens.nodes[tokens.is_text], minlength=len(page)))
    matched_texts = page.subtree_sum(np.bincount(tokens.nodes[tokens.is_text & matched], minlength=len(page)))
    siblings = page.parent.astype(np.int64) * len(start_tags) + _intern(start_tags, {})[page.kind]
    _, group, sizes = np.unique(siblings, return_inverse=True, return_counts=True)
    largest = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(largest, group, texts)
    is_list = (sizes > 1) & (largest <= _ENTRY_SHARE * texts[0])
    is_own = 2 * np.bincount(group, matched_texts) < np.bincount(group, texts)
    return covered((is_list & is_own)[group], page.subtree_end)


def _kept_nodes(page: Page, match: Match, kept_chunks: BoolArray, values: frozenset[str]) -> BoolArray:
    """An element stays if it shows something of the page's own, or shows nothing at all and is not template."""
    media = _by_kind(page, lambda _, attributes: any(_media(attributes)))
    own_media = _by_kind(page, lambda tag, attributes: not values.issuperset(_keys(tag, _media(attributes))))
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
