"""Families against known page types: how pure and how few they are, how fast they are found, and how the time grows.

    python benchmarks/families.py [--corpora DIR [--evaluate DIR]] [--json FILE]

Columns: `purity` is the share of pages of their family's majority type; `guess` is the share whose type is that of the
majority of the *other* pages of their family (the site's commonest type for a page alone), so that splitting a site to
pieces does not pay; `v` is the V-measure against the types; `in5` is the share of pages in families of five or more.
Doubtful pages count for sizes, not for types. CPU milliseconds a page, without the parse: `learn_ms` for `add` with all
its settlements and a last `settle`, `assign_ms` for `assign`.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from webstruct.demo import DemoSite
from webstruct.families import Families
from webstruct.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COLUMNS = ("pages", "commonest", "purity", "guess", "v", "families", "single", "in5", "learn_ms", "assign_ms")
GROWTH = (1_000, 10_000, 50_000)


class TypedPage(NamedTuple):
    """A parsed page and its true type; None if it may be argued about."""

    page: Page
    type: str | None


def main() -> None:
    """Print one row a site, their mean, and the growth of time with the number of pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--evaluate", type=Path, help="folder of corpus.py; CORPORA/../evaluate unless told")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    sites = demo_sites() if args.corpora is None else real_sites(args.corpora, args.evaluate)
    print(" ".join([f"{'site':18}", *(f"{column:>9}" for column in COLUMNS)]))
    rows = {}
    for name, pages in sites:
        rows[name] = measure(list(pages))
        show(name, rows[name])
    mean = {column: statistics.mean(row[column] for row in rows.values()) for column in COLUMNS}
    show("mean", mean)
    print(f"median families {statistics.median(row['families'] for row in rows.values()):g}")
    growth = [grow(count) for count in GROWTH]
    if args.json:
        args.json.write_text(json.dumps({"sites": rows, "mean": mean, "growth": growth}, indent=1))


def demo_sites() -> Iterator[tuple[str, Iterator[TypedPage]]]:
    """Our own demo sites, with their traps."""
    for language in ("en", "zh"):
        yield f"demo-{language}", demo_pages(400, language)


def demo_pages(count: int, language: str) -> Iterator[TypedPage]:
    """Pages of a demo site, parsed one by one."""
    site = DemoSite(pages=count, language=language)
    for path in site.paths():
        made = site.page(path)
        if made is not None:
            yield TypedPage(Page.parse(made.body, "http://demo.example" + path), made.truth.type)


def real_sites(corpora: Path, evaluate: Path | None) -> Iterator[tuple[str, Iterator[TypedPage]]]:
    """Sites with hand-made page types, read by the evaluation's own reader."""
    sys.path.insert(0, str(evaluate or corpora.resolve().parent / "evaluate"))
    import corpus

    for site in corpus.corpora(corpora):
        yield (
            site.id,
            (
                TypedPage(
                    Page.parse(site.read(path), "http://site.example" + path),
                    None if site.doubtful(path) else site.type_of(path),
                )
                for path in sorted(site.reachable)
            ),
        )


def measure(pages: list[TypedPage]) -> dict[str, float]:
    """All columns for one site."""
    families = Families()
    before = time.process_time()
    for typed in pages:
        families.add(typed.page)
    family_of = families.settle()
    learned = time.process_time()
    for typed in pages:
        families.assign(typed.page)
    assigned = time.process_time()
    sizes = Counter(family_of.values())
    known = [(family_of[typed.page.url], typed.type) for typed in pages if typed.type is not None]
    return {
        "pages": len(pages),
        **quality(known),
        "families": len(sizes),
        "single": sum(size == 1 for size in sizes.values()),
        "in5": sum(size for size in sizes.values() if size >= 5) / sizes.total(),
        "learn_ms": 1000 * (learned - before) / len(pages),
        "assign_ms": 1000 * (assigned - learned) / len(pages),
    }


def quality(known: list[tuple[int, str]]) -> dict[str, float]:
    """Figures that compare (family, type) pairs."""
    types = Counter(kind for _, kind in known)
    commonest = types.most_common(1)[0][0]
    by_family: dict[int, Counter[str]] = {}
    for family, kind in known:
        by_family.setdefault(family, Counter())[kind] += 1
    told = entropy(types.values()) + entropy(Counter(family for family, _ in known).values())
    told -= entropy(Counter(known).values())
    both = entropy(types.values()) + entropy(inside.total() for inside in by_family.values())
    return {
        "commonest": types[commonest] / len(known),
        "purity": sum(max(inside.values()) for inside in by_family.values()) / len(known),
        "guess": sum(right_guesses(inside, commonest) for inside in by_family.values()) / len(known),
        "v": 2 * told / both if both else 1.0,
    }


def right_guesses(inside: Counter[str], commonest: str) -> float:
    """How many pages of a family are of the majority type of its other pages; ties count in part."""
    if inside.total() == 1:
        return float(commonest in inside)
    right = 0.0
    for kind, count in inside.items():
        others = inside - Counter([kind])
        top = [other for other, number in others.items() if number == max(others.values())]
        right += count * (kind in top) / len(top)
    return right


def entropy(counts: Iterable[int]) -> float:
    """Of a distribution given by counts."""
    values = list(counts)
    return -sum(value / sum(values) * math.log(value / sum(values)) for value in values)


def grow(count: int) -> dict[str, float]:
    """CPU time for a demo site of so many pages; each page is parsed outside of the clock and thrown away."""
    families = Families()
    added = 0.0
    for typed in demo_pages(count, "en"):
        before = time.process_time()
        families.add(typed.page)
        added += time.process_time() - before
    before = time.process_time()
    number = len(set(families.settle().values()))
    settled = time.process_time() - before
    row = {
        "pages": len(families),
        "families": number,
        "add_ms": 1000 * added / len(families),
        "settle_ms": 1000 * settled / len(families),
        "pages_per_second": len(families) / (added + settled),
        "state_bytes": len(families.save()) / len(families),
    }
    print("growth  " + "  ".join(f"{name} {value:.4g}" for name, value in row.items()), flush=True)
    return row


def show(name: str, row: dict[str, float]) -> None:
    """One line of the table."""
    whole = ("pages", "families", "single")
    print(
        " ".join([f"{name:18}", *(f"{row[c]:9.1f}" if c in whole else f"{row[c]:9.3f}" for c in COLUMNS)]), flush=True
    )


if __name__ == "__main__":
    main()
