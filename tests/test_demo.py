"""The demo site is what it says: the same each time, consistent with its own truth, and cheap at any size."""

from __future__ import annotations

import gzip
import http.client
import json
import re
import socket
import subprocess
import sys
import time
import tracemalloc
import urllib.error
import urllib.request
from contextlib import closing
from urllib.parse import urljoin, urlsplit

import lxml.html
import pytest

from webstruct.demo import DemoServer, DemoSite
from webstruct.demo.faults import EXAMPLES
from webstruct.demo.site import ORIGIN
from webstruct.errors import WebstructError

LANGUAGES = ("en", "zh")


@pytest.fixture(scope="module", params=LANGUAGES)
def site(request):
    return DemoSite(pages=120, language=request.param)


@pytest.fixture(scope="module")
def server():
    with DemoServer(DemoSite(pages=60)) as server:
        yield server


def document(page):
    """Parse a page with the encoding it really has."""
    body = page.body
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = body.decode("gbk")
    return lxml.html.document_fromstring(text)


def squeezed(text):
    return re.sub(r"\s+", "", text)


def internal_links(page, path):
    """The paths (with queries) on the same host that a page links to."""
    for href in document(page).xpath("//a/@href"):
        try:
            target = urlsplit(urljoin(ORIGIN + path, href.strip()))
        except ValueError:
            continue
        if target.scheme == "http" and target.netloc.lower() == urlsplit(ORIGIN).netloc:
            yield target.path + (f"?{target.query}" if target.query else "")


def ask(server, path, method="GET", **headers):
    """One request on a connection of its own, without following redirects: status, headers, body."""
    with closing(http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)) as connection:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, response.headers, response.read()


# The site


@pytest.mark.parametrize("language", LANGUAGES)
def test_same_arguments_give_the_same_bytes_and_another_seed_gives_others(language):
    first, second = DemoSite(60, language, seed=3), DemoSite(60, language, seed=3)
    assert list(first.paths()) == list(second.paths())
    assert all(first.page(path) == second.page(path) for path in reversed(list(first.paths())))
    assert DemoSite(60, language, seed=4).page("/").body != first.page("/").body


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("pages", [60, 100, 300, 5000])
def test_page_count_is_within_ten_per_cent(language, pages):
    paths = list(DemoSite(pages, language).paths())
    assert abs(len(paths) - pages) <= pages * 0.1
    assert len(set(paths)) == len(paths)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("pages", [60, 300])
def test_articles_are_the_bulk_and_no_list_is_short(language, pages):
    site = DemoSite(pages, language)
    types = [site.truth(path).type for path in site.paths()]
    assert types.count("article") >= len(types) / 2
    assert all(listing.count >= 4 for listing in site.plan.listings.values() if listing.path != "/tag/unwritten/")


def test_wrong_arguments_are_refused_by_name():
    with pytest.raises(WebstructError, match="'fr'"):
        DemoSite(language="fr")
    with pytest.raises(WebstructError, match="0 pages"):
        DemoSite(pages=0)


def test_every_good_page_is_its_own_canonical_page(site):
    for path in site.paths():
        page = site.page(path)
        assert (page.status, page.truth.canonical, page.truth.trap) == (200, path, None)


def test_every_internal_link_of_every_good_page_resolves(site):
    for path in site.paths():
        for link in internal_links(site.page(path), path):
            assert site.page(link) is not None, f"{link} on {path}"


@pytest.mark.parametrize("dirt", [True, False])
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_good_pages_are_reachable_from_home(language, dirt):
    site = DemoSite(120, language, dirt=dirt)
    seen, waiting = {"/"}, ["/"]
    while waiting:
        path = waiting.pop()
        for link in internal_links(site.page(path), path):
            page = site.page(link)
            if page.truth.trap is None and link not in seen and "html" in page.content_type:
                seen.add(link)
                waiting.append(link)
    assert seen == set(site.paths())


def test_list_truth_is_in_the_page_in_order_and_leads_to_articles(site):
    for path in site.paths():
        page = site.page(path)
        if page.truth.type != "toc":
            continue
        main = document(page).xpath("//*[contains(@class, 'col-main')]")[0]
        linked = dict.fromkeys(link for link in main.xpath(".//a/@href") if link in set(page.truth.toc_links))
        assert list(linked) == page.truth.toc_links
        assert all(site.truth(link).type == "article" for link in page.truth.toc_links)


def test_lists_show_the_newest_first_and_all_articles_of_their_section(site):
    section = site.skeleton()["children"][0]
    listing = site.plan.listings[section["url"]]
    paths = [path for page in range(1, listing.pages + 1) for path in _list_links(site, listing, page)]
    dates = [site.truth(path).date for path in paths]
    assert dates == sorted(dates, reverse=True)
    first_parts = [path for path in site.paths() if _is_first_part_in(site.truth(path), section["name"])]
    assert sorted(paths) == sorted(first_parts)


