"""What is said of a whole conversation: its own outcomes, beside those of its turns."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from simulator.core.claim import Reader, Reading, State
from simulator.core.errors import HaltReason, RunStopped
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import Evidence
from simulator.core.result import Why
from simulator.core.run import Episode
from simulator.core.talk import Document, Stop, StopReason
from simulator.execution.scoring import Scorer
from tests.execution.scored import (
    episode,
    evidence,
    expecting,
    failed,
    header,
    rated,
    summary,
    turn,
)

REACHED = MetricInfo("goal_reached", "Goal reached", scope="talk")
OVERALL = MetricInfo("overall", "Overall", low=0.2, rated=True)
TALK = evidence(("Where is my parcel?", "On its way."))
STOP = Stop(StopReason.DONE)


@dataclass
class Whole:
    """A metric of turns and of whole talks that returns what it was given, or raises it."""

    found: Mapping[str, Outcome] | Exception
    infos: tuple[MetricInfo, ...] = (REACHED, OVERALL)
    stops: list[Stop] = field(default_factory=list)

    async def score(self, evidence: Evidence) -> Outcomes:
        return {"overall": rated(4), "goal_reached": Score(0.0, 0.0)}

    async def score_talk(self, evidence: Evidence, stop: Stop) -> Outcomes:
        self.stops.append(stop)
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def judge(metric: Whole, **thresholds: float) -> Scorer:
    return Scorer([metric], thresholds, "overall")


async def whole(metric: Whole, **thresholds: float) -> Episode:
    """A talk of one turn that was told to the end."""
    held = replace(episode(turn(rated(4))), stop=STOP)
    return await judge(metric, **thresholds).as_whole(held, TALK)


async def test_a_talk_has_the_outcomes_of_its_metrics_and_turns_those_of_theirs() -> None:
    metric = Whole({"goal_reached": Score(1.0, 1.0), "overall": rated(1)})
    assert {"goal_reached": Score(1.0, 1.0)} == (await whole(metric)).outcomes
    assert {"overall": rated(4)} == (await judge(metric).score(TALK)).outcomes
    assert [STOP] == metric.stops


async def test_a_crash_or_a_number_off_the_scale_is_a_gap() -> None:
    wrong: list[Mapping[str, Outcome] | Exception] = [
        ValueError("no"),
        {},
        {"goal_reached": Score(1.5, 1.5)},
        {"goal_reached": Score(1.0, 1.0, parts={"recall": float("nan")})},
    ]
    for found in wrong:
        outcome = (await whole(Whole(found))).outcomes["goal_reached"]
        assert isinstance(outcome, Unscored)
        assert Gap.METRIC_ERROR is outcome.reason


async def test_what_concerns_the_run_goes_on_up() -> None:
    with pytest.raises(RunStopped):
        await whole(Whole(RunStopped(HaltReason.BUDGET, "spent")))


async def test_the_flags_of_a_talk_stand_on_its_last_turn() -> None:
    told = await whole(Whole({"goal_reached": Score(0.4, 0.4)}), goal_reached=0.5)
    assert (("goal_reached",), True) == (told.turns[-1].flags, told.turns[-1].flagged)


def test_a_value_under_its_threshold_is_a_flag() -> None:
    made = judge(Whole({}), goal_reached=0.5)
    assert ("goal_reached",) == made.flags({"goal_reached": Score(0.4, 0.4)})
    assert () == made.flags({"goal_reached": Score(0.5, 0.5)})


def test_a_talk_counts_once_in_the_figures() -> None:
    head = replace(header(), metrics=(OVERALL, REACHED))
    talks = [_whole(1.0), _whole(0.0), _whole(None)]
    found = summary(head, *talks).metrics["goal_reached"]
    assert (0.5, 2, {"metric_error": 1}) == (found.value.mean, found.scored, found.unscored)


def test_a_talk_without_turns_is_no_gap() -> None:
    head = replace(header(), metrics=(OVERALL, REACHED))
    found = summary(head, episode(stop=StopReason.USER_FAILED)).metrics["goal_reached"]
    assert (0, {}) == (found.scored, found.unscored)


def test_an_invalid_user_leaves_one_gap_for_the_talk() -> None:
    head = replace(header(), metrics=(OVERALL, REACHED))
    invalid = replace(_whole(1.0), stop=Stop(StopReason.USER_INVALID))
    assert {"simulator_invalid": 1} == summary(head, invalid).metrics["goal_reached"].unscored


def _whole(value: float | None) -> Episode:
    """Two turns, one of them failed, and what was said of both together."""
    outcomes = {} if value is None else {"goal_reached": Score(value, value)}
    return replace(episode(turn(rated(4)), failed()), outcomes=outcomes)


async def test_what_no_reader_could_tell_bears_its_cause_and_no_flag() -> None:
    document = Document("It leaves Leeds.", "faq-1")
    scenario = expecting(elements=("leaves Leeds",), documents=("faq-1",))
    talk = evidence(
        ("Where is my parcel?", "On its way."), documents=(document,), scenario=scenario
    )
    unknown = tuple(Reading(claim.id, State.UNKNOWN, Reader.WORDS) for claim in talk.claims)
    held = replace(episode(turn(readings=unknown)), stop=STOP)
    shown = await Scorer([], {}, "lexical").as_whole(held, talk)
    assert Why.UNCLEAR is (shown.finding and shown.finding.why)
    assert (("unused",), False) == (shown.turns[0].blames, shown.turns[0].flagged)


async def test_the_turn_that_fails_a_talk_is_flagged_with_its_cause() -> None:
    talk = evidence(("Where?", "In York."), scenario=expecting(elements=("leaves Leeds",)))
    violated = tuple(Reading(claim.id, State.VIOLATED, Reader.WORDS) for claim in talk.claims)
    held = replace(episode(turn(readings=violated)), stop=STOP)
    (shown,) = (await Scorer([], {}, "lexical").as_whole(held, talk)).turns
    assert (("unsupported",), True) == (shown.blames, shown.flagged)
