"""The shapes in which bots answer."""

from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Document, Reply
from simulator.targets._shapes import HistoryShape, as_rag_reply, as_reply, history_of
from tests.targets.fakes import talk_of

Answer = namedtuple("Answer", ["text", "documents"])


@dataclass
class Loaded:
    """A document as LangChain makes it."""

    page_content: Any
    metadata: Any = field(default_factory=dict)
    id: str | None = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", Reply("text")),
        (Reply("text", (Document("d"),), 7.0), Reply("text", (Document("d"),))),
        (("text", ["a", "b"]), Reply("text", (Document("a"), Document("b")))),
        (("text", None), Reply("text")),
        (("text", []), Reply("text", reports_documents=True)),
        (Answer("text", ()), Reply("text", reports_documents=True)),
        ({"answer": "text"}, Reply("text")),
        ({"answer": "text", "documents": None}, Reply("text")),
        ({"answer": "text", "documents": []}, Reply("text", reports_documents=True)),
        (Reply("text", reports_documents=True), Reply("text", reports_documents=True)),
        ({"answer": "text", "documents": ["a"], "cost": 1}, Reply("text", (Document("a"),))),
        (("text", "one document"), Reply("text", (Document("one document"),))),
        (("text", {"text": "one"}), Reply("text", (Document("one"),))),
        (("text", (d for d in "ab")), Reply("text", (Document("a"), Document("b")))),
    ],
)
def test_every_documented_shape_is_read(value: object, expected: Reply) -> None:
    assert expected == as_reply(value)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("text", Document("text")),
        (Document("text", "a", "t"), Document("text", "a", "t")),
        ({"text": "text"}, Document("text")),
        ({"text": "text", "id": 56, "title": "t"}, Document("text", "56", "t")),
        ({"content": "text", "id": "a", "title": "t"}, Document("text", "a", "t")),
        ({"text": "text", "content": "all of it"}, Document("text")),
        ({"id": 7}, Document("", "7")),
        ({"id": "a", "title": "t", "score": 0.5}, Document("", "a", "t")),
        (Loaded("text"), Document("text")),
        (Loaded("text", {"id": "a", "source": "b"}), Document("text", "a")),
        (Loaded("text", {"source": "b.md", "title": "t"}), Document("text", "b.md", "t")),
        (Loaded("text", {"source": "b.md"}, id="own"), Document("text", "own")),
        (Loaded("text", None), Document("text")),
        ({"page_content": "text", "metadata": {"id": "a"}}, Document("text", "a")),
        ({"text": "text", "metadata": {"id": 7, "title": "T"}}, Document("text", "7", "T")),
        ({"content": "text", "id": "b", "metadata": {"id": "a"}}, Document("text", "b")),
        ({"text": "text", "title": "T", "metadata": {"source": "a"}}, Document("text", "a", "T")),
        ({"page_content": "text", "title": "T", "metadata": None}, Document("text", None, "T")),
    ],
)
def test_every_documented_shape_of_a_document_is_read(document: object, expected: Document) -> None:
    assert (expected,) == as_reply(("answer", [document])).documents
    if not isinstance(document, str):
        assert (expected,) == as_reply(("answer", document)).documents


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (42, r"int \(42\) as its answer; expected text, \(text, documents\)"),
        (b"text", r"bytes \(b'text'\) as its answer"),
        (["a", "b"], r"list \(\['a', 'b'\]\) as its answer; expected text,"),
        (("a", "b", "c"), r"tuple \(.*\) as its answer"),
        (("text", 5), r"int \(5\) as its documents; expected a list of documents"),
        (("text", b"ab"), "as its documents"),
        (("text", [5]), r"int \(5\) as a document; expected text, \{id\}, \{id, text\}"),
        (("text", [("d", 0.5)]), r"tuple \(\('d', 0.5\)\) as a document"),
        (("text", [{"body": "d"}]), "as a document"),
        (("text", [{"content": 5}]), r"int \(5\) as the text of a document"),
        (("text", [{"text": None}]), r"NoneType \(None\) as the text of a document"),
        (("text", [Loaded(5)]), r"int \(5\) as the text of a document"),
        (Reply("text", (5,)), r"int \(5\) as a document"),  # type: ignore[arg-type]
        ({"result": 1, "source": 2}, r"without `answer` \(its keys: result, source\)"),
        ({}, r"without `answer` \(its keys: nothing\)"),
        ("x" * 0 or ["y" * 1000], r"list \(\['y{70,80}…\)"),
    ],
)
def test_a_complaint_says_what_came_back_and_what_is_right(value: object, complaint: str) -> None:
    with pytest.raises(TargetError, match=complaint) as caught:
        as_reply(value)
    assert TargetFault.INVALID == caught.value.fault


