"""Planted faults are shown by a run, and mended; what mends nothing is not accepted.

All of them are counted by `python -m benchmarks improve`.
"""

import asyncio
from pathlib import Path

import pytest

from benchmarks.improve import faults
from benchmarks.improve.faults import HELD_OUT, PERSONAS, Fault, Sham, plant
from benchmarks.improve.harness import measure
from simulator import Options, simulate
from simulator.core.result import Result

PLANTED = (
    Fault("removed", "pool.ja", "p17"),
    Fault("unfindable", "demo-en", "faq-046"),
    Fault("outdated", "demo", "faq-042"),
    Fault("missing_guideline", "demo", "press"),
)


@pytest.mark.slow
def test_faults_are_repaired_and_shams_are_not_accepted() -> None:
    shams = [Sham(kind, PLANTED[n % 4], n) for n, kind in enumerate(faults.SHAMS)]
    tally = measure(PLANTED, shams)
    assert (tally.repaired, tally.broken, tally.shams_accepted) == (len(PLANTED), 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("faq", faults.NAMES)
def test_the_bot_answers_while_nothing_is_planted(faq: str, tmp_path: Path) -> None:
    subject = faults.data(faq)["entries"][0]["id"]
    folder = plant(tmp_path / "client", Fault("", faq, subject))
    results = _results(folder, "scenarios.yaml", tmp_path)
    assert all(r is Result.PASSED for name, r in results.items() if name.startswith("seen-"))
    assert all(results[name] is Result.PASSED for name in faults.data(faq)["must_pass"])
    held_out = list(_results(folder, HELD_OUT, tmp_path).values())
    assert held_out.count(Result.PASSED) >= 0.85 * len(held_out)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*faults.OF_ENTRIES, *faults.OF_NUMBERS, faults.MISSING])
def test_a_planted_fault_shows(kind: str, tmp_path: Path) -> None:
    fault = next(f for f in faults.faults(1000, 1) if f.kind == kind)
    folder = plant(tmp_path / "client", fault)
    assert _results(folder, "scenarios.yaml", tmp_path)[fault.scenario] is not Result.PASSED


def _results(folder: Path, scenarios: str, place: Path) -> dict[str, Result]:
    client = folder / "client.yaml"
    said = client.read_text("utf-8")
    client.write_text(said.replace("scenarios: scenarios.yaml", f"scenarios: {scenarios}"), "utf-8")
    options = Options(offline=True, personas=PERSONAS[:1])
    run = asyncio.run(simulate(folder, options=options, store=f"sqlite:///{place}/runs.db"))
    client.write_text(said, "utf-8")
    return {e.cell.scenario: e.finding.result for e in run.episodes() if e.finding}
