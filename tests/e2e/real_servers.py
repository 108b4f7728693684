"""Servers that are not ours, in processes of their own; `.ci/run` makes the venv `.servers`."""

import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.waiting import until_now

BIN = Path(__file__).parents[2] / ".servers" / "bin"

_UP = re.compile(r"Uvicorn running on")

needs_servers = pytest.mark.skipif(
    not BIN.exists(), reason="needs .servers, a venv with what tests/e2e/servers.txt names"
)


@contextmanager
def _running(folder: Path, *command: str, ready: Callable[[str], object]) -> Iterator[str]:
    """A program of `.servers` while the block lasts; what it had printed when it was ready.

    It sees no variable of this machine but PATH.
    """
    log = folder / "printed.txt"
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    environment["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or it asks the network for prices
    with log.open("wb") as out:
        process = subprocess.Popen(
            [BIN / command[0], *command[1:]],
            cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        until_now(lambda: ready(log.read_text("utf-8")) or process.poll() is not None)
        assert process.poll() is None, log.read_text("utf-8")[-4000:]
        yield log.read_text("utf-8")
    finally:
        process.kill()
        process.wait()


@contextmanager
def litellm(folder: Path, config: str) -> Iterator[str]:
    """LiteLLM's proxy with this configuration (YAML); its base URL."""
    (folder / "config.yaml").write_text(config, "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    where = ("--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port))
    with _running(folder, "litellm", *where, ready=_UP.search):
        yield f"http://127.0.0.1:{port}/v1"


@contextmanager
def random_llama(folder: Path) -> Iterator[str]:
    """llama.cpp's server with a model of random weights named `random`; its base URL."""
    script = Path(__file__).with_name("random_llama.py")
    told = re.compile(r"^listening at (http://\S+)$", re.MULTILINE)
    with _running(folder, "python", str(script), str(folder), ready=told.search) as printed:
        found = told.search(printed)
        assert found
        yield f"{found[1]}/v1"
