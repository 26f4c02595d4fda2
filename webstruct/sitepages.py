"""The pages of one site as the methods see them: in order, one at a time, with links resolved to page numbers.

A crawl of 100,000 pages does not fit into memory, so `pages` is any sequence that can be gone through again and again:
a list in a notebook, or the store, which unpacks each page when it is asked for. Methods go through it in order and
keep numbers, not pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstruct.entropy import TermEntropy
    from webstruct.page import Page

IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True)
class SitePages:
    """Pages are known by their number, 0 is the start page.

    Attributes
    ----------
    pages
        The parsed pages.
    targets
        For each page, for each of its links (`Page.link_urls`), the number of the page it leads to; −1 for a link that
        leaves the site or was not crawled.
    entropy
        Term statistics over all pages.
    family
        For each page the number of its template family.
    """

    pages: Sequence[Page]
    targets: Sequence[IntArray]
    entropy: TermEntropy
    family: IntArray

    def __len__(self) -> int:
        return len(self.pages)
