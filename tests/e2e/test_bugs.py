"""A check of ours that crashes ends no run: the first screen says so, and --debug where."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.execution import episodes, scoring
from simulator.metrics.lexical import Lexical
from simulator.reading.reader import WordsReader
from tests.e2e.conftest import Mogi


def breaks(*_: object, **__: object) -> Any:
    raise ZeroDivisionError("ours")


async def breaks_later(*_: object, **__: object) -> Any:
    raise ZeroDivisionError("ours")


def metric(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Lexical, "score", breaks_later)


def words_reader(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(WordsReader, "read", breaks_later)


def detector(patch: pytest.MonkeyPatch) -> None:
    for module in (episodes, scoring):
        patch.setattr(module, "soundness", breaks)


CRASHES = {"lexical": metric, "words_reader": words_reader, "user_soundness": detector}


@pytest.mark.parametrize("check", CRASHES)
def test_the_first_screen_counts_it_and_says_where(
    mogi: Mogi, acme: Path, monkeypatch: pytest.MonkeyPatch, check: str
) -> None:
    expected = "- {id: shipping, query: 送料は, expected: {elements: [500円]}}\n"
    (acme / "scenarios.yaml").write_text(expected, "utf-8")
    crash: Callable[[pytest.MonkeyPatch], None] = CRASHES[check]
    crash(monkeypatch)
    run = ("run", "acme", "--offline", "--persona", "angry")
    done = mogi(*run)
    bug = rf"不具合 +{check}, shipping/angry/1 turn 1: Zero"
    assert re.search(bug, done.out), done.out
    screen = " ".join(mogi("show", "latest", "--warnings").out.split())
    where = f"{check}, shipping/angry/1 turn 1: ZeroDivisionError: ours (test_bugs.py:"
    turns = mogi("show", "latest", "--json").json["turns"]
    assert f"不具合 指標や結果の処理に {turns} 回失敗しました。最初のエラーは" in screen
    assert where in screen
    assert "Traceback" not in done.err
    debug = mogi("--debug", *run, "--json")
    assert debug.json["turns"] == debug.json["bugs"]
    assert 0 == debug.json["unfinished"]
    assert 1 == debug.err.count("Traceback (most recent call last)")
    assert "tests/e2e/test_bugs.py" in debug.err
