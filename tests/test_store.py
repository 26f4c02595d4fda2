"""The promises of the store, one by one, and the work it does between them."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, nullcontext
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import store_crash_worker as worker

from webstruct import database
from webstruct.history import CHECKS_KEPT, Check, TocList
from webstruct.store import (
    FORMAT,
    Decision,
    Family,
    Fit,
    Found,
    PageRow,
    Store,
    StoreCorrupt,
    StoreError,
    StoreLocked,
    StoreVersion,
    utc_now,
)

START = "http://site.test/"
PROJECT = Path(__file__).parent.parent
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "site.db"


@pytest.fixture
def store(path):
    with Store.open(path) as store:
        yield store


def raw(store):
    return store._database._connection


def save(store, page, *links, body=b"<html>", arrays=b"arrays", **details):
    return store.store_page(page, status=200, body=body, arrays=arrays, links=links, **details)


def fill(store, pages=40):
    """Store pages that resemble each other and lead to one another: {id: (body, arrays, links)}."""
    ids = store.add(Found(f"{START}{number}", depth=1) for number in range(pages))
    contents = {}
    for page in ids:
        body = b"<html>" + b"<p>template</p>" * 100 + random.Random(page).randbytes(600)
        arrays = np.random.default_rng(page).integers(0, 50, 200, dtype=np.int32).tobytes()
        links = [Found(f"{START}{(page * step) % (2 * pages)}", depth=2) for step in range(1, 6)]
        contents[page] = body, arrays, save(store, page, *links, body=body, arrays=arrays)
    return contents


def read(store):
    """Read all that `fill` stored, through every way there is."""
    arrays = dict(store.iter_arrays())
    links = {page: targets.tolist() for page, targets in store.iter_links()}
    for page in store.pages():
        assert store.arrays(page.id) == arrays[page.id]
        assert store.links(page.id).tolist() == links[page.id]
    return {page.id: (store.body(page.id), arrays[page.id], links[page.id]) for page in store.pages()}


def recount(store):
    """Count the states the slow way."""
    return dict(raw(store).execute("SELECT state, count(*) FROM pages GROUP BY state"))


# Promise 1: a page and what hangs on it are stored together or not at all


class TestKilled:
    PAGES = 2500
    KILLS = 24

    def test_a_crawl_killed_again_and_again_stores_each_page_once(self, path):
        chance = random.Random(20)
        stored = 0
        for _ in range(self.KILLS):
            reported = self.run_and_kill(path, chance)
            stored = self.check(path, stored, reported)
            assert stored < self.PAGES, "the site is too small to be killed so often"
        subprocess.run(self.command(path), check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
        with Store.open(path, read_only=True) as store:
            assert (store.counts().found, store.counts().stored) == (self.PAGES, self.PAGES)
            assert [page.sequence for page in store.pages()] == list(range(1, self.PAGES + 1))
            assert {page.url for page in store.pages()} == {worker.url(n) for n in range(self.PAGES)}
            assert len(dict(store.iter_links())) == len(dict(store.iter_arrays())) == self.PAGES

    def command(self, path):
        return [sys.executable, worker.__file__, str(path), str(self.PAGES)]

    def run_and_kill(self, path, chance):
        """Kill the worker a random moment after a random page; return how many pages it reported."""
        with subprocess.Popen(self.command(path), stdout=subprocess.PIPE, bufsize=0, env=ENVIRONMENT) as process:
            reports = process.stdout.read(1)
            for _ in range(chance.randrange(60)):
                reports += process.stdout.read(1)
            time.sleep(chance.random() * 0.004)
            process.kill()
            reports += process.stdout.read()
        return reports.count(b"s")

    def check(self, path, stored_before, reported):
        """What was reported is there; what is there is whole; the counts agree."""
        with Store.open(path, read_only=True) as store:
            counts = store.counts()
            assert stored_before + reported <= counts.stored <= stored_before + reported + 1
            assert recount(store) == {state: pages for state, pages in asdict(counts).items() if pages}
            urls = dict(raw(store).execute("SELECT id, url FROM pages"))
            assert counts.found == len(urls)
            new = [page for page in store.pages() if page.sequence > stored_before]
            assert [page.sequence for page in new] == list(range(stored_before + 1, counts.stored + 1))
            for page in new:
                number = int(page.url.rpartition("/")[2])
                expected = [worker.url(target) for target in worker.targets(number, self.PAGES)]
                assert [urls[target] for target in store.links(page.id)] == expected
                assert store.body(page.id) == worker.body(number)
                assert store.arrays(page.id) == worker.arrays(number)
        return counts.stored


def test_a_step_that_fails_leaves_nothing_of_the_page_behind(store):
    (page,) = store.add([Found(START, 0)])
    with pytest.raises(StoreError, match="depth"):
        save(store, page, Found(START + "good", 1), Found(START + "bad", float("nan")))
    assert store.counts().found == 1
    assert store.page(page).state == "pending"


def test_a_transaction_keeps_all_or_nothing(store):
    with pytest.raises(KeyboardInterrupt), store.transaction():
        store.add([Found(START, 0)])
        store.set_meta("start", START)
        raise KeyboardInterrupt
    assert store.counts().found == 0
    assert store.get_meta("start") is None


def test_a_nested_step_that_fails_takes_the_whole_transaction_down_even_if_caught(store):
    with pytest.raises(StoreError, match="a step of this transaction failed"), store.transaction():
        (page,) = store.add([Found(START, 0)])
        with pytest.raises(StoreError, match="content_hash"):
            save(store, page, Found(START + "child", 1), content_hash=object())
        with pytest.raises(StoreError, match="a step of this transaction failed"):
            store.fail(page, "no content")
    assert store.counts().found == 0
    assert store.add([Found(START, 0)]) == [1]


def test_a_dictionary_taken_back_with_its_transaction_is_made_anew(store):
    fill(store, database.SAMPLES)
    ids = store.add(Found(f"{START}more/{number}", 1) for number in range(3))
    with pytest.raises(KeyboardInterrupt), store.transaction():
        save(store, ids[0], body=b"<html>lost")
        raise KeyboardInterrupt
    assert not raw(store).execute("SELECT * FROM dictionaries").fetchall()
    save(store, ids[1], body=b"<html>kept")
    assert len(raw(store).execute("SELECT * FROM dictionaries").fetchall()) == 2
    assert store.body(ids[1]) == b"<html>kept"


# Promise 2: one writer, any number of readers


def test_a_second_writer_is_refused_with_a_sentence_that_names_the_file(store, path):
    program = f"from webstruct.store import Store; Store.open({str(path)!r})"
    second = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=PROJECT)
    assert second.returncode == 1
    assert f"StoreLocked: {path} is being written by another process; wait until" in second.stderr
    with pytest.raises(StoreLocked):
        Store.open(path)


def test_the_lock_ends_with_the_store(path):
    Store.open(path).close()
    Store.open(path).close()


def test_a_refused_opening_does_not_keep_the_lock(path):
    path.write_bytes(b"")
    for _ in range(2):
        with pytest.raises(StoreCorrupt):
            Store.open(path)


def test_a_reader_beside_the_writer_sees_what_is_committed_and_writes_nothing(store, path):
    contents = fill(store)
    before = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    with Store.open(path, read_only=True) as reader:
        assert read(reader) == contents
        assert reader.counts() == store.counts()
        assert (path.read_bytes(), Path(f"{path}-wal").read_bytes()) == before
        with store.transaction():
            store.set_meta("start", START)
            assert reader.get_meta("start") is None
        assert reader.get_meta("start") == START


def test_a_reader_in_a_transaction_sees_one_state(store, path):
    with Store.open(path, read_only=True) as reader, reader.transaction():
        assert reader.counts().found == 0
        store.add([Found(START, 0)])
        assert reader.counts().found == 0


def test_a_store_is_readable_where_sqlite_cannot_make_its_side_files(path):
    with Store.open(path) as store:
        contents = fill(store)
    Path(f"{path}-shm").mkdir()  # stands for a read-only folder, which does not bind a root user
    with Store.open(path, read_only=True) as reader:
        assert read(reader) == contents


def test_reading_a_missing_store_is_refused_and_creates_nothing(path):
    with pytest.raises(StoreError, match="does not exist"):
        Store.open(path, read_only=True)
    assert not list(path.parent.iterdir())


# Promise 3: a damaged or foreign file is reported and left as it is


def zero_length(content):
    return b""


def no_database(content):
    return b"<html>404 Not Found</html>" * 400


def bad_header(content):
    return b"SQLite format 4\0" + content[16:]


def truncated(content):
    return content[: len(content) // 2]


def truncated_in_the_header(content):
    return content[:60]


def damaged_page(content):
    middle = len(content) // 2 // 4096 * 4096
    return content[:middle] + b"\xa5" * 4096 + content[middle + 4096 :]


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "damage", [zero_length, no_database, bad_header, truncated, truncated_in_the_header, damaged_page]
)
def test_a_damaged_file_is_refused_and_left_as_it_is(path, damage, read_only):
    with Store.open(path) as store:
        fill(store, 100)
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    with pytest.raises(StoreCorrupt, match=r"site\.db is damaged"):
        Store.open(path, read_only=read_only)
    assert path.read_bytes() == damaged


def test_a_file_of_another_program_is_refused_and_left_as_it_is(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT)")
    connection.close()
    content = path.read_bytes()
    with pytest.raises(StoreCorrupt, match="another program"):
        Store.open(path)
    assert path.read_bytes() == content


def test_a_file_whose_tables_were_changed_is_refused(path):
    Store.open(path).close()
    alter(path, "DROP TRIGGER page_found")
    with pytest.raises(StoreCorrupt, match="tables"):
        Store.open(path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE tallies SET pages = pages + 1",
        "DELETE FROM tallies",
        "INSERT INTO tallies VALUES ('failed', 'x', 1)",
    ],
)
def test_counts_that_disagree_with_the_pages_are_damage(path, change):
    with Store.open(path) as store:
        store.add([Found(START, 0)])
    alter(path, change)
    with pytest.raises(StoreCorrupt, match="counts"):
        Store.open(path)


def test_a_log_without_its_store_is_not_overwritten(path):
    log = Path(f"{path}-wal")
    log.write_bytes(b"pages of a lost store")
    with pytest.raises(StoreCorrupt, match="-wal"):
        Store.open(path)
    assert log.read_bytes() == b"pages of a lost store"
    assert not path.exists()


def test_a_creation_that_was_killed_leaves_no_store_and_does_no_harm(path):
    Path(f"{path}.new").write_bytes(b"half a file")
    Path(f"{path}.new-journal").write_bytes(b"half a journal")
    with Store.open(path) as store:
        assert store.counts().found == 0
    assert not list(path.parent.glob("*.new*"))


def test_random_damage_is_found_or_harmless(path):
    with Store.open(path) as store:
        contents = fill(store, 60)
        expected = everything(store)
    whole = path.read_bytes()
    found = 0
    for seed in range(60):
        damaged = damage_at_random(whole, random.Random(seed))
        path.write_bytes(damaged)
        try:
            with Store.open(path, read_only=True) as store:
                assert read(store) == contents
                assert everything(store) == expected
        except StoreError:
            found += 1
        assert path.read_bytes() == damaged
    assert found > 30


def everything(store):
    return (
        {page.id: page.key for page in store.pages()},
        store.counts(),
        [(page.id, page.key, page.depth, page.priority) for page in store.pending(1000)],
    )


def damage_at_random(content, chance):
    """Flip a bit, overwrite a few bytes, or repeat one page of the file over another."""
    damaged = bytearray(content)
    kind = chance.randrange(3)
    position = chance.randrange(len(damaged))
    if kind == 0:
        damaged[position] ^= 1 << chance.randrange(8)
    elif kind == 1:
        damaged[position : position + 16] = chance.randbytes(len(damaged[position : position + 16]))
    else:
        source, target = (chance.randrange(len(damaged) // 4096) * 4096 for _ in range(2))
        damaged[target : target + 4096] = damaged[source : source + 4096]
    return bytes(damaged)


def test_a_changed_byte_of_a_packed_value_is_found_or_harmless(store):
    for value in (b"", b"x" * 90, b"abc" * 40, random.Random(1).randbytes(120)):
        packed = store._packer.pack(value)
        for position in range(len(packed)):
            for byte in range(256):
                changed = packed[:position] + bytes([byte]) + packed[position + 1 :]
                assert unpacked_or_refused(store, changed) in (value, "refused")


def unpacked_or_refused(store, packed):
    try:
        return store._packer.unpack(packed, "thing")
    except StoreCorrupt:
        return "refused"


def alter(path, statement):
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement)
    connection.close()


# Promise 4: another format version is refused


@pytest.mark.parametrize(("version", "remedy"), [(3, "upgrade scrapy-webstruct"), (0, "crawl the site again")])
def test_another_format_version_is_refused_by_number_and_left_as_it_is(path, version, remedy):
    Store.open(path).close()
    alter(path, f"PRAGMA user_version = {version}")
    content = path.read_bytes()
    with pytest.raises(StoreVersion, match=rf"site\.db has store format {version}, .* reads 2; {remedy}"):
        Store.open(path)
    assert path.read_bytes() == content


def make_version_1(path):
    """A store as the first format had it, with one page."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(FORMAT.before.schema)
        connection.execute(f"PRAGMA application_id = {FORMAT.application}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(
            "INSERT INTO pages (url, key, state, depth, priority) VALUES ('http://e.com/', 'e.com', 'pending', 0, 0)"
        )


