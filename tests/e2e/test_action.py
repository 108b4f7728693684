"""The GitHub Action: its steps run in a shell, with a stand-in of GitHub that keeps comments."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step}


class GitHub:
    """Comments under one pull request, as GitHub's REST API has them."""

    def __init__(self) -> None:
        self.comments: dict[int, str] = {1: "Looks good to me."}
        self.tokens: set[str] = set()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(handler) -> None:  # noqa: N805
                first = "page=1" in handler.path.split("?")[1].split("&")
                told = [{"id": n, "body": body} for n, body in self.comments.items()]
                self._answer(handler, told if first else [])

            def do_POST(handler) -> None:  # noqa: N805
                assert handler.path == "/repos/acme/bot/issues/7/comments"
                self._keep(handler, max(self.comments) + 1)

            def do_PATCH(handler) -> None:  # noqa: N805
                self._keep(handler, int(handler.path.rsplit("/", 1)[1]))

            def log_message(handler, *_: Any) -> None:  # noqa: N805
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def _keep(self, handler: BaseHTTPRequestHandler, number: int) -> None:
        length = int(handler.headers["Content-Length"])
        self.comments[number] = json.loads(handler.rfile.read(length))["body"]
        self._answer(handler, {"id": number})

    def _answer(self, handler: BaseHTTPRequestHandler, value: object) -> None:
        self.tokens.add(handler.headers["Authorization"])
        body = json.dumps(value).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


@pytest.fixture
def github() -> Iterator[GitHub]:
    made = GitHub()
    thread = Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


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
            "GITHUB_REPOSITORY": "acme/bot",
        }

    def step(self, name: str, **environment: str) -> int:
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]],
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode

    @property
    def status(self) -> str:
        return (self.folder / "output").read_text("utf-8").splitlines()[-1].partition("=")[2]


@pytest.fixture
def job(tmp_path: Path, github: GitHub) -> Job:
    return Job(tmp_path, github)


CLIENT = {"CLIENT": "demo-en", "ARGS": "--offline --limit 6"}
COMMENT = {"CLIENT": "demo-en", "TOKEN": "t0ken", "PULL": "7"}


def test_each_step_names_only_inputs_that_there_are() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    for name in ACTION["inputs"]:
        assert f"inputs.{name}" in text
    used = {word.split("}")[0].split()[0] for word in text.split("inputs.")[1:]}
    assert used <= ACTION["inputs"].keys()


@pytest.mark.slow
def test_a_pull_request_gets_one_comment_that_is_written_anew(job: Job, github: GitHub) -> None:
    assert job.step("Run", **CLIENT) == 0
    assert job.status == "0"
    assert job.step("Comment", **COMMENT) == 0
    assert job.step("Run", **CLIENT) == 0
    assert job.step("Comment", **COMMENT) == 0
    assert list(github.comments) == [1, 2]
    assert github.comments[1] == "Looks good to me."
    assert github.comments[2].startswith("<!-- mogi:demo-en -->\n## ")
    assert "mogi compare" in github.comments[2]
    assert github.tokens == {"Bearer t0ken"}
    assert (job.folder / "mogi-report/mogi.html").stat().st_size > 10_000
    assert "scenarios pass" in (job.folder / "summary.md").read_text("utf-8")


@pytest.mark.slow
def test_a_gate_that_fails_is_the_jobs_status_after_all_is_written(job: Job) -> None:
    args = "--offline --scenario cannot-get-in --fail-under 0.99"
    assert job.step("Run", **CLIENT | {"ARGS": args}) == 0
    assert job.status == "1"
    assert (job.folder / "mogi-report/comment.md").is_file()
    assert job.step("Result", STATUS=job.status) == 1


@pytest.mark.slow
def test_a_client_that_is_not_there_ends_the_job_with_2(job: Job) -> None:
    job.step("Run", **CLIENT | {"CLIENT": "nobody"})
    assert job.status == "2"
    assert job.step("Result", STATUS=job.status) == 2
