"""What a client's folder can have worked out is bounded, while it is checked and while it runs."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e.test_reach import shop
from tests.loopback.threaded import served

MB = 1024
MOST_S, MOST_MB = 30, 500
PATH = "@" + " | [@, @]" * 24  # 217 characters
SLICES = (
    "{% set a = question %}"
    + "{% set a = a ~ a %}" * 17
    + "{% for x in a[:20000] %}"
    + "{% set b = a[1:] %}" * 300
    + "{% endfor %}"
)
IN = "{% set a = question %}" + "{% set a = a ~ a %}" * 18 + "{{ 'x' in a }}" * 200


class Ended(NamedTuple):
    status: int
    err: str
    cpu_s: float


def _ended(folder: Path, *typed: str) -> Ended:
    """How the command ended, within bounds of memory for it and all that it started."""
    began = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # ru_maxrss would count what the process that starts it had: the memory of a test's worker.
    code = (
        "import re, sys; from simulator.cli.app import run; status = run(sys.argv[1:]); "
        "peak = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]; "
        "print(peak, file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *typed],
        cwd=folder,
        env={**os.environ, "XDG_STATE_HOME": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    *lines, peak = done.stderr.splitlines()
    assert int(peak) < MOST_MB * MB, done.stderr
    assert time.monotonic() - began < 4 * MOST_S
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert cpu_s < MOST_S
    return Ended(done.returncode, "\n".join(lines), cpu_s)


def _bot(settings: str) -> str:
    return f"kind: http, url: 'http://127.0.0.1:9/c', {settings}"


@pytest.mark.slow
@pytest.mark.parametrize("template", [SLICES, IN])
def test_attack_a_template_copies_and_searches_a_long_text(tmp_path: Path, template: str) -> None:
    shop(tmp_path, _bot(f'body: {{q: "{template}"}}'))
    done = _ended(tmp_path, "check", "shop", "--untrusted", "--allow-host", "127.0.0.1:9")
    assert 2 == done.status
    assert "scenarios/shop/client.yaml:3: target.body" in done.err
    assert ("takes more than 5 s or" in done.err) or ("makes more than" in done.err)


@pytest.mark.slow
def test_attack_a_path_of_220_characters_makes_gigabytes(tmp_path: Path) -> None:
    with served(lambda _: {"answer": "a"}) as server:
        shop(tmp_path, f"kind: http, url: '{server.base_url}/chat/completions', answer: '{PATH}'")
        done = _ended(tmp_path, "run", "shop", "--limit", "1", "--quiet")
    assert 3 == done.status, done.err


@pytest.mark.slow
def test_attack_a_client_yaml_of_322_kilobytes(tmp_path: Path) -> None:
    paths = ", ".join(f"h{n}: '" + '"\\' * 300 + "'" for n in range(530))
    made = shop(tmp_path, _bot(f"carry: {{{paths}}}"))
    assert (made / "client.yaml").stat().st_size > 322_000
    done = _ended(tmp_path, "check", "shop")
    assert (2, True) == (done.status, "client.yaml:3: target.carry" in done.err)
    assert done.cpu_s < 10


@pytest.mark.slow
def test_attack_a_query_of_two_million_characters(tmp_path: Path) -> None:
    made = shop(tmp_path)
    (made / "scenarios.yaml").write_text(f"- {{id: a, query: '{'あ、' * 1_000_000}'}}\n", "utf-8")
    done = _ended(tmp_path, "run", "shop", "--limit", "1")
    assert 2 == done.status
    assert (
        "scenarios/shop/scenarios.yaml:1: query: a text of 2,000,000 characters; the maximum is "
        in done.err
    )
