"""How the agenda user leaves where a bot passes it on to a person, or only points elsewhere."""

from dataclasses import replace

import pytest

from simulator.core.persona import Language
from simulator.core.scenario import Brief
from simulator.core.talk import StopReason, Utterance
from simulator.users.agenda import Agenda
from tests.text.handover_phrasings import HANDED_OVER, ONLY_POINTED
from tests.users.people import CONTEXT, OFF_TOPIC, POINTED, bare, brief, held, shipped, talk

LANGUAGES: tuple[Language, ...] = ("ja", "en")
ANSWER = "買った靴は、30日以内なら返品できます。返品の送料は500円です。"


async def after(given: Brief, *replies: str) -> Utterance:
    """What the user says to the last of these replies."""
    user = Agenda.open(given, CONTEXT)
    so_far: list[tuple[str, str]] = []
    said = Utterance(given.query)
    for reply in replies:
        so_far.append((said.text, reply))
        said = await user.speak(talk(*so_far))
    return said


async def test_a_refusal_that_names_a_desk_ends_it_once_every_need_was_put_in_words() -> None:
    said, stop = await held(brief(bare(patience=5)), POINTED["ja"])
    assert (3, StopReason.GAVE_UP) == (len(said), stop.reason)  # the query and both needs
    assert "ほかの窓口" in stop.detail


@pytest.mark.parametrize("language", LANGUAGES)
async def test_it_waits_for_the_person_to_whom_the_talk_is_passed_on(language: Language) -> None:
    missed = []
    for handed_over in HANDED_OVER[language]:
        persona = replace(shipped("angry", language), patience=0)
        said, stop = await held(brief(persona), handed_over)
        if (1, StopReason.ESCALATED) != (len(said), stop.reason):
            missed.append(handed_over)
        assert stop.detail
    assert [] == missed


@pytest.mark.parametrize("language", LANGUAGES)
async def test_nobody_who_is_only_pointed_elsewhere_is_passed_on_or_content(
    language: Language,
) -> None:
    stops = [(await held(brief(shipped("calm", language)), s))[1] for s in ONLY_POINTED[language]]
    others = [stop.reason for stop in stops if stop.reason is not StopReason.GAVE_UP]
    assert [] == others


async def test_an_answer_and_then_a_person_is_an_answer_first() -> None:
    said, stop = await held(brief(bare()), f"{ANSWER}担当者におつなぎします。")
    assert (1, StopReason.DONE) == (len(said), stop.reason)


async def test_being_sent_to_a_person_for_the_very_matter_ends_it() -> None:
    given = brief(bare(), goal="壊れた靴の代金を返してほしい。")
    sent = "壊れた靴は、担当者が調査しますので、返品センターへご連絡ください。"
    said, stop = await held(given, sent)
    assert (1, StopReason.ESCALATED) == (len(said), stop.reason)


async def test_a_help_desk_below_some_other_answer_ends_nothing() -> None:
    given = brief(bare())
    other = "会員登録は設定から行えます。登録については、サポート窓口にお問い合わせください。"
    assert (await after(given, other)).stop is None


async def test_needs_that_are_open_otherwise_keep_it_going() -> None:
    given = brief(bare())
    assert (await after(given, OFF_TOPIC["ja"], POINTED["ja"])).stop is None
