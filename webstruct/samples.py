"""The pages of a family that a wrapper is learned from, with the words by which other pages link to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstruct.page import Page
    from webstruct.sitepages import SitePages

# So many of the pages that link to most pages of the sample are asked for the words of their links.
SOURCES = 8
# Pages with the same title are copies if they have more than this share of their texts in common.
COPY_SHARE = 0.8


class Sample(NamedTuple):
    """A page to learn from, and the words by which other pages link to it."""

    page: Page
    anchor_texts: Sequence[str] = ()


def linking_texts(site: SitePages, numbers: Sequence[int]) -> dict[int, list[str]]:
    """The words of links to the given pages, from the few pages that link to most of them."""
    wanted = np.zeros(len(site), dtype=bool)
    wanted[list(numbers)] = True
    hits = [int(wanted[targets[targets >= 0]].sum()) for targets in site.targets]
    texts: dict[int, list[str]] = {}
    for source in sorted(range(len(site)), key=lambda number: -hits[number])[:SOURCES]:
        page = site.pages[source] if hits[source] else None
        for link, target in enumerate(site.targets[source].tolist() if page else ()):
            if target >= 0 and wanted[target] and target != source and page:
                texts.setdefault(target, []).append(page.link_text(int(page.link_node[link])))
    return texts


def without_copies(samples: Sequence[Sample]) -> list[Sample]:
    """One page of those that have the same title and nearly the same text: what is on both is not template."""
    by_title: dict[str, list[frozenset[str]]] = {}
    kept = []
    for sample in samples:
        texts = frozenset(sample.page.chunks)
        earlier = by_title.setdefault(sample.page.title, [])
        if not any(len(texts & other) > COPY_SHARE * max(len(texts), len(other)) for other in earlier):
            earlier.append(texts)
            kept.append(sample)
    return kept
