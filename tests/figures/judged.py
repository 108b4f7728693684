"""Made-up judged conversations: ratings, and what words and the judge read."""

from dataclasses import replace
from typing import Any

from simulator.core.claim import Reader, Reading, State, claims_of
from simulator.core.outcome import MetricInfo, Outcome, Score
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Exchange, Reply
from tests.judging.made import episode, header

NAMES = ("understanding", "relevance", "completeness", "overall")
QUESTION = "Is everything there that the user needs (steps, conditions, exceptions)?"
INFOS = tuple(
    MetricInfo(name, name, 0.2, 1.0, ("judge",), rated=True, asked=(QUESTION,)) for name in NAMES
)


def judged_header(**changes: Any) -> RunHeader:
    """A run judged by a rubric of four aspects, with a threshold of 0.7 on the last."""
    return header(metrics=INFOS, **changes)


EXPECTED = Expected(elements=(("30 minutes",),))
CLAIM = claims_of(EXPECTED)[0]


def judged(
    *ratings: int,
    comment: str = "",
    reply: str = "",
    words: State | None = None,
    model: State | None = None,
) -> Turn:
    """A turn with these ratings of the four aspects (one: all alike), and readings of its claim."""
    all_four = ratings * len(NAMES) if len(ratings) == 1 else ratings
    outcomes: dict[str, Outcome] = {
        name: Score(r / 5, r, comment) for name, r in zip(NAMES, all_four, strict=True)
    }
    exchange = Exchange(1, "How do I log in?", Reply(reply or "Press the button."))
    read = ((Reader.WORDS, words), (Reader.MODEL, model))
    readings = [Reading(CLAIM.id, state, reader) for reader, state in read if state]
    met = [Reading(claim.id, State.MET, Reader.WORDS) for claim in claims_of(EXPECTED)[1:]]
    return Turn(exchange, outcomes, readings=(*readings, *met))


def talks(*turns: Turn) -> list[Episode]:
    """One conversation of one turn for each, of scenarios of their own; those read expect it."""
    found = []
    for n, turn in enumerate(turns):
        read = any(reading.claim == CLAIM.id for reading in turn.readings or ())
        scenario = Scenario(f"s{n}", "How do I log in?", expected=EXPECTED) if read else None
        found.append(replace(episode(turn, scenario=f"s{n}"), scenario=scenario))
    return found
