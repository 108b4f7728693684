"""How soon the page of 1,500 conversations can be used, in Chromium: from a file and served.

`python -m benchmarks page`. Two runs of the demo stand in the store, so that the page says what
changed. Where there is a verdict the run's figures are computed, and not those that were kept.
On a busy machine the seconds say little: those that the server computes stand beside them.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.process import ROOT

_REPEATS = 16  # of the demo's 94 conversations
_MOGI = [sys.executable, "-c", "from simulator.cli.app import main; main()"]
_CHROMIUM = "/usr/bin/chromium"
_QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_PATIENCE_MS = 120_000


def main(rounds: int) -> None:
    """Print the medians."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as tools:
        for _ in range(2):
            _mogi(folder, "run", "demo", "--repeat", str(_REPEATS), "--quiet")
        _mogi(folder, "report", "latest", "--report", "html=page.html")
        browser = tools.chromium.launch(executable_path=_CHROMIUM, args=list(_QUIET))
        print("\npage: 1,504 conversations, from the address, medians")
        print(f"  {'':44} {'lead shown':>10} {'first key':>10} {'server computed':>16}")
        file = (Path(folder) / "page.html").as_uri()
        _row("from a file", [_opened(browser, file) for _ in range(rounds)])
        for state in ("no verdict", "a verdict"):
            first, again, computed = [], [], []
            for number in range(rounds):
                with _served(folder) as (address, process):
                    before = _computed(process)
                    first.append(_opened(browser, address))
                    computed.append(_computed(process) - before)
                    again.append(_opened(browser, address))
                    if state == "no verdict" and number == rounds - 1:
                        _judge(browser, address)
            _row(f"served, {state}, at once", first, computed)
            _row(f"served, {state}, again", again)
        browser.close()


def _row(what: str, opened: list[tuple[float, float]], computed: Sequence[float] = ()) -> None:
    columns = [statistics.median(seconds) for seconds in zip(*opened, strict=True)]
    columns += [statistics.median(computed)] if computed else []
    print(f"  {what:44} {''.join(f'{seconds:9.2f} s' for seconds in columns)}")


def _computed(process: "subprocess.Popen[bytes]") -> float:
    """Seconds of a processor that it has had so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def _mogi(folder: str, *args: str) -> None:
    command = [*_MOGI, *args]
    done = subprocess.run(command, cwd=folder, env=_environment(), capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.decode())


def _environment() -> dict[str, str]:
    return {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}


@contextmanager
def _served(folder: str) -> "Iterator[tuple[str, subprocess.Popen[bytes]]]":
    """The address at which a `mogi view` of the latest run serves, and its process."""
    view = [*_MOGI, "view", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        view, cwd=folder, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().decode().strip(), process
        finally:
            process.terminate()


def _opened(browser: Browser, address: str) -> tuple[float, float]:
    """Seconds until the page says how the run went, and until it answers keys, in a new window."""
    context = browser.new_context()
    page = context.new_page()
    began = time.perf_counter()
    page.goto(address)
    page.wait_for_selector("#lead", timeout=_PATIENCE_MS)
    shown = time.perf_counter() - began
    page.wait_for_selector("html[data-ready]", timeout=_PATIENCE_MS)
    seconds = time.perf_counter() - began
    context.close()
    return shown, seconds


def _judge(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready]", timeout=_PATIENCE_MS)
    page.goto(page.url + "#review")
    page.fill("#reviewer", "Mori")
    page.keyboard.press("Enter")
    page.keyboard.press("2")
    page.get_by_text("保存しました").wait_for()
    context.close()
