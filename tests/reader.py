"""Somebody who does what a page says; `python -m tests.reader [PAGE…]` renews what pages show."""

import contextlib
import io
import os
import shlex
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

from simulator.cli.app import run as run_command
from tests.exporters.phoenix_server import PhoenixServer
from tests.loopback.bot import Act, Sent, serving
from tests.loopback.forms import filled_in
from tests.loopback.server import ChatServer
from tests.loopback.threaded import served
from tests.pages import COLUMNS, PAGES, Part, commands, filled, is_japanese, parts
from tests.postgresql import running_server
from tests.waiting import until_now
from tests.worksheets.google.signed_in import google_here

# Where pages say that a model answers; the stand-in is on loopback.
_MODELS = (
    "http://127.0.0.1:11434/v1",
    "http://127.0.0.1:8000/v1",
    "https://gateway.example.com/v1",
)
# Where pages send runs.
_TOOLS: dict[str, Callable[[], Act]] = {
    "http://127.0.0.1:4318": lambda: _takes,
    "https://cloud.langfuse.com": lambda: _takes,
    "http://localhost:6006": lambda: PhoenixServer().act,
    "https://hooks.slack.com": lambda: _takes,
}
_OPENAI = "https://api.openai.com"  # where models are that no address is written for
_AZURE = "https://my-resource.openai.azure.com"
_POSTGRESQL = "postgresql://mogi@db.example.com/mogi"
_BOTH = "2>&1"
_PORT = "8765"  # of the bots that pages start


def says(body: Mapping[str, Any]) -> str | dict[str, Any]:
    """A judge who likes everything, users who want to know more, and a bot that says little."""
    if "response_format" not in body:
        return "500円です。"
    schema = body["response_format"]["json_schema"]["schema"]
    if "answers" in schema["properties"]:  # of a text that has two questions asked of it
        return {"answers": [{"number": n, "question": "", "answer": "500円です。"} for n in (1, 2)]}
    if "message" in schema["properties"]:
        more = "もう少し詳しく" if "利用者" in str(body["messages"]) else "Could you say more?"
        return {"thought": "…", "message": more, "stop": "none", "reason": ""}
    return dict(filled_in(schema, str(body["messages"][-1]["content"])))


class Reader:
    """Does a page's parts in the working directory; `with Reader(server) as reader: …`."""

    def __init__(self, server: ChatServer, locale: str) -> None:
        self.printed: list[str] = []
        self._locale = locale
        self._server = server
        self._port = str(_free_port())
        self._undone = ExitStack()

    def __enter__(self) -> Self:
        environment = {
            "COLUMNS": COLUMNS,
            "LANG": self._locale,
            "OPENAI_BASE_URL": self._server.base_url,
        }
        self._undone.enter_context(patch.dict(os.environ, environment))
        # Rates are kept for models that somebody pays; this one is at home.
        admit = "simulator.llm.client.Endpoint.admit"
        self._undone.enter_context(patch(admit, _admitted))
        return self

    def __exit__(self, *_: object) -> None:
        self._undone.close()

    def does(self, part: Part) -> None:
        """One block, as its mark or its language says."""
        kind, argument = part.mark
        if kind == "file":
            path = Path(argument)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self._here(part.body), "utf-8")
        elif kind == "output":
            # What complains shows its complaints, and ends as the block before it says.
            expected = None if _BOTH in argument else 0
            shown = (
                f"$ {argument.removesuffix(f' {_BOTH}')}\n" if part.language == "console" else ""
            )
            self.printed.append(shown + self._command(shlex.split(argument), expected))
        elif kind == "run":
            exec(compile(part.body, "page", "exec"), {"__name__": "page"})
        elif part.language == "bash" and not part.sets_up and kind != "elsewhere":
            *before, last = commands(part.body)
            for command in before:
                self._command(command)
            self._command(last, int(argument) if kind == "status" else 0)

    def _command(self, words: list[str], expected: int | None = 0) -> str:
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            if name == "MOGI_GOOGLE_CREDENTIALS":
                self._undone.enter_context(google_here(value))
                return ""
            os.environ[name] = self._here(value)
            return ""
        if words[0] == "unset":
            for name in words[1:]:
                os.environ.pop(name, None)
            return ""
        if words[0] == "python" and words[-1] == "&":
            self._undone.enter_context(_running(words[1], int(self._port)))
            return ""
        assert "mogi" == words[0], f"a page may only say mogi …, not {shlex.join(words)}"
        status, printed = _mogi([self._here(word) for word in words])
        assert expected in (status, None), f"{shlex.join(words)} ended with {status}"
        return printed.replace(self._server.url, _OPENAI).replace(self._port, _PORT)

    def _here(self, text: str) -> str:
        if _POSTGRESQL in text:
            text = text.replace(_POSTGRESQL, self._undone.enter_context(running_server()))
        for url in _MODELS:
            text = text.replace(url, self._server.base_url)
        for url, act in _TOOLS.items():
            if url in text:
                tool = self._undone.enter_context(serving(act()))
                text = text.replace(url, tool.url)
        return text.replace(_AZURE, self._server.url).replace(_PORT, self._port)


def _takes(_: object) -> Sent:
    """What a tool answers that takes everything."""
    return {}


async def _admitted(*_: object) -> None: ...


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _listens(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port)):
            return True
    except OSError:
        return False


@contextlib.contextmanager
def _running(script: str, port: int) -> Iterator[None]:
    """A bot of the page in a process of its own, from the moment that it listens."""
    with subprocess.Popen([sys.executable, script]) as bot:
        try:
            until_now(lambda: bot.poll() is not None or _listens(port))
            assert bot.poll() is None, f"{script} ended"
            yield
        finally:
            bot.terminate()


def _mogi(words: list[str]) -> tuple[int, str]:
    """Run `mogi …`, `… > FILE`, `… 2>&1` or `… | head -N` here: status, and what is printed."""
    printed, complained = io.StringIO(), io.StringIO()
    if _BOTH in words:
        complained = printed
        words = [word for word in words if word != _BOTH]
    cut = words.index("|") if "|" in words else words.index(">") if ">" in words else len(words)
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(complained):
        status = run_command(words[1:cut])
    text = printed.getvalue()
    if ">" in words:
        Path(words[-1]).write_text(text, "utf-8")
        return status, ""
    if "|" in words:
        text = "".join(text.splitlines(keepends=True)[: -int(words[-1])])
    return status, text


def read(page: Path, server: ChatServer) -> str:
    """Do all that a page says, in an empty folder; the page with what it should show.

    Messages are in the page's language, as those who read it see them.
    """
    text = page.read_text("utf-8")
    locale = "ja_JP.UTF-8" if is_japanese(page) else "C.UTF-8"
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        Reader(server, locale) as reader,
    ):
        for part in parts(text):
            reader.does(part)
        return filled(text, reader.printed)


def main(names: list[str]) -> None:
    """Write what the `output:` commands of these pages (default: all) print now into them."""
    os.environ.pop("NO_COLOR", None)
    with served(says) as server:
        for page in [Path(name).resolve() for name in names] or PAGES:
            page.write_text(read(page, server), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
