"""A resume asks the bot that the run began with: its code and the files it may read."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.test_bots_that_fail import client

BOT = """\
from pathlib import Path
from rules import rule

def answer(question, history):
    import late
    fails = Path(__file__).with_name("fails").exists()
    if fails:
        raise RuntimeError("not yet")
    return rule(question)
"""


def broken_off(mogi: Mogi, folder: Path, more: str = "") -> Path:
    """The client `shop`, and a run of it that is not finished."""
    place = client(folder, BOT, 12, more)
    (place / "rules.py").write_text("def rule(question):\n    return 'fine'\n", "utf-8")
    (place / "late.py").write_text("", "utf-8")
    (place / "notes").mkdir()
    (place / "notes" / "tone.md").write_text("Be kind.", "utf-8")
    (place / "fails").touch()
    done = mogi("run", "shop", "--json", "--report", f"json={place / 'out.json'}")
    assert 3 == done.status
    (place / "fails").unlink()
    return place


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda place: (place / "bot.py").write_text(BOT + "\n"), "target_files.bot.py"),
        (
            lambda place: (place / "rules.py").write_text("def rule(q): ..."),
            "target_files.rules.py",
        ),
        (lambda place: (place / "late.py").write_text("x = 1"), "target_files.late.py"),
        (lambda place: (place / "notes" / "tone.md").write_text("Be rude."), "notes/tone.md"),
        (lambda place: (place / "notes" / "new.txt").touch(), "notes/new.txt"),
        (lambda place: (place / "notes" / "tone.md").unlink(), "notes/tone.md"),
    ],
)
def test_another_bot_is_refused_by_the_name_of_what_changed(
    mogi: Mogi, tmp_path: Path, change: Callable[[Path], object], named: str
) -> None:
    place = broken_off(mogi, tmp_path)
    change(place)
    done = mogi("run", "--resume", "latest", "--quiet")
    assert (2, "") == (done.status, done.out)
    assert "1 thing changed since it started" in done.err
    assert named in done.err
    assert "--force" in done.err
    assert 0 == mogi("run", "--resume", "latest", "--force", "--quiet").status or "rules" in named


def test_the_same_bot_goes_on_and_what_the_run_wrote_is_no_change(
    mogi: Mogi, tmp_path: Path
) -> None:
    place = broken_off(mogi, tmp_path)
    assert (place / "out.json").exists()
    (place / "picture.png").touch()
    done = mogi("run", "--resume", "latest", "--json")
    assert (0, 12, 0) == (done.status, done.json["passed"], done.json["unfinished"])


def test_a_client_may_say_what_makes_it_another_bot(mogi: Mogi, tmp_path: Path) -> None:
    place = broken_off(mogi, tmp_path)
    text = (place / "client.yaml").read_text("utf-8")
    watching = text.replace('"bot:answer"', '"bot:answer", watch: [notes/*.bin]')
    (place / "client.yaml").write_text(watching, "utf-8")
    (place / "fails").touch()
    assert 3 == mogi("run", "shop", "--quiet").status
    (place / "fails").unlink()
    (place / "notes" / "tone.md").write_text("Be rude.", "utf-8")
    (place / "notes" / "index.bin").touch()
    done = mogi("run", "--resume", "latest", "--quiet")
    assert "target_files.notes/index.bin" in done.err
    assert "tone.md" not in done.err
    (place / "client.yaml").write_text(watching.replace("notes/*", "../*"), "utf-8")
    done = mogi("check", "shop")
    assert 2 == done.status
    assert "write a path in the client's folder" in done.err + done.out


def test_pipes_and_links_out_of_the_folder_are_not_read(mogi: Mogi, tmp_path: Path) -> None:
    place = client(tmp_path, "def answer(question, history):\n    return 'fine'\n", 1)
    os.mkfifo(place / "pipe.txt")  # whoever opened it would wait for ever
    (place / "endless.txt").symlink_to("/dev/zero")
    done = mogi("run", "shop", "--json")
    assert (0, 1) == (done.status, done.json["passed"])
