"""Pages and comments from the command line: of a run, and of two."""

import asyncio
import csv
import hashlib
import hmac
import json
import re
import shutil
import signal
import subprocess
import sys
import webbrowser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.async_api import Browser

from simulator.cli.report import since
from simulator.core.errors import InputError
from simulator.review.view import View
from simulator.store.store import Store
from tests.e2e.conftest import Mogi
from tests.e2e.process import START
from tests.e2e.test_page import browser, tab
from tests.pages import ROOT
from tests.reports.test_html import data_of
from tests.waiting import PATIENCE_S

__all__ = ["browser"]  # a fixture
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


def test_a_page_says_what_newly_fails_since_the_run_before(mogi: Mogi, two_runs: Path) -> None:
    for run in ("previous", "latest"):
        assert mogi("report", run, "--report", f"html={run}.html").status == 0
    first, second = (
        (two_runs / f"{run}.html").read_text("utf-8") for run in ("previous", "latest")
    )
    assert "前の実行" not in first.partition("<template")[0]
    lead = second.partition("<template")[0]
    changed = {t["key"] for t in data_of(second)["talks"] if t.get("change") == "failing"}
    assert f"✗ 新たに不合格 {len(changed)}</a>" in lead
    for key in changed:
        assert f">{key.rsplit('/', 1)[0]}</a>" in lead
    assert not [talk for talk in data_of(first)["talks"] if "change" in talk]


def test_a_comment_says_what_newly_fails_before_all_figures(mogi: Mogi, two_runs: Path) -> None:
    for run in ("previous", "latest"):
        assert mogi("report", run, "--report", f"markdown={run}.md").status == 0
    first, second = ((two_runs / f"{run}.md").read_text("utf-8") for run in ("previous", "latest"))
    assert "前の実行" not in first
    newly = second.index("### 悪くなった会話")
    assert second.index("前の実行") < newly < second.index("| 主な数字 |")
    compared = mogi("compare", "previous", "latest", "--json").json["newly_failing"]
    assert compared
    assert all(f"| {cell['cell']} " in second[newly:] for cell in compared)


def test_a_run_that_shares_nothing_with_the_one_before_is_compared_with_none(
    mogi: Mogi, tmp_path: Path
) -> None:
    for scenario in ("plan-prices", "cannot-get-in"):
        how = ("--scenario", scenario, "--report", f"html={scenario}.html", "--quiet")
        assert mogi("run", "demo-en", *how).status == 0
    assert "Since run" not in (tmp_path / "cannot-get-in.html").read_text("utf-8")


async def test_the_served_page_says_it_too(mogi: Mogi, two_runs: Path) -> None:
    url = f"sqlite:///{two_runs}/mogi.db"
    with Store.read(url) as store:
        header = store.header(store.resolve("latest"))
    view = View(header, url, lambda run: since(run, url))
    root = (await view.start(0)).partition("#")[0]
    try:
        part = json.loads(await asyncio.to_thread(asked, root, view.token, "since"))
        assert "新たに不合格" in part["html"]
        assert "failing" in part["changes"].values()
    finally:
        await view.close()


def test_two_runs_as_page_and_comment(mogi: Mogi, two_runs: Path) -> None:
    done = mogi(
        "compare", "previous", "latest", "--report", "html=c.html", "--report", "markdown=c.md"
    )
    assert done.status == 0, done.err
    data = data_of((two_runs / "c.html").read_text("utf-8"))
    changed = [talk for talk in data["talks"] if talk.get("change") == "failing"]
    assert changed
    assert all(t["before"]["result"] == "passed" and t["result"] == "failed" for t in changed)
    comment = (two_runs / "c.md").read_text("utf-8")
    assert re.match("## (❌|⚠️) .*新たに不合格", comment.partition("\n")[0])
    assert comment.index("### 悪くなった会話") < 1_000


def test_a_report_of_one_run_is_none_of_two(mogi: Mogi, two_runs: Path) -> None:
    done = mogi("compare", "previous", "latest", "--report", "junit=c.xml")
    assert done.status == 2
    assert "reports on one run; for two runs, use html and markdown" in done.err


@pytest.fixture
def worse(mogi: Mogi, tmp_path: Path) -> str:
    """The page of a run whose bot has lost all of its articles, as an address."""
    shutil.copytree(ROOT / "scenarios" / "demo-en", tmp_path / "own")
    assert mogi("run", "own", "--quiet").status == 0
    knowledge = tmp_path / "own/knowledge/faq.csv"
    head, *rows = csv.reader(knowledge.read_text("utf-8").splitlines())
    with knowledge.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *([*row[:2], "…"] for row in rows)])
    assert mogi("run", "own", "--quiet", "--report", "html=worse.html").status == 0
    return (tmp_path / "worse.html").as_uri()


