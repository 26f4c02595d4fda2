"""Feature weighting: pages clustered and classified by class, with raw counts, tf·idf, our text and CST weights.

    python benchmarks/weighting.py --corpora DIR [--evaluate DIR] [--json FILE] [--only SITE ...]
    python benchmarks/weighting.py --speed [--pages 5000]

The vectors are those of whole pages (`raw` counts, `tfidf`), of the text that we extract (`text`, tf·idf), and of
`webstruct.weights` (`cst`). For comparison, `published` is the same with the paper's formula (3), and `gold` the counts of the
gold text, which no cleaning can better. All have length 1. Two kinds of classes:

- **of a site**: the sections of the gold skeleton, else the list pages (tags, categories, authors), up to five with the most
  articles, which belong to one of them only and are at least ten. Words by which the site names these classes are taken out
  of all vectors. k-means with as many clusters as classes; a linear SVM for every two classes in five folds.
- **site-crossing**: two sites of one language, and up to five words that stand in the headlines of at least five articles of
  either; they are taken out of all vectors. k-means over the articles of both. The SVM learns, as in the paper's Table 2,
  one class from one site and the other class from the other site, and is tried on what is left: it will be wrong wherever
  it learned the site and not the class.

k-means is run twenty times from random seeds, its F is that of the best assignment of classes to clusters, as in Figure 3;
the SVM's F is the mean of both classes. `mean` is over all experiments of both kinds. `content` is what cleaning is about: the
share of the weight on gold article text, for up to forty articles a site, and how much weight a word of it keeps.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import sys
import time
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array

from webstruct.clustering_measures import contingency
from webstruct.demo import DemoSite
from webstruct.page import Page
from webstruct.structure_tree import StructureTree
from webstruct.terms import TermAnalyzer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence, Set

Vector = dict[str, float]
Scores = dict[str, dict[str, float]]

FORMS = ("raw", "tfidf", "text", "cst")
COMPARED = ("published", "gold")
MEASURES = ("kmeans_f", "svm_accuracy", "svm_f")
MOST_CLASSES = 5
LEAST_ARTICLES = 10
LEAST_HEADLINES = 5
SHORT_CHARS = 300
CONTENT = ("raw", "cst", "cst_kept", "published", "published_kept")
RUNS = 20
FOLDS = 5
CONTENT_PAGES = 40


def main() -> None:
    """Print a row for every experiment, then means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--evaluate", type=Path, help="folder with corpus.py (default: CORPORA/../evaluate)")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--pages", type=int, default=5000)
    args = parser.parse_args()
    if args.speed:
        results: dict[str, Any] = speed(args.pages)
    elif args.corpora:
        sys.path.insert(0, str(args.evaluate or args.corpora.parent / "evaluate"))
        results = experiments(args.corpora, args.only)
    else:
        parser.error("--corpora DIR or --speed")
    if args.json:
        args.json.write_text(json.dumps(results, indent=1, ensure_ascii=False))


def speed(pages: int) -> dict[str, float]:
    """Pages per second and memory of a tree over the demo site; pages are parsed one at a time and not kept."""
    demo = DemoSite(pages=pages, dirt=False)
    bodies = ((path, demo.page(path)) for path in demo.paths())
    tree, adding, before = StructureTree(), 0.0, 0.0
    for path, response in bodies:
        if response is None:
            continue
        page = Page.parse(response.body, "http://demo.example" + path)
        before = before or peak_mb()
        begin = time.process_time()
        tree.add(page)
        adding += time.process_time() - begin
    begin = time.process_time()
    tree.compress()
    compressing = time.process_time() - begin
    figures = {
        "pages": tree.pages,
        "pages_per_second": tree.pages / (adding + compressing),
        "add_seconds": adding,
        "compress_seconds": compressing,
        "peak_mb": peak_mb(),
        "peak_mb_before": before,
    }
    print("  ".join(f"{name} {value:,.1f}" for name, value in figures.items()))
    return figures


