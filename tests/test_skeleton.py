"""Section trees: menus of all kinds, the published form's steps, and the demo site's truth."""

from __future__ import annotations

import json
import time
from urllib.parse import urljoin

import numpy as np
import pytest

from webstruct.breadcrumbs import Breadcrumbs, find_trail
from webstruct.demo import DemoSite
from webstruct.entropy import TermEntropy
from webstruct.navigation import SewParameters, features, navigation, navigation_links, train, trained_parameters
from webstruct.page import Page
from webstruct.sections import sections
from webstruct.sitepages import SitePages
from webstruct.skeleton import SkeletonParameters, explained_skeleton, published_skeleton, skeleton

ORIGIN = "http://example.com"


def site_of(bodies, origin=ORIGIN):
    """A site from path → body; the first path is the home page."""
    number = {origin + path: place for place, path in enumerate(bodies)}
    pages = [Page.parse(body, origin + path) for path, body in bodies.items()]
    targets = [np.array([number.get(url, -1) for url in page.link_urls], dtype=np.int32) for page in pages]
    return SitePages(pages, targets, TermEntropy(), np.zeros(len(pages), dtype=np.int32))


def lists(paths, names=None):
    """An unordered list of links."""
    names = names or [path.strip("/").title() for path in paths]
    return "<ul>" + "".join(f'<li><a href="{p}">{n}</a></li>' for p, n in zip(paths, names, strict=True)) + "</ul>"


def newspaper(menu, sections_=("/news/", "/sport/", "/arts/"), extra=None, articles=4):
    """A site whose pages all carry `menu`: sections that list articles, and a page for every path of `extra`."""
    menu_of = menu if callable(menu) else lambda path: menu
    bodies = {"/": menu_of("/") + "<p>Welcome"}
    stories = {section: [f"{section}story{n}/" for n in range(articles)] for section in sections_}
    for section, own in stories.items():
        bodies[section] = menu_of(section) + "<div>" + lists(own, [f"Long headline about {p}" for p in own]) + "</div>"
    bodies |= extra or {}
    for section, own in stories.items():
        for path in own:
            bodies[path] = menu_of(section) + f"<h1>{path}</h1><p>A long text about {path}."
    types = ["toc" if p in stories else "article" if "story" in p else "other" for p in bodies]
    return site_of(bodies), types


def shape(node):
    """Paths with the paths below them."""
    return {child.url.removeprefix(ORIGIN): shape(child) for child in node.children}


NAMES = ("news", "sport", "arts")
MENUS = {
    "list": lists(["/", "/news/", "/sport/", "/arts/"]),
    "plain links": '<div><a href="/news/">News</a> | <a href="/sport/">Sport</a> | <a href="/arts/">Arts</a></div>',
    "table row": "<table><tr>" + "".join(f'<td><a href="/{n}/">{n}</a></td>' for n in NAMES) + "</table>",
    "table column": "<table>" + "".join(f'<tr><td><a href="/{n}/">{n}</a>' for n in NAMES) + "</table>",
    "images": "".join(f'<a href="/{n}/"><img src="{n}.png" alt="{n}"></a>' for n in NAMES),
    "alike boxes": "<nav>" + "".join(f'<div class="i"><a href="/{n}/">{n}</a></div>' for n in NAMES) + "</nav>",
}  # fmt: skip


@pytest.mark.parametrize("kind", MENUS)
def test_a_menu_is_found_however_it_is_made(kind):
    site, types = newspaper(MENUS[kind])
    tree = skeleton(site, types)
    assert shape(tree) == {"/news/": {}, "/sport/": {}, "/arts/": {}}
    assert [child.name.lower() for child in tree.children] == ["news", "sport", "arts"]


def test_a_drop_down_gives_the_second_level_without_a_page_of_its_own():
    menu = (
        f'<ul><li><a href="/news/">News</a>{lists(["/news/world/", "/news/home/"])}</li>'
        f'<li><a href="/sport/">Sport</a><ul><li><a href="/sport/chess/">Chess</a></li></ul></li></ul>'
    )
    site, types = newspaper(menu, ("/news/", "/sport/", "/news/world/", "/news/home/", "/sport/chess/"))
    assert shape(skeleton(site, types)) == {
        "/news/": {"/news/world/": {}, "/news/home/": {}},
        "/sport/": {"/sport/chess/": {}},
    }


