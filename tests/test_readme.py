"""Everything that the README tells a reader to do is done here, from its top to its bottom."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.threaded import served
from tests.readme_parts import COLUMNS, README, Part, commands, filled, mogi, parts

ROOT = README.parent
TEXT = README.read_text("utf-8")
PARTS = list(parts(TEXT))
OLLAMA = "http://127.0.0.1:11434/v1"
RATINGS = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")


def _model(body: Mapping[str, Any]) -> dict[str, Any]:
    """A judge who likes everything, and users who want to know more."""
    if "評価" in body["messages"][0]["content"]:
        return {"comment": "よい。", "conclusion": "よい。", **dict.fromkeys(RATINGS, 5)}
    return {"thought": "まだ", "message": "もう少し詳しく", "stop": "none", "reason": ""}


class _Reader:
    """Somebody who does what the README says, in an empty folder."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, base_url: str) -> None:
        self.printed: dict[str, str] = {}
        self._environment = monkeypatch
        self._base_url = base_url

    def does(self, part: Part) -> None:
        kind, argument = part.mark
        if kind == "file":
            path = Path(argument)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(part.body.replace(OLLAMA, self._base_url), "utf-8")
        elif kind == "output":
            self.printed[argument] = self._command(shlex.split(argument))
        elif kind == "run":
            assert "python" == argument
            exec(compile(part.body, "README.md", "exec"), {"__name__": "readme"})
        elif part.language == "bash" and not part.sets_up:
            for command in commands(part.body):
                self._command(command)

    def _command(self, words: list[str]) -> str:
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            self._environment.setenv(name, value)
            return ""
        assert "mogi" == words[0], f"the README may only say mogi …, not {shlex.join(words)}"
        status, printed = mogi(words)
        assert 0 == status, shlex.join(words)
        return printed


@pytest.fixture
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates are kept for models that somebody pays; this one is at home."""

    async def admitted(*_: object) -> None: ...

    monkeypatch.setattr("simulator.llm.endpoint.Endpoint.admit", admitted)


@pytest.mark.usefixtures("_no_waiting")
def test_a_reader_who_does_all_that_it_says_sees_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", COLUMNS)
    with served(_model) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        reader = _Reader(monkeypatch, server.base_url)
        for part in PARTS:
            reader.does(part)
        models = {asked.body["model"] for asked in server.requests}
    assert filled(TEXT, reader.printed) == TEXT, "renew it: python -m tests.readme_parts"
    assert {"gpt-4.1-mini", "gpt-4.1", "qwen3"} == models
    assert "6 conversations, " in capsys.readouterr().out  # what the Python example prints


def test_there_are_two_lines_to_set_up_and_ci_runs_the_second() -> None:
    first, second = (part.body.strip() for part in PARTS if part.sets_up)
    assert first.endswith("&& .venv/bin/mogi run demo")
    assert second.endswith("&& .venv/bin/python -m tests")
    wanted = re.search(r"grep -m1 '(.+)' README.md", (ROOT / ".ci/run").read_text("utf-8"))
    assert wanted
    assert second == next(line for line in TEXT.splitlines() if wanted[1] in line)


def test_every_link_leads_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert links
    assert [] == [link for link in links if "://" not in link and not (ROOT / link).exists()]


def _ignored(folder: str, names: list[str]) -> set[str]:
    """What git leaves alone, as far as .gitignore says; `/build/` is the top level's only."""
    patterns = [".git", *(ROOT / ".gitignore").read_text("utf-8").split()]
    here = [p for p in patterns if not p.startswith("/") or Path(folder) == ROOT]
    return {n for n in names if any(fnmatch(n, p.strip("/")) for p in here)}


@pytest.mark.slow
def test_the_first_line_sets_up_a_fresh_copy_and_runs_the_demo(tmp_path: Path) -> None:
    copy = tmp_path / "mogi"
    shutil.copytree(ROOT, copy, ignore=_ignored)
    line = next(part.body for part in PARTS if part.sets_up)
    done = subprocess.run(
        ["bash", "-c", line], cwd=copy, capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    assert "会話 94 件" in done.stdout
    assert (copy / "mogi.db").is_file()
