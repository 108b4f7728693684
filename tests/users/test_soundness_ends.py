"""Who leaves while the bot waits for an answer, and which tags make a conversation unsound."""

from dataclasses import replace

import pytest

from simulator.core.persona import Language
from simulator.core.soundness import LENGTH, STOPPED_AT_ONCE, UNSOUND, first_unsound, unsound_tags
from simulator.core.talk import Stop, StopReason
from simulator.files.catalog import shipped
from simulator.users._soundness import ends_at_once
from simulator.words import Words
from tests.execution.scored import episode, evidence, turn

ASKS, ANSWERS = True, False


def at_once(reason: StopReason, *asks_back: bool, scripted: bool = False) -> bool:
    """Whether somebody who bears 2 unhelpful replies stops at once after these."""
    turns = episode(*(turn(asks_back=asks) for asks in asks_back)).turns
    held = replace(evidence(("q", "a")), scripted=scripted)
    return ends_at_once(held, Stop(reason), turns)


@pytest.mark.parametrize("reason", [StopReason.DONE, StopReason.GAVE_UP])
def test_a_question_back_is_no_answer_to_leave_with(reason: StopReason) -> None:
    assert at_once(reason, ASKS)
    assert at_once(reason, ANSWERS, ASKS)
    assert not at_once(reason, ANSWERS)
    assert not at_once(reason, ASKS, ANSWERS)


def test_who_was_asked_more_often_than_the_persona_bears_may_give_up() -> None:
    assert at_once(StopReason.GAVE_UP, ASKS, ASKS)
    assert not at_once(StopReason.GAVE_UP, ASKS, ASKS, ASKS)
    assert at_once(StopReason.DONE, ASKS, ASKS, ASKS)


def test_a_script_ends_where_it_ends() -> None:
    assert not at_once(StopReason.DONE, ASKS, scripted=True)


def test_before_the_first_answer_nobody_has_left() -> None:
    assert not at_once(StopReason.DONE)


@pytest.mark.parametrize("reason", [r for r in StopReason if r not in ("done", "gave_up")])
def test_other_ends_are_not_the_users_doing(reason: StopReason) -> None:
    assert not at_once(reason, ASKS)


def test_a_conversation_is_unsound_from_the_first_such_turn_on() -> None:
    sound, long, odd = turn(), turn(soundness=(LENGTH,)), turn(soundness=(LENGTH, "echo", "repeat"))
    assert first_unsound(episode(sound, long).turns) is None
    assert 2 == first_unsound(episode(sound, odd, odd).turns)
    assert () == unsound_tags(episode(sound, long).turns)
    assert 2 == first_unsound(episode(sound, turn(soundness=(STOPPED_AT_ONCE,))).turns)
    assert ("echo", "repeat") == unsound_tags(episode(long, odd, odd).turns)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_tag_has_words_for_people_and_for_the_user(language: Language) -> None:
    words = Words(language, "report")
    prompt = (shipped() / f"prompts/{language}/user.md").read_text("utf-8")
    for tag in UNSOUND:
        assert words.find(f"tag.{tag}")
        assert f"<!-- part: fault.{tag} -->" in prompt
