"""The errors that this package raises on purpose: one base class, messages that name the thing and the remedy."""

from __future__ import annotations


class WebstructError(Exception):
    """Base of all errors raised by this package."""
