"""Who leaves while the bot waits for an answer, and from which turn on a conversation is unsound."""

import pytest

from simulator.core.persona import Language
from simulator.core.talk import Stop, StopReason
from simulator.files.catalog import shipped
from simulator.judging.soundness import (
    LENGTH,
    STOPPED_AT_ONCE,
    UNSOUND,
    ends_at_once,
    first_unsound,
    unsound_tags,
)
from simulator.words import Words
from tests.judging.made import episode, evidence, persona, turn

ASKS: dict[Language, str] = {
    "ja": "かしこまりました。国内でしょうか、海外でしょうか？",
    "en": "Happy to help. Could you tell me your order number?",
}
ANSWERS: dict[Language, str] = {
    "ja": "送料は500円です。ほかにご不明な点はございますか？",
    "en": "Shipping costs 5 dollars. Is there anything else I can help with?",
}
REFUSES: dict[Language, str] = {
    "ja": "申し訳ございません。その件は分かりかねます。",
    "en": "I'm sorry, I don't know that.",
}
HALF: dict[Language, str] = {
    "ja": "送料は500円です。海外への発送もご希望でしょうか？",
    "en": "Shipping costs 5 dollars. Do you want it sent abroad?",
}


def at_once(language: Language, reason: StopReason, *replies: str) -> bool:
    """Whether somebody who bears 2 unhelpful replies stops at once after these."""
    said = [(f"q{n}", reply) for n, reply in enumerate(replies)]
    return ends_at_once(evidence(*said, language=language, who=persona(language)), Stop(reason))


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("reason", [StopReason.DONE, StopReason.GAVE_UP])
def test_a_question_back_is_no_answer_to_leave_with(language: Language, reason: StopReason) -> None:
    assert at_once(language, reason, ASKS[language])
    for reply in (ANSWERS, REFUSES, HALF):
        assert not at_once(language, reason, reply[language])
        assert not at_once(language, reason, ASKS[language], reply[language])


@pytest.mark.parametrize("language", ["ja", "en"])
def test_who_was_answered_before_may_not_leave_a_later_question_open(language: Language) -> None:
    assert at_once(language, StopReason.DONE, ANSWERS[language], ASKS[language])


@pytest.mark.parametrize("language", ["ja", "en"])
def test_who_was_asked_more_often_than_the_persona_bears_may_give_up(language: Language) -> None:
    asked = [ASKS[language]] * 3
    assert at_once(language, StopReason.GAVE_UP, *asked[:2])
    assert not at_once(language, StopReason.GAVE_UP, *asked)
    assert at_once(language, StopReason.DONE, *asked)


@pytest.mark.parametrize("reason", set(StopReason) - {StopReason.DONE, StopReason.GAVE_UP})
def test_other_ends_are_not_the_users_doing(reason: StopReason) -> None:
    assert not at_once("en", reason, ASKS["en"])


def test_a_conversation_is_unsound_from_the_first_such_turn_on() -> None:
    sound, long, odd = turn(), turn(soundness=(LENGTH,)), turn(soundness=(LENGTH, "echo", "repeat"))
    assert first_unsound(episode(sound, long).turns) is None
    assert 2 == first_unsound(episode(sound, odd, odd).turns)
    assert () == unsound_tags(episode(sound, long).turns)
    assert ("echo", "repeat") == unsound_tags(episode(long, odd, odd).turns)


def test_who_stopped_at_once_was_sound_up_to_the_turn_that_never_came() -> None:
    ended = turn(soundness=(STOPPED_AT_ONCE,))
    assert 3 == first_unsound(episode(turn(), ended).turns)
    assert 2 == first_unsound(episode(turn(), turn(soundness=("echo", STOPPED_AT_ONCE))).turns)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_tag_has_words_for_people_and_for_the_user(language: Language) -> None:
    words = Words(language, "report")
    prompt = (shipped() / f"prompts/{language}/user.md").read_text("utf-8")
    for tag in UNSOUND:
        assert words.find(f"tag.{tag}")
        assert f"<!-- part: fault.{tag} -->" in prompt
