"""The list of what would mend a run as a file: a table of Markdown, or a worksheet."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from simulator.core.clean import cut
from simulator.core.errors import InputError
from simulator.core.run import Run
from simulator.formats.own_files import text_file, whole
from simulator.improve.diagnosis import Cause, Suspect
from simulator.reports.markdown import plain, table
from simulator.view.faults import FaultList
from simulator.words import Words
from simulator.worksheets.book import Book, Column, Worksheet
from simulator.worksheets.files import write_xlsx

KINDS = (".md", ".xlsx")
_COLUMNS = {
    "conversations": 8,
    "remedy": 36,
    "blame": 18,
    "entry": 14,
    "title": 40,
    "words": 60,
    "question": 40,
    "answer": 60,
    "about": 40,
    "row": 40,
}
_WORDS = 5  # of users that are listed
_TEXT = 300  # characters of a cell of Markdown


def write_list(
    run: Run, suspects: Sequence[Suspect], faults: Sequence[FaultList], path: str
) -> None:
    """Write the list, the suspects first; each row names the command that shows it.

    `path` ends in one of `KINDS`.

    Raises:
        InputError: it ends in something else, or cannot be written.
    """
    kind = Path(path).suffix.lower()
    if kind not in KINDS:
        raise InputError(f"--list {path}: use a file name that ends in {' or '.join(KINDS)}")
    words = Words(run.header.language, "improve", "report")
    heads = [words(f"head.{name}") for name in _COLUMNS]
    rows = [list(_of_suspect(run, suspect, words)) for suspect in suspects]
    rows += [list(_cells(run, fault, words)) for fault in faults]
    if kind == ".md":
        with text_file(path) as file:
            file.write(table(heads, [[plain(cut(str(c), _TEXT)) for c in row] for row in rows]))
        return
    columns = tuple(
        Column(head, width, wrap=width > _COLUMNS["blame"])
        for head, width in zip(heads, _COLUMNS.values(), strict=True)
    )
    sheet = Worksheet(words("worksheet"), columns, lambda: rows, filtered=True)
    with whole(path, "the list") as part:
        write_xlsx(Book((sheet,)), part)


def cause_of(suspect: Suspect, run: Run, words: Words) -> str:
    """What a suspect is, in words; personas by their names, with the ids that people type."""
    key = f"cause.{suspect.cause}"
    if not suspect.levels and words.find(f"{key}.any"):
        key = f"{key}.any"
    levels = suspect.levels
    if suspect.cause is Cause.PERSONA:
        names = run.header.personas
        levels = tuple(f"{names[name]} [{name}]" if name in names else name for name in levels)
    return words(key, levels=words.comma.join(levels))


def _of_suspect(run: Run, suspect: Suspect, words: Words) -> Iterator[str | int]:
    yield len(suspect.keys)
    yield words("suspect", what=cause_of(suspect, run, words))
    yield words("code" if suspect.is_code else "texts")
    yield ""
    yield words(f"look.{suspect.cause}")
    yield ""
    yield suspect.question
    yield suspect.answer
    yield ""
    yield f"mogi show {run.header.id} {suspect.keys[0]}"


def _cells(run: Run, fault: FaultList, words: Words) -> Iterator[str | int]:
    example = fault.failures[0]
    yield len(fault.failures)
    yield words(f"remedy.{fault.remedy}")
    yield words.name("fault", fault.blame)
    yield "" if fault.of_scenario else fault.entry
    yield fault.title
    yield "\n".join(fault.words[:_WORDS])
    yield example.asked
    yield example.answered
    yield example.about
    yield f"mogi show {run.header.id} {example.key}"
