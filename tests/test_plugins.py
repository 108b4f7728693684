"""Outsiders' plugins are found in a client's own folder, each client's its own."""

import sys
from pathlib import Path

import pytest

from simulator import plugins
from simulator.cli.app import run
from simulator.core.errors import InputError


def test_a_plugin_is_a_file_or_a_folder_and_helpers_are_none() -> None:
    targets = Path(plugins.__file__).parent / "targets"
    files = {path.stem for path in targets.glob("[!_]*.py")}
    folders = {path.parent.name for path in targets.glob("[!_]*/__init__.py")}
    assert files
    assert folders
    assert sorted(files | folders) == list(plugins.names("targets"))
    assert {f"simulator.targets.{n}" for n in folders} == {
        plugins.find("targets", name).__module__ for name in folders
    }


def test_a_module_is_imported_for_each_client_anew(tmp_path: Path) -> None:
    for folder in (tmp_path / "first", tmp_path / "second"):
        _written(folder, folder.name)
        module = plugins.import_from("own_metric", (folder, tmp_path))
        assert (folder.name, str(folder)) == (module.Own.SAYS, sys.path[0])


def _written(folder: Path, says: str) -> Path:
    folder.mkdir()
    (folder / "own_metric.py").write_text(f"class Own:\n    SAYS = {says!r}\n", "utf-8")
    return folder


def test_each_client_gets_the_module_of_its_own_folder(tmp_path: Path) -> None:
    for says in ("first", "second"):
        plugins.look_in(_written(tmp_path / says, says), tmp_path)
        assert says == plugins.find("metrics", "own_metric:Own").SAYS


def test_without_the_folder_it_is_wrong_input() -> None:
    with pytest.raises(InputError, match="can't import 'own_metric'"):
        plugins.find("metrics", "own_metric:Own")


def test_the_target_that_contributing_shows_is_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text("utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    (tmp_path / "shouting.py").write_text(code, "utf-8")
    client = tmp_path / "scenarios/acme"
    client.mkdir(parents=True)
    kind = '{kind: "shouting:Shouting", suffix: "!!"}'
    (client / "client.yaml").write_text(f"language: en\ntarget: {kind}\n", "utf-8")
    (client / "scenarios.yaml").write_text("- {id: a, query: is it open?}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert 0 == run(["targets", "try", "acme", "is it open?"])
    assert "IS IT OPEN?!!" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["http ", "htt\u200bp"])
def test_a_name_is_not_answered_with_the_same_text(name: str) -> None:
    told = plugins.suggest(name, ("http", "demo"))
    assert told.startswith("http is written with an extra space or an invisible character; choose")
