"""Plants a fault, has a person correct one answer, and looks at what `mogi improve` makes of it.

A fault is repaired if a proposal for its scenario was accepted, and with it at least six of the
eight held-out questions pass and no cell that must pass newly fails.
"""

import json
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import yaml

from benchmarks.improve.faults import (
    HELD_OUT,
    PERSONAS,
    Fault,
    Sham,
    faults,
    plant,
    sham_diff,
    shams,
)
from simulator.api import Options, load, simulate_sync
from simulator.cli.app import run as run_command
from simulator.core.result import Result
from simulator.core.verdict import Verdict, Word
from simulator.statistics.intervals import wilson
from simulator.store.store import Store

CLIENT, MENDS = Path("client"), Path("mends")
STORE = "sqlite:///mogi.db"
FIRST = PERSONAS[0]  # who asks in the run that is mended
AT = "2026-11-23T00:00:00+00:00"
ENOUGH = 6  # of eight held-out questions
ENDS = ("repaired", "accepted", "undecided", "rejected", "none")
Cell = tuple[str, str]
Json = Mapping[str, Any]


@dataclass
class Tally:
    """What came of all faults and shams; an end of a fault is one of ENDS.

    `accepted` is one that was accepted and does not hold what it promised. With what was accepted,
    `broken` cells newly fail that must pass, and `failing` others. `changed` counts cells
    whose result is another one after a change, `escaped` those of them that the proof did not
    choose, of `others` that it did not choose. `calls` and those of `whole` grids are by what was
    proved: proposals, shams.
    """

    ends: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    shams: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    broken: int = 0
    failing: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    whole: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    changed: int = 0
    escaped: int = 0
    others: int = 0

    def paid(self, said: Json, what: str) -> Json:
        """Count what a proof called; the proof."""
        self.calls[what] += sum(said["calls"].values())
        self.whole[what] += said["full_rerun_calls"]
        self.lost += sum(proof["lost"] for proof in said["proofs"])
        return said

    @property
    def repaired(self) -> int:
        return sum(kind["repaired"] for kind in self.ends.values())

    @property
    def shams_accepted(self) -> int:
        return sum(kind["accepted"] for kind in self.shams.values())


def measure(planted: Sequence[Fault], tricks: Sequence[Sham], *, escape: bool = False) -> Tally:
    """What comes of these faults, and of these shams on them."""
    tally = Tally()
    for number, fault in enumerate(planted, 1):
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as place, chdir(place):
            _failing_run(fault)
            end = _mended(fault, tally, escape=escape)
            tally.ends[fault.kind][end] += 1
            said = [f"{sham.kind} {_tried(sham, tally)}" for sham in tricks if sham.fault == fault]
        took = time.monotonic() - begun
        print(f"{number:3} {fault!s:44}{end:11}{took:5.1f} s  {', '.join(said)}", flush=True)
    return tally


def _failing_run(fault: Fault) -> None:
    """A run of the faulty client with one persona, and a person's word on what it shows."""
    plant(CLIENT, fault)
    run = _mogi("run", str(CLIENT), "--offline", "--persona", FIRST)["run"]
    episode = f"{fault.scenario}/{FIRST}/1"
    corrected = fault.said["corrected"]
    with Store.create(STORE) as store, store.lock(run):
        word = Verdict(
            episode, 1, Word.NG, reviewer="Sato", source="a sheet", at=AT, corrected=corrected
        )
        store.add_verdicts(run, [word])


def _mended(fault: Fault, tally: Tally, *, escape: bool) -> str:
    """Propose and prove, and look whether what is accepted holds what it promises."""
    said = _mogi("improve", "latest", "--propose", "-o", str(MENDS))
    key = f"{fault.scenario}/{FIRST}/"
    ours = {
        p["file"]
        for p in said["proposals"]
        if any(name.startswith(key) for name in p["conversations"])
    }
    if not ours:
        return "none"
    proofs = tally.paid(_prove(MENDS), "proposals")["proofs"]
    if escape:
        for proof in proofs:
            _count_escapes(proof, tally)
    proofs = [proof for proof in proofs if proof["name"] in ours]
    accepted = [proof["name"] for proof in proofs if proof["proven"] == "accepted"]
    if not accepted:
        return next(w for w in ("undecided", "rejected") if w in {p["proven"] for p in proofs})
    held = [_holds(name, tally) for name in accepted]
    return "repaired" if any(held) else "accepted"


def _tried(sham: Sham, tally: Tally) -> str:
    """What a proof says of a sham."""
    path = Path(f"{sham.kind}-{sham.seed}.diff")
    path.write_text(sham_diff(CLIENT, sham), "utf-8", newline="")
    (proof,) = tally.paid(_prove(path), "shams")["proofs"]
    proven = str(proof["proven"])
    tally.shams[sham.kind][proven] += 1
    return proven


def _prove(diff: Path) -> Json:
    return _mogi("improve", "latest", "--prove", str(diff), "--on", str(CLIENT / HELD_OUT))


