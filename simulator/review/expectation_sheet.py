"""The worksheet in which people confirm expectations: written from its columns, and read by them.

The page shows the same columns. A row is known by its key, a column by its head in either language.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

from simulator.core.claim import ClaimKind, kind_of
from simulator.core.errors import InputError
from simulator.core.persona import Language
from simulator.core.verdict import Word
from simulator.files.answers import Wrong, verdict_of
from simulator.formats.own_files import whole
from simulator.formats.sources import Source
from simulator.formats.table_files import is_workbook
from simulator.formats.tables import OR, Record, parts_of, same_name
from simulator.formats.xlsx.workbook import read_marks
from simulator.review.expectations import (
    MOST_WRONG,
    NEW,
    WORDED,
    ClaimName,
    ClaimRow,
    Conflict,
    Decision,
    Expectations,
    Judgement,
    Taken,
    claim_id,
    take,
)
from simulator.view.worst import claim_text
from simulator.words import Words, table
from simulator.worksheets.book import (
    TEXT_FORMAT,
    Book,
    Colour,
    Column,
    SheetCell,
    SheetRow,
    Trace,
    Worksheet,
    column_name,
    worded,
)
from simulator.worksheets.columns import same_text
from simulator.worksheets.files import WROTE, write_xlsx
from simulator.worksheets.reading import grid_of
from simulator.worksheets.review_files import grids_of

ColumnId = Literal[
    "key", "drawn", "question", "entry", "quote", "kind", "claim",
    "check", "corrected", "alternative", "comment", "reviewer", "scenario",
]  # fmt: skip
Cells = Mapping[ColumnId, str]
_LANGUAGES: tuple[Language, ...] = get_args(Language)
_DRAWN = Colour(207, 226, 255)
_LOOKED_AT = 50  # rows above the table that somebody may have put there
_SHOWN = 3  # texts of a column of somebody's own


_WIDTHS: Mapping[ColumnId, int] = {
    "key": 10,
    "drawn": 8,
    "question": 22,
    "entry": 34,
    "quote": 28,
    "kind": 11,
    "claim": 28,
    "check": 9,
    "corrected": 24,
    "alternative": 18,
    "comment": 16,
    "reviewer": 11,
    "scenario": 18,
}
COLUMNS: tuple[ColumnId, ...] = tuple(_WIDTHS)
PEOPLE: tuple[ColumnId, ...] = ("check", "corrected", "alternative", "comment", "reviewer")
"""The columns in which people write."""
_FROZEN = 1, 3


def row_key(row: ClaimRow) -> str:
    """The key of a row: `faq-001-1|says-1a2b3c4d`."""
    return f"{row.scenario.id}|{row.claim.id if row.claim else NEW}"


def cells_of(row: ClaimRow, language: Language) -> Cells:
    """The texts of a row, as the worksheet and the page show them."""
    words, claim, judged = Words(language, "expectations"), row.claim, row.judged
    kind = words(f"kind.{'whole' if claim and claim.is_whole else claim.kind if claim else 'says'}")
    text = words("new")
    if claim:
        text = _joined(claim.wordings) or claim_text(claim, Words(language, "result"))
    return {
        "key": row_key(row),
        "drawn": words("drawn") if row.drawn else "",
        "question": row.scenario.query,
        "entry": "\n\n".join("\n".join(filter(None, (e.title, e.text))) for e in row.entries),
        "quote": "\n".join(quote.text for quote in row.quotes),
        "kind": kind,
        "claim": text,
        "check": words("check.ok") if judged else "",
        "comment": judged.comment if judged else "",
        "reviewer": judged.reviewer if judged else "",
        "scenario": row.scenario.id,
    }


def heads(language: Language) -> dict[ColumnId, str]:
    """What the columns are called."""
    words = Words(language, "expectations")
    return {column: words(f"head.{column}") for column in COLUMNS}


def expectation_book(expectations: Expectations, suffix: str = "") -> Book:
    """The workbook: how it is done, and a row for each claim. Its titles end with `suffix`."""
    language = expectations.language
    words, names = Words(language, "expectations"), heads(language)
    choices = (words("check.ok"), words("check.strike"))
    columns = tuple(
        Column(
            names[column],
            _WIDTHS[column],
            hidden=column == "key",
            wrap=True,
            clip=column == "entry",
            people=column in PEOPLE,
            choices=choices if column == "check" else (),
            form=TEXT_FORMAT,
            note=words.find(f"note.{column}") or "",
        )
        for column in COLUMNS
    )

    def rows() -> Iterator[SheetRow]:
        for row in expectations.rows():
            cells, fill = cells_of(row, language), _DRAWN if row.drawn else None
            yield [SheetCell(cells.get(c), fill=fill if c == "drawn" else None) for c in COLUMNS]

    title = words("title") + suffix
    steps = [words(f"how.{n}") for n in range(1, 7)]
    return Book(
        (
            Worksheet(title, columns, rows, grows=True, filtered=True, frozen=_FROZEN),
            Worksheet(
                words("how") + suffix,
                (Column("", 110, wrap=True),),
                lambda: [[step] for step in steps],
                header=False,
                frozen=(0, 0),
            ),
        ),
        opens_at=title,
        colours=(_DRAWN,),
    )


def write_worksheet(expectations: Expectations, path: str) -> None:
    """Write the workbook to `path`.

    Raises:
        InputError: it cannot be written, or is there already with something that nobody took.
    """
    where = Path(path)
    if where.suffix.lower() != ".xlsx":
        raise InputError(f"{path} isn't an .xlsx file; use one, or --to sheets")
    if where.is_file() and where.stat().st_size:
        source = Source.of(where)
        try:
            sheet = read_worksheet(source, expectations)
        except InputError as error:
            message = f"already exists, and isn't such a worksheet ({error}); use another file"
            raise source.error(0, message) from error
        taken = take(expectations, sheet.judgements)
        if taken.new or taken.conflicts or sheet.remarks:
            command = f"mogi review expectations {expectations.client} --from {path} --write"
            message = f"contains entries that you haven't imported; use another file, or: {command}"
            raise source.error(0, message)
    with whole(path, "the worksheet") as part:
        write_xlsx(expectation_book(expectations), part)


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about something in a worksheet that is not taken; `key` of it, `row` from 1."""

    key: str
    row: int
    text: str


