"""Made-up judged conversations, with readings by words and by a judge beside the ratings."""

from dataclasses import replace
from typing import Any

from simulator.core.claim import Reader, State
from simulator.core.outcome import MetricInfo, Outcome, Score
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Exchange, Reply
from tests.execution.scored import episode, header
from tests.results.made import ELEMENT, readings

NAMES = ("understanding", "relevance", "completeness", "overall")
QUESTION = "Is everything there that the user needs (steps, conditions, exceptions)?"
INFOS = tuple(
    MetricInfo(name, name, 0.2, 1.0, ("judge",), rated=True, asked=(QUESTION,)) for name in NAMES
)


def judged_header(**changes: Any) -> RunHeader:
    """A run judged by a rubric of four aspects, with a threshold of 0.7 on the last."""
    return header(metrics=INFOS, **changes)


def judged(
    *ratings: int,
    comment: str = "",
    reply: str = "",
    words: State | None = None,
    model: State | None = None,
    **others: Outcome,
) -> Turn:
    """A turn with these ratings of the four aspects (one: all alike).

    `words`, `model`: how these read the claim of `talks`, where they do.
    """
    all_four = ratings * len(NAMES) if len(ratings) == 1 else ratings
    outcomes: dict[str, Outcome] = {
        name: Score(r / 5, r, comment) for name, r in zip(NAMES, all_four, strict=True)
    }
    exchange = Exchange(1, "How do I log in?", Reply(reply or "Press the button."))
    turn = Turn(exchange, outcomes | others)
    by = [(words, Reader.WORDS), (model, Reader.MODEL)]
    if not (read := [(state, reader) for state, reader in by if state]):
        return turn
    return replace(
        turn, readings=tuple(r for s, by in read for r in readings(ELEMENT, s, reader=by))
    )


def talks(*turns: Turn) -> list[Episode]:
    """One conversation of one turn for each, of scenarios of their own.

    Where a turn was read, its scenario expects `30 minutes`.
    """
    held = []
    for n, turn in enumerate(turns):
        expected = Expected() if turn.readings is None else ELEMENT
        scenario = Scenario(f"s{n}", "How do I log in?", expected=expected)
        held.append(replace(episode(turn, scenario=f"s{n}"), scenario=scenario))
    return held