def test_a_file_of_the_format_before_is_brought_up_to_date_when_written(path):
    make_version_1(path)
    with pytest.raises(StoreVersion, match="brings it up to date"):
        Store.open(path, read_only=True)
    with Store.open(path) as store:
        assert store.page("e.com").state == "pending"
        store.history.add_check(Check(1, utc_now(), changed=True))
    with Store.open(path, read_only=True) as store:
        assert store.history.checks()[1][0].changed


def test_a_damaged_file_of_the_format_before_is_left_as_it_is(path):
    make_version_1(path)
    alter(path, "DROP TABLE links")
    content = path.read_bytes()
    with pytest.raises(StoreCorrupt):
        Store.open(path)
    assert path.read_bytes() == content


# Promise 5: values go in as what they are


def test_numpy_numbers_are_stored_as_numbers(store):
    (page,) = store.add([Found(START, np.int64(3), np.int32(-2))])
    store.assign([Decision(np.int64(page), "toc", np.uint8(7), np.float32(0.5), np.bool_(True), np.float64(2), 1)])
    row = raw(store).execute(
        "SELECT typeof(depth), depth, typeof(priority), priority, typeof(family), family,"
        " typeof(confidence), confidence, typeof(hub), hub, authority FROM pages"
    )
    assert row.fetchone() == ("integer", 3, "integer", -2, "integer", 7, "real", 0.5, "real", 1.0, 2.0)


