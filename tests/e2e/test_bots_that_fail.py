"""Bots that fail in every way there is: theirs is the conversation, never the run."""

import json
import os
import re
from itertools import product
from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi

pytestmark = pytest.mark.usefixtures("own_process")

CLIENT = """\
language: en
target: {kind: function, function: "bot:answer"}
personas: [calm]
max_turns: 2
"""


def client(folder: Path, bot: str, scenarios: int = 6, more: str = "") -> Path:
    """The client `shop` with that bot; scenario N asks question N."""
    place = folder / "scenarios" / "shop"
    place.mkdir(parents=True)
    (place / "client.yaml").write_text(CLIENT + more, "utf-8")
    asked = (
        f'- {{id: s{n}, query: "question {n}?", expected: {{elements: [fine]}}}}\n'
        for n in range(scenarios)
    )
    (place / "scenarios.yaml").write_text("".join(asked), "utf-8")
    (place / "bot.py").write_text(bot, "utf-8")
    return place


def test_a_bot_that_only_fails_ends_the_run_and_its_mended_self_goes_on(
    mogi: Mogi, tmp_path: Path
) -> None:
    place = client(
        tmp_path, "def answer(question, history):\n    raise RuntimeError('no index')\n", 60
    )
    done = mogi("run", "shop", "--json", "--concurrency", "4")
    assert (3, "unreachable") == (done.status, done.json["status"])
    assert done.json["calls"]["target"] < 20
    assert (0, 60) == (done.json["conversations"], done.json["unfinished"])
    assert "the bot failed 10 times in a row, in 10 scenarios" in done.err
    assert "no index" in done.err
    (place / "bot.py").write_text("def answer(question, history):\n    return 'fine'\n", "utf-8")
    whole = mogi("run", "--resume", "latest", "--force", "--json")
    assert (0, 60, 0) == (whole.status, whole.json["passed"], whole.json["unfinished"])


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            (
                "no conversation finished",
                r"Bot error +\d+ times, first: raised: KeyError: 'id'",
            ),
        ),
        (
            "ja",
            (
                "最後まで終わった会話がありません",
                r"ボットのエラー +\d+ 回、最初は エラー: KeyError: 'id'",
            ),
        ),
    ],
)
def test_where_nothing_ended_the_first_screen_names_the_bots_error(
    mogi: Mogi, tmp_path: Path, language: str, words: tuple[str, str]
) -> None:
    place = client(tmp_path, "def answer(question, history):\n    raise KeyError('id')\n", 60)
    yaml = place / "client.yaml"
    yaml.write_text(
        yaml.read_text("utf-8").replace("language: en", f"language: {language}"), "utf-8"
    )
    for screen in (mogi("run", "shop", "--concurrency", "1").out, mogi("show", "latest").out):
        assert words[0] == screen.splitlines()[1]
        assert re.fullmatch(words[1], screen.splitlines()[3])
        assert "mogi targets try shop" in screen


def test_one_scenario_that_always_fails_ends_nothing(mogi: Mogi, tmp_path: Path) -> None:
    bot = (
        "def answer(question, history):\n"
        "    if '3' in question:\n"
        "        raise RuntimeError('not this one')\n"
        "    return 'fine'\n"
    )
    client(tmp_path, bot)
    done = mogi("run", "shop", "--json", "--repeat", "12", "--concurrency", "2")
    found = done.json
    assert (0, 72, 60, 12) == (
        done.status,
        found["conversations"],
        found["passed"],
        found["failed"],
    )


# What kills a process

ENDS = {
    "segfault": ("ctypes.string_at(0)", "SIGSEGV: Segmentation fault"),
    "exit": ("os._exit(0)", "exit status 0"),
    "abort": ("os.abort()", "SIGABRT: Aborted"),
    "killed": ("os.kill(os.getpid(), 9)", "SIGKILL: Killed"),
}
SYNC = """\
import ctypes, os, time

def answer(question, history):
    time.sleep(0.05)
    if "3" in question:
        {end}
    return "fine"
"""
ASYNC = """\
import asyncio, ctypes, os

async def answer(question, history):
    await asyncio.sleep(0.05)
    if "3" in question:
        {end}
    return "fine"
"""


CHAIN = """\
import ctypes, os, time
from langchain_core.runnables import RunnableLambda

def ask(question):
    time.sleep(0.05)
    if "3" in question:
        {end}
    return "fine"

answer = RunnableLambda(ask)
"""
ENGINE = """\
import ctypes, os, time
from llama_index.core.query_engine import CustomQueryEngine

class Engine(CustomQueryEngine):
    def custom_query(self, query_str: str):
        time.sleep(0.05)
        if "3" in query_str:
            {end}
        return "fine"

answer = Engine()
"""
BOTS = {
    "sync": (SYNC, "kind: function, function"),
    "async": (ASYNC, "kind: function, function"),
    "langchain": (CHAIN, "kind: langchain, runnable"),
    "llama_index": (ENGINE, "kind: llama_index, engine"),
}


