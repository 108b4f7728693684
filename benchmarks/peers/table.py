"""mogi beside other tools that play users or judge answers: `python -m benchmarks --peers`.

The same job for all: conversations of three turns, 50 at once, with a bot that answers after
200 ms and a model on loopback that does, too. Each tool is installed into an environment of its own
below the cache folder (some 2 GB, from PyPI and npm), and used as its own documentation does it.
What is counted begins after a first conversation: starting up is not in it.
"""

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from benchmarks.process import ROOT, chat_server

CONVERSATIONS = 100
LATENCY_S = 0.2
# Three answers of the bot, the user's two utterances between them, and one judgement at the end.
WAITS = 6
CACHE = Path.home() / ".cache" / "mogi-peers"
# What is installed; npm's have no file of their own here. What else it needs to do the job.
PEERS = {
    "openevals": ("openevals", "langchain-openai"),
    "deepeval": ("deepeval",),
    "scenario": ("langwatch-scenario", "mcp"),
    "inspect": ("inspect-ai", "openai"),
    "promptfoo": ("promptfoo",),
}
NOTES = {
    "inspect": "it has no simulated user: a solver of 20 lines plays it here",
    "promptfoo": "one turn and its judgement: its simulated user is its maker's service",
}
# Nobody is told of this: telemetry off, no key but a false one.
QUIET = {
    "OPENAI_API_KEY": "sk-benchmark",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "LANGWATCH_API_KEY": "",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
    "INSPECT_DISPLAY": "none",
}


def main(rounds: int) -> None:
    """Install what is not there yet, and print the table: medians over the rounds."""
    versions = {name: _installed(name, *packages) for name, packages in PEERS.items()}
    print(f"\npeers: {CONVERSATIONS} conversations x 3 turns, 50 at once, {rounds} rounds, medians")
    print(f"  {platform.processor() or platform.machine()}, {os.cpu_count()} cores, ", end="")
    print(f"Python {platform.python_version()}")
    print(f"  {'':24}{'CPU ms':>8}{'calls':>7}{'kB sent':>9}{'wall s':>8}{'ideal':>7}{'MB':>6}")
    for name in ("mogi", *PEERS):
        seen = [measured(name) for _ in range(rounds)]
        of = {key: statistics.median(each[key] for each in seen) for key in seen[0]}
        ideal_s = (2 if name == "promptfoo" else WAITS) * LATENCY_S * CONVERSATIONS / 50
        told = f"{name} {versions.get(name, '')}"
        print(
            f"  {told:24}{of['cpu_ms']:8.1f}{of['calls']:7.1f}{of['bytes'] / 1000:9.1f}"
            f"{of['wall_s']:8.2f}{ideal_s / of['wall_s']:7.2f}{of['peak_mb']:6.0f}"
            f"  {NOTES.get(name, '')}"
        )


def measured(name: str) -> dict[str, float]:
    """What one tool needed, for each conversation; wall clock and memory for all of them."""
    folder = CACHE / name
    interpreter = str(folder / "bin" / "python")
    command = [interpreter, "-m", f"benchmarks.peers.of_{name}"]
    if name == "mogi":
        command = [sys.executable, "-m", "benchmarks.mogi_loop"]
    elif name == "promptfoo":
        command[0] = sys.executable
    paths = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HOME": str(Path.home())}
    for _ in range(3):  # promptfoo ends with an error of its own now and then
        with chat_server(LATENCY_S, "benchmarks.peers.server") as url:
            done = subprocess.run(
                [*command, f"{url}/v1", str(CONVERSATIONS), str(folder)],
                cwd=folder if folder.is_dir() else ROOT,
                env={**paths, **QUIET},
                capture_output=True,
                text=True,
                check=False,
            )
            with urlopen(f"{url}/figures") as response:
                sent: dict[str, float] = json.load(response)
        if not done.returncode:
            break
    else:
        raise SystemExit(f"{name} failed:\n{done.stderr[-4000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    # One conversation more than is counted: the first.
    return {**found, **{key: sent[key] / (CONVERSATIONS + 1) for key in ("calls", "bytes")}}


def _installed(name: str, *packages: str) -> str:
    """Install a tool unless it is there; its version."""
    folder = CACHE / name
    if name == "promptfoo":
        if not (folder / "node_modules").is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", *packages]
            subprocess.run(npm, cwd=folder, check=True, env={**os.environ, **QUIET})
        package = (folder / "node_modules" / name / "package.json").read_text("utf-8")
        return str(json.loads(package)["version"])
    python = folder / "bin" / "python"
    if not python.is_file():
        venv.create(folder, with_pip=True)
        try:
            subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
        except BaseException:
            shutil.rmtree(folder)
            raise
    ask = f"from importlib.metadata import version; print(version({packages[0]!r}))"
    return subprocess.run(
        [python, "-c", ask], check=True, capture_output=True, text=True
    ).stdout.strip()
