"""Come back when the server says, not at once: Scrapy's own retries follow each other within milliseconds."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.retry import RetryMiddleware

from webstruct.scheduler import NOT_BEFORE

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

# A server that asks for more is not waited for: its page is recorded as failed.
MAX_WAIT_SECONDS = 120.0
_FIRST_WAIT_SECONDS = 1.0


class PatientRetryMiddleware(RetryMiddleware):
    """Retries with growing pauses, and honours `Retry-After` on 429 and 503, in seconds or as a date."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Retry what failed for now, after a pause."""
        again = super().process_response(request, response)
        if again is response:
            return response
        wait = _retry_after(response.headers.get(b"Retry-After"))
        if wait is not None and wait > MAX_WAIT_SECONDS:
            return response
        return self._later(again, wait)  # type: ignore[arg-type]

    def process_exception(self, request: Request, exception: Exception) -> Request | Response | None:  # type: ignore[override]
        """Retry after a network error, after a pause."""
        again = super().process_exception(request, exception)
        return None if again is None else self._later(again, None)  # type: ignore[arg-type]

    @staticmethod
    def _later(request: Request, wait: float | None) -> Request:
        attempt = request.meta.get("retry_times", 1)
        pause = _FIRST_WAIT_SECONDS * 2 ** (attempt - 1) if wait is None else wait
        request.meta[NOT_BEFORE] = time.monotonic() + pause
        return request


def _retry_after(header: bytes | None) -> float | None:
    """Seconds to wait; None if the server does not say.

    >>> _retry_after(b"7"), _retry_after(b"soon"), _retry_after(b"Thu, 01 Jan 1970 00:00:00 GMT")
    (7.0, None, 0.0)
    """
    if header is None:
        return None
    text = header.decode("latin-1").strip()
    if text.isdecimal():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
