"""Everything that the README and the pages of docs/ tell a reader to do is done here."""

import re
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.loopback.threaded import served
from tests.pages import PAGES, README, ROOT, commands, is_japanese, parts
from tests.reader import read, says

TEXT = README.read_text("utf-8")
DEMOS = {"README.md": "demo-en", "README.ja.md": "demo"}
SET_UP = "python3 -m venv .venv && .venv/bin/pip install -q {install} && .venv/bin/{then}"
PLAYS, JUDGES = "gpt-6-luna", "gpt-6.1-terra"  # the examples of all pages: ones that live on
NAMED = re.compile(r"\bgpt-\d[\w.-]*\w")
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.mark.parametrize("name", NAMES)
def test_a_reader_who_does_all_that_it_says_sees_what_it_shows(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    with served(says) as server:
        assert read(ROOT / name, server) == text, f"renew it: python -m tests.reader {name}"
        models = {asked.body["model"] for asked in server.requests}
    if name.startswith("README"):
        assert {PLAYS} == models
    if name.endswith("client.md"):
        assert {JUDGES, "qwen3"} == models


@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_be_executed_here_is_no_command_of_ours(name: str) -> None:
    elsewhere = [p for p in parts((ROOT / name).read_text("utf-8")) if p.mark[0] == "elsewhere"]
    assert [] == [part.body for part in elsewhere if "mogi " in part.body]


@pytest.mark.parametrize("name", NAMES)
def test_a_new_client_speaks_the_language_of_the_page_whatever_the_locale(name: str) -> None:
    language = "ja" if is_japanese(ROOT / name) else "en"
    blocks = [p.body for p in parts((ROOT / name).read_text("utf-8")) if p.language == "bash"]
    made = [words for body in blocks for words in commands(body) if words[:2] == ["mogi", "init"]]
    made = [words for words in made if words[2:] != ["--skill"]]  # in English, for agents
    assert [] == [words for words in made if words[3:] != ["--language", language]]


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name: str) -> None:
    page = ROOT / name
    text = page.read_text("utf-8")
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    assert links
    assert [] == [x for x in links if "://" not in x and not (page.parent / x).exists()]
    to_headings = re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text)
    pages = {file: page.parent / file if file else page for file, _ in to_headings}
    headings = {file: _anchors(path.read_text("utf-8")) for file, path in pages.items()}
    assert [] == [anchor for file, anchor in to_headings if anchor not in headings[file]]


def _anchors(text: str) -> set[str]:
    """The names that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def test_every_page_is_there_in_both_languages() -> None:
    english, japanese = (
        {str(p.relative_to(ROOT / "docs" / language)) for p in PAGES if language in p.parts}
        for language in ("en", "ja")
    )
    assert english == japanese


@pytest.mark.parametrize("name", DEMOS)
def test_a_readme_is_short(name: str) -> None:
    assert 120 >= len((ROOT / name).read_text("utf-8").splitlines())


def test_each_readme_has_the_same_two_lines_to_set_up_and_its_own_demo() -> None:
    for name, demo in DEMOS.items():
        text = (ROOT / name).read_text("utf-8")
        first, second = (part.body.strip() for part in parts(text) if part.sets_up)
        assert SET_UP.format(install=".", then=f"mogi run {demo}") == first
        assert SET_UP.format(install="-e '.[dev]'", then="python -m tests") == second


def test_ci_runs_the_line_that_checks() -> None:
    _, second = (part.body.strip() for part in parts(TEXT) if part.sets_up)
    wanted = re.search(r"grep -m1 '(.+)' README.md", (ROOT / ".ci/run").read_text("utf-8"))
    assert wanted
    assert second == next(line for line in TEXT.splitlines() if wanted[1] in line)


def _ignored(folder: str, names: list[str]) -> set[str]:
    """What git leaves alone, as far as .gitignore says; `/build/` is the top level's only."""
    patterns = [".git", *(ROOT / ".gitignore").read_text("utf-8").split()]
    here = [p for p in patterns if not p.startswith("/") or Path(folder) == ROOT]
    return {n for n in names if any(fnmatch(n, p.strip("/")) for p in here)}


@pytest.mark.slow
def test_the_first_line_sets_up_a_fresh_copy_and_runs_the_demo(tmp_path: Path) -> None:
    copy = tmp_path / "mogi"
    shutil.copytree(ROOT, copy, ignore=_ignored)
    line = next(part.body for part in parts(TEXT) if part.sets_up)
    # The lines of the others differ in the demo alone.
    for command, printed in (
        (line, "94 conversations"),
        (f".venv/bin/mogi run {DEMOS['README.ja.md']}", "会話 94 件"),
    ):
        done = subprocess.run(
            ["bash", "-c", command], cwd=copy, capture_output=True, text=True, check=False
        )
        assert 0 == done.returncode, done.stderr
        assert printed in done.stdout
    assert (copy / "mogi.db").is_file()


def test_the_models_that_are_named_live_on() -> None:
    pages = [*PAGES, *ROOT.glob("simulator/cli/*.py"), *ROOT.glob("simulator/files/**/*.yaml")]
    named = {name for page in pages for name in NAMED.findall(page.read_text("utf-8"))}
    assert {PLAYS, JUDGES} == named
