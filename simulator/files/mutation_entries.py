"""mutations.yaml as people write it: every key, and what is right for it."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from simulator.core.mutation import Base, Must
from simulator.files.fields import AnyText, Name, Share, Text, Texts, Written, YesNo


class DocumentEntry(Written):
    """A document of the knowledge base by its id, or one with a text of its own."""

    id: Name | None = None
    title: AnyText = ""
    text: Text | None = None


def _as_document(value: Any) -> Any:
    return {"id": value} if isinstance(value, str | int | float) else value


_Document = Annotated[
    DocumentEntry, BeforeValidator(_as_document), Field(description="an id, or {id, title, text}")
]
_Documents = Annotated[
    tuple[_Document, ...], Field(strict=False, description="a list of ids, or of {id, title, text}")
]


class MutationEntry(Written):
    """One change of an answer: one of `answer`, `append`, `prepend`, `replace`, `documents`."""

    kind: Annotated[Name, Field(description="the kind of change, such as wrong_number")]
    must: Must | None = None
    by: Share | None = None
    of: Base | None = None
    answer: Text | None = None
    append: Text | None = None
    prepend: Text | None = None
    replace: (
        Annotated[dict[str, Text], Field(min_length=1, description='{"what stands": "what then"}')]
        | None
    ) = None
    documents: _Documents | None = None


class CaseEntry(Written):
    """A question, what the bot retrieved, a good and a weak answer, and changes of these."""

    id: Annotated[Name, Field(description="a name of its own")]
    question: Annotated[Text, Field(description="what the user asks")]
    goal: AnyText = ""
    documents: _Documents | None = None
    elements: Texts = ()
    answerable: YesNo = True
    good: Text | None = None
    weak: Text | None = None
    mutations: Annotated[
        tuple[MutationEntry, ...],
        Field(strict=False, min_length=1, description="a list of changes, each with its kind"),
    ]


class SetEntry(Written):
    """A mutations.yaml as people write it."""

    knowledge: Annotated[Text, Field(description="the path of a knowledge base")] | None = None
    persona: Annotated[Name, Field(description="the id of a persona")] | None = None
    shipped: YesNo = True
    cases: Annotated[
        tuple[CaseEntry, ...],
        Field(strict=False, min_length=1, description="a list of at least one case"),
    ]
