"""Outsiders' plugins are found in a client's own folder, each client's its own."""

from pathlib import Path

import pytest

from simulator import plugins
from simulator.core.errors import InputError


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
