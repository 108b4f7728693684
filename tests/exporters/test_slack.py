"""A message to Slack when a gate fails, by a stand-in that knows what Block Kit takes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from aiohttp import web
from pydantic import BaseModel, Field, ValidationError

from tests.e2e.conftest import Mogi
from tests.e2e.small_client import small_client
from tests.loopback.bot import Heard, serving

TRAP = "<!channel> *you* & <https://evil.example|win> `x` @here :bomb: "
BOT = f"""\
def answer(question, history):
    return {TRAP!r} * 50 if "delivery" in question else "I cannot help you."
"""
GATE = "gate: {pass_rate: 0.9, must_pass: [returns]}\n"


class Plain(BaseModel, extra="forbid", strict=True):
    type: Literal["plain_text"]
    text: Annotated[str, Field(min_length=1, max_length=3_000)]
    emoji: bool = True


class Mrkdwn(BaseModel, extra="forbid", strict=True):
    type: Literal["mrkdwn"]
    text: Annotated[str, Field(min_length=1, max_length=3_000)]
    verbatim: bool = False


class Header(BaseModel, extra="forbid"):
    type: Literal["header"]
    text: Plain


class Section(BaseModel, extra="forbid"):
    type: Literal["section"]
    text: Plain | Mrkdwn | None = None
    fields: Annotated[list[Plain | Mrkdwn], Field(min_length=1, max_length=10)] | None = None


class Context(BaseModel, extra="forbid"):
    type: Literal["context"]
    elements: Annotated[list[Plain | Mrkdwn], Field(min_length=1, max_length=10)]


class Divider(BaseModel, extra="forbid"):
    type: Literal["divider"]


class Message(BaseModel, extra="forbid"):
    text: str
    mrkdwn: bool = True
    blocks: Annotated[list[Header | Section | Context | Divider], Field(max_length=50)]


@dataclass
class Hook:
    """An incoming webhook; it answers as Slack does."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200

    def act(self, heard: Heard) -> web.StreamResponse:
        assert (heard.method, heard.path) == ("POST", "/services/T0/B0/s3cret")
        try:
            message = Message.model_validate(heard.json)
        except ValidationError as error:
            return web.Response(status=400, text=f"invalid_blocks {error}")
        for block in message.blocks:
            if isinstance(block, Header):
                assert len(block.text.text) <= 150
            if isinstance(block, Section):
                assert all(len(each.text) <= 2_000 for each in block.fields or ())
        self.messages.append(heard.json)
        return web.Response(status=self.status, text="ok" if self.status == 200 else "no_team")

    @property
    def texts(self) -> list[str]:
        """What the last message shows, text by text."""
        return list(_texts(self.messages[-1]["blocks"]))


def _texts(value: Any) -> Iterator[str]:
    for each in value if isinstance(value, list) else value.values():
        if isinstance(each, list | dict):
            yield from _texts(each)
        elif isinstance(value, dict) and value.get("text") is each:
            yield str(each)


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    hook = Hook()
    for name in ("MOGI_PAGE_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID", "CI_JOB_URL"):
        monkeypatch.delenv(name, raising=False)
    with serving(hook.act) as server:
        monkeypatch.setenv("SLACK_WEBHOOK_URL", f"{server.url}/services/T0/B0/s3cret")
        yield hook


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    client = small_client(tmp_path, '{kind: function, function: "bot:answer"}', bot=BOT)
    with (client / "client.yaml").open("a", encoding="utf-8") as file:
        file.write(GATE)
    return client


def test_a_failed_gate_is_told_with_the_worst_answers(mogi: Mogi, shop: Path, hook: Hook) -> None:
    done = mogi("run", "shop", "--export", "slack", "--json")
    assert (1, False) == (done.status, "slack" in done.err)
    (message,) = hook.messages
    assert message["text"] == "shop: the gate failed"
    title, rate, must, *rest = hook.texts
    assert title == "shop: the gate failed"
    assert rate == "pass rate of 0.9 or more: failed (0.00)"
    assert must == "must-pass scenarios: failed: returns/calm/1"
    flagged, turns = done.json["flagged"], done.json["turns"]
    assert {"Failed 3", f"Flagged {flagged} of {turns} turns"} <= set(rest)
    returns = next(text for text in rest if text.startswith("returns"))
    assert "user: How long can I return an article?\nbot: I cannot help you." in returns
    assert rest[-1] == f"mogi show {done.json['run']} --failed"


