"""InfoDiscoverer: Table 5 on today's sites, recall and precision of features of articles from ten training pages.

    python benchmarks/infodiscoverer.py --corpora DIR [--evaluate DIR] [--training 10]

The page set of a site is the largest template family of its gold articles. The answer set of a page is the distinct
terms of its gold article; scores are means over the training pages, as in the paper.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections import Counter
from pathlib import Path

from lamis import GoldSite, gold_sites

from webstruct.evaluation import Score, set_score
from webstruct.infodiscoverer import InfoDiscoverer
from webstruct.terms import TermAnalyzer


def main() -> None:
    """Print one row a site, then means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--evaluate", type=Path)
    parser.add_argument("--training", type=int, default=10)
    args = parser.parse_args()
    rows = []
    print(f"{'':20} threshold  precision  recall")
    for gold in gold_sites(args.corpora, args.evaluate):
        threshold, row = features(gold, args.training)
        rows.append(row)
        print(f"{gold.corpus.id:20} {threshold:9.1f} {row.precision:10.3f} {row.recall:7.3f}", flush=True)
    print(
        f"{'mean':30} {statistics.mean(r.precision for r in rows):10.3f} {statistics.mean(r.recall for r in rows):7.3f}"
    )


def features(gold: GoldSite, training: int) -> tuple[float, Score]:
    """The threshold found, and the mean score of the features of the training pages."""
    corpus, paths, site = gold
    articles = [k for k, path in enumerate(paths) if corpus.type_of(path) == "article" and not corpus.doubtful(path)]
    (largest, _), *_ = Counter(int(site.family[k]) for k in articles).most_common(1)
    chosen = random.Random(7).sample(articles, len(articles))
    chosen = [k for k in chosen if site.family[k] == largest][:training]
    pages = [site.pages[k] for k in chosen]
    learned = InfoDiscoverer.learn(pages)
    analyzer = TermAnalyzer()
    scores = []
    for k, page in zip(chosen, pages, strict=True):
        answer = set(analyzer.analyze([corpus.gold(paths[k]).allowed], page.language).names)
        scores.append(set_score(learned.informative_terms(page), answer))
    return learned.threshold, Score(*(statistics.mean(column) for column in zip(*scores, strict=True)))


if __name__ == "__main__":
    main()
