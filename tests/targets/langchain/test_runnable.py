"""What runnables come back with, in all the shapes that LangChain's chains have."""

from typing import Any

import pytest
from langchain_core.documents import Document as Found
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from pydantic import BaseModel

from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Document, Reply
from simulator.targets.langchain.runnable import Keys, read_output

FEES = Found(page_content="Fees are 5.", metadata={"source": "fees.md", "title": "Fees"})
READ = Document("Fees are 5.", "fees.md", "Fees")


class Structured(BaseModel):
    answer: str
    context: list[Any]


@pytest.mark.parametrize(
    "value",
    [
        "said",
        AIMessage("said"),
        AIMessageChunk(content="said"),
        AIMessage([{"type": "text", "text": "sa"}, {"type": "image_url"}, "id"]),
        [HumanMessage("q"), AIMessage("said")],
        {"answer": "said"},
        {"input": "q", "output": AIMessage("said")},
        {"query": "q", "result": "said"},
        {"messages": [HumanMessage("q"), AIMessage("said")]},
        {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "said"}]},
        {"answer": None, "messages": [AIMessage("said")]},
    ],
)
def test_the_answer_is_found_in_every_shape(value: object) -> None:
    assert Reply("said") == read_output(value, Keys())


@pytest.mark.parametrize(
    "value",
    [
        {"answer": "said", "context": [FEES]},
        {"result": "said", "source_documents": (FEES,)},
        {"answer": "said", "documents": [FEES]},
        {"answer": "said", "context": {"user": 1}, "source_documents": [FEES]},
        ("said", [FEES]),
        {"messages": [ToolMessage("f", tool_call_id="1", artifact=[FEES]), AIMessage("said")]},
        [ToolMessage("f", tool_call_id="1", artifact=[FEES]), AIMessage("said")],
        Structured(answer="said", context=[FEES]),
    ],
)
def test_documents_are_found_in_every_shape(value: object) -> None:
    found = read_output(value, Keys())
    assert ("said", (READ,)) == (found.text, found.documents)


def test_a_context_of_text_is_one_document_without_an_id() -> None:
    found = read_output({"answer": "said", "context": "Fees are 5."}, Keys())
    assert Reply("said", (Document("Fees are 5."),)) == found


@pytest.mark.parametrize("nothing", [[], "", " \n"])
def test_no_documents_where_they_belong_is_a_search_that_found_none(nothing: object) -> None:
    found = read_output({"answer": "said", "context": nothing}, Keys())
    assert Reply("said", reports_documents=True) == found


def test_keys_that_are_written_go_before_the_usual_ones() -> None:
    value = {"answer": "draft", "final": "said", "context": [], "passages": [FEES]}
    found = read_output(value, Keys(answer="final", documents="passages"))
    assert Reply("said", (READ,)) == found


@pytest.mark.parametrize(
    ("document", "key", "name"),
    [
        (Found(page_content="t", id="own", metadata={"id": "faq-1"}), None, "faq-1"),
        (Found(page_content="t", id="own", metadata={"source": "f.md"}), None, "own"),
        (Found(page_content="t", id="own", metadata={"source": "f.md"}), "source", "f.md"),
        (Found(page_content="t"), None, None),
    ],
)
def test_a_document_is_named_by_its_metadata_or_its_own_id(
    document: Found, key: str | None, name: str | None
) -> None:
    value = {"answer": "said", "context": [document]}
    (read,) = read_output(value, Keys(document_id=key)).documents
    assert Document("t", name) == read


@pytest.mark.parametrize(
    ("value", "note"),
    [
        ({"answer": "said", "context": []}, "`documents: found` matches nothing; the output has"),
        ("said", "`documents: found` matches nothing; the output is not a mapping but str"),
    ],
)
def test_documents_that_are_not_where_the_file_says_are_noted(value: object, note: str) -> None:
    read = read_output(value, Keys(documents="found"))
    assert ("said", (), False) == (read.text, read.documents, read.reports_documents)
    assert read.notes[0].startswith(note)


def test_a_context_that_is_something_else_is_noted() -> None:
    read = read_output({"answer": "said", "context": {"user": 1}}, Keys())
    assert (False, ("'context' has no documents, but dict ({'user': 1})",)) == (
        read.reports_documents,
        read.notes,
    )


@pytest.mark.parametrize(
    ("value", "keys", "fault", "complaint"),
    [
        (None, Keys(), TargetFault.EMPTY, "None"),
        ({"answer": None}, Keys(), TargetFault.EMPTY, "None"),
        (5, Keys(), TargetFault.INVALID, r"int \(5\) as its answer; expected text,"),
        ({"answer": 5}, Keys(), TargetFault.INVALID, r"int \(5\) as its answer"),
        ({"found": "t"}, Keys(), TargetFault.INVALID, r"without an answer \(its keys: found\)"),
        ({}, Keys(), TargetFault.INVALID, r"without an answer \(its keys: nothing\)"),
        (
            {"answer": "t"},
            Keys(answer="final"),
            TargetFault.INVALID,
            r"without 'final' \(it has answer\); fix `answer:`",
        ),
        ({"answer": "t", "x": 5}, Keys(documents="x"), TargetFault.INVALID, "as its documents"),
        ([HumanMessage("q")], Keys(), TargetFault.INVALID, "without one of the bot's"),
        ([object()], Keys(), TargetFault.INVALID, r"list \(\[<object"),
    ],
)
def test_what_holds_no_answer_is_explained(
    value: object, keys: Keys, fault: TargetFault, complaint: str
) -> None:
    with pytest.raises(TargetError, match=complaint) as caught:
        read_output(value, keys)
    assert fault == caught.value.fault
