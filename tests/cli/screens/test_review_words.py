"""The words of `mogi review`: nothing that may happen has no name."""

from simulator.review.corrected_answers import Rejection
from simulator.words import table


def test_every_reason_has_its_words() -> None:
    assert [] == [why for why in Rejection if f"why.{why}" not in table("en", "review")]
