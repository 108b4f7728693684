"""Talks that were held already, judged: nobody is asked to speak, and no bot to answer."""

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from simulator.core.plan import Client
from simulator.core.ports import Evidence, Observer
from simulator.core.recorded import RecordedTalk
from simulator.core.run import Episode, Kind
from simulator.core.talk import Talk
from simulator.core.verdict import Verdict
from simulator.core.waiting import all_done
from simulator.execution.episode import as_whole, judged
from simulator.execution.local import Job, Work, carry_out
from simulator.judging.judge import Judge


@dataclass(frozen=True, slots=True)
class Recorded:
    """Talks that are to be judged: those of a file of answers, or of a run of the store.

    Attributes:
        kind: how the run comes about.
        of: the file as people see it, or the id of the run.
        count: how many talks there are.
        talks: reads them in their order, while they are asked for; InputError where they are not
            there any more.
        verdicts: what people said of them; its argument is the time for those that say none.
        gives: what there is to score by, as `files.answers.columns` names it; None: anything.
        said: goes to the options of the run, so that a resume finds the talks again.
        identity: goes to its snapshot; must not change until then.
        notes: stand in the run.
    """

    kind: Kind
    of: str
    count: int
    talks: Callable[[], Iterator[RecordedTalk]]
    verdicts: Callable[[str], Iterator[Verdict]]
    gives: Set[str] | None
    said: Mapping[str, Any]
    identity: Mapping[str, Any]
    notes: tuple[str, ...] = ()


async def judge_all(
    recorded: Recorded, judge: Judge, client: Client, work: Work, concurrency: int
) -> None:
    """Judge every talk that is not judged yet, `concurrency` at a time; see `carry_out`."""
    jobs = (
        Job(ordinal, talk.cell.key, partial(judge_talk, talk, judge, client, work.observer))
        for ordinal, talk in enumerate(recorded.talks())
    )
    await carry_out(jobs, work, min(concurrency, recorded.count))


async def judge_talk(
    recorded: RecordedTalk, judge: Judge, client: Client, observer: Observer
) -> Episode:
    """One talk with an outcome for every metric, as if it had been judged while it was held.

    Raises what `Judge.score` raises.
    """
    evidence = [_evidence(recorded, client, n) for n in range(1, len(recorded.exchanges) + 1)]
    found = await all_done([judged(e, judge, observer) for e in evidence]) if evidence else []
    turns = [
        replace(turn, soundness=recorded.soundness[n] if recorded.soundness else ())
        for n, turn in enumerate(found)
    ]
    episode = Episode(recorded.cell, tuple(turns), recorded.stop)
    return await as_whole(episode, evidence[-1], judge) if evidence else episode


def _evidence(recorded: RecordedTalk, client: Client, turns: int) -> Evidence:
    return Evidence(
        language=client.language,
        persona=recorded.persona,
        scenario=recorded.scenario,
        talk=Talk(recorded.cell.key, recorded.exchanges[:turns]),
        guidelines=client.guidelines,
        scripted=recorded.scripted,
    )
