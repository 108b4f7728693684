"""What a customer's message should not hold, one rule at a time."""

import pytest

from simulator.core.persona import Language
from simulator.text.unsound import (
    announces,
    holds_frame,
    holds_mark,
    speaks_for_a_desk,
    unknown_ids,
    without_openers,
)


def test_marks_stand_in_brackets() -> None:
    cases: list[tuple[str, bool]] = [
        ("助かりました。[STOP]", True),
        ("Fine. ［end］", True),
        ("[END OF CONVERSATION]", True),
        ("ok <|im_end|>", True),
        ("**STOP**", True),
        ("**stop** it", False),
        ("It says (end) there", False),
        ("**至急**でお願い", False),
        ("When does it stop?", False),
    ]
    assert [] == [(said, there) for said, there in cases if there is not holds_mark(said)]


@pytest.mark.parametrize(
    ("said", "language", "there"),
    [
        ("ユーザー: 届きません", "ja", True),
        ("質問: いつ届きますか", "ja", False),
        ("<thinking>hm</thinking>Where is it?", "en", True),
        ("My guest: can she come too?", "en", False),
        ("Customer number: I have none", "en", False),
    ],
)
def test_frames_begin_a_line(said: str, language: Language, there: bool) -> None:
    assert there is holds_frame(said, language)
    assert not holds_frame(said, language, own=(said,))


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("It is A-48213905", ["48213905", "a48213905"]),
        ("注文番号は 4817-2295 です", ["48172295"]),
        ("予約番号はXK7T2Pです", ["xk7t2p"]),
        ("My order 77310-25", []),
        ("We are 100000 people, and it cost 120000 yen or $123456", []),
        ("2026-11-22, 2026年11月22日, iPhone15, 1,234,567円", []),
    ],
)
def test_ids_are_no_sums_dates_or_names_of_things(said: str, found: list[str]) -> None:
    assert found == unknown_ids(said, ["the order is 7731025"])


def test_hints_of_a_desk_need_company_and_count_for_nothing_in_letters() -> None:
    assert not speaks_for_a_desk("かしこまりました。ご予算は3万円です。", "ja")
    said = "かしこまりました。ご予算はいかほどでしょうか。"
    assert speaks_for_a_desk(said, "ja")
    assert not speaks_for_a_desk(said, "ja", formal=True)


@pytest.mark.parametrize(
    ("said", "language", "left"),
    [
        ("すみません、えっと、届きません。", "ja", "届きません"),
        ("As I said: sorry, it broke", "en", "it broke"),
        ("So what?", "en", "so what"),
        ("はい。", "ja", ""),
    ],
)
def test_openers_go(said: str, language: Language, left: str) -> None:
    assert left == without_openers(said, language)


def test_a_figure_from_nowhere_is_the_services_to_tell() -> None:
    cases: list[tuple[str, bool]] = [
        ("The router costs $79 and ships within two days.", True),
        ("There are three flights, the first leaves at 6:25 am.", True),
        ("Sure. It is a 4.5 star hotel.", True),
        ("The fee is $55, and that is too much.", False),  # the bot said so
        ("It costs $79? That was free last year.", False),
        ("The bill I got is $79.", False),
        ("There is nobody home before 5 pm.", False),
        ("The lamp is red.", False),
    ]
    assert [] == [
        (said, there)
        for said, there in cases
        if there is not announces(said, "en", ["There is a fee of $55."])
    ]


def test_where_no_phrases_tell_an_announcement_there_is_none() -> None:
    assert not announces("料金は79円です。", "ja", [])


@pytest.mark.parametrize(
    "said",
    [
        "hello, i need your help",
        "May I know the price of the plan?",
        "i found a charge that i did not make",
        "Is there anything else?",
        "Have a nice day.",
        "I've booked the engineer already, he never came.",
        "Please confirm that it is cancelled.",
    ],
)
def test_what_customers_say_is_no_desks(said: str) -> None:
    assert not speaks_for_a_desk(said, "en")
