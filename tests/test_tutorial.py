"""docs/tutorial.md and the how-to pages: what a newcomer is told to do works, and shows what the page says."""

from __future__ import annotations

from recipes import follow

from webstruct.demo import DemoServer, DemoSite


def test_the_tutorial_can_be_followed_from_top_to_bottom(tmp_path):
    with DemoServer(DemoSite(pages=60)) as server:
        assert follow("docs/tutorial.md", tmp_path, server) >= 12
    assert len(list((tmp_path / "texts").glob("*.md"))) > 30