def peak_mb() -> float:
    """Most memory that the process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def experiments(corpora_folder: Path, only: Sequence[str]) -> dict[str, Any]:
    """All experiments on all sites, and their means."""
    from corpus import corpora

    sites = [Site(corpus) for corpus in corpora(corpora_folder) if not only or corpus.id in only]
    within = {site.name: row for site in sites if (row := site_experiment(site))}
    crossing = {
        f"{one.name} × {other.name}": row
        for one, other in combinations(sites, 2)
        if one.language == other.language and (row := crossing_experiment(one, other))
    }
    content = {site.name: site.content for site in sites if site.content}
    rows = [*within.values(), *crossing.values()]
    result = {
        "mean": means(rows, FORMS),
        "compared": means(rows, COMPARED),
        "mean_of_sites": means(list(within.values()), FORMS + COMPARED),
        "mean_of_crossings": means(list(crossing.values()), FORMS + COMPARED),
        "mean_content": {name: float(np.mean([row[name] for row in content.values()])) for name in CONTENT if content},
        "sites": within,
        "crossings": crossing,
        "content": content,
    }
    for name in ("mean_of_sites", "mean_of_crossings", "mean", "compared"):
        show(name, result[name])
    print("content  " + "  ".join(f"{name} {value:.3f}" for name, value in result["mean_content"].items()))
    return result


def means(rows: Sequence[Mapping[str, Any]], forms: Sequence[str]) -> Scores:
    """The mean of each measure for each form of vectors."""
    return {
        measure: {form: float(np.mean([row[measure][form] for row in rows])) for form in forms}
        for measure in (MEASURES if rows else ())
    }


def show(name: str, row: Mapping[str, Any]) -> None:
    """A line a measure."""
    for measure in MEASURES:
        if measure in row:
            cells = "  ".join(f"{form} {value:.3f}" for form, value in row[measure].items())
            print(f"{name:40} {measure:13} {cells}", flush=True)


class Classes(NamedTuple):
    """Articles by number with their classes, and words that give classes away."""

    of: dict[int, str]
    names: Set[str]


class Site:
    """A corpus, learned by us: all forms of vectors of its articles."""

    def __init__(self, corpus: Any) -> None:
        import webstruct

        self.corpus, self.name, self.language = corpus, corpus.id, corpus.lang
        self.paths = sorted(corpus.reachable, key=lambda path: (corpus.reachable[path], path))
        self.pages = [
            Page.parse(corpus.read(path), "http://site" + re.sub(r"/index\.html?$", "/", path)) for path in self.paths
        ]
        self.articles = {path: number for number, path in enumerate(self.paths) if corpus.type_of(path) == "article"}
        self._analyzer = TermAnalyzer()
        model = webstruct.learn(self.pages)
        tree = StructureTree.of(self.pages)
        trees = {"cst": tree.compress(), "published": tree.compress(base="tags")}
        self.vectors: dict[str, dict[int, Vector]] = {form: {} for form in ("raw", "text", "gold", *trees)}
        for path, number in self.articles.items():
            page = self.pages[number]
            names, counts = page.term_counts()
            self.vectors["raw"][number] = dict(zip(names, counts.tolist(), strict=True))
            self.vectors["text"][number] = self.counts(model.extract(page).text)
            self.vectors["gold"][number] = self.counts(corpus.gold(path).allowed)
            for form, compressed in trees.items():
                self.vectors[form][number] = compressed.features(page)
        self.content = self._content(trees)

    def counts(self, text: str) -> Counter[str]:
        """How often each term stands in a text."""
        terms = self._analyzer.analyze([text], self.language)
        return Counter([terms.names[term] for term in terms.ids.tolist()])

    def _content(self, trees: Mapping[str, Any]) -> dict[str, float]:
        """Share of weight on gold article text, and the weight that a word of it keeps."""
        from template import gold_nodes

        rows = []
        if self.corpus.rules.get("template_blocks"):
            chosen = random.Random(7).sample(sorted(self.articles), min(CONTENT_PAGES, len(self.articles)))
            rows = [
                row
                for path in chosen
                if (
                    row := content_row(
                        self.pages[self.articles[path]],
                        gold_nodes(self.corpus, path, self.pages[self.articles[path]])[1],
                        trees,
                    )
                )
            ]
        return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]} if rows else {}

    def classes(self) -> Classes:
        """Sections of the skeleton, or else list pages, whichever gives two classes."""
        lists: dict[str, set[int]] = defaultdict(set)
        for path in self.paths:
            if self.corpus.type_of(path) == "toc":
                listed = self.corpus.gold(path).toc_links & self.articles.keys()
                lists[list_name(path)] |= {self.articles[article] for article in listed}
        sections = {
            list_name(section["url"]): set().union(
                *(listed for name, listed in lists.items() if name.startswith(tuple(self.names_below(section))))
            )
            for section in self.corpus.rules["skeleton"].get("children", [])
        }
        for groups in (sections, lists):
            groups = {name: listed for name, listed in groups.items() if name and len(listed) <= len(self.articles) / 2}
            chosen = exclusive(groups, LEAST_ARTICLES)
            if len(set(chosen.values())) > 1:
                return Classes(chosen, self._class_names(set(chosen.values())))
        return Classes({}, set())

    def names_below(self, section: Mapping[str, Any]) -> Iterator[str]:
        """Names of the pages of a section and its sub-sections."""
        waiting = [section]
        while waiting:
            current = waiting.pop()
            path = self.corpus.canonical(current["url"])
            if path in self.corpus.reachable and list_name(path):
                yield list_name(path)
            waiting += current.get("children", [])

    def _class_names(self, classes: Set[str]) -> Set[str]:
        """Terms of the classes' addresses and of links to their list pages."""
        texts = set(classes)
        leads: dict[str, bool] = {}
        for page in self.pages:
            for link in page.links():
                if link.url not in leads:
                    path = self.corpus.canonical(link.url) if link.url.startswith("http://site/") else None
                    leads[link.url] = bool(path) and self.corpus.type_of(path) == "toc" and list_name(path) in classes
                if leads[link.url]:
                    texts.add(link.text)
        return self.counts("\n".join(sorted(texts))).keys()

    def headlines(self) -> dict[int, Set[str]]:
        """Words of the headlines of articles that are not too short."""
        golds = ((number, self.corpus.gold(path)) for path, number in self.articles.items())
        return {number: self.counts(gold.title).keys() for number, gold in golds if len(gold.body) >= SHORT_CHARS}


