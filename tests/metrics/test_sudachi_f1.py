"""Token F1 as a metric: value, parts, comment, and where it does not apply."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from simulator.core.outcome import Score
from simulator.core.persona import Language
from simulator.metrics.sudachi_f1 import SudachiF1, match
from simulator.metrics.sudachi_f1_legacy import SudachiF1Legacy
from simulator.text.token_f1 import legacy_overlap
from tests.metrics.turns import comment, context, evidence, is_not_applicable, outcome, value

F1 = SudachiF1.open(context())
LEGACY = SudachiF1Legacy.open(context())
TRUTH = "返品は30日以内にお申し込みください。"


async def test_the_value_is_the_f1_and_its_parts_explain_it() -> None:
    said = "返品は、到着から14日以内に申し込みます。"
    found = await outcome(F1, evidence(said, answer=TRUTH))
    compared = match(said, TRUTH, "ja")
    assert isinstance(found, Score)
    assert compared is not None
    shared = compared.overlap
    assert (shared.f1, shared.f1) == (found.value, found.raw)
    assert found.parts == {
        "precision": shared.precision,
        "recall": shared.recall,
        "negation_conflict": 0.0,
        "number_conflict": 1.0,
    }
    assert set(found.parts) == set(F1.infos[0].parts)


async def test_legacy_has_the_published_figures() -> None:
    said = "返品、返品、返品！"
    found = await outcome(LEGACY, evidence(said, answer=TRUTH))
    shared = legacy_overlap(said, TRUTH)
    assert isinstance(found, Score)
    assert (shared.f1, {"precision": shared.precision, "recall": shared.recall}) == (
        found.value,
        found.parts,
    )
    assert set(found.parts) == set(LEGACY.infos[0].parts)


@pytest.mark.parametrize(
    ("language", "said", "truth", "told"),
    [
        (
            "ja",
            "返品できません。",
            "返品できます。",
            "肯定と否定が正解の回答と逆。余分な語は「ない」",
        ),
        (
            "ja",
            "3日です。",
            "5日です。",
            "数値が正解の回答と違う。足りない語は「5」。余分な語は「3」",
        ),
        ("ja", "三日です。", "3日です。", ""),
        (
            "en",
            "It takes 3 days.",
            "It takes 5 days.",
            "numbers differ; missing words: 5; extra words: 3",
        ),
        (
            "en",
            "You cannot return it in 3 days.",
            "You can return it in 5 days.",
            (
                "says yes where the expected answer says no; numbers differ; "
                "missing words: can, 5; extra words: cannot, 3"
            ),
        ),
        ("en", "Yes.", "b b b b, b", "missing words: b; extra words: yes"),
        ("en", "", "b c d e f g h i j k", "missing words: b, c, d, e, f, g, h, i, and 2 more"),
        ("ja", "返品", "返品", ""),
    ],
)
async def test_the_comment_names_contradictions_and_the_words_that_differ(
    language: Language, said: str, truth: str, told: str
) -> None:
    turn = evidence(said, language=language, answer=truth)
    assert told == comment(await outcome(F1, turn))


@pytest.mark.parametrize("metric", [F1, LEGACY])
async def test_only_this_turns_reply_counts(metric: SudachiF1 | SudachiF1Legacy) -> None:
    assert 0.0 == value(await outcome(metric, evidence(TRUTH, "🎉", answer=TRUTH)))


@pytest.mark.parametrize("metric", [F1, LEGACY])
async def test_without_an_expected_answer_it_is_not_applicable(
    metric: SudachiF1 | SudachiF1Legacy,
) -> None:
    for nothing in ("", " \n\u3000"):
        assert is_not_applicable(await outcome(metric, evidence("返品", answer=nothing)))


@pytest.mark.parametrize("metric", [F1, LEGACY])
@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "𠮷\ud83d", "あ" * 60_000, "a" * 60_000])
async def test_any_text_scores(metric: SudachiF1 | SudachiF1Legacy, text: str) -> None:
    assert 0.0 == value(await outcome(metric, evidence(text, answer=TRUTH)))


@pytest.mark.parametrize("metric", [F1, LEGACY])
async def test_long_texts_do_not_keep_other_calls_waiting(
    metric: SudachiF1 | SudachiF1Legacy,
) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    other = asyncio.create_task(tick())
    await asyncio.sleep(0)
    await metric.score(evidence(TRUTH * 2_000, answer=TRUTH))
    other.cancel()
    assert ticks > 3


def test_it_runs_on_any_thread() -> None:
    def scored(_: int) -> float:
        return value(asyncio.run(outcome(F1, evidence(TRUTH, answer=TRUTH))))

    with ThreadPoolExecutor(4) as pool:
        assert [1.0] * 8 == list(pool.map(scored, range(8)))
