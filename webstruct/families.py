"""Families: which pages of a site were made by the same template? Structure alone decides, text is not looked at.

A page is the *set* of its features (parent tag, tag, class or id), so that a list of three entries and one of twenty
look alike. What a feature tells is the entropy of its presence, ``w = H(pages that have it / all pages)``: nothing if
all pages have it (menus, footers), next to nothing if one page has it (``postid-123``). No list of names is needed.

Two groups of pages, where a share ``p`` and ``q`` of the pages have a feature, lie this far apart::

    D = Σ w · I(feature; group) / H(group)  /  Σ w · max(p, q)

The first quotient is the share of "which group is this page from?" that the feature alone answers: 1 if it always
stands in one group and never in the other, near 0 if it comes and goes in both. Body markup does that (tables, code,
images), so articles stay together however they differ. For groups of one page each ``D`` is the weighted Jaccard
distance of two pages. Groups nearer than `NEAR` are merged, nearest first; a `SMALL` one may be twice as far away.

Pages are taken in batches, in the order of a hash of their URLs: a page joins a family that is near, or founds one with
others of its batch. So the cost is pages × families, and the result depends on the set of pages, not on their arrival.

A page is kept as a bottom-k sketch (Cohen & Kaplan, "Summarizing data using bottom-k sketches", PODC 2007): the
smallest hashes of its features. Unlike MinHash values these still name features, which are weighted in the end.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from webstruct.packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webstruct.flatten import Attributes
    from webstruct.page import Page

FloatArray = npt.NDArray[np.float64]
CountArray = npt.NDArray[np.int64]
HashArray = npt.NDArray[np.uint32]

# Groups nearer than this are one family. On 15 real sites types stay as pure from 0.13 to 0.20; below, families become
# many, above, they begin to mix types (benchmarks/families.py).
NEAR = 0.17
# A family of fewer pages carries little evidence, and joins another one up to twice as far away.
SMALL = 5
# A page is *like* a family if at least so much of their features agree, all features weighing the same.
ALIKE = 0.5

SKETCH_HASHES = 256
VOCABULARY = 1024
BATCH = 128
MAX_FAMILIES = 128
# Pages that an estimate rests on: 40 ms of work.
ESTIMATE_PAGES = 200
# One page in so many may have features beyond the site's horizon (see `_horizon`).
_RICH_PAGES = 20


class Families:
    """The pages of a site, sketched, and the families that they fall into.

    >>> from webstruct.page import Page
    >>> families = Families()
    >>> for number, body in enumerate(["<h1>A</h1><p>B"] * 3 + ["<ul><li><a>A</a><li><a>B</a></ul>"] * 2):
    ...     _ = families.add(Page.parse(body, f"http://example.com/{number}"))
    >>> families.settle()["http://example.com/4"]
    1
    >>> families.assign(Page.parse("<h1>C</h1><p>D<p>E", "http://example.com/new"))
    (0, 1.0)
    """

    def __init__(self) -> None:
        self._sketches: dict[str, bytes] = {}
        self._settled = _Settled(0, _vocabulary([]), _no_groups(0))
        self._estimate = 0, 0

    def __len__(self) -> int:
        """Number of pages."""
        return len(self._sketches)

    def add(self, page: Page) -> int:
        """Take in a page, or a new version of it; returns the nearest family for now: `settle` decides.

        Families are settled anew whenever the number of pages has doubled.
        """
        own = self.collect(page)
        if len(self) >= 2 * self._settled.pages:
            return self.settle()[page.url]
        return self._settled.nearest([own])[0]

    def collect(self, page: Page) -> bytes:
        """Take in a page without asking for its family: always quick, for those who settle at the end."""
        own = self._sketches[page.url] = sketch(page)
        return own

    def discard(self, url: str) -> None:
        """Forget a page that is no more; the settled families stay what they are."""
        self._sketches.pop(url, None)

    def settle(self) -> dict[str, int]:
        """URL → family of all pages; a larger family has a smaller number, then the one with the smallest URL."""
        urls = sorted(self._sketches, key=lambda url: (_checksum(url), url))
        sketches = [self._sketches[url] for url in urls]
        vocabulary = _vocabulary(sketches)
        settled = _Settled(len(urls), vocabulary, _cluster(sketches, vocabulary))
        labels = [label for batch in _batches(sketches) for label in settled.nearest(batch)]
        members: dict[int, list[str]] = {}
        for url, label in zip(urls, labels, strict=True):
            members.setdefault(label, []).append(url)
        order = sorted(members, key=lambda label: (-len(members[label]), min(members[label])))
        self._settled = _Settled(len(urls), vocabulary, settled.groups.take(order))
        return {url: family for family, label in enumerate(order) for url in members[label]}

    def estimate(self) -> int:
        """About how many families there are, from a sample of the pages: quick enough to be asked while crawling.

        The number is found anew whenever that of the pages has doubled.
        """
        pages, families = self._estimate
        if len(self) >= 2 * pages:
            sample = list(self._sketches.values())[:: -(-len(self) // ESTIMATE_PAGES) or 1]
            pages, families = self._estimate = len(self), len(_cluster(sample, _vocabulary(sample)).sizes)
        return families

    @property
    def settled_pages(self) -> int:
        """From how many pages families were settled last; when it changes, they have new numbers."""
        return self._settled.pages

    def assign(self, page: Page) -> tuple[int | None, float]:
        """The settled family of any page and how alike they are (0 to 1); no family if they are not `ALIKE`.

        The family is chosen by what tells families apart, the likeness is that of all their features: a page of a new
        design is nearest to some family, too, but it is not like it.
        """
        family, likeness = self.nearest(page)
        return (family if likeness >= ALIKE else None), likeness

    def nearest(self, page: Page) -> tuple[int | None, float]:
        """The settled family that a page is nearest to, however unlike they are; none only if there are no families."""
        return self._settled.best(sketch(page)) if len(self._settled.groups.sizes) else (None, 0.0)

    def save(self) -> bytes:
        """The whole state as bytes for the store."""
        sketches = list(self._sketches.values())
        return pack(
            {
                "urls": list(self._sketches),
                "hashes": np.frombuffer(b"".join(sketches), dtype="<u4"),
                "lengths": np.array([len(own) for own in sketches], dtype=np.int64),
                **self._settled.fields(),
            }
        )

    def save_settled(self) -> bytes:
        """The settled families alone: what `use_settled` of another state of the same site takes."""
        return pack(self._settled.fields())

    def use_settled(self, data: bytes) -> None:
        """Take over families that were settled elsewhere, from the same pages."""
        self._settled = _Settled.of(unpack(data))

    @classmethod
    def load(cls, data: bytes) -> Families:
        """The state that `save` wrote."""
        fields = unpack(data)
        families = cls()
        ends = np.cumsum(fields["lengths"])
        hashes = fields["hashes"].tobytes()
        for url, begin, end in zip(fields["urls"], ends - fields["lengths"], ends, strict=True):
            families._sketches[url] = hashes[begin:end]
        families._settled = _Settled.of(fields)
        return families


def sketch(page: Page) -> bytes:
    """The smallest hashes of a page's features, in order; of a page with few features, all of them.

    A feature is a tag below another tag, once for each of its classes and ids, or once bare if it has none.
    """
    tokens = [_tokens(tag, *_names(pairs)) for tag, pairs in zip(page.kind_tags, page.kind_attributes, strict=True)]
    tags = np.array([_checksum(tag) for tag in page.kind_tags], dtype=np.uint64)
    parent_tag = np.where(page.parent >= 0, tags[page.kind[page.parent]], 0)
    kinds, parents = np.divmod(np.unique(page.kind.astype(np.uint64) << 32 | parent_tag), 1 << 32)
    counts = np.array([len(own) for own in tokens])[kinds]
    own = np.array([token for kind in kinds.tolist() for token in tokens[kind]], dtype=np.uint64)
    return np.unique(_mix(own << 32 | np.repeat(parents, counts)))[:SKETCH_HASHES].astype("<u4").tobytes()


def _names(pairs: Attributes) -> tuple[str, str]:
    attributes = dict(pairs)
    return attributes.get("class", ""), attributes.get("id", "")


@lru_cache(maxsize=1 << 14)
def _tokens(tag: str, classes: str, ids: str) -> list[int]:
    named = [f"{tag}.{name}" for name in classes.split()] + [f"{tag}#{name}" for name in ids.split()]
    return [_checksum(token) for token in named or [tag]]


@lru_cache(maxsize=1 << 14)
def _checksum(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))


def _mix(values: npt.NDArray[np.uint64]) -> HashArray:
    """The finaliser of splitmix64: checksums of like words are alike, samples must not be."""
    mixed = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed >> np.uint64(32)).astype(np.uint32)


@dataclass(frozen=True)
class _Vocabulary:
    """The features that are looked at: hashes in order, the weight of each, and the largest hash that counts."""

    hashes: HashArray
    weights: FloatArray
    horizon: int

    def rows(self, sketches: Sequence[bytes]) -> FloatArray:
        """Pages × features: 1 where a page has a feature."""
        hashes = np.frombuffer(b"".join(sketches), dtype="<u4")
        page = np.repeat(np.arange(len(sketches)), [len(own) // 4 for own in sketches])
        place = np.searchsorted(self.hashes, hashes)
        known = np.append(self.hashes, np.uint32(0))[place] == hashes
        known &= place < len(self.hashes)
        rows = np.zeros((len(sketches), len(self.hashes)))
        rows[page[known], place[known]] = 1.0
        return rows


def _vocabulary(sketches: Sequence[bytes]) -> _Vocabulary:
    """The most frequent features below the horizon, weighted by the entropy of their presence.

    What one page alone has is that page's data: on a small site its weight would not be small, and a long list has
    much of it. Only where there are hardly any pages, it is all there is to tell them apart.
    """
    horizon = _horizon(sketches)
    hashes, pages = np.unique(np.frombuffer(b"".join(sketches), dtype="<u4"), return_counts=True)
    shared = (hashes <= horizon) & (pages >= (2 if len(sketches) > SMALL else 1))
    hashes, pages = hashes[shared], pages[shared]
    kept = np.sort(np.argsort(-pages, kind="stable")[:VOCABULARY])
    weights = _bits(pages[kept], np.int64(len(sketches))) / max(1, len(sketches))
    return _Vocabulary(hashes[kept].astype(np.uint32), weights, horizon)


def _horizon(sketches: Sequence[bytes]) -> int:
    """The hash up to which sketches are complete, so that all pages are sampled alike; a few very rich ones are not."""
    full = 4 * SKETCH_HASHES
    last = sorted(int.from_bytes(own[-4:], "little") for own in sketches if len(own) == full)
    rank = len(sketches) // _RICH_PAGES
    return last[rank] if rank < len(last) else (1 << 32) - 1


@dataclass(frozen=True)
class _Groups:
    """Groups of pages: how many of its pages have a feature (groups × features), and how many pages it has."""

    counts: CountArray
    sizes: CountArray

    def take(self, order: Sequence[int] | CountArray) -> _Groups:
        return _Groups(self.counts[order], self.sizes[order])

    def plus(self, rows: FloatArray) -> _Groups:
        """With a new group for each page."""
        ones = np.ones(len(rows), dtype=np.int64)
        return _Groups(np.concatenate([self.counts, rows.astype(np.int64)]), np.concatenate([self.sizes, ones]))

    def grown(self, group: npt.NDArray[np.intp], rows: FloatArray) -> _Groups:
        """With each page added to its group."""
        counts, sizes = self.counts.copy(), self.sizes + np.bincount(group, minlength=len(self.sizes))
        np.add.at(counts, group, rows.astype(np.int64))
        return _Groups(counts, sizes)


def _no_groups(features: int) -> _Groups:
    return _Groups(np.zeros((0, features), dtype=np.int64), np.zeros(0, dtype=np.int64))


class _Profiles:
    """Groups made ready to be compared with many single pages: for those, both sums of ``D`` are linear in the page."""

    def __init__(self, groups: _Groups, weights: FloatArray) -> None:
        counts, sizes = groups.counts, groups.sizes[:, None]
        before = _bits(counts, sizes)
        absent = (_bits(counts, sizes + 1) - before) * weights
        present = (_bits(counts + 1, sizes + 1) - before) * weights
        share = counts / sizes * weights
        self._group_bits = _bits(groups.sizes, groups.sizes + 1)
        self._told, self._told_more = absent.sum(axis=1), (present - absent).T
        self._union, self._union_more = share.sum(axis=1), (weights - share).T

    def distances(self, rows: FloatArray, strange: int = 0) -> FloatArray:
        """``D`` of pages × groups; each has so many `strange` features, of weight 1, that are in no group."""
        told = (self._told + rows @ self._told_more) / self._group_bits + strange
        return _quotient(told, self._union + rows @ self._union_more + strange)


@dataclass(frozen=True)
class _Settled:
    """The families as of the last settlement."""

    pages: int
    vocabulary: _Vocabulary
    groups: _Groups

    def fields(self) -> dict[str, Any]:
        """As values for `pack`."""
        return {
            "settled_pages": self.pages,
            "horizon": self.vocabulary.horizon,
            "vocabulary": self.vocabulary.hashes,
            "weights": self.vocabulary.weights,
            "counts": self.groups.counts,
            "sizes": self.groups.sizes,
        }

    @classmethod
    def of(cls, fields: dict[str, Any]) -> _Settled:
        """From what `fields` gave."""
        vocabulary = _Vocabulary(fields["vocabulary"], fields["weights"], fields["horizon"])
        sizes = fields["sizes"]
        groups = _Groups(fields["counts"].reshape(len(sizes), len(vocabulary.hashes)), sizes)
        return cls(fields["settled_pages"], vocabulary, groups)

    @cached_property
    def _telling(self) -> _Profiles:
        return _Profiles(self.groups, self.vocabulary.weights)

    @cached_property
    def _plain(self) -> _Profiles:
        return _Profiles(self.groups, np.ones(len(self.vocabulary.hashes)))

    def nearest(self, sketches: Sequence[bytes]) -> list[int]:
        """The family of each page."""
        families: list[int] = self._telling.distances(self.vocabulary.rows(sketches)).argmin(axis=1).tolist()
        return families

    def best(self, own: bytes) -> tuple[int, float]:
        """The family of a page, and how alike they are."""
        row = self.vocabulary.rows([own])
        family = int(self._telling.distances(row).argmin())
        in_sight = int(np.count_nonzero(np.frombuffer(own, dtype="<u4") <= self.vocabulary.horizon))
        distance = self._plain.distances(row, strange=in_sight - int(row.sum()))[0, family]
        return family, float(np.clip(1.0 - distance, 0.0, 1.0))


def _batches(sketches: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (sketches[start : start + BATCH] for start in range(0, len(sketches), BATCH))


def _cluster(sketches: Sequence[bytes], vocabulary: _Vocabulary) -> _Groups:
    """One pass over the pages: each joins a family that is near, or founds one together with others of its batch."""
    weights = vocabulary.weights
    groups = _no_groups(len(weights))
    for batch in _batches(sketches):
        groups, rest = _joined(groups, vocabulary.rows(batch), weights, NEAR)
        if len(rest):
            founders, first = np.unique(rest, axis=0, return_index=True)
            groups = _merged(groups.plus(founders), weights, NEAR)
            groups, _ = _joined(groups, np.delete(rest, first, axis=0), weights, np.inf)
            groups = groups.take(np.argsort(-groups.sizes, kind="stable")[:MAX_FAMILIES])
    return _merged(groups, weights, 2 * NEAR, SMALL)


def _joined(groups: _Groups, rows: FloatArray, weights: FloatArray, limit: float) -> tuple[_Groups, FloatArray]:
    """Groups with the pages that are near to one, and the pages that are not."""
    if not len(groups.sizes):
        return groups, rows
    distances = _Profiles(groups, weights).distances(rows)
    near = distances.min(axis=1) < limit
    return groups.grown(distances.argmin(axis=1)[near], rows[near]), rows[~near]


def _merged(groups: _Groups, weights: FloatArray, limit: float, small: float = np.inf) -> _Groups:
    """Merge the two nearest groups, one of them `small`, until none are nearer than `limit`."""
    counts, sizes = groups.counts.copy(), groups.sizes.copy()
    own_bits = _bits(counts, sizes[:, None]) @ weights
    shares = counts / sizes[:, None]

    def distances_of(group: int, others: npt.NDArray[np.intp]) -> FloatArray:
        together = sizes[group] + sizes[others]
        told = _bits(counts[group] + counts[others], together[:, None]) @ weights - own_bits[group] - own_bits[others]
        union = np.maximum(shares[group], shares[others]) @ weights
        return _quotient(told / _bits(sizes[others], together), union)

    distances = np.full((len(sizes), len(sizes)), np.inf)
    single, several = np.flatnonzero(sizes == 1), np.flatnonzero(sizes > 1)
    distances[single] = _Profiles(groups, weights).distances(counts[single].astype(np.float64))
    distances[:, single] = distances[single].T
    for place, group in enumerate(several.tolist()):
        others = several[:place]
        distances[group, others] = distances[others, group] = distances_of(group, others)
    np.fill_diagonal(distances, np.inf)
    while len(sizes):
        allowed = np.where(np.minimum.outer(sizes, sizes) < small, distances, np.inf)
        into, other = divmod(int(allowed.argmin()), len(sizes))
        if not allowed[into, other] < limit:
            break
        counts[into] += counts[other]
        sizes[into] += sizes[other]
        own_bits[into] = _bits(counts[into], sizes[into]) @ weights
        shares[into] = counts[into] / sizes[into]
        sizes[other] = 0
        distances[other] = distances[:, other] = np.inf
        others = np.flatnonzero(sizes)
        others = others[others != into]
        distances[into, others] = distances[others, into] = distances_of(into, others)
    return _Groups(counts, sizes).take(np.flatnonzero(sizes))


def _quotient(told: FloatArray, union: FloatArray) -> FloatArray:
    """Groups without any telling feature are not apart."""
    return np.divide(told, union, out=np.zeros_like(told), where=union > 0)


def _bits(counts: CountArray, sizes: CountArray | np.int64) -> FloatArray:
    """``n · H(k / n)``: what it takes to say which `counts` of `sizes` pages have a feature."""
    table = _n_log_n(int(np.max(sizes, initial=1)).bit_length())
    bits: FloatArray = table[sizes] - table[counts] - table[sizes - counts]
    return bits


@cache
def _n_log_n(bit_length: int) -> FloatArray:
    numbers = np.arange(1 << bit_length, dtype=np.float64)
    return numbers * np.log2(np.maximum(numbers, 1.0))