def content_row(page: Page, gold: npt.NDArray[np.bool_], trees: Mapping[str, Any]) -> dict[str, float]:
    """`content` for one page; nothing if it has no text of its own."""
    inside = gold[page.term_node]
    row = {"raw": float(inside.mean())} if inside.any() else {}
    for form, tree in trees.items() if row else ():
        weights = tree.term_weights(page)
        row[form] = float(weights[inside].sum() / max(weights.sum(), 1e-9))
        row[form + "_kept"] = float(weights[inside].mean())
    return row


def list_name(path: str) -> str:
    """The address of a list without numbers: all pages of a list have the same, those of issues and dates none."""
    parts = re.sub(r"(/index)?\.\w+$", "", path).split("/")
    return "/".join(part for part in parts if not re.fullmatch(r"\d*|page|index", part))


def exclusive(groups: Mapping[str, Set[int]], least: int) -> dict[int, str]:
    """Members of one group only, of the largest groups that have enough of these."""
    chosen = sorted(
        (name for name in groups if len(groups[name]) >= least), key=lambda name: (-len(groups[name]), name)
    )
    chosen = chosen[:MOST_CLASSES]
    while True:
        counts = Counter(member for name in chosen for member in groups[name])
        own = {name: [member for member in groups[name] if counts[member] == 1] for name in chosen}
        smallest = min(chosen, key=lambda name: (len(own[name]), name), default="")
        if not chosen or len(own[smallest]) >= least:
            return {member: name for name in chosen for member in own[name]}
        chosen.remove(smallest)


def site_experiment(site: Site) -> dict[str, Any]:
    """The pages of one site by section or tag."""
    classes, names = site.classes()
    numbers = sorted(classes)
    if not numbers:
        return {}
    labels = np.array([classes[number] for number in numbers])
    vectors = {form: [own[number] for number in numbers] for form, own in site.vectors.items()}
    row = scores(vectors, names, labels, lambda matrix: folds(matrix, labels))
    return told(site.name, row, labels)


def crossing_experiment(one: Site, other: Site) -> dict[str, Any]:
    """The pages of two sites by a word of their headlines."""
    headlines = [site.headlines() for site in (one, other)]
    counts = [Counter(word for words in own.values() for word in words) for own in headlines]
    shared = {word for word in counts[0] if min(count[word] for count in counts) >= LEAST_HEADLINES}
    chosen = sorted(shared, key=lambda word: (-min(count[word] for count in counts), word))[:MOST_CLASSES]
    while True:
        classes = [
            {
                number: word
                for number, words in own.items()
                for word in words & set(chosen)
                if len(words & set(chosen)) == 1
            }
            for own in headlines
        ]
        sizes = [Counter(own.values()) for own in classes]
        smallest = min(chosen, key=lambda word: (min(size[word] for size in sizes), word), default="")
        if len(chosen) < 2 or min(size[smallest] for size in sizes) >= LEAST_HEADLINES:
            break
        chosen.remove(smallest)
    if len(chosen) < 2:
        return {}
    members = [(site, number) for site, own in zip((one, other), classes, strict=True) for number in sorted(own)]
    labels = np.array([word for own in classes for _, word in sorted(own.items())])
    is_other = np.array([site is other for site, _ in members])
    vectors = {form: [site.vectors[form][number] for site, number in members] for form in one.vectors}
    row = scores(vectors, set(chosen), labels, lambda matrix: swaps(matrix, labels, is_other))
    return told(f"{one.name} × {other.name}", row, labels)


