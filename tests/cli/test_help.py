"""Every command's --help has examples, fits a terminal, and each example works on the demo."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from rich.cells import cell_len

from simulator.cli import usage
from simulator.cli.app import COMMANDS, app, run
from simulator.core.verdict import Verdict, Word
from simulator.formats.own_files import unified
from simulator.store.store import Store
from tests.e2e.process import ROOT, START
from tests.loopback.threaded import served
from tests.reader import says
from tests.waiting import PATIENCE_S
from tests.worksheets.google.signed_in import google_here

WIDTH = 80
CONTEXTS = {context.command_path: context for context in usage.contexts(app)}
LOGS = {
    "unseen.yaml": "- {id: unseen, query: 送料はいくらですか, expected: {elements: [500円]}}\n",
    "chats.jsonl": '{"conversation": "c1", "speaker": "customer", "text": "送料はいくらですか"}\n',
    "chats.csv": "conversation,speaker,text\nc1,Jones,送料はいくらですか\nc1,窓口,500円です\n",
    "answers.csv": "質問,回答,正解\n送料はいくらですか,500円です,500円\n",
    "questions.csv": "日時,質問\n1,送料はいくらですか\n",
    "queries.csv": "query,id\n送料はいくらですか,faq-1\n返品したい,faq-2\n",
    "found.csv": "query,id\n送料はいくらですか,faq-1|faq-3\n返品したい,faq-3|faq-2\n",
    "answers.jsonl": '{"question": "送料は", "answer": "500円です", "elements": ["500円"]}\n',
}
NAMES = "|".join(COMMANDS)
LINE = re.compile(rf"^ *(?:Examples?: *)?(mogi (?:{NAMES}|COMMAND)\b.*)$", re.MULTILINE)


def help_of(context: click.Context) -> str:
    """What --help prints on a terminal of 80 columns."""
    context.max_content_width = context.terminal_width = WIDTH - 2
    return context.get_help()


def lines_of(context: click.Context) -> list[str]:
    """The lines of the help that a person would copy, with the comments beside them."""
    return LINE.findall(help_of(context))


def calls_of(context: click.Context) -> list[str]:
    """The examples without their comments."""
    return [re.split(" {2,}", line)[0] for line in lines_of(context)]


EXAMPLES = list(dict.fromkeys(call for context in CONTEXTS.values() for call in calls_of(context)))


def parts_of(example: str) -> list[list[str]]:
    """The arguments of each call of mogi in a line of shell."""
    return [shlex.split(call.split(" > ")[0])[1:] for call in example.split(" && ")]


@pytest.fixture(scope="module")
def after_a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which somebody has run the demo twice, and has a client and logs of talks."""
    folder = tmp_path_factory.mktemp("after-a-run")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        for _ in range(2):  # the second is there to be compared with the first
            assert 0 == run(["run", "demo", "--limit", "3", "--quiet"])
        reports = ("--report", "xlsx=review.xlsx", "--report", "csv=review.csv")
        assert 0 == run(["report", "latest", *reports])
        assert 0 == run(["init", "acme"])
        with Store.create("sqlite:///mogi.db") as store:  # two people, or one?
            latest = store.resolve("latest")
            keys = store.keys(latest)
            people = zip(keys, ("J. Smith", "Jane Smith"), strict=False)
            store.add_verdicts(latest, [Verdict(key, 1, Word.OK, name) for key, name in people])
        assert 0 == run(["init", "staging"])
        assert 0 == run(["generate", "acme", "--method", "title", "--quiet"])
        assert 0 == run(["review", "expectations", "acme", "-o", "expectations.xlsx"])
    for name, log in LOGS.items():
        (folder / name).write_text(log, "utf-8")
    before = (ROOT / "scenarios/demo/knowledge/faq.csv").read_text("utf-8")
    (folder / "fixes").mkdir()
    for name in ("my.diff", "fixes/1.diff"):
        changed = unified("knowledge/faq.csv", before, before.replace("。", "。 ", 1))
        (folder / name).write_text(changed, "utf-8")
    return folder


@pytest.fixture
def folder(after_a_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    here = tmp_path / "here"
    shutil.copytree(after_a_run, here)
    monkeypatch.chdir(here)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    with google_here(), served(says) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.base_url)
        yield here


def test_every_command_is_among_them() -> None:
    assert {"mogi", *(f"mogi {name}" for name in COMMANDS)} <= CONTEXTS.keys()


@pytest.mark.parametrize("path", CONTEXTS)
def test_help_fits_a_terminal_has_an_example_and_says_what_every_option_is_for(path: str) -> None:
    context = CONTEXTS[path]
    _, *lines = help_of(context).splitlines()
    assert [] == [line for line in lines if cell_len(line) > WIDTH or line.endswith("...")]
    calls = calls_of(context)
    assert list(usage.examples(context.command)) == calls  # none is broken in two
    assert [] != [call for call in calls if call.startswith(path)]
    comments = [re.search(r" {2,}(\S)", line) for line in lines_of(context)]
    assert len({comment.start(1) for comment in comments if comment}) <= 1  # below each other
    options = [p for p in context.command.params if isinstance(p, click.Option)]
    assert [] == [option.name for option in options if not option.help]


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_works_on_the_demo(example: str, folder: Path) -> None:
    """`folder` is the working directory."""
    for words in parts_of(example):
        if words[:1] == ["init"]:
            shutil.rmtree(folder / "scenarios")
        if "demo-en" in words and {"latest", "--fail-on"} & {*words}:  # a run of that client
            assert 0 == run(["run", "demo-en", "--limit", "3", "--quiet"])
        serves = words[:1] == ["view"] or "--http" in words
        status = _served(words, folder) if serves else run(words)
        if not {"--accept", "--pairs", "--pairs-read"}.isdisjoint(words):
            # the demo comes with mogi, and is not changed; nothing is proved yet
            assert 2 == status, words
        elif not {"--prove", "--after", "--fix"}.isdisjoint(words):
            assert status in (0, 1, 3), words
        elif "--bulk" in words:  # nobody has judged the sample yet
            assert 3 == status, words
        elif {"--new-since", "otel"} & {*words} or words[2:] == ["acme", "--to", "sheets"]:
            # nobody has judged the run before by a plan; nothing says where a collector or a
            # spreadsheet is
            assert 2 == status, words
        else:
            assert 0 == status, words


def _served(words: list[str], folder: Path) -> int:
    """The status of a command that serves until Ctrl-C, which comes once it said where."""
    command = [sys.executable, "-c", START, *words]
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=folder, env=environment, **streams) as server:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("http://127.0.0.1:")
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=PATIENCE_S)
    return server.returncode


@pytest.mark.parametrize("typed", [["help"], ["-h"], ["--help"]])
def test_help_says_where_to_start(typed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(typed)
    shown = capsys.readouterr().out
    assert all(start in shown for start in ("mogi run demo-en", "mogi init acme", "Commands:"))


def test_help_may_come_before_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["help", "targets", "try"])
    shown = capsys.readouterr().out
    assert 0 == run(["targets", "try", "--help"])
    assert shown == capsys.readouterr().out
