"""Whether the bot refuses where it must, and answers where it can."""

from dataclasses import replace

import pytest

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