def test_entries_of_a_drop_down_without_a_page_hang_under_home():
    menu = f'<ul><li><a href="/news/">News</a></li><li><span>More</span>{lists(["/sport/", "/arts/"])}</li></ul>'
    site, types = newspaper(menu)
    assert list(shape(skeleton(site, types))) == ["/news/", "/sport/", "/arts/"]


def test_the_overview_entry_of_a_sub_menu_is_the_parent_of_the_rest():
    inside = ["/news/", "/news/a/", "/news/b/", "/news/c/"]
    site, types = newspaper(
        f'<ul><li><b>All</b>{lists(inside)}</li><li><a href="/arts/">Arts</a></ul>', (*inside, "/arts/")
    )
    assert shape(skeleton(site, types)) == {"/news/": {"/news/a/": {}, "/news/b/": {}, "/news/c/": {}}, "/arts/": {}}


def test_a_mega_menu_with_columns():
    topics = [f"/topic{letter}/" for letter in "abcdefghijkl"]
    columns = "".join(f'<div class="column {n}">{lists(topics[n::3])}</div>' for n in range(3))
    menu = f'<ul><li><a href="/news/">News</a><div>{columns}</div></li><li><a href="/arts/">Arts</a></li></ul>'
    site, types = newspaper(menu, ("/news/", "/arts/", *topics), articles=1)
    tree = skeleton(site, types)
    assert list(shape(tree)) == ["/news/", "/arts/"]
    assert set(shape(tree)["/news/"]) == set(topics)


def test_foot_lines_and_headlines_are_no_sections():
    foot = "<footer>" + lists(["/about/", "/contact/"]) + "</footer>"
    latest = "<aside>" + lists(["/news/story0/", "/news/story1/", "/arts/story2/"]) + "</aside>"
    extra = {"/about/": foot + "<p>About us", "/contact/": foot + "<p>Write"}
    site, types = newspaper(MENUS["list"] + latest + foot, extra=extra)
    assert list(shape(skeleton(site, types))) == ["/news/", "/sport/", "/arts/"]


def test_tags_of_an_article_and_pages_that_carry_on_are_no_sub_sections():
    menu = MENUS["list"]
    cards = "".join(
        f'<li><h2><a href="/news/story{n}/">Headline</a></h2><p><a href="/tag/x/">X</a><a href="/tag/y/">Y</a></p></li>'
        for n in range(4)
    )
    paging = '<p><a href="/news/page/2/">2</a> <a href="/news/page/3/">3</a></p>'
    site, types = newspaper(
        menu, ("/news/", "/sport/", "/arts/", "/tag/x/", "/tag/y/", "/news/page/2/", "/news/page/3/")
    )
    news = Page.parse(f"{menu}<ol>{cards}</ol>{paging}", ORIGIN + "/news/")
    number = {page.url: place for place, page in enumerate(site.pages)}
    site.pages[1] = news
    site.targets[1] = np.array([number[url] for url in news.link_urls], dtype=np.int32)
    assert shape(skeleton(site, types)) == {"/news/": {}, "/sport/": {}, "/arts/": {}}


def test_a_menu_that_differs_by_section_belongs_to_the_section():
    def menu(path):
        local = {"/news/": ["/world/", "/home/"], "/arts/": ["/film/", "/music/"]}
        section = next((s for s, own in local.items() if path == s or path in own), None)
        return MENUS["list"] + (f"<aside>{lists(local[section])}</aside>" if section else "")

    site, types = newspaper(menu, ("/news/", "/sport/", "/arts/", "/world/", "/home/", "/film/", "/music/"))
    tree = skeleton(site, types)
    assert shape(tree) == {
        "/news/": {"/world/": {}, "/home/": {}},
        "/sport/": {},
        "/arts/": {"/film/": {}, "/music/": {}},
    }


