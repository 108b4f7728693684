"""Bombs that bots and models put into what they say: rows of signs that patterns go through."""

from simulator.core.scenario import Scenario
from simulator.text.acts import is_courtesy
from simulator.users._soundness import soundness
from tests.bombs import Bomb
from tests.execution.scored import evidence

_LONG = 100_000  # characters, as many as metrics are given


def _said(said: str) -> Bomb:
    """An utterance of a simulated user, of which only the number of its tags is told."""
    talk = evidence(("?", "!"), (said, "!"), scenario=Scenario("s", "?"))
    return Bomb("tags", lambda _: f"{len(soundness(talk))} tags")


BOMBS = {
    "talk-lines": _said("\n" * _LONG + "x"),
    "talk-marks": _said("[" * _LONG),
    "talk-hashes": _said("#" * _LONG),
    "talk-quotes": _said("「" * _LONG),
    "talk-courtesies": Bomb("False", lambda _: is_courtesy("あ" * 1_000 + "x", "ja")),
    "talk-thanks": Bomb("False", lambda _: is_courtesy("thank you" * 1_000 + "x", "en")),
}
