"""How a bot failed, told in the client's language."""

import pytest

from simulator.core.errors import TargetFault
from simulator.core.talk import TargetFailure
from simulator.view.reasons import failure_text

SAID = "it answered POST / with 500 Internal Server Error"


def test_what_the_bot_said_itself_stays_as_it_is() -> None:
    failure = TargetFailure(TargetFault.RAISED, SAID)
    assert (f"raised: {SAID}", f"エラー: {SAID}") == (
        failure_text(failure, "en"),
        failure_text(failure, "ja"),
    )


@pytest.mark.parametrize("fault", TargetFault)
def test_every_failure_has_a_name_in_japanese(fault: TargetFault) -> None:
    assert not failure_text(TargetFailure(fault, ""), "ja").isascii()
    assert fault.value == failure_text(TargetFailure(fault, ""), "en")
