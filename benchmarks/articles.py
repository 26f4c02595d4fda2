"""Article text and titles of real sites against their gold, next to the peers that are installed, and the cost.

    python benchmarks/articles.py --corpora DIR [--evaluate DIR] [--sample 40] [--only ID ...] [--json FILE]

Texts are measured with the evaluation's own `score.py`, on the same seeded sample of article pages for all. Page types are
the gold's: this is about texts. The cost is CPU per article page after the parse, learning and extraction, as a ratio to
`trafilatura.extract(fast=True)` in the same run.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import html

from webstruct.articles import extract, extract_alone
from webstruct.entropy import TermEntropy
from webstruct.families import Families
from webstruct.learning import learn_wrappers
from webstruct.page import Page
from webstruct.sitepages import SitePages

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Print one row a site, then the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument(
        "--evaluate", type=Path, help="folder of corpus.py and score.py; CORPORA/../evaluate if not given"
    )
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    sys.path.insert(0, str(args.evaluate or args.corpora.parent / "evaluate"))
    from corpus import corpora

    rows: dict[str, dict[str, float]] = {}
    for corpus in corpora(args.corpora):
        if not args.only or corpus.id in args.only:
            rows[corpus.id] = measure(corpus, args.sample)
            show(corpus.id, rows[corpus.id])
    mean = {name: statistics.fmean(row[name] for row in rows.values()) for name in next(iter(rows.values()))}
    show("mean", mean)
    if args.json:
        args.json.write_text(json.dumps({"sites": rows, "mean": mean}, indent=1))


def show(name: str, row: dict[str, float]) -> None:
    """Print a row."""
    print(f"{name:18} " + "  ".join(f"{key} {value:.3f}" for key, value in row.items()), flush=True)


def measure(corpus: Any, sample: int) -> dict[str, float]:
    """All figures of one site."""
    from score import tokens

    site, paths = site_pages(corpus)
    is_article = np.array([corpus.type_of(path) == "article" for path in paths])
    chosen = sorted(path for path in paths if corpus.type_of(path) == "article")
    random.Random(7).shuffle(chosen)
    golds = [gold for path in chosen[:sample] if (gold := corpus.gold(path)).body]
    pages = {gold.path: site.pages[paths.index(gold.path)] for gold in golds}

    started = time.process_time()
    wrappers = learn_wrappers(site, is_article, paths)
    learning = (time.process_time() - started) / is_article.sum()
    family = {path: int(number) for path, number in zip(paths, site.family, strict=True)}
    articles, extraction = timed(lambda gold: extract(pages[gold.path], wrappers[family[gold.path]]), golds)
    row = texts_row("", [article.text for article in articles], golds)
    row["titles"] = statistics.fmean(
        tokens(article.title) == tokens(gold.title) for article, gold in zip(articles, golds, strict=True)
    )
    row |= texts_row("alone ", [extract_alone(pages[gold.path]).text for gold in golds], golds)
    row |= peers(corpus, golds, learning + extraction)
    return row


def texts_row(prefix: str, texts: list[str], golds: list[Any]) -> dict[str, float]:
    """Mean precision, recall and F1."""
    from score import text_prf

    scores = [text_prf(text, gold.body, gold.allowed) for text, gold in zip(texts, golds, strict=True)]
    return {
        prefix + name: statistics.fmean(score[place] for score in scores) for place, name in enumerate(("P", "R", "F1"))
    }


def peers(corpus: Any, golds: list[Any], seconds: float) -> dict[str, float]:
    """The figures of the peers that are installed, and our cost as a ratio to trafilatura's."""
    sources = [html.tostring(corpus.tree(gold.path), encoding="unicode") for gold in golds]
    row: dict[str, float] = {}
    try:
        import trafilatura

        texts = [trafilatura.extract(source, include_comments=False) or "" for source in sources]
        row |= texts_row("trafilatura ", texts, golds)
        row["ratio"] = seconds / timed(lambda source: trafilatura.extract(source, fast=True), sources)[1]
    except ImportError:
        pass
    try:
        from readability import Document

        texts = [html.document_fromstring(Document(source).summary() or "<p>").text_content() for source in sources]
        row |= texts_row("readability ", texts, golds)
    except ImportError:
        pass
    return row


def timed(work: Callable[[Any], Any], items: list[Any]) -> tuple[list[Any], float]:
    """Results, and CPU seconds an item: the least of three rounds."""
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        results = [work(item) for item in items]
        best = min(best, (time.process_time() - started) / max(1, len(items)))
    return results, best


def site_pages(corpus: Any) -> tuple[SitePages, list[str]]:
    """A corpus as a crawl brings it home."""
    paths = sorted(corpus.reachable, key=lambda path: (corpus.reachable[path], path))
    number = {path: place for place, path in enumerate(paths)}
    pages, targets, entropy, families = [], [], TermEntropy(), Families()
    for path in paths:
        page = Page.parse(corpus.read(path), "http://site" + re.sub(r"/index\.html?$", "/", path))
        pages.append(page)
        entropy.update(*page.term_counts())
        families.add(page)
        own = (corpus.canonical(url) if url.startswith("http://site/") else None for url in page.link_urls)
        targets.append(np.array([number.get(path or "", -1) for path in own], dtype=np.int32))
    family = families.settle()
    return SitePages(pages, targets, entropy, np.array([family[page.url] for page in pages], dtype=np.int32)), paths


if __name__ == "__main__":
    main()