def test_a_menu_of_plain_pages_is_known_by_its_way_home():
    menu = lists(["/", "/about/", "/contact/"])
    side = "<aside>" + lists(["/news/", "/sport/", "/arts/"]) + "</aside>"
    extra = {"/about/": menu + side, "/contact/": menu + side}
    site, types = newspaper(f"<header>{menu}</header>{side}", extra=extra)
    assert list(shape(skeleton(site, types))) == ["/about/", "/contact/", "/news/", "/sport/", "/arts/"]


def test_a_second_list_with_a_way_home_is_a_menu_too_but_a_foot_line_is_not():
    bar = "<div>" + lists(["/mayor/", "/arts/"]) + "</div>"
    menu = "<nav>" + lists(["/", "/news/", "/sport/", "/programs/"]) + "</nav>"
    foot = "<footer>" + lists(["/", "/contact/", "/imprint/"]) + "</footer>"
    repeated = "<footer>" + lists(["/", "/news/", "/sport/", "/programs/", "/privacy/"]) + "</footer>"
    plain = dict.fromkeys(("/programs/", "/contact/", "/imprint/", "/privacy/"), bar + menu + foot + repeated)
    site, types = newspaper(bar + menu + foot + repeated, ("/mayor/", "/arts/", "/news/", "/sport/"), extra=plain)
    assert list(shape(skeleton(site, types))) == ["/mayor/", "/arts/", "/news/", "/sport/", "/programs/"]


def test_a_home_page_without_a_menu_is_read_for_its_lists():
    issues = [f"/issue{n}/" for n in range(1, 6)]
    bodies = {"/": lists(issues, [f"Issue {n}" for n in range(1, 6)])} | dict.fromkeys(issues, "<p>Text")
    assert list(shape(skeleton(site_of(bodies), ["other"] + ["toc"] * 5))) == issues


@pytest.mark.parametrize("body", ["", "<p>No links here", '<a href="/">Home</a>', '<a href="/elsewhere/">Gone</a>'])
def test_a_site_of_one_page_is_its_own_skeleton(body):
    site = site_of({"/": body})
    for tree in (skeleton(site, ["other"]), published_skeleton(site)):
        assert (tree.url, tree.page, tree.children) == (ORIGIN + "/", 0, ())


def test_sections_in_a_circle_end():
    ring = {f"/{n}/": lists([f"/{(n + 1) % 6}/", f"/{(n + 2) % 6}/", f"/{(n + 3) % 6}/"]) for n in range(6)}
    site = site_of({"/": lists(list(ring))} | ring)
    for tree in (skeleton(site, ["toc"] * 7), published_skeleton(site, depth=9)):
        pages = [way[-1].page for way in tree.walk()]
        assert len(pages) == len(set(pages))


def test_deep_nesting_is_no_danger():
    page = "<div><a href='/a/'>A</a>" * 1500
    tree = skeleton(site_of({"/": page, "/a/": page}), ["toc", "toc"])
    assert len(tree.children) <= 1


def test_a_section_without_a_name_takes_its_title_and_counts_are_cut():
    menu = lists(["/news/", "/sport/", "/arts/"], ["<i></i>", "Sport (12)", "艺术（3）"])
    site, types = newspaper(menu)
    site.pages[1] = Page.parse(f"<title>All news</title>{menu}", ORIGIN + "/news/")
    site.targets[1] = site.targets[2][:3]
    assert [child.name for child in skeleton(site, types).children] == ["All news", "Sport", "艺术"]


def test_the_tree_can_be_written_as_json():
    site, types = newspaper(MENUS["list"])
    tree = json.loads(json.dumps(skeleton(site, types).as_dict()))
    assert tree["children"][0] == {"url": ORIGIN + "/news/", "name": "News", "children": []}


