"""`--export otel` and `mogi export RUN --to otel`: what an OTLP endpoint gets."""

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.exporters._http import Sender
from simulator.formats.traces import otlp_spans, turns_of
from tests.e2e.conftest import Mogi
from tests.exporters.conftest import Tool
from tests.exporters.schemas import attributes, spans_in

TRACES = "/v1/traces"
OPT_IN = "OTEL_SEMCONV_STABILITY_OPT_IN"
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
OWN = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture(autouse=True)
def _settings(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OPT_IN, "http/dup,gen_ai_latest_experimental")
    monkeypatch.setenv(CAPTURE, "SPAN_ONLY")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"{tool.url}/")


def _spans(tool: Tool) -> list[Any]:
    spans = [span for body in tool.bodies(TRACES) for span in spans_in(body)]
    return sorted(spans, key=lambda span: str(span["spanId"]))


def test_a_span_for_each_turn_and_conversation_with_an_event_for_each_rating(
    mogi: Mogi, acme: Path, tool: Tool
) -> None:
    done = mogi("run", "acme", "--offline", "--export", "otel", "--json")
    assert (0, 4) == (done.json["unfinished"], done.json["conversations"]), done.err
    spans = _spans(tool)
    turns = [span for span in spans if span["kind"] == 3]
    talks = [span for span in spans if span["kind"] == 1]
    assert (done.json["turns"], 4) == (len(turns), len(talks))
    first = next(attributes(s) for s in turns if attributes(s)["mogi.turn"] == 1)
    assert ("invoke_agent", "acme") == (
        first["gen_ai.operation.name"],
        first["gen_ai.agent.name"],
    )
    question = json.loads(first["gen_ai.input.messages"])
    answer = json.loads(first["gen_ai.output.messages"])
    assert "user" == question[0]["role"]
    part = {"type": "text", "content": "送料は500円です。"}
    assert [{"role": "assistant", "parts": [part], "finish_reason": "stop"}] == answer
    assert [{"id": "d1", "title": "", "content": "送料"}] == json.loads(
        first["gen_ai.retrieval.documents"]
    )
    events = [event for span in spans for event in span.get("events", [])]
    assert {"gen_ai.evaluation.result"} == {event["name"] for event in events}
    results = [attributes(event) for talk in talks for event in talk["events"]]
    assert 4 == sum(result["gen_ai.evaluation.name"] == "result" for result in results)
    named = {(talk["traceId"], talk["spanId"]): attributes(talk) for talk in talks}
    for turn in turns:
        of_talk = named[turn["traceId"], turn["parentSpanId"]]
        assert of_talk["gen_ai.conversation.id"] == attributes(turn)["gen_ai.conversation.id"]


def test_sending_a_stored_run_again_sends_the_same(mogi: Mogi, acme: Path, tool: Tool) -> None:
    mogi("run", "acme", "--offline", "--export", "otel")
    live = _spans(tool)
    tool.heard.clear()
    done = mogi("export", "latest", "--to", "otel")
    assert (0, "") == (done.status, done.out), done.err
    assert "was sent to otel: 4 conversations" in done.err
    assert live == _spans(tool)


def test_what_people_said_since_goes_along(
    mogi: Mogi, acme: Path, tool: Tool, tmp_path: Path
) -> None:
    done = mogi("run", "acme", "--offline", "--json")
    line = json.loads(mogi("export", "latest").out.splitlines()[0])
    verdict = {"run": line["run"], "episode": line["episode"], "turn": line["turn"]}
    verdict |= {"verdict": "NG", "reviewer": "田中", "comment": "金額が違う"}
    file = tmp_path / "verdicts.jsonl"
    file.write_text(json.dumps({**line, **verdict}, ensure_ascii=False), "utf-8")
    pulled = mogi("review", "pull", done.json["run"], "--from", str(file))
    assert 0 == pulled.status, pulled.err
    mogi("export", "latest", "--to", "otel")
    events = [event for span in _spans(tool) for event in span.get("events", [])]
    verdicts = [a for a in map(attributes, events) if a["gen_ai.evaluation.name"] == "verdict"]
    assert verdicts
    assert {
        "gen_ai.evaluation.name": "verdict",
        "gen_ai.evaluation.score.value": 0.0,
        "gen_ai.evaluation.score.label": "NG",
        "gen_ai.evaluation.explanation": "金額が違う",
    } in verdicts
    assert "田中" not in json.dumps(tool.bodies(TRACES), ensure_ascii=False)