def test_nothing_of_a_bot_formats_links_or_notifies(mogi: Mogi, shop: Path, hook: Hook) -> None:
    mogi("run", "shop", "--export", "slack", "--quiet")
    shown = next(text for text in hook.texts if text.startswith("delivery"))
    assert "bot: &lt;!channel&gt; *you* &amp; &lt;https://evil.example|win&gt; `x` @here" in shown
    assert len(shown) < 1_500
    assert "mrkdwn" not in str(hook.messages[0]["blocks"])
    assert hook.messages[0]["mrkdwn"] is False


def test_nothing_is_sent_of_a_gate_that_passes_or_of_a_run_that_was_reported(
    mogi: Mogi, shop: Path, hook: Hook
) -> None:
    run = mogi("run", "shop", "--export", "slack", "--json").json["run"]
    mogi("run", "--resume", run, "--export", "slack", "--quiet")
    assert len(hook.messages) == 1
    assert mogi("export", run, "--to", "slack").status == 0
    assert hook.messages[0] == hook.messages[1]
    (shop / "bot.py").write_text("def answer(question, history):\n    return '5 euros'", "utf-8")
    text = (shop / "client.yaml").read_text("utf-8").replace(GATE, "gate: {pass_rate: 0.1}\n")
    (shop / "client.yaml").write_text(text, "utf-8")
    done = mogi("run", "shop", "--export", "slack", "--quiet")
    assert (0, 2) == (done.status, len(hook.messages)), done.err
    assert mogi("export", "latest", "--to", "slack").status == 0
    assert hook.texts[0] == "shop: the gate passed"


@pytest.mark.parametrize(
    ("variables", "link"),
    [
        ({"MOGI_PAGE_URL": "https://ci.example/p?a=1&b=2"}, "https://ci.example/p?a=1&amp;b=2"),
        (
            {
                "GITHUB_SERVER_URL": "https://github.com",
                "GITHUB_REPOSITORY": "acme/bot",
                "GITHUB_RUN_ID": "42",
            },
            "https://github.com/acme/bot/actions/runs/42",
        ),
        ({"CI_JOB_URL": "https://gitlab.example/j/1"}, "https://gitlab.example/j/1"),
    ],
)
def test_it_links_the_page_where_one_is_known(
    mogi: Mogi,
    shop: Path,
    hook: Hook,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    link: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    text = (shop / "client.yaml").read_text("utf-8").replace("language: en", "language: ja")
    (shop / "client.yaml").write_text(text, "utf-8")
    run = mogi("run", "shop", "--export", "slack", "--json").json["run"]
    assert hook.texts[0] == "shop: ゲートに不合格です"
    assert hook.texts[-1] == f"<{link}|レポートを開く>  ·  {run}"


def test_what_slack_refuses_stops_no_run_and_shows_no_secret(
    mogi: Mogi, shop: Path, hook: Hook
) -> None:
    hook.status = 404
    done = mogi("run", "shop", "--export", "slack", "--json")
    run = done.json["run"]
    assert (1, 1) == (done.status, len(hook.messages))
    assert "no_team" in done.err
    assert "s3cret" not in done.err
    assert f"send it again:  mogi export {run} --to slack" in done.err


def test_the_webhook_has_to_be_named(
    mogi: Mogi, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SLACK_WEBHOOK_URL", raising=False)
    done = mogi("run", "shop", "--export", "slack")
    expected = "slack: set SLACK_WEBHOOK_URL to the URL of an incoming webhook\n"
    assert (2, expected) == (done.status, done.err)
