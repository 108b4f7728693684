"""mogi runs: what is in the store, in the language of the newest run's client."""

import json
from pathlib import Path

import pytest

from simulator.cli.app import run
from simulator.core.verdict import Verdict, Word
from simulator.store.store import Store


@pytest.mark.parametrize(
    ("client", "head", "status"),
    [("demo", "実行", "完了"), ("demo-en", "run", "finished")],
)
def test_the_list_is_in_the_clients_language(
    client: str,
    head: str,
    status: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 0 == run(["run", client, "--limit", "1", "--quiet"])
    capsys.readouterr()
    assert 0 == run(["runs"])
    heads, row = capsys.readouterr().out.splitlines()
    assert (head, status) == (heads.split()[0], row.split()[-1])


def test_counts_are_those_after_peoples_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["--scenario", "change-email", "--persona", "calm", "--quiet"]
    assert 0 == run(["run", "demo-en", *asked])
    capsys.readouterr()
    assert 0 == run(["runs"])
    before = capsys.readouterr().out.splitlines()[1].split()
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        of = store.resolve("latest")
        (key,) = store.keys(of)
        said = Verdict(key, 1, Word.NG, "A. Nother")
        store.add_verdicts(of, [said])
    assert 0 == run(["runs"])
    after = capsys.readouterr().out.splitlines()[1].split()
    assert (["1", "0"], ["0", "1"]) == (before[5:7], after[5:7])


def test_an_unfinished_run_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    part = ["--scenario", "change-email", "--shard", "1/2", "--run-key", "k", "--quiet"]
    assert 0 == run(["run", "demo-en", *part])
    assert 0 == run(["run", "demo-en", "--scenario", "change-email", "--quiet"])
    capsys.readouterr()
    assert 0 == run(["runs", "--json"])
    whole, half = json.loads(capsys.readouterr().out)["runs"]
    assert ("finished", 3, None) == (
        whole["status"],
        whole["conversations"],
        whole.get("planned"),
    )
    assert ("unfinished", 3) == (half["status"], half["planned"])
    assert half["conversations"] in (1, 2)
