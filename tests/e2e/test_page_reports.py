"""Pages and comments from the command line: of a run, and of two."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.process import START
from tests.reports.test_html import data_of
from tests.waiting import PATIENCE_S

FEW = ("--scenario", "plan-prices", "--scenario", "cannot-get-in", "--quiet")


@pytest.fixture
def two_runs(mogi: Mogi, tmp_path: Path) -> Path:
    """The second one's bot has lost an article."""
    assert mogi("init", "shop").status == 0
    assert mogi("run", "shop", "--quiet").status == 0
    knowledge = tmp_path / "scenarios/shop/knowledge/faq.csv"
    head, *rows = knowledge.read_text("utf-8").splitlines()
    gone = [f"{row.split(',')[0]},{row.split(',')[1]},Please ask us." for row in rows]
    knowledge.write_text("\n".join([head, *gone, ""]), "utf-8")
    assert mogi("run", "shop", "--quiet").status == 0
    return tmp_path


def test_a_run_as_page_and_comment(mogi: Mogi, tmp_path: Path) -> None:
    reports = ("--report", "html=run.html", "--report", "markdown=run.md")
    assert mogi("run", "demo-en", *FEW, *reports).status == 0
    talks = data_of((tmp_path / "run.html").read_text("utf-8"))["talks"]
    assert {talk["scenario"] for talk in talks} == {"plan-prices", "cannot-get-in"}
    assert (tmp_path / "run.md").read_text("utf-8").startswith("## 0 of 2 scenarios pass")
    for name in ("run.html", "run.md"):
        assert (tmp_path / name).stat().st_mode & 0o077 == 0


def test_two_runs_as_page_and_comment(mogi: Mogi, two_runs: Path) -> None:
    done = mogi(
        "compare", "previous", "latest", "--report", "html=c.html", "--report", "markdown=c.md"
    )
    assert done.status == 0, done.err
    data = data_of((two_runs / "c.html").read_text("utf-8"))
    changed = [talk for talk in data["talks"] if talk["change"] == "failing"]
    assert changed
    assert all(t["before"]["result"] == "passed" and t["result"] == "failed" for t in changed)
    comment = (two_runs / "c.md").read_text("utf-8")
    assert re.match("## (❌|⚠️) .*新たに不合格", comment.partition("\n")[0])
    assert comment.index("### 新たに不合格") < 1_000


def test_a_report_of_one_run_is_none_of_two(mogi: Mogi, two_runs: Path) -> None:
    done = mogi("compare", "previous", "latest", "--report", "junit=c.xml")
    assert done.status == 2
    assert "is a report of one run; of two there are html and markdown" in done.err


@pytest.mark.slow
def test_view_serves_until_ctrl_c(mogi: Mogi, tmp_path: Path) -> None:
    assert mogi("run", "demo-en", *FEW).status == 0
    command = [sys.executable, "-c", START, "view", "--no-browser"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        root, _, token = address.partition("#token=")
        asked = Request(f"{root}lead", headers={"Authorization": f"Bearer {token}"})
        with urlopen(asked, timeout=PATIENCE_S) as answer:
            assert "Pass rate" in answer.read().decode()
        server.send_signal(signal.SIGINT)
        _, complaints = server.communicate(timeout=PATIENCE_S)
    assert server.returncode in (0, 130)
    assert "verdicts are in the store" in complaints
    assert "Traceback" not in complaints
