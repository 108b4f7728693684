"""Documents in what a bot sent: texts, ids and titles brought together, or a note why not."""

from typing import Any

import pytest

from simulator.core.talk import Document
from simulator.targets._wire.parts import PartSettings, PartsForm, PartsReader
from simulator.targets._wire.reading import Paths, RetrievedDocuments

BODY = {
    "texts": ["x", "y"],
    "ids": ["a", 2],
    "titles": ["X", None],
    "one": ["a"],
    "objects": [{"id": "a", "content": "x", "title": "X"}, {"page_content": "y", "metadata": {}}],
    "single": {"id": 1, "text": "x"},
    "mixed": ["x", 7],
    "none": None,
    "empty": [],
    "bad": [{"id": {"deep": 1}}],
}


def _read(documents: str | None = None, ids: str | None = None, **more: Any) -> RetrievedDocuments:
    return Paths("answer", documents, ids, **more).documents_in(BODY, "the body")


@pytest.mark.parametrize(
    ("paths", "documents"),
    [
        (("texts",), (Document("x"), Document("y"))),
        (("texts", "ids"), (Document("x", "a"), Document("y", "2"))),
        (("objects",), (Document("x", "a", "X"), Document("y"))),
        (("objects", "ids"), (Document("x", "a", "X"), Document("y", "2"))),
        (("single",), (Document("x", "1"),)),
        (("texts[0]",), (Document("x"),)),
        (("empty",), ()),
        (("empty", "empty"), ()),
        ((None, "ids"), (Document("", "a"), Document("", "2"))),
        ((None, "ids[0]"), (Document("", "a"),)),
        ((None, "empty"), ()),
    ],
)
def test_documents_are_read_in_every_shape(paths: tuple[Any], documents: tuple[Document]) -> None:
    assert RetrievedDocuments(documents) == _read(*paths)


def test_titles_are_added_and_none_is_no_title() -> None:
    assert RetrievedDocuments((Document("x", "a", "X"), Document("y", "2"))) == _read(
        "texts", "ids", titles="titles"
    )


def test_of_ids_alone_the_text_is_that_of_the_clients_own_passage() -> None:
    known = {"a": Document("passage", "a", "Title")}
    assert RetrievedDocuments((known["a"], Document("", "2"))) == _read(None, "ids", passages=known)


@pytest.mark.parametrize(
    ("paths", "documents", "note"),
    [
        (("missing",), None, 'documents: "missing" matches nothing: the body has no `missing`'),
        (("none",), None, 'documents: "none" matches nothing: `none` is null'),
        (("mixed",), None, 'documents: at "mixed" it returned int (7) as a document'),
        (("bad",), None, "as a document; expected text, {id}, {id, text}"),
        (("texts", "one"), (Document("x"), Document("y")), "document_ids: 1 for 2 documents, so"),
        (("texts", "missing"), (Document("x"), Document("y")), 'document_ids: "missing" matches'),
        (("texts", "bad[].id"), (Document("x"), Document("y")), "has no list of texts"),
        (("missing", "ids"), (Document("", "a"), Document("", "2")), '"missing" matches'),
        ((None, "missing"), None, 'document_ids: "missing" matches nothing'),
        ((None, "none"), None, "`none` is null"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_a_note(
    paths: tuple[Any], documents: tuple[Document, ...] | None, note: str
) -> None:
    found = _read(*paths)
    assert documents == found.documents
    (told,) = found.notes
    assert note in told


def test_which_id_belongs_to_which_text_is_not_guessed() -> None:
    (note,) = _read("texts", "one").notes
    assert 'select both in one path, such as documents: "sources[].{id: id, text: text}"' in note


def test_without_paths_there_is_nothing_to_read() -> None:
    assert RetrievedDocuments() == _read()


def test_documents_that_only_say_which_they_are_have_the_text_of_the_clients_own() -> None:
    came = [{"id": "a", "title": "A"}, {"title": "B", "url": "https://b"}, {"id": "x", "text": ""}]
    own = {"a": Document("text of a", "a", "A")}, {"B": Document("text of b", "b", "B")}
    read = Paths("answer", "sources", None, None, *own).documents_in({"sources": came}, "the body")
    assert (
        Document("text of a", "a", "A"),
        Document("text of b", None, "B"),
        Document("", "x"),
    ) == read.documents
    [note] = read.notes
    assert note.startswith("documents: 1 of 3 came without text, and `knowledge` has none with")


def test_so_it_is_with_documents_of_a_stream() -> None:
    paths = Paths("delta", "sources", passages={"a": Document("text of a", "a")})
    reader = PartsReader(PartsForm(paths, PartSettings(), "delta"))
    reader.take('{"sources": [{"id": "a"}, {"id": "x", "title": "X"}]}')
    reader.take('{"delta": "hello"}')
    reply = reader.reply()
    assert (Document("text of a", "a"), Document("", "x", "X")) == reply.documents
    assert "1 of 2 came without text" in "".join(reply.notes)
