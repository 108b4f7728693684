"""The words of reports: nothing that may happen has no name."""

import pytest

from simulator.core import soundness
from simulator.core.outcome import Gap
from simulator.core.persona import Language
from simulator.core.ports import Role
from simulator.core.talk import StopReason
from simulator.results.verdict import Fault
from simulator.words import Words

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


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("language", ["ja", "en"])
def test_everything_that_may_happen_has_a_name(kind: str, language: Language) -> None:
    assert len(NAMES[kind]) >= 4
    words = Words(language, "report")
    missing = [name for name in NAMES[kind] if words.find(f"{kind}.{name}") is None]
    assert [] == missing
