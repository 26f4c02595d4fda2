"""The demo site from day to day: what appears, is corrected, vanishes and is redesigned, and what stays as it was."""

from __future__ import annotations

import hashlib
import itertools
import re
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import replace

import lxml.html
import pytest

from webstruct.demo import DemoServer, DemoSite
from webstruct.errors import WebstructError

DAYS = range(1, 9)
LANGUAGES = ("en", "zh")


@pytest.fixture(scope="module", params=LANGUAGES)
def founded(request):
    return DemoSite(pages=120, language=request.param)


@pytest.fixture(scope="module")
def server():
    with DemoServer(DemoSite(pages=60)) as running:
        yield running


def articles(site):
    """The truth about all articles of a day by the path of their first page."""
    truths = {path: site.truth(path) for path in site.paths()}
    return {path: truth for path, truth in truths.items() if truth.type == "article" and truth.parts[0] == path}


def document(page):
    """Parse a page with the encoding it really has."""
    try:
        return lxml.html.document_fromstring(page.body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return lxml.html.document_fromstring(page.body.decode("gbk"))


def ask(server, path, **headers):
    """One request: status and headers."""
    request = urllib.request.Request(
        server.url + path, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers


def test_changes_are_exactly_the_difference_between_two_days(founded):
    for day in DAYS:
        before, after, changes = articles(founded.on(day - 1)), articles(founded.on(day)), founded.changes(day)
        assert set(changes.new) == after.keys() - before.keys()
        assert set(changes.vanished) == before.keys() - after.keys()
        same = before.keys() & after.keys()
        assert set(changes.corrected) == {path for path in same if before[path].text != after[path].text}
        assert all(
            replace(before[path], text="", template="") == replace(after[path], text="", template="") for path in same
        ), "but for text and template nothing about an article changes"
        assert changes.new and changes.vanished and changes.announced and len(changes.corrected) == 2


def test_day_0_has_no_changes_and_any_day_can_tell_those_of_any_other(founded):
    none = founded.changes(0)
    assert (none.new, none.corrected, none.announced, none.vanished) == ([], [], [], [])
    assert founded.on(2).changes(5) == founded.changes(5)
    assert founded.on(2).on(0) is founded


def test_a_correction_changes_one_paragraph(founded):
    for day in DAYS:
        for path in founded.changes(day).corrected:
            old, new = (founded.on(when).truth(path).text.split("\n\n") for when in (day - 1, day))
            differing = [place for place, (left, right) in enumerate(zip(old, new, strict=True)) if left != right]
            assert len(differing) == 1
            assert (differing == [0]) == (path in founded.changes(day).announced)


def test_an_announced_correction_shows_in_lists_and_another_does_not(founded):
    for day in DAYS:
        changes = founded.changes(day)
        for path in changes.corrected:
            first_paragraph = founded.on(day).truth(path).text.split("\n\n")[0]
            assert first_paragraph in _list_with(founded.on(day), path)
            assert (first_paragraph in _list_with(founded.on(day - 1), path)) == (path not in changes.announced)


def _list_with(site, path):
    """The text of the first list page that leads to an article."""
    toc = next(toc for toc in site.plan.list_paths() if path in site.truth(toc).toc_links)
    return document(site.page(toc)).text_content()


def test_new_articles_come_first_and_push_others_off_the_home_page_and_along_the_pages(founded):
    for day in DAYS:
        before, after = founded.on(day - 1), founded.on(day)
        new = founded.changes(day).new
        assert after.truth("/latest/").toc_links[: len(new)] == new[::-1]
        assert after.truth("/").toc_links[: len(new)] == new[::-1]
        pushed = set(before.truth("/").toc_links) - set(after.truth("/").toc_links)
        assert pushed - set(founded.changes(day).vanished)
        second = after.plan.list_path(after.plan.listings["/latest/"], 2)
        assert set(after.truth(second).toc_links) & set(before.truth("/latest/").toc_links)


def test_what_vanished_is_in_no_list_and_answers_404_or_410_for_ever(founded):
    statuses = set()
    for day in DAYS:
        for path in founded.changes(day).vanished:
            for part in founded.truth(path).parts if founded.truth(path) else [path]:
                page = founded.on(DAYS[-1]).page(part)
                assert (page.truth.trap, page.truth.text) == ("gone", "")
                statuses.add(page.status)
            assert not any(path in founded.on(day).truth(toc).toc_links for toc in founded.on(day).plan.list_paths())
    assert statuses == {404, 410}


def test_every_day_all_lists_together_lead_to_all_articles(founded):
    for day in DAYS:
        site = founded.on(day)
        latest = site.plan.listings["/latest/"]
        links = [
            link
            for page in range(1, latest.pages + 1)
            for link in site.truth(site.plan.list_path(latest, page)).toc_links
        ]
        assert sorted(links) == sorted(articles(site))
        locations = re.findall(rb"<loc>http://lantern.example(.*?)</loc>", site.page("/sitemap-1.xml").body)
        assert {location.decode() for location in locations} >= articles(site).keys()
        assert not {location.decode() for location in locations} & set(site.changes(day).vanished)


def test_most_pages_are_the_same_from_day_to_day(founded):
    """Before the redesign only lists with news, author lists, corrected articles and the neighbour of news change."""
    for day in range(1, 6):
        before, after, changes = founded.on(day - 1), founded.on(day), founded.changes(day)
        for path in set(before.paths()) & set(after.paths()):
            old, new = before.page(path), after.page(path)
            if old.body == new.body:
                assert (old.truth, old.modified) == (new.truth, new.modified)
                continue
            assert old.modified < new.modified
            if new.truth.type == "article":
                neighbour = before.truth("/latest/").toc_links[0]
                assert path in changes.corrected or neighbour in new.truth.parts
            elif new.truth.type == "toc":
                listing = after.plan.listing(path)
                lists_news = set(changes.new + changes.announced + changes.vanished) & {
                    number for toc in _all_pages(after, before, path) for number in toc
                }
                assert lists_news or listing[0].kind == "author"
            else:
                pytest.fail(f"{path} changed")


def _all_pages(after, before, path):
    """The links of all pages of the list that a page is of, on both days."""
    for site in (after, before):
        listed = site.plan.listing(path)
        paths = [site.plan.list_path(listed[0], page + 1) for page in range(listed[0].pages)] if listed else [path]
        yield from (site.truth(toc).toc_links for toc in paths)


def test_author_lists_change_every_day_although_nothing_new_is_in_them(founded):
    same_links = 0
    for author in (path for path, listing in founded.plan.listings.items() if listing.kind == "author"):
        pages = [founded.on(day).page(author) for day in range(6)]
        assert len({page.body for page in pages}) == len(pages)
        same_links += sum(old.truth.toc_links == new.truth.toc_links for old, new in itertools.pairwise(pages))
    assert same_links


def test_the_redesign_changes_every_template_but_that_of_the_old_archive_and_no_text(founded):
    before, after = founded.on(5), founded.on(6)
    assert {truth.template for truth in articles(before).values()} == {"classic", "boxes", "modern"}
    assert {truth.template for truth in articles(after).values()} == {"classic", "fresh"}
    for path in set(before.paths()) & set(after.paths()):
        old, new = before.page(path), after.page(path)
        archived = new.truth.template == "classic"
        assert (old.body == new.body) == archived, path
        if not archived:
            assert not _skeleton(old) & _skeleton(new), "not one path of tags and classes down to a text survives"


def _skeleton(page):
    """The paths of tags and classes to everything that carries text of the page's own."""
    return {
        tuple((step.tag, step.get("class", "")) for step in (*reversed(list(element.iterancestors())), element))
        for element in document(page).body.iter("p", "h1", "h2", "h3", "h4", "div", "span")
        if element.text and element.text.strip()
    }


def test_article_truth_stands_in_the_redesigned_page(founded):
    site = founded.on(6)
    for path, truth in articles(site).items():
        text = "".join(document(site.page(path)).text_content().split())
        assert all("".join(line.split()) in text for line in [truth.title, *truth.text.splitlines()]), path


def test_the_same_arguments_give_the_same_day_and_another_seed_other_events():
    first, second = DemoSite(60, "zh", day=4), DemoSite(60, "zh").on(4)
    assert all(first.page(path) == second.page(path) for path in first.paths())
    assert first.changes(4) != DemoSite(60, "zh", seed=8).changes(4)


def test_a_huge_site_has_days_too_and_they_are_quick():
    site = DemoSite(100_000, day=6)
    changes = site.changes(6)
    assert len(changes.new) == 250
    assert site.truth("/latest/").toc_links == changes.new[::-1][:20]
    assert site.truth(changes.vanished[0]).trap == "gone"


def test_a_day_before_the_first_is_refused():
    with pytest.raises(WebstructError, match="day -1 of a demo site; the first is day 0"):
        DemoSite(day=-1)
    with pytest.raises(WebstructError, match="day -2"):
        DemoSite().changes(-2)


# The server


def test_a_running_server_goes_to_another_day_and_unchanged_pages_stay_304(server):
    server.day = 0
    site = server.site
    seen = {path: ask(server, path)[1] for path in site.paths()}
    for day in (1, 5):
        server.day = day
        for path, headers in seen.items():
            same = (page := server.site.page(path, server.url)) and page.body == site.page(path, server.url).body
            gone = page is None or page.status != 200
            expected = (page.status if page else 404) if gone else 304 if same else 200
            assert ask(server, path, If_None_Match=headers["ETag"])[0] == expected, path
            assert ask(server, path, If_Modified_Since=headers["Last-Modified"])[0] == expected, path


def test_going_back_to_an_earlier_day_gives_its_pages_again(server):
    server.day = 0
    before = hashlib.sha256(server.site.page("/", server.url).body).hexdigest()
    server.day = 3
    assert ask(server, "/")[1]["ETag"] != f'"{before[:20]}"'
    server.day = 0
    assert ask(server, "/")[1]["ETag"] == f'"{before[:20]}"'


def test_the_command_serves_a_day():
    words = [sys.executable, "-m", "webstruct.demo", "--port", "0", "--day", "6"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())[0]
            with urllib.request.urlopen(url, timeout=10) as response:
                assert b'class="fresh home"' in response.read()
        finally:
            process.terminate()
