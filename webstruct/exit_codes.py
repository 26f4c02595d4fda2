"""Exit codes of a crawl: 0 only if crawl, analysis and report are complete."""

from __future__ import annotations

COMPLETE = 0
FAILED = 1
WRONG_ARGUMENT = 2
ANALYSIS_FAILED = 3
STORE_PROBLEM = 4
INTERRUPTED = 5
PAGE_LIMIT = 6
NOTHING_FETCHED = 7
DRIFT = 8
