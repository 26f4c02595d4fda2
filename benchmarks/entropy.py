"""Speed of term statistics on a large site: page updates a second, with a vocabulary that is there already.

    python benchmarks/entropy.py [--known 1000000] [--terms 300] [--pages 5000] [--json FILE]

Words follow Zipf's law, as those of texts do.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from webstruct.entropy import TermEntropy

if TYPE_CHECKING:
    from collections.abc import Callable

PageTerms: TypeAlias = "tuple[list[str], npt.NDArray[np.int64]]"


def main() -> None:
    """Print updates, removals and look-ups a second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--known", type=int, default=1_000_000)
    parser.add_argument("--terms", type=int, default=300)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    vocabulary = [f"word{number}" for number in range(args.known)]
    entropy = TermEntropy()
    entropy.update(vocabulary, np.ones(args.known, dtype=np.int64))
    random = np.random.default_rng(0)
    pages = [page_of(vocabulary, args.terms, random) for _ in range(args.pages)]
    figures = {
        "updates_per_second": per_second(lambda page: entropy.update(*page), pages),
        "weights_per_second": per_second(lambda page: entropy.weights(entropy.ids(page[0])), pages),
        "removals_per_second": per_second(lambda page: entropy.remove(*page), pages),
    }
    for name, value in figures.items():
        print(f"{name:20} {value:8.0f}")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1))


def page_of(vocabulary: list[str], terms: int, random: np.random.Generator) -> PageTerms:
    """Distinct terms and their counts."""
    drawn = np.unique(random.zipf(1.2, size=6 * terms) % len(vocabulary))
    numbers = random.permutation(drawn)[:terms]
    return [vocabulary[number] for number in numbers.tolist()], random.integers(1, 6, size=len(numbers))


def per_second(work: Callable[[PageTerms], object], pages: list[PageTerms]) -> float:
    """Pages a second of CPU."""
    before = time.process_time()
    for page in pages:
        work(page)
    return len(pages) / (time.process_time() - before)


if __name__ == "__main__":
    main()