@pytest.mark.parametrize("nan", [float("nan"), np.float32("nan"), np.float64("nan")])
def test_nan_is_refused_by_the_name_of_its_field(store, nan):
    (page,) = store.add([Found(START, 0)])
    with pytest.raises(StoreError, match="authority: NaN"):
        store.assign([Decision(page, "toc", authority=nan)])
    with pytest.raises(StoreError, match="counts: "):
        store.finish_run(store.begin_run({}), "finished", {"ratio": nan})
    assert store.page(page).type is None


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, np.uint64(2**63)])
def test_integers_beyond_64_bits_are_refused_by_the_name_of_their_field(store, number):
    with pytest.raises(StoreError, match=r"priority: -?\d+ does not fit into 64 bits"):
        store.add([Found(START, 0, number)])


def test_what_is_no_value_is_refused_by_the_name_of_its_field(store):
    with pytest.raises(StoreError, match="value: list cannot be stored"):
        store.set_meta("start", [])


def test_lone_surrogates_and_nul_become_replacement_characters(store):
    (page,) = store.add([Found(START + "\ud800\0é", 0)])
    assert store.page(page).url == START + "\ufffd\ufffdé"
    assert store.add([Found(START + "\ud800\0é", 0)]) == [page]
    assert store.page(START + "\ud800\0é").id == page
    store.fail(page, "bad \udfff name")
    assert store.reasons() == {("failed", "bad \ufffd name"): 1}
    store.begin_run({"url": "\ud800", "depth": np.int64(3)})
    assert store.runs()[0].arguments == {"url": "\ufffd", "depth": 3}


