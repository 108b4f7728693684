"""Asking a model for an object of a known form: a strict schema out, a checked object back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar
from weakref import WeakKeyDictionary

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from simulator.core.bounds import KeyTwice, each_key_once
from simulator.core.clean import clean, cut
from simulator.core.errors import ModelError, ModelFault
from simulator.core.ports import CallId, Chat, Completion, Form, Message
from simulator.files.prompts import fence_of, fenced

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt


class FormModel(BaseModel):
    """The base of every form: unknown keys are ignored, NaN and Infinity are not numbers."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, protected_namespaces=())


def _no_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("true and false are not numbers")  # noqa: TRY004 (pydantic's way)
    return value


CleanText = Annotated[str, AfterValidator(clean)]
"""Text that can be stored and sent on: JSON escapes can spell what `clean` removes."""


def whole_number(low: int, high: int) -> Any:
    """The type of a whole number in a range; 4.0 and "4" are 4, while 4.5 and true are wrong."""
    return Annotated[int, Field(ge=low, le=high), BeforeValidator(_no_truth_value)]


def real_number(low: float, high: float) -> Any:
    """The type of a number in a range; "0.5" is 0.5, while true and NaN are wrong."""
    return Annotated[float, Field(ge=low, le=high), BeforeValidator(_no_truth_value)]


def one_of(words: Sequence[str]) -> Any:
    """The type of one of several words; capitals and the space around it do not count."""
    meant = {word.casefold(): word for word in words}

    def word(value: object) -> object:
        return meant.get(value.strip().casefold(), value) if isinstance(value, str) else value

    return Annotated[Literal[tuple(words)], BeforeValidator(word)]


A = TypeVar("A", bound=FormModel)

_FAULTS: Mapping[ModelFault, str] = {
    ModelFault.REFUSED: "the model refused to answer",
    ModelFault.FILTERED: "the provider's content filter stopped the answer",
    ModelFault.TRUNCATED: "the answer was cut off at the token limit",
    ModelFault.EMPTY: "the answer was empty",
}

# All else (titles, defaults, ranges, patterns) is refused by one endpoint or another.
_KEPT = ("type", "enum", "const", "description", "maxItems")
# Providers bound the number of values of all enums together (OpenAI at 500, then 1,000).
_LONGEST_ENUM = 21
_MOST_TRIES = 30  # opening braces looked at in prose; past that it is no answer
_MOST_READ = 2_000_000  # characters that are read in search of objects in the material
_FENCE = re.compile(r"\s*(```\w*)?\s*")
_LONGEST_QUOTE = 20_000  # characters of a wrong answer that its repair shows
_MOST_PROBLEMS = 8
_FORMS: WeakKeyDictionary[type[FormModel], dict[str, Form]] = WeakKeyDictionary()


class Unreadable(ValueError):
    """A text does not hold the form that was asked for; says why in words for a model."""


async def ask(
    chat: Chat,
    call: CallId,
    messages: Sequence[Message],
    form_model: type[A],
    prompts: Prompt,
    *,
    fence: str = "",
) -> A:
    """The model's answer as an object of `form_model`.

    An answer that does not fit is sent back once, with what is wrong with it (the call's part is
    then `repair`, or `PART/repair`).

    Args:
        chat: The model.
        call: The identity of the first of the two calls.
        messages: What is asked; the last message is the user's.
        form_model: The form; its fields in the order in which they are to be written.
        prompts: form.md, with the parts `form` and `repair`.
        fence: What is left out of the input's hash.

    Raises:
        ModelError: REFUSED, FILTERED, EMPTY or TRUNCATED (unless what came is complete),
            UNPARSABLE after the repair, REJECTED or UNAVAILABLE.
        RunStopped: from the chat.
    """
    form = form_of(form_model, prompts)
    completion = await chat.complete(call, messages, form=form, fence=fence)
    try:
        return _taken(completion, form_model, messages)
    except Unreadable as problem:
        again = _repair(messages, completion.text, str(problem), form, prompts, fence)
    call = replace(call, part=f"{call.part}/repair" if call.part else "repair")
    completion = await chat.complete(call, again, form=form, fence=fence)
    try:
        return _taken(completion, form_model, messages)
    except Unreadable as problem:
        message = f"not the form that was asked for, after one repair: {problem}"
        raise ModelError(ModelFault.UNPARSABLE, message, completion.text) from problem


