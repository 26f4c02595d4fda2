"""Section trees of real sites: SEW as published, its parameters left-one-out, beside the default form.

    python benchmarks/skeleton.py --corpora DIR [--evaluate DIR] [--gold-types] [--vary] [--train FILE] [--json FILE]

A corpora folder holds one folder a site with its pages and `rules.json`; the evaluate folder (CORPORA/../evaluate if not
given) holds `corpus.py`, which reads them. `parents` is the share of the sections found whose parent is the true one, down
to each depth. `--train` writes the numbers that the package comes with, from all sites. `--vary` moves every number of
the default form by a quarter up and down.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import statistics
import sys
from dataclasses import dataclass, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from webstruct.entropy import TermEntropy
from webstruct.families import Families
from webstruct.navigation import NavigationLink, SewParameters, features, navigation, train
from webstruct.page import Page
from webstruct.page_types import decide
from webstruct.sitepages import SitePages
from webstruct.skeleton import Node, SkeletonParameters, published_skeleton, skeleton

DEPTHS = (1, 2, 3)
# Table 2, 4 and 5 of the paper: leave-one-out, five newspapers of 2003.
PAPER = {
    "p_oa": (1.0, 0.663, 0.446), "r_oa": (1.0, 0.908, 0.879), "f_oa": (1.0, 0.752, 0.566),
    "p_cg": (1.0, 0.994, 0.981), "r_cg": (1.0, 0.981, 0.974), "p_ns": (1.0, 0.941, 0.924),
}  # fmt: skip


@dataclass(frozen=True)
class Site:
    """A site with its true skeleton: pages by level, and the children of each page."""

    name: str
    site: SitePages
    types: list[str]
    levels: list[set[int]]
    children: dict[int, list[int]]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--evaluate", type=Path)
    parser.add_argument("--gold-types", action="store_true", help="page types from the rules, not as decided")
    parser.add_argument("--vary", action="store_true")
    parser.add_argument("--train", type=Path)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    sys.path.insert(0, str(args.evaluate or args.corpora.parent / "evaluate"))
    corpus_module: Any = importlib.import_module("corpus")
    sites = [read(corpus, gold_types=args.gold_types) for corpus in corpus_module.corpora(args.corpora)]
    known = {site.name: known_sets(site) for site in sites}
    if args.train:
        args.train.write_text(source(train([*chain(*known.values())]), len(sites)))
    result = report(sites, known)
    if args.vary:
        result["vary"] = vary(sites)
    if args.json:
        args.json.write_text(json.dumps(result, indent=1))


def source(trained: SewParameters, sites: int) -> str:
    """The module of trained numbers."""
    return (
        f'"""Numbers of SEW as published, trained on {sites} sites by benchmarks/skeleton.py --train."""\n\n'
        f"MEAN = {shortened(trained.mean)}\n"
        f"DEVIATION = {shortened(trained.deviation)}\n"
        f"CONFIDENCE_MEAN = {trained.confidence_mean:.6g}\n"
        f"CONFIDENCE_DEVIATION = {trained.confidence_deviation:.6g}\n"
        f"THRESHOLD = {trained.threshold:.6g}\n"
    )


def shortened(values: tuple[float, ...]) -> tuple[float, ...]:
    """Six digits are enough."""
    return tuple(float(f"{value:.6g}") for value in values)


def read(corpus: Any, *, gold_types: bool) -> Site:
    """Parse a site, the start page first, and find its page types."""
    start = corpus.canonical(corpus.entry)
    paths = sorted(corpus.reachable, key=lambda path: (path != start, corpus.reachable[path], path))
    number_of = {path: number for number, path in enumerate(paths)}
    origin = "http://site"
    families, entropy = Families(), TermEntropy()
    pages, targets = [], []
    for path in paths:
        page = Page.parse(corpus.read(path), origin + re.sub(r"/index\.html?$", "/", path))
        families.add(page)
        entropy.update(*page.term_counts())
        inside = (corpus.canonical(url) if f"{url}/".startswith(f"{origin}/") else None for url in page.link_urls)
        targets.append(np.array([number_of.get(target, -1) if target else -1 for target in inside], dtype=np.int32))
        pages.append(page)
    family_of = families.settle()
    family = np.array([family_of.get(page.url, -1) for page in pages], dtype=np.int32)
    site = SitePages(pages, targets, entropy, family)
    types = [corpus.type_of(path) for path in paths] if gold_types else list(decide(site).type)
    levels = [{number_of[path] for path in level if path in number_of} for level in corpus.skeleton_levels()]
    children: dict[int, list[int]] = {}
    waiting = [corpus.rules["skeleton"]]
    while waiting:
        node = waiting.pop()
        below = node.get("children", [])
        found = [number_of[path] for child in below if (path := corpus.canonical(child["url"])) in number_of]
        own = number_of.get(corpus.canonical(node["url"]), -1)
        if found and own >= 0:
            children[own] = found
        waiting.extend(below)
    return Site(corpus.id, site, types, levels, children)


def known_sets(site: Site) -> list[tuple[float, ...]]:
    """Features of the true navigation link sets: on each page with children, the first link to each of them."""
    values = []
    for number, children in site.children.items():
        page, targets = site.site.pages[number], site.site.targets[number].tolist()
        places = [targets.index(child) for child in children if child in targets]
        if len(places) > 1:
            nodes = page.link_node[places].tolist()
            links = [
                NavigationLink(place, page.link_urls[place], page.link_text(node))
                for place, node in zip(places, nodes, strict=True)
            ]
            values.append(features(page, links))
    return values


def report(sites: list[Site], known: dict[str, list[tuple[float, ...]]]) -> dict[str, Any]:
    """All measures of both forms, a row a site and their mean."""
    rows: dict[str, dict[str, Any]] = {}
    print(f"{'f_oa at depth 1 2 3':20}  {'published':>20}  {'default':>20}")
    for site in sites:
        trained = train([*chain(*(values for name, values in known.items() if name != site.name))])
        published = overall(published_skeleton(site.site, parameters=trained), site)
        default = overall(skeleton(site.site, site.types), site)
        rows[site.name] = {"published": published | steps(site, trained), "default": default}
        print(f"{site.name:20}  {numbers(published['f_oa']):>20}  {numbers(default['f_oa']):>20}")
    mean = {
        form: {
            measure: [statistics.mean(row[form][measure][depth] for row in rows.values()) for depth in range(3)]
            for measure in next(iter(rows.values()))[form]
        }
        for form in ("published", "default")
    }
    print(f"\n{'mean, depth 1 2 3':20}  {'paper':>20}  {'published':>20}  {'default':>20}")
    for measure, published in mean["published"].items():
        paper, default = PAPER.get(measure, ()), mean["default"].get(measure, ())
        print(f"{measure:20}  {numbers(paper):>20}  {numbers(published):>20}  {numbers(default):>20}")
    return {"sites": rows, "mean": mean}


def numbers(values: Any) -> str:
    """Three figures in a row."""
    return " ".join(f"{value:.3f}" for value in values)


def overall(root: Node, site: Site) -> dict[str, list[float]]:
    """p_oa, r_oa, f_oa: pages found within each depth (§4.2); and whether they stand below the right ones."""
    found: list[set[int]] = [set() for _ in range(max(DEPTHS) + 1)]
    for way in root.walk():
        if len(way) <= len(found):
            found[len(way) - 1].add(way[-1].page)
    result: dict[str, list[float]] = {"p_oa": [], "r_oa": [], "f_oa": [], "parents": []}
    true_edges = {(parent, child) for parent, children in site.children.items() for child in children}
    for depth in DEPTHS:
        ours, true = set().union(*found[1 : depth + 1]), set().union(*site.levels[1 : depth + 1])
        hits = len(ours & true)
        precision = hits / len(ours) if ours else float(not true)
        recall = hits / len(true) if true else 1.0
        result["p_oa"].append(precision)
        result["r_oa"].append(recall)
        result["f_oa"].append(2 * precision * recall / (precision + recall) if hits else 0.0)
        edges = {
            (way[-2].page, way[-1].page) for way in root.walk() if 1 < len(way) <= depth + 1 and way[-1].page in true
        }
        result["parents"].append(len(edges & true_edges) / len(edges) if edges else 1.0)
    return result


def steps(site: Site, trained: SewParameters) -> dict[str, list[float]]:
    """p_cg, r_cg, p_ns over the true navigation pages above each depth, with the sets of true pages before as used."""
    result: dict[str, list[float]] = {"p_cg": [], "r_cg": [], "p_ns": []}
    for depth in DEPTHS:
        precision, recall, picked = [], [], []
        used: set[frozenset[str]] = set()
        for number in sorted(set().union(*site.levels[:depth]) & site.children.keys()):
            page, targets = site.site.pages[number], site.site.targets[number]
            true = set(site.children[number]) & set(targets.tolist())
            if not true:
                continue
            found = navigation(page, used, trained)
            used.add(frozenset(link.url for link in found.links))
            sets = [{int(targets[link.place]) for link in one.links} for one in found.candidates if not one.dropped]
            best = max(sets, key=lambda one: len(one & true), default=set())
            hits = len(best & true)
            precision.append(hits / len(best) if best else 0.0)
            recall.append(hits / len(true))
            if hits:
                chosen = {int(targets[link.place]) for link in found.links}
                picked.append(float(len(chosen & true) == hits))
        for measure, values in (("p_cg", precision), ("r_cg", recall), ("p_ns", picked)):
            result[measure].append(statistics.mean(values) if values else 0.0)
    return result


def vary(sites: list[Site]) -> dict[str, list[float]]:
    """Mean f_oa of the default form with one number a quarter smaller or larger."""
    result = {}
    print(f"\n{'f_oa, varied by 25 %':24}")
    for parameter in fields(SkeletonParameters):
        for factor in (0.75, 1.25):
            usual = SkeletonParameters()
            value = getattr(usual, parameter.name)
            varied = round(value * factor) if isinstance(value, int) else min(1.0, value * factor)
            parameters = replace(usual, **{parameter.name: varied})
            scores = [overall(skeleton(one.site, one.types, parameters=parameters), one)["f_oa"] for one in sites]
            mean = [statistics.mean(score[depth] for score in scores) for depth in range(3)]
            result[f"{parameter.name} {varied}"] = mean
            print(f"{parameter.name + ' ' + str(varied):24}  {numbers(mean)}")
    return result


if __name__ == "__main__":
    main()
