"""Page: one parse, flattened in document order; text, links, blocks, tokens and features are views of its arrays.

A subtree is the slice ``node : subtree_end[node]``, and a sum over every subtree is a difference of two prefix sums: no
recursion and no text joined twice, so the cost is linear in the page, however deep or broad it is. Entropies change as
a crawl goes on, the arrays do not: they are packed into the store and never parsed again.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from lxml import etree

from webstruct.blocks import block_of
from webstruct.encoding import Decoded, decode
from webstruct.flatten import NO_BREAK, Attributes, BoolArray, Flat, IntArray, Kinds, covered, flatten
from webstruct.packing import pack, unpack
from webstruct.terms import TermAnalyzer, detect_language
from webstruct.urls import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_NODES = 200_000
MAX_LINKS = 20_000
MAX_ATTRIBUTES = 500
MAX_VALUE_CHARS = 512
MAX_LINKED_DATA_CHARS = 65_536
# Below this depth libxml2 drops the rest of a page without a word.
MAX_DEPTH = 2045

_CONTROL_BYTES = bytes(set(range(32)) - {9, 10, 12, 13}) + b"\x7f"
_CONTROL_REFERENCE = re.compile(
    rb"&#(?:x0*(?:[0-8bef]|1[0-9a-f]|7f)(?![0-9a-f])|0*(?:[0-8]|1[14-9]|2\d|3[01]|127)(?!\d));?", re.I
)
_LONG_TAG_BYTES = 4096
_LONG_TAG = re.compile(rb"<[a-zA-Z][^<>]{%d,}" % _LONG_TAG_BYTES)
_ATTRIBUTE = re.compile(rb"""[^\s=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"']*))?""")
_REFRESH = re.compile(r"\s*(?P<seconds>\d{0,6})[.\d]*\s*[;,]?\s*url\s*=\s*(?P<url>.+)", re.I | re.S)
_IN_LANGUAGE = re.compile(r'"inLanguage"\s*:\s*"([a-zA-Z_-]+)')
_KIND_SEPARATOR = "\x1f"
_LINKED_DATA_TYPES = (b"ld+json", b"LD+JSON")
# Void elements have no end tag, and so no end token.
_VOID_TAGS = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)


class Link(NamedTuple):
    """A link of a page: the node that carries it, where it leads, the words it shows, and its `rel` values."""

    node: int
    url: str
    text: str
    rel: frozenset[str]


class Tokens(NamedTuple):
    """The page as a sequence of tags and text snippets (template alignment §2), with the node of each."""

    tokens: list[str]
    nodes: IntArray
    is_text: BoolArray


