"""Made-up judged conversations with the computed checks beside the ratings."""

from typing import Any

from simulator.core.outcome import MetricInfo, Outcome, Score
from simulator.core.run import Episode, RunHeader, Turn
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


def judged(*ratings: int, comment: str = "", reply: str = "", **checks: Score) -> Turn:
    """A turn with these ratings of the four aspects (one: all alike) and these computed checks."""
    all_four = ratings * len(NAMES) if len(ratings) == 1 else ratings
    outcomes: dict[str, Outcome] = {
        name: Score(r / 5, r, comment) for name, r in zip(NAMES, all_four, strict=True)
    }
    exchange = Exchange(1, "How do I log in?", Reply(reply or "Press the button."))
    return Turn(exchange, outcomes | checks)


def elements(
    said: int, missing: int = 0, *, unclear: int = 0, contradicted: int = 0, named: str = ""
) -> Score:
    """What elements_lexical finds."""
    value = (said + unclear / 2) / (said + unclear + missing)
    parts = {"said": said, "unclear": unclear, "missing": missing, "contradicted": contradicted}
    return Score(value, value, "", parts, (named,) if named else ())


def talks(*turns: Turn) -> list[Episode]:
    """One conversation of one turn for each, of scenarios of their own."""
    return [episode(turn, scenario=f"s{n}") for n, turn in enumerate(turns)]