def test_sections_of_articles_by_list_address_and_label():
    site, types = newspaper(MENUS["list"])
    tree = skeleton(site, types)
    number = {page.url.removeprefix(ORIGIN): place for place, page in enumerate(site.pages)}
    by_address = sections(site, tree, [[] for _ in site.pages])
    assert by_address[number["/news/story0/"]] == ["News"]
    assert by_address[number["/sport/"]] == ["Sport"]
    assert by_address[0] == []
    flat = site_of({"/": MENUS["list"], "/news/": MENUS["list"], "/sport/": MENUS["list"], "/arts/": MENUS["list"],
                    "/x": MENUS["list"], "/y": MENUS["list"] + '<p>In <a href="/arts/">Arts</a>'})  # fmt: skip
    tree = skeleton(flat, ["other", "toc", "toc", "toc", "article", "article"])
    listed = sections(flat, tree, [[], [4], [], [], [], []])
    assert (listed[4], listed[5]) == (["News"], ["Arts"])


# Parents in doubt


def trail(*paths, end=""):
    """A line of links, then the name of the page itself."""
    return "<p>" + " » ".join(f'<a href="{path}">{path.strip("/") or "Home"}</a>' for path in paths) + f" {end}</p>"


def with_topics(head_of):
    """A newspaper whose news page lists two pages of its own, and one that belongs elsewhere."""
    topics = ["/news/world/", "/news/home/", "/chess/"]

    def menu(path):
        own = f"<aside>{lists(topics)}</aside>" if path == "/news/" else ""
        return f"<title>{path.strip('/')}</title>" + MENUS["list"] + head_of(path) + own

    return newspaper(menu, ("/news/", "/sport/", "/arts/", *topics))


def test_breadcrumbs_move_a_section_below_the_one_that_it_names():
    trails = {
        "/sport/": trail("/", end="sport"),
        "/chess/": trail("/", "/sport/", end="» chess"),
        "/news/": trail("/", end="news"),
        "/news/home/": trail("/", "/news/", "/news/home/"),
    }
    site, types = with_topics(lambda path: trails.get(path, ""))
    tree, explanation = explained_skeleton(site, types)
    assert shape(tree) == {"/news/": {"/news/world/": {}, "/news/home/": {}}, "/sport/": {"/chess/": {}}, "/arts/": {}}
    assert explanation[-1] == {
        "page": ORIGIN + "/chess/",
        "verdict": "moved",
        "names": ["Chess", "Sport"],
        "because": "breadcrumbs",
    }


@pytest.mark.parametrize(
    "line",
    [
        trail("/", "/sport/", end="» draughts"),  # ends with another page's name
        trail("/sport/", "/", end="» chess"),  # does not begin at home
        trail("/", end="» chess"),  # names no parent
        trail("/", "/arts/", "/sport/", end="» chess"),  # the sport page says otherwise
        trail("/", "/sport/", "/nowhere/", end="» chess"),  # not crawled
        "<p>" + trail("/", "/sport/") + "A long text. " * 9 + "<b>x</b>" * 9 + "</p>",
    ],
)
def test_what_is_no_trail_moves_nothing(line):
    trails = {"/sport/": trail("/", end="sport"), "/chess/": line}
    site, types = with_topics(lambda path: trails.get(path, ""))
    assert set(shape(skeleton(site, types))["/news/"]) == {"/news/world/", "/news/home/", "/chess/"}


def test_trails_in_lists_are_found_and_menus_are_not():
    head = f"<title>Chess club</title>{lists(['/', '/a/', '/b/', '/c/', '/d/', '/e/', '/f/'])}"
    listed = '<ol><li><a href="/">Home</a><li><a href="/a/">A</a><li>Chess club</ol>'
    page = Page.parse(head + listed, ORIGIN + "/a/chess/")
    assert find_trail(page, 9, [0, 1, 2, 3, 4, 5, 6, 0, 1]) == (0, 1)
    assert find_trail(Page.parse(head, ORIGIN + "/"), 9, [0, 1, 2, 3, 4, 5, 6]) == ()
    assert Breadcrumbs(site_of({"/": "<p>Nothing"})).parent(0) is None


def test_an_address_in_the_folder_of_a_third_section_moves_a_section_there():
    listed = ["/world/", "/home/", "/sport/chess/"]

    def menu(path):
        return MENUS["list"] + (f"<aside>{lists(listed)}</aside>" if path == "/news/" else "")

    site, types = newspaper(menu, ("/news/", "/sport/", "/arts/", *listed))
    tree, explanation = explained_skeleton(site, types)
    assert shape(tree) == {"/news/": {"/world/": {}, "/home/": {}}, "/sport/": {"/sport/chess/": {}}, "/arts/": {}}
    assert explanation[-1]["because"] == "address"