@dataclass(frozen=True, eq=False)
class Page:
    """A parsed page. Arrays are indexed by node in document order, by text chunk, by link, or by term occurrence.

    Attributes
    ----------
    url, base_url
        Where the page was fetched, and what its links are relative to.
    encoding, undecodable
        The codec that read it, and the share of characters that could not be read.
    language
        ISO 639-1 code.
    title
        Text of `<title>`.
    cuts
        What was left out of a page that goes beyond our limits: "attributes", "depth", "nodes", "links".
    kind, kind_tags, kind_attributes, kind_hidden
        A *kind* is a distinct start tag of the page: `kind_tags[kind[node]]` is a node's tag.
    parent, subtree_end, depth
        The tree: the root's parent is −1, its depth 0.
    chunks, chunk_node, chunk_break
        Text between two tags with white space folded, the node that it stands in, and the break before it (none, line,
        block). A leading space parts it from the chunk before where there is no break.
    chunk_begin, chunk_end
        By node: the chunks of a subtree are `chunks[chunk_begin[node] : chunk_end[node]]`.
    link_node, link_urls
        Links to http(s) addresses in document order.
    term_names, term, term_node
        `term_names[term[k]]` is the k-th visible term, and stands in node `term_node[k]`.
    linked_data
        Texts of `<script type="application/ld+json">`; those that would make them longer than 64 K are left out.

    """

    url: str
    base_url: str
    encoding: str
    undecodable: float
    language: str
    title: str
    cuts: tuple[str, ...]
    kind: IntArray
    kind_tags: list[str]
    kind_attributes: list[Attributes]
    kind_hidden: BoolArray
    parent: IntArray
    subtree_end: IntArray
    depth: IntArray
    chunks: list[str]
    chunk_node: IntArray
    chunk_break: npt.NDArray[np.uint8]
    chunk_begin: IntArray
    chunk_end: IntArray
    link_node: IntArray
    link_urls: list[str]
    term_names: list[str]
    term: IntArray
    term_node: IntArray
    linked_data: list[str] = field(default_factory=list)

    @classmethod
    def parse(
        cls, body: bytes | str, url: str, encoding: str | None = None, *, analyzer: TermAnalyzer | None = None
    ) -> Page:
        """Parse a page; bad HTML, bad encodings and empty bodies give a page, never an error.

        Parameters
        ----------
        encoding
            What the HTTP header says, if anything; not used when `body` is text.

        >>> page = Page.parse('<title>T</title><p>Flood <a href="/x">warning</a></p>', "http://example.com/a")
        >>> page.title, page.text(), [link.url for link in page.links()]
        ('T', 'Flood warning', ['http://example.com/x'])

        """
        decoded = Decoded(body, "utf-8", 0.0) if isinstance(body, str) else decode(body, encoding)
        if isinstance(body, bytes) and decoded.encoding == "utf-8" and not decoded.undecodable:
            source, cuts = _clean(body.removeprefix(BOM_UTF8))
        else:
            source, cuts = _clean(_encode(decoded.text))
        root = _parse(source)
        flat = flatten(root, MAX_NODES)
        if flat.cut:
            cuts.append("nodes")
        if flat.depth.max() >= MAX_DEPTH:
            cuts.append("depth")
        base_url = _base_url(flat.kinds, url)
        link_node, link_urls = _links(flat, Resolver(base_url, decoded.encoding), cuts)
        texts, text_node = _visible(flat)
        linked_data = _linked_data(root) if any(name in source for name in _LINKED_DATA_TYPES) else []
        language = detect_language(texts, _declared_language(flat.kinds, linked_data))
        terms = (analyzer or _default_analyzer()).analyze(texts, language)
        return cls(
            url=url,
            base_url=base_url,
            encoding=decoded.encoding,
            undecodable=decoded.undecodable,
            language=language,
            title=_title(root),
            cuts=tuple(cuts),
            kind=flat.kind,
            kind_tags=flat.kinds.tags,
            kind_attributes=flat.kinds.attributes,
            kind_hidden=flat.kinds.hidden,
            parent=flat.parent,
            subtree_end=flat.subtree_end,
            depth=flat.depth,
            chunks=flat.chunks,
            chunk_node=flat.chunk_node,
            chunk_break=flat.chunk_break,
            chunk_begin=flat.chunk_begin,
            chunk_end=flat.chunk_end,
            link_node=link_node,
            link_urls=link_urls,
            term_names=terms.names,
            term=terms.ids,
            term_node=text_node[terms.texts],
            linked_data=linked_data,
        )

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.kind)

    @property
    def truncated(self) -> bool:
        """Whether part of the page is missing from the arrays; `cuts` says which."""
        return bool(self.cuts)

    def tag(self, node: int) -> str:
        """Tag name of a node."""
        return self.kind_tags[int(self.kind[node])]

    def attributes(self, node: int) -> dict[str, str]:
        """Attributes of a node, by name; a page from the store has their first 512 characters."""
        return dict(self.kind_attributes[self.kind[node]])

    def nodes(self, *tags: str) -> IntArray:
        """All nodes with one of these tags, in document order."""
        wanted = np.fromiter((tag in tags for tag in self.kind_tags), dtype=bool, count=len(self.kind_tags))
        return np.flatnonzero(wanted[self.kind]).astype(np.int32)

    def subtree_sum(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Sum of `values` over each node's subtree: one prefix sum, one difference."""
        prefix = np.concatenate([np.zeros(1, dtype=np.result_type(values, np.int64)), np.cumsum(values)])
        sums: npt.NDArray[Any] = prefix[self.subtree_end] - prefix[:-1]
        return sums

    @cached_property
    def hidden(self) -> BoolArray:
        """Nodes that are hidden by their own start tag or by an ancestor's."""
        return covered(self.kind_hidden[self.kind], self.subtree_end)

    @cached_property
    def in_anchor(self) -> BoolArray:
        """Nodes that are, or stand inside, a link."""
        anchors = np.zeros(len(self), dtype=bool)
        anchors[self.link_node] = True
        return covered(anchors, self.subtree_end)

    @cached_property
    def _chunk_chars(self) -> IntArray:
        lengths = np.fromiter(map(len, self.chunks), dtype=np.int32, count=len(self.chunks))
        spaces = np.fromiter((chunk[:1] == " " for chunk in self.chunks), dtype=np.int32, count=len(self.chunks))
        return np.where(self.hidden[self.chunk_node], 0, lengths - spaces).astype(np.int32)

    @cached_property
    def anchor_chars(self) -> IntArray:
        """Visible characters of a node's own text, if it stands in a link (WISDOM's ALEN)."""
        return self._own_chars(inside=True)

    @cached_property
    def context_chars(self) -> IntArray:
        """Visible characters of a node's own text, if it stands outside of links (WISDOM's CLEN)."""
        return self._own_chars(inside=False)

    def _own_chars(self, *, inside: bool) -> IntArray:
        wanted = self.in_anchor[self.chunk_node] == inside
        chars = np.bincount(self.chunk_node[wanted], self._chunk_chars[wanted], minlength=len(self))
        return chars.astype(np.int32)

    def text(self, node: int = 0) -> str:
        """Visible text of a subtree; lines and blocks are parted by a newline."""
        return self._text(node, visible=True)

    def _text(self, node: int, *, visible: bool) -> str:
        inside = slice(int(self.chunk_begin[node]), int(self.chunk_end[node]))
        shown = ~self.hidden[self.chunk_node[inside]] if visible else np.ones(len(self.chunks[inside]), dtype=bool)
        return joined(self.chunks[inside], self.chunk_break[inside], shown)

    def links(self) -> Iterator[Link]:
        """Links in document order. The words of a link are its text, else the `alt` of its image, else its `title`."""
        for node, url in zip(self.link_node.tolist(), self.link_urls, strict=True):
            rel = frozenset(self.attributes(node).get("rel", "").lower().split())
            yield Link(node, url, self.link_text(node), rel)

    def link_text(self, node: int) -> str:
        """The words that a link shows; those of a hidden link (a closed menu) too."""
        text = self._text(node, visible=not self.hidden[node])
        return " ".join(text.split()) or self._label(node)

    def _label(self, node: int) -> str:
        for inner in range(node, int(self.subtree_end[node])):
            attributes = self.attributes(inner)
            label = attributes.get("alt") or (
                attributes.get("title") or attributes.get("aria-label") if inner == node else ""
            )
            if label and label.strip():
                return " ".join(label.split())
        return ""

    def refresh(self) -> tuple[float, str] | None:
        """Seconds and address of a `<meta http-equiv=refresh>` that leads somewhere; None if there is none."""
        for node in self.nodes("meta").tolist():
            attributes = self.attributes(node)
            if attributes.get("http-equiv", "").lower() != "refresh" or self.tag(int(self.parent[node])) == "noscript":
                continue
            wanted = _REFRESH.match(attributes.get("content", ""))
            target = Resolver(self.base_url, self.encoding)(wanted["url"].strip("'\" ")) if wanted else None
            if wanted and target:
                return float(wanted["seconds"] or 0), target
        return None

    @cached_property
    def block(self) -> IntArray:
        """For each node, the node of the block that it belongs to; see `blocks.py`."""
        return block_of(self)

    def term_counts(self) -> tuple[list[str], npt.NDArray[np.int64]]:
        """Distinct visible terms and how often each stands in the page: what `TermEntropy.update` takes."""
        return self.term_names, np.bincount(self.term, minlength=len(self.term_names))

    @cached_property
    def _steps(self) -> list[str]:
        """The last step of every node's XPath, from one sort of all nodes by parent and tag."""
        names: dict[str, int] = {}
        tag = np.array([names.setdefault(tag, len(names)) for tag in self.kind_tags], dtype=np.int64)[self.kind]
        order = np.lexsort((tag, self.parent))
        changes = np.diff(self.parent[order], prepend=-2).astype(bool) | np.diff(tag[order], prepend=-2).astype(bool)
        starts = np.flatnonzero(changes)
        sizes = np.diff(starts, append=len(order))
        position, alike = np.empty(len(self), dtype=np.int64), np.empty(len(self), dtype=np.int64)
        position[order] = np.arange(len(order)) - np.repeat(starts, sizes) + 1
        alike[order] = np.repeat(sizes, sizes)
        return [
            f"{self.kind_tags[kind]}[{place}]" if count > 1 else self.kind_tags[kind]
            for kind, place, count in zip(self.kind.tolist(), position.tolist(), alike.tolist(), strict=True)
        ]

    def xpath(self, node: int) -> str:
        """XPath of a node, exactly as lxml's `getpath` prints it."""
        steps = []
        while node >= 0:
            steps.append(self._steps[node])
            node = int(self.parent[node])
        return "/" + "/".join(reversed(steps))

    def tokens(self) -> Tokens:
        """Start tags with sorted attributes, text snippets and end tags, lower-cased, in document order.

        The place of each follows from the arrays: before a node's start tag stand the start tags of the nodes before
        it, the end tags of those of them that are not its ancestors, and the chunks before it.
        """
        start_tags = [_start_tag(*kind) for kind in zip(self.kind_tags, self.kind_attributes, strict=True)]
        end_tags = [f"</{tag}>" for tag in self.kind_tags]
        number = np.arange(len(self))
        opens = 2 * number - self.depth + self.chunk_begin
        closes = 2 * self.subtree_end - 1 - self.depth + self.chunk_end
        total = 2 * len(self) + len(self.chunks)
        is_text = np.ones(total, dtype=bool)
        is_text[opens] = is_text[closes] = False
        nodes = np.empty(total, dtype=np.int32)
        nodes[opens] = nodes[closes] = number
        nodes[is_text] = self.chunk_node
        tokens = [""] * total
        for kind, opened, closed in zip(self.kind.tolist(), opens.tolist(), closes.tolist(), strict=True):
            tokens[opened], tokens[closed] = start_tags[kind], end_tags[kind]
        for place, chunk in zip(np.flatnonzero(is_text).tolist(), self.chunks, strict=True):
            tokens[place] = " ".join(chunk.lower().split())
        void = np.fromiter((tag in _VOID_TAGS for tag in self.kind_tags), dtype=bool)[self.kind]
        kept = np.ones(total, dtype=bool)
        kept[closes[void]] = False
        return Tokens([tokens[place] for place in np.flatnonzero(kept).tolist()], nodes[kept], is_text[kept])

    def pack(self) -> bytes:
        """The arrays as bytes for the store."""
        values = {own.name: getattr(self, own.name) for own in fields(self)}
        values["kind_attributes"] = [_KIND_SEPARATOR.join(sum(_shortened(own), ())) for own in self.kind_attributes]
        return pack(values)

    @classmethod
    def unpack(cls, data: bytes) -> Page:
        """The page that `pack` wrote."""
        values = unpack(data)
        values["cuts"] = tuple(values["cuts"])
        values["kind_attributes"] = [_attribute_pairs(joined) for joined in values["kind_attributes"]]
        return cls(**values)


def joined(chunks: Sequence[str], breaks: npt.NDArray[np.uint8], shown: BoolArray) -> str:
    """The text of the chunks that are shown; lines and blocks are parted by a newline, also by one that is not shown."""
    pieces: list[str] = []
    pending = False
    for chunk, chunk_break, is_shown in zip(chunks, breaks.tolist(), shown.tolist(), strict=True):
        pending = pending or chunk_break != NO_BREAK
        if is_shown:
            pieces.append("\n" + chunk if pending else chunk)
            pending = False
    return "".join(pieces).strip()


@cache
def _default_analyzer() -> TermAnalyzer:
    return TermAnalyzer()


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # lone surrogates
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


def _clean(source: bytes) -> tuple[bytes, list[str]]:
    """UTF-8 without control characters or monstrous tags, and the list of what was cut."""
    source = source.translate(None, _CONTROL_BYTES)
    if _has_control_reference(source):
        source = _CONTROL_REFERENCE.sub("�".encode(), source)
    if not _has_long_tag(source):
        return source, []
    shorter = _LONG_TAG.sub(_limit_attributes, source)
    return shorter, ["attributes"] if len(shorter) < len(source) else []


def _has_control_reference(source: bytes) -> bool:
    """Whether there is something to replace: most references are to letters, and a whole replacing pass is dear."""
    at = source.find(b"&#")
    while at >= 0 and not _CONTROL_REFERENCE.match(source, at):
        at = source.find(b"&#", at + 2)
    return at >= 0


def _has_long_tag(source: bytes) -> bool:
    """Whether a tag goes on for longer than `_LONG_TAG_BYTES`: almost never, so that it must be quick to tell."""
    starts = np.flatnonzero(np.frombuffer(source, dtype=np.uint8) == ord("<"))
    gaps = np.diff(starts, append=len(source))
    return any(
        source.find(b">", start, start + _LONG_TAG_BYTES) < 0 for start in starts[gaps > _LONG_TAG_BYTES].tolist()
    )


def _limit_attributes(tag: re.Match[bytes]) -> bytes:
    """libxml2 compares each attribute with all before it: forty thousand of them take seconds."""
    for number, attribute in enumerate(_ATTRIBUTE.finditer(tag[0])):
        if number > MAX_ATTRIBUTES:
            return tag[0][: attribute.start()]
    return tag[0]


_PARSER = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, collect_ids=False)


