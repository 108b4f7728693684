"""Small made-up episodes, evidence and headers for the tests of judging and of reports."""

from dataclasses import replace
from typing import Any

from simulator.core.errors import TargetFault
from simulator.core.outcome import Gap, MetricInfo, Outcome, Score, Unscored
from simulator.core.persona import Disclosure, Language, Persona, Politeness, Style
from simulator.core.plan import Cell
from simulator.core.ports import Evidence
from simulator.core.run import Episode, Ledger, Run, RunHeader, RunSummary, Turn
from simulator.core.scenario import Scenario
from simulator.core.talk import Document, Exchange, Reply, Stop, StopReason, Talk, TargetFailure
from simulator.view.aggregate import Aggregate
from simulator.view.results import finding
from tests.expecting import expecting as as_expected

OVERALL = MetricInfo("overall", "Overall", low=0.2, high=1.0, needs=("judge",), rated=True)
LEXICAL = MetricInfo("lexical", "Lexical score")
FAILURE = TargetFailure(TargetFault.TIMEOUT, "no answer within 60 s", 60_000.0)
GAP = Unscored(Gap.JUDGE_UNPARSABLE, "no JSON")
NOT_APPLICABLE = Unscored(Gap.NOT_APPLICABLE)


def header(**changes: Any) -> RunHeader:
    """A finished, judged run with a 1-5 rating and a threshold of 0.7."""
    made = RunHeader(
        id="3f9ab2c1",
        client="acme",
        folder="/somewhere/scenarios/acme",
        language="en",
        timezone="Asia/Tokyo",
        started="2026-11-20T05:06:07+00:00",
        offline=False,
        score_by="overall",
        planned=1,
        metrics=(OVERALL,),
        thresholds={"overall": 0.7},
        gate=None,
        version="0.1.0",
        secret="s",
        finished="2026-11-20T05:08:00+00:00",
        status="finished",
        wall_s=113.0,
    )
    return replace(made, **changes)


def rated(rating: float, comment: str = "") -> Score:
    """A rating on 1-5."""
    return Score(rating / 5, rating, comment)


def turn(outcome: Outcome | None = None, *, metric: str = "overall", **changes: Any) -> Turn:
    """A judged turn with one outcome; flagged where that is a score under 0.7."""
    low = isinstance(outcome, Score) and outcome.value < 0.7
    exchange = Exchange(1, "Where is my parcel?", Reply("It is on its way.", (), 12.0))
    made = Turn(
        exchange=exchange,
        outcomes={metric: outcome} if outcome else {},
        flags=(metric,) if low else (),
        flagged=low,
    )
    return replace(made, **changes)


def failed(metric: str = "overall") -> Turn:
    """A turn on which the target failed."""
    outcomes = {metric: Unscored(Gap.TARGET_FAILED)}
    return Turn(Exchange(1, "Hello?", FAILURE), outcomes, flagged=True)


def episode(
    *turns: Turn,
    scenario: str = "parcel",
    persona: str = "calm",
    repeat: int = 1,
    stop: StopReason = StopReason.MAX_TURNS,
) -> Episode:
    """A conversation of these turns, numbered from 1."""
    numbered = tuple(
        replace(t, exchange=replace(t.exchange, turn=n)) for n, t in enumerate(turns, 1)
    )
    return Episode(Cell(scenario, persona, repeat), numbered, Stop(stop))


def summary(head: RunHeader, *episodes: Episode, unfinished: int = 0) -> RunSummary:
    """The figures of these episodes."""
    return run(head, *episodes, unfinished=unfinished).summary


def run(
    head: RunHeader, *episodes: Episode, ledger: Ledger | None = None, unfinished: int = 0
) -> Run:
    """A run of these episodes."""
    aggregate, found = Aggregate(head), finding(head, doubted=False)
    for each in episodes:
        aggregate.add(each)
    figures = aggregate.summary(ledger or Ledger(), unfinished)
    read = [replace(each, finding=found(each, ())) for each in episodes]
    return Run(head, figures, lambda: iter(read), lambda: ((e, ()) for e in read))


def persona(language: Language = "en", **changes: Any) -> Persona:
    """A plain persona without phrases."""
    style = Style(24, Politeness.POLITE, Disclosure.OPEN, "Says what is missing.")
    made = Persona("calm", language, "Calm", "Somebody calm.", (), style, 2)
    return replace(made, **changes)


def evidence(
    *said: tuple[str, str | TargetFailure],
    documents: tuple[Document, ...] = (),
    language: Language = "en",
    scenario: Scenario | None = None,
    who: Persona | None = None,
    reports: bool = False,
) -> Evidence:
    """A talk of (user, assistant) pairs; the documents came with the last reply.

    `reports`: the target says which documents it found, also where it found none.
    """
    exchanges = []
    for number, (user, assistant) in enumerate(said, 1):
        came = documents if number == len(said) else ()
        if isinstance(assistant, str):
            reply: Reply | TargetFailure = Reply(assistant, came, reports_documents=reports)
        else:
            reply = assistant
        exchanges.append(Exchange(number, user, reply))
    talk = Talk("parcel/calm/1", tuple(exchanges))
    scenario = scenario or Scenario("parcel", said[0][0])
    return Evidence(language, who or persona(language), scenario, talk)


def expecting(query: str = "q", **expected: Any) -> Scenario:
    """A scenario with what a right answer looks like."""
    return Scenario("parcel", query, expected=as_expected(**expected))
