"""Whom unsound users took away: weak and strong answers apart, and what that cost."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from simulator.console.output import as_json
from simulator.core.health import Kept, SimulatorSummary
from simulator.core.persona import Language
from simulator.core.run import Episode
from simulator.core.talk import Stop, StopReason
from simulator.view.results import finding
from simulator.view.run_json import run_json
from simulator.view.run_view import view_of
from simulator.view.stored_run import UserTally
from simulator.words import Words
from tests.execution.scored import episode, header, rated, run, turn

ODD = ("echo",)


def again(found: Episode, *tags: str) -> Episode:
    return replace(found, rerun_for=tags or ODD)


def tallied(
    *episodes: Episode, paid: Mapping[str, Sequence[float | None]] | None = None
) -> SimulatorSummary:
    tally = UserTally(header())
    find = finding(header(), doubted=False)
    for each in episodes:
        tally.add(each, find(each, ()))
    return tally.summary(paid or {})


def test_nothing_was_taken_away_where_all_users_are_sound() -> None:
    found = tallied(episode(turn(rated(5))), episode(turn(rated(1)), scenario="b"))
    assert SimulatorSummary(weak=Kept(1), strong=Kept(1)) == found


def test_weak_and_strong_are_counted_apart() -> None:
    found = tallied(
        episode(turn(rated(1), soundness=ODD)),
        again(episode(turn(rated(1), soundness=ODD), scenario="b")),
        episode(turn(rated(1)), scenario="c"),
        again(episode(turn(rated(5)), scenario="d"), "repeat", "echo"),
        episode(turn(rated(5), soundness=("length",)), scenario="e"),
        episode(turn(), stop=StopReason.USER_FAILED, scenario="f"),
    )
    assert (2, 2, 3) == (found.unsound, found.rerun, found.excluded)
    assert (Kept(3, 2), Kept(2, 0)) == (found.weak, found.strong)
    assert {"echo": 2, "repeat": 1} == found.rerun_for


def test_the_last_take_costs_in_vain_only_where_it_is_excluded() -> None:
    kept = again(episode(turn(rated(5))))
    lost = again(episode(turn(rated(5), soundness=ODD), scenario="b"))
    paid = {kept.cell.key: (1.0, 10.0), lost.cell.key: (2.0, 20.0), "of/one broken off/1": (4.0, 8)}
    assert 27 == tallied(kept, lost, paid=paid).cost_usd
    assert tallied(kept, lost, paid={**paid, kept.cell.key: (None, 10.0)}).cost_usd is None
    assert 26 == tallied(kept, lost, paid={**paid, kept.cell.key: (0.0, None)}).cost_usd


def test_without_a_threshold_nobody_is_weak_or_strong() -> None:
    head, found = header(thresholds={}), episode(turn(rated(1), soundness=ODD))
    tally = UserTally(head)
    tally.add(found, finding(head, doubted=False)(found, ()))
    assert (Kept(), Kept(), 1) == (
        (counted := tally.summary({})).weak, counted.strong, counted.excluded
    )  # fmt: skip


TOLD = {
    "en": (
        "3 conversations were retried (repeats the bot 3); "
        "1 of 1 conversation is undecided because of the user; "
        "excluded: 1 of 2 low-scoring, 0 of 3 others; they cost $0.0500"
    ),
    "ja": (
        "3 件の会話をやり直しました（ボットの発言の繰り返し 3 件）。"
        "利用者役の問題で未確定になった会話は、1 件のうち 1 件です。"
        "その割合は、しきい値未満の会話で 2 件のうち 1 件、そのほかの会話で 3 件のうち 0 件です。"
        "この会話にかかった費用は $0.0500 です"
    ),
}


@pytest.mark.parametrize(("language", "told"), TOLD.items())
def test_it_stands_above_the_score(language: str, told: str) -> None:
    made = run(header(language=language), episode(turn(rated(5))))
    users = SimulatorSummary(1, 3, 1, 0.05, Kept(2, 1), Kept(3, 0), {"echo": 3})
    made = replace(made, summary=replace(made.summary, simulator=users))
    lines = [line.text.plain for line in view_of(made, Words(made.header.language, "report")).lines]
    score = next(n for n, line in enumerate(lines) if "overall" in line.lower())
    assert told in lines[:score]
    assert {
        "unsound": 1,
        "rerun": 3,
        "excluded": 1,
        "cost_usd": 0.05,
        "weak": {"conversations": 2, "excluded": 1},
        "strong": {"conversations": 3, "excluded": 0},
        "rerun_for": {"echo": 3},
        "unasked": 0,
    } == as_json(run_json(made))["simulator"]


def test_nothing_is_said_where_nobody_was_held_again() -> None:
    made = run(header(), episode(turn(rated(5))))
    assert "conversation" not in "".join(
        line.text.plain for line in view_of(made, Words("en", "report")).lines
    )


@pytest.mark.parametrize(("language", "told"), [("en", "2 questions of"), ("ja", "質問 2 件")])
def test_questions_that_nobody_came_to_ask_are_counted(language: Language, told: str) -> None:
    cut_short = replace(episode(turn(rated(5))), stop=Stop(StopReason.MAX_TURNS, "", ("a", "b")))
    tally = UserTally(header())
    tally.add(cut_short, finding(header(), doubted=False)(cut_short, ()))
    made = run(header(language=language), cut_short)
    made = replace(made, summary=replace(made.summary, simulator=tally.summary({})))
    lines = [line.text.plain for line in view_of(made, Words(language, "report")).lines]
    assert any(told in line for line in lines)
    assert 2 == as_json(run_json(made))["simulator"]["unasked"]
