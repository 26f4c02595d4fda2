"""Template tokens, article text kept and clustering by section, against the gold rules of real sites.

    python benchmarks/template.py --corpora DIR [--evaluate DIR] [--json FILE] [--only SITE ...]

**Template tokens** (the paper's Table 2), for t = 2, 4, 8, 16, 32. Pages are grouped by `Families`; a template is
learned for every family of at least two pages, and tried on up to eight of its pages, which were not learned from if
the family is large enough. A token counts by the node that it stands in:

- inside a gold `template_blocks` element it is template;
- inside the gold content it is not: the article body less its exclusions, the list blocks of a list page;
- anything else is not judged. That is `html`, `head`, wrappers around both (template by the paper's definition, but in
  no gold block), and what the gold allows without demanding it, such as headlines and by-lines. `strict_precision`
  is for comparison: it calls all of that wrong. `strict_text_precision` does so for texts, which are in no head or
  wrapper, and `text_recall` goes with it.

All tokens in template blocks count for recall, also those that differ from page to page (comments, related articles),
which no template can hold. Pages that the rules call neither list nor article are left out. Each page has its own
precision and recall; a site's are the mean over its pages, families weighing by their size.

`body_kept` is the share of the characters of the gold article body that are left in the stripped page.

**Clustering** (Table 4): articles are labelled by section and clustered by furthest-point-first (Gonzalez 1985, as in
the paper) on cosines of tf·idf, into as many clusters as there are sections, before and after stripping (t = 16); the
mean over ten first points. The section of an article is the top-level section of the gold skeleton whose list pages
lead to it, if there is only one; on sites where fewer than two sections have ten articles of their own, it is the first
folder of the address. `size` is stripped HTML by original HTML.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from webstruct.clustering_measures import (
    complementary_entropy,
    contingency,
    f_measure,
    mutual_information,
    purity,
)
from webstruct.families import Families
from webstruct.flatten import covered
from webstruct.page import Page
from webstruct.stripping import Stripped, strip
from webstruct.template import SAMPLE, Template
from webstruct.terms import TermAnalyzer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

SIZES = (2, 4, 8, 16, 32)
TRIED = 8
LEAST_SECTION = 10
SCORES = ("precision", "recall", "body_kept", "strict_precision", "strict_text_precision", "text_recall")
MEASURES = {"f": f_measure, "purity": purity, "nmi": mutual_information, "nce": complementary_entropy}


def main() -> None:
    """Print a table for each t, then the clustering; write both as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--evaluate", type=Path, help="folder with corpus.py (default: CORPORA/../evaluate)")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    sys.path.insert(0, str(args.evaluate or args.corpora.parent / "evaluate"))
    from corpus import corpora

    sites: dict[str, Any] = {}
    for corpus in corpora(args.corpora):
        if args.only and corpus.id not in args.only:
            continue
        if not corpus.rules.get("template_blocks"):
            print(f"{corpus.id}: left out, its rules name no template blocks")
            continue
        site = Site(corpus)
        sites[corpus.id] = {**{str(t): site.token_scores(t) for t in SIZES}, "clustering": site.clustering()}
        print_site(corpus.id, sites[corpus.id])
    mean = {str(t): means([site[str(t)] for site in sites.values()]) for t in SIZES}
    clustered = [site["clustering"] for site in sites.values() if site["clustering"]]
    for t, scores in mean.items():
        print(f"mean at t = {t:2}  " + "  ".join(f"{name} {value:.4f}" for name, value in scores.items()))
    clustering = {when: means([site[when] for site in clustered]) for when in ("before", "after")} if clustered else {}
    for when, scores in clustering.items():
        print(f"clustering {when:6}  " + "  ".join(f"{name} {value:.3f}" for name, value in scores.items()))
    if args.json:
        result = {"sites": sites, "mean": mean, "clustering": clustering}
        args.json.write_text(json.dumps(result, indent=1))


