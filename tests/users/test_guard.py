"""The guard around a simulated user: its opening, its failures, min_turns."""

from dataclasses import replace

import pytest

from simulator.core.errors import (
    HaltReason,
    ModelError,
    ModelFault,
    RunStopped,
    StoreError,
    UserError,
)
from simulator.core.persona import Slips
from simulator.core.talk import Stop, StopReason, Talk, Utterance
from simulator.users._guard import UserGuard
from simulator.users.agenda import Agenda
from tests.users.people import CONTEXT, PERSONAS, Says, bare, brief, shipped, talk

AFTER_ONE = talk(("返品したい", "はい。"))
DONE = Stop(StopReason.DONE, "分かりました。")


async def test_turn_one_is_the_query_word_for_word() -> None:
    user = Says()
    said = await UserGuard(user, brief(query="  返品…したい！"), "exact").speak(Talk())
    assert Utterance("  返品…したい！") == said
    assert 0 == user.asked


@pytest.mark.parametrize("name", PERSONAS)
async def test_styled_it_stands_in_one_of_the_personas_wordings(name: str) -> None:
    persona = shipped(name)
    wordings = {p.replace("{query}", "靴を返したい") for p in persona.phrases["styled_query"]}
    drawn = set()
    for seed in range(40):
        given = brief(persona, query="靴を返したい", seed=seed)
        first = await UserGuard(Says(), given, "styled").speak(Talk())
        assert first == await UserGuard(Says(), given, "styled").speak(Talk())
        drawn.add(first.text)
    assert wordings == drawn


async def test_styled_it_has_the_slips_of_the_person_and_exact_it_has_none() -> None:
    persona = bare(phrases={"styled_query": ("教えてください。{query}",)})
    persona = replace(persona, style=replace(persona.style, slips=Slips.TYPING))
    given = brief(persona, query="会員番号12345の靴を返したいです")
    styled = await UserGuard(Says(), given, "styled").speak(Talk())
    assert styled == await UserGuard(Says(), given, "styled").speak(Talk())
    assert "教えてください。会員番号12345の靴を返したいです" != styled.text
    assert "12345" in styled.text
    assert given.query == (await UserGuard(Says(), given, "exact").speak(Talk())).text


async def test_a_persona_without_phrases_has_neutral_ones() -> None:
    said = await UserGuard(Says(), brief(bare("en"), query="{query}?"), "styled").speak(Talk())
    assert said.text.endswith("{query}?")
    assert "{query}?" != said.text


async def test_only_a_user_that_knows_says_what_was_not_asked() -> None:
    guard = UserGuard(Says(), brief(), "exact")
    assert () == guard.unasked(AFTER_ONE)
    knows = UserGuard(Agenda.open(brief(), CONTEXT), brief(), "exact")
    assert 1 == len(knows.unasked(AFTER_ONE))
    assert () == knows.unasked(Talk())


async def test_later_turns_are_the_users_own() -> None:
    said = Utterance("送料は？", thought="まだ", latency_ms=5.0)
    assert said == await UserGuard(Says(said), brief(), "styled").speak(AFTER_ONE)


async def test_what_a_user_says_is_cleaned() -> None:
    said = await UserGuard(Says(Utterance(" a\ud800\x00\r\n ")), brief(), "exact").speak(AFTER_ONE)
    assert Utterance("a\ufffd") == said


async def test_a_message_that_nobody_can_see_is_none() -> None:
    said = await UserGuard(Says(Utterance("\u200b", DONE)), brief(), "exact").speak(AFTER_ONE)
    assert Utterance("", DONE) == said


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (UserError("it said nothing, asked twice"), "it said nothing, asked twice"),
        (
            ModelError(ModelFault.UNPARSABLE, "no JSON"),
            "the simulated user's model: no JSON",
        ),
        (KeyError("x"), "the simulated user raised KeyError: 'x'"),
    ],
)
async def test_a_user_that_fails_is_a_stop(error: Exception, detail: str) -> None:
    said = await UserGuard(Says(error), brief(), "exact").speak(AFTER_ONE)
    assert Utterance(stop=Stop(StopReason.USER_FAILED, detail)) == said


@pytest.mark.parametrize(
    "error",
    [
        ModelError(ModelFault.UNAVAILABLE, "nobody answers"),
        RunStopped(HaltReason.BUDGET, "spent"),
        StoreError("disk full"),
    ],
)
async def test_what_is_not_the_users_fault_passes_through(error: Exception) -> None:
    with pytest.raises(type(error)):
        await UserGuard(Says(error), brief(), "exact").speak(AFTER_ONE)


async def test_an_early_end_with_a_message_goes_on() -> None:
    user = Says(Utterance("ありがとう", DONE), Utterance("では", DONE))
    guard = UserGuard(user, brief(min_turns=3), "exact")
    assert Utterance("ありがとう") == await guard.speak(AFTER_ONE)
    two = talk(("返品したい", "はい。"), ("ありがとう", "いえ。"))
    assert Utterance("では", DONE) == await guard.speak(two)


async def test_an_early_end_without_a_message_is_a_failed_user() -> None:
    said = await UserGuard(Says(Utterance(stop=DONE)), brief(min_turns=2), "exact").speak(AFTER_ONE)
    assert said.stop is not None
    assert StopReason.USER_FAILED is said.stop.reason
    assert "min_turns" in said.stop.detail


@pytest.mark.parametrize("reason", [StopReason.GAVE_UP, StopReason.ESCALATED])
async def test_only_being_done_can_be_too_early(reason: StopReason) -> None:
    said = Utterance(stop=Stop(reason))
    assert said == await UserGuard(Says(said), brief(min_turns=5), "exact").speak(AFTER_ONE)
