"""The personas that ship: the same people in both languages, with words for what they do."""

from functools import cache
from pathlib import Path

import pytest

from simulator.core.persona import Language, Persona
from simulator.files.catalog import Catalog

LANGUAGES: tuple[Language, ...] = ("ja", "en")
IDS = ["angry", "beginner", "business", "calm", "chatty", "dialect", "elderly", "expert"]
IDS += ["hurried", "non-native", "rule-breaker", "suspicious", "typos", "vague", "voice"]
FEWEST = {"styled_query": 3, "ask": 4, "rephrase": 4, "tell": 4, "cannot_tell": 3}
FEWEST |= {"dissatisfied": 4, "give_up": 3, "satisfied": 3}
SLOTS = {"styled_query": "{query}", "ask": "{need}", "tell": "{fact}"}


@cache
def people(language: Language) -> dict[str, Persona]:
    return Catalog(None, Path(__file__).parents[2]).personas(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_people_ship_in_both_languages(language: Language) -> None:
    assert IDS == list(people(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_has_several_wordings_for_every_act(language: Language) -> None:
    for name, persona in people(language).items():
        fewest = {**FEWEST, "aside": 6} if persona.style.asides else FEWEST
        fewest = {**fewest, "doubt": 4} if persona.doubts else fewest
        assert fewest.keys() == persona.phrases.keys(), name
        few = [act for act, n in fewest.items() if len(set(persona.phrases[act])) < n]
        assert [] == few, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_wording_says_what_it_is_for(language: Language) -> None:
    asking = {"{need}", "{keywords}"}  # either will do
    silent = [
        (name, wording)
        for name, persona in people(language).items()
        for act, slot in SLOTS.items()
        for wording in persona.phrases[act]
        if not any(s in wording for s in (asking if slot in asking else {slot}))
    ]
    assert [] == silent


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_is_described_by_traits_and_by_behaviours_that_can_be_checked(
    language: Language,
) -> None:
    for name, persona in people(language).items():
        assert 3 <= len(persona.traits) <= 5, name
        assert 3 <= len(persona.behaviours) <= 5, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_word_an_act_alike(language: Language) -> None:
    """Real customers share plain wordings such as `{fact}。`; a manner is all of them together."""
    acts = [
        (act, frozenset(wordings))
        for persona in people(language).values()
        for act, wordings in persona.phrases.items()
    ]
    assert [] == [act for act, wordings in acts if acts.count((act, wordings)) > 1]
