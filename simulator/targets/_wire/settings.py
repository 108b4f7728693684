"""What is sent to a bot, as a client file says it; each complaint says what would be right."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Annotated, Any, ClassVar
from urllib.parse import unquote

from pydantic import AfterValidator, BaseModel, Field

from simulator import config
from simulator.core.clean import cut, visible
from simulator.core.plan import Reached
from simulator.core.talk import Exchange, Reply, Talk
from simulator.formats.jmespath import PathText
from simulator.formats.sources import LIKE_A_SECRET
from simulator.targets._shapes import values_of
from simulator.targets._wire import Verbatim
from simulator.targets._wire.secrets import SECRET_NAME
from simulator.targets._wire.templates import Template, TemplateError, check

Fields = dict[str, Any]

# What tells the question, and what is sent where a client file does not say what.
TELLING = frozenset({"question", "messages"})
DEFAULT_BODY = {"question": "{{ question }}", "history": "{{ history }}"}

# Two examples of each: a first turn, and a later one with a question that is hard to quote.
_TALK = "shipping-calm-1-0123456789ab"
_LATER = Talk(_TALK, (Exchange(1, "hello", Reply("hi")),))
_FIRST_VALUES = values_of("hello", Talk(_TALK), _TALK)
_LATER_VALUES = values_of('He said "no\\yes"\n<b>質問</b> & more', _LATER, _TALK)
EXAMPLES: Mapping[str, tuple[Any, Any]] = {
    **{name: (first, _LATER_VALUES[name]) for name, first in _FIRST_VALUES.items()},
    "session": ("0123456789ab", "0123456789ab"),
    "job": ("job-0123456789ab", "job-0123456789ab"),
    "callback": ("http://127.0.0.1:8765/0123456789ab", "http://127.0.0.1:8765/0123456789ab"),
    "callback_id": ("0123456789ab", "0123456789ab"),
}
_TAKEN: ContextVar[frozenset[str]] = ContextVar("taken", default=frozenset())


@contextmanager
def known_beside(names: Iterable[str]) -> Iterator[None]:
    """Within it, templates may also use what the steps of a session take, by these names."""
    token = _TAKEN.set(frozenset(names))
    try:
        yield
    finally:
        _TAKEN.reset(token)


def examples(turn: int, beside: Iterable[str] = ()) -> dict[str, Any]:
    """An example of each value, of a first turn (0) or a later one (1)."""
    values = dict.fromkeys((*beside, *_TAKEN.get()), "0123456789ab")
    return values | {name: pair[turn] for name, pair in EXAMPLES.items()}


_KEY_HEADER = re.compile("authorization|key|token|secret|password", re.IGNORECASE)
IN_HEADER = (
    "keep it in the environment and write it into a header, such as "
    'headers: {Authorization: "Bearer ${BOT_TOKEN}"}'
)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_PLACEHOLDER = re.compile(r"\{\{.{0,2000}?\}\}|\{%.{0,2000}?%\}|\$\{[^}]{0,200}\}", re.DOTALL)


class WireSettings(BaseModel, extra="forbid"):
    """Settings whose texts may hold placeholders."""

    TEMPLATES: ClassVar[tuple[str, ...]]  # the keys of those texts

    def places(self) -> dict[str, Any]:
        """What of it may hold placeholders, by the keys' names."""
        return {key: getattr(self, key) for key in self.TEMPLATES}

    def variables(self) -> frozenset[str]:
        """The names of all that is filled in, apart from the environment's."""
        return Template(self.places()).variables

    def environment(self, name: str = "") -> Iterator[tuple[str, str]]:
        """(variable of the environment, the key that it is written to), behind `name`."""
        for key, written in self.places().items():
            inside = {key: written}
            if key == "headers":
                inside = {f"{key}.{header}": value for header, value in written.items()}
            for place, value in inside.items():
                for variable in sorted(Template(value).environment):
                    yield variable, f"{name}{place}"


class BotSettings(WireSettings):
    """What the settings of all bots behind a wire have in common."""

    documents: PathText | None = Field(
        None, description="a JMESPath to the retrieved documents: texts or objects"
    )
    document_ids: PathText | None = Field(
        None, description="a JMESPath to the documents' ids, as many as there are documents"
    )
    document_titles: PathText | None = Field(
        None, description="a JMESPath to the documents' titles, as many as there are documents"
    )
    attempts: int = Field(
        3, ge=1, le=10, description="maximum attempts per call, if a retry does no harm"
    )


class AnswerSettings(BotSettings):
    """Those, and where the answer's text is."""

    answer: PathText | None = Field(
        None,
        description="a JMESPath to the answer's text (in a stream: the text of each event); "
        "default: the text itself, or `answer` (and `documents`) of a mapping",
    )


def reached(
    url: str, variables: Iterable[tuple[str, str]], key: str = "url", method: str = "POST"
) -> Iterator[Reached]:
    """The host of a request, and where the environment's variables in it go."""
    place = config.origin(url)
    yield Reached("host", place, f"target.{key}", method=method, path=_fixed_path(url))
    for variable, written in variables:
        yield Reached("variable", variable, f"target.{written} → {place}")


