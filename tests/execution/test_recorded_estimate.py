"""What judging known talks would cost: calls that are certain, texts that are measured."""

from pathlib import Path
from typing import Any

import pytest

from simulator.core.plan import Price
from simulator.core.ports import Role
from simulator.execution.estimate import RunEstimate, estimate_recorded
from simulator.execution.request import Start
from simulator.llm.prices import Bounds
from tests.execution.recordings import answers, to_score

LONG = "長い回答です。" * 200


def estimated(
    cwd: Path, content: str, complete: frozenset[str] = frozenset(), **said: Any
) -> RunEstimate:
    said = {"judge_model": "gpt", "metrics": ("overall",), **said}
    request = to_score(cwd, answers(cwd, content), **said)
    assert request.recorded is not None
    return estimate_recorded(
        Start.of(request), request.recorded, lambda _: Price(1.0, 2.0), complete
    )


def test_each_answer_is_judged_once_or_repaired_once(tmp_path: Path) -> None:
    found = estimated(tmp_path, "質問,回答\na,b\nc,d\n")
    (judge,) = found.roles
    assert (2, Bounds(0, 0, 0)) == (found.conversations, found.target_calls)
    assert (Role.JUDGE, "gpt", Bounds(2, 2, 4)) == (judge.role, judge.model, judge.calls)
    assert judge.cost_usd is not None
    assert 0 < judge.cost_usd.lowest < judge.cost_usd.likely < judge.cost_usd.highest


def test_longer_answers_cost_more(tmp_path: Path) -> None:
    short = estimated(tmp_path, "質問,回答\n送料は,い\n").roles[0].input_tokens
    long = estimated(tmp_path, f"質問,回答\n送料は,{LONG}\n").roles[0].input_tokens
    more = len(LONG) - 1
    assert 0.8 * more == pytest.approx(long.likely - short.likely, abs=2)  # rounded twice


def test_what_is_judged_already_costs_nothing(tmp_path: Path) -> None:
    found = estimated(tmp_path, "id,回答\na,b\nc,d\n", frozenset(["a/-/1"]))
    assert Bounds(1, 1, 2) == found.roles[0].calls
    nothing = estimated(tmp_path, "id,回答\na,b\n", frozenset(["a/-/1"]))
    assert (0, ()) == (nothing.conversations, nothing.roles)


def test_computed_metrics_cost_nothing(tmp_path: Path) -> None:
    found = estimated(tmp_path, "回答,正解\na,b\n", judge_model=None, metrics=("refusal",))
    assert (1, ()) == (found.conversations, found.roles)
