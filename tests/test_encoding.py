"""Bytes are read as browsers read them, and better where a page lies."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstruct.encoding import decode

SIMPLIFIED = "<p>交通运输部今天发布了全国公路网建设的最新数据,今年前三季度完成投资超过两万亿元。"
TRADITIONAL = "<p>自由軟體鑄造場今天舉辦了開放原始碼的研討會,邀請各界人士參加並分享經驗。"
JAPANESE = "<p>今日は全国的に晴れて、気温が高くなるでしょう。明日は雨が降る見込みです。"


@pytest.mark.parametrize(
    ("text", "codec", "header", "meta"),
    [
        (SIMPLIFIED, "gbk", "gb2312", ""),
        (SIMPLIFIED, "gb18030", "", "gbk"),
        (SIMPLIFIED + "㐀𠀀", "gb18030", "", "gb2312"),
        (TRADITIONAL, "big5", "", "big5"),
        (JAPANESE, "shift_jis", "", "shift_jis"),
        (SIMPLIFIED, "utf-8", "", "utf-8"),
        (SIMPLIFIED, "utf-8", "", ""),
        ("<p>café – naïve", "cp1252", "iso-8859-1", ""),
    ],
)
def test_header_and_meta_labels_mean_what_browsers_take_them_for(text, codec, header, meta):
    body = (f"<meta charset={meta}>" if meta else "").encode() + text.encode(codec)
    assert text in decode(body, header).text


@pytest.mark.parametrize(("text", "codec"), [(SIMPLIFIED, "gbk"), (TRADITIONAL, "big5"), (JAPANESE, "shift_jis")])
@pytest.mark.parametrize("label", ["utf-8", ""])
def test_pages_that_wrongly_declare_utf8_or_nothing_are_recognised(text, codec, label):
    body = f"<meta charset={label}>".encode() + text.encode(codec)
    assert text in decode(body).text


def test_utf8_is_read_as_utf8_whatever_is_declared():
    for label in ("gb2312", "iso-8859-1", "big5"):
        assert SIMPLIFIED in decode(f"<meta charset={label}>{SIMPLIFIED}".encode()).text


def test_a_few_bytes_that_happen_to_be_utf8_do_not_outweigh_a_declaration():
    assert decode("<p>联通".encode("gbk"), "gb2312").text == "<p>联通"


@pytest.mark.parametrize(
    "mark, codec",
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_a_byte_order_mark_comes_first(mark, codec):
    assert decode(mark + SIMPLIFIED.encode(codec), "gbk").text == SIMPLIFIED


def test_utf16_in_an_ascii_page_means_utf8():
    assert decode(b"<meta charset=utf-16><p>plain") == ("<meta charset=utf-16><p>plain", "utf-8", 0.0)
    assert decode(b"<p>plain", "utf-16").text == "<p>plain"


def test_utf16_without_a_mark_is_read_little_endian():
    assert decode(SIMPLIFIED.encode("utf-16-le")).text == SIMPLIFIED


@pytest.mark.parametrize("label", ["idna", "rot13", "base64", "hex", "punycode", "x-user-defined", "no such", "\x00"])
def test_names_that_are_no_text_encodings_are_ignored(label):
    body = f"<meta charset={label}>{SIMPLIFIED}".encode()
    assert decode(body, label).text == body.decode()


def test_a_few_bad_bytes_keep_the_declared_encoding_and_are_counted():
    decoded = decode(("<meta charset=utf-8>" + SIMPLIFIED * 3).encode() + b"\xff\xfe")
    assert decoded.encoding == "utf-8"
    assert 0 < decoded.undecodable < 0.05
    assert SIMPLIFIED in decoded.text


@given(st.binary(max_size=300), st.sampled_from(["", "utf-8", "gbk", "utf-16", "idna", "big5"]))
def test_any_bytes_can_be_read(body, label):
    assert isinstance(decode(body, label).text, str)
