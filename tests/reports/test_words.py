"""The words of reports: both languages say the same things, and nothing has no name."""

import string

import pytest

from simulator.core.outcome import Gap
from simulator.core.persona import Language
from simulator.core.ports import Role
from simulator.core.talk import StopReason
from simulator.judging import soundness
from simulator.judging.blame import Fault
from simulator.reports._words import _WORDS, Words

TAGS = [
    value
    for name, value in vars(soundness).items()
    if name.isupper() and not name.startswith("_") and isinstance(value, str)
]
NAMES: dict[str, list[str]] = {
    "stop": list(StopReason),
    "gap": list(Gap),
    "fault": list(Fault),
    "role": list(Role),
    "failure": ["target", "user", "judge", "infrastructure"],
    "tag": TAGS,
}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", _WORDS)
def test_both_languages_use_the_same_values(key: str) -> None:
    english, japanese = _WORDS[key]
    assert placeholders(english) == placeholders(japanese)
    assert english
    assert japanese


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("language", ["ja", "en"])
def test_everything_that_may_happen_has_a_name(kind: str, language: Language) -> None:
    assert len(NAMES[kind]) >= 4
    missing = [name for name in NAMES[kind] if f"{kind}.{name}" not in _WORDS]
    assert [] == missing


def test_what_has_no_name_keeps_its_own() -> None:
    assert Words("ja").name("stop", "exploded") == "exploded"


def test_counts_leave_out_what_never_happened() -> None:
    found = Words("en").counts("stop", {"done": 1_200, "gave_up": 0, "max_turns": 1})
    assert found == "solved 1,200 · turn limit 1"
