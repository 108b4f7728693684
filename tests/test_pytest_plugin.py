"""The pytest plugin: a test for each scenario, in processes of its own, as its users have it."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.small_client import small_client
from tests.pages import ROOT
from tests.waiting import PATIENCE_S

# Knows the price of delivery, is silent about returns, and fails where hours are asked for.
BOT = """\
def answer(question, history):
    if "open" in question:
        raise ValueError("no clock")
    return "Delivery costs 5 euros." if "delivery" in question else "Returns cost 9 euros."
"""
UNCHECKED = "- {id: chat, query: What does delivery cost?}\n"
TARGET = '{kind: function, function: "my_bot:answer"}'
Pytest = Callable[..., str]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return small_client(tmp_path, TARGET, my_bot=BOT)


@pytest.fixture
def run_pytest(tmp_path: Path) -> Pytest:
    """`pytest ARGS` in an empty folder, where the plugin is installed as pyproject.toml says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    entries = project["entry-points"]["pytest11"]
    info = tmp_path / "installed" / "mogi_here-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mogi-here\nVersion: 0\n")
    lines = [f"{name} = {module}" for name, module in entries.items()]
    (info / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines, ""]))
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = --strict-markers -p no:cacheprovider\n"
    )
    path = os.pathsep.join([str(info.parent), str(ROOT)])

    def call(*args: str, status: int = 0) -> str:
        command = [sys.executable, "-m", "pytest", "-p", "no:langsmith_plugin", "-rA", *args]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200", "NO_COLOR": "1"},
            text=True,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert status == done.returncode, done.stdout + done.stderr
        return done.stdout

    return call


def said(printed: str) -> dict[str, str]:
    """What the summary says of each test, by its name."""
    found = re.findall(r"^(PASSED|FAILED|ERROR) \S*(?:::|\[)([\w-]+)\]?", printed, re.MULTILINE)
    return {name: word for word, name in found}


def test_a_client_in_the_virtual_environment_is_found_and_nothing_else_there(
    run_pytest: Pytest, tmp_path: Path
) -> None:
    packages = tmp_path / ".venv" / "lib" / "site-packages"
    packages.mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").touch()
    for folder in (packages, packages / "other", tmp_path):
        folder.mkdir(exist_ok=True)
        (folder / f"test_{folder.name.replace('-', '_')}.py").write_text("def test_it(): pass\n")
    shop = small_client(packages, TARGET, my_bot=BOT)
    printed = run_pytest("--collect-only", "-q", "--mogi", str(shop))
    assert re.findall(r"::(\S+)", printed) == ["delivery", "returns", "hours", "test_it"]


def test_each_scenario_is_a_test_that_fails_with_its_transcript(
    shop: Path, run_pytest: Pytest, tmp_path: Path
) -> None:
    with (shop / "scenarios.yaml").open("a") as file:
        file.write(UNCHECKED)
    printed = run_pytest("--mogi", "shop", status=1)
    assert {"delivery": "PASSED", "returns": "FAILED", "hours": "FAILED"} == said(printed)
    assert "1 passed, 1 skipped" in printed.replace("2 failed, ", "")
    assert "client.yaml::returns - Failed: calm/1: not said: 30 days" in printed
    assert re.search(r"SKIPPED \[1\] .*calm/1: ", printed)
    assert "user      How long can I return an article?" in printed
    assert "bot       Returns cost 9 euros." in printed
    assert "not said: 30 days" in printed
    assert "no clock" in printed
    assert re.search(r"^mogi show \w{8} returns/calm/1$", printed, re.MULTILINE)
    assert "Traceback" not in printed
    assert (tmp_path / "mogi.db").is_file()