def read_form(
    text: str, form_model: type[A], shown: Sequence[Message] = (), *, alone: bool = False
) -> A:
    """The object of `form_model` that a text is, or holds in prose or in a code fence.

    An object that stands in the messages `shown` to the model, however it is spaced, ordered or
    escaped there, is a copy of what it was to judge, never its answer; and of several objects that
    fit and differ none is taken. `alone`: nothing but a code fence may stand around the object.

    Raises:
        Unreadable: there is no such object.
    """
    fitting: list[A] = []
    problem = "Invalid JSON" if "{" in text else "it contains no JSON object"
    for each in _written(text, alone=alone):
        try:
            fitting.append(form_model.model_validate_json(each.written))
        except ValidationError as error:
            problem = _explain(error)
    own = [answer for answer in fitting if answer not in _planted(form_model, shown)]
    if fitting and not own:
        raise Unreadable("it is a copy of something in the material, not your own answer")
    if not own:
        raise Unreadable(problem)
    if any(other != own[0] for other in own):
        raise Unreadable("it contains more than one JSON object; expected only one")
    return own[0]


def after_reasoning(text: str) -> str:
    """The text without the reasoning that some models put before their answer."""
    return text.rpartition("</think>")[2]


def form_of(form_model: type[A], prompts: Prompt) -> Form:
    """The form that is sent with a request: name, strict schema, and the same in words."""
    forms = _FORMS.setdefault(form_model, {})
    if prompts.sha not in forms:
        schema = strict_schema(form_model)
        words = prompts.render("form", schema=json.dumps(schema, ensure_ascii=False))
        forms[prompts.sha] = Form(form_model.__name__, schema, words)
    return forms[prompts.sha]


