import re
from pathlib import Path

import pytest
import yaml

from simulator.cli.app import run
from simulator.cli.check import new_client
from simulator.core.persona import Language
from simulator.core.plan import TargetCaps
from simulator.files.client.client_yaml import read_client_file
from simulator.files.client.folder import load_client
from simulator.formats.sources import Source
from tests.formats.written import complaints
from tests.pages import SKILL

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
    assert "already exists; choose another name, or remove it" in complaint
    assert [path] == list(tmp_path.iterdir())


def test_a_place_that_cannot_hold_a_folder_is_a_complaint(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "acme", tmp_path / ("a" * 300), tmp_path / "a\0b"):
        [complaint] = complaints(lambda place=place: new_client(place, "ja"))  # type: ignore[misc]
        assert "can't be created" in complaint


def test_the_japanese_table_opens_in_excel(tmp_path: Path) -> None:
    table = (_new(tmp_path, "ja") / "knowledge" / "faq.csv").read_bytes()
    assert table.startswith("\ufeff".encode())


def _skill(cwd: Path, place: str = ".claude/skills") -> dict[str, bytes]:
    folder = cwd / place / "mogi"
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_skill_is_as_agents_skills_have_to_be() -> None:
    text = (SKILL / "SKILL.md").read_text("utf-8")
    assert 500 >= len(text.splitlines())
    _, head, body = text.split("---\n", 2)
    about = yaml.safe_load(head)
    assert {"name", "description", "license", "compatibility"} == about.keys()
    assert "mogi" == about["name"]  # the name of its folder
    assert 1024 >= len(about["description"])
    assert 500 >= len(about["compatibility"])
    pages = {f"references/{path.name}" for path in (SKILL / "references").iterdir()}
    assert pages == set(re.findall(r"\]\((.+?)\)", body))


@pytest.mark.parametrize("words", [["--skill"], ["acme", "--skill"], ["--skills", "skills"]])
def test_the_skill_is_written_alone_or_with_a_client(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 0 == run(["init", *words])
    shipped = {p.relative_to(SKILL).as_posix(): p.read_bytes() for p in SKILL.rglob("*.md")}
    assert shipped == _skill(tmp_path, "skills" if "skills" in words else ".claude/skills")
    assert ("acme" in words) == (tmp_path / "scenarios" / "acme").exists()


def test_a_changed_skill_is_not_overwritten_and_nothing_else_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 0 == run(["init", "--skill"])
    before = _skill(tmp_path)
    changed = tmp_path / ".claude/skills/mogi/references/improve.md"
    changed.write_text("ours")
    (tmp_path / ".claude/skills/mogi/SKILL.md").unlink()
    capsys.readouterr()
    assert 2 == run(["init", "acme", "--skill"])
    assert capsys.readouterr().err.startswith(".claude/skills/mogi/references/improve.md: was chan")
    assert "SKILL.md" not in _skill(tmp_path)
    assert not (tmp_path / "scenarios").exists()
    changed.unlink()
    assert 0 == run(["init", "--skill"])
    assert before == _skill(tmp_path)
    assert ["SKILL.md", "references/improve.md"] == [
        line.removeprefix(".claude/skills/mogi/") for line in capsys.readouterr().out.splitlines()
    ]
    assert 0 == run(["init", "--skill", "--language", "en"])
    shown = capsys.readouterr()
    assert ("", "the skill is already up to date\n") == (shown.out, shown.err)


def test_init_says_what_it_lacks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 2 == run(["init"])
    assert "which client? e.g. `mogi init acme`; or --skill, alone" in capsys.readouterr().err
    (tmp_path / ".claude").write_text("")
    assert 2 == run(["init", "--skill"])
    assert ".claude/skills/mogi: can't be created" in capsys.readouterr().err