def test_it_is_read_back_as_the_same_conversations(
    mogi: Mogi, acme: Path, tool: Tool, tmp_path: Path
) -> None:
    mogi("run", "acme", "--offline", "--export", "otel")
    turns = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    [body] = tool.bodies(TRACES)
    assert sorted(
        (f"{line['run']}/{line['episode']}", line["user"], line["assistant"]) for line in turns
    ) == sorted(
        (turn.conversation, turn.question, turn.answer) for turn in turns_of(otlp_spans(body, 1))
    )
    file = tmp_path / "traces.json"
    file.write_text(json.dumps(body), "utf-8")
    scored = mogi("score", str(file), "--metric", "grounded", "--json")
    assert (0, False) == (scored.status, "left out" in scored.err), scored.err
    lines = [json.loads(line) for line in mogi("export", scored.json["run"]).out.splitlines()]
    assert len(turns) == len(lines)
    assert all([{"id": "d1", "text": "送料"}] == line["documents"] for line in lines)


def test_without_the_opt_in_nothing_is_sent(
    mogi: Mogi, acme: Path, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(OPT_IN)
    done = mogi("run", "acme", "--offline", "--export", "otel")
    assert (2, []) == (done.status, tool.heard)
    assert f"export {OPT_IN}=gen_ai_latest_experimental" in done.err


def test_texts_are_left_out_unless_they_are_wanted(
    mogi: Mogi, acme: Path, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CAPTURE)
    mogi("run", "acme", "--offline", "--export", "otel")
    assert _spans(tool)
    sent = json.dumps(tool.bodies(TRACES), ensure_ascii=False)
    assert [] == [text for text in ("送料", "返品できますか", "documents") if text in sent]


def test_headers_and_names_come_from_the_usual_variables(
    mogi: Mogi, acme: Path, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20secret-0123, x-team = qa")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{tool.url}/mine")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "faq-tests")
    mogi("run", "acme", "--offline", "--limit", "1", "--export", "otel")
    [heard] = tool.heard
    assert ("/mine", "a secret-0123", "qa") == (
        heard.path,
        heard.headers["x-key"],
        heard.headers["x-team"],
    )
    assert "application/json" == heard.headers["Content-Type"]
    resource = heard.json["resourceSpans"][0]["resource"]
    assert {"service.name": "faq-tests"} == attributes(resource)


def test_a_turn_with_a_trace_of_the_bots_own_is_a_part_of_it(
    mogi: Mogi, acme: Path, tool: Tool
) -> None:
    (acme / "bot.py").write_text(
        f"def answer(question, history):\n    return {{'answer': 'はい。', 'trace': '{OWN}'}}\n",
        "utf-8",
    )
    mogi("run", "acme", "--offline", "--limit", "1", "--export", "otel")
    turns = [span for span in _spans(tool) if span["kind"] == 3]
    assert {OWN} == {turn["traceId"] for turn in turns}
    [talk] = [span for span in _spans(tool) if span["kind"] == 1]
    of_talk = {"traceId": talk["traceId"], "spanId": talk["spanId"]}
    assert all([of_talk] == turn["links"] and "parentSpanId" not in turn for turn in turns)
    [line, *_] = map(json.loads, mogi("export", "latest").out.splitlines())
    assert OWN == line["trace"]
    again = mogi("rejudge", "latest", "--metric", "refusal", "--offline", "--json").json["run"]
    tool.heard.clear()
    mogi("export", again, "--to", "otel")
    assert {OWN} == {span["traceId"] for span in _spans(tool) if span["kind"] == 3}


def test_a_failure_of_the_bot_is_one_of_its_span(mogi: Mogi, acme: Path, tool: Tool) -> None:
    (acme / "bot.py").write_text("def answer(question, history):\n    raise KeyError('x')\n")
    mogi("run", "acme", "--offline", "--limit", "1", "--export", "otel")
    [turn] = [span for span in _spans(tool) if span["kind"] == 3]
    assert {"code": 2, "message": "KeyError: 'x'"} == turn["status"]
    assert "raised" == attributes(turn)["error.type"]
    assert "gen_ai.output.messages" not in attributes(turn)


