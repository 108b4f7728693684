"""The gate, and the exit status that follows from a run."""

from dataclasses import replace

import pytest

from simulator.core.claim import Reader
from simulator.core.health import JudgeHealth, JudgeWarning
from simulator.core.outcome import Gap, MetricInfo, Outcome, Unscored
from simulator.core.plan import Gate
from simulator.core.run import Episode, RunSummary
from simulator.core.scenario import Approval, Scenario
from simulator.view.summary import exit_status, gate, gate_lines, unapproved
from tests.execution.scored import (
    GAP,
    NOT_APPLICABLE,
    OVERALL,
    episode,
    failed,
    header,
    rated,
    summary,
    turn,
)

MEASURED = (OVERALL, MetricInfo("refusal", "Correct refusals"), MetricInfo("grounded", "Borne out"))


def figures(*episodes: Episode, unfinished: int = 0) -> RunSummary:
    return summary(header(metrics=MEASURED), *episodes, unfinished=unfinished)


GOOD = figures(episode(turn(rated(4)), turn(rated(5))))  # 0.9, no gaps
HOLED = figures(episode(turn(rated(5)), turn(GAP)))  # worst 0.6, best 1.0
EMPTY = figures()
NOTHING_APPLIED = figures(episode(turn(NOT_APPLICABLE)))
NOWHERE: dict[str, Outcome] = {info.name: NOT_APPLICABLE for info in MEASURED}
BORNE_OUT = figures(episode(turn(outcomes=NOWHERE | {"grounded": rated(5)})))
CHECKED = figures(episode(turn(outcomes=NOWHERE | {"refusal": rated(5)})))
NEVER_JUDGED = figures(episode(turn(outcomes={"overall": GAP, "refusal": rated(5)})))
ALL_FAILED = figures(episode(failed()))  # worst = best = 0.2
UNCHECKED = replace(GOOD, results=figures().results)


@pytest.mark.parametrize(
    ("run", "under", "passed"),
    [
        (GOOD, None, None),
        (GOOD, 0.9, True),
        (GOOD, 0.91, False),
        (HOLED, 0.6, True),
        (HOLED, 0.61, None),
        (HOLED, 1.0, None),
        (ALL_FAILED, 0.3, False),
        (ALL_FAILED, 0.2, True),
        (EMPTY, 0.5, None),
        (NOTHING_APPLIED, 0.0, None),
        (replace(GOOD, score=None), 0.5, None),
        (UNCHECKED, 0.5, None),  # a good score of what nothing is expected of
        (UNCHECKED, 0.95, False),
    ],
)
def test_the_gate_holds_whatever_is_missing(
    run: RunSummary, under: float | None, passed: bool | None
) -> None:
    assert passed is gate(run, None if under is None else Gate(under))


def test_a_hair_of_binary_fractions_decides_nothing() -> None:
    three_turns = figures(episode(turn(rated(3)), turn(rated(4)), turn(rated(3.5))))
    assert gate(three_turns, Gate(0.7)) is True


@pytest.mark.parametrize(
    ("name", "doubt", "is_score", "is_rate"),
    [
        ("spread", False, True, True),
        ("halo_midway", True, None, True),
        ("lenient", True, None, None),
    ],
)
def test_attack_a_judge_that_tells_little_passes_no_gate(
    name: str, doubt: bool, is_score: bool | None, is_rate: bool | None
) -> None:
    health = JudgeHealth("overall", {}, warnings=(JudgeWarning(name, 0.9, 9, 0.1, doubt),))
    results = replace(GOOD.results, decided={Reader.MODEL: 1}, worst=1.0, best=1.0)
    run = replace(GOOD, judge_health=health, results=results)
    assert is_score is gate(run, Gate(0.9))
    assert is_rate is gate(run, Gate(pass_rate=0.9))
    assert (0 if is_score else 3) == exit_status(run, Gate(0.9))
    assert gate(run, Gate(0.95)) is False
    by_words = replace(run, results=replace(results, decided={Reader.WORDS: 1}))
    assert gate(by_words, Gate(pass_rate=0.9)) is True
    assert run.score is not None
    computed = replace(run.score, info=replace(run.score.info, needs=()))
    assert gate(replace(run, score=computed), Gate(0.9)) is True


def test_what_nobody_has_confirmed_is_a_share_of_what_is_expected() -> None:
    counts = {Approval.OPEN: 1, Approval.CONFIRMED: 3}
    assert (0.25, 0.0) == (unapproved(replace(GOOD, approvals=counts)), unapproved(GOOD))


UNFINISHED = replace(GOOD, unfinished=1)