@pytest.mark.parametrize(
    ("kind", "end"),
    [
        *(("sync", end) for end in ENDS),
        ("async", "killed"),
        *(
            pytest.param(kind, end, marks=pytest.mark.slow)
            for kind, end in product(("async", "langchain", "llama_index"), ENDS)
            if (kind, end) != ("async", "killed")
        ),
    ],
)
def test_a_bot_that_kills_its_process_fails_one_conversation(
    mogi: Mogi, tmp_path: Path, kind: str, end: str
) -> None:
    code, said = ENDS[end]
    bot, target = BOTS[kind]
    place = client(tmp_path, bot.format(end=code), 12)
    text = (place / "client.yaml").read_text("utf-8")
    (place / "client.yaml").write_text(text.replace("kind: function, function", target), "utf-8")
    done = mogi("run", "shop", "--json")
    found = done.json
    assert (0, 12, 11, 1) == (done.status, found["conversations"], found["passed"], found["failed"])
    assert {"target": 1} == {name: n for name, n in found["failures"].items() if n}
    [failed] = [
        line
        for line in map(json.loads, mogi("export", "latest").out.splitlines())
        if line.get("stop") == "target_failed"
    ]
    assert "s3" == failed["scenario"]
    shown = mogi("show", "latest", failed["episode"]).out
    assert "crashed: it ended its process" in shown.replace("\n", " ")
    trace = " ".join(mogi("show", "latest", failed["episode"]).out.split())
    assert said.split(":")[0] in trace
    if end != "killed":  # nothing can be told of what the system killed
        assert "bot.py" in trace


REMEMBERS = """\
import os, time

HEARD = {}

def answer(question, history):
    time.sleep(0.05)
    if "3" in question:
        os.kill(os.getpid(), 9)
    HEARD[question] = HEARD.get(question, 0) + 1
    return f"not yet, {sum(HEARD.values())}"
"""


@pytest.mark.slow
def test_talks_that_a_bot_forgot_with_its_process_are_held_anew(mogi: Mogi, tmp_path: Path) -> None:
    place = client(tmp_path, REMEMBERS, 8)
    text = (place / "client.yaml").read_text("utf-8")
    (place / "client.yaml").write_text(text.replace("}\n", ", stateful: true}\n", 1), "utf-8")
    done = mogi("run", "shop", "--json")
    found = done.json
    assert (8, 0) == (found["conversations"], found["unfinished"])
    assert 1 == found["failures"]["target"]
    assert 1 == found["stops"]["target_failed"]


def test_a_bot_that_dies_while_it_is_imported_is_wrong_input(mogi: Mogi, tmp_path: Path) -> None:
    client(tmp_path, "import ctypes\nctypes.string_at(0)\n")
    done = mogi("run", "shop")
    assert (2, "") == (done.status, done.out)
    assert "opening the bot ended the process: it ended its process (SIGSEGV" in done.err
    assert 'bot.py", line 2' in done.err


@pytest.mark.slow
def test_a_bot_that_always_dies_ends_the_run(mogi: Mogi, tmp_path: Path) -> None:
    client(tmp_path, "import os\n\ndef answer(question, history):\n    os._exit(0)\n", 20)
    done = mogi("run", "shop", "--json", "--concurrency", "3")
    assert (3, "unreachable") == (done.status, done.json["status"])
    assert "crashed: it ended its process (exit status 0)" in done.err


def test_a_bot_that_goes_elsewhere_moves_nothing(mogi: Mogi, tmp_path: Path) -> None:
    bot = "import os\n\ndef answer(question, history):\n    os.chdir('/')\n    return 'fine'\n"
    for isolated in "true", "false":
        folder = tmp_path / isolated
        folder.mkdir()
        os.chdir(folder)
        client(folder, bot, more=f"isolated: {isolated}\n")
        done = mogi("run", "shop", "--quiet", "--report", "json=found.json", "--log", "calls.jsonl")
        assert 0 == done.status, done.err
        there = {"scenarios", "mogi.db", "mogi.db.lock", "found.json", "calls.jsonl"}
        assert there == {file.name for file in folder.iterdir()}
        assert 0 == mogi("show", "latest").status


@pytest.mark.parametrize("isolated", ["true", "false"])
def test_a_store_that_is_named_from_here_stays_here(
    mogi: Mogi, tmp_path: Path, isolated: str
) -> None:
    bot = "import os\n\ndef answer(question, history):\n    os.chdir('/')\n    return 'fine'\n"
    client(tmp_path, bot, more=f"isolated: {isolated}\n")
    (tmp_path / "kept").mkdir()
    store = ("--store", "sqlite:///kept/runs.db")
    assert 0 == mogi("run", "shop", "--quiet", *store, "--limit", "2").status
    assert 0 == mogi("run", "shop", "--quiet", *store).status  # where the first one is
    assert {"runs.db", "runs.db.lock"} == {file.name for file in (tmp_path / "kept").iterdir()}
    assert 2 == len(mogi("runs", "--json", *store).json["runs"])
    assert ["kept", "scenarios"] == sorted(file.name for file in tmp_path.iterdir())


def test_what_a_bot_prints_is_shown_and_spoils_no_json(mogi: Mogi, tmp_path: Path) -> None:
    client(tmp_path, "def answer(question, history):\n    print('asked')\n    return 'fine'\n", 1)
    done = mogi("run", "shop", "--json")
    assert 1 == done.json["conversations"]
    assert "asked" in done.err