# Promise 6: a full disk or a write-protected file


def test_a_full_disk_rolls_the_step_back_and_leaves_a_good_store(path):
    with Store.open(path) as store:
        contents = fill(store)
        (page,) = store.add([Found(START + "large", 1)])
        counts = store.counts()
        (pages,) = raw(store).execute("PRAGMA page_count").fetchone()
        raw(store).execute(f"PRAGMA max_page_count = {pages + 5}")
        with pytest.raises(StoreError, match=r"site\.db: the disk is full"):
            save(store, page, Found(START + "child", 2), body=random.Random(1).randbytes(100_000))
        assert store.counts() == counts
        store.fail(page, "disk full")
    with Store.open(path) as store:
        assert read(store) == contents
        save(store, page, body=random.Random(1).randbytes(100_000))


@pytest.mark.parametrize("caught", [False, True])
def test_a_full_disk_in_an_outer_transaction_keeps_nothing_of_it(path, caught):
    with Store.open(path) as store:
        (page,) = store.add([Found(START, 0)])
        (pages,) = raw(store).execute("PRAGMA page_count").fetchone()
        raw(store).execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError), store.transaction():
            store.set_meta("start", START)
            with pytest.raises(StoreError, match="disk is full") if caught else nullcontext():
                save(store, page, body=random.Random(1).randbytes(100_000))
            store.fail(page, "disk full")
        assert store.get_meta("start") is None
    with Store.open(path, read_only=True) as store:
        assert store.counts().pending == 1


