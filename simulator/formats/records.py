"""Records of other tools as rows of ours: one table of formats, recognised by their content.

A row has the columns that `files/column_names.json` names: question, answer, context, ground_truth,
conversation …. What is in no known format is mapped by JMESPaths, or stays as it is.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from simulator.core.bounds import TooMuch, check_json
from simulator.formats.complaints import hint, shown
from simulator.formats.jmespath import checked_path, compiled
from simulator.formats.json_lists import json_items
from simulator.formats.sources import Source
from simulator.formats.traces import (
    Span,
    TracedTurn,
    answered_in,
    asked_in,
    content_of,
    role_of,
    trace_format,
    turns_of,
)
from simulator.formats.yaml.scalars import plain
from simulator.words import counted

Json = Any
Record = Mapping[str, Json]
Cells = dict[str, Json]
NOTHING: Mapping[str, str] = MappingProxyType({})
"""No JMESPaths: records are recognised by their content, or are rows as they stand."""

# Under which an export keeps its list.
_LISTS = (
    *("data", "observations", "traces", "runs", "spans", "results", "tests", "goldens"),
    *("conversational_goldens", "test_cases", "testCases", "samples", "examples", "conversations"),
)
_BETWEEN = frozenset(" \t\r\n,")
_DECODER = json.JSONDecoder(parse_int=plain, parse_float=plain, parse_constant=str)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of ours, the line of its record and, where it is made of one alone, that record."""

    line: int
    cells: Cells
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """The rows that a file of another tool holds.

    Attributes:
        format: its name, as people know it.
        notes: what was left out, and what a mapping does not find.
        missing: of the columns that are mapped and that no record has, why.
    """

    format: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)


NO_RECORDS = Known("", ())


@dataclass(frozen=True, slots=True)
class _Format:
    """A format whose every record stands by itself."""

    name: str
    fits: Callable[[Record], bool]
    cells: Callable[[Record], Iterable[Cells]]


COLUMNS = (
    *("id", "conversation", "question", "answer", "context", "retrieved", "ground_truth"),
    *("elements", "documents", "answerable", "escalate", "persona", "tags", "verdict", "reviewer"),
)
"""What a mapping can say where to find."""


def mapped(column: str, path: str) -> tuple[str, str]:
    """A column of ours and the JMESPath to it.

    Raises:
        ValueError: there is no such column, or the path is none.
    """
    if column not in COLUMNS:
        raise ValueError(f"no column {shown(column)}; {hint(column, COLUMNS)}")
    try:
        return column, checked_path(path)
    except ValueError as error:
        raise ValueError(f"{column}{error}") from error


def known_rows(
    records: Sequence[tuple[int, Record]], mapping: Mapping[str, str] = NOTHING
) -> Known | None:
    """The rows of records, each with its line, in a known format or by a `mapping`.

    Args:
        records: the objects of a file, in order.
        mapping: the JMESPath of each column, such as question -> inputs.question.

    Returns:
        None where no record is in a known format and nothing is mapped.
    """
    if mapping:
        return _mapped(records, mapping)
    names: Counter[str] = Counter()
    rows: list[Row] = []
    spans: list[Span] = []
    strange: list[Record] = []
    for line, record in records:
        if traces := trace_format(record):
            names[traces.name] += 1
            spans += traces.spans(record, line)
        elif known := next((f for f in _FORMATS if f.fits(record)), None):
            names[known.name] += 1
            rows += [Row(line, cells) for cells in _numbered(known.cells(record), line)]
        else:
            strange.append(record)
    if not names:
        return None
    turns = turns_of(spans)
    traced = [_traced(turn) for turn in turns if turn.question and turn.answer]
    notes = _left_out(strange, len(turns) - len(traced))
    return Known(names.most_common(1)[0][0], (*rows, *traced), tuple(notes))


def _traced(turn: TracedTurn) -> Row:
    cells: Cells = {
        "conversation": turn.conversation,
        "id": turn.id,
        "question": turn.question,
        "answer": turn.answer,
    }
    if turn.documents:
        cells["context"] = list(turn.documents)
    return Row(turn.place, cells)


def _left_out(strange: Sequence[Record], silent: int) -> Iterator[str]:
    if strange:
        were = f"{counted(len(strange), 'record')} of a kind that is not known left out"
        keys = ", ".join(map(shown, list(strange[0])[:8])) or "none"
        yield f"{were}; the keys of the first: {keys}"
    if silent:
        yield f"{counted(silent, 'trace')} left out, in which nothing is asked or answered"


def _mapped(records: Sequence[tuple[int, Record]], mapping: Mapping[str, str]) -> Known:
    paths = {column: compiled(path) for column, path in mapping.items()}
    rows = [Row(n, {c: path.search(r) for c, path in paths.items()}, r) for n, r in records]
    missing = {
        column: f"{column}: {path.find(records[0][1], 'the record').why}"
        for column, path in paths.items()
        if all(row.cells[column] is None for row in rows)
    }
    return Known("--map", tuple(rows), tuple(missing.values()), missing)


def json_records(text: str, source: Source) -> list[tuple[int, Json]]:
    """The values of a JSON text with their lines: those of a list, or several one after another.

    An object that only holds the list of an export (`{"data": […]}`) is opened.

    Raises:
        InputError: it is not JSON, or holds too much.
    """
    if text.startswith("["):
        return json_items(text, source, "objects")
    try:
        check_json(text)
        values = list(_values(text))
    except json.JSONDecodeError as error:
        raise source.error(error.lineno, f"this is not JSON ({error.msg}); fix it") from error
    except TooMuch as error:
        raise source.error(0, f"{error}; split it, or write it flatter") from error
    except RecursionError as error:
        raise source.error(0, "is nested too deep; write it flatter") from error
    return [(line, record) for line, value in values for record in _opened(value)]


