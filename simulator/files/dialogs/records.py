"""A log as records, each with its line: JSON lines, one JSON list, or csv."""

import json
from dataclasses import dataclass
from typing import Any

from simulator.core.bounds import MAX_NODES, TooMuch, check_json
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.formats.json_lists import json_items
from simulator.formats.sources import Source
from simulator.formats.table_files import read_csv

MOST_TOLD = 50
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Record:
    """One object of a log: the line on which it begins, and its keys."""

    line: int
    data: dict[str, Any]


def read_records(source: Source) -> list[Record]:
    """The objects of a log, in order: `.csv` by its columns, anything else as JSON.

    JSON is one object a line, or one list of objects. UTF-8 with or without a byte order mark, or
    cp932.

    Raises:
        InputError: unreadable or empty; every broken line, up to MOST_TOLD.
    """
    if source.path.suffix.casefold() == ".csv":
        return [Record(row.line, dict(row.cells)) for row in read_csv(source).rows]
    text = source.table_text()
    if not text.strip():
        raise source.error(0, "is empty; write one dialog, or one utterance, a line")
    whole = text.lstrip().startswith("[")
    return _of_a_list(text, source) if whole else _of_lines(text, source)


def complain(source: Source, complaints: list[Complaint]) -> None:
    """Raise what is wrong; of a file that is wrong throughout only the first lines are told.

    Raises:
        InputError: there is anything in the list.
    """
    told = sorted(set(complaints))
    if len(told) > MOST_TOLD:
        more = source.complaint(0, f"and {len(told) - MOST_TOLD:,} more lines are wrong as well")
        raise InputError(*told[:MOST_TOLD], more)
    raise_all(told)


def _of_lines(text: str, source: Source) -> list[Record]:
    records, complaints = [], []
    values = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            check_json(line)
            data = _DECODER.decode(line.strip())
        except (ValueError, RecursionError) as error:
            why = "it cannot be read"
            if isinstance(error, json.JSONDecodeError | TooMuch):
                why = getattr(error, "msg", "") or f"it {error}"
            complaints.append(source.complaint(number, f"this is not JSON ({why}); mend it"))
            continue
        values += sum(map(line.count, "[{,"))
        if values > MAX_NODES:
            raise source.error(number, f"holds too much: more than {MAX_NODES:,} values; split it")
        if isinstance(data, dict):
            records.append(Record(number, data))
        else:
            complaints.append(source.complaint(number, "has to be an object; write {…}"))
    complain(source, complaints)
    return records


def _of_a_list(text: str, source: Source) -> list[Record]:
    items = json_items(text, source, "dialogs")
    wrong = [line for line, data in items if not isinstance(data, dict)]
    complain(source, [source.complaint(line, "has to be an object; write {…}") for line in wrong])
    if not items:
        raise source.error(0, "is an empty list; write at least one dialog")
    return [Record(line, data) for line, data in items]