@dataclass(slots=True)
class Sheet:
    """What people wrote into a worksheet."""

    judgements: list[Judgement] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def read_worksheet(source: Source, expectations: Expectations, reviewer: str = "") -> Sheet:
    """What people wrote into an .xlsx or .csv file.

    Raises:
        InputError: it cannot be read, or holds no such worksheet.
    """
    trace = _trace_in(source)
    for grid in grids_of(source):
        if sheet := read_rows(grid.records, expectations, source.path.name, reviewer, trace):
            return sheet
    message = "no expectations worksheet, which needs the columns key (キー) and check (確認)"
    raise source.error(0, message)


def _trace_in(source: Source) -> Trace:
    """Which texts the program wrote into a workbook, whatever the knowledge base says by now."""
    properties = read_marks(source, ()).properties if is_workbook(source.path) else {}
    return Trace(text for name, text in properties.items() if name.startswith(WROTE))


def write_sheet_at_google(expectations: Expectations, key: str) -> str:
    """Write the worksheet into a spreadsheet; rows that are there stay. Its address.

    Raises:
        InputError: it cannot be written.
    """
    from simulator.worksheets.google.spreadsheet import open_spreadsheet
    from simulator.worksheets.google.writing import write_book

    book = expectation_book(expectations, f" {expectations.client}")
    return write_book(open_spreadsheet(key), book).url


def read_sheet_at_google(expectations: Expectations, key: str, reviewer: str = "") -> Sheet:
    """What people wrote into the worksheet of a spreadsheet.

    Raises:
        InputError: it cannot be read, or there is none.
    """
    from simulator.worksheets.book import quoted_title
    from simulator.worksheets.google.spreadsheet import open_spreadsheet

    spreadsheet = open_spreadsheet(key)
    title = f"{table(expectations.language, 'expectations')['title']} {expectations.client}"
    state = spreadsheet.describe().find(title)
    if state is not None:
        rows = spreadsheet.values([quoted_title(state.title)])[0]
        records = grid_of(title, rows).records
        if sheet := read_rows(records, expectations, f"sheets:{key}", reviewer):
            return sheet
    command = f"mogi review expectations {expectations.client} --to sheets"
    raise InputError(f"the spreadsheet has no worksheet {title!r}; write it first: {command}")


