"""Whole runs against each of the refusals that real endpoints send (tests/llm/endpoints.jsonl)."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.retries import Backoff
from tests.e2e.conftest import JUDGEMENT, SAYS, Done, Mogi, is_judge
from tests.llm.endpoints import SAID, of, raw
from tests.loopback.replies import Raw, Reply
from tests.loopback.server import ChatServer

pytestmark = pytest.mark.slow
Body = dict[str, Any]
Said = dict[str, Any]
NOBODY = {"target": 0, "user": 0, "judge": 0}


def sound(body: Body) -> Any:
    return JUDGEMENT if is_judge(body) else SAYS


def blames_nobody(done: Done) -> bool:
    return NOBODY == {who: done.json["failures"][who] for who in NOBODY}


def name(said: Said) -> str:
    return str(said["endpoint"])


def words(said: Said) -> str:
    """What the refusal says, as people are shown it: a line, cut where it is very long."""
    if "shown" in said:
        return str(said["shown"])
    body: Any = said["body"][0] if isinstance(said["body"], list) else said["body"] or {}
    error = body.get("error", body)
    text = error if isinstance(error, str) else error.get("message") or error.get("detail") or ""
    line = " ".join(str(text).split())[:250].rstrip(".")
    return f"an error in a 200: {line}" if said["status"] == 200 else f"{said['status']}: {line}"


@pytest.fixture
def cool(acme: Path) -> Path:
    """The client whose judge is asked with a temperature."""
    path = acme / "client.yaml"
    path.write_text(
        path.read_text("utf-8").replace("judge: {", "judge: {temperature: 0, "), "utf-8"
    )
    return acme


# When the endpoint refuses, by what its refusal means: always but for what mogi can do without.
REFUSES: dict[str, Callable[[Body], bool]] = {
    "form": lambda body: "response_format" in body,
    "parameter": lambda body: "temperature" in body,
    "system_role": lambda body: body["messages"][0]["role"] == "system",
    "roles": lambda body: body["messages"][0]["role"] == "system",
}


HALTS = {"account", "wrong_place", "permanent"}
GAPS = {"context": "judge_error", "garbled": "judge_unparsable", "filter": "judge_refused"}
MENDED = [pytest.param(m, *p.values, id=str(p.id)) for m in REFUSES for p in of(m)]


@pytest.mark.parametrize(("meaning", "reply"), MENDED)
def test_what_can_be_done_without_costs_no_score(
    meaning: str, reply: Reply, mogi: Mogi, cool: Path, model: ChatServer
) -> None:
    model.answer = lambda body: reply if REFUSES[meaning](body) else sound(body)
    done = mogi("run", "acme", "--json")
    assert (0, {}, 8) == (done.status, done.json["unscored"], done.json["scored"]), done.err
    assert blames_nobody(done)
    refused = [asked for asked in model.requests if REFUSES[meaning](asked.body)]
    assert 0 < len(refused) <= 2 * 2  # once a rung, for the user's and the judge's form
    assert model.base_url in done.json["notes"][0]


@pytest.mark.parametrize("reply", of("settings"))
def test_a_model_that_only_streams_scores_every_turn(
    reply: Reply, mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    def answer(body: Body) -> Any:
        said = json.dumps(sound(body), ensure_ascii=False)
        event = json.dumps({"choices": [{"delta": {"content": said}, "finish_reason": "stop"}]})
        stream = Raw(f"data: {event}\n\ndata: [DONE]\n\n".encode(), 200, "text/event-stream")
        return stream if body.get("stream") else reply

    model.answer = answer
    done = mogi("run", "acme", "--json")
    assert (0, {}, 8) == (done.status, done.json["unscored"], done.json["scored"]), done.err
    assert 1 <= sum("stream" not in asked.body for asked in model.requests) <= 2


@pytest.mark.parametrize("said", [s for s in SAID if s["means"] in HALTS], ids=name)
def test_what_is_the_accounts_trouble_costs_a_call_and_is_told_and_can_be_resumed(
    said: Said, mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    model.answer = lambda body: raw(said)
    done = mogi("run", "acme", "--json")
    assert (3, 1, 4) == (done.status, model.count, done.json["unfinished"])
    assert blames_nobody(done)
    assert words(said) in done.err
    assert "mogi run --resume" in done.err
    model.answer = sound
    resumed = mogi("run", "--resume", "latest", "--json")
    assert (0, {}, 8) == (resumed.status, resumed.json["unscored"], resumed.json["scored"])


@pytest.mark.parametrize("said", [s for s in SAID if s["means"] in GAPS], ids=name)
def test_what_is_one_requests_own_trouble_is_that_turns_gap(
    said: Said, mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    def answer(body: Body) -> Any:
        about = is_judge(body) and "返品できますか" in str(body) and "怒っている" not in str(body)
        return raw(said) if about else sound(body)

    model.answer = answer
    done = mogi("run", "acme", "--json")
    gaps = done.json["unscored"]
    assert (0, 0) == (done.status, done.json["unfinished"])
    assert 2 == gaps[GAPS[said["means"]]] == sum(gaps.values()) == done.json["failures"]["judge"]
    assert (6, 0, 0) == (
        done.json["scored"], done.json["failures"]["user"], done.json["failures"]["target"]
    )  # fmt: skip
    told = "(content_filter)" if said["status"] == 200 else words(said)[:60]
    assert told in done.json["unscored_why"]


@pytest.mark.parametrize("said", [s for s in SAID if s["means"] == "filter"], ids=name)
def test_a_filter_that_stops_the_user_is_nobodys_failure_and_is_tried_again_on_resume(
    said: Said, mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    def answer(body: Body) -> Any:
        about = (
            not is_judge(body) and "返品できますか" in str(body) and "怒っている" not in str(body)
        )
        return raw(said) if about else sound(body)

    model.answer = answer
    done = mogi("run", "acme", "--json")
    assert (3, 1) == (done.status, done.json["unfinished"])
    assert blames_nobody(done)
    assert "content filter" in done.err
    model.answer = sound
    resumed = mogi("run", "--resume", "latest", "--json")
    assert (0, {}, 8) == (resumed.status, resumed.json["unscored"], resumed.json["scored"])


@pytest.mark.parametrize("reply", of("passes"))
def test_what_passes_is_asked_again_and_costs_no_score(
    reply: Reply, mogi: Mogi, acme: Path, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = Backoff(first=0, most=0, more=0, most_more=0, least=0)
    monkeypatch.setattr("simulator.llm.caller._BACKOFF", at_once)
    model.answer = sound
    model.script(reply, reply)
    done = mogi("run", "acme", "--json")
    assert (0, {}, 8) == (done.status, done.json["unscored"], done.json["scored"]), done.err
    assert blames_nobody(done)


@pytest.mark.parametrize("said", [s for s in SAID if s["means"] == "context"], ids=name)
def test_an_account_for_which_all_is_too_long_halts_the_run(
    said: Said, mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    model.answer = lambda body: raw(said)
    done = mogi("run", "acme", "--json")
    assert (3, 4) == (done.status, done.json["unfinished"])
    assert blames_nobody(done)
    assert "rejected 3 requests alike" in done.err
    assert re.search("increase it|raise the limit", done.err)


def test_every_line_is_looked_at() -> None:
    assert {*REFUSES, "settings", "passes", *HALTS, *GAPS} == {said["means"] for said in SAID}
