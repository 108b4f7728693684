"""The tables: what passed, failed and stayed undecided, of right and of wrong answers."""

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.people.data import Row, rows
from simulator.core.claim import Claim, ClaimKind, Reader, Reading, State, claims_of
from simulator.core.plan import Cell
from simulator.core.result import Result
from simulator.core.run import Episode, Turn
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, Reply, Stop, StopReason
from simulator.reading.words import read_words
from simulator.results.verdict import Rules, finding_of
from simulator.text.question_back import only_asks_back
from simulator.text.refusals import is_refusal

_STATES = {"said": State.MET, "missing": State.UNMET, "contradicted": State.VIOLATED}
_RULES = Rules({}, {})
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
    """What a run would make of it."""
    claims = claims_of(row.expected)
    readings = read_words(claims, row.question, row.reply, row.language)
    judged = (*readings, *_truthful(row, claims))
    return Decided(row, claims, readings, _result(row, readings), _result(row, judged))


def _truthful(row: Row, claims: Sequence[Claim]) -> list[Reading]:
    """The readings of a judge that says what people said."""
    labels = list(row.labels)
    found = []
    for claim in claims:
        state = State.MET
        if claim.kind is ClaimKind.SAYS:
            state = State.MET if row.is_right else State.UNMET
            state = _STATES[labels.pop(0)] if labels else state
        elif not row.is_right and is_refusal(row.reply, row.language):
            state = State.UNMET
        found.append(Reading(claim.id, state, Reader.MODEL))
    return found


def _result(row: Row, readings: tuple[Reading, ...]) -> Result:
    exchange = Exchange(1, row.question, Reply(row.reply))
    asks = only_asks_back(row.reply, row.language)
    turn = Turn(exchange, {}, readings=readings, asks_back=asks)
    scenario = Scenario("row", row.question, expected=row.expected)
    stop = Stop(StopReason.DONE)
    return finding_of(
        Episode(Cell("row", "reader"), (turn,), stop, scenario=scenario), _RULES
    ).result


# ---- Tables ----


def _counts(some: Iterable[Result]) -> str:
    found = Counter(some)
    return " / ".join(f"{found[result]:>4}" for result in _RESULTS)


def _line(name: str, some: Sequence[Decided]) -> str:
    right, wrong = ([d for d in some if d.row.is_right is is_right] for is_right in (True, False))
    violated = sum(d.is_wrongly_violated for d in some)
    true = {True: Result.PASSED, False: Result.FAILED}
    judged = sum(d.judged is true[d.row.is_right] for d in some)
    passed = [d.row.is_right for d in some if d.alone is Result.PASSED]
    return (
        f"| {name} | {_counts(d.alone for d in right)} | {_counts(d.alone for d in wrong)} "
        f"| {_share(sum(passed), len(passed))} | {violated} ({_share(violated, len(right))}) "
        f"| {_share(judged, len(some))} |"
    )


def _share(count: int, of: int) -> str:
    return f"{100 * count / of:.1f} %" if of else "–"


_HEAD = (
    "| passed / failed / undecided | right | wrong | passed are right "
    "| right ones called violated | true with a truthful judge |\n|---|---|---|---|---|---|"
)


def _grouped(some: Iterable[Decided]) -> Mapping[str, list[Decided]]:
    found: dict[str, list[Decided]] = {}
    for one in some:
        found.setdefault(one.row.table, []).append(one)
    return found


def show(some: Sequence[Decided], *, errors: bool) -> None:
    """Print the tables, and with `errors` the rows of the half that may be looked at."""
    print(_HEAD)
    for table, group in _grouped(some).items():
        print(_line(f"**{table}**", group))
        for kind in sorted({d.row.kind for d in group} - {""}):
            print(_line(kind, [d for d in group if d.row.kind == kind]))
    if errors:
        for one in some:
            if one.row.half == "look" and _is_shown(one):
                _show(one)


def _is_shown(one: Decided) -> bool:
    wrong = Result.FAILED if one.row.is_right else Result.PASSED
    return one.alone is wrong or one.is_wrongly_violated


def _show(one: Decided) -> None:
    row = one.row
    print(f"\n{row.table} {row.kind}, {'right' if row.is_right else 'wrong'}: {one.alone}")
    print(f"  asked: {row.question[:_SHOWN]}\n  reply: {row.reply}")
    for claim, reading in zip(one.claims, one.readings, strict=True):
        print(f"  {reading.state}: {claim.text or claim.kind} | {reading.quote[:_SHOWN]}")


def main(given: Sequence[str]) -> None:
    """Read the folder, decide each row, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks people")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("look", "count", "both"), default="both")
    parser.add_argument("--table", default="", help="only tables whose name has this text")
    parser.add_argument("--errors", action="store_true", help="show rows of the look half")
    parser.add_argument("--undecided", action="store_true", help="show undecided ones, too")
    chosen = parser.parse_args(given)
    found = (row for row in rows(chosen.folder) if chosen.table in row.table)
    some = [decide(row) for row in found if chosen.half in ("both", row.half)]
    show(some, errors=chosen.errors)
    if chosen.undecided:
        for one in some:
            if one.row.half == "look" and one.alone is Result.UNDECIDED:
                _show(one)
