"""Records in the forms that other tools publish, each as small as its schema allows."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.files.answers import read_answers
from simulator.files.dialogs import read_dialogs
from simulator.files.questions import read_questions
from simulator.formats.records import known_rows, mapped
from simulator.formats.sources import Source

ASKED, SAID = "How much is shipping?", "Shipping is 3 pounds."
TEXT = "Shipping costs 3 pounds."


def _attribute(key: str, value: Any) -> dict[str, Any]:
    return {"key": key, "value": _otlp(value)}


def _otlp(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_otlp(each) for each in value]}}
    if isinstance(value, dict):
        pairs = [_attribute(key, each) for key, each in value.items()]
        return {"kvlistValue": {"values": pairs}}
    return {"stringValue": value}


def _span(trace: str, name: str, parent: str = "", start: int = 1, **attributes: Any) -> Any:
    listed = [_attribute(key.replace("__", "."), value) for key, value in attributes.items()]
    times = {"startTimeUnixNano": str(start), "endTimeUnixNano": str(start + 1)}
    ids = {"traceId": trace, "spanId": name, "parentSpanId": parent}
    return {**ids, "name": name, **times, "attributes": listed}


def _export(*spans: Any) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": list(spans)}]}]}


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


GENAI = _export(
    _span(
        "t",
        "search",
        parent="root",
        start=2,
        gen_ai__operation__name="retrieval",
        gen_ai__retrieval__documents=json.dumps([{"id": "faq-1", "score": 0.9, "content": TEXT}]),
    ),
    _span(
        "t",
        "root",
        gen_ai__conversation__id="c",
        gen_ai__input__messages=[_message("system", "Be brief."), _message("user", ASKED)],
        gen_ai__output__messages=json.dumps([_message("assistant", SAID)]),
    ),
)
OPENINFERENCE = _export(
    _span(
        "t",
        "root",
        session__id="c",
        openinference__span__kind="CHAIN",
        input__value=json.dumps({"question": ASKED}),
        output__value=SAID,
    ),
    _span(
        "t",
        "search",
        parent="root",
        start=2,
        openinference__span__kind="RETRIEVER",
        input__value="shipping price",
        retrieval__documents__0__document__id="faq-1",
        retrieval__documents__0__document__content=TEXT,
    ),
)
PHOENIX = [
    {
        "name": "answer",
        "context": {"trace_id": "t", "span_id": "root"},
        "span_kind": "CHAIN",
        "parent_id": None,
        "start_time": "2026-01-01T00:00:00Z",
        "attributes": {"input.value": ASKED, "output.value": SAID, "session.id": "c"},
    },
    {
        "name": "search",
        "context": {"trace_id": "t", "span_id": "s"},
        "span_kind": "RETRIEVER",
        "parent_id": "root",
        "start_time": "2026-01-01T00:00:01Z",
        "attributes": {
            "retrieval": {"documents": [{"document": {"id": "faq-1", "content": TEXT}}]},
        },
    },
]
LANGFUSE = [
    {
        "trace": {
            "id": "t",
            "sessionId": "c",
            "timestamp": "2026-01-01T00:00:00Z",
            "input": {"messages": [{"role": "user", "content": ASKED}]},
            "output": {"answer": SAID},
        },
        "observations": [
            {
                "id": "s",
                "type": "RETRIEVER",
                "startTime": "2026-01-01T00:00:01Z",
                "output": [{"id": "faq-1", "page_content": TEXT}],
            }
        ],
    }
]
LANGFUSE_ROWS: list[
    dict[str, Any]
] = [  # observations with the fields of their trace, as blob storage has them
    {
        "id": "o1",
        "trace_id": "t",
        "session_id": "c",
        "parent_observation_id": None,
        "type": "SPAN",
        "start_time": "2026-01-01 00:00:00.000000",
        "input": json.dumps({"query": ASKED}),
        "output": json.dumps({"response": SAID}),
    },
    {
        "id": "o2",
        "trace_id": "t",
        "session_id": "c",
        "parent_observation_id": "o1",
        "type": "RETRIEVER",
        "start_time": "2026-01-01 00:00:01.000000",
        "input": "shipping",
        "output": json.dumps([{"id": "faq-1", "content": TEXT}]),
    },
]
LANGSMITH: list[dict[str, Any]] = [
    {
        "id": "t",
        "trace_id": "t",
        "parent_run_id": None,
        "run_type": "chain",
        "start_time": "2026-01-01T00:00:00",
        "inputs": {"input": ASKED, "chat_history": []},
        "outputs": {"output": SAID},
        "extra": {"metadata": {"thread_id": "c"}},
    },
    {
        "id": "r",
        "trace_id": "t",
        "parent_run_id": "t",
        "run_type": "retriever",
        "start_time": "2026-01-01T00:00:01",
        "inputs": {"query": "shipping"},
        "outputs": {"documents": [{"page_content": TEXT, "metadata": {"id": "faq-1"}}]},
    },
]
TRACES: dict[str, list[Any]] = {
    "OpenTelemetry": [GENAI],
    "OpenInference": [OPENINFERENCE],
    "Phoenix": PHOENIX,
    "Langfuse": LANGFUSE,
    "Langfuse rows": LANGFUSE_ROWS,
    "LangSmith": LANGSMITH,
}


def _rows(records: list[Any]) -> list[dict[str, Any]]:
    known = known_rows(list(enumerate(records, 1)))
    assert known is not None
    return [dict(row.cells) for row in known.rows]


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_is_a_turn_with_its_conversation_and_documents(name: str) -> None:
    (cells,) = _rows(TRACES[name])
    assert ("c", ASKED, SAID) == (cells["conversation"], cells["question"], cells["answer"])
    assert [("faq-1", TEXT)] == [(d["id"], d["text"]) for d in cells["context"]]


def test_a_trace_of_a_conversation_holds_its_turns_and_their_documents() -> None:
    found = json.dumps([{"id": "faq-1", "score": 0.9}])
    spans = [
        _span("t", "root", gen_ai__conversation__id="c"),
        _turn_span("one", 2, ASKED, SAID),
        _span("t", "s", parent="one", start=3, gen_ai__retrieval__documents=found),
        _turn_span("two", 9, "And returns?", "Free."),
    ]
    first, second = _rows([_export(*spans)])
    assert (ASKED, SAID, "faq-1") == (
        first["question"],
        first["answer"],
        first["context"][0]["id"],
    )
    assert ("c", "And returns?", "Free.") == (
        second["conversation"],
        second["question"],
        second["answer"],
    )
    assert "context" not in second


def _turn_span(name: str, start: int, question: str, answer: str) -> Any:
    return _span(
        "t",
        name,
        parent="root",
        start=start,
        gen_ai__operation__name="invoke_agent",
        gen_ai__conversation__id="c",
        gen_ai__input__messages=json.dumps([_message("user", question)]),
        gen_ai__output__messages=[_message("assistant", answer)],
    )


def test_each_root_of_a_trace_is_a_turn_and_calls_of_one_that_is_missing_are_one() -> None:
    def call(name: str, start: int, parent: str, answer: str) -> Any:
        said: dict[str, Any] = {"input__value": ASKED, "output__value": answer}
        return _span("t", name, parent=parent, start=start, session__id="c", **said)

    roots = _rows([_export(call("a", 1, "", "One."), call("b", 2, "", "Two."))])
    assert ["One.", "Two."] == [cells["answer"] for cells in roots]
    steps = _rows([_export(call("a", 1, "gone", "shipping price"), call("b", 2, "gone", SAID))])
    assert [(ASKED, SAID)] == [(cells["question"], cells["answer"]) for cells in steps]


def test_messages_of_openinference_come_one_key_each() -> None:
    said: dict[str, Any] = {
        "llm__input_messages__0__message__role": "user",
        "llm__input_messages__0__message__contents__0__message_content__text": ASKED,
        "llm__output_messages__0__message__role": "assistant",
        "llm__output_messages__0__message__content": SAID,
    }
    (cells,) = _rows([_export(_span("t", "root", openinference__span__kind="LLM", **said))])
    assert (ASKED, SAID) == (cells["question"], cells["answer"])


def test_two_passages_of_one_source_are_two() -> None:
    passages = [{"page_content": text, "metadata": {"source": "a.pdf"}} for text in ("x", "y")]
    (cells,) = _rows([LANGSMITH[0], {**LANGSMITH[1], "outputs": {"documents": passages}}])
    assert ["x", "y"] == [passage["text"] for passage in cells["context"]]


def test_turns_come_in_the_order_of_their_traces_and_an_empty_trace_is_none() -> None:
    def turn(trace: str, start: int, question: str, answer: str) -> Any:
        said: dict[str, Any] = {"input__value": question, "output__value": answer}
        return _span(trace, f"root-{trace}", start=start, session__id="c", **said)

    spans = [
        turn("b", 20, "Second?", "Two."),
        turn("a", 3, "First?", "One."),
        turn("c", 9, "", "x"),
    ]
    assert ["First?", "Second?"] == [cells["question"] for cells in _rows([_export(*spans)])]


def test_a_log_of_ones_own_with_a_session_and_a_time_is_no_trace() -> None:
    row = {"session_id": "s", "timestamp": "2026", "input": ASKED, "output": SAID}
    assert known_rows([(1, row), (2, row)]) is None


def test_spans_that_name_no_trace_are_one_a_record_and_a_trace_without_words_is_told() -> None:
    said: dict[str, Any] = {"input__value": ASKED, "output__value": SAID}
    records = [_export(_span("", "root", **said)), _export(_span("", "root", **said))]
    silent = _export(_span("t", "root", input__value=ASKED))
    known = known_rows(list(enumerate([*records, silent], 1)))
    assert known is not None
    assert [1, 2] == [row.line for row in known.rows]
    assert ("1 trace left out: no question or no answer in it",) == known.notes


def test_where_the_root_says_nothing_the_steps_below_do() -> None:
    root = _span("t", "root", gen_ai__conversation__id="c")
    step = _span("t", "llm", parent="root", start=2, input__value=ASKED, output__value=SAID)
    (cells,) = _rows([_export(root, step)])
    assert (ASKED, SAID, "c") == (cells["question"], cells["answer"], cells["conversation"])


CASES = {
    "RAGAS": (
        {
            "user_input": ASKED,
            "response": SAID,
            "retrieved_contexts": [TEXT],
            "reference": "3 pounds",
        },
        [{"question": ASKED, "answer": SAID, "context": [TEXT], "ground_truth": "3 pounds"}],
    ),
    "RAGAS of several turns": (
        {
            "user_input": [
                {"content": ASKED, "type": "human"},
                {"content": SAID, "type": "ai"},
                {"content": "And returns?", "type": "human"},
            ]
        },
        [
            {"conversation": "talk-1", "question": ASKED, "answer": SAID},
            {"conversation": "talk-1", "question": "And returns?"},
        ],
    ),
    "deepeval": (
        {
            "input": ASKED,
            "actual_output": SAID,
            "expected_output": "3 pounds",
            "retrieval_context": [TEXT],
        },
        [{"question": ASKED, "answer": SAID, "ground_truth": "3 pounds", "context": [TEXT]}],
    ),
    "deepeval, a conversation": (
        {
            "scenario": "Somebody asks for the price of shipping.",
            "expected_outcome": "3 pounds",
            "user_description": "in a hurry",
            "turns": [{"role": "user", "content": ASKED}, {"role": "assistant", "content": SAID}],
        },
        [
            {
                "conversation": "talk-1",
                "question": ASKED,
                "answer": SAID,
                "outcome": "3 pounds",
                "user_description": "in a hurry",
                "goal": "Somebody asks for the price of shipping.",
            }
        ],
    ),
    "messages": (
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": ASKED}]},
                {"role": "assistant", "content": SAID},
            ]
        },
        [{"conversation": "talk-1", "question": ASKED, "answer": SAID}],
    ),
    "OpenAI Evals": (
        {"input": [{"role": "user", "content": ASKED}], "ideal": ["3 pounds", "£3"]},
        [{"question": ASKED, "ground_truth": ["3 pounds", "£3"]}],
    ),
    "promptfoo": (
        {
            "vars": {"question": ASKED},
            "assert": [
                {"type": "icontains", "value": "3"},
                {"type": "contains-any", "value": ["pounds", "£"]},
                {"type": "similar", "value": "It costs 3 pounds."},
            ],
            "response": {"output": SAID},
        },
        [
            {
                "question": ASKED,
                "elements": ["3", ["pounds", "£"]],
                "ground_truth": ["It costs 3 pounds."],
                "answer": SAID,
            }
        ],
    ),
}


ROWS: dict[str, tuple[Any, list[Any]]] = {
    "what a bot says as it calls a tool is no answer": (
        {
            "messages": [
                {"role": "user", "content": ASKED},
                {"role": "assistant", "content": "Let me see.", "tool_calls": [{"id": "c"}]},
                {"role": "tool", "tool_call_id": "c", "content": "3"},
                {"role": "assistant", "content": SAID},
                {"role": "assistant", "content": "Anything else?"},
            ]
        },
        [
            {
                "conversation": "talk-1",
                "question": ASKED,
                "answer": f"{SAID}\nAnything else?",
            }
        ],
    ),
    "ids of passages, RAGAS": (
        {
            "user_input": ASKED,
            "response": SAID,
            "retrieved_context_ids": ["a"],
            "reference_context_ids": ["b"],
        },
        [{"question": ASKED, "answer": SAID, "retrieved": ["a"], "documents": ["b"]}],
    ),
    "an item of OpenAI Evals": (
        {"item": {"question": ASKED, "correct_label": "3"}, "sample": {"output_text": SAID}},
        [{"question": ASKED, "ground_truth": "3", "answer": SAID}],
    ),
    "asserts that forbid, and those that a model reads": (
        {
            "vars": {"question": ASKED},
            "assert": [
                {"type": "not-contains", "value": "dollar"},
                {"type": "llm-rubric", "value": "names the price"},
                {"type": "latency", "threshold": 9},
            ],
        },
        [{"question": ASKED, "must_not": ["dollar"], "criteria": ["names the price"]}],
    ),
    "a row of promptfoo's table": (
        {
            "question": ASKED,
            "__expected": "icontains: 3 pounds",
            "__expected2": "3 pounds.",
            "__expected3": "javascript: output",
            "__description": "price",
        },
        [{"question": ASKED, "elements": ["3 pounds"], "ground_truth": ["3 pounds."]}],
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_case_is_read_as_far_as_it_goes(name: str) -> None:
    record, rows = ROWS[name]
    assert rows == _rows([record])


@pytest.mark.parametrize("name", CASES)
def test_a_case_of_another_tool_is_a_row_of_ours(name: str) -> None:
    record, rows = CASES[name]
    assert rows == _rows([record])


def test_what_is_in_no_known_form_is_no_row() -> None:
    row = {"question": "a", "answer": "b"}
    assert known_rows([(1, row), (2, {**row, "messages": []})]) is None


def test_a_kind_of_record_that_is_not_known_is_told_once() -> None:
    known = known_rows(
        [(1, LANGFUSE[0]), (2, {"name": "s", "value": 1}), (3, {"name": "t", "value": 2})]
    )
    assert known is not None
    assert ('2 records of an unknown kind skipped; the keys: "name", "value"',) == known.notes


@pytest.mark.parametrize(
    "record",
    [
        {"vars": {"question": ASKED}, "assert": ["contains 3", None], "response": SAID},
        _export(
            _span("t", "a", input__value=ASKED, output__value=SAID)
            | {"events": [{"attributes": [{"key": "x", "value": {"kvlistValue": ["y"]}}]}]}
        ),
    ],
)
def test_what_is_of_no_use_in_a_record_is_passed_over(record: Any) -> None:
    (cells,) = _rows([record])
    assert (ASKED, SAID) == (cells["question"], cells["answer"])


_ODD: tuple[Any, ...] = (
    None,
    "",
    [],
    {},
    0,
    True,
    ["a"],
    [None],
    {"a": 1},
    "[1, 2",
    {"role": 1, "content": {}},
)


def _changed(value: Any) -> Iterator[Any]:
    """The value with each of its parts replaced by something of another kind, one at a time."""
    yield from _ODD
    items = enumerate(value) if isinstance(value, list) else ()
    for key, inner in value.items() if isinstance(value, dict) else items:
        for other in _changed(inner):
            if isinstance(value, dict):
                yield {**value, key: other}
            else:
                yield [*value[:key], other, *value[key + 1 :]]


@pytest.mark.parametrize("name", [*TRACES, *CASES, *ROWS])
def test_whatever_stands_in_a_record_it_is_read_or_passed_over(name: str) -> None:
    records = TRACES.get(name) or [(CASES.get(name) or ROWS[name])[0]]
    for changed in _changed(records):
        if isinstance(changed, list) and changed and all(isinstance(r, dict) for r in changed):
            known_rows(list(enumerate(changed, 1)))


@pytest.mark.parametrize(
    "said",
    [
        {"type": "text", "text": SAID},
        [{"type": "text", "text": SAID}],
        {"content": [{"type": "text", "text": SAID}]},
    ],
)
def test_a_part_of_a_message_is_its_text(said: Any) -> None:
    (cells,) = _rows([{"vars": {"question": ASKED}, "response": {"output": said}}])
    assert SAID == cells["answer"]


def test_jmespaths_say_where_the_columns_are() -> None:
    known = known_rows(
        [(4, {"in": {"q": ASKED}, "out": [SAID]})], {"question": "in.q", "answer": "out[0]"}
    )
    assert known is not None
    assert [(4, {"question": ASKED, "answer": SAID})] == [(r.line, r.cells) for r in known.rows]


@pytest.mark.parametrize(
    ("column", "path", "says"),
    [
        ("qestion", "a", 'no column "qestion"; did you mean question?'),
        ("answer", "a[", 'answer: "a[" isn\'t a JMESPath: it ends too early'),
    ],
)
def test_a_wrong_mapping_is_said(column: str, path: str, says: str) -> None:
    with pytest.raises(ValueError, match=r"answer|column") as raised:
        mapped(column, path)
    assert str(raised.value).startswith(says)


def _file(folder: Path, name: str, text: str) -> Source:
    (folder / name).write_text(text)
    return Source.of(folder / name, folder)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps({"data": LANGFUSE_ROWS}, indent=1)),
        ("a.json", json.dumps(GENAI, indent=1)),
        ("a.jsonl", json.dumps(GENAI)),
        ("a.jsonl", json.dumps(GENAI, indent=1)),
        ("a.json", json.dumps(LANGSMITH)),
    ],
)
def test_every_reader_takes_them(tmp_path: Path, name: str, text: str) -> None:
    source = _file(tmp_path, name, text)
    (answer,) = read_answers(source).rows()
    assert (ASKED, SAID) == (answer.exchange.user, answer.exchange.assistant)
    assert ["faq-1"] == [document.id for document in answer.exchange.documents]
    assert [ASKED] == read_questions(source, "en")
    (talk,) = read_dialogs(source).talks
    assert ("c", (ASKED,)) == (talk.id, talk.customer_turns)


CONFIG = """
prompts: ['{{question}}']
defaultTest: {vars: {shop: Fernhill}, assert: [{type: not-contains, value: dollar}]}
tests:
  - vars: {question: [How much is shipping?, And express?]}
    assert: [{type: icontains, value: 3 pounds}]
