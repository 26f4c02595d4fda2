"""Articles on several pages: joined if all evidence agrees, never because one article links to the next."""

from __future__ import annotations

import numpy as np
import pytest

from webstruct.demo import DemoSite
from webstruct.page import Page
from webstruct.parts import page_number
from webstruct.site import learn
from webstruct.store import PageRow

ORIGIN = "http://site.example"


def prose(seed):
    return " ".join(f"w{seed}x{k} v{(seed * 7 + k) % 90}y" for k in range(60))


def article(seed, title, links="", head=""):
    return (
        f"<head><title>{title} | The Paper</title>{head}</head><body><ul class=nav><li><a href=/>Home</a></ul>"
        f"<div class=post><h1>{title}</h1><p>{prose(seed)}</p><p>{prose(seed + 500)}</p></div>"
        f"<div class=pager>{links}</div></body>"
    )


def model_of(pages, listed):
    """A newspaper of ten plain articles and these pages; the home page lists the plain ones and `listed`."""
    plain = {f"/plain-{name}.html": article(k, f"Plain story {name}") for k, name in enumerate("abcdefghij")}
    entries = "".join(f"<li><a href={path}>Story of {path.strip('/')}</a>" for path in (*plain, *listed))
    home = f"<title>The Paper</title><ul class=nav><li><a href=/>Home</a></ul><ul class=list>{entries}</ul>"
    bodies = {"/": home, **plain, **pages}
    return learn(Page.parse(body, ORIGIN + path) for path, body in bodies.items()), list(bodies)


def chains(pages, listed):
    model, paths = model_of(pages, listed)
    assert all(chain[0] == first for first, chain in model.parts.items())
    return sorted([paths[number] for number in chain] for chain in model.parts.values())


@pytest.mark.parametrize(
    "paths",
    [
        ("/flood.html", "/flood_2.html", "/flood_3.html"),
        ("/flood.html", "/flood-p2.html", "/flood-p3.html"),
        ("/flood/", "/flood/2/", "/flood/3/"),
        ("/flood/", "/flood/page/2", "/flood/page/3"),
        ("/flood?id=7", "/flood?id=7&page=1", "/flood?id=7&page=2"),
        ("/flood?page=1&id=7", "/flood?page=2&id=7", "/flood?page=10&id=7"),
    ],
)
def test_page_numbers_in_addresses(paths):
    links = "".join(f"<a href='{path}'>{k + 1}</a> " for k, path in enumerate(paths))
    pages = {path: article(100 + k, "Flood", links) for k, path in enumerate(reversed(paths))}
    assert chains(pages, paths[:1]) == [list(paths)]


def test_page_number_in_the_title_and_a_link_to_the_next_only():
    pages = {
        "/a_1.html": article(101, "Flood", "<a href=/a_2.html>More</a>"),
        "/a_2.html": article(102, "Flood (2)", "<a href=/a_3.html>More</a>"),
        "/a_3.html": article(103, "Flood - Page 3 of 3"),
    }
    assert chains(pages, ["/a_1.html"]) == [list(pages)]


def test_rel_next_joins_pages_of_the_same_title():
    pages = {
        "/flood.html": article(101, "Flood", "<a rel=next href=/flood-continued.html>Next page</a>"),
        "/flood-continued.html": article(102, "Flood", "<a rel=next href=/flood-end.html>Next page</a>"),
        "/flood-end.html": article(103, "Flood", "<a rel=prev href=/flood.html>Back</a>"),
    }
    assert chains(pages, ["/flood.html"]) == [list(pages)]


def previous_and_next(paths, titles, seed=100):
    """Pages that each link to the one before and the one after, by `rel` too."""
    pages = {}
    for k, (path, title) in enumerate(zip(paths, titles, strict=True)):
        before, after = paths[k - 1], paths[(k + 1) % len(paths)]
        links = f"<a rel=prev href={before}>Previous</a> <a rel=next href={after}>Next</a>"
        pages[path] = article(seed + k, title, links)
    return pages


def test_neighbours_with_titles_of_their_own_stay_apart():
    paths = [f"/story_{k}.html" for k in (1, 2, 3)]
    assert chains(previous_and_next(paths, ["Flood", "Fire", "Frost"]), paths[:1]) == []
    assert chains(previous_and_next(paths, ["Course, part 1", "Course, part 2", "Course, part 3"]), paths[:1]) == []


def test_numbered_articles_of_the_same_title_stay_apart_if_they_are_listed():
    paths = [f"/weekly_{k}.html" for k in (1, 2, 3)]
    assert chains(previous_and_next(paths, ["The week"] * 3), paths) == []


def test_title_of_all_pages_tells_nothing():
    paths = [f"/story_{k}.html" for k in range(1, 131)]
    assert chains(previous_and_next(paths, ["News"] * 130), paths[:1]) == []


def test_pages_that_no_other_part_links_to_stay_apart():
    pages = {path: article(100 + k, "Flood") for k, path in enumerate(("/flood.html", "/flood_2.html"))}
    assert chains(pages, ["/flood.html"]) == []


def test_parts_without_their_first_page_stay_apart():
    links = "<a href=/flood_2.html>2</a> <a href=/flood_3.html>3</a>"
    pages = {f"/flood_{k}.html": article(100 + k, "Flood", links) for k in (2, 3)}
    assert chains(pages, []) == []


@pytest.mark.parametrize(
    ("url", "stem", "number"),
    [
        ("http://e.com/2018/03/15/flood", "http://e.com/2018/03/15/flood", 0),
        ("http://e.com/flood-2018", "http://e.com/flood-2018", 0),
        ("http://e.com/a.php?p=2", "http://e.com/a.php", 2),
        ("http://e.com/flood_page-2.htm?x=1", "http://e.com/flood.htm?x=1", 2),
    ],
)
def test_page_number(url, stem, number):
    assert page_number(url) == (stem, number)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_parts_of_the_demo_are_found_and_joined(language):
    demo = DemoSite(pages=300, language=language, dirt=False)
    paths = [path for path in demo.paths() if demo.page(path).content_type.startswith("text/html")]
    model = learn(Page.parse(demo.page(path).body, ORIGIN + path) for path in paths)
    truths = [demo.truth(path) for path in paths]
    wanted = {truth.parts[0]: truth.parts for truth in truths if len(truth.parts) > 1}
    assert {paths[first]: [paths[part] for part in chain] for first, chain in model.parts.items()} == wanted
    recall = []
    for first, chain in model.parts.items():
        article, page = model.items(first, model.site.pages[first], rows(paths))
        assert (article.title, article.url, page.part_of) == (truths[first].title, ORIGIN + paths[first], None)
        lines = [line for part in chain for line in truths[part].text.splitlines() if line]
        found = article.text.splitlines()
        recall.append(np.mean([line in found for line in lines]))
        places = [found.index(line) for line in lines if found.count(line) == 1 and lines.count(line) == 1]
        assert places == sorted(places)
    assert np.mean(recall) > 0.95


def rows(paths):
    return [PageRow(**dict.fromkeys(PageRow._fields) | {"url": ORIGIN + path, "depth": 1}) for path in paths]
