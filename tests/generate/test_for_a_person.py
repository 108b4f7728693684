"""Entries that keep their matter for people become scenarios in which a hand-over is due."""

from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from simulator.core.persona import Language
from simulator.core.scenario import Expected
from simulator.core.talk import Document
from simulator.generate.elements import is_for_a_person
from simulator.generate.forms import Candidate
from simulator.generate.scenario_file import scenario_of
from simulator.generate.units import Method, Unit

CASES: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parent / "for_a_person.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("language", get_args(Language))
def test_what_is_for_a_person_is_told_from_what_is_answered(language: Language) -> None:
    cases = CASES[language]
    assert 18 == len(cases["person"]) == len(cases["other"])
    assert [] == [q for q, text in cases["other"] if is_for_a_person(text, language)]
    missed = [q for q, text in cases["person"] if not is_for_a_person(text, language)]
    assert 2 == len(missed), missed


def scenario(*entries: Document, method: Method = Method.TITLE) -> Expected:
    unit = Unit(method, entries, (0, 0, ""), 1)
    asked = Candidate("May I?", ("03-5550-0101",))
    return scenario_of(unit, 1, asked, {"a": "a", "b": "b"}, "en").expected


def test_such_an_entry_asks_for_a_hand_over_and_for_no_words() -> None:
    person = Document(
        "Allergies are never handled by chat. Please call 03-5550-0101.", "a", "Allergies"
    )
    fact = Document("Open 9 to 17.", "b", "Hours")
    assert Expected(documents=("a",), escalate=True) == scenario(person)
    assert Expected(answerable=False) == scenario(person, method=Method.UNANSWERABLE)
    both = scenario(person, fact, method=Method.TWO_ENTRIES)
    assert (False, True) == (both.escalate, both.answerable)
