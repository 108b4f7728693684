"""Which answers of a run are one to a person who judges them, and counting each of these once.

Equal answers (`spoken`) share every verdict. Beyond that, answers are folded which differ in what
carries no matter: the persona, the wording of a later question, greetings, thanks and apologies.
"""

from collections.abc import Iterable

from simulator.core.claim import Reader, counting
from simulator.core.form import normal_form, spoken
from simulator.core.run import Episode
from simulator.core.verdict import Verdict, is_folded

Unit = tuple[str, ...]
"""The name of what a person judges at once."""


def unit_of(episode: Episode, turn: int) -> Unit:
    """The name of the answers that a verdict on this one is written on; `turn` counts from 1.

    They are of the same scenario, the first answer or later ones, with the same content and the
    same state of every claim. Answers without a stored content are one with their equals alone.
    """
    of_turn = episode.turns[turn - 1]
    if not of_turn.content:
        return ("spoken", *spoken(episode, turn))
    readings = (r for r in of_turn.readings or () if r.reader is not Reader.PERSON)
    states = sorted(f"{claim}={reading.state}" for claim, reading in counting(readings).items())
    when = "first" if turn == 1 else "later"
    return ("content", episode.cell.scenario, when, of_turn.content, *states)


def group_of(episode: Episode, turn: int) -> str:
    """The same for answers with the same content, whatever they were asked: judged in a row."""
    of_turn = episode.turns[turn - 1]
    return of_turn.content or normal_form(of_turn.exchange.assistant)


class AnswerNumbers:
    """Numbers answers: equal ones have one number, and so have those that share a verdict."""

    def __init__(self) -> None:
        self._numbers: dict[Unit, int] = {}

    def of(self, episode: Episode, turn: int, verdicts: Iterable[Verdict]) -> int:
        """The number of an answer, from 0, by all verdicts on its conversation.

        One that is judged by folding alone has the number of the answer that people looked at.
        """
        unit, count = unit_of(episode, turn), len(self._numbers)
        if is_folded(verdicts, turn):
            return self._numbers.setdefault(unit, count)
        number = self._numbers.setdefault(("spoken", *spoken(episode, turn)), count)
        self._numbers.setdefault(unit, number)
        return number
