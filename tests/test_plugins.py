"""Outsiders' plugins are found in a client's own folder, each client's its own."""

import sys
from pathlib import Path

import pytest

from simulator import plugins
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
    with pytest.raises(InputError, match="cannot import 'own_metric'"):
        plugins.find("metrics", "own_metric:Own")
