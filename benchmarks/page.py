"""How soon the page of 1,500 conversations can be used, in Chromium: from a file and served.

`python -m benchmarks page`. Two runs of the demo stand in the store, so that the page says what
changed; the second half of the figures is with a verdict, which no kept figure holds.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
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
        browser = tools.chromium.launch(executable_path=_CHROMIUM, args=list(_QUIET))
        print("\npage: 1,504 conversations, from the address to the first key, medians")
        _mogi(folder, "report", "latest", "--report", "html=page.html")
        file = (Path(folder) / "page.html").as_uri()
        _row("from a file", [_opened(browser, file) for _ in range(rounds)])
        for what in ("served", "served, with a verdict in the store"):
            first, later = [], []
            for _ in range(rounds):
                with _served(folder) as address:
                    first.append(_opened(browser, address))
                    later.append(_opened(browser, address))
                    judged = _judge if what == "served" else None
                    if judged and len(first) == rounds:
                        _judge(browser, address)
            _row(f"{what}, first", first)
            _row(f"{what}, again", later)
        browser.close()


def _row(what: str, seconds: list[float]) -> None:
    print(f"  {what:42} {statistics.median(seconds):6.2f} s")


def _mogi(folder: str, *args: str) -> None:
    done = subprocess.run([*_MOGI, *args], cwd=folder, env=_environment(), capture_output=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.decode())


def _environment() -> dict[str, str]:
    return {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}


@contextmanager
def _served(folder: str) -> Iterator[str]:
    """The address at which a `mogi view` of the latest run serves."""
    view = [*_MOGI, "view", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        view, cwd=folder, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().decode().strip()
        finally:
            process.terminate()


def _opened(browser: Browser, address: str) -> float:
    """Seconds until the page answers keys, in a new window."""
    context = browser.new_context()
    page = context.new_page()
    began = time.perf_counter()
    page.goto(address)
    page.wait_for_selector("html[data-ready]", timeout=_PATIENCE_MS)
    seconds = time.perf_counter() - began
    context.close()
    return seconds


def _judge(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("html[data-ready]", timeout=_PATIENCE_MS)
    page.goto(page.url + "#review")
    page.fill("#reviewer", "Mori")
    page.keyboard.press("Enter")
    page.keyboard.press("2")
    page.wait_for_timeout(2_000)
    context.close()
