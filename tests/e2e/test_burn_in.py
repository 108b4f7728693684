"""`mogi run --fail-on worse --rerun-newly-failing N`: what is broken fails, and noise does not."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.small_client import SEARCH, small_client

# A file outside of the client's folder says: fine, broken, or wrong in the next N plays.
BOT = f"""{SEARCH}
MOOD = Path(__file__).parents[2] / "mood"


def answer(question, history):
    found = search(question)["content"]
    mood = MOOD.read_text("utf-8") if MOOD.exists() else "fine"
    if "delivery" not in question or mood == "fine":
        return found
    if mood == "broken":
        return "Delivery costs 9 euros."
    left = int(mood)
    MOOD.write_text(str(left - 1) if left > 1 else "fine", "utf-8")
    return "I am sorry, I cannot help you."
"""
TARGET = '{kind: function, function: "bot:answer"}'
RUN = ("run", "shop", "--persona", "calm", "--max-turns", "1")
AGAIN = ("--fail-on", "worse", "--rerun-newly-failing", "5")


@pytest.fixture
def mood(mogi: Mogi, tmp_path: Path) -> Path:
    """Where the bot's mood is message, after a run in which all was fine."""
    small_client(tmp_path, TARGET, bot=BOT)
    assert 0 == mogi(*RUN, "--quiet").status
    return tmp_path / "mood"


def test_what_is_broken_fails_after_it_was_played_again(mogi: Mogi, mood: Path) -> None:
    mood.write_text("broken", "utf-8")
    done = mogi(*RUN, *AGAIN, "--json")
    assert 1 == done.status, done.err
    assert "1 case got worse; rerunning each up to 5 times" in done.err
    assert (3, 1, "worse") == (
        done.json["conversations"],
        done.json["failed"],
        done.json["fail_on"]["what"],
    )
    shown = mogi("compare", "previous", "latest")
    assert "rerun: 5 of 5 worse: broken" in shown.out
    assert "Rerun: 5 conversations." in shown.out
    assert "Delivery costs 9 euros." in mogi("show", "latest", "delivery/calm/4").out


def test_what_passes_when_it_is_played_again_was_noise(mogi: Mogi, mood: Path) -> None:
    mood.write_text("1", "utf-8")
    assert 1 == mogi(*RUN, "--quiet", "--fail-on", "worse").status
    mogi(*RUN, "--quiet")
    mood.write_text("1", "utf-8")
    done = mogi(*RUN, *AGAIN, "--json")
    assert (0, 1) == (done.status, done.json["failed"]), done.err
    compared = mogi("compare", "previous", "latest", "--json", "--fail-on", "worse")
    (cell,) = compared.json["worse"]["cells"]
    assert (0, "noise", 1) == (
        compared.status,
        cell["replays"]["replayed"],
        compared.json["burn_in"]["conversations"],
    )


def test_a_resume_goes_on_with_it_unasked(mogi: Mogi, mood: Path) -> None:
    mood.write_text("broken", "utf-8")
    run = mogi(*RUN, *AGAIN, "--json").json["run"]
    done = mogi("run", "--resume", run, "--fail-on", "worse", "--json")
    assert (1, 3) == (done.status, done.json["conversations"]), done.err
    assert 5 == mogi("compare", "previous", run, "--json").json["burn_in"]["conversations"]


@pytest.mark.usefixtures("mood")
def test_what_cannot_be_is_said(mogi: Mogi) -> None:
    cases: list[tuple[tuple[str, ...], str]] = [
        (("--rerun-newly-failing", "5"), "requires --fail-on worse"),
        (("--rerun-newly-failing", "5", "--fail-on", "regression"), "requires --fail-on worse"),
        (
            (*AGAIN, "--shard", "1/2", "--run-key", "k"),
            "doesn't work with --shard or --engine ray",
        ),
        (("--rerun-newly-failing", "0", "--fail-on", "worse"), "0 is not in the range"),
    ]
    for options, message in cases:
        done = mogi(*RUN, *options)
        assert (2, True) == (done.status, message in done.err), done.err
