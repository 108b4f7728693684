"""Whether a person or a desk that is named takes the matter up, by `handover_named.yaml`."""

from pathlib import Path

import pytest
import yaml

from simulator.core.persona import Language
from simulator.text.handover import Handover, handover, sends_to_a_person

# How many of those that take it up are read so, and how many of the others are, too. Of the unseen
# half, at first look; before the rule it had been 2 of 8 and 2 of 7.
REACHED = [("ja", "built_on", 17, 1), ("ja", "unseen", 4, 0)]
REACHED += [("ja", "desk_built_on", 3, 0), ("ja", "desk_unseen", 4, 0)]
REACHED += [("en", "built_on", 14, 1), ("en", "unseen", 5, 0)]


@pytest.mark.parametrize(("language", "half", "least", "most"), REACHED)
def test_who_is_named_takes_it_up(language: Language, half: str, least: int, most: int) -> None:
    text = Path(__file__).with_name("handover_named.yaml").read_text("utf-8")
    said = yaml.safe_load(text)[language][half]
    assert sum(sends_to_a_person(one, language) for one in said["taken"]) >= least
    assert sum(sends_to_a_person(one, language) for one in said["not"]) <= most


# Of 10 each. The unseen ones at first look, and before the rule: ja 8 and 0 (7 and 1), en 9 and 1
# (9 and 4).
PASSING = [("ja", "built_on", 10, 0), ("ja", "unseen", 10, 0)]
PASSING += [("en", "built_on", 10, 0), ("en", "unseen", 10, 1)]


@pytest.mark.parametrize(("language", "half", "least", "most"), PASSING)
def test_a_number_in_passing_hands_nothing_over(
    language: Language, half: str, least: int, most: int
) -> None:
    text = Path(__file__).with_name("handover_in_passing.yaml").read_text("utf-8")
    said = yaml.safe_load(text)[language][half]
    assert sum(sends_to_a_person(one, language) for one in said["taken"]) >= least
    assert sum(sends_to_a_person(one, language) for one in said["not"]) <= most


# Of 15, in hard registers; before the rules were mended by the first half 2 and 5, 5 and 5. The
# goal of .9 is missed: half of what nobody built from stands in words of nobody's list.
HARD = [("ja", "built_on", 14, 0), ("ja", "unseen", 9, 1)]
HARD += [("en", "built_on", 15, 0), ("en", "unseen", 8, 0)]


@pytest.mark.parametrize(("language", "half", "least", "most"), HARD)
def test_a_person_takes_it_up_in_hard_registers(
    language: Language, half: str, least: int, most: int
) -> None:
    text = Path(__file__).with_name("handover_hard.yaml").read_text("utf-8")
    said = yaml.safe_load(text)[language][half]
    taken = (handover(one, language) >= Handover.TAKEN_UP for one in said["taken"])
    assert sum(taken) >= least
    assert sum(handover(one, language) >= Handover.TAKEN_UP for one in said["not"]) <= most


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("支配人の田所が承ります。", "ja"),
        ("担当の者が折り返します。", "ja"),
        ("Our manager Ms Hart will take this.", "en"),
    ],
)
def test_that_is_more_than_a_pointer(text: str, language: Language) -> None:
    assert handover(text, language) >= Handover.TAKEN_UP
