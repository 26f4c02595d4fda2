"""Template of a page family: which tokens of its pages belong to it? (Geraci & Maggini, template-alignment §2).

A template is distilled from t pages of one family: the pages are aligned in pairs, the results in pairs again, up to
one profile at the root of the tree. A token's score is the share of pages that have it in its place; what stands on
less than half of the pages is not template. A page is matched with the template of its family by one more alignment;
`stripping.py` takes out what matched.

Three things go beyond the paper; each was measured on real sites:

- Generators write page ids, time stamps and nonces into attributes. A value is held to the rule for tokens: on less
  than half of the sampled pages it is page data, and is left out of its tag; of a `class`, word by word.
- Pages of like length are paired. The paper pairs at random, but the gaps that a short page needs beside a long one
  push blocks out of place which both have.
- *What belongs together stands or falls together.* Paragraphs match paragraphs by chance, and a sign-off may close every
  article of a family. Siblings with the same start tag are a list of paragraphs, entries or comments: if most of its
  text is the page's own, then all of it is. So it is with the pieces of a preformatted text, and with a heading and what
  follows it: "Abstract" above an abstract is not the site's.
"""

from __future__ import annotations

import html
import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from webstruct.alignment import BoolArray, FloatArray, IntArray, Profile, align, distil, merge
from webstruct.flatten import covered
from webstruct.packing import pack, unpack
from webstruct.page import MAX_VALUE_CHARS, Page, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


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
    def fit(self) -> float:
        """The share of the template's tokens that the page has; 1 for an empty template."""
        return float(self.found.mean()) if len(self.found) else 1.0

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
        matched &= ~_in_own_lists(page, start_tags, tokens, matched)[tokens.nodes]
        matched &= ~_above_own_text(page, tokens, matched)[tokens.nodes]
        return Match(found, matched, tokens)

    def fit(self, page: Page) -> float:
        """The share of the template's tokens that the page has: low after a redesign; 1 for an empty template."""
        return self.match(page).fit

    def pack(self) -> bytes:
        """The template as bytes for the store."""
        fields = {"profile": self.profile, "scores": self.scores, "pages": self.pages, "values": sorted(self.values)}
        return pack(fields)

    @classmethod
    def unpack(cls, data: bytes) -> Template:
        """The template that `pack` wrote."""
        fields = unpack(data)
        return cls(fields["profile"], fields["scores"], fields["pages"], frozenset(fields["values"]))


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
        seen.update({key for tag, attributes in kinds for key in attribute_keys(tag, attributes)})
    least = max(_LEAST_PAGES, TEMPLATE_SCORE * len(pages))
    return frozenset(key for key, count in seen.items() if count >= least)


def attribute_keys(tag: str, attributes: Attributes) -> Iterator[str]:
    """The names of `Template.values` for the attributes of a tag, and for their values."""
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
    """Nodes that are, or stand below, alike siblings or preformatted text, most of whose text is the page's own."""
    texts = page.subtree_sum(_texts_by_node(page, tokens, tokens.is_text))
    matched_texts = page.subtree_sum(_texts_by_node(page, tokens, matched))
    siblings = page.parent.astype(np.int64) * len(start_tags) + _intern(start_tags, {})[page.kind]
    _, group, sizes = np.unique(siblings, return_inverse=True, return_counts=True)
    largest = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(largest, group, texts)
    is_list = (sizes > 1) & (largest <= _ENTRY_SHARE * texts[0])
    is_list[group[page.nodes("pre")]] = True
    is_own = 2 * np.bincount(group, matched_texts) < np.bincount(group, texts)
    return covered((is_list & is_own)[group], page.subtree_end)


def _above_own_text(page: Page, tokens: Tokens, matched: BoolArray) -> BoolArray:
    """Nodes that are, or stand in, headings: what follows, up to the next one or the end of what holds both, is own."""
    headings = page.nodes(*_HEADINGS)
    begins, parents = page.subtree_end[headings], page.parent[headings]
    next_headings = np.append(headings[1:], len(page))
    ends = np.maximum(begins, np.minimum(next_headings, page.subtree_end[parents]))
    texts = _before(_texts_by_node(page, tokens, tokens.is_text))
    matched_texts = _before(_texts_by_node(page, tokens, matched))
    is_own = 2 * (matched_texts[ends] - matched_texts[begins]) < texts[ends] - texts[begins]
    chosen = np.zeros(len(page), dtype=bool)
    chosen[headings[is_own]] = True
    return covered(chosen, page.subtree_end)


def _texts_by_node(page: Page, tokens: Tokens, wanted: BoolArray) -> npt.NDArray[np.int64]:
    """How many of the wanted tokens are text, by node."""
    return np.bincount(tokens.nodes[tokens.is_text & wanted], minlength=len(page))


def _before(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Sums of all counts before each place."""
    return np.concatenate([[0], np.cumsum(counts)])
