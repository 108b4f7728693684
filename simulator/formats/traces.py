"""Conversations in traces: what users asked and bots answered, found in the spans of other tools.

Read are OTLP/JSON with OpenTelemetry's GenAI conventions or OpenInference's, spans as Phoenix
exports them, observations and traces of Langfuse, and runs of LangSmith. A turn is a root span
with its question and answer, or else a trace with those of the spans below its root.
"""

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = Any
Record = Mapping[str, Json]

_DEEPEST = 12  # steps into a value in which a text is looked for
_USER = frozenset({"user", "human", "humanmessage"})
_BOT = frozenset({"assistant", "ai", "model", "bot", "aimessage", "aimessagechunk", "agent"})
_ROLES = _USER | _BOT | {"system", "developer", "tool", "function"}
# Keys that hold a text, the most telling first.
_ASKED = (
    *("question", "query", "user_input", "user_message", "user_query", "input", "inputs", "prompt"),
    *("message", "text", "content", "value", "kwargs", "data", "args"),
)
_ANSWERED = (
    *("answer", "response", "output_text", "output", "outputs", "result", "completion", "choices"),
    *("generations", "message", "text", "content", "value", "kwargs", "data", "return"),
)
_PARTS = ("text", "input_text", "output_text")  # kinds of parts of a message
_MESSAGES = ("messages", "history", "chat_history", "conversation")
_INDEXED = re.compile(r"(.+?)\.(\d{1,9})\.(?:document\.|message\.)?(.+)")
_SEARCHES = frozenset(
    {"retriever", "retrieval", "embedding", "embeddings", "reranker", "tool", "execute_tool"}
)
_ASIDE = _SEARCHES | {"guardrail", "evaluator"}
_TURNS = frozenset({"", "agent", "invoke_agent", "invoke_workflow"})
# Of a record whatever else there is stays with its turn.
_READ = frozenset(
    {"input", "output", "inputs", "outputs", "observations", "scores", "child_runs", "serialized"}
)
_READ_ATTRIBUTES = ("gen_ai.", "llm.", "input.", "output.", "retrieval.", "openinference.")


@dataclass(frozen=True, slots=True)
class Span:
    """One step of a trace, whatever tool recorded it.

    Attributes:
        start: orders the spans of a trace; of one kind within a file.
        session: the conversation that it names; empty where it names none.
        documents: what it retrieved, as it was recorded.
        is_aside: a search, a tool or a check; what it is asked and answers is nobody's turn.
        is_turn: it may be a turn below the span of its conversation.
        place: where the record is in the file, for complaints.
        others: what else was recorded with it.
    """

    trace: str
    id: str
    parent: str
    start: str
    session: str
    input: Json
    output: Json
    documents: Sequence[Json]
    is_aside: bool
    place: int
    is_turn: bool = False
    others: Record = field(default_factory=dict)

    @property
    def question(self) -> str:
        """What the user said last in its input; empty where no text is found."""
        return asked_in(self.input)

    @property
    def answer(self) -> str:
        """What the bot said last in its output; empty where no text is found."""
        return answered_in(self.output)

    @property
    def is_whole(self) -> bool:
        """True if it holds a question with its answer."""
        return not self.is_aside and bool(self.question and self.answer)


@dataclass(frozen=True, slots=True)
class TracedTurn:
    """What a user asked and the bot answered; `others`: what else was recorded with the span."""

    conversation: str
    id: str
    question: str
    answer: str
    documents: tuple[Record, ...]
    place: int
    others: Record


def turns_of(spans: Iterable[Span]) -> list[TracedTurn]:
    """The turns in the order of their beginnings.

    Where nobody asks anything, or nothing is answered, that text is empty. Spans of one record that
    name no trace are one.
    """
    traces: dict[str | int, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace or span.place, []).append(span)
    for trace in traces.values():
        trace.sort(key=lambda span: span.start)
    in_order = sorted(traces.values(), key=lambda trace: trace[0].start)
    return [turn for trace in in_order for turn in _turns(trace)]


def _turns(trace: Sequence[Span]) -> Iterator[TracedTurn]:
    """The turns of a trace: its roots, or the spans below the one that stands for a conversation.

    A span that is below none of them belongs to the turn that begins next.
    """
    by_id = {span.id: span for span in trace if span.id}
    parents = Counter(span.parent for span in trace)
    whole = [span for span in trace if span.is_whole]
    named = {span.id for span in trace if span.session} - {span.id for span in whole}

    def begins(span: Span) -> bool:
        if above := by_id.get(span.parent):
            return span.is_turn and above.id in named and above.parent not in by_id
        return not span.parent or parents[span.parent] == 1

    firsts = list(filter(begins, whole))
    if not firsts:
        roots = [span for span in trace if span.parent not in by_id]
        yield _turn(roots[0] if len(roots) == 1 else None, trace)
        return
    owners = {span.id: span for span in firsts}
    parts: dict[str, list[Span]] = {span.id: [] for span in firsts}
    starts = [span.start for span in firsts]
    for span in trace:
        way = [span]
        while way[-1].id not in owners and way[-1].parent in by_id and len(way) <= len(trace):
            way.append(by_id[way[-1].parent])
        at = min(bisect_left(starts, span.start), len(firsts) - 1)
        owner = owners.get(way[-1].id, firsts[at])
        owners |= {step.id: owner for step in way}
        parts[owner.id].append(span)
    for first in firsts:
        yield _turn(first, parts[first.id])


