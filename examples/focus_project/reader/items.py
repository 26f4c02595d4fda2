"""What the project collects."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Headline:
    """A page and what its title says."""

    url: str
    title: str
