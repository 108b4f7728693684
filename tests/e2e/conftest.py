"""The whole command line in one process, in an empty folder, and a chat server in a thread."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.app import run as run_command
from tests.conftest import forget_modules
from tests.loopback.server import ChatServer
from tests.loopback.threaded import served

JUDGEMENT = {
    "comment": "文書どおりの回答である。",
    "conclusion": "適切である。",
    "understanding": 5,
    "relevance": 5,
    "completeness": 4,
    "correctness": 5,
    "coherence": 5,
    "overall": 4,
}
SAYS = {
    "thought": "まだ分からない",
    "message": "もう少し詳しく教えて",
    "stop": "none",
    "reason": "",
}


@dataclass(frozen=True)
class Done:
    """What one command printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out, self.err
        return json.loads(self.out)


Mogi = Callable[..., Done]


@pytest.fixture
def own_process() -> None:
    """Bots in Python have a process of their own, as everywhere but in these tests."""


@pytest.fixture(autouse=True)
def _bots_here(request: pytest.FixtureRequest) -> None:
    if "own_process" not in request.fixturenames:
        request.getfixturevalue("bots_here")


@pytest.fixture
def mogi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Mogi:
    """`mogi("run", "demo")` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*args: str) -> Done:
        capsys.readouterr()
        forget_modules([*sys.modules], tmp_path)
        status = run_command(args)
        printed = capsys.readouterr()
        return Done(status, printed.out, printed.err)

    return call


@pytest.fixture
def model() -> Iterator[ChatServer]:
    """A chat server in a thread of its own; it plays a user who goes on and a kind judge."""
    with served(lambda body: JUDGEMENT if is_judge(body) else SAYS) as server:
        yield server


def is_judge(body: dict[str, Any]) -> bool:
    """Whether a request is one of the judge."""
    return "評価" in body["messages"][0]["content"]


@pytest.fixture
def acme(tmp_path: Path, model: ChatServer) -> Path:
    """A client `acme` with two scenarios, judged by the model server."""
    folder = tmp_path / "scenarios" / "acme"
    folder.mkdir(parents=True)
    (folder / "client.yaml").write_text(
        "language: ja\n"
        'target: {kind: function, function: "bot:answer"}\n'
        f'user: {{model: mock, base_url: "{model.base_url}"}}\n'
        f'judge: {{model: mock, base_url: "{model.base_url}"}}\n'
        "personas: [angry, calm]\n"
        "max_turns: 2\n"
        "limits: {model: {requests_per_minute: null, tokens_per_minute: null}}\n",
        "utf-8",
    )
    (folder / "scenarios.yaml").write_text(
        "- {id: shipping, query: 送料はいくらですか}\n- {id: returns, query: 返品できますか}\n",
        "utf-8",
    )
    (folder / "bot.py").write_text(
        "def answer(question, history):\n"
        "    return '送料は500円です。', [{'id': 'd1', 'text': '送料'}]\n",
        "utf-8",
    )
    return folder