def test_writing_to_a_store_opened_for_reading_is_refused_by_name(path):
    with Store.open(path) as store:
        (page,) = store.add([Found(START, 0)])
    with Store.open(path, read_only=True) as store:
        for write in (lambda: save(store, page), lambda: store.fail(page, "x"), lambda: store.begin_run({})):
            with pytest.raises(StoreError, match=r"site\.db: the store is open for reading only"):
                write()


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match=r"site\.db: its folder cannot be written"):
        Store.open(tmp_path / "file" / "site.db")


def test_a_closed_store_says_so(store):
    store.close()
    with pytest.raises(StoreError, match="closed database"):
        store.counts()
    store.close()


# The frontier


def test_each_url_is_one_row_and_ids_come_in_the_order_of_the_links(store):
    first = store.add([Found(START, 0), Found(START + "a", 1), Found(START, 0), Found(START + "b", 1)])
    assert first == [1, 2, 1, 3]
    assert store.add([Found(START + "b", 5), Found(START + "c", 5)]) == [3, 4]
    assert store.counts().found == 4


def test_a_shorter_way_lowers_the_depth_of_a_pending_page_only(store):
    deep, done = store.add([Found(START + "deep", 9), Found(START + "done", 9)])
    save(store, done)
    store.add(
        [
            Found(START + "deep", 4),
            Found(START + "deep", 3),
            Found(START + "deep", 6),
            Found(START + "done", 1),
        ]
    )
    assert (store.page(deep).depth, store.page(done).depth) == (3, 9)


def test_a_url_refused_when_found_is_never_pending(store):
    kept, refused = store.add([Found(START, 0), Found(START + "trap", 1, reason="trap")])
    store.add([Found(START, 0, reason="too late"), Found(START + "trap", 0)])
    assert [page.id for page in store.pending(10)] == [kept]
    assert store.page(refused).state == "refused"
    assert store.reasons() == Counter({("refused", "trap"): 1})


def test_pending_pages_come_by_priority_then_depth_then_age_without_those_under_way(store):
    store.add(
        [
            Found("a", 2, 0),
            Found("b", 1, 0),
            Found("c", 5, 9),
            Found("d", 1, 0),
            Found("e", 1, -1),
            Found("f", 1, 9),
        ]
    )
    assert [page.url for page in store.pending(10)] == ["f", "c", "b", "d", "a", "e"]
    assert [page.url for page in store.pending(2, exclude={6, np.int64(2)})] == ["c", "d"]
    assert store.pending(0) == []


def test_the_next_pending_page_is_found_through_the_index_of_pending_pages(store):
    plan = raw(store).execute(
        "EXPLAIN QUERY PLAN SELECT * FROM pages WHERE state = 'pending'"
        " AND id NOT IN (SELECT value FROM json_each('[]')) ORDER BY priority DESC, depth, id LIMIT 5"
    )
    steps = [row[3] for row in plan]
    assert "SCAN pages USING INDEX frontier" in steps
    assert not any("TEMP B-TREE" in step for step in steps)


def test_every_url_found_is_counted_in_exactly_one_state(store):
    start, *others = store.add(Found(f"{START}{number}", 1) for number in range(6))
    save(store, start, Found(START + "new", 2), Found(START + "out", 2, reason="scope"), reason="truncated")
    store.fail(others[0], "timeout")
    store.fail(others[1], "http status", status=404)
    store.refuse(others[2], "robots.txt")
    counts = store.counts()
    assert (counts.found, counts.stored, counts.failed, counts.refused, counts.pending) == (8, 1, 2, 2, 3)
    assert recount(store) == {"stored": 1, "failed": 2, "refused": 2, "pending": 3}
    assert store.reasons() == {
        ("stored", "truncated"): 1,
        ("failed", "timeout"): 1,
        ("failed", "http status"): 1,
        ("refused", "robots.txt"): 1,
        ("refused", "scope"): 1,
    }
    assert store.page(others[1]).status == 404


def test_only_a_pending_page_can_fail_or_be_refused(store):
    (page,) = store.add([Found(START, 0)])
    save(store, page)
    for end in (store.fail, store.refuse):
        with pytest.raises(StoreError, match="is stored, so it cannot become"):
            end(page, "late")
        with pytest.raises(StoreError, match="page 99 is not in"):
            end(99, "unknown")


# Pages and contents


def test_spellings_with_one_key_are_one_page_fetched_as_first_found(store):
    ids = store.add([Found("http://e.com/a/", 1, key="e.com/a"), Found("https://www.e.com/a", 1, key="e.com/a")])
    assert ids == [1, 1]
    assert [page.url for page in store.pending(9)] == ["http://e.com/a/"]
    assert store.page("e.com/a").id == 1


