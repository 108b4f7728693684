"""A canary in every place of a key: no repr of what mogi holds, no log and no error shows it."""

import gc
import logging
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.targets._wire import Verbatim
from simulator.targets._wire.client import HttpRequest
from simulator.targets._wire.secrets import Secrets
from tests.e2e.conftest import JUDGEMENT, SAYS, Mogi
from tests.loopback.replies import Body, Status
from tests.loopback.server import Answer
from tests.loopback.threaded import served

CANARY = "canary-5f0c9e3b77a14d28"
VARIABLES = ("OPENAI_API_KEY", "GATEWAY_KEY", "BOT_KEY", "BODY_KEY")
TARGETS = {
    "http": (
        'kind: http, url: "{url}/chat/completions", headers: {{Authorization: "${{BOT_KEY}}"}},'
        ' body: {{messages: "{{{{ messages }}}}", token: "${{BODY_KEY}}"}},'
        ' answer: "choices[0].message.content"'
    ),
    "openai_compatible": (
        'kind: openai_compatible, base_url: "{url}", model: bot, api_key_env: BOT_KEY,'
        ' extra_body: {{token: "${{BODY_KEY}}"}}'
    ),
}
FAULTS: dict[str, Callable[[], Answer]] = {
    "none": lambda: "ok",
    "401": lambda: Status(401, {"error": {"message": f"bad key sk-{CANARY}"}}),
    "500": lambda: Status(400, {"error": {"message": f"what is sk-{CANARY}?"}}),
}


def shown_by_mogi() -> list[str]:
    """The types of mogi of which an object's repr shows the canary."""
    return [
        type(each).__qualname__
        for each in gc.get_objects()
        if type(each).__module__.startswith("simulator.") and CANARY in _repr(each)
    ]


def _repr(each: object) -> str:
    try:
        return repr(each)
    except Exception:  # half made
        return ""


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("target", TARGETS)
def test_no_repr_no_log_and_no_error_shows_a_key(
    mogi: Mogi,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    target: str,
    fault: str,
) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, f"sk-{CANARY}")
    caplog.set_level(logging.DEBUG)
    leaks: list[str] = []
    looked: list[str] = []

    def answer(body: Body) -> Answer:
        looked.append(body.get("model", "bot"))
        if len(looked) <= 6:
            leaks.extend(shown_by_mogi())
        if looked[-1] == "bot":
            return FAULTS[fault]()
        return JUDGEMENT if body["model"] == "judge" else SAYS

    with served(answer) as server:
        folder = tmp_path / "scenarios" / "shop"
        folder.mkdir(parents=True)
        models = f'base_url: "{server.base_url}", headers: {{X-Key: "${{GATEWAY_KEY}}"}}'
        (folder / "client.yaml").write_text(
            f"language: ja\ntarget: {{{TARGETS[target].format(url=server.base_url)}}}\n"
            f"user: {{model: user, {models}}}\njudge: {{model: judge, {models}}}\n"
            "personas: [calm]\nmax_turns: 2\n",
            "utf-8",
        )
        (folder / "scenarios.yaml").write_text("- {id: a, query: 送料はいくらですか}\n", "utf-8")
        done = mogi("--debug", "run", "shop", "--json", "--log", "calls.jsonl")
        checked = mogi("check", "shop")
        assert CANARY in str([request.headers for request in server.requests])
    assert "bot" in looked
    assert [] == leaks
    assert CANARY not in "".join((done.out, done.err, checked.out, checked.err, caplog.text))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [] == [path.name for path in files if CANARY.encode() in path.read_bytes()]


def test_what_holds_values_shows_none() -> None:
    value = Verbatim(f"sk-{CANARY}")
    request = HttpRequest("POST", f"https://h/{value}", {"Authorization": value}, value.encode())
    for each in (Secrets({"K": value}), request, [value], {"k": value}, (value,)):
        assert CANARY not in repr(each)
    assert value == f"sk-{CANARY}"


def test_a_traceback_with_its_locals_shows_none() -> None:
    held = Secrets({"K": Verbatim(f"sk-{CANARY}")})
    try:
        raise ValueError(held)
    except ValueError as error:
        told = traceback.TracebackException.from_exception(error, capture_locals=True)
    assert "held = Secrets" in "".join(told.format())
    shown = [*told.format_exception_only(), str((told.stack[0].locals or {})["held"])]
    assert CANARY not in "".join(shown)
