"""A client with a model: what is called, what is paid, and how judges and accounts fail."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import JUDGEMENT, SAYS, Mogi, is_judge
from tests.loopback.replies import Says, Status
from tests.loopback.server import ChatServer


def test_a_model_plays_the_users_and_judges(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    done = mogi("run", "acme", "--json")
    found = done.json
    assert 0 == done.status, done.err
    assert {"user": 4, "judge": 8, "reader": 0, "embedding": 0, "target": 8} == found["calls"]
    assert 12 == model.count
    assert (0.8, "overall", False) == (found["score"], found["score_by"], found["offline"])
    assert 4 == found["metrics"]["overall"]["raw_mean"]
    assert {"max_turns": 4} == found["stops"]
    assert found["cost_usd"] is None
    assert found["tokens"]["input"] > 0


def test_offline_calls_no_model_whatever_the_files_name(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    done = mogi("run", "acme", "--offline", "--json")
    assert (True, "lexical") == (done.json["offline"], done.json["score_by"])
    assert 0 == model.count
    assert 3 == done.status  # no expected answers: nothing could be scored


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Says("not json at all"), "judge_unparsable"),
        (Says({**JUDGEMENT, "overall": 7}), "judge_unparsable"),
        (Says('{"comment": "", "overall": NaN}'), "judge_unparsable"),
        (Says(None, refusal="I cannot help with that"), "judge_refused"),
        (Says("", finish="content_filter"), "judge_refused"),
        (Says('{"comment": "…', finish="length"), "judge_truncated"),
        (Says(""), "judge_unparsable"),
        (Status(400, {"message": "too long", "code": "context_length_exceeded"}), "judge_error"),
    ],
)
def test_a_judge_that_fails_leaves_a_typed_gap_and_never_a_number(
    mogi: Mogi, acme: Path, model: ChatServer, reply: Any, reason: str
) -> None:
    model.answer = lambda body: reply if is_judge(body) else SAYS
    done = mogi("run", "acme", "--json")
    found = done.json
    assert 3 == done.status  # nothing could be scored
    assert (None, 0, {reason: 8}) == (found["score"], found["scored"], found["unscored"])
    assert (0.2, 1.0) == (found["score_worst"], found["score_best"])
    assert 8 == found["failures"]["judge"]


def test_gaps_leave_the_gate_undecided(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    fails_once = [Says("no"), Says("no")]

    def answer(body: dict[str, Any]) -> Any:
        if not is_judge(body):
            return SAYS
        return fails_once.pop() if fails_once and "returns" not in str(body) else JUDGEMENT

    model.answer = answer
    done = mogi("run", "acme", "--persona", "calm", "--fail-under", "0.75", "--concurrency", "1",
                "--json")  # fmt: skip
    assert done.json["score_worst"] < 0.75 <= done.json["score_best"]
    assert (3, None) == (done.status, done.json["gate"]["passed"])


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (Status(401, {"message": "Incorrect API key", "code": "invalid_api_key"}), "401"),
        (Status(403, "forbidden"), "403"),
        (Status(429, {"message": "quota", "code": "insufficient_quota"}), "quota"),
        (Status(404, {"message": "no such model", "code": "model_not_found"}), "mock"),
    ],
)
def test_a_refused_account_stops_the_run_at_once_and_it_can_be_resumed(
    mogi: Mogi, acme: Path, model: ChatServer, status: Status, message: str
) -> None:
    kind = model.answer
    model.answer = lambda body: status
    stopped = mogi("run", "acme", "--concurrency", "1", "--json")
    assert (3, 4) == (stopped.status, stopped.json["unfinished"])
    assert message in stopped.err
    assert "mogi run --resume" in stopped.err
    assert model.count <= 2  # the judge of turn 1 and the user of turn 2
    model.answer = kind
    resumed = mogi("run", "--resume", "latest", "--json")
    assert (0, 0.8, stopped.json["run"]) == (
        resumed.status, resumed.json["score"], resumed.json["run"],
    )  # fmt: skip


def test_a_budget_is_never_overspent_and_its_run_can_be_resumed(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    priced = (acme / "client.yaml").read_text("utf-8") + "prices: {mock: {input: 1, output: 1}}\n"
    (acme / "client.yaml").write_text(priced, "utf-8")
    done = mogi("run", "acme", "--budget", "0.008", "--json")
    assert 3 == done.status
    assert done.json["unfinished"] > 0
    assert done.json["cost_usd"] <= 0.008
    more = mogi("run", "--resume", "latest", "--budget", "1", "--json")
    assert (0, 0) == (more.status, more.json["unfinished"])


def test_an_unknown_price_refuses_a_budget_before_anything_runs(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    done = mogi("run", "acme", "--budget", "1")
    assert (2, 0) == (done.status, model.count)
    assert "prices" in done.err


def test_a_dry_run_bounds_calls_tokens_and_money(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    found = mogi("run", "acme", "--dry-run", "--json").json
    calls = {r["role"]: r["calls"] for r in found["roles"]}
    made = mogi("run", "acme", "--json").json["calls"]
    for role in ("user", "judge"):
        assert calls[role]["lowest"] <= made[role] <= calls[role]["highest"]


def test_judgements_of_the_same_evidence_can_be_reused(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    first = mogi("run", "acme", "--json").json
    before = model.count
    second = mogi("run", "acme", "--reuse", first["run"], "--json").json
    assert before + 4 == model.count  # the users spoke again, the judge did not
    assert (first["score"], 0) == (second["score"], second["calls"]["judge"])


def test_judgements_made_under_other_guidelines_are_not_reused(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    first = mogi("run", "acme", "--json").json
    with (acme / "client.yaml").open("a", encoding="utf-8") as file:
        file.write("guidelines: [丁寧に答える]\n")
    before = model.count
    second = mogi("run", "acme", "--reuse", first["run"], "--json").json
    assert (before + 12, 8) == (model.count, second["calls"]["judge"])


def test_a_short_key_changes_no_answer(
    mogi: Mogi, acme: Path, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")  # as the users' `stop` says
    found = mogi("run", "acme", "--json").json
    assert ({"max_turns": 4}, 12) == (found["stops"], model.count)


def test_a_key_appears_nowhere(
    mogi: Mogi, acme: Path, model: ChatServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    canary = "sk-canary-7f3a9c"
    monkeypatch.setenv("OPENAI_API_KEY", canary)
    model.script(Status(401, {"message": f"Incorrect API key provided: {canary}"}))
    first = mogi("run", "acme", "--debug")
    second = mogi("run", "acme")
    exported = mogi("export", "latest")
    assert f"Bearer {canary}" == model.requests[-1].headers["Authorization"]
    for text in (first.out, first.err, second.out, second.err, exported.out):
        assert canary not in text
    for path in tmp_path.glob("mogi.db*"):
        assert canary.encode() not in path.read_bytes()


def test_the_demo_bot_words_its_answers_with_the_model(
    mogi: Mogi, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
    players = model.answer

    def answer(body: dict[str, Any]) -> Any:
        wording = "response_format" not in body
        return "ログイン画面から再設定できます。" if wording else players(body)

    model.answer = answer
    done = mogi(
        "run",
        "demo",
        "--model",
        "mock",
        "--scenario",
        "password-forgotten",
        "--json",
        "--max-turns",
        "2",
    )
    found = done.json
    assert 0 == done.status, done.err
    turns = found["turns"]
    assert {"judge": turns, "target": turns} == {k: found["calls"][k] for k in ("judge", "target")}
    assert 2 * turns + found["calls"]["user"] == model.count
    lines = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    assert {"ログイン画面から再設定できます。"} == {line["assistant"] for line in lines}