def test_trails_that_go_in_a_circle_do_not_tear_the_tree():
    trails = {"/a/": trail("/", "/b/", end="a"), "/b/": trail("/", "/a/", end="b")}

    def menu(path):
        own = f"<aside>{lists(['/a/', '/b/'])}</aside>" if path == "/news/" else ""
        return f"<title>{path.strip('/')}</title>" + MENUS["list"] + trails.get(path, "") + own

    site, types = newspaper(menu, ("/news/", "/sport/", "/arts/", "/a/", "/b/"))
    assert sorted(way[-1].page for way in skeleton(site, types).walk()) == [0, 1, 2, 3, 4, 5]


def test_every_list_that_was_judged_is_explained():
    foot = "<footer>" + lists(["/about/", "/contact/"]) + "</footer>"
    extra = {"/about/": MENUS["list"] + foot, "/contact/": MENUS["list"] + foot}
    site, types = newspaper(MENUS["list"] + foot, extra=extra)
    rows = json.loads(json.dumps(explained_skeleton(site, types)[1]))
    assert rows[:2] == [
        {
            "page": ORIGIN + "/",
            "verdict": "menu",
            "names": ["News", "Sport", "Arts"],
            "link_share": 1.0,
            "toc_share": 1.0,
        },
        {
            "page": ORIGIN + "/",
            "verdict": "too few list pages",
            "names": ["About", "Contact"],
            "link_share": 1.0,
            "toc_share": 0.0,
        },
    ]
    assert "known already" in {row["verdict"] for row in rows[2:]}


# The published form


def parameters(**numbers):
    return SewParameters((1.5, 8.0, 6.0, 1.0, 0.1, 0.5), (2.0, 8.0, 20.0, 0.3, 0.5, 0.5), 1e-3, 1e-3, 0.05, **numbers)


def candidates(body, used=(), **numbers):
    page = Page.parse(body, ORIGIN + "/")
    return navigation(page, set(used), parameters(**numbers)).candidates


def pruned(body, heuristic, **numbers):
    return [
        link.url.removeprefix(ORIGIN)
        for links in candidates(body, **numbers)
        for link in links.pruned.get(heuristic, [])
    ]


def test_links_are_clustered_by_tag_path():
    found = candidates('<p><a href="/a">A</a><a href="/b">B</a></p><div><a href="/c">C</a></div>')
    assert [(links.path, len(links.links)) for links in found] == [("/html/body/p/a", 2), ("/html/body/div/a", 1)]


@pytest.mark.parametrize(
    ("heuristic", "body", "gone"),
    [
        ("Anchor", '<a href="/a">A</a><a href="/b">B</a><a href="/c"><img alt="C"></a>', ["/c"]),
        ("LinkDup", '<a href="/a">A</a><a href="/a">B</a><a href="/c">A</a>', ["/a", "/c"]),
        ("Style", '<a href="/a">A</a><a class="x" href="/b">B</a><a href="/c">C</a>', ["/b"]),
        (
            "DisDiff",
            "".join(f'<b><a href="/{n}">{n}</a></b>' for n in "abcdefghijklmno")
            + "".join(f'<i><a href="/{n}">{n}</a></i>' for n in range(80))
            + '<b><a href="/z">z</a></b>',
            ["/z"],
        ),
    ],
)
def test_a_heuristic_says_what_it_took_out(heuristic, body, gone):
    assert pruned(body, heuristic) == gone


def test_sets_are_dropped_for_long_names_for_being_used_and_for_their_size():
    menu = lists(["/a", "/b", "/c"], ["One", "Two", "Three"])
    urls = frozenset(f"{ORIGIN}/{n}" for n in "abc")
    assert (
        candidates(lists(["/a", "/b", "/c"], ["one two three four"] * 2 + ["one two three four five"]))[0].dropped
        == "MaxNumWord"
    )
    assert candidates(menu, used=[urls])[0].dropped == "LinkSetDup"
    assert candidates(menu, min_links=3)[0].dropped == "MinNL"
    assert candidates(menu, max_links=3)[0].dropped == "MaxNL"
    assert candidates(menu)[0].dropped == ""


