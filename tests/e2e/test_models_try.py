"""`mogi models try`: what it says of endpoints of all kinds, each of them a server."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import JUDGEMENT, SAYS, Mogi, is_judge
from tests.expecting import as_its_schema_says
from tests.loopback.replies import Raw, Says, Status
from tests.loopback.server import ChatServer

Answers = Callable[[dict[str, Any]], Any]


def said(body: dict[str, Any]) -> Any:
    return JUDGEMENT if is_judge(body) else SAYS


def counting(**usage: Any) -> Answers:
    return lambda body: Says(said(body), usage={"completion_tokens": 40, **usage})


def thoughts_beside(body: dict[str, Any]) -> dict[str, Any]:
    """A completion as vLLM and DeepSeek send it: no tokens of reasoning are told."""
    whole = Says(said(body)).payload(body)
    whole["choices"][0]["message"]["reasoning_content"] = "The user wants …"
    return whole


def test_a_model_that_does_all_is_told_with_its_figures(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    with (acme / "client.yaml").open("a", encoding="utf-8") as file:
        file.write(
            f'embedding: {{model: vectors, base_url: "{model.base_url}"}}\n'
            "metrics: [overall, ada_cosine_similarity]\n"
            "prices: {mock: {input: 10, output: 10}, vectors: {input: 10, output: 10}}\n"
        )
    done = mogi("models", "try", "acme", "--json")
    assert 0 == done.status, done.err
    as_its_schema_says("models", done.json)
    user, judge, embedding = done.json["models"]
    assert ("user", "mock", model.base_url) == (user["role"], user["model"], user["endpoint"])
    assert (True, "json_schema", False) == (user["usable"], user["form"], user["reasoning"])
    assert (2, 2, 1) == tuple(len(one["latency_ms"]) for one in (user, judge, embedding))
    assert user["context"]["holds"] > 9_000
    assert user["context"] == judge["context"]
    assert None is embedding["context"]
    assert ["直すところはありません。"] == user["advice"]
    assert 0 < judge["cost_usd"] < user["paid_usd"]  # which holds the long prompts
    assert 7 == model.count  # two of each, the vectors, and two long prompts
    shown = mogi("models", "try", "acme").out
    assert "採点役  mock" in shown
    assert "厳密な JSON スキーマ" in shown


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (counting(prompt_tokens=4096), "4,096 トークンを超えるプロンプトは"),
        (
            counting(prompt_tokens=90, completion_tokens_details={"reasoning_tokens": 30}),
            "答える前に考えるので",
        ),
        (
            lambda body: Raw(json.dumps(thoughts_beside(body)).encode()),
            "答える前に考えるので",
        ),
        (lambda body: Says(said(body), usage={}), "トークン数が報告されない"),
    ],
)
def test_what_an_endpoint_does_is_said_with_advice(
    mogi: Mogi, acme: Path, model: ChatServer, answer: Answers, told: str
) -> None:
    model.answer = answer
    assert told in mogi("models", "try", "acme").out.replace("\n              ", "")


def test_prompts_that_are_cut_are_status_1(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    model.answer = counting(prompt_tokens=4096)
    done = mogi("models", "try", "acme", "--json")
    assert (1, 4096) == (done.status, done.json["models"][0]["context"]["cut_at"])


def test_a_long_prompt_that_is_refused_is_told(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    def short(body: dict[str, Any]) -> Any:
        length = sum(len(message["content"]) for message in body["messages"])
        return said(body) if length < 20_000 else Status(400, "maximum context is 8192 tokens")

    model.answer = short
    done = mogi("models", "try", "acme", "--json")
    assert 0 == done.status  # a run may do with less
    assert "8192" in done.json["models"][0]["context"]["refused"]


def test_the_rung_and_what_is_left_out_are_told(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    model.forms = {"json_object"}
    model.refuses = {"temperature"}
    user = mogi("models", "try", "acme", "--json").json["models"][0]
    assert ("json_object", ["temperature"]) == (user["form"], user["left_out"])
    assert 1 < len(user["advice"])


def test_the_cached_share_is_that_of_the_second_prompt(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    def cached(body: dict[str, Any]) -> Says:
        warm = 50 if model.count % 2 == 0 else 0
        usage = {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": warm}}
        return Says(said(body), usage=usage)

    model.answer = cached
    assert 0.5 == mogi("models", "try", "acme", "--json").json["models"][0]["cached_share"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda body: Status(401, "wrong key"), "wrong key"),
        (lambda body: '{"thought": 1', "not the form"),
    ],
)
def test_a_model_that_cannot_be_used_is_status_1_and_says_why(
    mogi: Mogi, acme: Path, model: ChatServer, answer: Answers, told: str
) -> None:
    model.answer = answer
    done = mogi("models", "try", "acme", "--json")
    judge = done.json["models"][1]
    assert (1, False) == (done.status, judge["usable"])
    assert told in judge["why"]
    assert "このままでは実行に使えません" in judge["advice"][0]


def test_without_a_model_there_is_none_to_try(mogi: Mogi) -> None:
    done = mogi("models", "try", "demo")
    assert 2 == done.status
    assert "or use --model" in done.err


def test_the_demos_wording_is_tried_too(
    mogi: Mogi, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    done = mogi("models", "try", "demo", "--model", "mock", "--json")
    assert ["user", "judge", "target"] == [one["role"] for one in done.json["models"]]
    assert None is done.json["models"][2]["form"]