def _parse(source: bytes) -> Any:
    root = etree.fromstring(source, _PARSER) if source.strip() else None
    return etree.Element("html") if root is None else root


def _base_url(kinds: Kinds, url: str) -> str:
    """The first `<base href>`, if it leads to a usable address."""
    if "base" not in kinds.tags:
        return url
    for tag, attributes in zip(kinds.tags, kinds.attributes, strict=True):
        if tag == "base" and (href := dict(attributes).get("href")):
            return Resolver(url, "utf-8")(href) or url
    return url


def _visible(flat: Flat) -> tuple[list[str], IntArray]:
    """The chunks that are not hidden, and the node of each; on most pages nothing is."""
    if not flat.kinds.hidden.any():
        return flat.chunks, flat.chunk_node
    visible = np.flatnonzero(~covered(flat.kinds.hidden[flat.kind], flat.subtree_end)[flat.chunk_node])
    return [flat.chunks[chunk] for chunk in visible.tolist()], flat.chunk_node[visible]


def _links(flat: Flat, resolve: Resolver, cuts: list[str]) -> tuple[IntArray, list[str]]:
    """Nodes and addresses of the links that lead to a page; each distinct start tag is resolved once."""
    targets = [None if href is None else resolve(href) for href in flat.kinds.hrefs]
    usable = np.zeros(len(targets), dtype=bool)
    usable[[kind for kind, target in enumerate(targets) if target is not None]] = True
    nodes = np.flatnonzero(usable[flat.kind]).astype(np.int32)
    if len(nodes) > MAX_LINKS:
        cuts.append("links")
        nodes = nodes[:MAX_LINKS]
    return nodes, [target for kind in flat.kind[nodes].tolist() if (target := targets[kind]) is not None]


