"""SiteModel: the methods brought together over the pages of one site: learn → decide → extract.

Families first: pages of one template are judged and read together. The entries of a page and LAMIS decide its type, a
wrapper per family takes the articles out, the skeleton files them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from webstruct import articles
from webstruct import scope as urls
from webstruct.articles import Article, extract_alone
from webstruct.entropy import TermEntropy
from webstruct.families import Families
from webstruct.family_templates import FamilyTemplates, TemplateFit
from webstruct.items import ArticleItem, PageItem
from webstruct.layout import Layout, follow
from webstruct.learning import learn_wrappers
from webstruct.linkscan import scan
from webstruct.page import Page
from webstruct.page_types import PageTypes, conclude
from webstruct.parts import as_articles, find_parts
from webstruct.sections import sections
from webstruct.sitepages import IntArray, SitePages
from webstruct.skeleton import Node, explained_skeleton

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from webstruct.store import PageRow
    from webstruct.structure_tree import CompressedTree
    from webstruct.template import Template
    from webstruct.wrapper import Wrapper


# An article on a large site may be listed hundreds of times; some of these pages, and some of the words, are enough.
_TOC_URLS, _ANCHOR_TEXTS = 20, 5


@dataclass(frozen=True)
class FamilySummary:
    """One template of the site: what its pages are, how many, and how to read them."""

    id: int
    type: str
    pages: int
    wrapper: dict[str, Any] | None


@dataclass(frozen=True, eq=False)
class SiteModel:
    """What was learned of a site.

    Attributes
    ----------
    site, grouping
        The pages, and the families that they fall into.
    types
        What was decided of every page.
    wrappers, templates, fits
        By family: how to read its articles, what all its pages share, and how well those of this run fit it.
    tree, tree_explanation, section_of
        The section tree, why it is as it is (see `explained_skeleton`), and for every page the names on the way to its
        section.
    listed_by, anchor_texts
        For an article, the TOC pages that list it, and the words by which they do.
    parts, part_of
        For the first page of an article on several, all of its pages in order; for the others, the first.

    """

    site: SitePages
    grouping: Families
    types: PageTypes
    wrappers: dict[int, Wrapper]
    templates: dict[int, Template]
    fits: dict[int, TemplateFit]
    tree: Node
    tree_explanation: list[dict[str, Any]]
    section_of: list[list[str]]
    listed_by: dict[int, list[int]]
    anchor_texts: dict[int, list[str]]
    parts: dict[int, list[int]]
    part_of: dict[int, int]

    @classmethod
    def learn(cls, site: SitePages, grouping: Families, learned: FamilyTemplates | None = None) -> SiteModel:
        """Learn a site from its pages; its templates too, unless they were `learned` before."""
        learned = learned or FamilyTemplates.learn(site)
        found = scan(site)
        types = conclude(found, np.asarray(site.family))
        parts = {chain[0]: chain for chain in find_parts(site, found, types, _listed_by(_entries(site, types)))}
        part_of = {number: first for first, chain in parts.items() for number in chain[1:]}
        types = as_articles(types, part_of)
        entries = _entries(site, types)
        is_article = np.array([kind == "article" for kind in types.type], dtype=bool)
        tree, explanation = explained_skeleton(site, types.type) if len(site) else (Node("", "", -1), [])
        return cls(
            site=site,
            grouping=grouping,
            types=types,
            wrappers=learn_wrappers(site, is_article, found.urls),
            templates=learned.templates,
            fits=learned.fits,
            tree=tree,
            tree_explanation=explanation,
            section_of=sections(site, tree, entries) if len(site) else [],
            listed_by=_listed_by(entries),
            anchor_texts=_anchor_texts(site, types, entries),
            parts=parts,
            part_of=part_of,
        )

    def extract(self, page: Page) -> Article:
        """The article of any page, also of one that was not there when the site was learned.

        A page that fits no family with articles is read alone, with a lower confidence.
        """
        family, _ = self.grouping.assign(page)
        wrapper = self.wrappers.get(family) if family is not None else None
        return extract_alone(page) if wrapper is None else articles.extract(page, wrapper)

    def items(
        self, number: int, page: Page, rows: Sequence[PageRow], tree: CompressedTree | None = None
    ) -> Iterator[ArticleItem | PageItem]:
        """A page as it is delivered: as an article if it is one, or the first page of one, and as a page.

        With a tree the page has its features.
        """
        row, kind = rows[number], self.types.type[number]
        blocks = [("toc", node, float(score)) for node, score in self.types.blocks[number]]
        if kind == "article":
            wrapper = self.wrappers[int(self.site.family[number])]
            article = self._article(number, page)
            blocks += [("article", node, article.confidence) for node in follow(wrapper.region, Layout(page))[0]]
            if number in self.parts:
                others = [self._article(part, self.site.pages[part]) for part in self.parts[number][1:]]
                article = articles.joined([article, *others])
            if number not in self.part_of:
                yield self._article_item(number, rows, article)
        yield PageItem(
            url=row.url,
            depth=row.depth,
            status=row.status or 0,
            title=page.title,
            type=kind,
            confidence=round(float(self.types.confidence[number]), 4),
            hub=float(self.types.hub[number]),
            authority=float(self.types.authority[number]),
            rank=float(self.types.rank[number]),
            in_links=int(self.in_links[number]),
            out_links=int(np.count_nonzero(self.site.targets[number] >= 0)),
            text_chars=int((page.anchor_chars + page.context_chars).sum()),
            family=int(self.site.family[number]),
            blocks=[
                {"xpath": page.xpath(node), "role": role, "score": round(score, 4)} for role, node, score in blocks
            ],
            links=[page.link_urls[link] for link in self.types.links[number].tolist()],
            evidence=self.types.evidence[number],
            features=tree.features(page) if tree else {},
            part_of=rows[self.part_of[number]].url if number in self.part_of else None,
        )

    def _article(self, number: int, page: Page) -> Article:
        wrapper = self.wrappers[int(self.site.family[number])]
        return articles.extract(page, wrapper, anchor_texts=self.anchor_texts.get(number, ()))

    def _article_item(self, number: int, rows: Sequence[PageRow], article: Article) -> ArticleItem:
        return ArticleItem(
            url=rows[number].url,
            title=article.title,
            date=article.date,
            author=article.author,
            language=article.language,
            text=article.text,
            markdown=article.markdown,
            section=self.section_of[number],
            toc_urls=[rows[toc].url for toc in self.listed_by.get(number, [])[:_TOC_URLS]],
            confidence=article.confidence,
        )

    @cached_property
    def in_links(self) -> npt.NDArray[np.int64]:
        """For each page the number of links that lead to it."""
        counts = np.zeros(len(self.site) + 1, dtype=np.int64)
        for targets in self.site.targets:
            counts += np.bincount(targets + 1, minlength=len(counts))
        return counts[1:]

    @cached_property
    def families(self) -> list[FamilySummary]:
        """The templates of the site, largest first."""
        kinds: dict[int, Counter[str]] = {}
        for family, kind in zip(self.site.family.tolist(), self.types.type, strict=True):
            kinds.setdefault(family, Counter())[kind] += 1
        return [
            FamilySummary(
                family,
                kinds[family].most_common(1)[0][0],
                kinds[family].total(),
                _wrapper_of(self.wrappers.get(family)),
            )
            for family in sorted(kinds)
        ]


def learn(pages: Iterable[Page]) -> SiteModel:
    """Learn a site from parsed pages, the start page first.

    >>> from webstruct.demo import DemoSite
    >>> from webstruct.page import Page
    >>> demo = DemoSite(pages=60, dirt=False)
    >>> bodies = {path: demo.page(path).body for path in demo.paths()}
    >>> model = learn(Page.parse(body, "http://lantern.example" + path) for path, body in bodies.items())
    >>> model.types.type[0], model.tree.children[0].name
    ('toc', 'Politics')
    """
    kept = list(pages)
    entropy, grouping = TermEntropy(), Families()
    for page in kept:
        entropy.update(*page.term_counts())
        grouping.add(page)
    number_of = {urls.key(urls.clean(page.url)): number for number, page in enumerate(kept)}
    targets: list[IntArray] = [
        np.array([number_of.get(urls.key(urls.clean(url)), -1) for url in page.link_urls], dtype=np.int32)
        for page in kept
    ]
    family_of = grouping.settle()
    family = np.array([family_of[page.url] for page in kept], dtype=np.int32)
    return SiteModel.learn(SitePages(kept, targets, entropy, family), grouping)


def extract(html: bytes | str, url: str) -> Article:
    """The article of one page of which the site is not known: as good as a guess from one page can be.

    >>> extract("<body><h1>Flood</h1><p>" + "The river rose by two metres in a night. " * 5, "http://example.com/").title
    'Flood'
    """
    return extract_alone(Page.parse(html, url))


def _entries(site: SitePages, types: PageTypes) -> list[IntArray]:
    """For each page, the articles that it lists."""
    return [site.targets[number][links] for number, links in enumerate(types.links)]


def _listed_by(entries: Sequence[IntArray]) -> dict[int, list[int]]:
    """For each listed article, the TOC pages that list it."""
    listed_by: dict[int, list[int]] = {}
    for number, targets in enumerate(entries):
        for target in targets[targets >= 0].tolist():
            listed_by.setdefault(target, []).append(number)
    return listed_by


def _anchor_texts(site: SitePages, types: PageTypes, entries: Sequence[IntArray]) -> dict[int, list[str]]:
    """For each listed article, words by which TOC pages list it."""
    anchor_texts: dict[int, list[str]] = {}
    for number, targets in enumerate(entries):
        if not len(targets):
            continue
        page = site.pages[number]
        nodes = page.link_node[types.links[number]].tolist()
        for target, node in zip(targets.tolist(), nodes, strict=True):
            texts = anchor_texts.setdefault(target, [])
            if target >= 0 and len(texts) < _ANCHOR_TEXTS and (text := page.link_text(node)):
                texts.append(text)
    return anchor_texts


def _wrapper_of(wrapper: Wrapper | None) -> dict[str, Any] | None:
    return None if wrapper is None else wrapper.as_dict()
