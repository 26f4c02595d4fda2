"""CPU and memory of aligning two token sequences, next to Biopython's compiled aligner in the same run.

    python benchmarks/alignment.py [--json FILE]

Random sequences with much in common are the worst case: nothing to trim, every row has matches. Two articles of the
demo site are the ordinary one. Minimum of five rounds in turn; the traceback is part of both. Biopython is no
dependency: install it for this benchmark (`pip install biopython`).
"""

from __future__ import annotations

import argparse
import json
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from webstruct.alignment import IntArray, align
from webstruct.demo import DemoSite
from webstruct.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROUNDS = 5


def main() -> None:
    """Print one row a pair of sequences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    from Bio.Align import PairwiseAligner

    aligner = PairwiseAligner(mode="global", match_score=1, mismatch_score=0, gap_score=-1)

    def biopython(first: IntArray, second: IntArray) -> object:
        return aligner.align(first, second)[0]

    rows = {}
    for name, first, second in pairs():
        ours, theirs = float("inf"), float("inf")
        for _ in range(ROUNDS):
            ours = min(ours, milliseconds(align, first, second))
            theirs = min(theirs, milliseconds(biopython, first, second))
        if align(first, second).score != aligner.score(first, second):
            raise SystemExit(f"{name}: the scores differ")
        cells = len(first) * len(second)
        rows[name] = {
            "ms": ours,
            "biopython_ms": theirs,
            "ratio": ours / theirs,
            "bytes_a_cell": peak(first, second) / cells,
        }
        row = rows[name]
        print(
            f"{name:24} {ours:7.1f} ms  Biopython {theirs:7.1f} ms  ratio {row['ratio']:.2f}  "
            f"{row['bytes_a_cell']:.1f} bytes a cell"
        )
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))


def pairs() -> Iterator[tuple[str, IntArray, IntArray]]:
    """Names and pairs of token sequences."""
    generator = np.random.default_rng(7)
    for length in (1_000, 3_000):
        first = generator.integers(0, 400, length)
        second = np.where(generator.random(length) < 0.5, first, generator.integers(0, 400, length))
        yield f"random {length:,} × {length:,}", first.astype(np.int32), np.roll(second, 1).astype(np.int32)
    site = DemoSite(pages=60, dirt=False)
    answers = [answer for path in site.paths() if (answer := site.page(path)) and answer.truth.type == "article"]
    vocabulary: dict[str, int] = {}
    articles = [answer for answer in answers if answer.truth.template == answers[0].truth.template][:2]
    first, second = (
        np.array([vocabulary.setdefault(token, len(vocabulary)) for token in page.tokens().tokens], dtype=np.int32)
        for page in (Page.parse(answer.body, "http://demo.example/") for answer in articles)
    )
    yield f"demo articles {len(first):,} × {len(second):,}", first, second


def milliseconds(work: Callable[[IntArray, IntArray], object], first: IntArray, second: IntArray) -> float:
    """CPU milliseconds of one alignment."""
    before = time.process_time()
    work(first, second)
    return 1000 * (time.process_time() - before)


def peak(first: IntArray, second: IntArray) -> int:
    """Bytes that an alignment needs at most."""
    tracemalloc.start()
    align(first, second)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


if __name__ == "__main__":
    main()
