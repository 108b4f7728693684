"""Which flagged turns are kept when there are more than anybody reads."""

from dataclasses import replace

from simulator.core.outcome import Score
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, RunSummary
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, Reply
from simulator.figures.worst import FollowUpTally, InventedTally, Worst
from tests.judging.made import episode, expecting, failed, header, rated, summary, turn


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
    worst.add(header(), Cell("missing", "calm"), turn(rated(5)), "missing")
    worst.add(header(), Cell("contradicted", "calm"), turn(rated(4)), "contradicted")
    assert [
        ("contradicted", "contradicted"),
        ("missing", "missing"),
        ("failed", ""),
        ("low", ""),
    ] == [(t.cell.scenario, t.against) for t in worst.turns()]


def _talk(name: str, *astray: bool, chat: str = "") -> Episode:
    """A talk about a voucher: each turn refused where it went astray."""
    asked = ("Can I extend my voucher?", f"And how much would that be?{chat}")
    goal = "I want to extend my voucher. And how much would that be?" if chat else ""
    turns = [
        turn(
            outcomes={
                "refusal": Score(float(not lost), float(not lost), "", {"refused": float(lost)}),
                "elements_lexical": Score(0.5, 0.5, "", {"said": 1.0, "missing": 1.0}),
            },
            exchange=Exchange(1, user, Reply("…")),
        )
        for user, lost in zip(asked, astray, strict=False)
    ]
    scenario = Scenario(name, asked[0], goal=goal, expected=expecting(elements=("£25",)).expected)
    return replace(episode(*turns, scenario=name), scenario=scenario)


def test_follow_ups_that_are_lost_are_told_beside_first_turns() -> None:
    tally = FollowUpTally("en")
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
    tally = FollowUpTally("en")
    for name, *talks in (
        ("hidden", (True, False), (True, False)),
        ("once", (True, False), (False, False)),
        ("never", (True, True)),
        ("failing", (True, False)),
    ):
        for astray in talks:
            tally.add(_talk(name, *astray))
    assert ("hidden",) == tally.summary({"failing"}).only_later


def test_where_bare_follow_ups_are_answered_lost_ones_are_not_mended_first() -> None:
    tally = FollowUpTally("en")
    for n in range(5):
        tally.add(_talk(f"lost-{n}", False, True, chat=" Spare me that script, you people."))
        tally.add(_talk(f"right-{n}", False, False))
    found = tally.summary()
    assert (5, 0) == (found.bare, found.bare_lost)
    assert not found.come_first
    bare = replace(found, p=0.001, bare_lost=5)
    assert (True, True, False) == (
        bare.are_lost, bare.come_first, replace(bare, bare_lost=0).come_first
    )  # fmt: skip


def test_personas_of_one_scenario_are_no_evidence_for_each_other() -> None:
    tally = FollowUpTally("en")
    for _ in range(9):
        tally.add(_talk("one", False, True))
        tally.add(_talk("other", False))
    assert (9, 1, False) == (
        tally.summary().lost, tally.summary().scenarios, tally.summary().are_lost
    )  # fmt: skip


def test_what_is_made_up_is_read_first_where_it_failed() -> None:
    tally = InventedTally()
    for name, result in (
        ("passed", Result.PASSED),
        ("open", Result.UNDECIDED),
        ("open", Result.UNDECIDED),
        ("silent", Result.UNCHECKED),
        ("leak", Result.FAILED),
    ):
        score = Score(0.1, 0.1, "", {"invented": 1.0, "borne_out": 0.0}, (f"Ms {name}, 4 people.",))
        made = turn(score, metric="grounded")
        tally.add(episode(made, scenario=name), Finding(result, Why.UNCLEAR))
    assert [("leak", "failed", 1), ("silent", "unchecked", 1), ("open", "undecided", 2)] == [
        (s.scenario, s.result, s.conversations) for s in tally.sentences()
    ]
    assert 4 == tally.conversations


def test_of_what_is_undecided_that_which_holds_least_of_a_sentence_comes_first() -> None:
    worst = Worst()
    made_up = Score(0.4, 0.4, "", {"invented": 1.0, "borne_out": 0.0}, ("Ask Ms Mori.",))
    for name, least, grounded in (
        ("clear", 0.8, None),
        ("other words", 0.5, None),
        ("condition left out", 0.1, None),
        ("made up", 0.9, made_up),
        ("an element", None, None),
    ):
        parts = {"met": 0.5} if least is None else {"met": 0.5, "least": least}
        answer = Score(0.6, 0.6, "", parts, ("Unless you moved it.",))
        outcomes = {"answer_lexical": answer, **({"grounded": grounded} if grounded else {})}
        said = turn(outcomes=outcomes, exchange=Exchange(1, "Well?", Reply(name)))
        said = replace(said, flags=("grounded",) if grounded else ())
        found = Finding(Result.UNDECIDED, Why.UNCLEAR, 1, "answer_lexical", answer.named)
        worst.add(header(), Cell(name, "calm"), said, "", found)
    assert ["made up", "condition left out", "other words", "an element", "clear"] == [
        t.cell.scenario for t in worst.turns()
    ]


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