def read_rows(
    records: Sequence[Record],
    expectations: Expectations,
    source: str,
    reviewer: str = "",
    trace: Trace | None = None,
) -> Sheet | None:
    """What people wrote into a table; None if it is no such table.

    `trace`: which texts the program wrote there, if that is known.
    """
    for at, record in enumerate(records[:_LOOKED_AT]):
        places = {_KNOWN.get(same_name(text)): place for place, text in record.cells.items()}
        if "key" in places and "check" in places:
            columns = {place: name for name, place in places.items() if name}
            reader = _Reader(expectations, source, record, columns, reviewer, trace or Trace())
            reader.rows(records[at + 1 :])
            return reader.sheet
    return None


_KNOWN: Mapping[str, ColumnId] = {
    **{same_name(text): id_ for language in _LANGUAGES for id_, text in heads(language).items()},
    same_name("抽出"): "drawn",  # as earlier versions called it
}
_KINDS = {
    same_name(table(language, "expectations")[f"kind.{kind}"]): kind
    for language in _LANGUAGES
    for kind in (ClaimKind.SAYS, ClaimKind.MUST_NOT)
}
_NEW = {"", *(table(language, "expectations")["new"] for language in _LANGUAGES)}
_STRIKE = {same_name(table(language, "expectations")["check.strike"]) for language in _LANGUAGES}


@dataclass(slots=True)
class _Reader:
    """Reads the rows of one table."""

    expectations: Expectations
    source: str
    head: Record
    columns: Mapping[int, ColumnId]
    reviewer: str
    trace: Trace
    sheet: Sheet = field(default_factory=Sheet)
    written: dict[str, Cells] = field(default_factory=dict)
    known: dict[ClaimName, list[tuple[str, ...]]] = field(default_factory=dict)
    own: dict[int, list[str]] = field(default_factory=dict)  # in columns of somebody's own

    def __post_init__(self) -> None:
        language = self.expectations.language
        rows = self.expectations.rows()
        self.written = {row_key(r): cells_of(r, language) for r in rows}
        shown = [((r.scenario.id, r.claim.id), r.claim.wordings) for r in rows if r.claim]
        shown += [(j.name, j.before) for j in self.expectations.history]
        shown += [((j.scenario, j.made), j.after) for j in self.expectations.history]
        for name, wordings in shown:
            self.known.setdefault(name, []).append(wordings)

    def rows(self, records: Sequence[Record]) -> None:
        """Take what is in the rows, and remark what cannot be taken."""
        for record in records:
            cells = {self.columns[at]: t for at, t in record.cells.items() if at in self.columns}
            self._see_others(record, cells)
            scenario, _, claim = cells.get("key", "").rpartition("|")
            kind = _kind_of(claim, cells) if scenario else None
            words = " / ".join(cells[name] for name in PEOPLE if name in cells)
            if kind is not None:
                judgement = Judgement(
                    scenario,
                    claim,
                    kind,
                    Decision.OK,
                    comment=cells.get("comment", ""),
                    reviewer=" ".join(cells.get("reviewer", "").split()) or self.reviewer,
                    source=self.source,
                )
                self._take(record, cells, judgement)
            elif words:
                self._remark("no_key", record, words)
        for at, texts in sorted(self.own.items()):
            text = " / ".join(texts[:_SHOWN])
            self._remark("own", self.head, text, self.head.cells.get(at) or column_name(at))

    def _take(self, record: Record, cells: Cells, bare: Judgement) -> None:
        """The judgement of a row: a new wording counts before a tick."""
        corrected, shown = self._corrected(record, cells, bare)
        other, decision = cells.get("alternative", ""), None
        if bare.claim != NEW:
            decision = self._decision(record, cells.get("check", ""))
        after = (*wordings_in(bare.kind, corrected), *wordings_in(bare.kind, other))
        if after and bare.kind not in WORDED:
            self._remark("wordless", record, " / ".join(after))
            after = ()
        if after and decision is Decision.STRIKE:
            self._remark("both", record, " / ".join(after))
            return
        if after:
            decision = Decision.CHANGE if corrected else Decision.OK
            decision = Decision.ADD if bare.claim == NEW else decision
            after = after if corrected else (*shown, *after)
        elif decision is None and (bare.comment or cells.get("check")):
            decision = Decision.REMARK
            bare = replace(bare, comment=" ".join((cells.get("check", ""), bare.comment)).strip())
        if decision is not None:
            judgement = replace(bare, decision=decision, before=shown, after=after)
            self.sheet.judgements.append(judgement)

    def _corrected(
        self, record: Record, cells: Cells, bare: Judgement
    ) -> tuple[str, tuple[str, ...]]:
        """What the claim is to say instead, and what it said; the claim itself may be edited."""
        corrected, text = cells.get("corrected", ""), cells.get("claim", "")
        if bare.claim == NEW:
            return corrected or ("" if text in _NEW else text), ()
        shown = self._as_shown(bare, text)
        if bare.kind not in WORDED or not text or shown is not None:
            return corrected, shown or ()
        if corrected:
            self._remark("edited", record, text, self.head.cells[self._at("claim")])
        return corrected or text, ()

    def _as_shown(self, bare: Judgement, text: str) -> tuple[str, ...] | None:
        """The wordings of a claim whose text some worksheet had; None: a person changed it."""
        known = self.known.get(bare.name)
        if known is None and bare.kind is not None:
            shown = wordings_in(bare.kind, text)
            return shown if shown and claim_id(bare.kind, shown) == bare.claim else None
        return next(
            (wordings for wordings in known or () if same_text(_joined(wordings), text)), None
        )

    def _decision(self, record: Record, text: str) -> Decision | None:
        if same_name(text) in _STRIKE:
            return Decision.STRIKE
        try:
            word = verdict_of(text)
        except Wrong:
            self._remark("unknown_word", record, text)
            return None
        return {Word.OK: Decision.OK, Word.NG: Decision.STRIKE}.get(word) if word else None

    def _see_others(self, record: Record, cells: Cells) -> None:
        """Remark what is written where nothing is read."""
        for at, text in record.cells.items():
            if at not in self.columns:
                self.own.setdefault(at, []).append(text)
        for at, text in record.broken.items():
            if self.columns.get(at) in ("key", *PEOPLE):
                self._remark("broken", record, text, self.head.cells[at])
        written = self.written.get(cells.get("key", ""), {})
        for name in ("question", "entry", "quote"):
            if name in cells and written and not self._is_written(cells[name], written[name]):
                self._remark("edited", record, cells[name], self.head.cells[self._at(name)])

    def _is_written(self, text: str, written: str) -> bool:
        """True if the program writes so, or did when it wrote this table."""
        return same_text(text, written) or bool(worded(text) and self.trace.knows(text))

    def _at(self, name: ColumnId) -> int:
        return next(at for at, column in self.columns.items() if column == name)

    def _remark(self, key: str, record: Record, text: str, head: str = "") -> None:
        words = Words(self.expectations.language, "expectations")
        sentence = words(f"remark.{key}", text=" ".join(text.split()), head=head)
        self.sheet.remarks.append(Remark(key, record.line, sentence))