def _turn(root: Span | None, trace: Sequence[Span]) -> TracedTurn:
    """The turn of these spans; `root` None: they are steps of one that was not recorded."""
    below = [span for span in trace if span is not root and not span.is_aside]
    top, first = [root] if root else [], root or trace[0]
    questions = (span.question for span in (*top, *below))
    answers = (span.answer for span in (*top, *reversed(below)))
    documents = [document for span in trace for document in span.documents]
    return TracedTurn(
        conversation=next((s.session for s in (first, *trace) if s.session), first.trace),
        id=first.id,
        question=next(filter(None, questions), ""),
        answer=next(filter(None, answers), ""),
        documents=tuple(_once(map(passage, documents))),
        place=first.place,
        others=first.others,
    )


def _once(passages: Iterable[Record]) -> Iterator[Record]:
    """Each passage once; of a document that came already, not its id alone again."""
    seen = set[tuple[Json, Json]]()
    for each in passages:
        name, text = each["id"], each["text"]
        if (name or text) and (name, text) not in seen:
            seen |= {(name, text), (name, "")}
            yield each


def asked_in(value: Json) -> str:
    """What the user said last in the input of a step; empty where no text is found."""
    return _text_in(value, _USER, _ASKED)


def answered_in(value: Json) -> str:
    """What the bot said last in the output of a step; empty where no text is found."""
    return _text_in(value, _BOT, _ANSWERED)


def _text_in(value: Json, roles: frozenset[str], keys: Sequence[str], depth: int = 0) -> str:
    value = parsed(value) if depth < _DEEPEST else None
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        if any(isinstance(item, Mapping) and item.get("type") in _PARTS for item in value):
            return content_of({"content": value})
        messages = [item for item in value if isinstance(item, Mapping) and role_of(item)]
        if messages:
            own = [message for message in messages if role_of(message) in roles]
            return next(filter(None, map(content_of, reversed(own))), "")
        inner = list(reversed(value))
    elif isinstance(value, Mapping):
        if role := role_of(value):
            return content_of(value) if role in roles else ""
        inner = [value[key] for key in (*_MESSAGES, *keys) if value.get(key) is not None]
        if not inner and len(value) == 1:
            inner = [text for text in value.values() if isinstance(text, str)]
    else:
        return ""
    texts = (_text_in(item, roles, keys, depth + 1) for item in inner)
    return next(filter(None, texts), "")


