"""What a crawl gets to know of its closing analysis: small, plain, and light to import.

The analysis runs in a process of its own (`results.py`) and sends this back at its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from webstruct.history import TocList
    from webstruct.store import Decision, Family, Fit, Store

FILES = ("articles.jsonl", "pages.jsonl", "site.json", "report.html", "site.db")
# The name that templates have among the statistics of the store.
TEMPLATES = "templates"
_LISTS, _REASONS, _SECTIONS = 3, 5, 8


@dataclass(frozen=True)
class Conclusion:
    """The summary as `site.json` has it, and what is left to be saved: the analysis can only read the store.

    Attributes
    ----------
    summary
        What stands in `site.json`.
    decisions, families
        On every page, and on every family of pages.
    former
        The numbers that families had in the run before, by the numbers that they have now.
    fits
        How well the pages of this run fit what was known of their families.
    lists, settled
        Where list pages have their entries; the families as they were settled, packed.
    templates, sequence
        The templates of all families, packed, and the last page that they rest on.

    """

    summary: dict[str, Any]
    decisions: list[Decision]
    families: list[Family]
    former: dict[int, int]
    fits: list[Fit]
    lists: list[TocList]
    settled: bytes
    templates: bytes
    sequence: int

    def save(self, store: Store) -> None:
        """Save all that was decided and learned, or nothing."""
        with store.transaction():
            store.assign(self.decisions)
            store.save_families(self.families, self.former)
            store.save_fits(self.fits)
            store.history.save_lists(self.lists)
            store.save_statistics(TEMPLATES, self.templates, self.sequence)

    def table(self, folder: Path) -> str:
        """A short account for the person at the keyboard."""
        summary, counts = self.summary, self.summary["counts"]
        types = summary["types"]
        go_on = f"INCOMPLETE: {counts['pending']} URLs are not fetched; a crawl into the same folder goes on"
        lines = [
            f"{summary['url']}  {'complete' if summary['complete'] else go_on}",
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
