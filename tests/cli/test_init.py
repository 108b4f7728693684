import re
from pathlib import Path

import pytest

from simulator.cli.check import new_client
from simulator.core.persona import Language
from simulator.core.plan import TargetCaps
from simulator.files.client.client_yaml import read_client_file
from simulator.files.client.folder import load_client
from simulator.formats.sources import Source
from tests.formats.written import complaints

LANGUAGES: tuple[Language, ...] = ("ja", "en")


def _new(cwd: Path, language: Language) -> Path:
    folder = cwd / "scenarios" / "acme"
    new_client(folder, language)
    return folder


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_client_is_right_as_it_stands(tmp_path: Path, language: Language) -> None:
    folder = tmp_path / "scenarios" / "acme"
    assert [
        folder / "client.yaml",
        folder / "knowledge" / "faq.csv",
        folder / "scenarios.yaml",
    ] == new_client(folder, language)
    loaded = load_client("acme", cwd=tmp_path)
    assert (language, "demo") == (loaded.client.language, loaded.client.target.kind)
    assert (3, 6) == (len(loaded.scenarios), len(loaded.knowledge or ()))


def _uncommented(text: str) -> str:
    """The file with every key that is commented out; prose stays a comment."""
    lines = text.replace("target: {kind: demo}", "# replaced below:").splitlines()
    return "\n".join(re.sub(r"^# (?=[a-z_]+:(?: |$)|  )", "", line) for line in lines)


def _with_everything(cwd: Path, language: Language) -> Path:
    path = _new(cwd, language) / "client.yaml"
    path.write_text(_uncommented(path.read_text("utf-8")), "utf-8")
    return path


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_that_is_commented_out_is_right(tmp_path: Path, language: Language) -> None:
    _with_everything(tmp_path, language)
    client = load_client("acme", cwd=tmp_path).client
    assert "function" == client.target.kind
    assert TargetCaps(50, None) == client.limits.target


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_optional_key_is_shown(tmp_path: Path, language: Language) -> None:
    entry = read_client_file(Source.of(_with_everything(tmp_path, language))).entry
    parts = [entry, entry.user, entry.judge, entry.gate, entry.limits, entry.limits.model]
    hidden = [set(type(p).model_fields) - p.model_fields_set for p in parts if p is not None]
    assert [set()] * len(parts) == hidden


@pytest.mark.parametrize("existing", ["folder", "file"])
def test_what_exists_is_never_touched(tmp_path: Path, existing: str) -> None:
    path = tmp_path / "acme"
    path.mkdir() if existing == "folder" else path.write_text("mine")
    [complaint] = complaints(lambda: new_client(path, "ja"))
    assert "is there already; choose another name, or remove it" in complaint
    assert [path] == list(tmp_path.iterdir())


def test_a_place_that_cannot_hold_a_folder_is_a_complaint(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "acme", tmp_path / ("a" * 300), tmp_path / "a\0b"):
        [complaint] = complaints(lambda place=place: new_client(place, "ja"))  # type: ignore[misc]
        assert "cannot be made" in complaint


def test_the_japanese_table_opens_in_excel(tmp_path: Path) -> None:
    table = (_new(tmp_path, "ja") / "knowledge" / "faq.csv").read_bytes()
    assert table.startswith("\ufeff".encode())
