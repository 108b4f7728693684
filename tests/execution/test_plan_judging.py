from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.core.plan import Client, Plan
from simulator.execution.plan import Options, make_judging_plan, with_metrics
from simulator.files.client.folder import LoadedClient
from tests.execution.clients import client

ALL = frozenset(("answer", "ground_truth", "elements"))


def planned(
    cwd: Path, lines: str = "", gives: frozenset[str] | None = ALL, **said: Any
) -> tuple[Client, Plan]:
    options = Options(**said)
    loaded: LoadedClient = client(cwd, lines)
    if options.metrics:
        loaded = with_metrics(loaded, options.metrics)
    changed, plan = make_judging_plan(loaded, options, gives)
    assert changed.client == plan.client
    return plan.client, plan


def test_a_judge_scores_the_clients_metrics(tmp_path: Path) -> None:
    found, plan = planned(tmp_path, judge_model="gpt")
    assert ("gpt", ("overall", "answer_lexical", "elements_lexical", "refusal"), False) == (
        found.judge.chat.model if found.judge else None,
        found.metrics,
        plan.offline,
    )


def test_the_model_of_the_users_judges_where_no_judge_is_named(tmp_path: Path) -> None:
    found, _ = planned(tmp_path, "user: {model: gpt}\n")
    assert found.judge is not None
    assert ("gpt", None) == (found.judge.chat.model, found.user.chat)


@pytest.mark.parametrize("said", [{}, {"offline": True}])
def test_without_a_judge_what_applies_is_computed(tmp_path: Path, said: dict[str, Any]) -> None:
    lines = "judge: {model: gpt}\n" if said else ""
    found, plan = planned(tmp_path, lines, **said)
    assert {"lexical", "elements_lexical", "sudachi_f1"} <= set(found.metrics)
    assert ("lexical", True, None) == (found.score_by, plan.offline, found.judge)


def test_scenarios_of_a_client_may_give_anything(tmp_path: Path) -> None:
    found, _ = planned(tmp_path, gives=None)
    assert {"lexical", "elements_lexical", "retrieval_hit", "refusal"} <= set(found.metrics)


def test_computed_metrics_need_no_judge(tmp_path: Path) -> None:
    found, plan = planned(tmp_path, "judge: {model: gpt}\n", metrics=("refusal",))
    assert (None, True, ("refusal", "answer_lexical", "elements_lexical")) == (
        found.judge,
        plan.offline,
        found.metrics,
    )


@pytest.mark.parametrize(
    ("said", "gives", "says"),
    [
        ({"metrics": ("overall",)}, ALL, "overall: only a judge can score that; set one with"),
        ({"metrics": ("refusal",), "judge_model": "m"}, ALL, "none of the metrics needs a judge"),
        ({}, frozenset(("retrieved", "question")), "nothing to score: no column contains"),
        (
            {"metrics": ("refusal",)},
            frozenset(("retrieved", "documents")),
            "refusal: the file has no answers to score; call a column answer or 回答",
        ),
        ({"offline": True, "judge_model": "m"}, ALL, "you can't set a model with --offline"),
    ],
)
def test_what_cannot_be_scored_is_said(
    tmp_path: Path, said: dict[str, Any], gives: frozenset[str], says: str
) -> None:
    with pytest.raises(InputError) as caught:
        planned(tmp_path, gives=gives, **said)
    assert says in str(caught.value)


def test_the_budget_holds(tmp_path: Path) -> None:
    found, _ = planned(tmp_path, judge_model="gpt", budget_usd=1.5)
    assert 1.5 == found.limits.budget_usd
