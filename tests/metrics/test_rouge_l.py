"""ROUGE-L as a metric: value, parts, comment, and where it does not apply."""

import pytest

from simulator.core.outcome import Score
from simulator.core.persona import Language
from simulator.metrics.rouge_l import RougeL
from tests.metrics.turns import comment, context, evidence, is_not_applicable, outcome, value

METRIC = RougeL.open(context())
TRUTH = "返品は30日以内にお申し込みください。"


async def test_the_value_is_the_recall_and_its_parts_say_what_it_costs() -> None:
    found = await outcome(METRIC, evidence(f"ありがとうございます。{TRUTH}", answer=TRUTH))
    assert isinstance(found, Score)
    assert 1.0 == found.value == found.raw == found.parts["recall"]
    assert found.parts["precision"] < found.parts["f1"] < 1.0
    assert set(found.parts) == set(METRIC.infos[0].parts)
    assert not found.comment


@pytest.mark.parametrize(
    ("language", "said", "truth", "told"),
    [
        ("ja", "3日です。", "5日です。", "足りない語は「5」"),
        ("en", "It takes 3 days.", "It takes 5 days by post.", "missing words: 5, by, post"),
    ],
)
async def test_the_comment_names_what_is_missing(
    language: Language, said: str, truth: str, told: str
) -> None:
    turn = evidence(said, language=language, answer=truth)
    assert told == comment(await outcome(METRIC, turn))


async def test_only_this_turns_reply_counts() -> None:
    assert 0.0 == value(await outcome(METRIC, evidence(TRUTH, "🎉", answer=TRUTH)))


@pytest.mark.parametrize("nothing", ["", " \n\u3000"])
async def test_without_an_expected_answer_it_is_not_applicable(nothing: str) -> None:
    assert is_not_applicable(await outcome(METRIC, evidence("返品", answer=nothing)))


@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "𠮷\ud83d", "あ" * 60_000, "a" * 60_000])
async def test_any_text_scores(text: str) -> None:
    assert 0.0 == value(await outcome(METRIC, evidence(text, answer=TRUTH)))


async def test_of_several_expected_answers_the_nearest_counts() -> None:
    turn = evidence("$0.06 each", language="en", answer=["six cents", "$0.06"])
    assert 1.0 == value(await outcome(METRIC, turn))
