"""What large runs cost, with answers of 500 characters and documents that are all distinct.

`python -m benchmarks scale`: a run of 10,000 conversations, its reports, and the formulas.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from tempfile import TemporaryFile

from benchmarks.process import ROOT
from benchmarks.turns import texts

CONVERSATIONS = 10_000
_ANSWER, _DOCUMENT, _DOCUMENTS = 500, 400, 3  # characters, characters, documents a turn
_POOL = 2_000  # sentences, of which each text takes others
_QUESTIONS = 200
_MILLION, _TURNS = 1_000_000, 3
_REPORTS = {"html": ("page.html", 6.0), "xlsx": ("book.xlsx", 8.0), "csv": ("rows.csv", None)}
_MOGI = [sys.executable, "-c", "from simulator.cli.app import main; main()"]
_BOT = """\
import json, random
from pathlib import Path
from tempfile import TemporaryFile

POOL = json.loads((Path(__file__).parent / "pool.json").read_text("utf-8"))
DRAWN = random.Random()

def text(characters):
    written = ""
    while len(written) < characters:
        written += DRAWN.choice(POOL)
    return written[:characters]

def answer(question, history):
    return text({answer}), [text({document}) for _ in range({documents})]
"""


def folder_of(place: Path, client: str = "demo") -> None:
    """Make a client folder `acme` whose bot never says the same twice."""
    pool = texts(client, _POOL)
    home = place / "scenarios" / "acme"
    home.mkdir(parents=True)
    (home / "pool.json").write_text(json.dumps(pool, ensure_ascii=False), "utf-8")
    bot = _BOT.format(answer=_ANSWER, document=_DOCUMENT, documents=_DOCUMENTS)
    (home / "bot.py").write_text(bot, "utf-8")
    language = "ja" if client == "demo" else "en"
    lines = ("language: " + language, 'target: {kind: function, function: "bot:answer"}')
    (home / "client.yaml").write_text("\n".join((*lines, "max_turns: 3", "")), "utf-8")
    scenarios = [
        {"id": f"s{number}", "query": pool[number], "expected": {"elements": [pool[-number - 1]]}}
        for number in range(_QUESTIONS)
    ]
    (home / "scenarios.yaml").write_text(json.dumps(scenarios, ensure_ascii=False), "utf-8")


def mogi(place: Path, *args: str) -> dict[str, float]:
    """CPU seconds, seconds, peak MB and lines of output of `mogi ARGS` in a folder."""
    began = time.perf_counter()
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with TemporaryFile("w+") as out, TemporaryFile("w+") as errors:
        process = subprocess.Popen([*_MOGI, *args], cwd=place, env=env, stdout=out, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            errors.seek(0)
            raise SystemExit(f"mogi {' '.join(args)}: {process.returncode}\n{errors.read()}")
        out.seek(0)
        lines = sum(1 for _ in out)
    return {
        "cpu_s": used.ru_utime + used.ru_stime,
        "wall_s": time.perf_counter() - began,
        "peak_mb": used.ru_maxrss / 1024,
        "lines": lines,
    }


def main(rounds: int) -> None:
    """Print what the run and each report cost."""
    del rounds
    print(f"\nscale: {CONVERSATIONS:,} conversations, answers and documents distinct, no model")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        folder_of(place)
        repeat = str(CONVERSATIONS // (_QUESTIONS * 15) + 1)
        limit = ("--repeat", repeat, "--limit", str(CONVERSATIONS))
        run = mogi(place, "run", "acme", *limit, "--quiet")
        _row("run", run, place / "mogi.db")
        for name, (file, promised) in _REPORTS.items():
            figures = mogi(place, "report", "latest", "--report", f"{name}={file}")
            _row(f"report {name}", figures, place / file, promised)
        export = mogi(place, "export", "latest")
        _row("export", export)
        _formulas(run["cpu_s"], export["lines"], (place / "mogi.db").stat().st_size)


def _formulas(cpu_s: float, turns: float, size: int) -> None:
    """Print what C conversations of T turns cost on this machine, and a million of three."""
    ms, kb = 1000 * cpu_s / turns, size / turns / 1000
    print(f"  turns played: {turns:,.0f}")
    hours, gb = ms * _MILLION * _TURNS / 3_600_000, kb * _MILLION * _TURNS / 1_000_000
    print(f"  CPU        C * T * {ms:.1f} ms   a million of {_TURNS} turns: {hours:,.1f} hours")
    print(f"  database   C * T * {kb:.1f} kB   a million of {_TURNS} turns: {gb:,.1f} GB")
    print("  calls and tokens of a client of yours: mogi run CLIENT --dry-run")


def _row(
    what: str, figures: dict[str, float], file: Path | None = None, most: float | None = None
) -> None:
    size = f"{file.stat().st_size / 2**20:7.1f} MB" if file else ""
    promised = f"  (promised <= {most:g})" if most else ""
    print(
        f"  {what:12} {figures['cpu_s']:7.1f} CPU s {figures['wall_s']:7.1f} s"
        f"  peak {figures['peak_mb']:5.0f} MB {size}{promised}"
    )


if __name__ == "__main__":
    main(1)
