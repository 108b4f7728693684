"""The wordings of the agenda user's acts."""

import pytest

from simulator.core.persona import Language
from simulator.users._phrases import phrases_of
from tests.users.people import bare

SLOTS = {"styled_query": "{query}", "ask": "{need}", "rephrase": "{keywords}", "tell": "{fact}"}
ACTS = (*SLOTS, "cannot_tell", "doubt", "aside", "dissatisfied", "give_up", "satisfied")


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("act", ACTS)
def test_a_persona_without_phrases_has_neutral_ones(act: str, language: Language) -> None:
    for wording in phrases_of(bare(language), act):
        assert wording.count("{") == (act in SLOTS)
        assert SLOTS.get(act, "") in wording


def test_a_persona_with_phrases_has_its_own() -> None:
    persona = bare(phrases={"ask": ("{need}！",), "tell": ()})
    assert ("{need}！",) == phrases_of(persona, "ask")
    assert phrases_of(bare(), "tell") == phrases_of(persona, "tell")
