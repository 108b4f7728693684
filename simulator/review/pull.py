"""People's verdicts from a file or a sheet into the store: what is new, and what is odd.

Verdicts are only ever added, so nothing that was said is lost, and reading a table twice adds
nothing the second time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import get_args

from simulator.core.clean import cut
from simulator.core.errors import Complaint, InputError
from simulator.core.persona import Language
from simulator.core.result import Result
from simulator.core.run import RunHeader
from simulator.core.verdict import Verdict, latest
from simulator.reports._workbook.turns import machine_cells
from simulator.reports.html.data import answer_hash
from simulator.review.turn_rows import (
    WITHDRAWN,
    Names,
    Pulled,
    PullSource,
    TurnName,
    TurnRows,
    near_names,
)
from simulator.store.store import Store
from simulator.view.stored_run import stored_run
from simulator.words import Words, table
from simulator.worksheets.columns import (
    HEADS,
    OR,
    ColumnId,
    is_judged,
    row_hash,
    same_text,
    turn_key,
)
from simulator.worksheets.reading import (
    Feedback,
    Odd,
    Oddity,
    ReviewRow,
    ReviewTable,
    RowPlace,
    typed,
)

_LONGEST = 60  # characters of a cell that are told
_COUNTED = (Odd.MOVED, Odd.PRINTED, Odd.REPEATED, Odd.NAMED, Odd.GONE, Odd.OTHER_RUN, Odd.WITHDRAWN)
# How the cells of results begin, in any language.
_RESULTS = tuple(
    text.partition("{")[0]
    for language in get_args(Language)
    for text in (
        *(Words(language, "result").name("result", result) for result in Result),
        table(language, "sheet")["known"],
        table(language, "sheet")["known_here"],
    )
)
_READ = frozenset[ColumnId](("user", "assistant"))  # what a verdict is about
_WHICH: tuple[ColumnId, ...] = ("persona", "scenario", "turn")  # by which people know a turn
_BESIDE: tuple[ColumnId, ...] = ("expected", "documents")


@dataclass(frozen=True, slots=True)
class KnownVerdicts:
    """What the store holds of the run.

    `verdicts` of every turn there is, in the order in which they were given. `written` yields, by
    turn, the machine's cells as the program would write them; asked for only where cells of a
    table are not what they were. `renamed`: by which other names people go now. `answers`: the
    hash of each turn's answer.
    """

    verdicts: Mapping[TurnName, Sequence[Verdict]]
    written: Callable[[], Mapping[TurnName, Mapping[ColumnId, object]]]
    renamed: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[TurnName, str] = field(default_factory=dict)


def reconcile(table: ReviewTable, known: KnownVerdicts, reading: PullSource) -> Pulled:
    """Find what people said that is not known yet, and everything that is odd."""
    found = Pulled(oddities=list(table.oddities))
    rows = [row for row in table.rows if _belongs(row, known, reading, found)]
    if not table.is_printed:
        rows = list(_in_place(rows, known, found))
    found.rows = len(rows)
    found.oddities += _edits(rows, known, is_printed=table.is_printed)
    by_turn: dict[TurnName, list[ReviewRow]] = {}
    for row in rows:
        by_turn.setdefault((row.episode, row.turn), []).append(row)
    names = Names((v for given in known.verdicts.values() for v in given), known.renamed)
    spoke: set[tuple[TurnName, str]] = set()
    for turn, there in by_turn.items():
        of_turn = TurnRows(turn, known.verdicts[turn], reading, found)
        spoken = of_turn.read(there, names, is_printed=table.is_printed)
        spoke.update((turn, name) for name in spoken)
    spoke.update(((v.episode, v.turn), "") for v in found.taken_back)
    new = {verdict.reviewer for verdict in found.new}
    for pair in near_names(names.all):
        if one := next((name for name in pair if name in new), None):
            other = pair[1] if one == pair[0] else pair[0]
            found.oddities.append(Oddity(Odd.NEAR_NAME, None, {"one": one, "other": other}))
    if not table.is_printed:  # lines of a file may be some of them
        found.oddities += _gone(known, reading, spoke, names)
    found.oddities = sorted(_counted(found.oddities), key=_order)
    return found


def _gone(
    known: KnownVerdicts,
    reading: PullSource,
    spoke: AbstractSet[tuple[TurnName, str]],
    names: Names,
) -> Iterator[Oddity]:
    """Verdicts that were read here before and whose rows are not there any more."""
    for turn, verdicts in known.verdicts.items():
        for verdict in latest(verdicts).values():
            is_here = (turn, names.of(verdict.reviewer)) in spoke or bool(verdict.run)
            if verdict.source == reading.source and not is_here:
                yield Oddity(Odd.GONE)


def _counted(oddities: Sequence[Oddity]) -> list[Oddity]:
    """What is the same for many rows is told once, with their number."""
    several = Counter((o.kind, o.values.get("run")) for o in oddities if o.kind in _COUNTED)
    rest = [odd for odd in oddities if odd.kind not in _COUNTED]
    for (kind, run), n in several.items():
        rest.append(Oddity(kind, None, {"n": str(n)} if run is None else {"n": str(n), "run": run}))
    return rest


def _order(oddity: Oddity) -> tuple[bool, str, int]:
    place = oddity.place
    return (place is not None, place.sheet, place.row) if place else (False, "", 0)


def _belongs(row: ReviewRow, known: KnownVerdicts, reading: PullSource, found: Pulled) -> bool:
    """Whether a row speaks of a turn of this run; told where it does not and somebody wrote."""
    if row.run != reading.run:
        odd = Oddity(Odd.OTHER_RUN, row.place, {"run": row.run})
    else:
        turn = row.episode, row.turn
        is_here = turn in known.verdicts
        if is_here and row.answer in ("", known.answers.get(turn)):
            return True
        values = {"episode": row.episode, "turn": str(row.turn), "typed": typed(row.said)}
        odd = Oddity(Odd.OTHER_ANSWER if is_here else Odd.NO_TURN, row.place, values)
    if row.said:
        found.oddities.append(odd)
    return False


def _in_place(
    rows: Sequence[ReviewRow], known: KnownVerdicts, found: Pulled
) -> Iterator[ReviewRow]:
    """The rows, each of the turn that it shows: it is what was judged.

    Where somebody sorted some columns alone, the key may be another turn's. Then question and
    answer tell, if what stands beside them agrees: right answer and documents, or persona,
    scenario and turn. Where nothing does, the row is told and not taken.
    """
    doubted = {row.place for row in rows if row.intact is False}
    written = known.written() if doubted else {}
    shown: dict[str, list[TurnName]] = {}
    for turn, cells in written.items():
        for names in (_READ, *((name,) for name in _READ)):
            shown.setdefault(_hash(cells, names), []).append(turn)
    for row in rows:
        turn = row.episode, row.turn
        there = shown.get(_hash(row.cells, _READ), []) if row.place in doubted else [turn]
        alone = [shown.get(_hash(row.cells, (name,)), [turn]) for name in _READ]
        if turn in there or (not there and all(turn in turns for turns in alone)):
            yield row
            continue
        fit = [t for t in there if _agree(row.cells, written[t], _WHICH)]
        fit = fit or [t for t in there if _agree(row.cells, written[t], _BESIDE)]
        if len({episode.rpartition("/")[0].rpartition("/")[0] for episode, _ in fit}) == 1:
            found.oddities.append(Oddity(Odd.MOVED))
            yield replace(row, episode=fit[0][0], turn=fit[0][1], is_moved=True)
            continue
        if row.said:
            values = {"key": turn_key(row.run, *turn), "typed": typed(row.said)}
            found.oddities.append(Oddity(Odd.BROKEN_KEY, row.place, values))
        yield replace(row, said=Feedback(), reviewer="", is_moved=True)


def _hash(cells: Mapping[ColumnId, object], names: Iterable[ColumnId]) -> str:
    return row_hash({name: cells.get(name) for name in names})


def _agree(
    cells: Mapping[ColumnId, object], written: Mapping[ColumnId, object], names: Iterable[ColumnId]
) -> bool:
    """Whether a row says so in all of these columns; in one of them at the least."""
    there = [name for name in names if name in cells]
    return bool(there) and all(_says(cells[name], written.get(name)) for name in there)


def _says(text: object, written: object) -> bool:
    """Whether a cell says what was written there, in one of the ways in which it may have been."""
    return any(
        same_text(text, one) for one in (written if isinstance(written, tuple) else [written])
    )


def _edits(
    rows: Sequence[ReviewRow], known: KnownVerdicts, *, is_printed: bool
) -> Iterator[Oddity]:
    """The rows whose machine cells are not as they were written."""
    doubted = [row for row in rows if not row.intact and row.cells]
    written = known.written() if doubted else {}
    for row in doubted:
        expected = written.get((row.episode, row.turn), {})
        edited = {
            name: str(text)
            for name, text in row.cells.items()
            if name in expected and not _says(text, expected[name])
            if not (row.is_moved and any(_says(text, of.get(name)) for of in written.values()))
            if name in _READ or not is_printed
        }
        if (result := str(row.cells.get("result", ""))) and not result.startswith(_RESULTS):
            edited["result"] = result
        for name, text in edited.items():
            if is_judged(text):
                values = {"columns": name, "text": text}
                yield Oddity(Odd.MISPLACED, row.place, values)
        columns = [name for name, text in edited.items() if not is_judged(text)]
        if columns:
            is_read = bool(row.said) and not _READ.isdisjoint(columns)
            texts = OR.join(cut(" ".join(edited[name].split()), _LONGEST) for name in columns)
            values = {"columns": ",".join(columns), "texts": texts}
            yield Oddity(Odd.DOUBTFUL if is_read else Odd.EDITED, row.place, values)


def pull(
    store: Store, header: RunHeader, table: ReviewTable, *, source: str, reviewer: str = ""
) -> Pulled:
    """Add what people wrote in `table` to the verdicts of a run, as far as it is new.

    `source` names the file or sheet; `reviewer` is the person where a row names none.

    Raises:
        StoreError: the run is held by another process, or nothing can be written.
    """
    with store.lock(header.id):
        verdicts, answers = _verdicts(store, header.id)
        known = KnownVerdicts(
            verdicts, cache(lambda: _written(store, header)), store.renamed_reviewers(), answers
        )
        at = _later_than(given for some in verdicts.values() for given in some)
        reading = PullSource(header.id, source, at, header.language, reviewer)
        found = reconcile(table, known, reading)
        before = _results(store, header) if found.verdicts else {}
        store.add_verdicts(header.id, found.verdicts)
        after = _results(store, header) if found.verdicts else {}
    changes = ((result, after.get(talk, result)) for talk, result in before.items())
    found.results = Counter(change for change in changes if change[0] is not change[1])
    return found


def _results(store: Store, header: RunHeader) -> dict[str, Result]:
    """By conversation."""
    episodes = stored_run(store, header).episodes()
    return {episode.cell.key: episode.finding.result for episode in episodes if episode.finding}


def withdraw(store: Store, header: RunHeader, reviewer: str) -> int:
    """Take back what one person said on a run; on how many turns.

    Raises:
        InputError: nobody of this name said anything there; it tells who did.
        StoreError: the run is held by another process, or nothing can be written.
    """
    with store.lock(header.id):
        given = list(store.verdicts(header.id))
        names = Names(given, store.renamed_reviewers())
        name, at = names.of(reviewer), _later_than(given)
        if name not in (there := {verdict.reviewer for verdict in given}):
            known = ", ".join(sorted(there - {""})) or "nobody"
            raise InputError(f"{reviewer} said nothing in run {header.id}; there said: {known}")
        by_turn: dict[TurnName, list[Verdict]] = {}
        for verdict in given:
            by_turn.setdefault((verdict.episode, verdict.turn), []).append(verdict)
        taken = [
            Verdict(*turn, word=None, reviewer=name, source=WITHDRAWN, at=at)
            for turn, some in by_turn.items()
            if any(verdict.reviewer == name for verdict in latest(some).values())
        ]
        store.add_verdicts(header.id, taken)
    return len(taken)


def check_run(store: Store, header: RunHeader, table: ReviewTable, where: str) -> None:
    """Look whether `table`, read from `where`, speaks of this run and not of another one alone.

    Raises:
        InputError: its rows are of one other run of the store; it names the command that fits.
    """
    there = {row.run for row in table.rows}
    others = there & {row.id for row in store.runs()}
    if header.id in there or len(others) != 1:
        return
    (other,) = others
    message = f"holds rows of run {other} and none of run {header.id}; read them with: "
    command = f"mogi review pull {other} --from {where}"
    raise InputError(Complaint(where, 0, message + command))


def _verdicts(
    store: Store, run: str
) -> tuple[Mapping[TurnName, Sequence[Verdict]], Mapping[TurnName, str]]:
    """What was said of each turn of the run; nothing, of most. And the hashes of its answers."""
    found: dict[TurnName, list[Verdict]] = {}
    answers: dict[TurnName, str] = {}
    for episode, given in store.reviewed(run):
        for turn in episode.turns:
            name = episode.cell.key, turn.exchange.turn
            found[name], answers[name] = [], answer_hash(turn.exchange.assistant)
        for verdict in given:
            found.setdefault((verdict.episode, verdict.turn), []).append(verdict)
    return found, answers


def _written(store: Store, header: RunHeader) -> Mapping[TurnName, Mapping[ColumnId, object]]:
    return {
        (episode.cell.key, turn): cells
        for episode in store.episodes(header.id)
        for turn, cells in machine_cells(header, episode)
    }


def _later_than(verdicts: Iterable[Verdict]) -> str:
    """Now, in UTC and to the second, or a second after the last verdict: none takes its place."""
    now = datetime.now(UTC).replace(microsecond=0)
    last = max((verdict.at for verdict in verdicts), default="")
    try:
        return max(now, datetime.fromisoformat(last) + timedelta(seconds=1)).isoformat()
    except (ValueError, TypeError):  # none, or one of a file that says no time
        return now.isoformat()


def oddity_text(oddity: Oddity, language: Language) -> str:
    """One sentence about an oddity, with its row if it is about one."""
    (sentence,) = oddity_texts([oddity], language)
    return sentence


def oddity_texts(oddities: Iterable[Oddity], language: Language) -> list[str]:
    """Sentences about oddities; one for all rows of which the same is to be said."""
    rows: dict[tuple[str, str], list[int]] = {}
    for oddity in oddities:
        place = oddity.place or RowPlace(0)
        rows.setdefault((place.sheet, _sentence(oddity, language)), []).append(place.row)
    return [_where(sheet, of, language) + text for (sheet, text), of in rows.items()]


def _where(sheet: str, rows: Sequence[int], language: Language) -> str:
    """The rows as people find them in the sheet."""
    if not any(rows):
        return f"{sheet}: " if sheet else ""
    key = ("row" if len(rows) == 1 else "rows") + ("_of" if sheet else "")
    words = Words(language, "pull")
    return words(key, row=words.comma.join(map(str, rows)), sheet=sheet) + ": "


def _sentence(oddity: Oddity, language: Language) -> str:
    words, values = Words(language, "pull"), dict(oddity.values)
    if "columns" in values:
        names = [HEADS[name][language] for name in values["columns"].split(",")]
        values["columns"] = values["column"] = words.comma.join(names)
    if oddity.kind is Odd.SAME_PERSON and not values["reviewer"]:
        values["reviewer"] = words("nobody")
    return words(oddity.kind, **values)