def _declared_language(kinds: Kinds, linked_data: list[str]) -> str:
    """The language subtag of `<html lang>`; else of OpenGraph's locale; else of JSON-LD."""
    declared = ""
    for tag, attributes in zip(kinds.tags, kinds.attributes, strict=True):
        if tag == "html" and (declared := dict(attributes).get("lang", "")):
            break
        if tag == "meta" and ("property", "og:locale") in attributes:
            declared = dict(attributes).get("content", "")
            break
    if not declared:
        declared = next((found[1] for text in linked_data if (found := _IN_LANGUAGE.search(text))), "")
    return re.split("[-_]", declared.strip().lower())[0]


def _title(root: Any) -> str:
    title = root.find("head/title")
    if title is None:
        title = root.find(".//title")
    if title is None:
        return ""
    return " ".join(("".join(title.itertext()) if len(title) else title.text or "").split())


def _linked_data(root: Any) -> list[str]:
    texts: list[str] = []
    room = MAX_LINKED_DATA_CHARS
    for script in root.iter("script"):
        if "ld+json" in script.get("type", "").lower() and (text := script.text) and len(text) <= room:
            texts.append(text)
            room -= len(text)
    return texts


def _start_tag(tag: str, attributes: Attributes) -> str:
    """Attribute names and values lower-cased, white space folded, in the order of their names."""
    shown = "".join(f' {name}="{" ".join(value.split())}"' for name, value in sorted(_shortened(attributes)))
    return f"<{tag}{shown}>".lower()


def _shortened(attributes: Attributes) -> Attributes:
    """Images and scripts embedded in attribute values are no structure."""
    return tuple((name, value[:MAX_VALUE_CHARS]) for name, value in attributes)


def _attribute_pairs(joined: str) -> Attributes:
    parts = joined.split(_KIND_SEPARATOR) if joined else []
    return tuple(zip(parts[::2], parts[1::2], strict=True))
