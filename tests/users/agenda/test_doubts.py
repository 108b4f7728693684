"""Doubts of the agenda user: an answer that settles something is questioned before it is taken."""

from dataclasses import replace

import pytest

from simulator.core.persona import Language, Persona
from simulator.core.scenario import Brief
from simulator.core.talk import StopReason
from tests.users.people import OFF_TOPIC, REFUSAL, bare, brief, held, with_turns

LANGUAGES: tuple[Language, ...] = ("ja", "en")
GOAL = {"ja": "買った靴を返品したい。", "en": "I want to return the shoes I bought."}
ANSWER = {
    "ja": "買った靴は30日以内なら返品できます。",
    "en": "You can return the shoes that you bought.",
}
ASKS = {"ja": "靴のサイズを教えていただけますか？", "en": "What size are the shoes?"}
PHRASES = {
    "doubt": ("Sure?", "Oh, sure?", "Really sure?"),
    "dissatisfied": ("No!",),
    "ask": ("Ask: {need}",),
    "rephrase": ("Re: {keywords}",),
    "tell": ("Told: {fact}",),
}


def doubter(language: Language, doubts: int, patience: int = 2) -> Persona:
    return replace(bare(language, phrases=PHRASES, patience=patience), doubts=doubts)


def given(language: Language, doubts: int, **more: int) -> Brief:
    size = {"ja": "靴のサイズは24センチ", "en": "The size of the shoes is 24"}[language]
    return brief(doubter(language, doubts, **more), goal=GOAL[language], known=[size])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("doubts", [0, 1, 2, 3])
async def test_each_doubt_is_one_turn_and_then_the_answer_is_taken(
    language: Language, doubts: int
) -> None:
    said, stop = await held(given(language, doubts), ANSWER[language])
    assert (1 + doubts, StopReason.DONE) == (len(said), stop.reason)
    assert all(text.casefold().endswith("sure?") for text in said[1:])


@pytest.mark.parametrize(
    ("language", "matter"), [("ja", "返品"), ("en", "return the shoes I bought")]
)
async def test_a_doubt_names_the_matter_so_that_it_can_be_answered(
    language: Language, matter: str
) -> None:
    said, _ = await held(given(language, 1), ANSWER[language])
    assert matter in said[1]


async def test_the_thing_may_stand_for_the_need_where_only_one_can_be_meant() -> None:
    brief_for = given("en", 1)
    short = replace(brief_for.persona, style=replace(brief_for.persona.style, length=4))
    said, _ = await held(replace(brief_for, persona=short), ANSWER["en"])
    assert said[1].startswith("About the shoes: ")


async def test_who_has_no_words_left_for_a_doubt_takes_the_answer() -> None:
    persona = replace(doubter("ja", 9), phrases={**PHRASES, "doubt": ("Sure?",)})
    said, stop = await held(brief(persona, goal=GOAL["ja"]), ANSWER["ja"])
    assert (2, StopReason.DONE) == (len(said), stop.reason)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_answer_that_is_taken_back_is_open_again(language: Language) -> None:
    said, stop = await held(given(language, 1, patience=1), ANSWER[language], REFUSAL[language])
    assert StopReason.GAVE_UP is stop.reason
    assert 3 == len(said)
    assert "Ask: " in said[2] or "Re: " in said[2]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_taken_back_and_given_again_it_is_taken(language: Language) -> None:
    replies = (ANSWER[language], REFUSAL[language], ANSWER[language])
    said, stop = await held(given(language, 1), *replies)
    assert (3, StopReason.DONE) == (len(said), stop.reason)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_asked_back_it_tells_and_doubts_on(language: Language) -> None:
    replies = (ANSWER[language], ASKS[language], OFF_TOPIC[language])
    said, stop = await held(given(language, 1), *replies)
    assert (3, StopReason.DONE) == (len(said), stop.reason)
    assert "24" in said[2]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_question_that_cannot_be_answered_does_not_settle_a_doubt(
    language: Language,
) -> None:
    without = replace(given(language, 1, patience=1), known=())
    said, stop = await held(without, ANSWER[language], ASKS[language])
    assert (3, StopReason.GAVE_UP) == (len(said), stop.reason)
    assert said[2].casefold().endswith("sure?")


@pytest.mark.parametrize("max_turns", [1, 2, 3, 4])
async def test_the_last_turn_is_not_spent_on_a_doubt(max_turns: int) -> None:
    brief_for = with_turns(given("ja", 9), max_turns)
    said, stop = await held(brief_for, ANSWER["ja"])
    assert max(1, max_turns - 1) == len(said)
    assert stop.reason is (StopReason.MAX_TURNS if max_turns == 1 else StopReason.DONE)


async def test_what_is_doubted_stands_in_its_thoughts() -> None:
    from simulator.users.agenda import Agenda
    from tests.users.people import CONTEXT, talk

    said = await Agenda.open(given("ja", 1), CONTEXT).speak(talk(("返品したい", ANSWER["ja"])))
    assert "確かめたいこと: 買った靴を返品したい。" == said.thought
