"""mogi runs: what is in the store, in the language of the newest run's client."""

from pathlib import Path

import pytest

from simulator.cli.app import run


@pytest.mark.parametrize(
    ("client", "head", "status"),
    [("demo", "ラン", "完了"), ("demo-en", "run", "finished")],
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
