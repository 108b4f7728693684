"""Review plans: which answers they hold, that they grow, and that what they estimate is right."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from simulator.core.plan import Gate
from simulator.core.run import Episode, RunHeader
from simulator.core.talk import Reply
from simulator.core.verdict import Audit, ReviewPlan, Sampled, Verdict, Word
from simulator.review.plan import DistinctAnswers, bought, outlook, plan_review
from simulator.view.stored_run import CorrectedTally
from tests.review.labelled import run_of, said, talk

Talk = tuple[Episode, Sequence[Verdict]]
RUN = replace(run_of("run1"), audit=Audit())


def talks(scenarios: int, turns: int = 2) -> list[Talk]:
    """Conversations whose answers all differ; the score of a turn goes through 0-1."""
    return [
        (talk(f"s{n}", [(n * turns + t) % 20 / 20 for t in range(turns)]), ())
        for n in range(scenarios)
    ]


def judged(given: Sequence[Talk], words: dict[str, str]) -> list[Talk]:
    """The same with verdicts by scenario, each on the first turn."""
    return [
        (e, [said(s, 1, words[s])] if (s := e.cell.scenario) in words else given)
        for e, given in given
    ]


def planned(given: Sequence[Talk], budget: int, head: RunHeader = RUN) -> ReviewPlan:
    return plan_review(DistinctAnswers.read(head, given), budget)


def kinds(plan: ReviewPlan) -> Counter[Sampled]:
    return Counter(row.why for row in plan.rows)


@pytest.mark.parametrize("rows", [1, 12, 39, 40, 60, 150])
def test_every_row_is_drawn_and_so_many_in_all(rows: int) -> None:
    plan = planned(talks(100), rows)
    assert rows == len(plan.rows)
    assert plan.all_drawn
    assert all(0 < row.probability < 1 for row in plan.rows)
    assert {Sampled.AUDIT} == {stratum for stratum, _ in plan.drawn.values()}


def test_flagged_ones_and_those_near_the_threshold_are_drawn_three_times_as_often() -> None:
    chances = {row.why: row.probability for row in planned(talks(100), 60).rows}
    assert {Sampled.NEAR, Sampled.FLAGGED, Sampled.AUDIT} == set(chances)
    assert chances[Sampled.NEAR] == chances[Sampled.FLAGGED]
    assert pytest.approx(3 * chances[Sampled.AUDIT]) == chances[Sampled.FLAGGED]


def test_the_same_run_has_the_same_plan_and_another_run_another() -> None:
    given = talks(60)
    assert planned(given, 50) == planned(given, 50)
    other = planned(given, 50, replace(RUN, id="run2"))
    first, second = ({row.places for row in plan.rows} for plan in (planned(given, 50), other))
    assert len(first & second) < 35


def test_equal_answers_are_one_row_that_stands_for_all_their_turns() -> None:
    twice = [
        (replace(e, cell=replace(e.cell, persona=persona)), given)
        for e, given in talks(15)
        for persona in ("calm", "angry")
    ]
    plan = planned(twice, 100)
    assert 30 == len(plan.rows)
    assert all(2 == len(row.places) for row in plan.rows)
    assert 60 == len(plan.drawn)


def test_what_was_judged_is_not_asked_again_and_is_known() -> None:
    plan = planned(judged(talks(30), {"s3": "OK", "s4": "NG"}), 40)
    assert {("s3/calm/1", 1), ("s4/calm/1", 1)} == {row.places[0] for row in plan.known}
    assert plan.shown.keys().isdisjoint({("s3/calm/1", 1), ("s4/calm/1", 1)})
    assert 40 == len(plan.rows)


def test_where_all_fit_in_all_are_asked() -> None:
    plan = planned(talks(30), 1000)
    assert 60 == len(plan.rows)
    assert {1.0} == {row.probability for row in plan.rows}


def test_answers_that_must_pass_say_so_and_those_near_the_threshold_are_near() -> None:
    head = replace(RUN, gate=Gate(must_pass=("s1", "s2")))
    rows = planned(talks(60), 120, head).rows
    must = {row.places[0][0] for row in rows if row.why is Sampled.MUST_PASS}
    assert {"s1/calm/1", "s2/calm/1"} == must
    scores = {
        (e.cell.key, n): e.turns[n - 1].outcomes["lexical"] for e, _ in talks(60) for n in (1, 2)
    }
    near = [scores[row.places[0]].value for row in rows if row.why is Sampled.NEAR]  # type: ignore[union-attr]
    assert near
    assert all(abs(value - 0.5) <= 0.11 for value in near)


def test_turns_with_more_equals_are_drawn_the_more_likely() -> None:
    given = [
        (replace(e, cell=replace(e.cell, persona=f"p{n}")), said)
        for e, said in talks(80, turns=1)
        for n in range(5 if int(e.cell.scenario[1:]) < 20 else 1)
    ]
    drawn = [row for row in planned(given, 50).rows if row.why is Sampled.AUDIT]
    often = [row.probability for row in drawn if len(row.places) == 5]
    once = [row.probability for row in drawn if len(row.places) == 1]
    assert often
    assert once
    assert min(often) == pytest.approx(min(1.0, 5 * once[0]))


def test_a_plan_grows_and_keeps_what_was_drawn() -> None:
    given = talks(100)
    first = planned(given, 50)
    words = {row.places[0]: "OK" for row in first.rows}
    after = [
        (e, [said(e.cell.scenario, n, "OK") for n in (1, 2) if (e.cell.key, n) in words])
        for e, _ in given
    ]
    more = planned(after, 30, replace(RUN, review_plan=first))
    assert first.shown.keys() <= more.shown.keys()
    assert 30 == sum(place not in words for place in more.shown)
    assert () == more.known


def test_with_nobody_s_word_a_plan_says_what_it_buys_and_what_more_would() -> None:
    answers = DistinctAnswers.read(RUN, talks(150))
    found = outlook(answers, plan_review(answers, 60))
    assert (300, 0, 60, 30) == (found.new, found.known, found.open, found.more)
    assert 0 < found.seconds < found.turns_s
    assert found.buys.corrected is not None
    assert found.buys_more is not None
    assert found.buys_more.corrected is not None
    assert found.buys_more.corrected < found.buys.corrected
    assert bought(answers, plan_review(answers, 30)).corrected is not None
    small = bought(answers, plan_review(answers, 15))
    assert small.corrected is None
    assert small.kappa is not None


def test_a_run_without_answers_has_an_empty_plan() -> None:
    answers = DistinctAnswers.read(RUN, [])
    assert () == plan_review(answers, 10).rows
    assert 0 == outlook(answers, plan_review(answers, 10)).more


# What the corrected score covers


def made_run(rng: random.Random, scenarios: int) -> tuple[list[Talk], dict[str, Word]]:
    """Scenarios that are harder or easier, and what people would say of each answer.

    Some answers are given to most personas, others to one; scores tell something of them, and what
    is given often is more often right, as are high scores.
    """
    given, truth = list[Talk](), dict[str, Word]()
    for n in range(scenarios):
        ease, popular = rng.betavariate(2, 1), rng.random()
        for persona in range(rng.choice([2, 4, 6])):
            words = []
            for t in (1, 2):
                is_common = rng.random() < popular
                text = f"a{n}-{t}-{'all' if is_common else persona}"
                right = rng.random() < 0.6 * ease + (0.35 if is_common else 0.0)
                word = truth.setdefault(text, Word.OK if right else Word.NG)
                value = 0.3 + 0.4 * (word is Word.OK) + rng.uniform(-0.3, 0.3)
                words.append((text, value))
            made = talk(f"s{n}", [value for _, value in words])
            turns = tuple(
                replace(turn, exchange=replace(turn.exchange, reply=Reply(text, (), 1.0)))
                for turn, (text, _) in zip(made.turns, words, strict=True)
            )
            cell = replace(made.cell, persona=f"p{persona}")
            given.append((replace(made, cell=cell, turns=turns), ()))
    return given, truth


def said_of(e: Episode, truth: dict[str, Word], asked: object) -> Iterator[Verdict]:
    for turn in e.turns:
        if asked is None or (e.cell.key, turn.exchange.turn) in asked:  # type: ignore[operator]
            word = truth[turn.exchange.assistant]
            yield Verdict(e.cell.key, turn.exchange.turn, word, "Sato")


def share_ok(given: Sequence[Talk], truth: dict[str, Word]) -> float:
    shares = [
        sum(truth[turn.exchange.assistant] is Word.OK for turn in e.turns) / len(e.turns)
        for e, _ in given
    ]
    return sum(shares) / len(shares)


def covered(rounds: int, budget: int, *, known: bool) -> tuple[float, float]:
    """How often the interval holds the share of OK among all such bots' answers, and the bias."""
    rng = random.Random(14)
    found, shares, errors = list[tuple[float, float]](), list[float](), list[float]()
    for n in range(rounds):
        given, truth = made_run(rng, 30)
        head = replace(RUN, id=f"run{n}")
        if known:  # the weak ones of half of the scenarios were judged in an earlier run
            weak = {
                (e.cell.key, t.exchange.turn)
                for e, _ in given
                for t in e.turns
                if t.flagged and int(e.cell.scenario[1:]) % 2
            }
            given = [(e, list(said_of(e, truth, weak))) for e, _ in given]
        plan = planned(given, budget, head)
        tally = CorrectedTally(replace(head, review_plan=plan))
        for e, _ in given:
            tally.add(e, list(said_of(e, truth, plan.drawn)))
        summary = tally.summary()
        assert summary is not None
        value = summary.value
        assert value.low is not None
        assert value.high is not None
        assert value.mean is not None
        found.append((value.low, value.high))
        shares.append(share_ok(given, truth))
        errors.append(value.mean - shares[-1])
    whole = sum(shares) / len(shares)
    return (
        sum(low <= whole <= high for low, high in found) / rounds,
        sum(errors) / rounds,
    )


@pytest.mark.parametrize("known", [False, True])
def test_the_corrected_score_of_a_plan_covers_what_people_would_say(known: bool) -> None:
    share, bias = covered(60, 60, known=known)
    assert share >= 0.88  # of 60 rounds at .95: 3 standard errors are .085
    assert abs(bias) < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("budget", [40, 60, 150])
@pytest.mark.parametrize("known", [False, True])
def test_the_corrected_score_of_a_plan_covers_in_many_rounds(budget: int, known: bool) -> None:
    share, bias = covered(400, budget, known=known)
    assert share >= 0.92
    assert abs(bias) < 0.012
