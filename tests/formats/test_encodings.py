import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.formats.sources import Undecodable, decoded

JAPANESE = st.text(alphabet="あいカキ漢字質問、。①髙～―−ｱﾃ abc,\r\n", max_size=60)


@given(JAPANESE, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp932"]))
def test_japanese_comes_back_from_every_encoding(text: str, encoding: str) -> None:
    # U+2212 is what other systems write for the minus that cp932 has as U+FF0D.
    text = "質問、" + (text.replace("−", "－") if encoding == "cp932" else text)
    assert text == decoded(text.encode(encoding))


@pytest.mark.parametrize("text", ["id,質問,回答\na,b,c\n", "①送料", "髙橋様、", "ログイン"])
def test_a_few_japanese_words_are_enough(text: str) -> None:
    assert text == decoded(text.encode("cp932"))


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ("fiancéas".encode("latin-1"), 1),
        ("a\nGröße, it\u2019s “x” – über".encode("cp1252"), 2),
        ("q\nIt’s—really—“I’m locked out".encode("cp1252"), 2),
        ("Привет, мир. Как дела".encode("cp1251"), 1),
        ("你好，请问运费是多少钱".encode("gbk"), 1),
        ("送料は無料です。\nはい、".encode()[:-1], 2),
        ("送料は無料です。\n".encode() + b"\x83 " + "それはいくらですか。".encode(), 2),
        ("送料".encode("cp932") + b"\xff\xfd", 1),
    ],
)
def test_anything_else_is_not_guessed_at(data: bytes, line: int) -> None:
    with pytest.raises(Undecodable) as caught:
        decoded(data)
    assert line == caught.value.line


def test_utf_16_that_breaks_off_is_told() -> None:
    with pytest.raises(Undecodable, match="starts as UTF-16 but is"):
        decoded("質問".encode("utf-16")[:-1])


@given(st.binary(max_size=80))
def test_any_bytes_are_decoded_or_refused_with_what_would_be_right(data: bytes) -> None:
    try:
        decoded(data)
    except Undecodable as error:
        said = str(error)
    else:
        said = "; "
    assert "; " in said
