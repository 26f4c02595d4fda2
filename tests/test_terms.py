"""Text → terms, in English, Chinese and mixtures of both."""

from __future__ import annotations

import pytest

from webstruct.errors import WebstructError
from webstruct.terms import TermAnalyzer, detect_language


def terms(text, language="en", **options):
    names, ids, _ = TermAnalyzer(**options).analyze([text], language)
    return [names[number] for number in ids]


def test_english_is_folded_stemmed_and_rid_of_stop_words():
    assert terms("The runners were RUNNING; a runner's shoes") == ["runner", "run", "runner", "shoe"]


def test_chinese_is_cut_by_dictionary():
    assert terms("中国公路网发布了今天的新闻。", "zh") == ["中国", "公路网", "发布", "今天", "新闻"]


def test_a_page_may_mix_scripts():
    assert terms("苹果发布 iPhones 新系统", "zh") == ["苹果", "发布", "iphon", "新", "系统"]
    assert "北京" in terms("Flights to 北京 delayed", "en")


def test_other_languages_have_their_own_stemmer():
    assert terms("las noticias nacionales", "es") == ["notici", "nacional"]
    assert terms("unknown scripts stay", "xx") == ["unknown", "scripts", "stay"]


def test_numbers_are_dropped_unless_wanted():
    assert terms("Algebra 101 costs 3,500 in 2024") == ["algebra", "cost"]
    assert terms("Algebra 101", numbers=True) == ["algebra", "101"]
    assert terms("第 101 课", "zh", numbers=True).count("101") == 1


def test_words_with_digits_are_no_numbers():
    assert terms("covid19 and 5G") == ["covid19", "5g"]


def test_terms_know_their_text():
    names, ids, texts = TermAnalyzer().analyze(["flood warning", "", "the", "flood"], "en")
    assert [(names[number], text) for number, text in zip(ids, texts, strict=True)] == [
        ("flood", 0),
        ("warn", 0),
        ("flood", 3),
    ]


def test_nothing_gives_nothing():
    for texts in ([], [""], ["…!?"], ["the of and"]):
        names, ids, places = TermAnalyzer().analyze(texts, "en")
        assert (names, ids.tolist(), places.tolist()) == ([], [], [])


def test_a_user_dictionary_adds_chinese_words(tmp_path):
    assert "韦小宝传奇" not in terms("韦小宝传奇上映", "zh")
    dictionary = tmp_path / "words.txt"
    dictionary.write_text("韦小宝传奇 10 n\n", "utf-8")
    assert "韦小宝传奇" in terms("韦小宝传奇上映", "zh", user_dictionary=dictionary)


def test_a_missing_user_dictionary_is_named(tmp_path):
    with pytest.raises(WebstructError, match=r"nowhere\.txt' is not a file"):
        TermAnalyzer(user_dictionary=tmp_path / "nowhere.txt")


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("今天北京天气晴朗,气温回升", "en", "zh"),
        ("今日は天気がいいですね", "", "ja"),
        ("오늘 날씨가 좋습니다", "", "ko"),
        ("Il governo ha approvato la nuova legge di bilancio", "", "it"),
        ("The council approved the budget", "de", "de"),
        ("The council approved the budget", "xx-unknown", "en"),
        ("", "", "en"),
    ],
)
def test_language_by_script_then_declaration_then_detection(text, declared, language):
    assert detect_language([text], declared) == language
