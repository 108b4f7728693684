"""How customers write, by numbers."""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.checks.realism import Manner, manner_of, manners, realism
from simulator.core.outcome import Interval
from simulator.core.plan import Cell
from simulator.core.run import Episode
from simulator.core.talk import Stop, StopReason
from simulator.statistics.intervals import clustered
from tests.execution.scored import turn

POLITE, PLAIN, FORMAL, NEITHER = "行きたいです。", "行きたい。", "伺いたく存じます。", "はい。"


def measured(*talks: Sequence[str]) -> Manner:
    return manner_of("real", enumerate(talks), "ja")


def episode(persona: str, *said: str, scenario: str = "s") -> Episode:
    one = turn()
    turns = tuple(replace(one, exchange=replace(one.exchange, user=text)) for text in said)
    return Episode(Cell(scenario, persona), turns, Stop(StopReason.DONE))


def test_the_first_turn_is_apart() -> None:
    found = measured(["こんにちは。送料はいくらですか?", "はい。"], ["送料は?"])
    assert (2, 1, (16 + 4) / 2) == (found.talks, found.turns, found.first)
    assert (3, 3) == (found.length.mean, found.median)


def test_a_mean_is_one_over_talks_and_a_median_one_over_turns() -> None:
    found = measured(["a", "1", "1", "1"], ["a", "12345"])
    assert ((1 + 5) / 2, 1) == (found.length.mean, found.median)


def test_the_shares_of_registers_leave_out_what_has_none() -> None:
    found = measured(["a", POLITE, POLITE, PLAIN, FORMAL, NEITHER])
    assert (0.25, 0.5, 0.25) == (found.plain.mean, found.polite.mean, found.formal.mean)
    assert 1 == found.neither


def test_questions_and_orders_are_counted() -> None:
    found = measured(["a", "送料は?返品はできますか?", "さっさと送れ。早く答えろ。", "はい。"])
    assert pytest.approx(4 / 3) == found.questions.mean
    assert 1 == found.orders


def test_what_is_asked_again_and_what_leans_on_the_turn_before() -> None:
    talk = ["送料はいくらですか?", "送料はいくらですか?", "配送地域の一覧はどこで見られますか?"]
    found = measured(talk)
    assert (0.5, 0.0) == (found.repeats.mean, found.follow_ups.mean)
    assert 1.0 == measured(["ペンの値段は?", "それはいつ届きますか?"]).follow_ups.mean


def test_each_persona_and_all_together_are_told_from_real_customers() -> None:
    talks = [episode(name, "q", PLAIN, scenario=str(n)) for n in range(10) for name in "ab"]
    found = realism(talks, [(n, ["q", POLITE]) for n in range(10)], "ja")
    assert ["a", "b"] == list(found.styles)
    assert 1.0 == found.style.auc.mean == found.styles["a"].auc.mean


def test_intervals_are_clustered_by_talk_and_need_five() -> None:
    talks = [["a", "x" * n] for n in (1, 2, 3, 4)]
    assert Interval(2.5) == measured(*talks).length
    lengths = [1.0, 2.0, 3.0, 4.0, 9.0]
    found = measured(*talks, ["a", "x" * 9]).length
    assert clustered(lengths, range(5), high=math.inf) == found
    assert found.high is not None
    assert found.high > 1


def test_talks_of_one_scenario_are_one_cluster() -> None:
    said = [(scenario, n) for scenario in "abcdef" for n in (1, 2)]
    talks = [episode("calm", "q", "x" * n, scenario=scenario) for scenario, n in said]
    expected = clustered([float(n) for _, n in said], [s for s, _ in said], high=math.inf)
    assert [expected] == [found.length for found in manners(talks, "ja")]


def test_each_persona_is_measured_by_itself() -> None:
    found = manners([episode("b", "q", PLAIN), episode("a", "q", POLITE)], "ja")
    assert [("a", 0.0), ("b", 1.0)] == [(m.name, m.plain.mean) for m in found]


def test_english_lengths_are_words() -> None:
    found = manner_of("real", [(1, ["Hi", "Could you help me?"])], "en")
    assert (4, 1.0, 1.0) == (found.length.mean, found.polite.mean, found.questions.mean)


def test_where_nothing_is_said_nothing_is_measured() -> None:
    for found in (measured(), measured([]), measured(["a"])):
        assert (0, None, Interval(None)) == (found.turns, found.median, found.length)


@given(st.lists(st.lists(st.text("ab", min_size=1), min_size=2, max_size=5), min_size=1))
def test_median_and_mean_are_those_of_the_statistics_module(talks: list[list[str]]) -> None:
    found = measured(*talks)
    lengths = [[len(text) for text in talk[1:]] for talk in talks]
    assert median([n for talk in lengths for n in talk]) == found.median
    assert pytest.approx(mean(mean(talk) for talk in lengths)) == found.length.mean
