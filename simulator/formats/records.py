"""Records of other tools as rows of ours: one table of formats, recognised by their content.

A row has the columns that `files/column_names.json` names: question, answer, context, ground_truth,
conversation …. What is in no known format is mapped by JMESPaths, or stays as it is.
"""

import ast
import re
from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice, pairwise, product
from types import MappingProxyType
from typing import Any

from simulator.core.clean import cut, visible
from simulator.formats.jmespath import checked_path, compiled
from simulator.formats.own_files import Numbered
from simulator.formats.sources import hint, shown
from simulator.formats.traces import (
    Span,
    TracedTurn,
    answered_in,
    asked_in,
    content_of,
    parsed,
    role_of,
    trace_format,
    turns_of,
)
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
    "post",
)
# The keys of a message; what has others, such as a conversation's, is a line of a log.
_OF_MESSAGE = frozenset(
    ("role", "content", "name", "type", "id", "refusal", "annotations", "tool_calls")
) | {"tool_call_id"}
# Texts as Python writes them, and a list of them: nothing is tried twice.
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\"""", re.DOTALL)
_QUOTED_LIST = re.compile(rf"\[(?:[\s,]*+(?:{_QUOTED.pattern}))*+[\s,]*+\]", re.DOTALL)
_LONGEST_ID = 90
_MOST_VARIANTS = 1_000  # of one test, by its lists of variables
_MOST_KINDS = 5  # of unknown records that are told


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row: its line in the file, its number as people count rows there, and its cells.

    `cells` go by the names of their columns; `whole` is the row as it stands (the cells of a csv
    file, the text of a line of JSON, the record of another tool). `problem` says why it cannot be
    used at all, `broken` which cells cannot.
    """

    line: int
    number: int
    cells: Mapping[str, Any]
    whole: Any = None
    problem: str = ""
    broken: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known:
    """The rows that a file of another tool holds.

    Attributes:
        format: its name, as people know it.
        notes: what was left out, and what a mapping does not find.
        missing: of the columns that are mapped and that no record has, why.
    """

    format: str
    rows: tuple[RawRow, ...]
    notes: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)


NO_RECORDS = Known("", ())
MESSAGES = "messages"
"""The name of the format of conversations in OpenAI's form, which logs of our own may have, too."""


@dataclass(frozen=True, slots=True)
class _Format:
    """A format whose every record stands by itself."""

    name: str
    fits: Callable[[Record], bool]
    cells: Callable[[Record], Iterable[Cells]]


