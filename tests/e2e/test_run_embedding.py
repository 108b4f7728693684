"""A client whose replies are compared by an embedding model."""

import json
from pathlib import Path

import pytest
from aiohttp import web

from tests.e2e.conftest import Mogi
from tests.loopback.replies import Body, Status, Vectors, letters
from tests.loopback.server import ChatServer

SCENARIOS = (
    "- {id: shipping, query: 送料はいくらですか, expected: {answer: 送料は500円です。}}\n"
    "- {id: returns, query: 返品できますか, expected: {answer: 未開封なら返品できます。}}\n"
    "- {id: hello, query: こんにちは}\n"
)


@pytest.fixture
def compared(acme: Path, model: ChatServer) -> Path:
    """The client `acme` without users or a judge that are models."""
    (acme / "client.yaml").write_text(
        "language: ja\n"
        'target: {kind: function, function: "bot:answer"}\n'
        f'embedding: {{model: vectors, base_url: "{model.base_url}"}}\n'
        "metrics: [ada_cosine_similarity, sudachi_f1]\n"
        "score_by: ada_cosine_similarity\n"
        "personas: [angry, calm]\nmax_turns: 2\nprices: {vectors: {input: 1, output: 0}}\n"
        "limits: {model: {requests_per_minute: null, tokens_per_minute: null}}\n",
        "utf-8",
    )
    (acme / "scenarios.yaml").write_text(SCENARIOS, "utf-8")
    return acme


def test_each_text_is_embedded_once_and_the_cosine_scores(
    mogi: Mogi, compared: Path, model: ChatServer
) -> None:
    done = mogi("run", "acme", "--json")
    found = done.json
    assert 0 == done.status, done.err
    assert (False, "ada_cosine_similarity") == (found["offline"], found["score_by"])
    asked = [text for request in model.requests for text in request.body["input"]]
    assert sorted(["送料は500円です。", "未開封なら返品できます。"]) == sorted(asked)
    assert {"/v1/embeddings"} == {request.path for request in model.requests}
    calls = {"user": 0, "judge": 0, "reader": 0, "embedding": model.count, "target": found["turns"]}
    assert calls == found["calls"]
    assert found["tokens"]["input"] > 0
    assert found["cost_usd"] > 0
    # The bot's one reply is the right answer to one of the scenarios.
    scores = found["metrics"]["ada_cosine_similarity"]
    assert scores["scored"] > 0
    assert scores["not_applicable"] > 0
    assert found["turns"] == scores["scored"] + scores["not_applicable"]
    assert 0.6 <= scores["mean"] < 1.0


def test_a_run_that_broke_off_pays_for_nothing_again(
    mogi: Mogi, compared: Path, model: ChatServer
) -> None:
    model.script(Vectors([[1.0], [1.0]]), Status(401))
    assert 3 == mogi("run", "acme", "--concurrency", "1").status
    model.script()
    before = model.count
    done = mogi("run", "acme", "--resume", "latest", "--json")
    assert 0 == done.status, done.err
    assert before + done.json["calls"]["embedding"] - 1 == model.count


def test_vectors_that_cannot_be_compared_are_gaps(
    mogi: Mogi, compared: Path, model: ChatServer
) -> None:
    model.embed = lambda text: [0.0, 0.0]
    found = mogi("run", "acme", "--json").json
    gaps = found["turns"] - found["not_applicable"]
    assert gaps > 0
    assert (None, {"metric_error": gaps}) == (found["score"], found["unscored"])
    assert (0.2, 1.0) == (found["score_worst"], found["score_best"])
    assert found["metrics"]["sudachi_f1"]["mean"] > 0


def test_offline_calls_it_not(mogi: Mogi, compared: Path, model: ChatServer) -> None:
    found = mogi("run", "acme", "--offline", "--json").json
    assert (True, "lexical") == (found["offline"], found["score_by"])
    assert "ada_cosine_similarity" not in found["metrics"]
    assert 0 == model.count


def test_a_dry_run_counts_it_and_calls_it_not(
    mogi: Mogi, compared: Path, model: ChatServer
) -> None:
    done = mogi("run", "acme", "--dry-run", "--json")
    (role,) = done.json["roles"]
    assert ("embedding", "vectors", 2, 16) == (
        role["role"], role["model"], role["calls"]["lowest"], role["calls"]["highest"],
    )  # fmt: skip
    assert role["cost_usd"]["highest"] > 0
    assert "埋め込みの呼び出し（vectors）" in mogi("run", "acme", "--dry-run").out
    assert 0 == model.count


def test_it_is_exported_with_its_bin(mogi: Mogi, compared: Path) -> None:
    mogi("run", "acme")
    turns = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    shipping = next(t for t in turns if t["scenario"] == "shipping")
    score = shipping["scores"]["ada_cosine_similarity"]
    assert (1.0, pytest.approx(1.0)) == (score["value"], score["raw"])


def test_a_server_that_wants_one_text_a_call_gets_it(
    mogi: Mogi, compared: Path, model: ChatServer
) -> None:
    class OneText(Vectors):
        """Text Embeddings servers of one text refuse a list of several."""

        async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
            if isinstance(body["input"], list):
                refused = Status(422, "Input validation error: batch size 2 > maximum 1")
                return await refused.send(request, body)
            return await Vectors([letters(body["input"])]).send(request, body)

    (compared / "scenarios.yaml").write_text(SCENARIOS.splitlines()[1], "utf-8")
    model.script(*[OneText([])] * 20)
    done = mogi("run", "acme", "--json")
    assert 0 == done.status, done.err
    assert {} == done.json["unscored"]
    assert done.json["metrics"]["ada_cosine_similarity"]["scored"] > 0
    kinds = [type(asked.body["input"]) for asked in model.requests]
    assert [list, str, str] == kinds
    assert "1 つずつ送っています" in done.json["notes"][0]