def test_a_redirect_is_refused_and_its_target_found(store):
    (page,) = store.add([Found(START, 0)])
    target = store.redirect(page, Found(START + "new", 0), "redirect", 301)
    assert store.page(target).state == "pending"
    assert store.page(page)[3:10] == ("refused", 0, 0, None, "redirect", 301, target)
    assert store.redirects() == {page: target}
    assert store.counts().found == 2


def test_failed_and_refused_pages_can_be_queued_again_by_their_reason(store):
    first, second, third = store.add(Found(START + letter, 0) for letter in "abc")
    store.fail(first, "timeout")
    store.refuse(second, "beyond depth")
    store.refuse(third, "robots")
    assert (store.requeue("failed", "timeout"), store.requeue("refused", "beyond depth")) == (1, 1)
    assert store.requeue("stored", "x") == 0
    assert [page.id for page in store.pending(9)] == [first, second]
    assert (store.page(first).reason, store.page(third).state) == (None, "refused")


def test_a_stored_page_has_all_it_was_given(store):
    (page,) = store.add([Found(START, 0)])
    targets = save(
        store,
        page,
        Found(START + "a", 1),
        Found(START, 1),
        Found(START + "a", 1, parent=77),
        fetched_at="2024-02-29T12:00:00+00:00",
        etag='"e"',
        last_modified="Thu, 29 Feb 2024 12:00:00 GMT",
        content_hash=b"\0\1",
    )
    assert targets == [2, 1, 2]
    row = store.page(START)
    assert row == PageRow(
        page, START, START, "stored", 0, 0, None, None, 200, None, "2024-02-29T12:00:00+00:00", '"e"',
        "Thu, 29 Feb 2024 12:00:00 GMT", b"\0\1", 1, None, None, None, None, None, None,
    )  # fmt: skip
    assert store.page(START + "a").parent == page
    assert store.links(page).dtype == np.int64
    assert store.links(page).tolist() == targets
    assert (store.body(page), store.arrays(page)) == (b"<html>", b"arrays")


def test_page_rows_have_the_columns_of_the_table(store):
    columns = [column for (column,) in raw(store).execute("SELECT name FROM pragma_table_info('pages')")]
    assert list(PageRow._fields) == columns


def test_stamps_are_utc(store):
    (page,) = store.add([Found(START, 0)])
    save(store, page)
    store.begin_run({})
    assert store.page(page).fetched_at.endswith("+00:00")
    assert store.runs()[0].started.endswith("+00:00")


def test_a_stored_page_is_stored_again_only_on_demand(store):
    first, second = store.add([Found(START, 0), Found(START + "a", 1)])
    save(store, first, Found(START + "old", 1), reason="truncated")
    save(store, second)
    with pytest.raises(StoreError, match=r"page 1 .* is stored already"):
        save(store, first)
    save(store, first, Found(START + "new", 1), body=b"new", arrays=b"newer", replace=True)
    assert (store.body(first), store.arrays(first)) == (b"new", b"newer")
    assert store.links(first).tolist() == [store.page(START + "new").id]
    assert [(page.id, page.sequence) for page in store.pages()] == [(second, 2), (first, 3)]
    assert (store.counts().stored, store.reasons()) == (2, {})


def test_a_failed_page_can_still_be_stored(store):
    (page,) = store.add([Found(START, 0)])
    store.fail(page, "timeout")
    save(store, page)
    assert (store.counts().stored, store.counts().failed, store.reasons()) == (1, 0, {})


def test_only_stored_pages_have_contents(store):
    (page,) = store.add([Found(START, 0)])
    for content in (store.body, store.arrays, store.links):
        with pytest.raises(StoreError, match="is pending; only stored pages have"):
            content(page)
        with pytest.raises(StoreError, match="page 99 is not in"):
            content(99)


def test_contents_read_back_the_same_before_and_after_dictionaries_and_a_restart(path):
    with Store.open(path) as store:
        contents = fill(store)
        used = raw(store).execute("SELECT body_dictionary, arrays_dictionary FROM contents ORDER BY page").fetchall()
        assert used == [(None, None)] * database.SAMPLES + [(2, 1)] * (40 - database.SAMPLES)
        assert read(store) == contents
    with Store.open(path) as store:
        assert read(store) == contents
        (page,) = store.add([Found(START + "later", 1)])
        save(store, page)
        assert len(raw(store).execute("SELECT * FROM dictionaries").fetchall()) == 2


def test_a_dictionary_makes_similar_pages_smaller(store):
    fill(store)
    sizes = [size for (size,) in raw(store).execute("SELECT length(body) FROM contents ORDER BY page")]
    assert max(sizes[database.SAMPLES :]) < min(sizes[: database.SAMPLES])


