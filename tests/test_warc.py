"""Web archives: whatever is wrong with a record costs that record only, and is counted."""

from __future__ import annotations

import gzip
from collections import Counter

import pytest

from webstruct.warc import CUT_OFF, NO_ADDRESS, NO_RESPONSE, TOO_LARGE, UNREADABLE, ArchiveError, WarcReader

MAX_BYTES = 100_000


def block(body=b"<title>T</title><p>text", status="200 OK", content_type="text/html", headers=()):
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def record(url, content=None, *, kind="response", length=None, headers=()):
    content = block() if content is None else content
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {url}",
        "WARC-Date: 2020-02-03T04:05:06Z",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(content) if length is None else length}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content + b"\r\n\r\n"


def page(name):
    return record(f"http://e.com/{name}")


@pytest.fixture
def read(tmp_path):
    def captures(data):
        (tmp_path / "a.warc").write_bytes(data)
        reader = WarcReader([tmp_path / "a.warc"], max_bytes=MAX_BYTES)
        found = list(reader)
        assert reader.done == reader.total == len(data)
        return [capture.url.rpartition("/")[2] for capture in found], reader.skipped

    return captures


def packed(*records):
    return b"".join(map(gzip.compress, records))


@pytest.mark.parametrize(
    "data",
    [
        page("a") + page("b"),
        packed(page("a"), page("b")),
        gzip.compress(page("a") + page("b")),
        page("a") + b"garbage between two records\r\n\r\n" + page("b"),
        record("dns:e.com", b"e.com. 60 IN A 192.0.2.1")
        + page("a")
        + record("http://e.com/a", kind="request")
        + page("b"),
        page("a") + record("http://e.com/i", b"software: x", kind="warcinfo") + page("b"),
    ],
    ids=["plain", "compressed", "one gzip member", "garbage between", "other records", "warcinfo"],
)
def test_the_pages_of_an_archive_are_read_in_order(read, data):
    found, skipped = read(data)
    assert found == ["a", "b"]
    assert set(skipped) <= {NO_ADDRESS}


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (record("http://e.com/x", b"no HTTP at all"), NO_RESPONSE),
        (record("http://e.com/x", b""), NO_RESPONSE),
        (record("http://e.com/x", block(status="abc OK")), NO_RESPONSE),
        (record("http://e.com/x", block(b"x" * 2 * MAX_BYTES)), TOO_LARGE),
        (record("http://e.com/x", block(headers=["X: " + "y" * 90_000])), UNREADABLE),
        (record("http://[e.com/x"), NO_ADDRESS),
        (record("http://e.com:0/x"), NO_ADDRESS),
        (record("file:///etc/passwd"), NO_ADDRESS),
        (record("javascript:alert(1)"), NO_ADDRESS),
        (record(""), NO_ADDRESS),
        (record("http://e.com/x", length=-5), NO_RESPONSE),
        (record("http://e.com/x", length="abc"), NO_RESPONSE),
    ],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_a_bad_record_costs_itself_only(read, bad, reason, compressed):
    records = page("a"), bad, page("b")
    found, skipped = read(packed(*records) if compressed else b"".join(records))
    assert found == ["a", "b"]
    assert skipped == {reason: 1}


def test_a_damaged_member_is_skipped_and_reading_goes_on_behind_it(read):
    members = [gzip.compress(page(name)) for name in "abc"]
    damaged = bytearray(members[1])
    damaged[40:60] = b"\xff" * 20
    found, skipped = read(members[0] + bytes(damaged) + members[2])
    assert found == ["a", "c"]
    assert skipped == {UNREADABLE: 1}


@pytest.mark.parametrize("data", [page("a") + page("b"), packed(page("a"), page("b"))], ids=["plain", "compressed"])
def test_an_archive_that_ends_early_gives_what_is_whole(read, data):
    found, skipped = read(data[:-30])
    assert found == ["a"]
    assert skipped == {CUT_OFF: 1}


def test_a_header_without_end_is_not_held_in_memory(read):
    endless = b"WARC/1.0\r\nWARC-Type: response\r\nX: " + b"x" * 5_000_000 + b"\r\n\r\n"
    found, skipped = read(page("a") + endless + page("b"))
    assert found == ["a", "b"]
    assert skipped[UNREADABLE] == 1


@pytest.mark.parametrize("body", [b"5\r\nhello\r\n0\r\n\r\n", b"hello"], ids=["chunked", "header left behind"])
def test_chunks_are_joined_where_there_are_any(tmp_path, body):
    (tmp_path / "a.warc").write_bytes(record("http://e.com/", block(body, headers=["Transfer-Encoding: chunked"])))
    (capture,) = WarcReader([tmp_path / "a.warc"], max_bytes=MAX_BYTES)
    assert capture.body == b"hello"
    assert (capture.status, capture.fetched_at, capture.is_html) == (200, "2020-02-03T04:05:06+00:00", True)


def test_the_start_page_is_the_first_page_or_the_one_asked_for(tmp_path):
    image = record("http://e.com/logo.png", block(content_type="image/png"))
    moved = record("http://e.com/old", block(status="301 Moved", headers=["Location: /a"]))
    (tmp_path / "a.warc").write_bytes(image + moved + page("a") + page("b"))
    reader = WarcReader([tmp_path / "a.warc"], max_bytes=MAX_BYTES)
    assert reader.start_page() == "http://e.com/a"
    assert reader.start_page("https://www.e.com/b/") == "http://e.com/b"
    with pytest.raises(ArchiveError, match=r"http://e.com/c is no HTML page of .*a.warc"):
        reader.start_page("http://e.com/c")


@pytest.mark.parametrize("data", [b"", b"<html>" * 1000, bytes(range(256)) * 50, gzip.compress(b"no archive", mtime=0)])
def test_a_file_that_is_no_archive_is_named(tmp_path, data):
    (tmp_path / "x.warc.gz").write_bytes(data)
    reader = WarcReader([tmp_path / "x.warc.gz"], max_bytes=MAX_BYTES)
    with pytest.raises(ArchiveError, match=r"x.warc.gz holds no HTML page that can be read \(is it a WARC file\?\)"):
        reader.start_page()


def test_a_missing_file_and_a_missing_library_are_told(tmp_path, monkeypatch):
    with pytest.raises(ArchiveError, match=r"gone.warc is not a file"):
        WarcReader([tmp_path / "gone.warc"], max_bytes=MAX_BYTES)
    monkeypatch.setitem(__import__("sys").modules, "fastwarc", None)
    (tmp_path / "a.warc").write_bytes(page("a"))
    with pytest.raises(ArchiveError, match=r"pip install 'scrapy-webstruct\[warc\]'"):
        WarcReader([tmp_path / "a.warc"], max_bytes=MAX_BYTES)


def test_any_bytes_are_read_without_an_error(tmp_path):
    from hypothesis import given
    from hypothesis import strategies as st

    path = tmp_path / "a.warc"

    @given(st.binary(max_size=200), st.integers(0, 600), st.booleans())
    def any_damage(noise, place, compressed):
        whole = packed(page("a"), page("b")) if compressed else page("a") + page("b")
        path.write_bytes(whole[:place] + noise + whole[place + len(noise) // 2 :])
        names = Counter(capture.url for capture in WarcReader([path], max_bytes=MAX_BYTES))
        assert names.total() <= 2 + 200 // 10

    any_damage()