"""


def test_a_config_of_promptfoo_is_scenarios_and_questions_but_no_answers(tmp_path: Path) -> None:
    source = _file(tmp_path, "promptfooconfig.yaml", CONFIG)
    assert [ASKED, "And express?"] == read_questions(source, "en")
    for talk in read_dialogs(source).talks:
        assert ((("3 pounds",),), ("dollar",)) == (talk.wish.elements, talk.wish.must_not)
    with pytest.raises(InputError, match="no promptfoo record in it has an answer"):
        read_answers(source)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.csv",
            f"user_input,response,retrieved_contexts\n{ASKED},{SAID},\"['{TEXT}', 'More.']\"\n",
        ),
        ("a.csv", f"input,actual_output,retrieval_context\n{ASKED},{SAID},{TEXT}|More.\n"),
        (
            "a.json",
            json.dumps(
                {"user_input": ASKED, "response": SAID, "retrieved_contexts": [TEXT, "More."]}
            ),
        ),
    ],
)
def test_cases_in_a_table_have_lists_in_their_cells(tmp_path: Path, name: str, text: str) -> None:
    (answer,) = read_answers(_file(tmp_path, name, text)).rows()
    assert (ASKED, SAID) == (answer.exchange.user, answer.exchange.assistant)
    assert [TEXT, "More."] == [document.text for document in answer.exchange.documents]


def test_a_record_that_is_known_may_come_after_others(tmp_path: Path) -> None:
    lines = [{"exported": 1}, {"key": "score"}, *LANGSMITH]
    source = _file(tmp_path, "a.jsonl", "\n".join(map(json.dumps, lines)))
    answers = read_answers(source)
    assert (1, 2, "LangSmith") == (answers.count, len(answers.notes), answers.format)
    told: list[str] = []
    assert [ASKED] == read_questions(source, "en", note=told.append)
    assert list(answers.notes) == told


def test_own_columns_of_a_record_are_written_again(tmp_path: Path) -> None:
    case = {"user_input": ASKED, "response": SAID, "team": "blue"}
    answers = read_answers(_file(tmp_path, "a.jsonl", json.dumps(case)))
    assert ("user_input", "response", "team") == answers.written
    root = {**LANGFUSE_ROWS[0], "user_id": "u"}
    traced = read_answers(_file(tmp_path, "b.jsonl", json.dumps(root)))
    assert {"user_id", "question", "answer", "conversation"} <= {*traced.written}


def test_a_list_of_messages_is_a_conversation(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": SAID}]
    for name, text in (("a.json", json.dumps(talk)), ("b.jsonl", f"{json.dumps(talk)}\n" * 2)):
        source = _file(tmp_path, name, text)
        assert {SAID} == {answer.exchange.assistant for answer in read_answers(source).rows()}
        assert {(ASKED,)} == {talk.customer_turns for talk in read_dialogs(source).talks}


def test_talks_under_names_of_their_own_stay_talks_beside_a_mapping(tmp_path: Path) -> None:
    talk = {"utterances": [{"speaker": "customer", "text": ASKED}]}
    source = _file(tmp_path, "a.jsonl", json.dumps(talk))
    assert 1 == len(read_dialogs(source, mapping={"question": "inputs.q"}).talks)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_a_log_of_questions_and_answers_is_conversations(tmp_path: Path, name: str) -> None:
    rows = [("c", ASKED, SAID), ("c", "And returns?", "Free."), ("d", "Hours?", "9 to 5.")]
    text = {
        "a.csv": "session_id,question,answer\n" + "\n".join(map(",".join, rows)),
        "a.jsonl": "\n".join(
            json.dumps({"conversation_id": c, "query": q, "answer": a}, indent=1)
            for c, q, a in rows
        ),
        "a.json": json.dumps([{"session_id": c, "question": q, "answer": a} for c, q, a in rows]),
    }[name]
    source = _file(tmp_path, name, text)
    assert [("c", (ASKED, "And returns?")), ("d", ("Hours?",))] == [
        (talk.id, talk.customer_turns) for talk in read_dialogs(source).talks
    ]
    assert 3 == read_answers(source).count


def test_broken_json_is_said_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        read_answers(_file(tmp_path, "a.json", '{"data": [\n{"a": 1},\n]}'))
    assert "a.json:3: this isn't JSON" in str(raised.value)


def test_odd_records_are_no_crash(tmp_path: Path) -> None:
    item = {"input": ASKED, "ideal": SAID, "item": "a name"}
    rows = known_rows([(1, item)])
    assert rows is not None
    assert [{"question": ASKED, "ground_truth": SAID}] == [row.cells for row in rows.rows]
    attributes = {"input.value": ASKED, "output.value": SAID, f"llm.{'9' * 5_000}.x": 1}
    span = {"span_kind": "LLM", "context": {"trace_id": "t"}, "attributes": attributes}
    rows = known_rows([(1, span)])
    assert rows is not None
    assert [SAID] == [row.cells["answer"] for row in rows.rows]