def wordings_in(kind: ClaimKind | None, text: str) -> tuple[str, ...]:
    """The alternatives in a cell; a statement that would be wrong has none."""
    if kind is ClaimKind.MUST_NOT:
        return (text.strip(),) if text.strip() else ()
    return tuple(parts_of(text, OR))


def _kind_of(claim: str, cells: Cells) -> ClaimKind | None:
    """The kind of a claim by its id, or of a new one by the cell."""
    if claim == NEW:
        return _KINDS.get(same_name(cells.get("kind", "")), ClaimKind.SAYS)
    try:
        return kind_of(claim)
    except ValueError:
        return None


def _joined(wordings: Sequence[str]) -> str:
    """Alternatives as a cell holds them: between // on one line, or on a line of its own."""
    between = "\n//\n" if any("\n" in text for text in wordings) else " // "
    return between.join(wordings)


def conflict_text(conflict: Conflict, language: Language) -> str:
    """One sentence about something that is not taken: what was written, and what the file says."""
    words, judgement = Words(language, "expectations"), conflict.judgement
    says = [words(f"decision.{judgement.decision}"), " / ".join(judgement.before)]
    if judgement.after:
        says += ["→", " / ".join(judgement.after)]
    now = words.comma.join(conflict.now) or words("nothing_now")
    return words(
        "conflict",
        scenario=judgement.scenario,
        who=judgement.reviewer or words("nobody"),
        what=" ".join(filter(None, says)),
        why=words(f"why.{conflict.why}", now=now),
    )


def refusal_text(taken: Taken) -> str:
    """Why the others are not confirmed in bulk; empty if they are, or nobody wanted it."""
    words, draw = Words(taken.after.language, "expectations"), taken.after.draw()
    if not taken.refused:
        return ""
    if draw.wrong > MOST_WRONG:
        return words("bulk_wrong", wrong=draw.wrong, drawn=draw.drawn)
    return words("bulk_more", n=draw.drawn - draw.judged)
