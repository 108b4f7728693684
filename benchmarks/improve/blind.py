"""A set of planted faults that nobody tuned anything on: repaired by `improve`, judged by the set.

`python -m benchmarks improve blind FOLDER [--shams] [--persona NAME …] [--only TEXT]`

FOLDER/BUSINESS holds client.yaml, bot.py, its knowledge and scenarios, untouched.yaml,
faults/NN-kind/{overlay/, fault.yaml, hidden.yaml}, shams/*.diff and mixtures/*.diff, each with a
first line `# for: NN-kind`. FOLDER/eval.py BUSINESS FAULT FOLDER says whether a folder is repaired.
Human input is one NG with the corrected answer of fault.yaml.
"""

import argparse
import asyncio
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import yaml

from simulator.api import Options, load, simulate_sync
from simulator.core.concurrency import Halt
from simulator.core.run import Run
from simulator.core.verdict import Verdict, Word
from simulator.execution.request import RunRequest
from simulator.execution.session import run_session
from simulator.files.client.folder import load_client
from simulator.improve.diffs import Diff, copy_with, read_diffs, write
from simulator.improve.proposals import written_by_people
from simulator.improve.search import (
    Change,
    Fix,
    Searched,
    SearchRequest,
    prove_changes,
    search,
)
from simulator.store.store import Store
from simulator.view.faults import faults_of
from simulator.view.stored_run import stored_run

STORE, PROOFS = "sqlite:///mogi.db", "sqlite:///mogi.proofs.db"
AT = "2026-11-26T00:00:00+00:00"
Json = Mapping[str, Any]


@dataclass(frozen=True)
class Planted:
    """A fault of a business; `about` is its fault.yaml."""

    business: Path
    name: str
    about: Json

    @property
    def kind(self) -> str:
        """What kind of fault it is."""
        return str(self.about["kind"])

    @property
    def language(self) -> str:
        """The language of its business."""
        return str(yaml.safe_load((self.business / "client.yaml").read_text("utf-8"))["language"])

    def client(self, place: Path) -> Path:
        """The business with the fault, below `place`."""
        folder = place / self.business.name
        hidden = shutil.ignore_patterns("faults", "shams", "mixtures", "untouched.yaml", "*.pyc")
        shutil.copytree(self.business, folder, ignore=hidden)
        overlay = self.business / "faults" / self.name / "overlay"
        if overlay.is_dir():
            shutil.copytree(overlay, folder, dirs_exist_ok=True)
        return folder


@dataclass
class Row:
    """What came of the faults of one kind in one language."""

    faults: int = 0
    repaired: int = 0
    wrong: int = 0  # accepted and not repaired, or with a newly wrong answer
    code: int = 0  # faults in code
    called_code: int = 0
    newly_wrong: int = 0
    untouched: int = 0
    shares: list[float] = field(default_factory=list)


def faults_in(folder: Path, only: str = "") -> list[Planted]:
    """The planted faults, by business and name."""
    return [
        Planted(
            path.parent.parent.parent, path.parent.name, yaml.safe_load(path.read_text("utf-8"))
        )
        for path in sorted(folder.glob("*/faults/*/fault.yaml"))
        if only in f"{path.parent.parent.parent.name}/{path.parent.name}"
    ]


def play(request: RunRequest) -> Run:
    """Plays a request, without a word."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        return asyncio.run(run_session(request, Halt()))


def request_of(planted: Planted, folder: Path, personas: Sequence[str]) -> SearchRequest:
    """The run of a faulty business, a person's NG on it, and what is to be searched."""
    options = Options(offline=True, personas=tuple(personas))
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        run = simulate_sync(load(folder), options=options, store=STORE)
    scenario = str(planted.about["scenario"])
    episode = next(e for e in run.episodes() if e.cell.scenario == scenario)
    turn = min(int(planted.about.get("turn", 1)), len(episode.turns))
    verdict = Verdict(
        episode.cell.key, turn, Word.NG, reviewer="Sato", source="a sheet", at=AT,
        corrected=str(planted.about["corrected"]),
    )  # fmt: skip
    with Store.create(STORE) as store:
        with store.lock(run.header.id):
            store.add_verdicts(run.header.id, [verdict])
        whole = stored_run(store, store.header(run.header.id))
        written = written_by_people(store, whole)
        faults = [f for f in faults_of(whole) if scenario in f.scenarios]
        return SearchRequest(whole, faults, load(folder), written, store_url=PROOFS)


def evaluated(planted: Planted, folder: Path) -> Json:
    """What the set says of a folder."""
    script = planted.business.parent / "eval.py"
    command = [sys.executable, str(script.absolute()), planted.business.name, planted.name]
    done = subprocess.run(
        [*command, str(folder.absolute())],
        capture_output=True, text=True, check=True, cwd=script.parent,
    )  # fmt: skip
    return json.loads(done.stdout.strip().splitlines()[-1])  # type: ignore[no-any-return]


def prove_diffs(work: SearchRequest, diffs: Sequence[Diff]) -> Searched:
    """A proof of each diff, each tried in a copy of the client's folder."""
    folder = Path(work.loaded.client.folder)
    with ExitStack() as stack:
        changes = []
        for diff in diffs:
            place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mogi-")))
            copy = copy_with([diff], folder, place)
            after = load_client(str(copy), cwd=Path.cwd(), scenarios=False)
            named = frozenset(key.rsplit("/", 2)[0] for key in diff.listed("conversations"))
            changes.append(Change(diff.name, after, named, diff))
        return prove_changes(work, changes, play)