@pytest.mark.parametrize("body", [b"", b"x", bytes(3_000_000)])
def test_sites_of_empty_tiny_or_huge_pages_are_packed_too(store, body):
    pages = store.add(Found(f"{START}{number}", 1) for number in range(database.SAMPLES + 4))
    for page in pages:
        save(store, page, body=body, arrays=b"")
    assert all(store.body(page) == body and store.arrays(page) == b"" for page in pages)
    assert store.links(pages[0]).tolist() == []


def test_iterators_stream_in_order_while_pages_are_stored(store, monkeypatch):
    monkeypatch.setattr("webstruct.store.BATCH", 3)
    contents = fill(store, 10)
    seen = []
    for page in store.pages():
        seen.append(page.id)
        save(store, page.id, body=b"again", replace=True)
    assert seen == list(contents)
    assert [page for page, _ in store.iter_arrays()] == seen
    assert [page for page, _ in store.iter_arrays(after_sequence=17)] == seen[-3:]
    assert [page for page, _ in store.iter_links()] == seen
    assert [page.id for page in store.pages("pending")] == sorted(page.id for page in store.pending(100))
    with pytest.raises(StoreError, match="'lost' is no state"):
        store.pages("lost")


# What is learned, runs and notes


def test_statistics_are_exact_again_after_a_replay(path):
    with Store.open(path) as store:
        fill(store, 20)
        total = sum(len(set(arrays)) for _, arrays in store.iter_arrays())
        partial = sum(len(set(arrays)) for page, arrays in store.iter_arrays() if store.page(page).sequence <= 12)
        store.save_statistics("terms", b"older", 3)
        store.save_statistics("terms", str(partial).encode(), 12)
        assert store.load_statistics("others") is None
    with Store.open(path) as store:
        value, sequence = store.load_statistics("terms")
        assert int(value) + sum(len(set(arrays)) for _, arrays in store.iter_arrays(sequence)) == total
        assert store.last_sequence() == 20


def test_decisions_are_assigned_all_or_none(store):
    first, second = store.add([Found(START, 0), Found(START + "a", 1)])
    with pytest.raises(StoreError, match="page 99 is not in"):
        store.assign([Decision(first, "toc"), Decision(99, "article")])
    assert store.page(first).type is None
    store.assign([Decision(first, "toc", 1, 0.9, 0.1, 0.2, 3.5), Decision(second, "article", 2)])
    row = store.page(first)
    assert (row.type, row.family, row.confidence, row.hub, row.authority, row.rank) == (
        "toc",
        1,
        0.9,
        0.1,
        0.2,
        3.5,
    )
    assert (store.page(second).type, store.page(second).family) == ("article", 2)


def test_families_are_replaced_as_a_whole(store):
    store.save_families([Family(1, "toc", 3, None), Family(2, "article", 9, {"wrapper": "//main", "字": [1.5]})])
    families = [Family(4, "article", 10, {"wrapper": "//article", "字": [np.float32(1.5)]})]
    store.save_families(families)
    assert store.families() == families


def test_fits_are_kept_by_run_family_and_measure(store):
    store.save_fits([Fit(1, 0, "template", 16, 0.9), Fit(1, 0, "wrapper", 16, 0.8), Fit(1, 1, "template", 4, 0.5)])
    store.save_fits([Fit(2, 0, "template", 9, 0.25)])
    store.save_fits([Fit(1, 1, "template", 5, 0.75)])
    assert store.fits("template") == [
        Fit(1, 0, "template", 16, 0.9),
        Fit(1, 1, "template", 5, 0.75),
        Fit(2, 0, "template", 9, 0.25),
    ]
    assert store.fits("wrapper") == [Fit(1, 0, "wrapper", 16, 0.8)]
    with pytest.raises(StoreError, match="value"):
        store.save_fits([Fit(3, 0, "template", 1, 0.5), Fit(3, 1, "template", 1, float("nan"))])
    assert [fit.run for fit in store.fits("template")] == [1, 1, 2]


def test_fits_follow_their_families_to_new_numbers(store):
    store.save_fits([Fit(1, family, "template", 9, family / 10) for family in range(3)])
    store.save_families([Family(number, "toc", 3, None) for number in range(3)], former={0: 1, 1: 0})
    assert store.fits("template") == [Fit(1, 0, "template", 9, 0.1), Fit(1, 1, "template", 9, 0.0)]
    store.save_families([])
    assert len(store.fits("template")) == 2


