"""What a LangChain runnable takes, and what it comes back with, read into one Reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, is_typeddict

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
    convert_to_messages,
    get_buffer_string,
)
from pydantic import BaseModel

from simulator.core.clean import cut
from simulator.core.errors import InputError
from simulator.core.talk import Document, Reply, Talk
from simulator.targets._shapes import as_reply, came_with, document_name, shown_value

Form = Literal["text", "messages"]

_QUESTION_KEYS = ("input", "question", "query", "messages")
_HISTORY_KEYS = ("chat_history", "history")


@dataclass(frozen=True, slots=True)
class Shape:
    """How a runnable is called.

    `key` gets the question; None: the question is the whole input. `form` is what the question is
    given as: text, or a list of messages, the last of which it is. `history` is the key that gets
    the talk so far, as `history_form` says; None: it is told with the messages, or not at all.
    `guessed`: the runnable does not say what it takes.
    """

    key: str | None
    form: Form
    history: str | None = None
    history_form: Form = "messages"
    guessed: bool = False

    def input_of(self, question: str, talk: Talk, *, keeps_talk: bool) -> Any:
        """The input of one call. Who keeps the talk itself is told nothing but the question."""
        before: list[BaseMessage] = []
        for user, assistant in () if keeps_talk else talk.history:
            before += [HumanMessage(content=user), AIMessage(content=assistant)]
        last = question if self.form == "text" else [*before, HumanMessage(content=question)]
        if self.key is None:
            return last
        if self.history is None:
            return {self.key: last}
        history = before if self.history_form == "messages" else get_buffer_string(before)
        return {self.key: last, self.history: history}

    @property
    def tells_talk(self) -> bool:
        """Whether the talk so far goes with the question."""
        return self.form == "messages" or self.history is not None


def shape_of(runnable: Any, key: str | None, history: str | None) -> Shape:
    """How a runnable is called, by what the client file says and by what it says of itself.

    Raises:
        InputError: it takes several things, and none of them is surely the question.
    """
    schema = _schema(runnable)
    fields = schema.get("properties", {})
    if key is None and history is None and schema.get("type") != "object":
        # A chat model takes text as well, but only messages tell it what was said before.
        form: Form = "messages" if "array" in _kinds(schema) else "text"
        return Shape(None, form, guessed=not {"type", "anyOf"} & schema.keys())
    key = key or _question_key(fields, schema.get("required", ()), history)
    if history is None:
        history = next((k for k in _HISTORY_KEYS if k in fields and k != key), None)
    return Shape(
        key,
        form=_form(fields.get(key, {}), "messages" if key == "messages" else "text"),
        history=history,
        history_form=_form(fields.get(history or "", {}), "messages"),
    )


def _schema(runnable: Any) -> Mapping[str, Any]:
    """The JSON schema of its input; empty where it has none to tell."""
    try:
        schema = runnable.get_input_jsonschema()
    except Exception:  # noqa: BLE001 - made of the bot's own types, which may not be JSON's
        return _mapping_schema(getattr(runnable, "InputType", None))
    if not isinstance(schema, Mapping) or schema.get("properties", {}).keys() == {"root"}:
        return {}  # `root` is LangChain's word for "anything"
    return schema


def _mapping_schema(kind: Any) -> Mapping[str, Any]:
    """What is known of a TypedDict, such as the state of a graph, by its keys alone."""
    if not is_typeddict(kind):
        return {}
    fields: dict[str, Any] = {key: {} for key in kind.__annotations__}
    return {"type": "object", "properties": fields, "required": sorted(kind.__required_keys__)}


def _question_key(fields: Mapping[str, Any], required: Any, history: str | None) -> str:
    own = [key for key in fields if key not in (*_HISTORY_KEYS, history)]
    usual = [key for key in own if key in _QUESTION_KEYS]
    needed = [key for key in own if key in required]
    for choice in (usual, [k for k in usual if k in needed], needed if not usual else [], own):
        if len(choice) == 1:
            return choice[0]
    takes = ", ".join(fields) or "a mapping"
    raise InputError(
        f"target.input: the runnable takes {takes}; write the key that gets the question, "
        f"such as `input: {(usual or own or ['question'])[0]}`"
    )


def _kinds(schema: Mapping[str, Any]) -> set[Any]:
    """The JSON types that are taken, as far as it is said."""
    return {kind.get("type") for kind in (schema, *schema.get("anyOf", ()))}


def _form(schema: Mapping[str, Any], preferred: Form) -> Form:
    """The form that is preferred, unless the schema says that only the other one is taken."""
    kinds = _kinds(schema)
    forms: tuple[tuple[str, Form], ...] = (("string", "text"), ("array", "messages"))
    taken = [form for kind, form in forms if kind in kinds]
    return taken[0] if len(taken) == 1 else preferred


ANSWER_KEYS = ("answer", "output", "result", "response", "text", "messages")
DOCUMENT_KEYS = ("context", "source_documents", "documents")

_RIGHT = (
    "expected text, (text, documents), a message, or a mapping with one of these, "
    f"as {', '.join(ANSWER_KEYS)}, or under the key that `answer:` names"
)


@dataclass(frozen=True, slots=True)
class Keys:
    """Where an output holds what is looked for; None: under one of the usual keys.

    `document_id` is the key of a document's metadata that names it; None: see `document_name`.
    """

    answer: str | None = None
    documents: str | None = None
    document_id: str | None = None


def read_output(value: object, keys: Keys) -> Reply:
    """The reply that a runnable's output amounts to, not yet sanitised; its latency is 0.

    Raises:
        TargetError: EMPTY for None, INVALID for something that holds no answer.
    """
    if isinstance(value, BaseModel) and not isinstance(value, BaseMessage):
        value = dict(value)  # a structured output
    if isinstance(value, Mapping):
        return _of_mapping(value, keys)
    notes: tuple[str, ...] = ()
    if keys.documents:
        kind = type(value).__name__
        nothing = f"`documents: {keys.documents}` matches nothing"
        notes = (f"{nothing}; the output is not a mapping but {kind}",)
    match value:
        case (str() as text, documents) if isinstance(value, tuple):
            return _reply(text, documents, keys, notes)
    return _reply(_text(value), _artifacts(value), keys, notes)


def _of_mapping(output: Mapping[str, Any], keys: Keys) -> Reply:
    if stopped := output.get("__interrupt__"):
        raise came_with(f"an interrupt, which mogi can't resume: {cut(str(stopped), 200)}")
    answer = output[_answer_key(output, keys.answer)]
    documents, notes = _documents_of(output, keys.documents)
    if documents is None:
        documents = _artifacts(output.get("messages"))
    return _reply(_text(answer), documents, keys, notes)


def _reply(text: object, documents: object, keys: Keys, notes: tuple[str, ...]) -> Reply:
    if isinstance(documents, str):
        documents = [documents] if documents.strip() else []
    if isinstance(documents, Sequence):
        documents = [_document(document, keys.document_id) for document in documents]
    return replace(as_reply((text, documents)), notes=notes)


def _answer_key(output: Mapping[str, Any], wanted: str | None) -> str:
    if wanted is not None:
        if wanted not in output:
            raise came_with(
                f"a mapping without {wanted!r} (it has {_names(output)}); fix `answer:`"
            )
        return wanted
    present = [key for key in ANSWER_KEYS if key in output]
    if not present:
        raise came_with(f"a mapping without an answer (its keys: {_names(output)}); {_RIGHT}")
    return next((key for key in present if output[key] is not None), present[0])


def _documents_of(output: Mapping[str, Any], wanted: str | None) -> tuple[object, tuple[str, ...]]:
    """What stands where documents are looked for; None where there are none, and why."""
    if wanted is not None:
        if wanted in output:
            return output[wanted], ()
        return None, (f"`documents: {wanted}` matches nothing; the output has {_names(output)}",)
    notes = []
    for key in DOCUMENT_KEYS:
        if _are_documents(output.get(key)):
            return output[key], ()
        if key in output:
            notes.append(f"{key!r} has no documents, but {shown_value(output[key])}")
    return None, tuple(notes)


def _are_documents(value: object) -> bool:
    if isinstance(value, str):
        return True
    return isinstance(value, list | tuple) and all(
        isinstance(entry, str | Document)
        or hasattr(entry, "page_content")
        or (isinstance(entry, Mapping) and {"text", "content", "page_content"} & entry.keys())
        for entry in value
    )


def _artifacts(messages: object) -> list[Any] | None:
    """The documents that tools of an agent found in this turn; None where no tool gave any."""
    if not isinstance(messages, list | tuple):
        return None
    artifacts = [m.artifact for m in _this_turn(messages) if isinstance(m, ToolMessage)]
    lists = [a for a in artifacts if isinstance(a, list | tuple) and _are_documents(a)]
    return list(chain.from_iterable(lists)) if lists else None


def _this_turn(messages: Sequence[Any]) -> Sequence[Any]:
    """What came after the last thing that a person said."""
    last = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage)), default=-1)
    return messages[last + 1 :]


def _text(value: object) -> object:
    """The text of an answer, whatever it is given as; None stays None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, BaseMessage):
        return str(value.text)  # without what the model thought or called
    if not isinstance(value, list | tuple):
        raise came_with(f"{shown_value(value)} as its answer; {_RIGHT}")
    try:  # a graph may hold messages as pairs or mappings
        messages = convert_to_messages(list(value))
    except (ValueError, TypeError, NotImplementedError) as error:
        raise came_with(f"{shown_value(value)} as its answer; {_RIGHT}") from error
    answers = [m for m in _this_turn(messages) if isinstance(m, AIMessage)]
    if not answers:
        raise came_with("messages without one of the bot's after the last question")
    return str(answers[-1].text)


def _document(value: Any, id_key: str | None) -> Any:
    """A LangChain document as mogi's; anything else is left as it is."""
    text, metadata = getattr(value, "page_content", None), getattr(value, "metadata", None)
    if not isinstance(text, str) or not isinstance(metadata, Mapping):
        return value
    name = document_name(metadata, id_key, getattr(value, "id", None), metadata.get("source"))
    title = metadata.get("title")
    return Document(text, name, "" if title is None else str(title))


def _names(output: Mapping[str, Any]) -> str:
    return ", ".join(map(str, output)) or "nothing"
