"""What kind of turn it is, whatever it says: whether it answers at all, and what it leans on."""

from dataclasses import dataclass

from simulator.core.ports import Evidence
from simulator.text.asking import follows_up
from simulator.text.question_back import only_asks_back, only_closes


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of the same names of `simulator.core.run.Turn`."""

    asks_back: bool
    closes: bool
    follows_up: bool


def shape_of(evidence: Evidence) -> Shape:
    """The shape of the last turn of a talk."""
    language, scenario = evidence.language, evidence.scenario
    *before, last = evidence.talk.exchanges
    questions = "\n".join(exchange.user for exchange in before)
    return Shape(
        asks_back=only_asks_back(last.assistant, language),
        closes=only_closes(evidence.talk.exchanges, language),
        follows_up=bool(before)
        and follows_up(last.user, questions, scenario.query, scenario.goal, language),
    )