def parsed(value: Json) -> Json:
    """The JSON that a text holds, if it is a list or an object; any other value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def role_of(message: Record) -> str:
    """Who speaks in a message of OpenAI, LangChain or GenAI form; empty if it is none."""
    kind = message.get("id")
    if message.get("type") == "constructor" and isinstance(kind, list) and kind:  # LangChain
        return str(kind[-1]).casefold()
    is_message = any(key in message for key in ("content", "parts", "data", "text"))
    kind = message.get("type")
    role = message.get("role") or (kind if str(kind).casefold() in _ROLES else None)
    return role.casefold() if is_message and isinstance(role, str) and role not in _PARTS else ""


def content_of(message: Record) -> str:
    """The text of a message: its content, or all its parts that are text."""
    for key in ("content", "parts", "text", "kwargs", "data"):
        value = message.get(key)
        if isinstance(value, Mapping):
            value = value.get("content")
        if isinstance(value, list):
            value = "\n".join(filter(None, map(_part, value)))
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _part(part: Json) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type", "text") not in _PARTS:
        return ""
    text = part.get("text", part.get("content"))
    return text if isinstance(text, str) else ""


def passage(document: Json) -> Record:
    """A retrieved document as `{id, title, text}`, as far as it has them."""
    document = parsed(document)
    if not isinstance(document, Mapping):
        return {"id": "", "title": "", "text": str(document)}
    document = {str(key).removeprefix("document."): value for key, value in document.items()}
    inner = document.get("document")
    document |= inner if isinstance(inner, Mapping) else {}
    about = parsed(document.get("metadata"))
    places = [document, about] if isinstance(about, Mapping) else [document]

    def first(*keys: str) -> str:
        values = (place[key] for place in places for key in keys if place.get(key) is not None)
        return next((str(v) for v in values if isinstance(v, str | int)), "")

    text = first("text", "content", "page_content", "pageContent")
    return {
        "id": first("id", "document_id", "doc_id", "source"),
        "title": first("title"),
        "text": text,
    }


# --- the formats ---


def otlp_spans(record: Record, place: int) -> Iterator[Span]:
    """The spans of an OTLP/JSON export (`resourceSpans`)."""
    for resource in _lists(record, "resourceSpans", "resource_spans"):
        for scope in _lists(resource, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
            for span in _lists(scope, "spans"):
                attributes = _attributes(span.get("attributes"))
                for event in _lists(span, "events"):
                    for key, value in _attributes(event.get("attributes")).items():
                        attributes.setdefault(key, value)
                yield _attributed(
                    attributes,
                    trace=_first(span, "traceId", "trace_id"),
                    id_=_first(span, "spanId", "span_id"),
                    parent=_first(span, "parentSpanId", "parent_span_id"),
                    start=_first(span, "startTimeUnixNano", "start_time_unix_nano").zfill(20),
                    place=place,
                )


def _attributes(listed: Json) -> dict[str, Json]:
    """The attributes of OTLP, `[{key, value: {stringValue: …}}]`, as a mapping."""
    pairs = listed if isinstance(listed, list) else []
    return {
        str(pair["key"]): _any_value(pair.get("value"))
        for pair in pairs
        if isinstance(pair, Mapping) and "key" in pair
    }


def _any_value(value: Json) -> Json:
    if not isinstance(value, Mapping):
        return value
    for key in ("stringValue", "intValue", "doubleValue", "boolValue", "bytesValue"):
        if key in value:
            return value[key]
    if "arrayValue" in value:
        return [_any_value(v) for v in _lists(value["arrayValue"], "values")]
    pairs = value.get("kvlistValue")
    return _attributes(pairs.get("values")) if isinstance(pairs, Mapping) else None


def phoenix_spans(record: Record, place: int) -> Iterator[Span]:
    """A span as Phoenix exports it: `context`, `parent_id` and `attributes`, nested or dotted."""
    attributes: dict[str, Json] = {}
    for key, value in record.items():
        if key == "attributes" and isinstance(value, Mapping):
            attributes |= value
        elif key.startswith("attributes."):
            attributes[key.removeprefix("attributes.")] = value
    attributes.setdefault("openinference.span.kind", record.get("span_kind"))
    context = record.get("context")
    ids = context if isinstance(context, Mapping) else {}
    yield _attributed(
        attributes,
        trace=_first({**record, **ids}, "context.trace_id", "trace_id"),
        id_=_first({**record, **ids}, "context.span_id", "span_id"),
        parent=_first(record, "parent_id"),
        start=_first(record, "start_time"),
        place=place,
    )


def _attributed(
    attributes: Record, *, trace: str, id_: str, parent: str, start: str, place: int
) -> Span:
    """A span with attributes of OpenTelemetry's GenAI conventions or of OpenInference's."""

    def get(*names: str) -> Json:
        return next((v for n in names if (v := _at(attributes, n)) is not None), None)

    attributes = {**attributes, **_indexed(attributes)}
    documents = parsed(get("gen_ai.retrieval.documents", "retrieval.documents"))
    kind = str(get("openinference.span.kind", "gen_ai.operation.name") or "").casefold()
    return Span(
        trace=trace,
        id=id_,
        parent=parent,
        start=start,
        session=str(get("gen_ai.conversation.id", "session.id") or ""),
        input=get("gen_ai.input.messages", "input.value", "llm.input_messages", "gen_ai.prompt"),
        output=get(
            "gen_ai.output.messages", "output.value", "llm.output_messages", "gen_ai.completion"
        ),
        documents=documents if isinstance(documents, list) else (),
        is_aside=kind in _ASIDE,
        is_turn=kind in _TURNS,
        place=place,
        others={k: v for k, v in attributes.items() if not k.startswith(_READ_ATTRIBUTES)},
    )


def _at(attributes: Record, name: str) -> Json:
    """The attribute of a dotted name, which may be nested."""
    value: Json = attributes
    for step in [name] if name in attributes else name.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return list(map(_undotted, value)) if isinstance(value, list) else value


def _undotted(item: Json) -> Json:
    if not isinstance(item, Mapping):
        return item
    return {str(key).removeprefix("message."): value for key, value in item.items()}


def _indexed(attributes: Record) -> dict[str, list[Json]]:
    """The lists of OpenInference, such as `retrieval.documents.0.document.content`, by name."""
    lists: dict[str, dict[int, dict[str, Json]]] = {}
    for key, value in attributes.items():
        if match := _INDEXED.fullmatch(key):
            name, number, part = match.groups()
            if part.endswith("message_content.text"):
                part = "content"
            lists.setdefault(name, {}).setdefault(int(number), {})[part] = value
    return {name: [items[n] for n in sorted(items)] for name, items in lists.items()}


def langfuse_spans(record: Record, place: int) -> Iterator[Span]:
    """An observation of Langfuse, or a trace with or without its observations."""
    inner = list(_lists(record, "observations"))
    trace = record.get("trace")
    if isinstance(trace, Mapping):  # the file that the page downloads: {trace, observations}
        yield from langfuse_spans({**trace, "observations": inner}, place)
        return
    is_observation = _first(record, "traceId", "trace_id") != ""
    trace_id = _first(record, "traceId", "trace_id") or _first(record, "id")
    session = _first(record, "sessionId", "session_id")
    kind = _first(record, "type").casefold()
    parent = _first(record, "parentObservationId", "parent_observation_id")
    output = parsed(record.get("output"))
    yield Span(
        trace=trace_id,
        id=_first(record, "id"),
        parent=parent or (trace_id if is_observation else ""),
        start=_first(record, "startTime", "start_time", "timestamp", "createdAt"),
        session=session,
        input=record.get("input"),
        output=record.get("output"),
        documents=_retrieved(output) if kind == "retriever" else (),
        is_aside=kind in _ASIDE,
        place=place,
        others={key: value for key, value in record.items() if key not in _READ},
    )
    for observation in inner:
        yield from langfuse_spans({"traceId": trace_id, **observation}, place)


def langsmith_spans(record: Record, place: int) -> Iterator[Span]:
    """A run of LangSmith, and those below it."""
    kind = _first(record, "run_type").casefold()
    extra = record.get("extra")
    about = extra.get("metadata") if isinstance(extra, Mapping) else record.get("metadata")
    about = about if isinstance(about, Mapping) else {}
    outputs = parsed(record.get("outputs"))
    trace = _first(record, "trace_id") or _first(record, "id")
    yield Span(
        trace=trace,
        id=_first(record, "id"),
        parent=_first(record, "parent_run_id"),
        start=_first(record, "start_time"),
        session=_first({**record, **about}, "thread_id")
        or _first(about, "session_id", "conversation_id"),
        input=record.get("inputs"),
        output=outputs,
        documents=_retrieved(outputs) if kind == "retriever" else (),
        is_aside=kind in _ASIDE,
        place=place,
        others={key: value for key, value in record.items() if key not in _READ},
    )
    for child in _lists(record, "child_runs"):
        yield from langsmith_spans(
            {"trace_id": trace, "parent_run_id": record.get("id"), **child}, place
        )


def _retrieved(output: Json) -> Sequence[Json]:
    """The documents that the output of a search lists."""
    if isinstance(output, Mapping):
        lists = (value for value in output.values() if isinstance(value, list))
        output = next(lists, [])
    return output if isinstance(output, list) else ()


def _lists(record: Json, *names: str) -> Iterator[Record]:
    """The objects of the first of these lists that is there."""
    value = next((record[n] for n in names if isinstance(record, Mapping) and n in record), None)
    return (
        (item for item in value if isinstance(item, Mapping))
        if isinstance(value, list)
        else iter(())
    )


def _first(record: Record, *names: str) -> str:
    value = next((record[name] for name in names if record.get(name) is not None), "")
    return str(value)


@dataclass(frozen=True, slots=True)
class TraceFormat:
    """A format of traces: its name, and what finds the spans of a record on a line."""

    name: str
    spans: Callable[[Record, int], Iterator[Span]]


_OTLP = TraceFormat("OpenTelemetry", otlp_spans)
_LANGSMITH = TraceFormat("LangSmith", langsmith_spans)
_PHOENIX = TraceFormat("Phoenix", phoenix_spans)
_LANGFUSE = TraceFormat("Langfuse", langfuse_spans)


def trace_format(record: Record) -> TraceFormat | None:
    """Which format of traces a record is in; None for any other record."""
    keys = record.keys()
    if {"resourceSpans", "resource_spans"} & keys:
        return _OTLP
    if "run_type" in keys and {"inputs", "outputs"} & keys:
        return _LANGSMITH
    if "span_kind" in keys and {"context", "context.span_id"} & keys:
        return _PHOENIX
    is_trace = "id" in keys and {"htmlPath", "projectId", "project_id", "environment"} & keys
    is_langfuse = is_trace or {"traceId", "trace_id", "observations"} & keys
    named = {"startTime", "start_time", "timestamp", "htmlPath", "observations"} & keys
    if is_langfuse and named and ({"input", "output"} & keys or {"trace", "observations"} <= keys):
        return _LANGFUSE
    return None
