"""A user who reads from a script."""

from simulator.core.talk import Stop, StopReason
from simulator.users.scripted import Scripted
from tests.users.people import CONTEXT, bare, brief, held, with_turns

ENDED = Stop(StopReason.MAX_TURNS, "台本がここで終わった")


async def test_the_turns_are_said_in_order_after_the_query() -> None:
    given = brief(query="返品したい", turns=["靴です", "送料は？"])
    said, stop = await held(given, "はい。", user=Scripted.open(given, CONTEXT))
    assert (["返品したい", "靴です", "送料は？"], ENDED) == (said, stop)


async def test_without_turns_it_ends_after_the_query() -> None:
    given = brief(query="返品したい")
    assert (["返品したい"], ENDED) == await held(
        given, "はい。", user=Scripted.open(given, CONTEXT)
    )


async def test_the_end_of_a_script_never_says_that_anything_was_solved() -> None:
    for persona in (bare("ja"), bare("en")):
        given = brief(persona, query="a", turns=["b", "ありがとう、解決しました"])
        _, stop = await held(given, "はい。", user=Scripted.open(given, CONTEXT))
        assert (StopReason.MAX_TURNS, True) == (stop.reason, bool(stop.detail))


async def test_a_script_that_is_longer_than_the_talk_is_cut() -> None:
    given = with_turns(brief(query="a", turns=["b", "c", "d"]), 2)
    said, stop = await held(given, "はい。", user=Scripted.open(given, CONTEXT))
    assert (["a", "b"], StopReason.MAX_TURNS) == (said, stop.reason)


async def test_a_script_that_ends_before_min_turns_says_so() -> None:
    given = brief(query="a", turns=["b"], min_turns=3)
    said, stop = await held(given, "はい。", user=Scripted.open(given, CONTEXT))
    assert ["a", "b"] == said
    assert (
        Stop(StopReason.USER_FAILED, "the script ends after 2 turns, before min_turns (3)") == stop
    )
