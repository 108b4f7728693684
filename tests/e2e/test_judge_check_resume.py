"""`mogi judge-check` that breaks off, goes on, has a budget, or only says what it would cost."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator.files.catalog import shipped
from tests.e2e import judges
from tests.e2e.conftest import Mogi
from tests.loopback.replies import Status
from tests.loopback.server import ChatServer

_VARIES = {"check", "started", "finished", "wall_s"}


@pytest.fixture
def judge(tmp_path: Path) -> Iterator[ChatServer]:
    """The good judge, whom two clients have: `hina` in Japanese, `hina-en` in English."""
    with judges.two_clients(tmp_path) as server:
        yield server


def test_a_check_that_broke_off_goes_on_and_pays_nothing_twice(
    mogi: Mogi, judge: ChatServer
) -> None:
    whole = mogi("judge-check", "hina", "--limit", "3", "--json").json
    every = judge.count
    judge.count = 0
    judge.answer = lambda body: judges.good(body) if judge.count <= 20 else Status(401, "no")
    broken = mogi("judge-check", "hina", "--limit", "3", "--json")
    assert (3, "account") == (broken.status, broken.json["status"])
    assert f"mogi judge-check --resume {broken.json['check']}" in broken.err
    assert 0 < broken.json["unfinished"] == broken.json["answers"] - broken.json["calls"]["judge"]
    assert "not judged: " in broken.err
    judged = broken.json["calls"]["judge"]
    judge.count, judge.answer = 0, judges.good
    resumed = mogi("judge-check", "--resume", "latest", "--json")
    assert (0, every - judged) == (resumed.status, judge.count)
    assert {k: v for k, v in whole.items() if k not in _VARIES} == {
        k: v for k, v in resumed.json.items() if k not in _VARIES
    }
    again = mogi("judge-check", "--resume", broken.json["check"].removeprefix("check-"), "--json")
    assert (0, resumed.json["metrics"]) == (again.status, again.json["metrics"])
    assert every - judged == judge.count


def test_its_calls_are_shown(mogi: Mogi, judge: ChatServer) -> None:
    check = mogi("judge-check", "hina", "--limit", "1", "--json").json
    done = mogi("show", check["check"], "--calls", "--json")
    assert [("judge", judge.count)] == [(r["role"], r["calls"]) for r in done.json["calls"]]
    assert check["check"] in mogi("show", check["check"], "--calls").out
    assert "`mogi judge-check --resume" in mogi("show", check["check"]).err


def test_an_interrupt_keeps_what_was_paid_and_says_how_to_go_on(
    mogi: Mogi, judge: ChatServer
) -> None:
    signals = [signal.SIGINT]

    def answer(body: dict[str, Any]) -> Any:
        if signals:
            os.kill(os.getpid(), signals.pop())
        return judges.good(body)

    judge.latency_s, judge.answer = 0.05, answer
    stopped = mogi("judge-check", "hina", "--json")
    assert (130, "interrupted") == (stopped.status, stopped.json["status"])
    assert f"mogi judge-check --resume {stopped.json['check']}" in stopped.err
    assert 0 < stopped.json["unfinished"] < 152
    resumed = mogi("judge-check", "--resume", "latest", "--json")
    assert (0, 0, 152) == (resumed.status, resumed.json["unfinished"], judge.count)


def test_a_check_does_not_go_on_with_another_judge_or_other_answers(
    mogi: Mogi, judge: ChatServer, tmp_path: Path
) -> None:
    mogi("judge-check", "hina", "--limit", "1", "--quiet")
    client = tmp_path / "scenarios" / "hina" / "client.yaml"
    text = client.read_text("utf-8")
    client.write_text(text.replace("model: mock", "model: other"), "utf-8")
    refused = mogi("judge-check", "--resume", "latest")
    assert (2, True) == (refused.status, '"mock" -> "other"' in refused.err)
    client.write_text(text, "utf-8")
    usual = tmp_path / "prompts" / "ja" / "mutations.yaml"
    usual.parent.mkdir(parents=True)
    mine = (shipped() / "prompts" / "ja" / "mutations.yaml").read_text("utf-8")
    mine = mine.replace("はい、返金がございます。", "はい、返金があります。")
    knowledge = (client.parent / "knowledge" / "faq.csv").as_posix()
    mine = mine.replace("../../scenarios/demo/knowledge/faq.csv", knowledge)
    usual.write_text(mine, "utf-8")
    refused = mogi("judge-check", "--resume", "latest")
    assert (2, True) == (refused.status, "answers:" in refused.err)
    for option in (("--limit", "2"), ("--kind", "filler"), ("--judge-model", "x")):
        assert 2 == mogi("judge-check", "--resume", "latest", *option).status


def test_a_check_is_no_run(mogi: Mogi, judge: ChatServer) -> None:
    check = mogi("judge-check", "hina", "--limit", "1", "--json").json["check"]
    assert 2 == mogi("show", "latest").status
    named = mogi("show", check)
    assert (2, True) == (named.status, f"mogi judge-check --resume {check}" in named.err)
    assert check not in mogi("runs").out
    run = mogi("run", "hina", "--scenario", "plan-prices", "--limit", "1", "--json").json["run"]
    assert run in mogi("runs").out
    assert 2 == mogi("judge-check", "--resume", run).status
    assert check == mogi("judge-check", "--resume", "latest", "--json").json["check"]


def test_a_budget_is_never_overspent(mogi: Mogi, judge: ChatServer, tmp_path: Path) -> None:
    unknown = mogi("judge-check", "hina", "--limit", "1", "--budget", "1")
    assert (2, 0, True) == (unknown.status, judge.count, "prices" in unknown.err)
    with (tmp_path / "scenarios/hina/client.yaml").open("a", encoding="utf-8") as file:
        file.write("prices: {mock: {input: 1, output: 1}}\n")
    done = mogi("judge-check", "hina", "--budget", "0.05", "--json")
    assert (3, "budget") == (done.status, done.json["status"])
    assert 0 < done.json["cost_usd"] <= 0.05
    rest = mogi("judge-check", "--resume", "latest", "--budget", "9", "--json")
    assert (0, 0, 152) == (rest.status, rest.json["unfinished"], judge.count)


def test_a_dry_run_bounds_calls_tokens_and_money_and_calls_nothing(
    mogi: Mogi, judge: ChatServer, tmp_path: Path
) -> None:
    with (tmp_path / "scenarios/hina-en/client.yaml").open("a", encoding="utf-8") as file:
        file.write("prices: {mock: {input: 1, output: 1}}\n")
    options = ("hina-en", "--limit", "2", "--votes", "3")
    bounds = mogi("judge-check", *options, "--dry-run", "--json").json
    assert 0 == judge.count
    assert not (tmp_path / "mogi.db").exists()
    made = mogi("judge-check", *options, "--json").json
    assert made["answers"] == bounds["answers"]
    assert 3 * made["answers"] == made["calls"]["judge"] == bounds["calls"]["lowest"]
    for figure, spent in (("calls", judge.count), ("input_tokens", made["tokens"]["input"])):
        assert bounds[figure]["lowest"] <= spent <= bounds[figure]["highest"]
    assert made["cost_usd"] <= bounds["cost_usd"]["highest"]
    shown = mogi("judge-check", *options, "--dry-run").out
    assert "30 changed answers, 40 answers to judge; mogi made no calls" in shown
    left = mogi("judge-check", "--resume", "latest", "--dry-run", "--json").json
    assert (0, 0) == (left["answers"], left["calls"]["highest"])
