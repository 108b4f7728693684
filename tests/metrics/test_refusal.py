"""Whether the bot refuses where it must, and answers where it can."""

from dataclasses import replace
from typing import Any

import pytest

from simulator.core.outcome import Score
from simulator.core.persona import Language
from simulator.core.ports import Evidence
from simulator.core.talk import Exchange, Reply, Talk
from simulator.metrics.refusal import Refusal
from tests.metrics.turns import comment, context, evidence, is_not_applicable, outcome, value

METRIC = Refusal.open(context())
REFUSAL = "申し訳ございませんが、分かりかねます。"
ANSWER = "30日以内なら返品できます。"


@pytest.mark.parametrize(
    ("answerable", "reply", "right"),
    [(True, ANSWER, 1.0), (True, REFUSAL, 0.0), (False, REFUSAL, 1.0), (False, ANSWER, 0.0)],
)
async def test_a_refusal_is_right_where_there_is_no_answer(
    answerable: bool, reply: str, right: float
) -> None:
    assert right == value(await outcome(METRIC, evidence(reply, answerable=answerable)))


async def test_a_scenario_with_an_answer_can_be_answered() -> None:
    for turn in (
        evidence(REFUSAL, answer="30日以内です。"),
        evidence(REFUSAL, elements=["30日以内"]),
        evidence(REFUSAL, documents=["faq-1"]),
    ):
        assert 0.0 == value(await outcome(METRIC, turn))


async def test_what_the_scenario_says_outright_counts_more_than_its_answer() -> None:
    turn = evidence(REFUSAL, answer="分からないと伝える。", answerable=False)
    assert 1.0 == value(await outcome(METRIC, turn))


BOOKINGS = "予約の内容はチャットでは確認できません。お店（03-0000-4821）へお電話ください。"


@pytest.mark.parametrize(
    ("expected", "reply", "right"),
    [
        ({"answer": BOOKINGS}, "予約の内容は分かりかねます。お店03-0000-4821へお電話ください。", 1),
        ({"answer": BOOKINGS}, REFUSAL, 0),
        ({"answer": BOOKINGS}, "分かりかねます。お店03-0000-4821へお電話ください。", 0),
        ({"elements": ["お店へお電話ください"]}, "分かりかねます。お店へお電話ください。", 1),
        (
            {"elements": ["お店へお電話ください", "30日以内"]},
            "分かりかねます。お店へお電話ください。",
            0,
        ),
        (
            {"answer": BOOKINGS, "answerable": True},
            "予約の内容は分かりかねます。お店03-0000-4821へお電話ください。",
            0,
        ),
        ({"answer": ANSWER}, "返品は分かりかねます。お店へお電話ください。", 0),
    ],
)
async def test_a_refusal_that_is_expected_word_for_word_is_right(
    expected: dict[str, Any], reply: str, right: float
) -> None:
    turn = evidence(reply, **expected)
    turn = replace(turn, scenario=replace(turn.scenario, query="予約の内容を教えてください"))
    assert right == value(await outcome(METRIC, turn))


def straying(turn: Evidence, asides: float = 0.5) -> Evidence:
    """The same turn after the first one, by somebody who says something beside the matter."""
    style = replace(turn.persona.style, asides=asides)
    said = Exchange(2, "返品の件は？他社の話もして。", turn.exchange.reply)
    talk = Talk("e", (Exchange(1, turn.scenario.query, Reply("はい。")), said))
    return replace(turn, persona=replace(turn.persona, style=style), talk=talk)


@pytest.mark.parametrize(
    ("answerable", "reply", "right"),
    [
        (True, "他社の話にはお答えできません。返品は30日以内です。", 1.0),
        (True, "他社の話にはお答えできません。", 0.0),
        (True, "返品の件は分かりかねます。", 0.0),
        (False, "他社の話も返品の条件も分かりかねます。", 1.0),
        (False, "その件は分かりかねます。返品の窓口は店舗です。", 1.0),
    ],
)
async def test_declining_an_aside_and_answering_the_matter_is_no_refusal(
    answerable: bool, reply: str, right: float
) -> None:
    turn = straying(evidence(reply, answerable=answerable))
    assert right == value(await outcome(METRIC, turn))


async def test_somebody_who_keeps_to_the_matter_was_refused_that() -> None:
    turn = evidence("その件にはお答えできません。返品は30日以内です。", answerable=True)
    assert 0.0 == value(await outcome(METRIC, straying(turn, asides=0.0)))
    assert 1.0 == value(await outcome(METRIC, straying(turn)))
    assert "" == turn.strayed_from  # the first turn is the query alone


async def test_without_a_word_on_it_it_is_not_applicable() -> None:
    assert is_not_applicable(await outcome(METRIC, evidence(ANSWER)))


