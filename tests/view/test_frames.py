"""A run as data frames: what stands in the columns, and in whose frames."""

import sys
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from simulator.console.output import as_json
from simulator.core.errors import InputError
from simulator.core.outcome import Gap, MetricInfo, Score, Unscored
from simulator.core.run import Run
from simulator.core.scenario import Scenario
from simulator.core.talk import StopReason
from simulator.view.frames import episode_rows, frame, turn_rows
from simulator.view.run_json import turn_json
from tests.execution.scored import OVERALL, episode, failed, header, rated, run, turn
from tests.expecting import expecting
from tests.results.made import readings

SATISFIED = MetricInfo("satisfied", "Satisfied", scope="talk")
EXPECTED = expecting(elements=(("6 cents", "$0.06"), ("today",)), documents=("faq-1",))


def held() -> Run:
    read = readings(EXPECTED)
    talk = episode(
        turn(rated(5, "Fine."), readings=read),
        turn(rated(1, "No amount."), blames=("unused",), readings=read),
    )
    talk = replace(
        talk,
        scenario=Scenario("parcel", "q", goal="g", expected=EXPECTED, tags=("money",)),
        outcomes={"satisfied": Score(0.25, 2)},
    )
    broken = episode(failed(), persona="angry", stop=StopReason.TARGET_FAILED)
    return run(header(metrics=(OVERALL, SATISFIED)), talk, broken)


def test_a_turn_has_the_keys_of_export_and_a_column_for_each_metric() -> None:
    first, second, no_answer = turn_rows(held())
    assert ["6 cents / $0.06", "today"] == first["expected.elements"]
    assert (1.0, "Fine.") == (first["overall"], first["overall.why"])
    assert (0.2, "No amount.", "unused") == (
        second["overall"],
        second["overall.why"],
        second["blame"],
    )
    assert (None, "target_failed") == (no_answer["overall"], no_answer["overall.why"])
    assert (["money"], 12.0, None) == (first["tags"], first["latency_ms.target"], first["verdict"])
    assert {"failed"} == {row["result"] for row in (first, second, no_answer)}
    exported = as_json(turn_json(held().header, episode(failed()), failed())).keys()
    of_talks = {"stop", "talk", "why", "rerun_for", "scores", "unscored", "unscored_why"}
    assert exported - of_talks == {key.partition(".")[0] for key in first} - {"overall"}
    assert list(first) == list(no_answer)


def test_why_there_is_no_score_is_said() -> None:
    gap = Unscored(Gap.JUDGE_ERROR, "no JSON")
    (row,) = turn_rows(run(header(), episode(turn(gap))))
    assert (None, "judge_error: no JSON") == (row["overall"], row["overall.why"])
    (row,) = turn_rows(run(header(), episode(turn())))
    assert (None, None) == (row["overall"], row["overall.why"])


def test_a_conversation_has_its_result_and_its_means() -> None:
    talk, broken = episode_rows(held())
    assert ("parcel/calm/1", "failed", 2, 1, ["unused"]) == (
        *(talk[name] for name in ("episode", "result", "turns", "flagged", "blames")),
    )
    assert (0.6, 0.6, 0.25) == (talk["score"], talk["overall"], talk["satisfied"])
    assert ("target_failed", "target_failed", 1, None) == (
        *(broken[name] for name in ("why", "stop", "why.turn", "score")),
    )


class _Frame:
    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self.columns = columns


def _library(name: str) -> ModuleType:
    made = ModuleType(name)
    made.DataFrame = type(name, (_Frame,), {})  # type: ignore[attr-defined]
    return made


def _installed(monkeypatch: pytest.MonkeyPatch, **libraries: ModuleType | None) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, libraries.get(name))


def test_the_library_that_is_there_makes_the_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, polars=_library("polars"))
    found = frame(iter([{"a": 1, "b": None}, {"a": 2, "b": "x"}]))
    assert ("polars", {"a": [1, 2], "b": [None, "x"]}) == (type(found).__name__, found.columns)


def test_of_two_libraries_the_one_in_use_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch, polars=_library("polars"), pandas=_library("pandas"))
    assert "pandas" == type(frame(iter([{"a": 1}]))).__name__
    monkeypatch.delitem(sys.modules, "pandas")
    assert "polars" == type(frame(iter([{"a": 1}]))).__name__


def test_without_either_it_is_said_what_would_help(monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(monkeypatch)
    with pytest.raises(InputError, match=r"needs pandas or polars: pip install pandas$"):
        frame(turn_rows(held()))


def test_pandas_takes_all_of_it() -> None:
    pytest.importorskip("pandas")
    turns, talks = frame(turn_rows(held())), frame(episode_rows(held()))
    assert ((3, 2), 0.6) == ((len(turns), len(talks)), turns["overall"].mean())
    assert [0.6] == list(talks["score"].dropna())
