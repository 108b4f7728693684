"""What a LangChain runnable comes back with, read into one Reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.core.clean import cut
from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Document, Reply
from simulator.targets._naming import document_name
from simulator.targets._shapes import as_reply

ANSWER_KEYS = ("answer", "output", "result", "response", "text", "messages")
DOCUMENT_KEYS = ("context", "source_documents", "documents")

_RIGHT = (
    "right are: text, (text, documents), a message, or a mapping that holds one of these, "
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


def reply_of(value: object, keys: Keys) -> Reply:
    """The reply that a runnable's output amounts to, not yet sanitised; its latency is 0.

    Raises:
        TargetError: EMPTY for None, INVALID for something that holds no answer.
    """
    output = _mapping(value)
    notes: tuple[str, ...]
    if output is None:
        notes = (_no_mapping(keys.documents, value),) if keys.documents else ()
        match value:
            case (str() as text, found) if isinstance(value, tuple):
                return _reply(text, found, keys, notes)
        return _reply(_text(value), _artifacts(value), keys, notes)
    _check_interrupt(output)
    answer = output[_answer_key(output, keys.answer)]
    found, notes = _found(output, keys.documents)
    if found is None:
        found = _artifacts(output.get("messages"))
    return _reply(_text(answer), found, keys, notes)


def _reply(text: object, found: object, keys: Keys, notes: tuple[str, ...]) -> Reply:
    if isinstance(found, str):
        found = [found] if found.strip() else []
    if isinstance(found, Sequence):
        found = [_document(one, keys.document_id) for one in found]
    read = as_reply((text, found))
    return Reply(read.text, read.documents, reports_documents=read.reports_documents, notes=notes)


def _mapping(value: object) -> Mapping[str, Any] | None:
    """The output's keys, also of a structured output; None for a message or anything else."""
    from langchain_core.messages import BaseMessage
    from pydantic import BaseModel

    if isinstance(value, Mapping):
        return value
    if isinstance(value, BaseModel) and not isinstance(value, BaseMessage):
        return dict(value)
    return None


def _answer_key(output: Mapping[str, Any], wanted: str | None) -> str:
    if wanted is not None:
        if wanted not in output:
            raise _invalid(
                f"a mapping without {wanted!r} (it holds {_names(output)}); mend `answer:`"
            )
        return wanted
    there = [key for key in ANSWER_KEYS if key in output]
    if not there:
        raise _invalid(f"a mapping without an answer (it holds {_names(output)}); {_RIGHT}")
    return next((key for key in there if output[key] is not None), there[0])


def _found(output: Mapping[str, Any], wanted: str | None) -> tuple[object, tuple[str, ...]]:
    """What stands where documents are looked for; None where there are none, and why."""
    if wanted is not None:
        if wanted in output:
            return output[wanted], ()
        return None, (f"`documents: {wanted}` found nothing; the output holds {_names(output)}",)
    notes = []
    for key in DOCUMENT_KEYS:
        if _are_documents(output.get(key)):
            return output[key], ()
        if key in output:
            notes.append(f"{key!r} holds no documents but {_shown(output[key])}")
    return None, tuple(notes)


def _are_documents(value: object) -> bool:
    if isinstance(value, str):
        return True
    return isinstance(value, list | tuple) and all(
        isinstance(one, str | Document)
        or hasattr(one, "page_content")
        or (isinstance(one, Mapping) and {"text", "content", "page_content"} & one.keys())
        for one in value
    )


def _artifacts(messages: object) -> list[Any] | None:
    """The documents that tools of an agent found in this turn; None where no tool gave any."""
    from langchain_core.messages import ToolMessage

    if not isinstance(messages, list | tuple):
        return None
    given = [m.artifact for m in _this_turn(messages) if isinstance(m, ToolMessage)]
    lists = [one for one in given if isinstance(one, list | tuple) and _are_documents(one)]
    return [document for one in lists for document in one] if lists else None


def _this_turn(messages: Sequence[Any]) -> Sequence[Any]:
    """What came after the last thing that a person said."""
    from langchain_core.messages import HumanMessage

    last = max((i for i, m in enumerate(messages) if isinstance(m, HumanMessage)), default=-1)
    return messages[last + 1 :]


def _messages(value: Sequence[Any]) -> Sequence[Any]:
    """LangChain's messages, also where a graph holds them as pairs or mappings."""
    from langchain_core.messages import convert_to_messages

    try:
        return convert_to_messages(list(value))
    except (ValueError, TypeError, NotImplementedError) as error:
        raise _invalid(f"{_shown(value)} as its answer; {_RIGHT}") from error


def _text(value: object) -> object:
    """The text of an answer, whatever it is given as; None stays None."""
    from langchain_core.messages import AIMessage, BaseMessage

    if value is None or isinstance(value, str):
        return value
    if isinstance(value, BaseMessage):
        return _content(value.content)
    if isinstance(value, list | tuple):
        answers = [m for m in _this_turn(_messages(value)) if isinstance(m, AIMessage)]
        if not answers:
            raise _invalid("messages without one of the bot's after the last question")
        return _content(answers[-1].content)
    raise _invalid(f"{_shown(value)} as its answer; {_RIGHT}")


def _content(content: str | list[Any]) -> str:
    """A message's text: its blocks of text, without what the model thought or called."""
    if isinstance(content, str):
        return content
    texts = (one if isinstance(one, str) else one.get("text") for one in content if _speaks(one))
    return "".join(text for text in texts if isinstance(text, str))


def _speaks(block: object) -> bool:
    return isinstance(block, str) or (isinstance(block, Mapping) and block.get("type") == "text")


def _document(value: Any, id_key: str | None) -> Any:
    """A LangChain document as mogi's; anything else is left as it is."""
    text, metadata = getattr(value, "page_content", None), getattr(value, "metadata", None)
    if not isinstance(text, str) or not isinstance(metadata, Mapping):
        return value
    name = document_name(metadata, id_key, getattr(value, "id", None), metadata.get("source"))
    title = metadata.get("title")
    return Document(text, name, "" if title is None else str(title))


def _check_interrupt(output: Mapping[str, Any]) -> None:
    stopped = output.get("__interrupt__")
    if stopped:
        raise _invalid(f"an interrupt, which mogi cannot resume: {cut(str(stopped), 200)}")


def _no_mapping(wanted: str, value: object) -> str:
    kind = type(value).__name__
    return f"`documents: {wanted}` found nothing; the output is not a mapping but {kind}"


def _names(output: Mapping[str, Any]) -> str:
    return ", ".join(map(str, output)) or "nothing"


def _invalid(what: str) -> TargetError:
    return TargetError(TargetFault.INVALID, f"it came back with {what}")


def _shown(value: object) -> str:
    return f"{type(value).__name__} ({cut(repr(value), 80)})"
