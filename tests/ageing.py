"""Let time pass for a store: all that it remembers happened some days earlier."""

from __future__ import annotations

import sqlite3
from contextlib import closing


def age(folder, days=1):
    with closing(sqlite3.connect(folder / "site.db", isolation_level=None)) as connection:
        for table, column in (("pages", "fetched_at"), ("checks", "at"), ("versions", "seen")):
            connection.execute(
                f"UPDATE {table} SET {column} = strftime('%Y-%m-%dT%H:%M:%S+00:00', {column}, '-{days} days')"
                f" WHERE {column} IS NOT NULL"
            )
