"""The tables: what passed, failed and stayed undecided, of right and of wrong answers."""

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.people import grounded
from benchmarks.people.data import Row, rows
from simulator.core.claim import Claim, ClaimKind, Reader, Reading, State, claims_of
from simulator.core.plan import Cell
from simulator.core.result import Result
from simulator.core.run import Episode, Turn
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, Reply, Stop, StopReason
from simulator.reading.words import read_words
from simulator.results.verdict import SUPPORT, Rules, finding_of
from simulator.text.acts import only_asks_back

_STATES = {"said": State.MET, "missing": State.UNMET, "contradicted": State.VIOLATED}
_ALONE, _JUDGED = Rules({}, {}), Rules({}, {}, frozenset({SUPPORT}))
_RESULTS = (Result.PASSED, Result.FAILED, Result.UNDECIDED)
_SHOWN = 200  # characters


@dataclass(frozen=True, slots=True)
class Decided:
    """A row with its readings by words, and its results without and with a truthful judge."""

    row: Row
    claims: tuple[Claim, ...]
    readings: tuple[Reading, ...]
    alone: Result
    judged: Result

    @property
    def is_wrongly_violated(self) -> bool:
        """True if words prove a violation in a right answer."""
        return self.row.is_right and any(r.state is State.VIOLATED for r in self.readings)


def decide(row: Row) -> Decided:
    """What a run would make of it, and one that fails what is unsupported, with a judge."""
    claims = claims_of(row.expected, supported=True)
    readings = read_words(claims, row.question, row.reply, row.language)
    judged = (*readings, *_truthful(row, claims))
    alone, with_judge = _result(row, readings, _ALONE), _result(row, judged, _JUDGED)
    return Decided(row, claims, readings, alone, with_judge)


def _truthful(row: Row, claims: Sequence[Claim]) -> list[Reading]:
    """The readings of a judge that says what people said."""
    labels = iter(row.labels)
    invents = not row.is_right and all(label == "said" for label in row.labels)
    found = []
    for claim in claims:
        state = State.MET
        if claim.kind is ClaimKind.SAYS:
            state = _STATES.get(next(labels, ""), State.MET if row.is_right else State.UNMET)
        elif claim.kind is ClaimKind.SUPPORTED and row.labels and invents:
            state = State.VIOLATED
        found.append(Reading(claim.id, state, Reader.MODEL))
    return found


def _result(row: Row, readings: tuple[Reading, ...], rules: Rules) -> Result:
    exchange = Exchange(1, row.question, Reply(row.reply))
    asks = only_asks_back(row.reply, row.language)
    turn = Turn(exchange, {}, readings=readings, asks_back=asks)
    scenario = Scenario("row", row.question, expected=row.expected)
    stop = Stop(StopReason.DONE)
    episode = Episode(Cell("row", "reader"), (turn,), stop, scenario=scenario)
    return finding_of(episode, rules).result


# ---- Tables ----


_HEAD = """
Passed / failed / undecided of right and of wrong answers, by words alone and with a truthful judge;
and right answers of which words prove a violation.

| | right | wrong | passed are right | called violated | judge: right | judge: wrong | true |
|---|---|---|---|---|---|---|---|"""


def _line(name: str, some: Sequence[Decided]) -> str:
    halves = [[d for d in some if d.row.is_right is is_right] for is_right in (True, False)]
    right, wrong = halves
    violated = sum(d.is_wrongly_violated for d in right)
    passed = [d.row.is_right for d in some if d.alone is Result.PASSED]
    true = sum(d.judged is Result.PASSED for d in right)
    true += sum(d.judged is Result.FAILED for d in wrong)
    cells = (
        *(_counts(d.alone for d in half) for half in halves),
        _share(sum(passed), len(passed)),
        f"{violated} ({_share(violated, len(right))})",
        *(_counts(d.judged for d in half) for half in halves),
        _share(true, len(some)),
    )
    return f"| {name} | {' | '.join(cells)} |"


def _counts(some: Iterable[Result]) -> str:
    found = Counter(some)
    return " / ".join(str(found[result]) for result in _RESULTS)


def _share(count: int, of: int) -> str:
    return f"{100 * count / of:.1f} %" if of else "–"


def _grouped(some: Iterable[Decided]) -> Mapping[str, list[Decided]]:
    found: dict[str, list[Decided]] = {}
    for one in some:
        found.setdefault(one.row.table, []).append(one)
    return found


def show(some: Sequence[Decided]) -> None:
    """Print a line for each table, and one for each kind of answer in it."""
    print(_HEAD)
    for table, group in _grouped(some).items():
        print(_line(f"**{table}**", group))
        for kind in sorted({d.row.kind for d in group} - {""}):
            print(_line(kind, [d for d in group if d.row.kind == kind]))


def _show_row(one: Decided) -> None:
    row = one.row
    print(f"\n{row.table} {row.kind}, {'right' if row.is_right else 'wrong'}: {one.alone}")
    print(f"  asked: {row.question[:_SHOWN]}\n  reply: {row.reply}")
    for claim, reading in zip(one.claims, one.readings, strict=True):
        print(f"  {reading.state}: {claim.text or claim.kind} | {reading.quote[:_SHOWN]}")


def main(given: Sequence[str]) -> None:
    """Read the folder, decide each row, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks people", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("look", "count", "both"), default="both")
    parser.add_argument("--table", default="", help="only tables whose name has this text")
    parser.add_argument("--errors", action="store_true", help="show wrong results of `look`")
    parser.add_argument("--undecided", action="store_true", help="show undecided ones of `look`")
    chosen = parser.parse_args(given)
    found = (row for row in rows(chosen.folder) if chosen.table in row.table)
    some = [decide(row) for row in found if chosen.half in ("both", row.half)]
    show(some)
    for one in some:
        wrong = Result.FAILED if one.row.is_right else Result.PASSED
        is_error = one.alone is wrong or one.is_wrongly_violated
        is_open = one.alone is Result.UNDECIDED
        if one.row.half == "look" and (
            (chosen.errors and is_error) or (chosen.undecided and is_open)
        ):
            _show_row(one)
    if not chosen.table:
        grounded.show(chosen.folder)
