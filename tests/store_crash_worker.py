"""Crawls a made-up site into a store until it is killed or done; run by test_store.py.

    python store_crash_worker.py STORE PAGES

Writes one byte to standard output when the store is open, and one after each page that was stored.
"""

import os
import sys

from webstruct.store import Found, Store

LINKS = 8


def url(number):
    return f"http://site.test/{number}"


def targets(number, pages):
    """The links of a page: enough of a tree to reach all pages, and some that lead back."""
    tree = [2 * number + 1, 2 * number + 2]
    others = [(number * 7919 + 31 * k) % pages for k in range(LINKS - len(tree))]
    return [target for target in (*tree, *others) if target < pages]


def body(number):
    return f"<html><title>{number}</title>{'<p>the same on every page</p>' * 20}{number * 31}</html>".encode()


def arrays(number):
    return bytes([number % 251]) * 400


def crawl(path, pages):
    with Store.open(path) as store:
        os.write(1, b"o")
        store.add([Found(url(0), depth=0)])
        while batch := store.pending(16):
            for page in batch:
                number = int(page.url.rpartition("/")[2])
                links = [Found(url(target), page.depth + 1) for target in targets(number, pages)]
                store.store_page(page.id, status=200, body=body(number), arrays=arrays(number), links=links)
                os.write(1, b"s")


if __name__ == "__main__":
    crawl(sys.argv[1], int(sys.argv[2]))
