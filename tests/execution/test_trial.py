"""The example talks of a persona."""

import pytest

from simulator.core.persona import Language
from simulator.core.scenario import Scenario
from simulator.core.talk import StopReason
from simulator.execution.trial import example_talks, scenario_to_show
from tests.expecting import expecting
from tests.users.people import bare, shipped

SHOES = Scenario(
    "shoes",
    "返品したいのですが",
    goal="買った靴を返品したい。",
    known=("靴のサイズは24センチ",),
    expected=expecting(answer="買った靴は30日以内なら返品できます。"),
)


async def test_one_bot_asks_and_answers_and_the_other_refuses() -> None:
    asks, refuses = await example_talks(shipped("calm"), SHOES)
    assert ("asks", StopReason.DONE) == (asks.kind, asks.stop.reason)
    assert ["24" in exchange.user for exchange in asks.exchanges] == [False, True]
    assert SHOES.expected.answer == asks.exchanges[-1].assistant
    assert ("refuses", StopReason.GAVE_UP) == (refuses.kind, refuses.stop.reason)
    assert shipped("calm").patience + 1 == len(refuses.exchanges)


async def test_they_are_the_same_every_time_and_begin_in_the_personas_words() -> None:
    first = await example_talks(shipped("beginner"), SHOES)
    assert first == await example_talks(shipped("beginner"), SHOES)
    opening = first[0].exchanges[0].user
    assert SHOES.query in opening
    assert SHOES.query != opening


@pytest.mark.parametrize("language", ["ja", "en"])
async def test_a_persona_without_phrases_and_a_scenario_without_an_answer_will_do(
    language: Language,
) -> None:
    talks = await example_talks(bare(language), Scenario("s", "Hello"))
    assert all(talk.exchanges for talk in talks)


def test_a_scenario_with_something_to_tell_is_shown() -> None:
    silent = Scenario("silent", "?", expected=expecting(answer="!"))
    told = Scenario("told", "?", known=("a", "b"))
    assert SHOES == scenario_to_show({s.id: s for s in (silent, told, SHOES)})
    assert told == scenario_to_show({told.id: told})
