"""CPU of one page's analysis (parse, flatten, links, terms) next to trafilatura's fast extraction of the same pages.

    python benchmarks/page.py [--corpora DIR] [--sample 60] [--json FILE]

Machines are noisy: the figure that counts is the ratio, taken in one run, page sets in turn, minimum of three rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from corpora import SourcePage, sites
from lxml import etree

from webstruct.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Print one row a site, then the median ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    import trafilatura

    rows = {}
    for name, pages in sites(args.corpora, args.sample):
        decoded = [(page.url, Page.parse(page.body, page.url)) for page in pages]
        texts = [page.body.decode(parsed.encoding, "replace") for page, (_, parsed) in zip(pages, decoded, strict=True)]
        ours, floor, peer = (float("inf"),) * 3
        for _ in range(3):
            ours = min(ours, milliseconds(pages, lambda page, _: Page.parse(page.body, page.url), texts))
            floor = min(floor, milliseconds(pages, lambda page, _: etree.HTML(page.body or b"<p>"), texts))
            peer = min(peer, milliseconds(pages, lambda _, text: trafilatura.extract(text, fast=True), texts))
        rows[name] = {"page_ms": ours, "lxml_ms": floor, "trafilatura_fast_ms": peer, "ratio": ours / peer}
        print(
            f"{name:20} page {ours:6.2f} ms  lxml {floor:6.2f} ms  trafilatura {peer:6.2f} ms  ratio {ours / peer:.3f}"
        )
    median = statistics.median(row["ratio"] for row in rows.values())
    print(f"{'median':20} ratio {median:.3f}")
    if args.json:
        args.json.write_text(json.dumps({"sites": rows, "median_ratio": median}, indent=1))


def milliseconds(pages: list[SourcePage], work: Callable[[SourcePage, str], object], texts: list[str]) -> float:
    """CPU milliseconds a page."""
    before = time.process_time()
    for page, text in zip(pages, texts, strict=True):
        work(page, text)
    return 1000 * (time.process_time() - before) / max(1, len(pages))


if __name__ == "__main__":
    main()
