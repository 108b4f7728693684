"""What is printed, and where: readers who leave, full disks, bots that print, --debug, statuses."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi, is_judge
from tests.e2e.process import process
from tests.loopback.server import ChatServer


@contextmanager
def closed_pipe() -> Iterator[int]:
    """The writing end of a pipe whose reader has left."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


def test_a_reader_who_leaves_is_no_error(mogi: Mogi, tmp_path: Path) -> None:
    mogi("run", "demo", "--limit", "1", "--quiet")
    for args, status in {
        ("export", "latest"): 0,
        ("--help",): 0,
        ("run", "demo", "--limit", "1", "--fail-under", "1"): 1,  # what it found still counts
    }.items():
        with closed_pipe() as pipe:
            done = process(tmp_path, *args, stdout=pipe)
        assert status == done.returncode, done.stderr
        assert "rror" not in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_run_goes_on_where_nobody_hears_its_progress(tmp_path: Path) -> None:
    with closed_pipe() as pipe:
        done = process(tmp_path, "run", "demo", "--limit", "1", stderr=pipe)
    assert 0 == done.returncode
    assert "demo" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_a_full_disk_behind_stdout_loses_only_the_print(mogi: Mogi, tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = process(tmp_path, "run", "demo", "--limit", "1", stdout=full)
    assert 3 == done.returncode
    assert "can't print (No space left on device); the run is saved: mogi show" in done.stderr
    assert 0 == mogi("show", "latest").status


def test_a_report_that_cannot_be_written_loses_nothing_else(mogi: Mogi, tmp_path: Path) -> None:
    bad = f"json={'x' * 300}"
    done = mogi("run", "demo", "--limit", "1", "--json", "--report", bad, "--report", "junit=j.xml")
    assert 3 == done.status
    assert 1 == done.json["conversations"]
    assert "can't write the report" in done.err
    assert f"the run is saved: mogi report {done.json['run']} --report NAME=PATH" in done.err
    assert (tmp_path / "j.xml").is_file()


_HALF_JUDGED = (
    "the gate is undecided: the score must be at least 0.7, but is 0.80, 0.50 to 0.90 including "
    "missing or undecided results; turns without a score (judge_unparsable 4)"
)


@pytest.mark.parametrize(
    ("args", "unjudged", "ends"),
    [
        (
            "demo --limit 3 --fail-under 1",
            None,
            (1, "the gate failed: the score must be at least 1, but is 0."),
        ),
        ("acme --offline", None, (3, "nothing could be scored: add `expected:` to the")),
        (
            "acme",
            "評価",
            (3, "nothing could be scored: turns without a score (judge_unparsable 8)"),
        ),
        ("acme --fail-under 0.7", "返品できますか", (3, _HALF_JUDGED)),
    ],
)
def test_a_status_that_is_not_0_says_why(
    mogi: Mogi,
    acme: Path,
    model: ChatServer,
    args: str,
    unjudged: str | None,
    ends: tuple[int, str],
) -> None:
    kind = model.answer
    model.answer = lambda body: (
        "no JSON" if unjudged and is_judge(body) and unjudged in str(body) else kind(body)
    )
    done = mogi("run", *args.split(), "--quiet")
    status, said = ends
    assert status == done.status
    assert f"\nmogi: {said}" in f"\n{done.err}"


def test_debug_shows_the_traceback_and_keeps_the_status(mogi: Mogi) -> None:
    quiet, loud = mogi("check", "nobody"), mogi("check", "nobody", "--debug")
    assert (2, 2) == (quiet.status, loud.status)
    assert "Traceback" not in quiet.err
    assert "Traceback" in loud.err
    assert loud.err.endswith(quiet.err)


@pytest.mark.parametrize("how", ["print('hello')", "import sys; sys.stdout.write('hello')"])
def test_a_bot_that_prints_does_not_spoil_the_json(mogi: Mogi, tmp_path: Path, how: str) -> None:
    mogi("init", "acme")
    folder = tmp_path / "scenarios" / "acme"
    (folder / "bot.py").write_text(f"{how}\ndef answer(q, h):\n    {how}\n    return 'x'\n")
    target = 'language: ja\ntarget: {kind: function, function: "bot:answer"}\n'
    (folder / "client.yaml").write_text(f"{target}knowledge: knowledge/faq.csv\n")
    done = mogi("run", "acme", "--json")
    assert 0 == done.status
    assert "acme" == done.json["client"]
    assert "hello" in done.err