@pytest.mark.slow
async def test_it_prints_on_one_page_however_much_newly_fails(worse: str, browser: Browser) -> None:
    page = await (await tab(browser)).open(worse)
    assert await page.locator(".cells li").count() > 30
    pdf = await page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page[^s]", pdf)) == 1


@pytest.mark.slow
def asked(root: str, token: str, path: str) -> str:
    """What the page is told of this path: it signs what it asks."""
    host, digest = root.removeprefix("http://").rstrip("/"), hashlib.sha256(b"").hexdigest()
    with urlopen(f"{root}proof?nonce=n", timeout=PATIENCE_S) as answer:
        server = answer.read().decode().split()[0]
    text = "\n".join(("request", "GET", f"/{path}", host, server, digest))
    signature = hmac.new(token.encode(), text.encode(), "sha256").hexdigest()
    request = Request(f"{root}{path}", headers={"Authorization": f"Mogi {digest} {signature}"})
    with urlopen(request, timeout=PATIENCE_S) as answer:
        told: str = answer.read().decode()
    return told


def test_view_serves_until_ctrl_c(mogi: Mogi, tmp_path: Path) -> None:
    assert mogi("run", "demo-en", *FEW).status == 0
    command = [sys.executable, "-c", START, "view", "--no-browser"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        root, _, token = address.partition("#token=")
        try:
            assert "Pass rate" in asked(root, token, "lead")
        except BaseException:
            server.kill()
            raise
        server.send_signal(signal.SIGINT)
        _, complaints = server.communicate(timeout=PATIENCE_S)
    assert server.returncode in (0, 130)
    assert "verdicts are saved" in complaints
    assert "Traceback" not in complaints


@pytest.fixture
def line(mogi: Mogi, tmp_path: Path) -> dict[str, Any]:
    """A verdict as the page of the run writes it into its file."""
    assert mogi("run", "demo-en", *FEW, "--report", "html=run.html").status == 0
    found = data_of((tmp_path / "run.html").read_text("utf-8"))
    talk = found["talks"][0]
    judged = {"run": found["run"]["id"], "episode": talk["key"], "turn": 1}
    judged |= {"hash": talk["turns"][0]["hash"], "verdict": "NG", "comment": "No."}
    return {**judged, "error_type": "", "corrected": "", "reviewer": "Mori", "at": "2026-11-22"}


def pulled(mogi: Mogi, *lines: object) -> tuple[int, str]:
    Path("verdicts.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in lines), "utf-8")
    done = mogi("review", "pull", "latest", "--from", "verdicts.jsonl")
    return done.status, " ".join((done.out + done.err).split())


def test_what_the_page_wrote_is_pulled_without_a_word(mogi: Mogi, line: dict[str, Any]) -> None:
    status, told = pulled(mogi, line)
    assert status == 0
    assert "Needs attention" not in told
    assert ": added 1 verdict " in told
    assert "Mori 0 0 1" in pulled(mogi, line)[1]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"hash": "0" * 16}, "is about a different answer from this run's; ignored: NG / No."),
        ({"episode": "nobody/calm/1"}, "this run has no turn 1 of nobody/calm/1"),
        ({"turn": 99}, "this run has no turn 99"),
        ({"run": "00000000"}, "run 00000000; import"),
    ],
)
def test_a_line_of_another_run_or_answer_is_told_and_not_read(
    mogi: Mogi, line: dict[str, Any], wrong: dict[str, Any], why: str
) -> None:
    other = {**line, "reviewer": "Abe", **wrong}
    status, told = pulled(mogi, line, other)
    assert (status, why in told) == (3, True), told
    assert "Mori 1 0 0" in told
    assert "Abe" not in told


def test_a_file_that_was_cut_off_is_refused(mogi: Mogi, line: dict[str, Any]) -> None:
    Path("cut.jsonl").write_text(f"{json.dumps(line)}\n{json.dumps(line)[:-9]}\n", "utf-8")
    done = mogi("review", "pull", "latest", "--from", "cut.jsonl")
    assert done.status == 2
    assert "cut.jsonl:2: isn't a JSON" in done.err
    assert "Mori" not in mogi("show", "latest", line["episode"]).out


def test_nobody_else_on_the_machine_sees_the_token_in_what_the_browser_is_called_with(
    mogi: Mogi, two_runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = []

    def opened(address: str) -> None:
        page = Path(unquote(urlsplit(address).path))
        pages.append((address, page, page.stat().st_mode & 0o777, page.read_text("utf-8")))
        raise InputError("that will do")

    monkeypatch.setattr(webbrowser, "open", opened)
    done = mogi("view", "latest", "--port", "0")
    ((address, page, mode, text),) = pages
    token = done.out.strip().partition("#token=")[2]
    assert token
    assert (False, True, 0o600) == (token in address, done.out.strip() in text, mode)
    assert (two_runs, False) == (page.parent, page.exists())
