"""Which flagged turns are kept when there are more than anybody reads."""

from dataclasses import replace

import pytest

from simulator.core.outcome import Score
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, RunSummary
from simulator.core.talk import Exchange, Reply
from simulator.view.worst import FollowUpTally, Worst, quote_of
from tests.execution.scored import episode, failed, header, rated, summary, turn
from tests.expecting import expecting
from tests.results.made import (
    ELEMENT,
    MET,
    UNMET,
    VIOLATED,
    answer,
    claim_of,
    readings,
    talk,
)


def test_every_scenario_keeps_its_worst_turn_before_another_keeps_its_second() -> None:
    worst = Worst(kept=3)
    for repeat in range(1, 10):
        worst.add(header(), Cell("bad", "angry", repeat), turn(rated(1)))
    worst.add(header(), Cell("better", "angry"), turn(rated(2)))
    worst.add(header(), Cell("best", "angry"), turn(rated(3)))
    assert ["bad", "better", "best"] == [t.cell.scenario for t in worst.turns()]


def test_the_worst_come_first() -> None:
    worst = Worst(kept=2)
    for scenario, rating in (("c", 3), ("a", 1), ("b", 2)):
        worst.add(header(), Cell(scenario, "angry"), turn(rated(rating)))
    assert ["a", "b"] == [t.cell.scenario for t in worst.turns()]


def test_the_same_answer_to_several_personas_is_one_with_the_worst_score() -> None:
    worst = Worst()
    for persona, rating in (("calm", 2), ("angry", 1), ("calm", 3)):
        worst.add(header(), Cell("bad", persona), turn(rated(rating)))
    other = replace(turn(rated(2)).exchange, reply=Reply("Something else."))
    worst.add(header(), Cell("bad", "calm"), turn(rated(2), exchange=other))
    worst.add(header(), Cell("other", "calm"), turn(rated(2)))
    assert [
        ("bad", "angry", 0.2, 2, ("calm",)),
        ("bad", "calm", 0.4, 0, ()),
        ("other", "calm", 0.4, 0, ()),
    ] == [
        (t.cell.scenario, t.cell.persona, t.score, t.alike, t.alike_personas) for t in worst.turns()
    ]


def test_the_same_failure_is_one_too() -> None:
    worst = Worst()
    for persona in ("angry", "calm"):
        worst.add(header(), Cell("bad", persona), failed())
    (found,) = worst.turns()
    assert (1, ("calm",)) == (found.alike, found.alike_personas)


def test_what_tells_most_against_the_judge_comes_before_all_others() -> None:
    worst = Worst()
    worst.add(header(), Cell("failed", "calm"), failed())
    worst.add(header(), Cell("low", "calm"), turn(rated(1)))
    worst.add(header(), Cell("missing", "calm"), turn(rated(5)), "harsh")
    worst.add(header(), Cell("contradicted", "calm"), turn(rated(4)), "lenient")
    assert [
        ("contradicted", "lenient"),
        ("missing", "harsh"),
        ("failed", ""),
        ("low", ""),
    ] == [(t.cell.scenario, t.against) for t in worst.turns()]


def _talk(name: str, *astray: bool) -> Episode:
    """A talk about a voucher: each turn refused where it went astray, else half of it was said."""
    wanted = expecting(elements=("£25", "6 months"))
    turns = [
        answer(
            *(readings(wanted, UNMET, UNMET, UNMET) if lost else readings(wanted, MET, UNMET)),
            follows_up=number > 0,
        )
        for number, lost in enumerate(astray)
    ]
    return replace(talk(wanted, *turns), cell=Cell(name, "calm"))


def test_follow_ups_that_are_lost_are_told_beside_first_turns() -> None:
    tally = FollowUpTally()
    for n in range(5):
        tally.add(_talk(f"lost-{n}", False, True))
        tally.add(_talk(f"right-{n}", False))
    tally.add(_talk("never", True, True))
    found = tally.summary()
    assert (5, 5, 5, 11, 1) == (
        found.asked, found.lost, found.scenarios, found.first, found.first_lost
    )  # fmt: skip
    assert found.are_lost


def test_scenarios_whose_own_question_is_refused_by_all_and_answered_later_are_named() -> None:
    tally = FollowUpTally()
    for name, *talks in (
        ("hidden", (True, False), (True, False)),
        ("once", (True, False), (False, False)),
        ("never", (True, True)),
        ("some", (True, False), (True, True)),
        ("failing", (True, False)),
    ):
        for astray in talks:
            tally.add(_talk(name, *astray))
    assert ("hidden",) == tally.summary({"failing"}).only_later


def test_what_does_not_lean_on_the_turn_before_is_no_follow_up() -> None:
    tally = FollowUpTally()
    held = _talk("new", False, True)
    tally.add(replace(held, turns=tuple(replace(t, follows_up=False) for t in held.turns)))
    tally.add(_talk("astray", True, True))  # nothing was answered that it could lean on
    assert (0, 2) == (tally.summary().asked, tally.summary().first)


