"""Runs whose endpoint rejects requests: what halts, what is kept and said, what a resume does."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import JUDGEMENT, SAYS, Mogi, is_judge
from tests.loopback.replies import Status
from tests.loopback.server import ChatServer

ODD = Status(400, "The moon is in the wrong house.")
SCENARIOS = "".join(f"- {{id: s{n}, query: 質問{n}です}}\n" for n in range(6))


@pytest.fixture
def six(acme: Path) -> Path:
    """The client with six scenarios, one persona: each conversation is of a scenario of its own."""
    (acme / "scenarios.yaml").write_text(SCENARIOS, "utf-8")
    text = (acme / "client.yaml").read_text("utf-8").replace("[angry, calm]", "[calm]")
    (acme / "client.yaml").write_text(text, "utf-8")
    return acme


def kind(body: dict[str, Any]) -> Any:
    return JUDGEMENT if is_judge(body) else SAYS


@pytest.mark.parametrize("at_once", ["1", "50"])
def test_an_account_that_rejects_everything_halts_the_run_and_blames_nobody(
    mogi: Mogi, six: Path, model: ChatServer, at_once: str
) -> None:
    model.answer = lambda body: ODD
    stopped = mogi("run", "acme", "--concurrency", at_once, "--json")
    found = stopped.json
    assert (3, 6) == (stopped.status, found["unfinished"])
    assert {"target": 0, "user": 0, "judge": 0} == {
        who: found["failures"][who] for who in ("target", "user", "judge")
    }
    assert "; last error: 400: The moon is in the wrong house" in stopped.err
    assert "OPENAI_API_KEY" in stopped.err
    assert "mogi run --resume" in stopped.err
    assert model.count <= 3 + 2 * 2  # a judge's first climbs down to the ground, and a user's
    model.answer = kind
    resumed = mogi("run", "--resume", "latest", "--json")
    assert (0, 0, 0.8) == (resumed.status, resumed.json["unfinished"], resumed.json["score"])
    assert {} == resumed.json["unscored"]


def test_credit_that_runs_out_is_found_and_what_it_spoilt_is_played_again(
    mogi: Mogi, six: Path, model: ChatServer
) -> None:
    judged = 0

    def answer(body: dict[str, Any]) -> Any:
        nonlocal judged
        judged += is_judge(body)
        return ODD if is_judge(body) and judged > 4 else kind(body)

    model.answer = answer
    stopped = mogi("run", "acme", "--concurrency", "1", "--json")
    assert (3, 4) == (stopped.status, stopped.json["unfinished"])
    assert {} == stopped.json["unscored"]
    assert "in a row; last error: 400: The moon" in stopped.err
    model.answer = kind
    resumed = mogi("run", "--resume", "latest", "--json")
    assert (0, {}, 12) == (resumed.status, resumed.json["unscored"], resumed.json["scored"])


def test_one_rejected_judgement_leaves_its_conversation_to_a_resume_and_is_quoted(
    mogi: Mogi, six: Path, model: ChatServer
) -> None:
    def answer(body: dict[str, Any]) -> Any:
        return ODD if is_judge(body) and "質問3" in str(body) else kind(body)

    model.answer = answer
    done = mogi("run", "acme", "--concurrency", "1", "--json")
    found = done.json
    assert (3, 1, {}) == (done.status, found["unfinished"], found["unscored"])
    assert "The moon is in the wrong house" in done.err
    model.answer = kind
    resumed = mogi("run", "--resume", "latest", "--json")
    assert (0, 0, {}) == (
        resumed.status, resumed.json["unfinished"], resumed.json["unscored"]
    )  # fmt: skip


def test_a_user_whose_request_is_rejected_is_not_to_blame(
    mogi: Mogi, six: Path, model: ChatServer
) -> None:
    def answer(body: dict[str, Any]) -> Any:
        return ODD if not is_judge(body) and "質問3" in str(body) else kind(body)

    model.answer = answer
    done = mogi("run", "acme", "--concurrency", "1", "--json")
    assert (3, 1, 0) == (done.status, done.json["unfinished"], done.json["failures"]["user"])
    assert "ended early: mock at" in done.err
    assert "The moon is in the wrong house" in done.err
    model.answer = kind
    assert 0 == mogi("run", "--resume", "latest").status


def test_a_wrong_key_costs_one_call(mogi: Mogi, six: Path, model: ChatServer) -> None:
    model.answer = lambda body: Status(401, "Incorrect API key provided")
    done = mogi("run", "acme")
    assert (3, 1) == (done.status, model.count)
    assert "check OPENAI_API_KEY (is it set, and is it the key of this base_url?)" in done.err


def test_what_was_learnt_of_an_endpoint_stands_in_the_notes(
    mogi: Mogi, six: Path, model: ChatServer
) -> None:
    no_grammar = Status(400, "Failed to initialize samplers: failed to parse grammar")

    def answer(body: dict[str, Any]) -> Any:
        return no_grammar if "response_format" in body else kind(body)

    model.answer = answer
    done = mogi("run", "acme", "--json")
    [note] = done.json["notes"]
    assert 0 == done.status
    assert f"mock at {model.base_url}: 回答形式の指定を受け付けないため" in note
    assert "mock at" in mogi("show", "latest", "--warnings").out
    assert 2 == sum("response_format" in asked.body for asked in model.requests)


def test_what_the_provider_behind_a_gateway_said_is_told(
    mogi: Mogi, six: Path, model: ChatServer
) -> None:
    error = {"message": "Provider returned error", "code": 400, "metadata": {"raw": "no such moon"}}
    model.answer = lambda body: Status(400, error)
    done = mogi("run", "acme")
    assert 3 == done.status
    assert "last error: 400: Provider returned error (no such moon); " in done.err