@pytest.mark.parametrize(
    ("run", "under", "interrupted", "compared", "status"),
    [
        (None, None, False, 0, 2),
        (None, 0.9, True, 1, 2),
        (GOOD, None, False, 0, 0),
        (GOOD, 0.9, False, 0, 0),
        (GOOD, 0.95, False, 0, 1),
        (GOOD, None, False, 1, 1),
        (GOOD, None, False, 3, 3),
        (GOOD, 0.95, False, 3, 3),
        (GOOD, None, True, 0, 130),
        (UNFINISHED, None, True, 0, 130),
        (UNFINISHED, None, False, 0, 3),
        (UNFINISHED, 0.95, False, 1, 3),
        (HOLED, None, False, 0, 0),
        (HOLED, 0.5, False, 0, 0),
        (HOLED, 0.7, False, 0, 3),
        (EMPTY, None, False, 0, 3),
        (NOTHING_APPLIED, None, False, 0, 3),
        (BORNE_OUT, None, False, 0, 3),
        (NEVER_JUDGED, None, False, 0, 3),
        (CHECKED, None, False, 0, 0),
        (replace(GOOD, score=None), None, False, 0, 0),
        (ALL_FAILED, 0.5, False, 0, 3),
    ],
)
def test_the_first_status_that_applies_counts(
    run: RunSummary | None,
    under: float | None,
    interrupted: bool,
    compared: int,
    status: int,
) -> None:
    asked = None if under is None else Gate(under)
    assert status == exit_status(run, asked, interrupted=interrupted, compared=compared)


def test_a_spent_budget_leaves_the_gate_undecided() -> None:
    spent = figures(episode(turn(rated(5)), turn(Unscored(Gap.BUDGET))))
    assert gate(spent, Gate(0.9)) is None


def test_a_pass_rate_is_passed_failed_or_left_open_by_what_is_undecided() -> None:
    def rate(wanted: float, *outcomes: Outcome) -> bool | None:
        talks = [episode(turn(o), repeat=n) for n, o in enumerate(outcomes, 1)]
        return gate(figures(*talks), Gate(pass_rate=wanted))

    assert rate(0.5, rated(5), rated(1)) is True
    assert rate(0.6, rated(5), rated(1)) is False
    assert rate(0.5, rated(5), rated(1), GAP) is None
    assert rate(0.3, rated(5), rated(1), GAP) is True
    assert rate(0.7, rated(5), rated(1), GAP) is False


def test_what_is_to_be_sure_needs_an_interval_and_its_lower_end() -> None:
    few = figures(episode(turn(rated(5))))
    assert gate(few, Gate(pass_rate=0.1)) is True
    assert gate(few, Gate(pass_rate=0.1, sure=True)) is None
    many = figures(*(episode(turn(rated(5)), scenario=f"s{n}") for n in range(40)))
    assert gate(many, Gate(pass_rate=0.8, sure=True)) is True
    assert gate(many, Gate(pass_rate=0.99, sure=True)) is None


def test_conversations_that_must_pass_are_named() -> None:
    asks = Gate(must_pass=("parcel", "billing"))

    def found(*talks: Episode) -> tuple[bool | None, tuple[str, ...]]:
        [line] = gate_lines(summary(header(gate=asks), *talks), asks)
        return line.passed, line.cases

    tagged = Scenario("invoice", "q", tags=("billing",))
    invoice = replace(episode(turn(rated(1)), scenario="invoice"), scenario=tagged)
    good = episode(turn(rated(5)))
    assert (True, ()) == found(good, episode(turn(rated(1)), scenario="other"))
    assert (False, ("invoice/calm/1",)) == found(good, invoice)
    assert (None, ("parcel/calm/1",)) == found(episode(turn(GAP)))
    assert (None, ()) == found(episode(turn(rated(5)), scenario="other"))  # none was played


def test_what_is_to_be_sure_is_sure_whatever_is_undecided() -> None:
    passed = [episode(turn(rated(5)), scenario=f"s{n}") for n in range(30)]
    open_ = [episode(turn(GAP), scenario=f"u{n}") for n in range(10)]
    some = figures(*passed, *open_)  # 30 of 40 at worst, and an interval from .88 on
    low, worst = some.results.pass_rate.low or 0.0, some.results.worst
    assert worst == 0.75 < low
    assert gate(some, Gate(pass_rate=0.75)) is True
    assert gate(some, Gate(pass_rate=0.75, sure=True)) is None
    assert gate(some, Gate(pass_rate=worst - (1 - low) - 0.01, sure=True)) is True
