"""LAMIS: speed next to networkx; with gold, Table 4 on today's sites, and the types that we decide beside it.

    python benchmarks/lamis.py [--corpora DIR [--evaluate DIR]] [--pages 1000000] [--links 10000000] [--json FILE]

`--corpora` holds sites with hand-coded rules, `--evaluate` (beside it, if not given) the module `corpus` that reads
them. Scores leave out doubtful pages: R-precision of the ranking, F1 of the types, F1 of the links of TOC pages.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np

from webstruct.entropy import TermEntropy
from webstruct.evaluation import r_precision, set_score
from webstruct.families import Families
from webstruct.lamis import VARIANTS, Links, lamis, read_links
from webstruct.page import Page
from webstruct.page_types import decide
from webstruct.sitepages import SitePages

if TYPE_CHECKING:
    from collections.abc import Iterator


class GoldSite(NamedTuple):
    """A site with its gold; `paths` names its pages."""

    corpus: Any
    paths: list[str]
    site: SitePages


def main() -> None:
    """Print speed, or with `--corpora` one row a site and the means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--evaluate", type=Path)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--links", type=int, default=10_000_000)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows = table_4(args.corpora, args.evaluate) if args.corpora else speed(args.pages, args.links)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))


def speed(pages: int, links: int) -> dict[str, dict[str, float]]:
    """CPU seconds of every variant on a random site, and of networkx's HITS at a tenth of its size."""
    rows: dict[str, dict[str, float]] = {}
    site = random_links(pages, links)
    for name, switches in VARIANTS.items():
        begin = time.process_time()
        ranking = lamis(site, **switches)
        rows[name] = {"seconds": time.process_time() - begin, "rounds": ranking.rounds}
        print(f"{name:20} {pages:,} pages, {links:,} links: {rows[name]['seconds']:6.2f} s, {ranking.rounds} rounds")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB")
    small = random_links(pages // 10, links // 10)
    begin = time.process_time()
    graph = nx.DiGraph(zip(small.source.tolist(), small.target.tolist(), strict=True))
    nx.hits(graph)
    theirs = time.process_time() - begin
    begin = time.process_time()
    lamis(small, **VARIANTS["HITS"])
    ours = time.process_time() - begin
    print(f"networkx at {pages // 10:,} pages: {theirs:.2f} s, ours {ours:.3f} s: {theirs / ours:.0f} x")
    return rows | {"networkx": {"seconds": theirs, "ours": ours, "peak_mb": peak}}


def random_links(pages: int, links: int) -> Links:
    """Links of a made-up site: a tenth of them menu links, blocks of up to five links."""
    random = np.random.default_rng(7)
    source = np.sort(random.integers(0, pages, links, dtype=np.int32))
    target = random.integers(0, pages, links, dtype=np.int32)
    target[random.random(links) < 0.1] %= 20
    block = np.cumsum((np.diff(source, prepend=0) > 0) | (np.arange(links) % 5 == 0), dtype=np.int32)
    return Links(pages, source, target, random.random(links), random.integers(0, 12, links, dtype=np.int32), block)


def gold_sites(corpora: Path, evaluate: Path | None) -> Iterator[GoldSite]:
    """Every site, parsed, with links resolved and families found."""
    sys.path.insert(0, str(evaluate or corpora.parent / "evaluate"))
    for corpus in importlib.import_module("corpus").corpora(corpora):
        start = corpus.canonical(corpus.entry)
        paths = sorted(corpus.reachable, key=lambda path, start=start: (path != start, path))
        number = {path: place for place, path in enumerate(paths)}
        pages, targets, entropy, families = [], [], TermEntropy(), Families()
        for path in paths:
            page = Page.parse(corpus.read(path), "http://site" + re.sub(r"/index\.html?$", "/", path))
            pages.append(page)
            entropy.update(*page.term_counts())
            families.add(page)
            own = (corpus.canonical(url) if url.startswith("http://site") else None for url in page.link_urls)
            targets.append(np.array([number.get(path, -1) for path in own], dtype=np.int32))
        family = families.settle()
        numbers = np.array([family[page.url] for page in pages], dtype=np.int32)
        yield GoldSite(corpus, paths, SitePages(pages, targets, entropy, numbers))


def table_4(corpora: Path, evaluate: Path | None) -> dict[str, dict[str, float]]:
    """R-precision of the published variants, and the scores of our decision."""
    rows = {}
    for gold in gold_sites(corpora, evaluate):
        rows[gold.corpus.id] = scores(gold)
        if len(rows) == 1:
            print(f"{'':20}", *(f"{name[-9:]:>9}" for name in rows[gold.corpus.id]))
        print(f"{gold.corpus.id:20}", *(f"{value:9.3f}" for value in rows[gold.corpus.id].values()), flush=True)
    means = {name: statistics.mean(row[name] for row in rows.values()) for name in next(iter(rows.values()))}
    print(f"{'mean':20}", *(f"{value:9.3f}" for value in means.values()))
    return rows | {"mean": means}


def scores(gold: GoldSite) -> dict[str, float]:
    """Scores of one site, as the evaluation beside the corpora computes them."""
    corpus, paths, site = gold
    wanted = {kind: {path for path in paths if corpus.type_of(path) == kind} for kind in ("toc", "article")}
    doubtful = {path for path in paths if corpus.doubtful(path)}
    toc, article = wanted["toc"] - doubtful, wanted["article"] - doubtful

    def ranked(rank: np.ndarray) -> float:
        return r_precision({path: rank[k] for k, path in enumerate(paths) if path not in doubtful}, toc)

    links = read_links(site)
    row = {name: ranked(lamis(links, **switches).rank) for name, switches in VARIANTS.items()}
    begin = time.process_time()
    types = decide(site)
    row["ms_page"] = 1000 * (time.process_time() - begin) / max(1, len(paths))
    row["entry_hub"] = ranked(types.hub)
    row["toc_rprec"] = ranked(types.rank)
    for kind, right in (("toc", toc), ("article", article)):
        found = {path for path, decided in zip(paths, types.type, strict=True) if decided == kind}
        row[f"{kind}_f1"] = set_score(found - doubtful, right).f1
    lists = [(k, corpus.gold(path).toc_links) for k, path in enumerate(paths) if path in toc]
    row["links_f1"] = statistics.mean(
        set_score({paths[target] for target in site.targets[k][types.links[k]]}, gold_links).f1
        for k, gold_links in lists
        if gold_links
    )
    return row


if __name__ == "__main__":
    main()