@pytest.mark.slow
def test_what_is_selected_is_held_in_one_run_and_nothing_else(
    shop: Path, run_pytest: Pytest
) -> None:
    printed = run_pytest("--mogi", "shop", "-k", "returns or hours", status=1)
    assert {"returns": "FAILED", "hours": "FAILED"} == said(printed)
    assert 1 == len(set(re.findall(r"mogi show (\w{8}) ", printed)))
    named = run_pytest("scenarios/shop/client.yaml::delivery")
    assert {"delivery": "PASSED"} == said(named)
    from simulator import load_run

    run = load_run(store=f"sqlite:///{shop.parents[1] / 'mogi.db'}")
    assert ["delivery/calm/1"] == [episode.cell.key for episode in run.episodes()]


MARKED = """\
import pytest

def quiet(question, history):
    return "5 euros, 30 days, and 9 to 18 o'clock."

@pytest.mark.mogi("shop", target=quiet, scenarios=["delivery", "chat"], store="sqlite:///own.db")
def test_shop(conversations):
    assert all(len(each.turns) < 2 for each in conversations)
    assert "delivery" != conversations[0].cell.scenario, "looked at"

@pytest.mark.mogi("shop", scenarios=["returns", "chat"])
def test_bare():
    pass
"""


@pytest.mark.slow
def test_a_marked_function_is_a_test_for_each_scenario(
    shop: Path, run_pytest: Pytest, tmp_path: Path
) -> None:
    with (shop / "scenarios.yaml").open("a") as file:
        file.write(UNCHECKED)
    (tmp_path / "test_shop.py").write_text(MARKED, "utf-8")
    printed = run_pytest("test_shop.py", status=1)
    assert "FAILED test_shop.py::test_shop[delivery] - AssertionError: looked at" in printed
    assert "PASSED test_shop.py::test_shop[chat]" in printed  # its lines looked at it
    assert "FAILED test_shop.py::test_bare[returns] - Failed: calm/1: not said" in printed
    assert "2 failed, 1 passed, 1 skipped" in printed
    assert (tmp_path / "own.db").is_file()


@pytest.mark.slow
def test_what_did_not_end_is_in_error(shop: Path, run_pytest: Pytest) -> None:
    with (shop / "client.yaml").open("a") as file:
        file.write("user: {kind: persona_llm, model: m, base_url: 'http://127.0.0.1:9/v1'}\n")
    printed = run_pytest("--mogi", "shop", status=1)
    assert {"ERROR"} == set(said(printed).values())
    assert "to resume:  mogi run --resume" in printed


def test_wrong_marks_are_complained_about(shop: Path, run_pytest: Pytest, tmp_path: Path) -> None:
    complaints = {
        '"shop", limmit=3': "unexpected keyword argument 'limmit'",
        "": "missing 1 required positional argument: 'client'",
        '"shop", limit=0': "limit is 0; use 1 or more",
        '"shob"': "did you mean shop?",
    }
    for number, mark in enumerate(complaints):
        text = f"import pytest\n@pytest.mark.mogi({mark})\ndef test_it(): pass\n"
        (tmp_path / f"test_it_{number}.py").write_text(text, "utf-8")
    printed = run_pytest(status=2)
    assert [c for c in complaints.values() if c not in printed] == []
    assert "pytest_plugin.py" not in printed


def test_it_is_inert_unless_it_is_asked(run_pytest: Pytest, shop: Path, tmp_path: Path) -> None:
    """A client's folder is none of pytest's business, and nothing of mogi is loaded."""
    heavy = "import sys\ndef test_it():\n    assert 'simulator.api' not in sys.modules\n"
    (tmp_path / "test_it.py").write_text(heavy + "    assert 'pydantic' not in sys.modules\n")
    printed = run_pytest()
    assert {"test_it"} == set(re.findall(r"::(\w+)", printed))
    assert "--mogi=CLIENT" in run_pytest("--help").replace("--mogi CLIENT", "--mogi=CLIENT")


@pytest.mark.slow
def test_workers_hold_their_own_scenarios(shop: Path, run_pytest: Pytest) -> None:
    printed = run_pytest("--mogi", "shop", "-n", "2", status=1)
    assert {"delivery": "PASSED", "returns": "FAILED", "hours": "FAILED"} == said(printed)
    assert 2 == len(set(re.findall(r"mogi show (\w{8}) ", printed)))