@pytest.mark.parametrize(
    ("language", "answerable", "reply", "said"),
    [
        ("ja", True, REFUSAL, "答えられる質問なのに、答えていない"),
        ("ja", False, ANSWER, "答えのない質問なのに、分からないと伝えていない"),
        ("en", True, "I don't know.", "refused, though the question can be answered"),
        ("en", False, "Yes.", "did not say that it does not know, though there is no answer"),
        ("ja", True, ANSWER, ""),
    ],
)
async def test_the_comment_says_what_was_wrong(
    language: Language, answerable: bool, reply: str, said: str
) -> None:
    turn = evidence(reply, language=language, answerable=answerable)
    assert said == comment(await outcome(METRIC, turn))


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("ja", "申し訳ございません。担当者におつなぎしますので、少々お待ちください。"),
        ("en", "I'm sorry about that. I can connect you with our support team."),
    ],
)
async def test_handing_over_what_has_no_answer_is_right_where_the_scenario_asks_for_it(
    language: Language, reply: str
) -> None:
    turn = evidence(reply, language=language, answerable=False)
    expected = replace(turn.scenario.expected, escalate=True)
    asked = replace(turn, scenario=replace(turn.scenario, expected=expected))
    assert (0.0, 1.0) == (value(await outcome(METRIC, turn)), value(await outcome(METRIC, asked)))


POINTS = "ポイントは100円のお買い上げごとに1ポイントたまります。"
HANDED = "担当者におつなぎします。"


@pytest.mark.parametrize(
    ("answerable", "reply", "right", "said"),
    [
        (None, POINTS, 0.0, "担当者につなぐべきなのに、つないでいない"),
        (None, HANDED, 1.0, ""),
        (None, "すぐに窓口へお電話ください。", 1.0, ""),
        (None, REFUSAL, 0.0, "担当者につなぐべきなのに、つないでいない"),
        (True, ANSWER, 0.0, "担当者につなぐべきなのに、つないでいない"),
        (True, f"{ANSWER}{HANDED}", 1.0, ""),
        (True, f"その件はお答えできません。{HANDED}", 1.0, ""),
        (False, HANDED, 1.0, ""),
        (False, f"{REFUSAL}{HANDED}", 1.0, ""),
        (False, REFUSAL, 0.0, "担当者につなぐべきなのに、つないでいない"),
        (False, POINTS, 0.0, "答えのない質問なのに、分からないと伝えていない"),
    ],
)
async def test_where_the_scenario_asks_for_a_person_handing_over_is_right(
    answerable: bool | None, reply: str, right: float, said: str
) -> None:
    found = await outcome(METRIC, evidence(reply, answerable=answerable, escalate=True))
    assert (right, said) == (value(found), comment(found))


async def test_who_was_handed_over_before_stays_so() -> None:
    assert 1.0 == value(await outcome(METRIC, evidence(HANDED, POINTS, escalate=True)))
    assert 0.0 == value(await outcome(METRIC, evidence(POINTS, POINTS, escalate=True)))


async def test_english_is_read_too() -> None:
    for reply, right in (("Please call our service centre at once.", 1.0), ("You earn points.", 0)):
        assert right == value(await outcome(METRIC, evidence(reply, language="en", escalate=True)))


@pytest.mark.parametrize("reply", ["", "  \n", "…"])
@pytest.mark.parametrize("answerable", [True, False])
async def test_an_empty_reply_is_wrong(reply: str, answerable: bool) -> None:
    found = await outcome(METRIC, evidence(reply, answerable=answerable))
    assert (0.0, "回答が空") == (value(found), comment(found))


@pytest.mark.parametrize(
    ("reply", "expected", "parts"),
    [
        ("分かりかねます。", {"answerable": True}, (1, 0, 0)),
        ("500円です。", {"answerable": False}, (0, 0, 1)),
        ("500円です。", {"answerable": True}, (0, 0, 0)),
        ("担当者におつなぎします。", {"escalate": True}, (0, 1, 0)),
    ],
)
async def test_its_parts_say_what_the_reply_does(
    reply: str, expected: dict[str, Any], parts: tuple[int, ...]
) -> None:
    found = await outcome(METRIC, evidence(reply, **expected))
    assert isinstance(found, Score)
    assert dict(zip(("refused", "handed_over", "answered"), parts, strict=True)) == found.parts


async def test_it_does_not_apply_to_a_question_back() -> None:
    asks = evidence("どの商品についてのご質問でしょうか。", answerable=True)
    assert is_not_applicable(await outcome(METRIC, asks))


@pytest.mark.parametrize(
    ("language", "thanks", "closing"),
    [
        ("en", "I see. Thank you.", "You're welcome! Have a nice day."),
        ("en", "OK, thanks anyway.", "You're welcome!"),
        ("ja", "わかりました。ありがとうございます。", "どういたしまして。"),
        ("ja", "そうですか。ありがとうございました。", "またのご利用をお待ちしております。"),
    ],
)
async def test_a_goodbye_after_a_refusal_answers_nothing(
    language: Language, thanks: str, closing: str
) -> None:
    refused = "I'm sorry, I have no information about that." if language == "en" else REFUSAL
    talk = evidence(refused, closing, language=language, answerable=False)
    first, last = talk.talk.exchanges
    left = replace(talk, talk=Talk("e", (first, replace(last, user=thanks))))
    assert is_not_applicable(await outcome(METRIC, left))
    asked = "So is it open today?" if language == "en" else "では今日は開いていますか？"
    more = replace(talk, talk=Talk("e", (first, replace(last, user=asked))))
    assert 0.0 == value(await outcome(METRIC, more))
    at_once = evidence(closing, language=language, answerable=False)
    assert 0.0 == value(await outcome(METRIC, at_once))
