"""`mogi improve` confirms what a client reaches once, and never for code that is another."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from simulator.api import load
from simulator.cli import improve, running
from simulator.core.run import Run
from simulator.execution.plan import Options
from simulator.execution.request import RunRequest
from simulator.files.client.reach import unconfirmed

BOT = "def answer(text):\n    return {}\n"


def shop(folder: Path, said: str, faq: str = "Open from 9.") -> RunRequest:
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text(BOT.format(repr(said)), "utf-8")
    (folder / "faq.csv").write_text(f"id,title,content\nq1,Hours,{faq}\n", "utf-8")
    (folder / "scenarios.yaml").write_text("- {id: a, query: When are you open?}\n", "utf-8")
    (folder / "client.yaml").write_text(
        "language: en\ntarget: {kind: function, function: bot:answer}\nknowledge: faq.csv\n",
        "utf-8",
    )
    return RunRequest(load(folder), Options(), "sqlite://")


def test_attack_another_folders_code_is_not_confirmed_by_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirmed: list[bool] = []

    def carry_out(_: RunRequest, wishes: running.Wishes) -> Run:
        confirmed.append(wishes.is_confirmed)
        return cast("Run", SimpleNamespace())

    monkeypatch.setattr(running, "carry_out", carry_out)
    own = shop(tmp_path / "shop", "9")
    copy = shop(tmp_path / "copy" / "shop", "9", "Open from 10.")
    other = shop(tmp_path / "other" / "shop", "import os")
    assert unconfirmed(own.loaded) == unconfirmed(other.loaded)
    typed = SimpleNamespace(quiet=True, verbose=False, as_json=False, log=None)
    play = improve._player(cast("improve._Typed", typed))
    for request in (own, own, copy, other, other):
        play(request)
    assert [False, True, True, False, True] == confirmed
