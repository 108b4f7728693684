"""Personal data is found by its form; what only looks like it stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.personal import masked
from tests.text.planted_personal import INNOCENT, SEEN, UNSEEN, Planted

PHONE, CARD, MAIL, NAME = "〔電話番号〕", "〔カード番号〕", "〔メールアドレス〕", "〔名前〕"


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("090-1234-5678", PHONE),
        ("(03)1234-5678", PHONE),
        ("０９０－１２３４－５６７８", PHONE),
        ("0120-123-456", PHONE),
        ("090・1234・5678", PHONE),
        ("0081-90-1234-5678", PHONE),
        ("08012345678", PHONE),
        ("+81 90 1234 5678", PHONE),
        ("4111 1111 1111 1111", CARD),
        ("4111111111111111", CARD),
        ("３７８２-822463-10005", CARD),
        ("taro.y+1@example.co.jp", MAIL),
        ("ｔａｒｏ＠ｅｘａｍｐｌｅ．ｊｐ", MAIL),
    ],
)
def test_numbers_and_addresses_are_masked_wherever_they_stand(text: str, mark: str) -> None:
    assert f"それは{mark}です" == masked(f"それは{text}です", "ja")[0]
    assert f"{mark} {mark}" == masked(f"{text} {text}", "ja")[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("山田 太郎と申しますが", f"{NAME}と申しますが"),
        ("名前は佐藤です。", f"名前は{NAME}です。"),
        ("名義は鈴木花子で、合っています", f"名義は{NAME}で、合っています"),
    ],
)
def test_a_name_is_masked_where_somebody_says_its_own(text: str, expected: str) -> None:
    assert expected == masked(text, "ja")[0]


@pytest.mark.parametrize(
    "text",
    [
        *("2024-01-02から4泊", "1234-5678-9012です", "予算は100000円", "10:00-11:00"),
        *("0012345678", "00123456", "100-0001", "3.14159265358979", "1,234,567,890,123,456円"),
        *("お名前は何ですか", "電話番号は何番ですか", "2024-01-02 2024-01-03", "@home", "a@b"),
    ],
)
def test_dates_sums_questions_and_numbers_that_no_word_explains_stay(text: str) -> None:
    assert (text, {}) == masked(text, "ja")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("call (555) 123-4567", "call [phone number]"),
        ("555-123-4567 or +44 20 7946 0958", "[phone number] or [phone number]"),
        ("1-800-123-4567", "[phone number]"),
        ("My name is Ann O'Neil and", "My name is [name] and"),
        ("hi my name is ann o'neil and", "hi my name is [name] and"),
        ("my name's ann", "my name's [name]"),
        ("my name is misspelled.", "my name is misspelled."),
        ("my name is not on the list", "my name is not on the list"),
        ("my name is wrong on it", "my name is wrong on it"),
        ("order 12345678, 2024-01-02", "order 12345678, 2024-01-02"),
        ("ann@example.com", "[e-mail address]"),
    ],
)
def test_english(text: str, expected: str) -> None:
    assert expected == masked(text, "en")[0]


def test_it_says_how_much_was_masked() -> None:
    text = "090-1234-5678か03-1234-5678、a@example.com、4111111111111111"
    assert {"phone": 2, "email": 1, "card": 1} == masked(text, "ja")[1]


@given(st.text())
def test_what_was_masked_once_has_nothing_left_to_mask(text: str) -> None:
    once, _ = masked(f"{text} 090-1234-5678", "ja")
    again, found = masked(once, "ja")
    assert (once, 0) == (again, found["phone"])


def test_a_long_run_of_letters_takes_no_time() -> None:
    assert ("a" * 200_000, {}) == masked("a" * 200_000, "ja")


@pytest.mark.parametrize("planted", [SEEN, UNSEEN], ids=["seen", "unseen"])
@pytest.mark.parametrize("language", ["ja", "en"])
def test_all_28_kinds_are_found_in_either_language(planted: Planted, language: Language) -> None:
    assert 28 == len(planted)
    stayed = [
        (kind, text)
        for kind, examples in planted.items()
        for text, secret in examples
        if secret in masked(text, language)[0]
    ]
    assert [] == stayed


@pytest.mark.parametrize("before", ["password is: ", "password:", "PIN=", "Token was = "])
def test_a_secret_is_masked_however_it_is_joined_to_its_word(before: str) -> None:
    text = f"{before}hunter2x9, thanks"
    assert f"{before}[secret], thanks" == masked(text, "en")[0]


@pytest.mark.parametrize("text", INNOCENT)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert (text, {}) == masked(text, "ja")
    assert (text, {}) == masked(text, "en")


@pytest.mark.parametrize(
    "text",
    ["My password is sunflower", "Mary came, too", "ニックネームはたろぽんです", "0012345678"],
)
def test_what_nothing_gives_away_stays_as_is_said(text: str) -> None:
    assert (text, {}) == masked(text, "en")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("My name is Zorb Quux. Can you change Zorb Quux's booking?", "en"),
        ("Zorb Quux's booking, please. My name is Zorb Quux.", "en"),
        ("佐藤花子と申します。佐藤花子の予約を変更したいです。", "ja"),
        ("The password is: hunter2x9. Is hunter2x9 too short?", "en"),
    ],
)
def test_what_is_masked_once_is_masked_wherever_it_is_repeated(
    text: str, language: Language
) -> None:
    left = masked(text, language)[0]
    assert not any(secret in left for secret in ("Zorb", "Quux", "佐藤", "花子", "hunter2x9"))