def test_the_time_to_look_at_a_page_grows_no_faster_than_its_links():
    deep = "".join(f"<div class=x{n}><a href='/{n}/'>Name</a>" for n in range(2_000))
    wide = lists([f"/{n}/" for n in range(12_000)])
    started = time.process_time()
    for body in (deep, wide):
        navigation(Page.parse(body, ORIGIN + "/"), set(), parameters())
    assert time.process_time() - started < 3


def test_the_six_features():
    page = Page.parse(lists(["/x/a/", "/x/b/c/", "d/"], ["One two", "Three", "四川 新闻"]), ORIGIN + "/x/")
    links = navigation(page, set(), parameters()).candidates[0].links
    assert features(page, links) == pytest.approx((5 / 3, 17 / 3, 8 / 9, 2 / 3, 2 / 9, 1.0))


def test_the_likelier_set_is_chosen_and_none_on_a_content_page():
    menu = lists(["/news/", "/sport/", "/arts/"])
    body = menu + "<p>" + "".join(f'<a href="http://other.example/{n}/{n}/{n}">A name of {n}</a>' for n in "abcd")
    page = Page.parse(body, ORIGIN + "/")
    assert [link.name for link in navigation_links(page, set(), parameters())] == ["News", "Sport", "Arts"]
    assert navigation_links(page, {frozenset(urljoin(ORIGIN, p) for p in ("/news/", "/sport/", "/arts/"))},
                            train([(1.0, 5.0, 1.0, 1.0, 0.0, 1.0), (1.1, 6.0, 2.0, 1.0, 0.0, 1.0)])) == []  # fmt: skip
    assert json.dumps(navigation(page, set(), parameters()).as_dict())


def test_training_gives_the_threshold_of_the_least_likely_known_set():
    trained = train([(1.0, 5.0, 1.0, 1.0, 0.0, 1.0), (2.0, 9.0, 4.0, 0.9, 0.2, 0.5), (1.5, 30.0, 90.0, 0.6, 2.0, 0.0)])
    assert 0 < trained.threshold < 0.5
    assert trained.mean[0] == pytest.approx(1.5)
    assert len(trained_parameters().mean) == len(trained_parameters().deviation) == 6


def test_the_published_form_walks_a_plain_site():
    site, _ = newspaper(lists(["/news/", "/sport/", "/arts/"]))
    assert list(shape(published_skeleton(site, depth=1, parameters=parameters()))) == ["/news/", "/sport/", "/arts/"]


# The demo site


def demo(language, *, dirt):
    made = DemoSite(pages=120, language=language, dirt=dirt)
    paths = list(dict.fromkeys(["/", *made.paths()]))
    found = {path: page for path in paths if (page := made.page(path)) and page.status == 200}
    site = site_of({path: page.body for path, page in found.items()})
    return made, site, [page.truth for page in found.values()], list(found)


@pytest.mark.parametrize("dirt", [False, True])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_demo_site_has_its_true_skeleton(language, dirt):
    made, site, truths, paths = demo(language, dirt=dirt)
    tree = skeleton(site, [truth.type for truth in truths])

    def named(node):
        return {(child["url"].removeprefix(ORIGIN), child["name"]): named(child) for child in node["children"]}

    true, ours = named(made.skeleton()), named(tree.as_dict())
    extra = {key for key in ours if key not in true}
    assert {key: ours[key] for key in true} == true
    assert extra <= {key for key in ours if key[0] == "/latest/"}
    listed = [[paths.index(p) for p in truth.toc_links if p in paths] for truth in truths]
    found = sections(site, tree, listed)
    articles = [place for place, truth in enumerate(truths) if truth.type == "article"]
    right = sum(found[place] == truths[place].section for place in articles)
    assert right >= 0.95 * len(articles)


def test_parameters_may_be_given():
    site, types = newspaper(MENUS["list"])
    assert skeleton(site, types, parameters=SkeletonParameters(max_entries=2)).children == ()
