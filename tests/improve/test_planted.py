"""Planted faults are shown by a run, and mended; what mends nothing is not accepted.

All of them are counted by `python -m benchmarks improve`.
"""

from pathlib import Path

import pytest

from benchmarks.improve import faults
from benchmarks.improve.faults import HELD_OUT, PERSONAS, Fault, Sham, plant
from benchmarks.improve.harness import main, measure, results
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
    assert tally.calls["proposals"] <= 0.5 * tally.whole["proposals"]


@pytest.mark.slow
@pytest.mark.parametrize("faq", faults.NAMES)
def test_the_bot_answers_while_nothing_is_planted(
    faq: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    subject = faults.data(faq)["entries"][0]["id"]
    folder = plant(tmp_path / "client", Fault("", faq, subject))
    played = results(folder, PERSONAS)
    must = ("seen-", *faults.data(faq)["must_pass"])
    said = {r for (name, _), r in played.items() if name.startswith(must)}
    assert Result.PASSED in said
    assert Result.FAILED not in said  # words alone leave some undecided
    held_out = list(results(folder, PERSONAS, scenarios=HELD_OUT).values())
    assert held_out.count(Result.PASSED) >= 0.85 * len(held_out)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*faults.OF_ENTRIES, *faults.OF_NUMBERS, faults.MISSING])
def test_a_planted_fault_shows(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fault = next(f for f in faults.faults(1000, 1) if f.kind == kind)
    folder = plant(tmp_path / "client", fault)
    played = results(folder, PERSONAS[:1])
    assert played[fault.scenario, PERSONAS[0]] is not Result.PASSED


def test_no_faults_and_no_shams_are_nothing_to_tell(capsys: pytest.CaptureFixture[str]) -> None:
    main(count=0, sham_count=0)
    assert "0 planted faults" in capsys.readouterr().out
