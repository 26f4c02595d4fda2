"""Templates: which tokens of a page belong to the template of its family? (Geraci & Maggini, template-alignment §2)

A template is distilled from t pages of one family: the pages are aligned in pairs, the results in pairs again, up to one
profile at the root of the tree. A token's score is the share of pages that have it in its place; what stands on less
than half of the pages is not template. The paper counts on attributes that do not change. Generators write page ids,
time stamps and nonces into them, so that an attribute value which is seen on one page only is left out of its tag.

A page is stripped by aligning it with its family's template: matched text and wholly matched subtrees go.
"""

from __future__ import annotations

import html
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webstruct.alignment import BoolArray, IntArray, align
from webstruct.flatten import Attributes
from webstruct.packing import pack, unpack
from webstruct.page import Page

FloatArray = npt.NDArray[np.float64]

SAMPLE = 16
# Tokens are template from this score on (§2.2); those from the score that pruning leaves are kept for the next update.
TEMPLATE_SCORE = 1 / 2
KEPT_SCORE = 1 / 4
_RECURRING = 2


class Sequence_(NamedTuple):
    tokens: list[str]
    nodes: IntArray
    is_text: BoolArray


class Profile(NamedTuple):
    """Tokens with the number of pages that have each."""

    tokens: IntArray
    counts: IntArray


def values_of(tag, attributes: Attributes):
    for name, value in attributes:
        yield f"{tag} {name}"
        if name == "class":
            for v in value.lower().split():
                yield f"{tag} {name}={v}"
        else:
            yield f"{tag} {name}={' '.join(value.lower().split())}"


def recurring(pages: Sequence[Page], least=_RECURRING) -> frozenset[str]:
    seen: Counter[str] = Counter()
    for page in pages:
        seen.update({v for tag, attributes in zip(page.kind_tags, page.kind_attributes) for v in values_of(tag, attributes)})
    return frozenset(v for v, n in seen.items() if n >= least)


def start_tag(tag, attributes, values):
    parts = []
    for name, value in sorted(attributes):
        if f"{tag} {name}" not in values:
            continue
        if name == "class":
            v = " ".join(x for x in sorted(set(value.lower().split())) if f"{tag} {name}={x}" in values)
        else:
            v = " ".join(value.lower().split())
            if f"{tag} {name}={v}" not in values:
                v = ""
        parts.append(f' {name}="{v}"' if v else f" {name}")
    return f"<{tag}{''.join(parts)}>"


def page_tokens(page: Page, values) -> Sequence_:
    raw = page.tokens()
    tags = [start_tag(tag, attributes, values) for tag, attributes in zip(page.kind_tags, page.kind_attributes, strict=True)]
    tokens = [
        html.escape(token, quote=False) if text else token if token.startswith("</") else tags[kind]
        for token, text, kind in zip(raw.tokens, raw.is_text.tolist(), page.kind[raw.nodes].tolist(), strict=True)
    ]
    return Sequence_(tokens, raw.nodes, raw.is_text)


def merge(a: Profile, b: Profile) -> Profile:
    al = align(a.tokens, b.tokens)
    keep = np.stack([al.first >= 0, (al.second >= 0) & ~al.matched])
    counts = np.stack([a.counts[al.first] + np.where(al.matched, b.counts[al.second], 0), b.counts[al.second]])
    tokens = np.stack([a.tokens[al.first], b.tokens[al.second]])
    return Profile(tokens.T[keep.T], counts.T[keep.T])


def distil(sequences: Sequence[IntArray]) -> Profile:
    profiles = [Profile(s, np.ones(len(s), dtype=np.int32)) for s in sequences]
    r = 0
    while len(profiles) > 1:
        r += 1
        least = 2.0 ** (r - 2)
        paired = [merge(a, b) for a, b in zip(profiles[::2], profiles[1::2], strict=False)]
        odd = profiles[len(paired) * 2 :]
        profiles = [Profile(p.tokens[p.counts >= least], p.counts[p.counts >= least]) for p in paired] + odd
    return profiles[0]
