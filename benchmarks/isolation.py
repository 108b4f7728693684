"""What a process of its own costs a bot of Python code: `python -m benchmarks isolation`."""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

_COUNT = 1000  # conversations of three turns
_CLIENT = """\
language: en
target: {{kind: function, function: "bot:answer"}}
isolated: {isolated}
personas: [calm]
max_turns: 3
repeat: {count}
"""
_SCENARIOS = """\
- id: hours
  query: When is the shop open?
  user: scripted
  turns: [And on Sundays?, Thank you. And on holidays?]
  expected: {elements: [9 to 18]}
"""
_BOTS = {
    "sync": "def answer(question, history):\n    return 'From 9 to 18.'\n",
    "async": "async def answer(question, history):\n    return 'From 9 to 18.'\n",
    "sync, 20 ms": (
        "import time\n\ndef answer(question, history):\n    time.sleep(.02)\n    return '9 to 18'\n"
    ),
}


def main(rounds: int) -> None:
    """Print wall and CPU seconds of a run with and without, each in a process of its own."""
    print(f"A function bot, {_COUNT} conversations, offline; CPU with that of the bot's process")
    for name, bot in _BOTS.items():
        taken: dict[str, list[tuple[float, float]]] = {"false": [], "true": []}
        for _ in range(rounds):
            for isolated, figures in taken.items():
                figures.append(_run(bot, isolated, _COUNT))
        _, start = zip(*(_run(bot, isolated, 1) for isolated in taken), strict=True)
        for (isolated, figures), alone in zip(taken.items(), start, strict=True):
            wall, cpu = (median(side) for side in zip(*figures, strict=True))
            print(
                f"  {name:12} isolated: {isolated:5}  wall {wall:5.1f} s  CPU {cpu:5.1f} s  "
                f"(one conversation: CPU {alone:.1f} s)"
            )


def _run(bot: str, isolated: str, count: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "client.yaml").write_text(_CLIENT.format(isolated=isolated, count=count), "utf-8")
        (folder / "scenarios.yaml").write_text(
            _SCENARIOS.replace("  user: scripted\n", ""), "utf-8"
        )
        (folder / "bot.py").write_text(bot, "utf-8")
        began, before = time.perf_counter(), _cpu()
        command = [sys.executable, "-c", "from simulator.cli.app import main; main()"]
        done = subprocess.run(
            [*command, "run", name, "--quiet", "--store", f"sqlite:///{folder}/mogi.db"],
            check=False,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return time.perf_counter() - began, _cpu() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
