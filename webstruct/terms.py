"""Text → terms: the words that the entropy methods count (LAMIS §3.3, WISDOM §3.1).

Space-separated scripts: words, case-folded, stop words out, stemmed by Snowball for the page's language. Chinese:
dictionary segmentation. A page may mix both, so every page goes through one path: cut into words, then map each
distinct word to its term once and remember it. Purely numeric words are dropped (WISDOM §4.4) unless `numbers` is set.
"""

from __future__ import annotations

import logging
import re
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import Stemmer
import stopwordsiso

from webstruct.errors import WebstructError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

IntArray = npt.NDArray[np.int32]

_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "nb": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_WORD = re.compile(r"\w+|\x00")
_HAN = re.compile(r"[\u3400-\u9fff]")
# The first and the last code point of scripts that tell the language.
_SCRIPTS = {"ja": (0x3040, 0x30FF), "ko": (0xAC00, 0xD7AF), "zh": (0x3400, 0x9FFF)}
_SEPARATOR = "\x00"
_SEPARATOR_ID, _DROPPED_ID = -2, -1
_SAMPLE_CHARS = 500
_RUNNING_TEXT_CHARS = 40
# The word cache is emptied beyond this size: about 150 MB, more than any one site's vocabulary needs.
_CACHED_WORDS = 1_000_000


class TermSequence(NamedTuple):
    """Terms of some texts in order: `names[ids[k]]` stands in text number `texts[k]`."""

    names: list[str]
    ids: IntArray
    texts: IntArray


class TermAnalyzer:
    """Cuts texts into terms.

    Parameters
    ----------
    numbers
        Keep purely numeric words: course catalogues and price lists need them, news does not.
    user_dictionary
        A jieba dictionary file for Chinese. It switches from rjieba to jieba, which gives the same words at a
        twenty-sixth of the speed but can learn new ones.

    """

    def __init__(self, *, numbers: bool = False, user_dictionary: str | Path | None = None) -> None:
        self._numbers = numbers
        self._segment = _jieba(Path(user_dictionary)) if user_dictionary else _rjieba()
        self._caches: dict[str, _WordCache] = {}

    def analyze(self, texts: Sequence[str], language: str = "en") -> TermSequence:
        """Terms of all texts at once, each with the number of the text that it stands in.

        >>> names, ids, texts = TermAnalyzer().analyze(["Running shoes", "the shoe, 跑步鞋"], "en")
        >>> [names[i] for i in ids], texts.tolist()
        (['run', 'shoe', 'shoe', '跑步', '鞋'], [0, 0, 1, 1, 1])
        """
        joined = _SEPARATOR.join(texts)
        words = self._segment(joined) if _HAN.search(joined) else _WORD.findall(joined.lower().replace("_", " "))
        term_of = self._cache(language)
        found = np.fromiter(map(term_of.__getitem__, words), dtype=np.int32, count=len(words))
        text_of = np.cumsum(found == _SEPARATOR_ID, dtype=np.int32)
        kept = found >= 0
        distinct, ids = term_of.renumber(found[kept])
        names = list(map(term_of.names.__getitem__, distinct.tolist()))
        return TermSequence(names, ids, text_of[kept])

    def _cache(self, language: str) -> _WordCache:
        known = self._caches.get(language)
        if known is None or len(known) > _CACHED_WORDS:
            known = self._caches[language] = _WordCache(language, numbers=self._numbers)
        return known