def test_a_follow_up_without_its_document_is_lost_unless_a_claim_is_met() -> None:
    wanted = expecting(elements=("£25",))
    for state, lost in ((UNMET, 1), (MET, 0)):
        tally = FollowUpTally()
        missed = {"retrieval_hit": Score(0.0, 0.0)}
        first, then = answer(*readings(wanted)), answer(*readings(wanted, state))
        tally.add(talk(wanted, first, replace(then, outcomes=missed, follows_up=True)))
        assert (1, lost) == (tally.summary().asked, tally.summary().lost)


def test_of_a_run_without_readings_nothing_is_known_of_follow_ups() -> None:
    wanted = expecting(elements=("£25",))
    tally = FollowUpTally()
    tally.add(talk(wanted, answer(readings=None), answer(readings=None, follows_up=True)))
    assert (0, 0, ()) == (
        tally.summary().asked, tally.summary().first_lost, tally.summary().only_later
    )  # fmt: skip


def test_personas_of_one_scenario_are_no_evidence_for_each_other() -> None:
    tally = FollowUpTally()
    for _ in range(9):
        tally.add(_talk("one", False, True))
        tally.add(_talk("other", False))
    assert (9, 1, False) == (
        tally.summary().lost, tally.summary().scenarios, tally.summary().are_lost
    )  # fmt: skip


@pytest.mark.parametrize(
    ("quote", "turn_of", "shown"),
    [
        ("25 minutes", 1, "25 minutes"),
        ("It opens after 25 minutes.", 1, ""),  # the whole answer stands there already
        ("25 minutes", 2, ""),  # another turn shows why
        ("", 1, ""),
    ],
)
def test_what_the_deciding_reading_quotes_stands_with_the_turn_that_shows_why(
    quote: str, turn_of: int, shown: str
) -> None:
    said = [replace(r, quote=quote) for r in readings(ELEMENT, VIOLATED)]
    exchange = Exchange(1, "Well?", Reply("It opens after 25 minutes."))
    found = Finding(Result.FAILED, Why.CONTRADICTS, turn_of, claim=claim_of(ELEMENT).id)
    assert shown == quote_of(answer(*said, exchange=exchange), found)


def test_a_weak_turn_has_its_finding_and_the_words_that_show_it() -> None:
    said = [replace(r, quote="25 minutes") for r in readings(ELEMENT, VIOLATED)]
    found = summary(header(), talk(ELEMENT, answer(*readings(ELEMENT)), answer(*said)))
    (weak,) = found.weak
    assert (2, "25 minutes", Why.CONTRADICTS) == (
        weak.turn, weak.quote, weak.finding and weak.finding.why
    )  # fmt: skip


def _failing(*talks: tuple[str, str, str, str]) -> RunSummary:
    """Conversations that failed: scenario, persona, blame, answer."""
    return summary(
        header(),
        *(
            episode(
                turn(rated(1), blames=(blame,), exchange=Exchange(1, "Well?", Reply(said))),
                scenario=scenario,
                persona=persona,
            )
            for scenario, persona, blame, said in talks
        ),
    )


ALL = ("angry", "beginner", "calm")


def test_what_is_quoted_first_follows_what_is_to_be_mended_first() -> None:
    found = _failing(
        *(("b-other", who, "retrieval_miss", "Sorry.") for who in ALL[:2]),
        ("a-once", "calm", "unsupported", "Oil it."),
        *(("z-smoke", who, "should_have_escalated", f"Burn {who}.") for who in ALL[:1]),
        *(("z-smoke", who, "should_have_escalated", "Relight it.") for who in ALL[1:]),
    )
    assert ["z-smoke", "b-other", "a-once"] == [g.entry for g in found.fault_groups]
    assert [
        ("z-smoke", "Relight it.", True),
        ("b-other", "Sorry.", True),
        ("a-once", "Oil it.", True),
        ("z-smoke", "Burn angry.", False),
    ] == [(t.cell.scenario, t.assistant, t.of_group) for t in found.weak]


def test_of_as_many_failures_harm_and_what_every_persona_meets_come_first() -> None:
    found = _failing(
        *(("a-missed", who, "retrieval_miss", "Sorry.") for who in ALL),
        *(("b-harm", "calm", "unsupported", f"{n} days.") for n in range(3)),
        *(("c-harm", who, "unsupported", "Two days.") for who in ALL),
    )
    assert ["c-harm", "b-harm", "a-missed"] == [g.entry for g in found.fault_groups]


def test_scenarios_that_always_fail_come_before_those_that_fail_once() -> None:
    worst = Worst()
    for name, rating in (("a-once", 1), ("b-always", 2)):
        found = Finding(Result.FAILED, Why.SCORED_LOW, 1)
        worst.add(header(), Cell(name, "calm"), turn(rated(rating)), "", found)
    assert ["a-once", "b-always"] == [t.cell.scenario for t in worst.turns()]
    assert ["b-always", "a-once"] == [t.cell.scenario for t in worst.turns((), {"b-always"})]