def _values(text: str) -> Iterator[tuple[int, Json]]:
    line, counted, end = 1, 0, 0
    while end < len(text):
        line, counted = line + text.count("\n", counted, end), end
        value, end = _DECODER.raw_decode(text, end)
        yield line, value
        while end < len(text) and text[end] in _BETWEEN:
            end += 1


def _opened(value: Json) -> Sequence[Json]:
    if not isinstance(value, Mapping) or trace_format(value):
        return [value]
    for name in _LISTS:
        inner = value.get(name)
        if isinstance(inner, Mapping):  # promptfoo: {results: {results: […]}}
            inner = inner.get(name)
        if isinstance(inner, list) and any(isinstance(item, Mapping) for item in inner):
            return inner
    return [value]


def _numbered(rows: Iterable[Cells], line: int) -> Iterator[Cells]:
    """Rows of one conversation without a name get one from their line."""
    for cells in rows:
        if cells.get("conversation") == "":
            cells["conversation"] = f"talk-{line}"
        yield {key: value for key, value in cells.items() if value not in (None, "", [])}


def _pairs(messages: Json, conversation: str, **more: Json) -> Iterator[Cells]:
    """A row for each answer of a list of messages; a question without one is a row, too."""
    question: list[str] = []
    for message in messages if isinstance(messages, list) else ():
        if not isinstance(message, Mapping):
            continue
        role, text = role_of(message), content_of(message)
        if role in ("user", "human"):
            question.append(text)
        elif role in ("assistant", "ai", "bot", "model") and text and question:
            yield {
                "conversation": conversation,
                "question": "\n".join(question),
                "answer": text,
                **more,
            }
            question = []
    if question:
        yield {"conversation": conversation, "question": "\n".join(question), **more}


def _ragas(record: Record) -> Iterator[Cells]:
    """A sample of RAGAS, of one turn or of several."""
    more = {"ground_truth": record.get("reference"), "context": record.get("retrieved_contexts")}
    asked = record["user_input"]
    if isinstance(asked, list):
        yield from _pairs(asked, "", ground_truth=more["ground_truth"])
    else:
        yield {"question": asked, "answer": record.get("response"), **more}


def _deepeval(record: Record) -> Iterator[Cells]:
    """A golden or a test case of deepeval."""
    context = _first(record, "retrieval_context", "retrievalContext", "context")
    yield {
        "id": record.get("name"),
        "question": record["input"],
        "answer": _first(record, "actual_output", "actualOutput"),
        "ground_truth": _first(record, "expected_output", "expectedOutput"),
        "context": context,
    }


def _deepeval_talk(record: Record) -> Iterator[Cells]:
    """A conversational golden of deepeval, with or without its turns."""
    more = {
        "ground_truth": _first(record, "expected_outcome", "expectedOutcome"),
        "persona": _first(record, "user_description", "userDescription"),
        "goal": record.get("scenario"),
    }
    rows = list(_pairs(record.get("turns"), str(record.get("name") or ""), **more))
    yield from rows or [{"question": record.get("scenario"), **more}]


def _messages(record: Record) -> Iterator[Cells]:
    """A conversation in OpenAI's form."""
    name = _first(record, "id", "conversation_id", "session_id", "thread_id")
    yield from _pairs(record["messages"], str(name or ""))


def _evals(record: Record) -> Iterator[Cells]:
    """A sample of OpenAI Evals."""
    yield {"question": asked_in(record["input"]), "ground_truth": record["ideal"]}


def _promptfoo(record: Record) -> Iterator[Cells]:
    """A test of promptfoo, or a result, as far as its variables and its asserts say it."""
    variables = record["vars"]
    question = asked_in(variables) if isinstance(variables, Mapping) else ""
    case = record.get("testCase")
    asserts = record.get("assert") or (case.get("assert") if isinstance(case, Mapping) else None)
    cells: Cells = {"question": question, "elements": [], "ground_truth": []}
    for each in asserts if isinstance(asserts, list) else ():
        if not isinstance(each, Mapping):
            continue
        kind, value = str(each.get("type", "")), each.get("value")
        values = value if isinstance(value, list) else [value]
        if kind in ("contains", "icontains", "contains-all", "icontains-all"):
            cells["elements"] += values
        elif kind in ("contains-any", "icontains-any"):
            cells["elements"].append(values)
        elif kind in ("equals", "similar", "factuality", "answer-relevance"):
            cells["ground_truth"] += [text for text in values if isinstance(text, str)]
    response = record.get("response")
    if response is not None:
        cells["answer"] = answered_in(response)
    yield cells


def _first(record: Record, *names: str) -> Json:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _has(*names: str) -> Callable[[Record], bool]:
    return lambda record: record.keys() >= set(names)


_CONVERSATIONAL = frozenset({"expected_outcome", "expectedOutcome", "user_description", "turns"})
_OUTPUTS = frozenset(
    {"actual_output", "actualOutput", "expected_output", "expectedOutput", "retrieval_context"}
)
_FORMATS = (
    _Format("RAGAS", _has("user_input"), _ragas),
    _Format(
        "deepeval", lambda r: "scenario" in r and bool(_CONVERSATIONAL & r.keys()), _deepeval_talk
    ),
    _Format("deepeval", lambda r: "input" in r and bool(_OUTPUTS & r.keys()), _deepeval),
    _Format("OpenAI Evals", _has("input", "ideal"), _evals),
    _Format("promptfoo", lambda r: isinstance(r.get("vars"), Mapping), _promptfoo),
    _Format("messages", lambda r: isinstance(r.get("messages"), list), _messages),
)
