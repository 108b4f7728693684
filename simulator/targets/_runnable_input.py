"""What a LangChain runnable takes: which key gets the question, and how it hears of the talk."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, is_typeddict

from simulator.core.errors import InputError
from simulator.core.talk import Talk

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

    def given(self, question: str, talk: Talk, *, keeps_talk: bool) -> Any:
        """The input of one call. Who keeps the talk itself is told nothing but the question."""
        before = [] if keeps_talk else _messages(talk)
        asked = question if self.form == "text" else [*before, _human(question)]
        if self.key is None:
            return asked
        if self.history is None:
            return {self.key: asked}
        return {self.key: asked, self.history: _as(self.history_form, before)}

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
    told = set(_HISTORY_KEYS) | {history}
    own = [k for k in fields if k not in told]
    known = [k for k in own if k in _QUESTION_KEYS]
    needed = [k for k in own if k in required]
    for choice in (known, [k for k in known if k in needed], needed if not known else [], own):
        if len(choice) == 1:
            return choice[0]
    takes = ", ".join(fields) or "a mapping"
    raise InputError(
        f"target.input: the runnable takes {takes}; write the key that gets the question, "
        f"such as `input: {(known or own or ['question'])[0]}`"
    )


def _kinds(schema: Mapping[str, Any]) -> set[Any]:
    """The JSON types that are taken, as far as it is said."""
    return {schema.get("type"), *(one.get("type") for one in schema.get("anyOf", ()))}


def _form(schema: Mapping[str, Any], preferred: Form) -> Form:
    """The form that is preferred, unless the schema says that only the other one is taken."""
    kinds = _kinds(schema)
    if preferred == "text":
        return "messages" if "array" in kinds and "string" not in kinds else "text"
    return "text" if "string" in kinds and "array" not in kinds else "messages"


def _messages(talk: Talk) -> list[Any]:
    from langchain_core.messages import AIMessage

    return [
        message
        for said, answer in talk.history
        for message in (_human(said), AIMessage(content=answer))
    ]


def _human(text: str) -> Any:
    from langchain_core.messages import HumanMessage

    return HumanMessage(content=text)


def _as(form: Form, messages: list[Any]) -> Any:
    from langchain_core.messages import get_buffer_string

    return messages if form == "messages" else get_buffer_string(messages)