def strict_schema(form_model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a form as strict modes bear it.

    Every property is required and no other is allowed; references are resolved; keywords that
    some endpoints refuse are left out, so a short range of whole numbers becomes an enum. Forms
    are made of objects, lists, texts, numbers, truth values and enums.
    """
    schema = form_model.model_json_schema()
    return _strict(schema, schema.get("$defs", {}))


def _strict(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        node = definitions[node["$ref"].rpartition("/")[2]]
    kept: dict[str, Any] = {key: node[key] for key in _KEPT if key in node}
    if "properties" in node:
        properties = node["properties"].items()
        kept["properties"] = {name: _strict(inner, definitions) for name, inner in properties}
        kept["required"] = list(kept["properties"])
        kept["additionalProperties"] = False
    if "items" in node:
        kept["items"] = _strict(node["items"], definitions)
    if node.get("type") == "integer" and "minimum" in node and "maximum" in node:
        scale = range(node["minimum"], node["maximum"] + 1)
        if len(scale) <= _LONGEST_ENUM:
            kept["enum"] = list(scale)
    return kept


def what_failed(fault: ModelFault, finish: str = "") -> str:
    """A completion's fault in words; a filter's in the endpoint's own, too."""
    in_its_words = finish if fault is ModelFault.FILTERED else ""
    return f"{_FAULTS[fault]} ({in_its_words})" if in_its_words else _FAULTS[fault]


def _taken(completion: Completion, form_model: type[A], shown: Sequence[Message]) -> A:
    """Raises ModelError for a fault of the completion, and Unreadable."""
    fault = completion.fault
    if fault not in (None, ModelFault.TRUNCATED):
        raise ModelError(fault, what_failed(fault, completion.finish), completion.text)
    try:
        return read_form(completion.text, form_model, shown, alone=True)
    except Unreadable as error:
        if fault is None:
            raise
        raise ModelError(fault, what_failed(fault), completion.text) from error


def _repair(
    messages: Sequence[Message],
    answer: str,
    problem: str,
    form: Form,
    prompts: Prompt,
    fence: str,
) -> list[Message]:
    """The messages, with what is wrong put to the end of the last one.

    Not as a message of its own: some models want user and assistant to take turns. What is quoted
    may hold words of the bot under test. Without a fence its own hash makes one.
    """
    mark = fence or fence_of("", answer)
    request = prompts.render(
        "repair",
        answer=fenced("output", cut(answer, _LONGEST_QUOTE, " […]"), mark),
        error=fenced("problem", problem, mark),
        schema=json.dumps(form.schema, ensure_ascii=False),
    )
    last = messages[-1]
    return [*messages[:-1], replace(last, content=f"{last.content}\n\n{request}")]


def _written(text: str, *, alone: bool) -> list[_Object]:
    """The objects in an answer, and the list that it is; if `alone`, what is all that is in it.

    Raises:
        Unreadable: there is more around it.
    """
    for part in dict.fromkeys((text, after_reasoning(text))):
        is_list = part.lstrip().startswith("[")
        objects = [*_objects(part), *(_objects(part, "[") if is_list else ())]
        sole = [each for each in objects if each.is_alone]
        if sole:
            break
    if alone and objects and not sole:
        raise Unreadable("write exactly one JSON object, with nothing before or after it")
    return sole if alone else objects


@dataclass(frozen=True, slots=True)
class _Object:
    """A JSON value in a text, as sound JSON; `is_alone`: at most a code fence is around it."""

    written: str
    is_alone: bool


def _objects(text: str, opening: str = "{") -> Iterator[_Object]:
    """Each outermost JSON object in a text, or what else begins with `opening`.

    Bare line breaks inside strings, which models write and strict parsers refuse, are borne;
    lone surrogates in escapes become U+FFFD.

    Raises:
        Unreadable: an object has a key twice.
    """
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=each_key_once)
    at = text.find(opening)
    for _ in range(_MOST_TRIES):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
            sound = clean(json.dumps(value, ensure_ascii=False))
        except KeyTwice as error:
            raise Unreadable(str(error)) from error
        except (ValueError, RecursionError):
            end = at + 1
        else:
            around = text[:at], text[end:]
            yield _Object(sound, all(map(_FENCE.fullmatch, around)))
        at = text.find(opening, end)


def _planted(form_model: type[A], shown: Sequence[Message]) -> Iterator[A]:
    """The objects of the form in the messages, with or without a backslash before their quotes.

    Raises:
        Unreadable: the messages hold too much of what could be one.
    """
    decoder = json.JSONDecoder(strict=False)
    fields = form_model.model_fields.items()
    needed = {field.alias or name for name, field in fields if field.is_required()}
    left = _MOST_READ
    for text in (t for m in shown for t in {m.content, m.content.replace('\\"', '"')}):
        at = text.find("{")
        while at >= 0:
            try:
                value, end = decoder.raw_decode(text, at)
            except (ValueError, RecursionError) as error:
                value, end = {}, getattr(error, "pos", len(text))
            left -= max(end - at, 1)
            if left < 0:
                raise Unreadable("the material holds too many objects to tell your own from them")
            if needed <= value.keys():
                with suppress(ValidationError):
                    yield form_model.model_validate(value)
            at = text.find("{", at + 1)


def _explain(error: ValidationError) -> str:
    """What is wrong with an answer, for the model that wrote it."""
    problems = error.errors(include_url=False, include_context=False)
    return "; ".join(_explain_one(p) for p in problems[:_MOST_PROBLEMS])


def _explain_one(problem: Mapping[str, Any]) -> str:
    where = ".".join(map(str, problem["loc"]))
    value = problem["input"]
    message = f"{where}: {problem['msg']}" if where else str(problem["msg"])
    if where and isinstance(value, str | int | float):
        message += f", not {cut(repr(value), 60)}"
    return message
