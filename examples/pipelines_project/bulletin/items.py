"""What the project collects."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Story:
    """One story; ``webstruct`` is the only field that was added for the pipelines."""

    url: str
    headline: str
    html: str
    webstruct: dict = field(default_factory=dict)
