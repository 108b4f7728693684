"""Each distinct answer of a run is read once."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from simulator.core.claim import Claim, Reader, Reading, State
from simulator.core.errors import TargetFault
from simulator.core.persona import Language
from simulator.core.talk import TargetFailure
from simulator.reading import reader
from tests.metrics.turns import evidence

ASKED: list[tuple[str, str]] = []


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> reader.WordsReader:
    """A reader that finds every claim met, and notes what it was asked."""

    def read_words(
        claims: Sequence[Claim],
        question: str,
        reply: str,
        language: Language,
        answers: Sequence[str],
    ) -> tuple[Reading, ...]:
        assert "ja" == language
        ASKED.append((question, reply))
        return tuple(Reading(claim.id, State.MET, Reader.WORDS) for claim in claims)

    ASKED.clear()
    monkeypatch.setattr(reader, "read_words", read_words)
    return reader.WordsReader()


async def test_it_reads_all_claims_of_the_last_answer(words: reader.WordsReader) -> None:
    turn = evidence("はい。", "30日です。", asked=("返品は？", "いつまで？"), elements=["30日"])
    readings = await words.read(turn)
    assert [claim.id for claim in turn.claims] == [reading.claim for reading in readings]
    assert [("返品は？\nいつまで？", "30日です。")] == ASKED


async def test_what_was_asked_is_named_once(words: reader.WordsReader) -> None:
    await words.read(evidence("はい。", asked=("返品は？",), answer="はい。"))
    assert [("返品は？", "はい。")] == ASKED


async def test_equal_answers_are_read_once(words: reader.WordsReader) -> None:
    turn = evidence("30日です。", elements=["30日"])
    again = replace(turn, talk=replace(turn.talk, episode="returns/calm/2"))
    assert await words.read(turn) == await words.read(again)
    assert 1 == len(ASKED)
    for other in (
        evidence("30日です。", elements=["14日"]),
        evidence("14日です。", elements=["30日"]),
        evidence("30日です。", elements=["30日"], asked=("いつ？",)),
    ):
        await words.read(other)
    assert 4 == len(ASKED)


async def test_a_failed_target_has_no_readings(words: reader.WordsReader) -> None:
    failure = TargetFailure(TargetFault.TIMEOUT, "no answer within 60 s", 60_000.0)
    assert () == await words.read(evidence(failure, elements=["30日"]))
    assert [] == ASKED
