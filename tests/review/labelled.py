"""Reviewed runs in a store, made small: what people said, beside what a metric said."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from simulator.core.outcome import MetricInfo, Score
from simulator.core.plan import Cell
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.talk import Exchange, Reply, Stop, StopReason
from simulator.core.verdict import Audit, Verdict, Word
from simulator.store.store import Store
from tests.execution.scored import header

OVERALL = MetricInfo("overall", "Overall", low=0.2, needs=("judge",), rated=True)
LEXICAL = MetricInfo("lexical", "Lexical")
JUDGED = {"client.judge.chat.model": "gpt-4.1"}


def run_of(run: str, **changes: Any) -> RunHeader:
    """A finished run of the client acme by lexical metrics, of which all was audited."""
    made = header(
        id=run,
        metrics=(LEXICAL,),
        score_by="lexical",
        thresholds={"lexical": 0.5},
        audit=Audit(1.0, 42),
        started=f"2026-11-{int(run[-2:], 36) % 28 + 1:02}T00:00:00+00:00",
    )
    return replace(made, **changes)


def talk(
    scenario: str, values: Sequence[float], *, metric: str = "lexical", **changes: Any
) -> Episode:
    """A conversation whose turns have these values; flagged under 0.5."""
    turns = tuple(
        Turn(
            Exchange(n, f"question {n}", Reply(f"answer {n} of {scenario}", (), 1.0)),
            {metric: Score(value, value)},
            flags=(metric,) if value < 0.5 else (),
            flagged=value < 0.5,
        )
        for n, value in enumerate(values, 1)
    )
    return replace(Episode(Cell(scenario, "calm"), turns, Stop(StopReason.DONE)), **changes)


def said(scenario: str, turn: int, word: str | None, **changes: Any) -> Verdict:
    """A verdict of Tanaka's; `word` as the sheet offers it."""
    made = Verdict(
        f"{scenario}/calm/1",
        turn,
        Word(word) if word else None,
        "田中",
        "review.xlsx",
        "2026-11-21T06:00:00+00:00",
    )
    return replace(made, **changes)


async def kept(
    store: Store, head: RunHeader, talks: Sequence[Episode], given: Sequence[Verdict] = ()
) -> RunHeader:
    """Put a run with its verdicts into the store."""
    store.begin(head)
    for ordinal, episode in enumerate(talks):
        await store.save_episode(head.id, ordinal, episode)
    store.add_verdicts(head.id, given)
    return head


async def reviewed(
    store: Store, head: RunHeader, answers: Mapping[str, tuple[float, str]], *, metric: str
) -> RunHeader:
    """A run of conversations of one turn: a value, and a word, by scenario."""
    talks = [talk(name, [value], metric=metric) for name, (value, _) in answers.items()]
    return await kept(store, head, talks, [said(n, 1, word) for n, (_, word) in answers.items()])
