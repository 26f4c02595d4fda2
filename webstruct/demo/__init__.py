"""A newspaper made up by a seed, with the truth about every page, and a loopback server for it.

It is the bundled demonstration, the only web that the tests see, and the load of the benchmark.
"""

from __future__ import annotations

from webstruct.demo.server import DemoServer
from webstruct.demo.site import DemoSite
from webstruct.demo.truth import Changes, DemoPage, Truth

__all__ = ["Changes", "DemoPage", "DemoServer", "DemoSite", "Truth"]
