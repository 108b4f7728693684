"""What is advised of a model that was tried."""

import pytest

from simulator.cli.screens.targets import advice
from simulator.core.persona import Language
from simulator.core.ports import CallId, CallRecord, Role, Usage
from simulator.execution.models_trial import ModelTrial
from simulator.llm.parameters import Dialect
from simulator.words import Words


def slow(language: Language, attempt_s: float) -> str:
    """The advice of a call of 86 seconds, of so many that an attempt is given."""
    call = CallRecord(
        CallId("e", 1, Role.TARGET), "d", "{}", "m", Usage(1_000, 70), latency_ms=86_000.0
    )
    trial = ModelTrial(
        Role.TARGET, "m", "http://127.0.0.1/v1", "", (call,), Dialect(), attempt_s=attempt_s
    )
    return "\n".join(advice(trial, Words(language, "models_trial")))


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_slow_call_is_held_against_the_time_that_the_client_gives(language: Language) -> None:
    assert "120" in slow(language, 120.0)
    assert "86" in slow(language, 120.0)
    assert "86" not in slow(language, 1_800.0)
