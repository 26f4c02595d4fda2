"""What a crawl gets to know of its closing analysis: small, plain, and light to import.

The analysis runs in a process of its own (`results.py`) and sends this back at its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from webstruct.store import Decision, Family

FILES = ("articles.jsonl", "pages.jsonl", "site.json", "report.html", "site.db")
_LISTS, _REASONS, _SECTIONS = 3, 5, 8


@dataclass(frozen=True)
class Conclusion:
    """The summary as `site.json` has it, and the decisions on pages and families for the store."""

    summary: dict[str, Any]
    decisions: list[Decision]
    families: list[Family]

    def table(self, folder: Path) -> str:
        """A short account for the person at the keyboard."""
        summary, counts = self.summary, self.summary["counts"]
        types = summary["types"]
        lines = [
            f"{summary['url']}  {'complete' if summary['complete'] else 'INCOMPLETE: run the same command to go on'}",
            f"  pages     {summary['pages']}: {types['toc']} lists, {types['article']} articles, {types['other']} other",
            f"  URLs      {counts['found']} found = {counts['stored']} stored + {counts['failed']} failed"
            f" + {counts['refused']} refused + {counts['pending']} pending",
        ]
        if reasons := summary["reasons"][:_REASONS]:
            lines.append("  not kept  " + ", ".join(f"{row['urls']} {row['reason']}" for row in reasons))
        sections = [child["name"] for child in summary["skeleton"]["children"]] if summary["skeleton"] else []
        more = " …" if len(sections) > _SECTIONS else ""
        lines.append(f"  sections  {len(sections)}: {', '.join(sections[:_SECTIONS])}{more}")
        lines += [
            f"  list      {entry['toc']} ({len(entry['articles'])} articles)" for entry in summary["structure"][:_LISTS]
        ]
        lines += [f"  file      {folder / name}" for name in FILES]
        return "\n".join(lines)