COLUMNS = (
    *("id", "conversation", "question", "answer", "context", "retrieved", "ground_truth"),
    *("elements", "must_not", "documents", "answerable", "escalate", "persona", "tags"),
    *("verdict", "reviewer"),
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
    cases: list[tuple[int, Cells, Record]] = []
    spans: list[Span] = []
    strange: Counter[tuple[str, ...]] = Counter()
    for line, record in records:
        if traces := trace_format(record):
            names[traces.name] += 1
            spans += traces.spans(record, line)
        elif known := _format_of(record):
            names[known.name] += 1
            made = list(_filled(known.cells(record), line))
            cases += [(line, cells, record if len(made) == 1 else cells) for cells in made]
        else:
            strange[tuple(record)] += 1
    if not names:
        return None
    turns = turns_of(spans)
    traced = [_traced(turn) for turn in turns if turn.question and turn.answer]
    notes = _left_out(strange, len(turns) - len(traced))
    numbered = Numbered()  # several answers to one case have one id
    for _, cells, _ in (*cases, *traced):
        if name := cells.get("id"):
            cells["id"] = numbered(cut(visible(str(name)), _LONGEST_ID))
    rows = (RawRow(line, line, cells, whole) for line, cells, whole in (*cases, *traced))
    return Known(names.most_common(1)[0][0], tuple(rows), tuple(notes))


def is_known(record: Record) -> bool:
    """True if a record is in the format of another tool; the names of columns say it as well."""
    return bool(trace_format(record) or _format_of(record))


def _format_of(record: Record) -> _Format | None:
    """The format of a case of another tool; None for a row under names of ours, whatever else."""
    if {"question", "answer"} <= record.keys():
        return None
    return next((known for known in _FORMATS if known.fits(record)), None)


def of_cells(rows: Sequence[Mapping[str, str]]) -> list[Record]:
    """The rows of a table as records: lists in cells, in JSON or Python's form, are lists."""
    columns = dict.fromkeys((name for cells in rows for name in cells), "")
    return [{**columns, **{n: _listed(text) for n, text in cells.items()}} for cells in rows]


def _listed(text: str) -> Json:
    value = parsed(text)
    if value is text and _QUOTED_LIST.fullmatch(text):
        try:
            return [ast.literal_eval(match[0]) for match in _QUOTED.finditer(text)]
        except (ValueError, SyntaxError):
            return text
    return value


def _traced(turn: TracedTurn) -> tuple[int, Cells, Record]:
    cells: Cells = {
        "conversation": turn.conversation,
        "id": turn.id,
        "question": turn.question,
        "answer": turn.answer,
    }
    if turn.documents:
        cells["context"] = list(turn.documents)
    return turn.place, cells, {**turn.others, **cells}


def _left_out(strange: Counter[tuple[str, ...]], silent: int) -> Iterator[str]:
    """A sentence for each kind of record that is not known, and for traces without a turn."""
    for keys, count in strange.most_common(_MOST_KINDS):
        named = ", ".join(map(shown, keys[:8])) or "none"
        left_out = f"{counted(count, 'record')} of an unknown kind skipped"
        yield f"{left_out}; the keys: {named}"
    if (more := len(strange) - _MOST_KINDS) > 0:
        yield f"so are records of {counted(more, 'more kind')}"
    if silent:
        yield f"{counted(silent, 'trace')} left out: no question or no answer in it"


def _mapped(records: Sequence[tuple[int, Record]], mapping: Mapping[str, str]) -> Known:
    paths = {column: compiled(path) for column, path in mapping.items()}
    rows = [RawRow(n, n, {c: p.search(r) for c, p in paths.items()}, r) for n, r in records]
    missing = {
        column: f"{column}: {path.find(records[0][1], 'the record').why}"
        for column, path in paths.items()
        if all(row.cells[column] is None for row in rows)
    }
    return Known("--map", tuple(rows), tuple(missing.values()), missing)


def opened(values: Sequence[tuple[int, Json]]) -> list[tuple[int, Json]]:
    """The records in the values of a file, each with its line.

    An object that only holds the list of an export (`{"data": […]}`) is opened, and messages that
    stand in a list are the record of one conversation.
    """
    if len(values) > 1 and all(_is_message(value) for _, value in values):
        return [(values[0][0], {"messages": [value for _, value in values]})]
    return [(line, record) for line, value in values for record in _records_in(value)]


def _is_message(value: Json) -> bool:
    return isinstance(value, Mapping) and {"role", "content"} <= value.keys() <= _OF_MESSAGE


def _records_in(value: Json) -> Sequence[Json]:
    if isinstance(value, list) and value and all(map(_is_message, value)):
        return [{"messages": value}]
    if not isinstance(value, Mapping) or trace_format(value):
        return [value]
    for name in _LISTS:
        inner = value.get(name)
        if isinstance(inner, Mapping):  # promptfoo: {results: {results: […]}}
            inner = inner.get(name)
        if isinstance(inner, list) and any(isinstance(item, Mapping) for item in inner):
            return [_with_default(value.get("defaultTest"), item) for item in inner]
    return [value]


def _with_default(default: Json, test: Json) -> Json:
    """A test of promptfoo with what its config says of all of them."""
    if not isinstance(default, Mapping) or not isinstance(test, Mapping):
        return test
    both = (default, test)
    variables = [each["vars"] for each in both if isinstance(each.get("vars"), Mapping)]
    lists = (each["assert"] for each in both if isinstance(each.get("assert"), list))
    return {**test, "vars": dict(ChainMap(*reversed(variables))), "assert": [*chain(*lists)]}


def _filled(rows: Iterable[Cells], line: int) -> Iterator[Cells]:
    """Rows without their empty cells; a conversation without a name gets one from its line."""
    for cells in rows:
        if cells.get("conversation") == "":
            cells["conversation"] = f"talk-{line}"
        yield {key: value for key, value in cells.items() if value not in (None, "", [])}


def _pairs(messages: Json, conversation: str, **more: Json) -> Iterator[Cells]:
    """A row for each question of a list of messages, with all that the bot said to it.

    A question without an answer is a row, too.
    """
    listed = messages if isinstance(messages, list) else ()
    spoken = [m for m in listed if isinstance(m, Mapping) and _side_of(m)]
    parts = [(side, list(each)) for side, each in groupby(spoken, _side_of)]
    for (side, question), (_, replies) in pairwise([*parts, ("bot", [])]):
        if side == "user":
            yield {
                "conversation": conversation,
                "question": "\n".join(map(content_of, question)),
                "answer": "\n".join(map(content_of, replies)),
                "context": [p for r in replies for p in _context_of(r)],
                **more,
            }


def _context_of(reply: Record) -> Sequence[Json]:
    context = _first(reply, "retrieval_context", "retrievalContext")
    return context if isinstance(context, list) else ()


def _side_of(message: Record) -> str:
    """Who says something in a message; what a bot says as it calls a tool is no answer."""
    role, text = role_of(message), content_of(message)
    if role in ("user", "human"):
        return "user"
    is_bot = role in ("assistant", "ai", "bot", "model")
    return "bot" if is_bot and text and not message.get("tool_calls") else ""


def _ragas(record: Record) -> Iterator[Cells]:
    """A sample of RAGAS, of one turn or of several."""
    question, right = record["user_input"], record.get("reference")
    if isinstance(question, list):
        yield from _pairs(question, "", outcome=right)
        return
    context = record.get("retrieved_contexts")
    yield {
        "question": question,
        "answer": record.get("response"),
        "context": context,
        "retrieved": None if context else record.get("retrieved_context_ids"),
        "ground_truth": right,
        "documents": record.get("reference_context_ids"),
    }


def _deepeval(record: Record) -> Iterator[Cells]:
    """A golden or a test case of deepeval; a table parts passages by |."""
    context = _first(record, "retrieval_context", "retrievalContext", "context")
    yield {
        "id": record.get("name"),
        "question": record["input"],
        "answer": _first(record, "actual_output", "actualOutput"),
        "ground_truth": _first(record, "expected_output", "expectedOutput"),
        "context": context.split("|") if isinstance(context, str) else context,
    }


def _deepeval_talk(record: Record) -> Iterator[Cells]:
    """A conversational golden of deepeval, with or without its turns."""
    more = {
        "outcome": _first(record, "expected_outcome", "expectedOutcome"),
        "user_description": _first(record, "user_description", "userDescription"),
        "goal": record.get("scenario"),
    }
    rows = list(_pairs(parsed(record.get("turns")), str(record.get("name") or ""), **more))
    yield from rows or [{"question": record.get("scenario"), **more}]


def _messages(record: Record) -> Iterator[Cells]:
    """A conversation in OpenAI's form."""
    name = _first(record, "id", "conversation_id", "session_id", "thread_id")
    yield from _pairs(record["messages"], str(name or ""))


def _evals(record: Record) -> Iterator[Cells]:
    """A sample of OpenAI Evals, or an item with the sample that a model gave."""
    named, sample = record.get("item"), record.get("sample")
    item = named if isinstance(named, Mapping) else record
    yield {
        "question": asked_in(item),
        "ground_truth": _first(item, "ideal", "correct_label", "ground_truth", "reference"),
        "answer": answered_in(sample) if isinstance(sample, Mapping) else None,
    }


def _promptfoo(record: Record) -> Iterator[Cells]:
    """A test of promptfoo, or a result, as far as its variables and its asserts say it.

    A table has a column for each variable, and its asserts under `__expected`.
    """
    case = record.get("testCase")
    test = {**case, **record} if isinstance(case, Mapping) else record
    variables = test.get("vars")
    if not isinstance(variables, Mapping):
        variables = {name: text for name, text in record.items() if not name.startswith("__")}
    lists = {name: each for name, each in variables.items() if _is_texts(each)}
    if "response" in test:  # it is to one of them
        lists = {}
    for texts in islice(product(*lists.values()), _MOST_VARIANTS):
        yield _promptfoo_case(test, {**variables, **dict(zip(lists, texts, strict=True))})


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and value != [] and all(isinstance(text, str) for text in value)


def _promptfoo_case(test: Record, variables: Record) -> Cells:
    cells: Cells = {
        "id": test.get("description"),
        "question": asked_in(variables) or next(map(asked_in, variables.values()), ""),
        **{name: [] for name in ("ground_truth", "elements", "must_not", "criteria")},
    }
    asserts = test.get("assert")
    listed = asserts if isinstance(asserts, list) else ()
    for kind, value in (*map(_assertion, listed), *_expected_cells(test)):
        values = [text for text in (value if isinstance(value, list) else [value]) if text]
        if column := _ASSERTS.get(kind):
            cells[column] += values
        elif kind in ("contains-any", "icontains-any"):
            cells["elements"].append(values)
    if test.get("response") is not None:
        cells["answer"] = answered_in(test["response"])
    return cells


_ASSERTS = {
    **dict.fromkeys(("equals", "similar", "factuality"), "ground_truth"),
    **dict.fromkeys(("contains", "icontains", "contains-all", "icontains-all"), "elements"),
    **dict.fromkeys(("not-contains", "not-icontains"), "must_not"),
    **dict.fromkeys(("llm-rubric", "model-graded-closedqa", "g-eval"), "criteria"),
}
"""Under which column of ours what an assert of promptfoo expects is kept."""


def _assertion(each: Json) -> tuple[str, Json]:
    """The kind of an assert, and what it expects: texts, or nothing of use."""
    if not isinstance(each, Mapping):
        return "", None
    value = each.get("value")
    texts = value if isinstance(value, list) else [value]
    return str(each.get("type", "")), [str(t) for t in texts if isinstance(t, str | int | float)]


def _expected_cells(record: Record) -> Iterator[tuple[str, Json]]:
    """The asserts in the columns `__expected`, `__expected1` …: `icontains: text`, or an answer."""
    for name, text in record.items():
        if name.startswith("__expected") and isinstance(text, str) and text:
            kind, colon, value = text.partition(":")
            kind = {"grade": "llm-rubric", "llm-rubric": "llm-rubric"}.get(kind, kind)
            if kind in _ASSERTS and colon:
                yield kind, value.strip()
            elif kind.endswith(("-any", "-all")) and colon:
                yield kind, [part.strip() for part in value.split(",")]
            elif not re.match(r"(not-)?[a-z]+(-[a-z]+)*(\(.*\))?:", text):
                yield "equals", text


def _first(record: Record, *names: str) -> Json:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _is_sample(record: Record) -> bool:
    question = record.get("user_input")
    return isinstance(question, list) or ("user_input" in record and bool(_SAMPLE & record.keys()))


def _is_promptfoo(record: Record) -> bool:
    if any(name.startswith("__expected") for name in record):
        return True
    case = record.get("testCase")
    places = (record, case if isinstance(case, Mapping) else {})
    return any(isinstance(place.get("vars"), Mapping) for place in places)


_CONVERSATIONAL = frozenset({"expected_outcome", "expectedOutcome", "user_description", "turns"})
_OUTPUTS = frozenset(
    {"actual_output", "actualOutput", "expected_output", "expectedOutput", "retrieval_context"}
)
_SAMPLE = frozenset({"response", "reference", "retrieved_contexts", "reference_contexts"})
_FORMATS = (
    _Format("RAGAS", _is_sample, _ragas),
    _Format(
        "deepeval", lambda r: "scenario" in r and bool(_CONVERSATIONAL & r.keys()), _deepeval_talk
    ),
    _Format("deepeval", lambda r: "input" in r and bool(_OUTPUTS & r.keys()), _deepeval),
    _Format("OpenAI Evals", lambda r: {"input", "ideal"} <= r.keys(), _evals),
    _Format("OpenAI Evals", lambda r: isinstance(r.get("item"), Mapping), _evals),
    _Format("promptfoo", _is_promptfoo, _promptfoo),
    _Format(MESSAGES, lambda r: isinstance(r.get("messages"), list), _messages),
)