def _told(fix: Fix) -> Iterator[str]:
    for tried in fix.tried:
        yield f"      {tried.candidate or '-'}: {tried.outcome} {tried.reason}"
    for pair in fix.pairs[:4]:
        yield f"      ? {pair.question} | {pair.before} | {pair.after} ({pair.why})"


def repair(planted: Planted, personas: Sequence[str], row: Row, *, verbose: bool) -> str:
    """Search a fix, write it where it is accepted, and have the set judge it."""
    row.faults += 1
    is_code = bool(planted.about.get("is_code"))
    row.code += is_code
    folder = planted.client(Path.cwd())
    work = request_of(planted, folder, personas)
    found: Searched = search(work, play)
    if found.paid.whole:
        row.shares.append(found.paid.calls.total() / found.paid.whole)
    if verbose:
        for fix in found.fixes:
            print("\n".join(_told(fix)))
    accepted = [fix.diff for fix in found.fixes if fix.is_accepted and fix.diff]
    if not accepted:
        called = any(fix.is_code for fix in found.fixes)
        row.called_code += is_code and called
        return "code" if called else "open"
    write(list({diff.text: diff for diff in accepted}.values())[:1], folder)
    said = evaluated(planted, folder)
    row.repaired += bool(said["repaired"])
    row.newly_wrong += int(said["newly_wrong"])
    row.untouched += int(said["untouched"])
    row.wrong += not said["repaired"] or bool(said["newly_wrong"])
    return f"{'repaired' if said['repaired'] else 'accepted'} {said['newly_wrong'] or ''}"


def try_sham(path: Path, planted: Planted, personas: Sequence[str], *, verbose: bool) -> str:
    """What the proof says of a sham or a mixture."""
    folder = planted.client(Path.cwd())
    work = request_of(planted, folder, personas)
    found = prove_diffs(work, read_diffs(path.absolute()))
    if verbose:
        for fix in found.fixes:
            print("\n".join(_told(fix)))
    return "accepted" if any(fix.is_accepted for fix in found.fixes) else "refused"


def _shams(
    folder: Path, faults: Sequence[Planted], personas: Sequence[str], *, verbose: bool
) -> None:
    tally: dict[str, Counter[str]] = defaultdict(Counter)
    by_name = {(fault.business, fault.name): fault for fault in faults}
    for path in sorted([*folder.glob("*/shams/*.diff"), *folder.glob("*/mixtures/*.diff")]):
        name = path.read_text("utf-8").splitlines()[0].partition(":")[2].strip()
        planted = by_name.get((path.parent.parent, name))
        if planted is None:
            continue
        with tempfile.TemporaryDirectory() as place, chdir(place):
            try:
                end = try_sham(path, planted, personas, verbose=verbose)
            except Exception as error:  # noqa: BLE001 - one broken diff must not hide the others
                end = f"error: {error}"
        tally[path.parent.name][end.partition(":")[0]] += 1
        print(f"{path.relative_to(folder)}: {end}", flush=True)
    for what, ends in tally.items():
        print(f"{what}: {ends['accepted']} of {ends.total()} accepted, {ends['error']} not tried")


def _table(rows: Mapping[tuple[str, str], Row]) -> Iterator[str]:
    yield f"\n{'':4}{'kind':24}{'faults':>8}{'repaired':>10}{'wrongly':>9}{'code':>7}{'calls':>8}"
    languages = sorted({language for language, _ in rows})
    for language in languages:
        for (own, kind), row in rows.items():
            if own == language:
                yield _line(language, kind, row)
        yield _line(language, "all", _sum([r for (own, _), r in rows.items() if own == language]))
    whole = _sum(list(rows.values()))
    yield _line("", "all", whole)
    yield f"newly wrong: {whole.newly_wrong} of {whole.untouched} untouched questions"


def _line(language: str, kind: str, row: Row) -> str:
    text = row.faults - row.code
    code = f"{row.called_code}/{row.code}" if row.code else ""
    share = f"{statistics.median(row.shares):.0%}" if row.shares else ""
    repaired = f"{row.repaired}/{text}" if text else ""
    return f"{language:4}{kind:24}{row.faults:>8}{repaired:>10}{row.wrong:>9}{code:>7}{share:>8}"


def _sum(rows: Sequence[Row]) -> Row:
    whole = Row()
    for row in rows:
        for name in ("faults", "repaired", "wrong", "code", "called_code", "newly_wrong"):
            setattr(whole, name, getattr(whole, name) + getattr(row, name))
        whole.untouched += row.untouched
        whole.shares += row.shares
    return whole


def main(arguments: Sequence[str]) -> None:
    """Print what came of a set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks improve blind", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shams", action="store_true", help="prove shams and mixtures instead")
    parser.add_argument("--persona", action="append", default=[], help="default: all personas")
    parser.add_argument("--only", default="", help="faults whose BUSINESS/NAME holds this text")
    parser.add_argument("--verbose", action="store_true", help="say what was tried")
    typed = parser.parse_args(arguments)
    folder = typed.folder.absolute()
    planted = faults_in(folder, typed.only)
    if typed.shams:
        _shams(folder, planted, typed.persona, verbose=typed.verbose)
        return
    rows: dict[tuple[str, str], Row] = defaultdict(Row)
    for fault in planted:
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as place, chdir(place):
            row = rows[fault.language, fault.kind]
            end = repair(fault, typed.persona, row, verbose=typed.verbose)
        share = f"{row.shares[-1]:.0%}" if row.shares else ""
        took = time.perf_counter() - start
        name = f"{fault.business.name}/{fault.name}"
        print(f"{name:40} {end:12} {share:>5} {took:5.1f} s", flush=True)
    for line in _table(rows):
        print(line)