def _holds(diff: str, tally: Tally) -> bool:
    """Whether the held-out questions pass after a change, and all that must pass still does."""
    after = _changed(diff)
    must = yaml.safe_load((CLIENT / "client.yaml").read_text("utf-8"))["gate"]["must_pass"]
    both = [results(folder, PERSONAS) for folder in (CLIENT, after)]
    failing = [c for c, result in both[0].items() if (result, both[1][c]) == (_PASSED, _FAILED)]
    broken = [cell for cell in failing if cell[0] in must]
    tally.broken += len(broken)
    tally.failing += len(failing) - len(broken)
    passed = Counter(
        scenario
        for (scenario, _), result in results(after, PERSONAS, scenarios=HELD_OUT).items()
        if result is _PASSED
    )
    by_most = sum(count > len(PERSONAS) / 2 for count in passed.values())
    return not broken and by_most >= ENOUGH


_PASSED, _FAILED = Result.PASSED, Result.FAILED


def _changed(diff: str) -> Path:
    """A copy of the client with a change."""
    from simulator.improve.diffs import copy_with, read_diffs

    place = Path(tempfile.mkdtemp(dir=Path.cwd()))
    return copy_with(read_diffs(MENDS / diff), CLIENT.resolve(), place)


def _count_escapes(proof: Json, tally: Tally) -> None:
    """Play every cell before and after a change, as the proof does, and see what it left out."""
    people = tuple(sorted({cell["persona"] for cell in proof["cells"]}))
    chosen = {(c["scenario"], c["persona"]) for c in proof["cells"] if c["reached"]}
    grids: list[dict[Cell, Result]] = []
    for folder in (CLIENT, _changed(proof["name"])):
        grids.append({})
        for file in ("scenarios.yaml", HELD_OUT):
            grids[-1] |= results(folder, people, scenarios=file, styled=True)
    changed = {cell for cell, result in grids[0].items() if result is not grids[1][cell]}
    tally.changed += len(changed)
    tally.escaped += len(changed - chosen)
    tally.others += len(grids[0].keys() - chosen)


def results(
    folder: Path,
    personas: Sequence[str],
    *,
    scenarios: str = "scenarios.yaml",
    styled: bool = False,
) -> dict[Cell, Result]:
    """By scenario and persona what came of a run of the client's folder."""
    path = folder / "client.yaml"
    usual = path.read_text("utf-8")
    said = yaml.safe_load(usual) | {"scenarios": scenarios, "personas": list(personas)}
    said.pop("gate")
    path.write_text(
        yaml.safe_dump(said | ({"user": {"open": "styled"}} if styled else {})), "utf-8"
    )
    try:
        with redirect_stderr(StringIO()):
            options = Options(offline=True)
            run = simulate_sync(load(folder), options=options, store="sqlite:///after.db")
    finally:
        path.write_text(usual, "utf-8")
    return {
        (e.cell.scenario, e.cell.persona): e.finding.result for e in run.episodes() if e.finding
    }


def _mogi(*args: str) -> Json:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = run_command((*args, "--store", STORE, "--json"))
    if not out.getvalue():
        raise SystemExit(f"mogi {' '.join(args)}: {status}\n{err.getvalue()}")
    return json.loads(out.getvalue())  # type: ignore[no-any-return]


def _lines(tally: Tally) -> Iterator[str]:
    yield f"\n{'fault':22}" + "".join(f"{end:>11}" for end in ENDS)
    for kind, ends in tally.ends.items():
        yield f"{kind:22}" + "".join(f"{ends[end]:>11}" for end in ENDS)
    planted = sum(ends.total() for ends in tally.ends.values())
    yield f"{tally.repaired} of {planted} repaired"
    yield f"cells that newly fail: {tally.broken} that must pass, {tally.failing} others"
    words = ("accepted", "undecided", "rejected")
    yield f"\n{'sham':22}" + "".join(f"{word:>11}" for word in words)
    for kind, said in tally.shams.items():
        yield f"{kind:22}" + "".join(f"{said[word]:>11}" for word in words)
    if tried := sum(said.total() for said in tally.shams.values()):
        high = wilson(tally.shams_accepted, tried).high or 0.0
        yield f"{tally.shams_accepted} of {tried} accepted, at most {high:.1%} (95 %, Wilson)"
    yield ""
    for what, whole in tally.whole.items():
        calls = tally.calls[what]
        yield f"calls of the proofs of {what}: {calls:,} of {whole:,} ({calls / whole:.1%})"
    yield f"cells of which nothing is known: {tally.lost}"
    if tally.others:
        high = wilson(tally.escaped, tally.others).high or 0.0
        yield (
            f"{tally.escaped} of {tally.others:,} cells that were not chosen changed "
            f"({tally.escaped / tally.others:.2%}, at most {high:.2%}); chosen: "
            f"{tally.changed - tally.escaped} of {tally.changed} that changed"
        )


def main(*, count: int = 42, sham_count: int = 102, seed: int = 1, escape: bool = False) -> None:
    """Print what came of so many faults and shams."""
    planted = faults(count, seed)
    tricks = shams(sham_count, planted, seed)
    print(f"\nimprove: {len(planted)} planted faults in three FAQs, {len(tricks)} sham changes")
    for line in _lines(measure(planted, tricks, escape=escape)):
        print(line)