def _list_links(site, listing, page):
    return site.truth(site.plan.list_path(listing, page)).toc_links


def _is_first_part_in(truth, section):
    return truth.type == "article" and truth.section[0] == section and truth.parts[0] == truth.canonical


def test_article_truth_stands_in_the_page(site):
    for path in site.paths():
        page = site.page(path)
        truth = page.truth
        if truth.type != "article":
            continue
        text = squeezed(document(page).text_content())
        assert squeezed(truth.title) in text
        assert truth.author in document(page).text_content()
        for line in truth.text.splitlines():
            assert squeezed(line) in text, f"{line!r} on {path}"


def test_article_truth_leaves_out_what_is_around_the_body(site):
    labels = site.plan.language.labels
    for path in site.paths():
        truth = site.truth(path)
        if truth.type == "article":
            assert labels["newsletter_text"] not in truth.text
            assert labels["advertisement_text"] not in truth.text


def test_all_templates_and_kinds_of_blocks_occur(site):
    pages = [site.page(path) for path in site.paths()]
    assert {page.truth.template for page in pages if page.truth.type == "article"} == {
        "classic",
        "boxes",
        "modern",
    }
    html = b"".join(page.body for page in pages)
    for tag in (
        b"<blockquote>",
        b'<table class="figures">',
        b"<pre>",
        b"<figure>",
        b'class="ad"',
        b'class="comment"',
    ):
        assert tag in html
    structured = {page.truth.template for page in pages if b"application/ld+json" in page.body}
    assert structured == {"modern"}


def test_structured_data_is_json(site):
    path = next(path for path in site.paths() if site.truth(path).template == "modern" and site.truth(path).author)
    page = site.page(path)
    data = json.loads(document(page).xpath("string(//script[@type='application/ld+json'])"))
    assert data["headline"] == page.truth.title
    assert data["datePublished"].startswith(page.truth.date)


def test_headlines_and_bodies_differ_between_articles(site):
    truths = [site.truth(path) for path in site.paths()]
    articles = [truth for truth in truths if truth.type == "article" and truth.parts[0] == truth.canonical]
    assert len({truth.title for truth in articles}) > 0.95 * len(articles)
    assert len({truth.text for truth in articles}) == len(articles)


def test_an_article_on_several_pages_links_its_parts(site):
    truth = next(site.truth(path) for path in site.paths() if len(site.truth(path).parts) > 2)
    first, second, _ = truth.parts
    assert second in set(internal_links(site.page(first), first))
    assert site.truth(first).text != site.truth(second).text
    assert site.truth(first).title == site.truth(second).title


def test_skeleton_is_the_tree_of_sections(site):
    skeleton = site.skeleton("http://host")
    assert skeleton["url"] == "http://host/"
    for section in skeleton["children"]:
        for node in [section, *section["children"]]:
            truth = site.truth(node["url"].removeprefix("http://host"))
            assert (truth.type, truth.section[-1]) == ("toc", node["name"])


def test_site_map_lists_the_site_and_robots_names_it(site):
    assert b"Disallow: /private/" in site.page("/robots.txt").body
    parts = re.findall(rb"<loc>http://lantern.example(.*?)</loc>", site.page("/sitemap.xml").body)
    locations = [
        location.decode()
        for part in parts
        for location in re.findall(rb"<loc>http://lantern.example(.*?)</loc>", site.page(part.decode()).body)
    ]
    assert set(site.paths()) - set(locations) == {"/archive/", "/links.html", "/odd-links.html"}
    assert site.page("/feed.xml").body.count(b"<item>") == 20


