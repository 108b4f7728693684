"""`mogi run --export NAME`: a stranger's package gets the events of a run."""

import json
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi

EXPORTER = """\
import json
from pathlib import Path

from simulator.core.errors import InputError
from simulator.events import CallMade, ConversationEnded


class Lines:
    def __init__(self, path):
        self.lines, self.path = [], path

    @classmethod
    def open(cls, context):
        if Path(context.folder, "refuse").exists():
            raise InputError("LINES_KEY is not set")
        return cls(Path(f"{context.client}.{context.language}.events"))

    def __call__(self, event):
        print("heard")
        if isinstance(event, ConversationEnded) and event.episode.startswith("returns"):
            raise ConnectionError("nobody answers")
        self.lines.append([type(event).__name__, event.run])

    def close(self):
        print("closed")
        self.path.write_text(json.dumps(self.lines))
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages with one that is not ours."""
    site = tmp_path / "site"
    info = site / "stranger-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    names = "[mogi.exporters]\nlines = stranger:Lines\nbroken = stranger_gone:Lines\n"
    (info / "entry_points.txt").write_text(names)
    (site / "stranger.py").write_text(EXPORTER)
    monkeypatch.syspath_prepend(site)
    monkeypatch.delitem(sys.modules, "stranger", raising=False)
    return site


def test_it_gets_every_event_and_its_faults_stop_nothing(
    mogi: Mogi, acme: Path, package: Path, tmp_path: Path
) -> None:
    done = mogi("run", "acme", "--offline", "--export", "lines", "--json")
    assert 0 == done.json["unfinished"], done.err
    trouble = "mogi: --export lines failed 2 times, first with ConnectionError: nobody answers"
    assert 1 == done.err.count(trouble)
    heard = json.loads((tmp_path / "acme.ja.events").read_text())
    assert {done.json["run"]} == {run for _, run in heard}
    names = [name for name, _ in heard]
    assert ("RunPlanned", "RunEnded") == (names[0], names[-1])
    turns = done.json["turns"]
    assert (turns, turns, 4, 2) == tuple(
        map(
            names.count,
            ("TurnPlayed", "TurnScored", "ConversationStarted", "ConversationEnded"),
        )
    )


def test_what_is_judged_again_and_scored_is_exported_as_well(
    mogi: Mogi, acme: Path, package: Path, tmp_path: Path
) -> None:
    mogi("run", "acme", "--offline", "--json")
    (tmp_path / "answers.csv").write_text("question,answer,ground_truth\n送料は?,500円,500円\n")
    for command in (
        ("rejudge", "latest", "--metric", "elements_lexical", "--offline"),
        ("score", "answers.csv", "--client", "acme", "--offline"),
    ):
        done = mogi(*command, "--export", "lines", "--json")
        file = tmp_path / "acme.ja.events"
        heard = json.loads(file.read_text())
        file.unlink()
        assert {done.json["run"]} == {run for _, run in heard}
        names = [name for name, _ in heard]
        assert ("RunPlanned", "RunEnded") == (names[0], names[-1])
        assert done.json["conversations"] == names.count("ConversationStarted")
        wrong = mogi(*command, "--export", "line")
        assert (2, True) == (wrong.status, "no exporter 'line'" in wrong.err)


def test_a_name_that_nothing_has_is_wrong_input_with_those_that_there_are(
    mogi: Mogi, acme: Path, package: Path, tmp_path: Path
) -> None:
    done = mogi("run", "acme", "--export", "line", "--dry-run")
    assert 2 == done.status
    there_are = "choose from: broken, langfuse, lines, otel, phoenix, slack"
    assert f"no exporter 'line'; did you mean lines? {there_are}" in done.err
    gone = mogi("run", "acme", "--export", "broken")
    assert (2, True) == (gone.status, "can't import 'stranger_gone'" in gone.err)
    assert not (tmp_path / "mogi.db").exists()


def test_one_that_cannot_be_opened_is_wrong_input_and_nothing_runs(
    mogi: Mogi, acme: Path, package: Path, tmp_path: Path
) -> None:
    (acme / "refuse").touch()
    done = mogi("run", "acme", "--export", "lines")
    assert (2, "LINES_KEY is not set\n") == (done.status, done.err)
    assert not (tmp_path / "mogi.db").exists()


def test_a_stored_run_is_sent_as_the_same_events(
    mogi: Mogi, acme: Path, package: Path, tmp_path: Path
) -> None:
    """One conversation after the other; a fault names the command, and ends with 3."""
    done = mogi("run", "acme", "--offline", "--export", "lines", "--json")
    run, file = done.json["run"], tmp_path / "acme.ja.events"
    assert f"nobody answers; send it again:  mogi export {run} --to lines\n" in done.err
    live = json.loads(file.read_text())
    file.unlink()
    again = mogi("export", run, "--to", "lines")
    assert (3, "") == (again.status, again.out)
    assert "mogi: --to lines failed 2 times" in again.err
    stored = json.loads(file.read_text())
    assert sorted(live) == sorted(stored)
    assert ["RunPlanned", "RunEnded"] == [stored[0][0], stored[-1][0]]


def test_export_to_an_unknown_exporter_is_wrong_input(mogi: Mogi, acme: Path) -> None:
    done = mogi("export", "latest", "--to", "oetl")
    assert 2 == done.status
    assert done.err.startswith("--to: no exporter 'oetl'; did you mean otel? choose from: ")