class _WordCache(dict[str, int]):
    """Word → term number, worked out when a word is met for the first time."""

    def __init__(self, language: str, *, numbers: bool) -> None:
        super().__init__({_SEPARATOR: _SEPARATOR_ID})
        self.names: list[str] = []
        self._place = np.zeros(1 << 10, dtype=np.int32)
        self._number_of: dict[str, int] = {}
        self._numbers = numbers
        self._stop_words = _stop_words(language)
        algorithm = _SNOWBALL.get(language, "english" if language in ("zh", "ja", "ko") else "")
        self._stem: Callable[[str], str] = Stemmer.Stemmer(algorithm).stemWord if algorithm else str

    def __missing__(self, word: str) -> int:
        term = self._term(word)
        number = self._number_of.setdefault(term, len(self.names)) if term else _DROPPED_ID
        if number == len(self.names):
            self.names.append(term)
        self[word] = number
        return number

    def renumber(self, terms: IntArray) -> tuple[IntArray, IntArray]:
        """The distinct terms in the order of first occurrence, and the place of each term among them.

        The cache's own numbers depend on all pages read before. Its scratch table by number spares a sort: written
        backwards, it ends up with the first occurrence of each.
        """
        if len(self._place) < len(self.names):
            self._place = np.zeros(2 * len(self.names), dtype=np.int32)
        position = np.arange(len(terms), dtype=np.int32)
        self._place[terms[::-1]] = position[::-1]
        distinct = terms[self._place[terms] == position]
        self._place[distinct] = position[: len(distinct)]
        return distinct, self._place[terms]

    def _term(self, word: str) -> str:
        folded = word.lower().strip("_-'.’")
        if folded in self._stop_words or not any(map(str.isalnum, folded)):
            return ""
        if not self._numbers and not any(map(str.isalpha, folded)):
            return ""
        return folded if _HAN.search(folded) else str(self._stem(folded))


def detect_language(texts: Iterable[str], declared: str = "") -> str:
    """ISO 639-1 code of a page's language: by script, else as the page declares, else by py3langid.

    A declaration is trusted before detection, so that all pages of a site are stemmed alike; but templates made in
    English declare English on Chinese pages too, so the script comes first.

    >>> detect_language(["中国公路网", "News"]), detect_language(["Der Hund schläft in dem alten Haus"])
    ('zh', 'de')
    """
    sample = _sample(texts)
    if not sample.isascii():
        codes = np.frombuffer(sample.encode("utf-32-le", "replace"), dtype=np.uint32)
        for language, (first, last) in _SCRIPTS.items():
            if np.count_nonzero(codes - first <= last - first) * 10 > len(codes):
                return language
    if declared in _SNOWBALL:
        return declared
    return _classifier()(sample) if sample.strip() else "en"


def load_models() -> None:
    """Load what the first page in need of it would have to wait half a second for."""
    _classifier()("any text")


def _sample(texts: Iterable[str]) -> str:
    """Running text from the page's beginning, if it has any: short texts are menu words, which tell little."""
    short: list[str] = []
    long: list[str] = []
    size = 0
    for text in texts:
        if len(text) < _RUNNING_TEXT_CHARS:
            short.append(text)
            continue
        long.append(text)
        size += len(text)
        if size >= _SAMPLE_CHARS:
            break
    return " ".join(long or short)[: 2 * _SAMPLE_CHARS]


@cache
def _classifier() -> Callable[[str], str]:
    """py3langid, loaded when a page is met that does not tell its language: the model takes half a second."""
    from py3langid import classify

    return lambda text: str(classify(text)[0])


@cache
def _stop_words(language: str) -> frozenset[str]:
    """Stop words of the language, with the English ones for languages whose pages mix in English words."""
    return frozenset(stopwordsiso.stopwords({language, "en"} & set(stopwordsiso.langs())))


@cache
def _rjieba() -> Callable[[str], list[str]]:
    import rjieba

    cut: Callable[[str], list[str]] = rjieba.cut
    return cut


@cache
def _jieba(dictionary: Path) -> Callable[[str], list[str]]:
    """A jieba tokenizer of our own with a user's words added; what jieba's import and cache have to say is silenced."""
    if not dictionary.is_file():
        raise WebstructError(f"the Chinese user dictionary {str(dictionary)!r} is not a file")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some versions of setuptools warn of the pkg_resources that jieba imports
        import jieba

    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    with dictionary.open("rb") as words:
        tokenizer.load_userdict(words)
    cut: Callable[[str], list[str]] = tokenizer.lcut
    return cut
