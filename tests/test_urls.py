"""Links are resolved as the standard says, and a bad one costs no other."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstruct.urls import Resolver

BASE = "http://example.com/news/2026/a.html?x=/y"
segment = st.text("abcXYZ019-_~%.", min_size=0, max_size=5)
reference = st.builds(
    lambda prefix, parts, query: prefix + "/".join(parts) + query,
    st.sampled_from(["", "/", "../", "./", "http://example.org/", "https://Example.org:8080/", "//cdn.example/"]),
    st.lists(segment, max_size=4),
    st.sampled_from(["", "?", "?a=b", "?a=/../b:c"]),
)


@given(st.sampled_from([BASE, "http://example.com", "http://example.com/", "http://example.com/a/b/"]), reference)
def test_joining_agrees_with_the_standard_library(base, href):
    expected = urljoin(base, href)
    found = Resolver(base, "utf-8")(href)
    if href.strip("/") and expected.isascii():
        assert found is not None
        assert found.rstrip("?") == expected.rstrip("?")


@pytest.mark.parametrize(
    "href",
    [
        "", " ", "#top", "javascript:void(0)", " JavaScript:x", "java\nscript:alert(1)", "mailto:a@example.com",
        "tel:1", "data:text/html,x", "file:///etc/passwd", "ftp://example.com/", "http://[::1", "https://:80/",
        "http://example.com:port/", "http://example.com:99999/", "x" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_page_is_no_link(href):
    assert Resolver(BASE, "utf-8")(href) is None


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("b.html#part", "http://example.com/news/2026/b.html"),
        ("\n /b\t.html ", "http://example.com/b.html"),
        ("?page=2", "http://example.com/news/2026/a.html?page=2"),
        ("//example.org", "http://example.org"),
        ("http://user:secret@example.org/x", "http://example.org/x"),
        ("新闻.html", "http://example.com/news/2026/%E6%96%B0%E9%97%BB.html"),
        ("a b.html", "http://example.com/news/2026/a%20b.html"),
        ("12:30.html", "http://example.com/news/2026/12:30.html"),
        ("a/b:c", "http://example.com/news/2026/a/b:c"),
    ],
)
def test_links_as_people_write_them(href, url):
    assert Resolver(BASE, "utf-8")(href) == url


def test_queries_are_written_in_the_encoding_of_the_page():
    assert Resolver(BASE, "gb18030")("/s?q=新闻") == "http://example.com/s?q=%D0%C2%CE%C5"
