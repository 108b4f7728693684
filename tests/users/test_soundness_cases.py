"""Made-up unsound turns of seven kinds: how many of them are noticed, and what is left alone.

`built` are the cases that the phrase lists were built on; `unseen` are others of the same author,
written before the rules were read. That is weak evidence, an upper bound: how well the rules do on
people and models that nobody knows is for data of other origin to say.
"""

from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from simulator.core.persona import Language
from simulator.core.scenario import Scenario
from simulator.users._soundness import soundness
from tests.execution.scored import evidence, persona

CASES = Path(__file__).parent / "unsound"
FEWEST = 0.7  # share of the unsound turns that has to be caught


def judged(language: Language, half: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Every case of a file: its kind, what is said, and the tags that it gets."""
    file = cast("dict[str, Any]", yaml.safe_load((CASES / f"{language}_{half}.yaml").read_text()))
    who = persona(language)
    found = []
    for name, kinds in file["cases"].items():
        told = file["talks"][name]
        talk = [(str(said), str(reply)) for said, reply in told["turns"]]
        known = tuple(map(str, told["known"]))
        scenario = Scenario(name, told["query"], goal=told["goal"], known=known)
        for kind, texts in kinds.items():
            for text in texts:
                turns = (*talk, (str(text), "."))
                held = evidence(*turns, language=language, scenario=scenario, who=who)
                found.append((kind, str(text), soundness(held)))
    return found


@pytest.mark.parametrize("half", ["built", "unseen"])
@pytest.mark.parametrize("language", ["ja", "en"])
def test_most_unsound_turns_are_noticed_and_no_sound_one(language: Language, half: str) -> None:
    cases = judged(language, half)
    unsound = [case for case in cases if case[0] != "sound"]
    missed = [(kind, said) for kind, said, tags in unsound if not tags]
    assert len(unsound) >= 29
    assert len(missed) <= (1 - FEWEST) * len(unsound), missed
    assert [] == [case for case in cases if case[0] == "sound" and case[2]]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_kind_is_noticed_at_least_half_of_the_time(language: Language) -> None:
    cases = [case for half in ("built", "unseen") for case in judged(language, half)]
    kinds = Counter(kind for kind, _, _ in cases if kind != "sound")
    caught = Counter(kind for kind, _, tags in cases if tags)
    assert len(kinds) == 7
    assert [] == [kind for kind, count in kinds.items() if 2 * caught[kind] < count]
