"""`mogi show RUN --calls`, and what a run's record says of waits and of prompts that were cut."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import JUDGEMENT, SAYS, Mogi, is_judge
from tests.loopback.replies import Says, Status
from tests.loopback.server import ChatServer


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def cells(table: str, name: str) -> list[str]:
    return next(line.split() for line in table.splitlines() if line.startswith(name))


def test_calls_by_role_model_and_endpoint(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    usage = {
        "prompt_tokens": 200, "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 150},
    }  # fmt: skip
    model.answer = lambda body: Says(JUDGEMENT, usage=usage) if is_judge(body) else SAYS
    assert 0 == mogi("run", "acme", "--json").status
    done = mogi("show", "latest", "--calls")
    assert 0 == done.status, done.err
    judge = cells(done.out, "採点役 mock")
    assert ["8", "8", "1,600", "40", "75%", "–"] == [judge[i] for i in (2, 5, 6, 7, 8, 9)]
    assert "4" == cells(done.out, "利用者役 mock")[2]
    assert ["8", "8"] == [cells(done.out, "ボット ")[i] for i in (1, 4)]
    assert f"mock: {model.base_url}" in done.out
    assert "ボット: function" in done.out


def test_of_an_older_run_it_says_what_is_missing(mogi: Mogi, acme: Path, tmp_path: Path) -> None:
    mogi("run", "acme", "--quiet")
    with closing(sqlite3.connect(tmp_path / "mogi.db", isolation_level=None)) as store:
        store.execute("UPDATE calls SET endpoint = NULL, waited_ms = NULL")
        store.execute("DELETE FROM replaced_calls")  # where the update put them
    done = mogi("show", "latest", "--calls")
    assert "接続先と待ち時間を記録する前の実行" in done.out
    assert "–" == cells(done.out, "採点役 mock")[-1]


def test_it_is_about_a_whole_run(mogi: Mogi, acme: Path) -> None:
    mogi("run", "acme", "--offline", "--quiet")
    assert 2 == mogi("show", "latest", "shipping", "--calls").status
    assert 2 == mogi("show", "latest", "--judge", "--calls").status


def test_what_a_run_waited_for_stands_in_its_record(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    model.script(Status(429, "slow down", {"retry-after-ms": "300"}))
    done = mogi("run", "acme", "--concurrency", "1", "--json")
    assert 0.3 <= done.json["waits"]["mock"]["Retry-After"]
    assert "Retry-After を待っていた時間" in mogi("show", "latest", "--calls").out


def test_a_prompt_that_is_cut_is_noticed(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    bot = "def answer(question, history):\n    return 'はい。' * 300 * (1 + len(history))\n"
    (acme / "bot.py").write_text(bot, "utf-8")

    def cut(body: dict[str, Any]) -> Says:
        said = JUDGEMENT if is_judge(body) else SAYS
        return Says(said, usage={"prompt_tokens": 2048, "completion_tokens": 9})

    model.answer = cut
    done = mogi("run", "acme", "--max-turns", "3", "--json")
    (note,) = [note for note in done.json["notes"] if "2,048" in note]
    assert f"{model.base_url} の mock は、長いプロンプトを" in note
    model.answer = lambda body: JUDGEMENT if is_judge(body) else SAYS
    assert [] == mogi("run", "acme", "--max-turns", "3", "--json").json["notes"]
