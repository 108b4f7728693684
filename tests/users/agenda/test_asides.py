"""Asides of the agenda user: a share of the turns, beside the matter and never instead of it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language, Persona
from simulator.core.talk import StopReason
from simulator.users.agenda import strays
from tests.users.people import OFF_TOPIC, REFUSAL, bare, brief, held

LANGUAGES: tuple[Language, ...] = ("ja", "en")
PHRASES = {
    "aside": tuple(f"Aside{n}!" for n in range(12)),
    "ask": ("Ask: {need}",),
    "rephrase": ("Re: {keywords}", "Again: {keywords}", "So: {keywords}"),
    "tell": ("Told: {fact}",),
}
ANSWER = {
    "ja": "買った靴は返品できます。返品の送料は500円です。",
    "en": "You can return shoes you bought. Return shipping is 500 yen.",
}


@given(
    share=st.floats(0, 1),
    seed=st.integers(0, 10_000),
    turns=st.integers(1, 40),
    at=st.integers(1, 9),
)
def test_any_turns_in_a_row_hold_the_share(share: float, seed: int, turns: int, at: int) -> None:
    found = sum(strays(share, seed, turn) for turn in range(at, at + turns))
    assert abs(found - share * turns) < 1 + 1e-6


def test_every_turn_may_be_one_of_them() -> None:
    for turn in (2, 3, 4):
        due = [strays(0.5, seed, turn) for seed in range(200)]
        assert 60 < sum(due) < 140


def stray(language: Language, share: float) -> Persona:
    persona = bare(language, phrases=PHRASES, patience=9)
    return replace(persona, style=replace(persona.style, asides=share))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
async def test_the_share_of_turns_has_one_and_the_bot_still_gets_the_question(
    language: Language, share: float
) -> None:
    turns = strayed = 0
    for seed in range(20):
        said, _ = await held(brief(stray(language, share), seed=seed), OFF_TOPIC[language])
        turns += len(said) - 1
        strayed += sum("Aside" in text for text in said)
        for text in said[1:]:
            assert any(mark in text for mark in ("Ask: ", "Re: ", "Again: ", "So: "))
            assert not text.rstrip("!").endswith("Aside")
    assert abs(strayed / turns - share) < 0.1


async def test_no_aside_comes_twice_while_there_are_others() -> None:
    said, _ = await held(brief(stray("ja", 1.0)), OFF_TOPIC["ja"])
    asides = [text.partition("Aside")[2].partition("!")[0] for text in said[1:]]
    assert len(asides) == len(set(asides)) > 5


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_bot_that_declines_the_aside_and_answers_the_matter_has_answered(
    language: Language,
) -> None:
    both = f"{REFUSAL[language]} {ANSWER[language]}"
    said, stop = await held(brief(stray(language, 1.0)), OFF_TOPIC[language], both)
    assert (2, StopReason.DONE) == (len(said), stop.reason)
    plain = replace(stray(language, 0.0), patience=1)
    said, stop = await held(brief(plain), OFF_TOPIC[language], both)
    assert StopReason.GAVE_UP is stop.reason


async def test_a_bot_that_only_declines_has_not_answered() -> None:
    persona = replace(stray("ja", 1.0), patience=2)
    said, stop = await held(brief(persona), REFUSAL["ja"])
    assert (4, StopReason.GAVE_UP) == (
        len(said),
        stop.reason,
    )  # the last for its different question


async def test_told_facts_may_have_an_aside_with_them() -> None:
    given_facts = brief(stray("ja", 1.0), known=["靴のサイズは24センチ"])
    said, _ = await held(given_facts, "靴のサイズを教えていただけますか？")
    assert "Told: 靴のサイズは24センチ" in said[1]
    assert "Aside" in said[1]