def test_a_run_whose_process_died_shows_as_interrupted(path):
    with Store.open(path) as store:
        finished = store.begin_run({"url": START})
        store.finish_run(finished, "finished", {"stored": np.int64(3)})
        store.begin_run({"url": START})
        assert store.runs()[-1].outcome is None
    with Store.open(path) as store:
        last = store.begin_run({})
        assert [run.outcome for run in store.runs()] == ["finished", "interrupted", None]
        assert store.runs()[0].counts == {"stored": 3}
        assert store.runs()[0].arguments == {"url": START}
        for run in (finished, 99):
            with pytest.raises(StoreError, match="is not under way"):
                store.finish_run(run, "finished", {})
        store.finish_run(last, "finished", {})


def test_notes_are_kept_and_replaced(store):
    assert store.get_meta("start") is None
    store.set_meta("start", "http://old.test/")
    store.set_meta("start", START)
    assert store.get_meta("start") == START


def test_a_store_is_one_file_once_it_is_closed_and_can_be_moved(path, tmp_path):
    with Store.open(path) as store:
        contents = fill(store)
    moved = tmp_path / "folder with spaces?and#signs%20" / "site.db"
    moved.parent.mkdir()
    shutil.copy(path, moved)
    with Store.open(moved) as store:
        assert read(store) == contents


def test_to_begin_anew_an_existing_store_is_refused(path):
    Store.open(path, exist_ok=False).close()
    with pytest.raises(StoreError, match="exists already"):
        Store.open(path, exist_ok=False)


# The past


def stored_page(store, url=START):
    (page,) = store.add([Found(url, 0)])
    store.store_page(page, status=200, body=b"<p>", arrays=b"old", links=[])
    return page


def test_lists_are_replaced_as_a_whole(store):
    store.history.save_lists([TocList(3, {"a < h2": 4}, "e.com/2")])
    lists = [TocList(1, {"a.x < li < ul": 5, "a < h3 < div": 2}), TocList(2, {"a < p < div": 9}, "e.com/3")]
    store.history.save_lists(lists)
    assert list(store.history.lists()) == lists


def test_the_last_looks_at_a_page_are_remembered(store):
    for second in range(CHECKS_KEPT + 5):
        store.history.add_check(Check(1, f"2026-01-01T00:{second // 60:02}:{second % 60:02}+00:00", second % 2 == 0, 0))
    store.history.add_check(Check(2, "2026-01-01T00:00:00+00:00", True, 4))
    checks = store.history.checks()
    assert len(checks[1]) == CHECKS_KEPT
    assert checks[1][0].at == "2026-01-01T00:00:05+00:00"
    assert checks[2] == [Check(2, "2026-01-01T00:00:00+00:00", True, 4)]


def test_versions_are_numbered_and_delivered_once(store):
    history, page = store.history, stored_page(store)
    assert history.add_version(page, utc_now(), None) == 1
    history.deliver(1, [(page, None)])
    assert history.add_version(page, utc_now(), {"title": "Old"}) == 2
    assert history.add_version(page, utc_now(), {"title": "Newer, but not seen by anyone"}) == 2
    assert history.undelivered() == [page]
    assert history.version(page).previous == {"title": "Old"}
    history.deliver(2, [(page, {"fields": ["title"]})])
    assert (history.undelivered(), history.deliveries()) == ([], 2)
    assert history.add_version(99, utc_now(), {"title": "Known since the first crawl"}) == 2
    history.drop_version(99)
    assert history.undelivered() == []


def test_a_page_that_vanished_keeps_its_row_but_no_contents(store):
    page = stored_page(store)
    store.history.save_lists([TocList(page, {"a": 1})])
    store.history.add_version(page, utc_now(), None)
    store.vanish(page, "gone", 410)
    row = store.page(page)
    assert (row.state, row.reason, row.status, row.sequence) == ("failed", "gone", 410, None)
    assert (list(store.history.lists()), store.history.undelivered()) == ([], [])
    with pytest.raises(StoreError, match="only stored pages have body"):
        store.body(page)
    with pytest.raises(StoreError, match="cannot vanish"):
        store.vanish(page, "gone", 410)
    store.requeue_page(page, priority=1)
    assert [row.id for row in store.pending(5, least_priority=1)] == [page]


def test_a_higher_priority_raises_that_of_a_pending_page_only(store):
    done, waiting = stored_page(store), store.add([Found("http://site.test/b", 3)])[0]
    store.add([Found(START, 5, priority=1), Found("http://site.test/b", 5, priority=1)])
    assert store.page(done).priority == 0
    assert (store.page(waiting).priority, store.page(waiting).depth) == (1, 3)


def test_outdated_contents_are_kept_until_they_are_cleared(store):
    store.history.add_outdated(START, b"arrays")
    assert list(store.history.outdated()) == [(START, b"arrays")]
    store.history.clear_outdated()
    assert list(store.history.outdated()) == []