def test_unknown_paths_are_not_found(site):
    for path in (
        "/nowhere",
        "/politics/page/999/",
        "/a/20260105/009999.shtml",
        "/sitemap-99.xml",
        "/index_0.shtml",
    ):
        assert site.page(path) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_any_page_of_a_huge_site_is_quick_and_memory_stays_constant(language):
    site = DemoSite(100_000, language)
    numbers = range(0, site.plan.articles, site.plan.articles // 60)
    latest = site.plan.listings["/latest/"]
    paths = [site._newsroom.card(number).path for number in numbers]
    paths += [site.plan.list_path(latest, page) for page in range(1, latest.pages, latest.pages // 30)]
    tracemalloc.start()
    try:
        for path in paths:
            site.page(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 * 2**20
    for path in paths:
        started = time.process_time()
        site.page(path)
        assert time.process_time() - started < 0.05, path


# Dirt


def test_gbk_pages_decode_as_what_they_are_and_not_as_what_they_say():
    site = DemoSite(60, "zh")
    declared = site.page(site._newsroom.card(8).path)
    assert b"charset=gb2312" in declared.body
    assert declared.truth.title in declared.body.decode("gbk")
    lying = site.page(site._newsroom.card(9).path)
    assert b'charset="utf-8"' in lying.body
    assert lying.truth.title in lying.body.decode("gbk")
    with pytest.raises(UnicodeDecodeError):
        lying.body.decode("utf-8")


def test_a_page_with_a_byte_order_mark_and_one_with_broken_markup_exist(site):
    assert site.page(site._newsroom.card(5).path).body.startswith(b"\xef\xbb\xbf")
    assert b"</div></span></p>" in site.page(site._newsroom.card(3).path).body


def test_twins_have_the_same_body_and_name_their_canonical_page(site):
    section = site.skeleton()["children"][0]["url"]
    article = site.truth(section).toc_links[0]
    twins = {
        section.rstrip("/"): section,
        f"{section}index.html": section,
        f"{article}?utm_source=x": article,
        f"{article};jsessionid=1F": article,
        "/index.html": "/",
    }
    for twin, canonical in twins.items():
        page = site.page(twin)
        assert (page.truth.canonical, page.truth.trap) == (canonical, "twin")
        assert page.body == site.page(canonical).body


def test_print_version_names_the_article_as_canonical(site):
    article = site.truth("/latest/").toc_links[0]
    page = site.page(f"{article}?print=1")
    assert document(page).xpath("//link[@rel='canonical']/@href") == [article]
    assert (page.truth.trap, page.truth.canonical) == ("print", article)


@pytest.mark.parametrize(
    ("path", "trap"),
    [
        ("/calendar/2026/03/", "calendar"),
        ("/facets/?sort=date&color=red&sort=date", "facets"),
        ("/loop/loop/loop/", "loop"),
        ("/visit/s-1f/", "session"),
        ("/archive/no-such-story.htm", "soft-404"),
        ("/private/report.html", "private"),
    ],
)
def test_traps_go_on_for_ever_and_say_what_they_are(site, path, trap):
    page = site.page(path)
    assert (page.status, page.truth.type, page.truth.trap) == (200, "other", trap)
    further = [link for link in internal_links(page, path) if site.truth(link).trap == trap and link != path]
    assert further or trap == "private"


def test_the_calendar_has_no_last_month(site):
    path = "/calendar/2026/12/"
    for _ in range(30):
        path = [link for link in internal_links(site.page(path), path) if link.startswith("/calendar/")][-1]
    assert path == "/calendar/2029/06/"


def test_the_hub_leads_to_all_dirt(site):
    traps = {site.truth(link).trap for link in internal_links(site.page("/archive/"), "/archive/")}
    kinds = {"calendar", "facets", "loop", "session", "soft-404", "private", "refresh", "print", "twin"}
    assert kinds <= traps


def test_a_clean_site_has_no_dirt():
    site = DemoSite(60, "zh", dirt=False)
    assert all(site.page(path) is None for path in ("/archive/", "/archive/x.htm", "/calendar/2026/03/", "/loop/"))
    for path in site.paths():
        page = site.page(path)
        page.body.decode("utf-8")
        assert all(site.truth(link).trap is None for link in internal_links(page, path))
    assert (site.page("/shizheng").status, site.page("/shizheng").headers) == (
        301,
        {"Location": "/shizheng/"},
    )


# The server


def test_the_server_serves_the_site_and_logs_each_request(server):
    before = len(server.requests)
    status, headers, body = ask(server, "/politics/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert body == server.site.page("/politics/", server.url).body
    assert ask(server, "/nowhere")[0] == 404
    assert ask(server, "/", "HEAD")[2] == b""
    assert server.requests[before:] == [
        ("GET", "/politics/", 200),
        ("GET", "/nowhere", 404),
        ("HEAD", "/", 200),
    ]


def test_conditional_requests_answer_304(server):
    _, headers, _ = ask(server, "/latest/")
    assert ask(server, "/latest/", If_None_Match=headers["ETag"])[::2] == (304, b"")
    assert ask(server, "/latest/", If_None_Match='"other"')[0] == 200
    assert ask(server, "/latest/", If_Modified_Since=headers["Last-Modified"])[0] == 304
    assert ask(server, "/latest/", If_Modified_Since="Mon, 01 Jan 2001 00:00:00 GMT")[0] == 200
    assert ask(server, "/latest/", If_Modified_Since="whenever")[0] == 200


def test_gzip_is_used_when_accepted(server):
    _, headers, body = ask(server, "/", Accept_Encoding="gzip")
    plain = ask(server, "/")
    assert headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(body) == plain[2]
    assert headers["ETag"] != plain[1]["ETag"]


def test_connections_are_kept_alive(server):
    with closing(http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)) as connection:
        ports = set()
        for path in ("/", "/latest/", "/nowhere"):
            connection.request("GET", path)
            connection.getresponse().read()
            ports.add(connection.sock.getsockname())
    assert len(ports) == 1


def test_the_server_closes_although_clients_stay_connected():
    with DemoServer(DemoSite(60)) as server:
        connection = socket.create_connection(("127.0.0.1", urlsplit(server.url).port))
        started = time.monotonic()
    assert time.monotonic() - started < 2
    connection.close()


def test_status_fails_so_many_times_and_then_recovers(server):
    path = "/_/status/503?retry-after=1&times=2"
    answers = [ask(server, path) for _ in range(3)]
    assert [status for status, _, _ in answers] == [503, 503, 200]
    assert answers[0][1]["Retry-After"] == "1"


def test_redirects_chain_loop_and_lead_astray(server):
    with urllib.request.urlopen(f"{server.url}/_/redirect/3") as response:
        assert response.url.endswith("/_/redirect/0")
    assert ask(server, "/_/redirect/loop")[1]["Location"] == "/_/redirect/loop"
    assert ask(server, "/_/redirect/file")[1]["Location"].startswith("file:")
    assert ask(server, "/_/redirect/empty")[1]["Location"] == ""
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{server.url}/_/redirect/loop")
    caught.value.close()


def test_truncated_bodies_are_short(server):
    with pytest.raises(http.client.IncompleteRead):
        ask(server, "/_/truncated")
    with pytest.raises(EOFError):
        gzip.decompress(ask(server, "/_/truncated?gzip=1")[2])


def test_the_bomb_is_small_until_it_goes_off(server):
    body = ask(server, "/_/bomb")[2]
    assert len(body) < 200_000
    assert len(gzip.decompress(body)) == 100 * 2**20


def test_slow_and_endless_bodies_end_with_the_client(server):
    started = time.monotonic()
    assert ask(server, "/_/slow?seconds=0.3")[0] == 200
    assert time.monotonic() - started >= 0.25
    with closing(http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=10)) as connection:
        connection.request("GET", "/_/endless")
        with connection.getresponse() as response:
            assert len(response.read(2**20)) == 2**20


def test_bodies_and_headers_lie_as_asked(server):
    assert ask(server, "/_/binary")[2].startswith(b"\x89PNG")
    assert ask(server, "/_/html-as/pdf")[1]["Content-Type"] == "application/pdf"
    assert ask(server, "/_/deep?depth=7")[2].count(b"<div>") == 7
    assert ask(server, "/_/attributes?count=9")[2].count(b"=1") == 9
    assert ask(server, "/_/links?count=11")[2].count(b"<a ") == 11
    assert ask(server, "/_/empty")[2] == b""
    assert ask(server, "/_/badcharset?name=rot13")[1]["Content-Type"] == "text/html; charset=rot13"
    assert b"javascript:alert" in ask(server, "/_/refresh?to=javascript:alert")[2]
    assert b'href="http://[::1"' in ask(server, "/_/base?href=http://[::1")[2]
    assert len(ask(server, "/_/cookies")[1].get_all("Set-Cookie")) == 50
    with pytest.raises(http.client.BadStatusLine):
        ask(server, "/_/badstatus")


def test_wrong_requests_for_faults_are_refused(server):
    for path in (
        "/_/status/abc",
        "/_/status/99",
        "/_/deep?depth=-1",
        "/_/links?count=99999999",
        "/_/redirect/x",
    ):
        assert ask(server, path)[0] == 400
    assert ask(server, "/_/nothing")[0] == 404
    assert "\n" not in ask(server, "/_/badcharset?name=a%0d%0aX:%20b")[1]["Content-Type"]


def test_the_index_of_faults_links_all_examples(server):
    links = lxml.html.document_fromstring(ask(server, "/_/")[2]).xpath("//a/@href")
    assert links == [f"/_/{path}" for path in EXAMPLES]


def test_the_module_runs_and_ends_quietly_on_interrupt():
    command = [sys.executable, "-m", "webstruct.demo", "--pages", "60", "--language", "zh", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        address = re.search(r"http://\S+", process.stdout.readline())[0]
        with urllib.request.urlopen(address) as response:
            assert "灯笼日报" in response.read().decode()
        process.send_signal(2)
        _, errors = process.communicate(timeout=10)
    assert (process.returncode, errors) == (0, "")
