"""`--export langfuse` and `mogi export RUN --to langfuse`: what Langfuse gets."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Mogi
from tests.exporters.conftest import Tool
from tests.exporters.schemas import attributes, check_score, spans_in

TRACES, SCORES = "/api/public/otel/v1/traces", "/api/public/scores"
OWN = "4bf92f3577b34da6a3ce929d0e0e4736"
SECRET = "sk-lf-0123456789"


@pytest.fixture(autouse=True)
def _settings(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk-lf-0123456789")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", SECRET)
    monkeypatch.setenv("LANGFUSE_BASE_URL", tool.url)


def _spans(tool: Tool) -> list[Any]:
    return [span for body in tool.bodies(TRACES) for span in spans_in(body)]


def _scores(tool: Tool) -> list[Any]:
    scores = tool.bodies(SCORES)
    for score in scores:
        check_score(score)
    return sorted(scores, key=lambda score: str(score["id"]))


def test_a_run_is_an_experiment_and_each_conversation_an_item(
    mogi: Mogi, acme: Path, tool: Tool
) -> None:
    run = mogi("run", "acme", "--export", "langfuse", "--json").json["run"]
    spans = _spans(tool)
    roots = [span for span in spans if "parentSpanId" not in span]
    assert (4, 8) == (len(roots), len(spans) - len(roots))
    by_id = {root["spanId"]: root for root in roots}
    for span in spans:
        values = attributes(span)
        root = by_id[span.get("parentSpanId", span["spanId"])]
        assert span["traceId"] == root["traceId"]
        assert {
            "langfuse.experiment.id": run,
            "langfuse.experiment.name": f"acme {run}",
            "langfuse.experiment.dataset.id": "acme",
            "langfuse.experiment.item.root_observation_id": root["spanId"],
        }.items() <= values.items()
        assert values["langfuse.experiment.item.id"] == f"acme/{values['langfuse.trace.name']}"
        assert "送料は500円です。" == values["langfuse.observation.output"]
    for heard in tool.heard:
        assert "4" == heard.headers["x-langfuse-ingestion-version"]
        basic = b64encode(f"pk-lf-0123456789:{SECRET}".encode()).decode()
        assert f"Basic {basic}" == heard.headers["Authorization"]


def test_each_rating_is_a_score_of_its_turn_or_conversation(
    mogi: Mogi, acme: Path, tool: Tool
) -> None:
    mogi("run", "acme", "--export", "langfuse")
    scores, spans = _scores(tool), _spans(tool)
    places = {(span["traceId"], span["spanId"]) for span in spans}
    assert all((score["traceId"], score["observationId"]) in places for score in scores)
    assert len(scores) == len({score["id"] for score in scores})
    results = [score for score in scores if score["name"] == "result"]
    assert 4 == len(results)
    overall = [score for score in scores if score["name"] == "overall"]
    assert {("NUMERIC", 0.8, "文書どおりの回答である。\n適切である。")} >= {
        (score["dataType"], score["value"], score["comment"]) for score in overall
    }


def test_sending_again_changes_nothing(mogi: Mogi, acme: Path, tool: Tool) -> None:
    """But a result: while a run goes on, nobody knows yet how far its judge is to be trusted."""
    sent: list[tuple[Any, Any]] = []
    for command in ("run acme --export", "export latest --to", "export latest --to"):
        mogi(*command.split(), "langfuse")
        sent.append((_scores(tool), sorted(map(str, _spans(tool)))))
        tool.heard.clear()
    (live, spans), *later = sent
    assert later[0] == later[1]
    assert spans == later[0][1]
    decided = [score for score in live if score["name"] != "result"]
    assert decided == [score for score in later[0][0] if score["name"] != "result"]
    assert [score["id"] for score in live] == [score["id"] for score in later[0][0]]


def test_scores_of_a_turn_land_on_the_bots_own_trace(mogi: Mogi, acme: Path, tool: Tool) -> None:
    (acme / "bot.py").write_text(
        f"def answer(question, history):\n    return {{'answer': 'はい。', 'trace': '{OWN}'}}\n",
        "utf-8",
    )
    mogi("run", "acme", "--limit", "1", "--export", "langfuse")
    scores = _scores(tool)
    of_turns = [score for score in scores if score["traceId"] == OWN]
    assert all("observationId" not in score for score in of_turns)
    assert {"result"} == {score["name"] for score in scores if score not in of_turns}


def test_keys_are_wanted_first(
    mogi: Mogi, acme: Path, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LANGFUSE_SECRET_KEY")
    done = mogi("run", "acme", "--export", "langfuse")
    assert (2, []) == (done.status, tool.heard)
    assert done.err.startswith("set LANGFUSE_SECRET_KEY; Langfuse shows the keys under Settings")


def test_a_refusal_is_said_without_the_key(mogi: Mogi, acme: Path, tool: Tool) -> None:
    tool.answers = [401] * 99
    done = mogi("run", "acme", "--offline", "--limit", "1", "--export", "langfuse", "--json")
    assert 0 == done.json["unfinished"]
    assert "401 Unauthorized: come back later; send it again:  mogi export" in done.err
    assert SECRET not in done.err


def test_untrusted_sends_no_key(mogi: Mogi, tool: Tool) -> None:
    mogi("run", "demo", "--limit", "1")
    export = ("export", "latest", "--to", "langfuse", "--untrusted")
    refused = mogi(*export)
    assert (2, []) == (refused.status, tool.heard)
    assert f"--untrusted blocks the host {tool.url} of LANGFUSE_BASE_URL" in refused.err
    done = mogi(*export, "--allow-host", tool.url.removeprefix("http://"))
    assert 0 == done.status, done.err
    assert tool.heard
    assert not any("Authorization" in heard.headers for heard in tool.heard)
    assert SECRET not in json.dumps(tool.bodies(TRACES))


def test_what_is_expected_goes_along(mogi: Mogi, acme: Path, tool: Tool) -> None:
    (acme / "scenarios.yaml").write_text(
        "- {id: a, query: 送料は, expected: {answer: 500円です}}\n"
        "- {id: b, query: 返品は, expected: {elements: [30日, [無料, 0円]]}}\n",
        "utf-8",
    )
    mogi("run", "acme", "--offline", "--persona", "calm", "--export", "langfuse")
    roots = [attributes(span) for span in _spans(tool) if "parentSpanId" not in span]
    key = "langfuse.experiment.item.expected_output"
    assert {"500円です", "30日\n無料 / 0円"} == {root[key] for root in roots}