def granted(reaches: Iterable[Reached], values: Mapping[str, str]) -> tuple[Reached, ...]:
    """The hosts of a bot, for its connections: what the environment fills in is known by now."""

    def filled(line: Reached) -> Reached:
        url = _VARIABLE.sub(lambda name: values.get(name[1], name[0]), line.name + line.path)
        return replace(line, name=config.origin(url), path=_fixed_path(url))

    return tuple(filled(line) for line in reaches if line.kind == "host")


def _fixed_path(url: str) -> str:
    """The path of a URL up to what a talk fills in; empty where its host is not known yet.

    A `*` stands for what a talk fills in of a segment that has begun.
    """
    scheme, mark, rest = url.partition("://")
    path = re.split("(?=/)", rest if mark else scheme, maxsplit=1)[1:]
    if not path:
        return "/" if mark else ""
    fixed, mark, _ = re.split(r"(\{[{%#]|[?#]|\Z)", path[0], maxsplit=1)
    is_begun = mark.startswith("{") and not fixed.endswith("/")
    return unquote(fixed) + ("*" if is_begun else "")


def check_template(
    written: Any, *, url: bool = False, known: Mapping[str, tuple[Any, ...]] = EXAMPLES
) -> Any:
    """Whatever holds placeholders, if they are right; `known` has examples of what there is.

    Raises:
        ValueError: they are not.
    """
    taken = dict.fromkeys(_TAKEN.get(), ("0123456789ab", "0123456789ab"))
    try:
        check(Template(written, url=url), {**known, **taken})
    except TemplateError as error:
        raise ValueError(f": {error}") from None
    return written


def check_address(text: str, wrong: Callable[[str], str]) -> str:
    """A URL whose placeholders are right; `wrong` says what is wrong with it otherwise.

    Raises:
        ValueError: something is.
    """
    bare = text.strip()
    if bare.startswith("${"):  # the whole address comes from the environment: looked at when open
        return bare
    if complaint := wrong(_PLACEHOLDER.sub("x", bare)):
        raise ValueError(complaint)
    return bare


def check_headers(headers: Fields) -> Fields:
    """Headers, if they are right.

    Raises:
        ValueError: a template is wrong, a name is none, or a key stands there as it is.
    """
    check_template(headers)
    for name, value in headers.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            raise ValueError(f': "{cut(visible(name), 40)}" isn\'t a header name')
        if _is_pasted(name, value):
            raise ValueError(
                f": {name} contains a key (not shown here); {IN_HEADER}, and replace this one"
            )
    return headers


def check_body(body: Any, headers: Mapping[str, Any]) -> None:
    """A body, of any structure, or text.

    Raises:
        ValueError: a template is wrong, a key stands there as it is, or the text is to be JSON
            but a question with a quotation mark in it would break it.
    """
    check_template(body)
    pasted = next(_pasted_in(body), None)
    if pasted is not None:
        raise ValueError(
            f": {pasted} contains a key (not shown here); keep it in the environment, "
            f"write {pasted}: ${{BOT_TOKEN}}, and replace this one"
        )
    if isinstance(body, str) and is_json_text(body, headers):
        _check_json(body)


def is_json_text(body: str, headers: Mapping[str, Any]) -> bool:
    """Whether a body that is text is meant to be JSON."""
    kind = next((v for k, v in headers.items() if k.lower() == "content-type"), None)
    if kind is not None:
        return "json" in str(kind)
    return body.lstrip().startswith(("{", "[")) and not body.lstrip().startswith(("{{", "{%", "{#"))


def _check_json(body: str) -> None:
    template = Template(body)
    environment = dict.fromkeys(template.environment, Verbatim("x"))
    for turn in range(2):
        try:
            json.loads(template.render(examples(turn), environment))
        except ValueError as error:
            raise ValueError(
                ": it isn't JSON once it's filled in "
                f"({cut(str(error), 80)}); write each value as {{{{ question | tojson }}}}, "
                "without quotes around it, or write the body as a mapping, not as text"
            ) from None


def _pasted_in(body: Any) -> Iterator[str]:
    if isinstance(body, Mapping):
        for name, value in body.items():
            if SECRET_NAME.search(str(name)) and LIKE_A_SECRET.search(_bare(value)):
                yield str(name)
            yield from _pasted_in(value)
    elif isinstance(body, list | tuple):
        for value in body:
            yield from _pasted_in(value)


def _is_pasted(name: str, value: Any) -> bool:
    """Whether a header's value holds a key where only its variable should stand."""
    bare = _bare(value)
    if SECRET_NAME.search(name) and LIKE_A_SECRET.search(bare):
        return True
    return bool(_KEY_HEADER.search(name)) and len(bare) >= 8


def _bare(value: Any) -> str:
    """What of a value is neither placeholder nor the name of a scheme."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    bare = _PLACEHOLDER.sub("", str(value))
    return re.sub(r"(?i)^(bearer|basic|token|apikey)\b", "", bare).strip()


Headers = Annotated[Fields, AfterValidator(check_headers)]