class Site:
    """The pages of one corpus, by family, and what its rules say about them."""

    def __init__(self, corpus: Any) -> None:
        self.corpus = corpus
        self.paths = sorted(corpus.reachable)
        families = Families()
        self.pages = []
        for path in self.paths:
            page = Page.parse(corpus.read(path), f"http://site{path}")
            self.pages.append(page)
            families.add(page)
        family = families.settle()
        self.members: dict[int, list[int]] = defaultdict(list)
        for number, page in enumerate(self.pages):
            self.members[family[page.url]].append(number)
        for members in self.members.values():
            random.Random(7).shuffle(members)

    def template(self, members: Sequence[int], t: int) -> Template:
        """Learned from pages that are not tried, if there are enough others."""
        known = members[TRIED:] if len(members) >= TRIED + t else members
        return Template.learn([self.pages[number] for number in known], t=t)

    def token_scores(self, t: int) -> dict[str, float]:
        """Precision, recall and body_kept, mean over pages."""
        sums: Counter[str] = Counter()
        weights: Counter[str] = Counter()
        for members in self.members.values():
            tried = [number for number in members[:TRIED] if self.corpus.type_of(self.paths[number]) != "other"]
            if len(members) < 2 or not tried:
                continue
            template = self.template(members, t)
            for number in tried:
                for name, value in self.page_scores(number, strip(self.pages[number], template)):
                    sums[name] += value * len(members) / len(tried)
                    weights[name] += len(members) / len(tried)
        return {name: sums[name] / weights[name] for name in SCORES}

    def page_scores(self, number: int, stripped: Stripped) -> Iterator[tuple[str, float]]:
        """The measures that a page allows: no recall without template blocks, no body_kept without a body."""
        page = self.pages[number]
        gold_template, gold_content = gold_nodes(self.corpus, self.paths[number], page)
        nodes, is_text, is_template = (
            stripped.match.tokens.nodes,
            stripped.match.tokens.is_text,
            stripped.match.is_template,
        )
        right_texts = np.count_nonzero(is_template & is_text & gold_template[nodes])
        right = np.count_nonzero(is_template & gold_template[nodes])
        wrong = np.count_nonzero(is_template & gold_content[nodes])
        if gold_template.any():
            yield "recall", right / np.count_nonzero(gold_template[nodes])
        if right + wrong:
            yield "precision", right / (right + wrong)
            yield "strict_precision", right / np.count_nonzero(is_template)
        if texts := np.count_nonzero(is_template & is_text):
            yield "strict_text_precision", right_texts / texts
        if gold_texts := np.count_nonzero(is_text & gold_template[nodes]):
            yield "text_recall", right_texts / gold_texts
        if self.corpus.type_of(self.paths[number]) == "article":
            chars = np.array([len(chunk) for chunk in page.chunks]) * gold_content[page.chunk_node]
            if chars.sum():
                yield "body_kept", float(chars[stripped.kept_chunks].sum() / chars.sum())

    def clustering(self) -> dict[str, Any]:
        """Measures before and after stripping, and the size ratio; nothing if the site has no two sections."""
        source, sections = self.sections()
        if not sections:
            return {}
        numbers = sorted(sections)
        classes = [sections[number] for number in numbers]
        stripped = self.stripped(set(numbers))
        kept = [stripped.get(number) for number in numbers]
        pages = [self.pages[number] for number in numbers]
        analyzer = TermAnalyzer()
        before = [term_counts(analyzer, page.text(), page.language) for page in pages]
        after = [
            term_counts(analyzer, own.text if own else page.text(), page.language)
            for page, own in zip(pages, kept, strict=True)
        ]
        originals = [len(self.corpus.read(self.paths[number])) for number in numbers]
        sizes = [len(own.html.encode()) if own else size for own, size in zip(kept, originals, strict=True)]
        return {
            "articles": len(numbers),
            "sections": len(set(classes)),
            "sections_from": source,
            "before": cluster_scores(before, classes),
            "after": {**cluster_scores(after, classes), "size": sum(sizes) / sum(originals)},
        }

    def stripped(self, wanted: set[int]) -> dict[int, Stripped]:
        """Pages stripped by the templates of their families; a family of one page has none."""
        result = {}
        for members in self.members.values():
            chosen = wanted.intersection(members)
            if chosen and len(members) > 1:
                template = Template.learn([self.pages[number] for number in members], t=SAMPLE)
                result.update({number: strip(self.pages[number], template) for number in chosen})
        return result

    def sections(self) -> tuple[str, dict[int, str]]:
        """Where the labels are from, and the section of each labelled article."""
        articles = {path: number for number, path in enumerate(self.paths) if self.corpus.type_of(path) == "article"}
        leading: dict[str, set[str]] = defaultdict(set)
        for section in self.corpus.rules["skeleton"].get("children", []):
            for path in self.section_pages(section):
                for article in self.corpus.gold(path).toc_links & articles.keys():
                    leading[article].add(section["url"])
        by_list = {articles[path]: min(urls) for path, urls in leading.items() if len(urls) == 1}
        by_folder = {number: path.split("/")[1] for path, number in articles.items() if path.count("/") > 1}
        for source, labels in (("list pages", large(by_list)), ("addresses", large(by_folder))):
            if len(set(labels.values())) > 1:
                return source, labels
        return "", {}

    def section_pages(self, section: dict[str, Any]) -> Iterator[str]:
        """The pages of a section of the skeleton and of the sections below it."""
        path = self.corpus.canonical(section["url"])
        if path in self.corpus.reachable:
            yield path
        for child in section.get("children", []):
            yield from self.section_pages(child)


