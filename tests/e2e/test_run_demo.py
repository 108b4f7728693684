"""`mogi run demo` and `demo-en`: no key, no model, the same figures each time."""

import json
import re
from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi

PROMISED = {
    "run", "client", "started", "finished", "offline", "score_by", "conversations", "turns",
    "score", "score_low", "score_high", "score_worst", "score_best", "scored", "unscored",
    "not_applicable", "flagged", "metrics", "stops", "failures", "unfinished", "calls", "tokens",
    "cost_usd", "gate", "wall_s",
}  # fmt: skip
PROMISED_OF_A_TURN = {
    "run", "client", "episode", "scenario", "persona", "repeat", "turn", "user", "assistant",
    "documents", "scores", "unscored", "flagged", "blame", "blames", "soundness", "verdict",
    "latency_ms",
}  # fmt: skip
VARIES = {"run", "started", "finished", "wall_s"}


@pytest.mark.parametrize("client", ["demo", "demo-en"])
def test_the_demo_runs_without_a_model_and_shows_weak_answers(mogi: Mogi, client: str) -> None:
    done = mogi("run", client)
    assert 0 == done.status, done.err
    assert client in done.out
    assert re.search("lexical|語句の点数", done.out)
    assert "mogi show" in done.out


@pytest.mark.parametrize("client", ["demo", "demo-en"])
def test_the_json_holds_all_that_is_promised(mogi: Mogi, client: str) -> None:
    done = mogi("run", client, "--json")
    found = done.json
    assert PROMISED <= found.keys()
    assert (94, True, "lexical") == (found["conversations"], found["offline"], found["score_by"])
    assert {"user": 0, "judge": 0, "reader": 0, "embedding": 0, "target": found["turns"]} == found[
        "calls"
    ]
    assert 0 < found["flagged"] < found["turns"]
    assert found["score_worst"] <= found["score"] <= found["score_best"]


def test_the_same_seed_gives_the_same_run(mogi: Mogi) -> None:
    first, second = (mogi("run", "demo", "--limit", "20", "--json").json for _ in range(2))
    assert first["run"] != second["run"]
    assert {k: v for k, v in first.items() if k not in VARIES} == {
        k: v for k, v in second.items() if k not in VARIES
    }


def test_personas_scenarios_and_tags_narrow_a_run(mogi: Mogi) -> None:
    done = mogi("run", "demo", "--persona", "calm", "--tag", "vague", "--json")
    assert 6 == done.json["conversations"]
    done = mogi("run", "demo", "--scenario", "password-forgotten", "--repeat", "2", "--json")
    assert 6 == done.json["conversations"]
    done = mogi("run", "demo", "--assign", "round_robin", "--max-turns", "1", "--json")
    assert (32, 32) == (done.json["conversations"], done.json["turns"])


def test_export_prints_a_line_per_turn_with_all_that_is_promised(mogi: Mogi) -> None:
    turns = mogi("run", "demo", "--limit", "6", "--json").json["turns"]
    lines = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    assert turns == len(lines)
    assert all(line.keys() >= PROMISED_OF_A_TURN for line in lines)
    last = [line for line in lines if line.get("stop")]
    assert 6 == len(last)


def test_what_was_run_is_listed_shown_and_reported_again(mogi: Mogi) -> None:
    run = mogi("run", "demo", "--limit", "3", "--json").json["run"]
    assert run in mogi("runs").out
    assert run in mogi("show", run[:4]).out
    shown = mogi("show", "latest", "change-email/angry/1")
    assert "メアドを変えたいんですけど" in shown.out
    assert (
        0 == mogi("report", "latest", "--report", "junit=out.xml", "--report", "json=o.json").status
    )


def test_an_episode_that_is_not_there_is_named_with_those_that_are(mogi: Mogi) -> None:
    mogi("run", "demo", "--limit", "3", "--quiet")
    done = mogi("show", "latest", "change-mail")
    assert 2 == done.status
    assert "change-email/angry/1" in done.err


def test_a_dry_run_calls_nothing_and_says_so(mogi: Mogi) -> None:
    done = mogi("run", "demo", "--dry-run")
    assert 0 == done.status
    assert "モデルは呼び出さず" in done.out
    assert 2 == mogi("runs").status  # no store was made


@pytest.mark.parametrize(("under", "status"), [("0.01", 0), ("0.999", 1)])
def test_the_gate_sets_the_exit_status(mogi: Mogi, under: str, status: int) -> None:
    done = mogi("run", "demo", "--limit", "6", "--fail-under", under, "--json")
    assert status == done.status
    assert {"under": float(under), "passed": status == 0} == done.json["gate"]


@pytest.mark.parametrize("command", ["personas", "metrics", "targets", "reports"])
def test_what_there_is_can_be_listed(mogi: Mogi, command: str) -> None:
    done = mogi(command)
    assert (0, "") == (done.status, done.err)
    assert len(done.out.splitlines()) > 2


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_new_client_runs_as_it_stands(mogi: Mogi, language: str) -> None:
    assert 0 == mogi("init", "acme", "--language", language).status
    assert 0 == mogi("check", "acme").status
    done = mogi("run", "acme", "--json")
    assert 0 == done.status
    assert done.json["scored"] > 0
    again = mogi("init", "acme")
    assert 2 == again.status
    assert "acme" in again.err


def test_a_new_client_speaks_the_language_of_the_locale(
    mogi: Mogi, monkeypatch: pytest.MonkeyPatch
) -> None:
    for locale, language, told in (
        ("en_GB.UTF-8", "en", "edit these, then:"),
        ("ja_JP.UTF-8", "ja", "書き換えたら:"),
    ):
        monkeypatch.setenv("LC_ALL", locale)
        done = mogi("init", language)
        assert (0, True) == (done.status, told in done.err)
        written = Path("scenarios", language, "client.yaml").read_text("utf-8")
        assert f"\nlanguage: {language} " in written