@pytest.mark.parametrize("value", [None, (None, ["d"]), {"answer": None}, Reply(None)])  # type: ignore[arg-type]
def test_none_is_an_empty_answer(value: object) -> None:
    with pytest.raises(TargetError) as caught:
        as_reply(value)
    assert TargetFault.EMPTY == caught.value.fault


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.tuples(inner, inner, inner)
        | st.dictionaries(
            st.sampled_from(["answer", "documents", "text", "id", "role", "content"]), inner
        )
    ),
    max_leaves=8,
)


@given(_JSON, st.sampled_from(["pairs", "messages"]))
def test_whatever_comes_back_is_a_reply_or_a_failure(value: object, shape: HistoryShape) -> None:
    for read in (as_reply, lambda v: as_rag_reply(v, [], shape)):
        try:
            reply = read(value)
        except TargetError:
            continue
        assert isinstance(reply.text, str)
        assert all(isinstance(d.text, str) for d in reply.documents)


def test_messages_are_the_pairs_with_their_roles() -> None:
    talk = talk_of(("a", "b"), ("c", "d"))
    assert [("a", "b"), ("c", "d")] == history_of(talk, "pairs")
    assert [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "c"},
        {"role": "assistant", "content": "d"},
    ] == history_of(talk, "messages")


class TestOlderForm:
    """`rag(query, history, prompt) -> (_, history, documents)`."""

    @pytest.mark.parametrize(
        ("value", "given", "shape", "expected"),
        [
            ((None, [("q", "answer")], []), [], "pairs", "answer"),
            (("the prompt", [["q", "answer"]], None), [], "pairs", "answer"),
            ((None, [("a", "b"), ("q", "answer")], []), [("a", "b")], "pairs", "answer"),
            # A history that was trimmed to its last entry.
            ((None, [("q", "answer")], []), [("a", "b")], "pairs", "answer"),
            # The same words as before are an answer, too.
            ((None, [("a", "b"), ("a", "b")], []), [("a", "b")], "pairs", "b"),
            (
                (
                    None,
                    [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}],
                    0,
                ),
                [],
                "messages",
                "a",
            ),
            # No entry for this turn: the first item speaks.
            (("answer", [("a", "b")], []), [("a", "b")], "pairs", "answer"),
            (("answer", [], []), [], "pairs", "answer"),
            (("answer", None, []), [], "pairs", "answer"),
        ],
    )
    def test_the_answer_is_the_last_entrys(
        self, value: Any, given: list[Any], shape: HistoryShape, expected: str
    ) -> None:
        value = (*value[:2], value[2] or None)
        assert Reply(expected) == as_rag_reply(value, given, shape)

    @pytest.mark.parametrize(
        ("documents", "expected"),
        [
            (None, Reply("a")),
            ([], Reply("a", reports_documents=True)),
            (["d"], Reply("a", (Document("d"),))),
        ],
    )
    def test_an_empty_list_says_that_nothing_was_found(
        self, documents: list[str] | None, expected: Reply
    ) -> None:
        assert expected == as_rag_reply((None, [("q", "a")], documents), [], "pairs")

    @pytest.mark.parametrize(
        ("value", "complaint"),
        [
            ("text", r"str \('text'\); expected \(anything, history, documents\)"),
            ((None, [("a", "b")], []), "a history without an entry for this turn"),
            ((None, [], []), "a history without an entry for this turn"),
            ((None, "q: answer", []), r"str \('q: answer'\) as its history"),
            ((None, [{"role": "user", "content": "q"}], []), "a history that ends with dict"),
            ((None, ["q", "answer"], []), r"a history that ends with str \('answer'\)"),
            (
                (None, [{"role": "assistant", "content": "a"}], []),
                "a history of messages; add `history: messages` to the target's settings",
            ),
            ((None, [("q", 5)], []), r"int \(5\) as its answer"),
        ],
    )
    def test_a_complaint_says_what_came_back(self, value: object, complaint: str) -> None:
        with pytest.raises(TargetError, match=complaint) as caught:
            as_rag_reply(value, [("a", "b")], "pairs")
        assert TargetFault.INVALID == caught.value.fault
