"""The GitHub Action: its steps run in a shell, with a stand-in of GitHub that keeps comments."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

from tests.e2e.small_client import KNOWLEDGE, small_client
from tests.loopback.bot import Heard, drop, serving
from tests.pages import parts
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}


OURS, THEIRS = "github-actions", "mallory"


class GitHub:
    """Comments under one pull request, as GitHub's REST and GraphQL APIs have them."""

    def __init__(self) -> None:
        self.comments: dict[str, tuple[str, str]] = {"C1": (THEIRS, "Looks good to me.")}
        self.tokens: set[str] = set()
        self.reads_only = False  # as the token of a fork's pull request
        self.hangs_up = False
        self.url = ""

    def act(self, heard: Heard) -> web.Response:
        self.tokens.add(heard.headers["Authorization"])
        if self.hangs_up:
            return drop(heard)
        if heard.path == "/graphql":
            asked = heard.json
            return web.json_response(self._graphql(asked["query"], asked["variables"]))
        assert heard.path == "/repos/acme/bot/issues/7/comments"
        if self.reads_only:
            message = {"message": "Resource not accessible by integration"}
            return web.json_response(message, status=403)
        self.comments[f"C{len(self.comments) + 1}"] = OURS, heard.json["body"]
        return web.json_response({"id": len(self.comments)}, status=201)

    def _graphql(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        """One comment a page, so that all pages have to be asked for."""
        if query.startswith("mutation"):
            author, _ = self.comments[variables["id"]]
            assert author == OURS, "nobody may change the comments of others"
            self.comments[variables["id"]] = author, variables["body"]
            return {"data": {"updateIssueComment": {"issueComment": {"id": variables["id"]}}}}
        place = variables["owner"], variables["name"], variables["pull"]
        assert place == ("acme", "bot", 7)
        at = int(variables["after"] or 0)
        id_, (author, body) = list(self.comments.items())[at]
        node = {"id": id_, "body": body, "viewerDidAuthor": author == OURS}
        page = {"hasNextPage": at + 1 < len(self.comments), "endCursor": str(at + 1)}
        comments = {"nodes": [node], "pageInfo": page}
        return {"data": {"repository": {"pullRequest": {"comments": comments}}}}


@pytest.fixture
def github() -> Iterator[GitHub]:
    made = GitHub()
    with serving(made.act) as server:
        made.url = server.url
        yield made


class Job:
    """A job's folder and environment; `step` does what the runner does with a `run:` step."""

    def __init__(self, folder: Path, github: GitHub) -> None:
        self.folder = folder
        bin_ = folder / "bin"
        bin_.mkdir()
        (bin_ / "mogi").write_text(
            f"#!{sys.executable}\nfrom simulator.cli.app import main\nmain()\n"
        )
        (bin_ / "mogi").chmod(0o755)
        (bin_ / "python").symlink_to(sys.executable)
        self.environment = {
            **os.environ,
            "PATH": f"{bin_}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_API_URL": github.url,
            "GITHUB_GRAPHQL_URL": f"{github.url}/graphql",
            "GITHUB_REPOSITORY": "acme/bot",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(folder),
        }
        self.log = ""

    def step(self, name: str, **environment: str) -> int:
        return self.shell(STEPS[name]["run"], **environment)

    def shell(self, script: str, **environment: str) -> int:
        """The exit status of a script, run as the runner runs it."""
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        self.log = done.stdout + done.stderr
        return done.returncode

    def output(self, name: str) -> str:
        """The step's last output of this name; empty without one."""
        lines = (self.folder / "output").read_text("utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines).get(name, "")


@pytest.fixture
def job(tmp_path: Path, github: GitHub) -> Job:
    return Job(tmp_path, github)


BOT = """\
from search import search


def answer(question, history):
    return search(question)["content"]
"""
CLIENT = {"CLIENT": "demo-en", "ARGS": "--offline --limit 6"}
COMMENT = {"CLIENT": "demo-en", "TOKEN": "t0ken", "PULL": "7"}


def test_each_step_names_only_inputs_that_there_are() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    for name in ACTION["inputs"]:
        assert f"inputs.{name}" in text
    used = {word.split("}")[0].split()[0] for word in text.split("inputs.")[1:]}
    assert used <= ACTION["inputs"].keys()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_docs_use_inputs_and_outputs_that_exist(language: str) -> None:
    text = (ROOT / f"docs/{language}/ci.md").read_text("utf-8")
    step = files_of(text)[".github/workflows/bot.yml"]["jobs"]["mogi"]["steps"][1]
    assert step["uses"] == "OWNER/mogi@COMMIT"
    assert step["with"].keys() <= ACTION["inputs"].keys()
    rows = re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)
    assert sorted(rows) == sorted(ACTION["inputs"])
    assert all(f"`{name}`" in text for name in ACTION["outputs"])


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_pipeline_of_the_docs_writes_what_it_keeps(job: Job, language: str) -> None:
    text = (ROOT / f"docs/{language}/ci.md").read_text("utf-8")
    pipeline = files_of(text)[".gitlab-ci.yml"]["mogi"]
    small_client(job.folder, '{kind: function, function: "bot:answer"}', bot=BOT)
    statuses = [job.shell("\n".join(pipeline["script"])) for _ in range(2)]
    assert statuses == [3, 0]  # the first has no run to be compared with
    artifacts = pipeline["artifacts"]
    kept = [*pipeline["cache"]["paths"], *artifacts["paths"], artifacts["reports"]["junit"]]
    assert [name for name in kept if not (job.folder / name).is_file()] == []


def files_of(text: str) -> dict[str, Any]:
    """The YAML files that a page shows, by their paths."""
    shown = ((part.mark, part.body) for part in parts(text) if part.language == "yaml")
    return {path: yaml.load(body, yaml.BaseLoader) for (_, path), body in shown if path}


def test_actions_of_others_are_pinned_by_their_whole_hash() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/check.yml").read_text("utf-8"))
    steps = [*ACTION["runs"]["steps"], *workflow["jobs"]["check"]["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert len(used) == 6
    assert [name for name in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name)] == []


def test_only_a_comment_of_its_own_is_written_anew(job: Job, github: GitHub) -> None:
    marked = "<!-- mogi:demo-en -->\nAll is well."
    github.comments["C2"] = THEIRS, marked
    report = job.folder / "mogi-report"
    report.mkdir()
    for text in ("first", "second"):
        (report / "comment.md").write_text(f"<!-- mogi:demo-en -->\n{text}", "utf-8")
        assert job.step("Comment", **COMMENT) == 0
    assert github.comments["C2"] == (THEIRS, marked)
    assert github.comments["C3"] == (OURS, "<!-- mogi:demo-en -->\nsecond")
    assert list(github.comments) == ["C1", "C2", "C3"]
    assert github.tokens == {"Bearer t0ken"}


def test_a_token_that_may_only_read_fails_no_job(job: Job, github: GitHub) -> None:
    github.reads_only = True
    report = job.folder / "mogi-report"
    report.mkdir()
    (report / "comment.md").write_text("<!-- mogi:demo-en -->\n", "utf-8")
    assert job.step("Comment", **COMMENT) == 0
    warning = "::warning title=mogi::no comment was written (HTTP Error 403: Forbidden)"
    assert job.log.startswith(warning)


def test_a_github_that_hangs_up_fails_no_job(job: Job, github: GitHub) -> None:
    github.hangs_up = True
    (job.folder / "mogi-report").mkdir()
    (job.folder / "mogi-report/comment.md").write_text("<!-- mogi:demo-en -->\n", "utf-8")
    assert 0 == job.step("Comment", **COMMENT)
    assert "::warning title=mogi::no comment was written (" in job.log


@pytest.mark.slow
def test_a_pull_request_gets_one_comment_that_is_written_anew(job: Job, github: GitHub) -> None:
    assert job.step("Run", **CLIENT) == 0
    assert job.output("status") == "0"
    assert job.step("Comment", **COMMENT) == 0
    assert job.step("Run", **CLIENT) == 0
    assert job.step("Comment", **COMMENT) == 0
    assert list(github.comments) == ["C1", "C2"]
    author, comment = github.comments["C2"]
    assert author == OURS
    assert comment.startswith("<!-- mogi:demo-en -->\n## ")
    assert "mogi compare" in comment
    assert job.output("page") == "mogi-report/mogi-demo-en.html"
    assert (job.folder / job.output("page")).stat().st_size > 10_000
    assert "scenarios pass" in (job.folder / "summary.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("args", ["--offline", "--offline --fail-on worse"])
def test_what_newly_fails_is_annotated_once_at_its_scenario(job: Job, args: str) -> None:
    client = small_client(job.folder, '{kind: function, function: "bot:answer"}', bot=BOT)
    wanted = {"CLIENT": "scenarios/shop/", "ARGS": args}
    assert job.step("Run", **wanted) == 0
    assert "::error" not in job.log
    knowledge = KNOWLEDGE.replace("5 euros and", "some money and")
    (client / "knowledge" / "faq.csv").write_text(knowledge, "utf-8")
    assert job.step("Run", **wanted) == 0
    assert job.log.count("::error file=scenarios/shop/scenarios.yaml,line=1,title=delivery") == 1
    assert job.log.count("::error") == 1
    assert job.output("page") == "mogi-report/mogi-shop.html"


@pytest.mark.slow
def test_a_gate_that_fails_is_the_jobs_status_after_all_is_written(job: Job) -> None:
    args = "--offline --scenario cannot-get-in --fail-under 0.99"
    assert job.step("Run", **CLIENT | {"ARGS": args}) == 0
    assert job.output("status") == "1"
    assert (job.folder / "mogi-report/comment.md").is_file()
    assert job.step("Result", STATUS=job.output("status")) == 1


@pytest.mark.slow
def test_a_client_that_is_not_there_ends_the_job_with_2_and_shows_no_other_run(job: Job) -> None:
    job.step("Run", **CLIENT)
    (job.folder / "output").unlink()
    job.step("Run", **CLIENT | {"CLIENT": "nobody"})
    assert job.output("page") == ""
    assert not (job.folder / "mogi-report/comment.md").exists()
    assert job.output("status") == "2"
    assert job.step("Result", STATUS=job.output("status")) == 2
