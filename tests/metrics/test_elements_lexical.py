"""The share of the expected elements that the replies hold."""

import pytest

from simulator.core.errors import TargetFault
from simulator.core.persona import Language
from simulator.core.talk import TargetFailure
from simulator.metrics.elements_lexical import ElementsLexical
from tests.metrics.turns import comment, context, evidence, is_not_applicable, outcome, value

METRIC = ElementsLexical.open(context())


async def test_the_value_is_the_share_of_the_elements_that_are_there() -> None:
    turn = evidence(
        "30日以内なら返品できます。", elements=["30日以内", "返品できる", "無料", "店舗"]
    )
    assert 0.5 == value(await outcome(METRIC, turn))


async def test_what_an_earlier_reply_said_still_counts() -> None:
    turn = evidence("30日以内です。", "返品できます。", elements=["30日以内", "返品できる"])
    assert 1.0 == value(await outcome(METRIC, turn))


async def test_an_earlier_turn_without_an_answer_does_not_matter() -> None:
    failure = TargetFailure(TargetFault.TIMEOUT, "too late")
    turn = evidence(failure, "30日以内です。", elements=["30日以内"])
    assert 1.0 == value(await outcome(METRIC, turn))


async def test_a_denied_verb_does_not_count() -> None:
    turn = evidence("返品できません。", elements=["返品できる"])
    assert 0.0 == value(await outcome(METRIC, turn))


@pytest.mark.parametrize(
    ("language", "reply", "elements", "said"),
    [
        ("ja", "はい。", ["30日以内", "無料"], "ない要素: 30日以内、無料"),
        ("en", "Yes.", ["within 30 days", "free"], "missing: within 30 days, free"),
        ("ja", "無料です。", ["無料"], ""),
    ],
)
async def test_the_comment_names_what_is_missing(
    language: Language, reply: str, elements: list[str], said: str
) -> None:
    turn = evidence(reply, language=language, elements=elements)
    assert said == comment(await outcome(METRIC, turn))


@pytest.mark.parametrize("elements", [[], [""], ["。", " "]])
async def test_without_elements_it_is_not_applicable(elements: list[str]) -> None:
    assert is_not_applicable(await outcome(METRIC, evidence("はい。", elements=elements)))