def test_it_is_tried_again_where_the_endpoint_asks_for_it(
    mogi: Mogi, acme: Path, tool: Tool
) -> None:
    tool.answers = [503, 429]
    done = mogi("run", "acme", "--offline", "--limit", "1", "--export", "otel")
    assert (3, False) == (len(tool.heard), "--export" in done.err), done.err


def test_an_endpoint_that_refuses_stops_nothing_and_its_words_hold_no_key(
    mogi: Mogi, acme: Path, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer topsecret-0123")
    tool.answers = [401]
    tool.body = {"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too old"}}
    done = mogi("run", "acme", "--offline", "--limit", "1", "--export", "otel", "--json")
    assert 0 == done.json["unfinished"]
    run = done.json["run"]
    why = f"{tool.url}: it answered POST /v1/traces with 401 Unauthorized: come back later"
    again = f"mogi export {run} --to otel"
    assert f"mogi: --export otel failed: {why}; send it again:  {again}\n" in done.err
    refused = mogi("export", run, "--to", "otel")
    assert 3 == refused.status
    assert f"{tool.url}: it refused 2 spans: too old" in refused.err
    assert "topsecret" not in done.err + refused.err
    for n in range(560, 620):  # wherever what is too long is cut
        said = Sender("http://a", {"x-key": "topsecret-0123"}).error(
            "http://a", "x" * n + "topsecret-0123"
        )
        assert "topse" not in str(said)
    encoded = Sender("http://a", {"x-key": "top secret/0123"}).error(
        "http://a", "no /top%20secret%2F0123"
    )
    assert "http://a: no /[key]" == str(encoded)
    cut = Sender("http://a", {"x-key": "topsecret-0123"}).error(
        "http://a", "401: the key topsecret-0…"
    )
    assert "http://a: 401: the key [key]…" == str(cut)


def test_nobody_at_the_endpoint_is_said_at_the_end(
    mogi: Mogi, acme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    done = mogi("run", "acme", "--offline", "--limit", "1", "--export", "otel", "--json")
    assert 0 == done.json["unfinished"]
    why = (
        "mogi: --export otel failed: no server responds at http://127.0.0.1:9 (Connection refused)"
    )
    assert done.err.splitlines()[-1].startswith(why)
    assert done.err.endswith("--to otel\n")
    assert "the bot" not in done.err  # but an exporter's tool


@pytest.mark.parametrize(
    ("url", "why"),
    [("localhost:4318", "is not a URL"), ("http://me:pass@127.0.0.1:1", "contains a user")],
)
def test_a_wrong_endpoint_is_wrong_input(
    mogi: Mogi, acme: Path, monkeypatch: pytest.MonkeyPatch, url: str, why: str
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    done = mogi("run", "acme", "--offline", "--export", "otel")
    assert 2 == done.status
    assert f"OTEL_EXPORTER_OTLP_ENDPOINT {why}" in done.err
    assert "pass@" not in done.err


def test_only_hosts_that_are_named_are_sent_anything(mogi: Mogi, tool: Tool) -> None:
    mogi("run", "demo", "--limit", "1")
    export = ("export", "latest", "--to", "otel", "--allow-host")
    done = mogi(*export, "127.0.0.1:1")
    assert (2, []) == (done.status, tool.heard)
    assert f"--allow-host blocks the host {tool.url} of OTEL_EXPORTER_OTLP" in done.err
    assert 0 == mogi(*export, tool.url.removeprefix("http://")).status


def test_untrusted_sends_no_key_and_goes_nowhere_else(
    mogi: Mogi, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret-0123")
    mogi("run", "demo", "--limit", "1")
    host = tool.url.removeprefix("http://")
    export = ("export", "latest", "--to", "otel", "--untrusted", "--allow-host")
    done = mogi(*export, host)
    assert 0 == done.status, done.err
    assert ["x-key" in heard.headers for heard in tool.heard] == [False]
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example")
    done = mogi(*export, "collector.example:443")
    assert 2 == done.status
    assert "--untrusted blocks the host https://collector.example" in done.err