def told(name: str, row: Scores, labels: npt.NDArray[np.str_]) -> dict[str, Any]:
    """Print a row; give it with its classes."""
    show(name, row)
    return {**row, "classes": dict(Counter(labels.tolist()))}


def scores(
    vectors: Mapping[str, list[Vector]],
    names: Set[str],
    labels: npt.NDArray[np.str_],
    classify: Callable[[Any], tuple[float, float]],
) -> Scores:
    """All measures for all forms."""
    row: Scores = {measure: {} for measure in MEASURES}
    for form in FORMS + COMPARED:
        source = "raw" if form == "tfidf" else form
        matrix = unit_matrix(vectors[source], names, idf=form in ("tfidf", "text"))
        row["kmeans_f"][form] = kmeans_f(matrix, labels)
        row["svm_accuracy"][form], row["svm_f"][form] = classify(matrix)
    return row


def unit_matrix(vectors: Sequence[Vector], without: Set[str], *, idf: bool) -> Any:
    """Vectors as rows of length 1."""
    from sklearn.feature_extraction.text import TfidfTransformer

    columns: dict[str, int] = {}
    cells = [
        (row, columns.setdefault(term, len(columns)), value)
        for row, vector in enumerate(vectors)
        for term, value in vector.items()
        if term not in without
    ]
    rows, places, values = zip(*cells, strict=True)
    where = np.array([rows, places], dtype=np.int32)  # scikit-learn takes no longer ones
    matrix = csr_array((values, tuple(where)), shape=(len(vectors), len(columns)), dtype=np.float64)
    return TfidfTransformer(use_idf=idf).fit_transform(matrix)


def kmeans_f(matrix: Any, labels: npt.NDArray[np.str_]) -> float:
    """The mean over classes of F, with the best assignment of classes to clusters; mean over runs."""
    from sklearn.cluster import KMeans

    found = []
    for seed in range(RUNS):
        means = KMeans(len(set(labels.tolist())), init="random", n_init=1, random_state=seed)
        table = contingency(labels.tolist(), means.fit_predict(matrix).tolist())
        f = 2 * table / (table.sum(axis=1)[:, None] + table.sum(axis=0))
        found.append(f[linear_sum_assignment(-f)].sum() / len(table))
    return float(np.mean(found))


def folds(matrix: Any, labels: npt.NDArray[np.str_]) -> tuple[float, float]:
    """Accuracy and F of an SVM for every two classes, over folds."""
    from sklearn.model_selection import StratifiedKFold

    splits = []
    for one, other in combinations(sorted(set(labels.tolist())), 2):
        rows = np.flatnonzero((labels == one) | (labels == other))
        parts = StratifiedKFold(FOLDS, shuffle=True, random_state=7).split(rows, labels[rows])
        splits += [(rows[learned], rows[tried]) for learned, tried in parts]
    return svm(matrix, labels, splits)


def swaps(matrix: Any, labels: npt.NDArray[np.str_], is_other: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """The same, where each of two classes is learned from one site and tried on the other site."""
    splits = []
    for one, other in combinations(sorted(set(labels.tolist())), 2):
        straight = np.flatnonzero(((labels == one) & ~is_other) | ((labels == other) & is_other))
        crossed = np.flatnonzero(((labels == one) & is_other) | ((labels == other) & ~is_other))
        splits += [(straight, crossed), (crossed, straight)]
    return svm(matrix, labels, splits)


def svm(matrix: Any, labels: npt.NDArray[np.str_], splits: Sequence[tuple[Any, Any]]) -> tuple[float, float]:
    """Mean accuracy and F of a linear SVM."""
    from sklearn.metrics import accuracy_score, f1_score
    from sklearn.svm import LinearSVC

    found = []
    for learned, tried in splits:
        guesses = LinearSVC(random_state=7).fit(matrix[learned], labels[learned]).predict(matrix[tried])
        f = f1_score(labels[tried], guesses, average="macro", zero_division=0.0)
        found.append((accuracy_score(labels[tried], guesses), f))
    accuracy, f = np.mean(found, axis=0)
    return float(accuracy), float(f)


if __name__ == "__main__":
    main()
