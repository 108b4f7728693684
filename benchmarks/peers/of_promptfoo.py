"""promptfoo: one question and one answer a test, judged by `llm-rubric`.

Its simulated user asks its maker's server for each utterance, so that there is none here. It is a
program of its own, whose start is taken off: what one test takes is what all take less one.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.peers import task

_BOT = """\
module.exports = class {
  id() { return 'bot'; }
  async callApi() {
    await new Promise((done) => setTimeout(done, %d));
    return { output: %s };
  }
};
"""


def play(url: str, count: int, folder: Path) -> tuple[float, float]:
    """CPU and wall seconds of so many tests, its start included."""
    (folder / "bot.js").write_text(_BOT % (1000 * task.LATENCY_S, json.dumps(task.ANSWER)), "utf-8")
    grader = {"id": "openai:chat:mock", "config": {"apiBaseUrl": url, "apiKey": "sk-benchmark"}}
    asked = {"vars": {"question": task.QUERY}}
    checked = {"assert": [{"type": "llm-rubric", "value": task.CRITERION}]}
    config = {
        "prompts": ["{{question}}"],
        "providers": ["file://bot.js"],
        "defaultTest": {"options": {"provider": grader}},
        "tests": [{**asked, **checked} for _ in range(count)],
    }
    (folder / "job.json").write_text(json.dumps(config), "utf-8")
    command = ["node_modules/.bin/promptfoo", "eval", "-c", "job.json", "-j", str(task.AT_ONCE)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    more = ["--no-cache", "--no-table", "--no-progress-bar", "--no-write"]
    subprocess.run([*command, *more], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - began


if __name__ == "__main__":
    number, place = int(sys.argv[2]), Path(sys.argv[3])
    first, whole = play(sys.argv[1], 1, place), play(sys.argv[1], number, place)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    cpu_ms = 1000 * (whole[0] - first[0]) / (number - 1)
    wall_s = whole[1] - first[1] + 2 * task.LATENCY_S  # the first one waits for both, too
    print(json.dumps({"cpu_ms": cpu_ms, "wall_s": wall_s, "peak_mb": peak}))
