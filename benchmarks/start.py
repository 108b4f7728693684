"""What a start costs: the help, the demos, and one judged conversation as a whole process."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.process import ROOT, chat_server

# The peak by the kernel's count of this program: that of `wait4` has what its parent held, too.
_CODE = """\
import atexit, pathlib
def peak():
    status = pathlib.Path("/proc/self/status").read_text()
    pathlib.Path("peak").write_text(status.partition("VmHWM:")[2].split()[0])
atexit.register(peak)
from simulator.cli.app import main; main()
"""
_LATENCY_S = 0.01
_CLIENT = """\
language: {language}
target: {{kind: demo}}
knowledge: faq.csv
user: {{model: mock, base_url: "{url}"}}
judge: {{model: mock, base_url: "{url}"}}
personas: [calm]
"""
_SCENARIOS = """\
- id: login
  query: {query}
  expected: {{answer: "{answer}", elements: ["{element}"], documents: [faq-1], answerable: true}}
"""


class _Texts(NamedTuple):
    query: str
    answer: str
    element: str
    promised_s: float
    promised_mb: int


_TEXTS = {
    "en": _Texts(
        "I can't log in",
        "Open the login page and choose Reset password. The link in the mail works for 24 hours.",
        "24 hours",
        1.2,
        130,
    ),
    "ja": _Texts(
        "ログインできません",
        "ログイン画面の「パスワードの再設定」からお手続きください。リンクの有効期限は24時間です。",
        "24時間",
        1.5,
        200,
    ),
}


class _Cost(NamedTuple):
    wall_s: float
    cpu_s: float
    peak_mb: float


def main(rounds: int) -> None:
    """Print medians of whole processes beside what is promised."""
    print("\nstart: whole processes, wall clock, medians")
    for args, promised in ((["--help"], 0.3), (["run", "demo"], 10), (["run", "demo-en"], 10)):
        seconds = statistics.median(cost.wall_s for cost in _costs(args, rounds))
        print(f"  {' '.join(['mogi', *args]):18} {seconds:6.2f} s   (promised <= {promised} s)")
    print("start: one judged conversation of three turns, CPU and peak memory, medians")
    for language, texts in _TEXTS.items():
        with tempfile.TemporaryDirectory() as folder, chat_server(_LATENCY_S) as url:
            client = _client(Path(folder), language, texts, url)
            costs = _costs(["run", str(client), "--quiet"], rounds)
        cpu = statistics.median(cost.cpu_s for cost in costs)
        mb = statistics.median(cost.peak_mb for cost in costs)
        promise = f"<= {texts.promised_s} s, {texts.promised_mb} MB"
        print(f"  {language:18} {cpu:6.2f} CPU s  {mb:4.0f} MB   (promised {promise})")


def _client(folder: Path, language: str, texts: _Texts, url: str) -> Path:
    (folder / "client.yaml").write_text(_CLIENT.format(language=language, url=url), "utf-8")
    row = f'faq-1,{texts.query},"{texts.answer}"'
    (folder / "faq.csv").write_text(f"id,title,content\n{row}\n", "utf-8")
    scenarios = _SCENARIOS.format(**texts._asdict())
    (folder / "scenarios.yaml").write_text(scenarios, "utf-8")
    return folder


def _costs(args: list[str], rounds: int) -> list[_Cost]:
    """The costs of some starts; the first one, which writes bytecode, does not count."""
    return [_cost(args) for _ in range(rounds + 1)][1:]


def _cost(args: list[str]) -> _Cost:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-c", _CODE, *args],
            cwd=folder,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "OPENAI_API_KEY": "sk-mock"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.perf_counter() - began
        peak_kb = int((Path(folder) / "peak").read_text("utf-8"))
    if process.returncode not in (0, 1):
        raise SystemExit(f"mogi {' '.join(args)} ended with {process.returncode}")
    return _Cost(wall_s, usage.ru_utime + usage.ru_stime, peak_kb / 1024)