def gold_nodes(corpus: Any, path: str, page: Page) -> tuple[BoolArray, BoolArray]:
    """Nodes in template blocks, and nodes of the content."""
    from corpus import _select

    rules, root = corpus.rules, corpus.tree(path)
    order = {element: node for node, element in enumerate(root.iter("*"))}
    if [element.tag for element in order] != [page.tag(node) for node in range(len(page))]:
        raise SystemExit(f"{corpus.id}{path}: the page's nodes are not the elements of the gold tree")

    def inside(selectors: Sequence[str]) -> BoolArray:
        chosen = np.zeros(len(page), dtype=bool)
        chosen[[order[element] for element in _select(root, selectors) if element in order]] = True
        return covered(chosen, page.subtree_end)

    template = inside(rules["template_blocks"])
    if corpus.type_of(path) == "article":
        content = inside(rules["article_body"]) & ~inside(rules.get("article_exclude", []))
    else:
        content = inside(rules["toc_blocks"])
    return template, content & ~template


def large(labels: dict[int, str]) -> dict[int, str]:
    """The labels without sections that have too few articles."""
    sizes = Counter(labels.values())
    return {number: label for number, label in labels.items() if sizes[label] >= LEAST_SECTION}


def term_counts(analyzer: TermAnalyzer, text: str, language: str) -> Counter[str]:
    """How often each term stands in a text."""
    terms = analyzer.analyze([text], language)
    return Counter({terms.names[term]: count for term, count in Counter(terms.ids.tolist()).items()})


def cluster_scores(documents: Sequence[Counter[str]], classes: Sequence[str]) -> dict[str, float]:
    """The four measures, mean over ten first points."""
    similarity = cosines(documents)
    starts = random.Random(7).sample(range(len(documents)), min(10, len(documents)))
    tables = [contingency(classes, furthest_point_first(similarity, len(set(classes)), start)) for start in starts]
    return {name: float(np.mean([measure(table) for table in tables])) for name, measure in MEASURES.items()}


def cosines(documents: Sequence[Counter[str]]) -> FloatArray:
    """Cosines between all pairs of documents, by tf·idf."""
    from scipy.sparse import csr_array

    column: dict[str, int] = {}
    rows, columns, counts = [], [], []
    for row, document in enumerate(documents):
        for term, count in document.items():
            rows.append(row)
            columns.append(column.setdefault(term, len(column)))
            counts.append(1 + np.log(count))
    matrix = csr_array((counts, (rows, columns)), shape=(len(documents), len(column)))
    frequency = np.bincount(columns, minlength=len(column))
    matrix = matrix * np.log(len(documents) / frequency)[None, :]
    norms = np.sqrt(matrix.power(2).sum(axis=1))
    similarity: FloatArray = (matrix @ matrix.T).toarray() / np.maximum(np.outer(norms, norms), 1e-12)
    return similarity


def furthest_point_first(similarity: FloatArray, clusters: int, start: int) -> list[int]:
    """Each further centre is the point that is least like the centres before it; points join the nearest centre."""
    centres = [start]
    while len(centres) < clusters:
        centres.append(int(similarity[:, centres].max(axis=1).argmin()))
    return [int(nearest) for nearest in similarity[:, centres].argmax(axis=1)]


def means(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of each column."""
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]} if rows else {}


def print_site(name: str, site: dict[str, Any]) -> None:
    """A line for the tokens, a line for the clustering."""
    cells = (f"t={t} {site[str(t)]['precision']:.3f}/{site[str(t)]['recall']:.3f}" for t in SIZES)
    print(f"{name:18} {'  '.join(cells)}  body_kept {site[str(SAMPLE)]['body_kept']:.4f}", flush=True)
    if clustering := site["clustering"]:
        before, after = clustering["before"], clustering["after"]
        gains = "  ".join(f"{measure} {before[measure]:.3f} → {after[measure]:.3f}" for measure in MEASURES)
        counts = (
            f"{clustering['articles']} articles, {clustering['sections']} sections by {clustering['sections_from']}"
        )
        print(f"{'':18} {gains}  size {after['size']:.2f}  ({counts})", flush=True)


if __name__ == "__main__":
    main()
