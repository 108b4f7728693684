"""What is sent to a bot: Jinja2's `{{ question }}`, and `${NAME}` for the environment's variables.

Compiled once, rendered for each call. What is filled in is data: nothing in a question or in a
variable of the environment is read as a template.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any

from simulator.core.bounds import MAX_CODE, TooMuch
from simulator.core.clean import cut, visible
from simulator.core.worker import HAS_CONFINED, confined
from simulator.plugins import suggest
from simulator.targets._wire import Verbatim

Values = Mapping[str, Any]
_Renderer = Callable[[Values], Any]

_ENV = "_mogi_environment"  # a name that nobody writes by chance
_VARIABLE = re.compile(r"(\$?)\$\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WHOLE = re.compile(r"\s*\{\{(?!-)((?:(?!\}\}).)*)\}\}\s*", re.DOTALL)
_URL, _TEXT = "url", "text"  # what a template makes
_EACH = 20  # characters that a placeholder counts for, however short it is
_PLACE = re.compile(r"\{[{%#]|\$\{")
_CODE = re.compile(r"(\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})", re.DOTALL)
_CARRIAGE_RETURN = '{{ "\\r" }}'
_MARKS = ("{{", "{%", "{#", "${")


class TemplateError(ValueError):
    """A template is wrong or cannot be filled in; the text is a sentence for people."""


class Template:
    """Text, or any JSON-like structure, with placeholders in its texts.

    A text that is exactly one placeholder keeps the type of what it stands for. Keys of mappings
    are taken as they are, in their order. `variables` are the names that are filled in;
    `environment` those of the variables of the environment.
    """

    __slots__ = ("_code", "_is_small", "_kind", "_render", "_written", "environment", "variables")

    def __init__(self, written: Any, *, url: bool = False) -> None:
        """Compile it; `url`: what is filled in, is percent-encoded.

        Raises:
            TemplateError: it cannot be read.
        """
        self.environment: frozenset[str] = frozenset()
        self.variables: frozenset[str] = frozenset()
        self._code = 0  # characters of all placeholders
        self._is_small = True  # its form alone bounds what it makes
        self._written, self._kind = written, _URL if url else _TEXT
        self._render = self._compiled(written, url=url)
        if not self._is_small:
            HAS_CONFINED.set()

    def render(self, values: Values, environment: Mapping[str, Verbatim]) -> Any:
        """What is sent. `environment` holds a value for each name in `self.environment`.

        Raises:
            TemplateError: an expression cannot be worked out with these values.
        """
        if self._is_small:
            return self.rendered(values, environment)
        try:
            return confined(_rendered, self._written, self._kind, values, environment)
        except TooMuch as error:
            raise TemplateError(f"{_shown(self._first_large(self._written))} {error}") from None
        except ValueError as error:
            raise TemplateError(str(error)) from None

    def rendered(self, values: Values, environment: Mapping[str, Verbatim]) -> Any:
        """As `render`, in this process."""
        whole = {**values, _ENV: environment}
        if not self._code:
            return self._render(whole)
        from simulator.targets._wire.sandbox import bounded

        return bounded(lambda: self._render(whole))

    def _first_large(self, written: Any) -> str:
        """The text that is to blame, or one of them."""
        match written:
            case Mapping():
                return next(filter(None, map(self._first_large, written.values())), "")
            case list() | tuple():
                return next(filter(None, map(self._first_large, written)), "")
            case str() if "{%" in written or "{{" in written:
                return written
        return ""

    def _compiled(self, written: Any, *, url: bool) -> _Renderer:
        match written:
            case str() if any(mark in written for mark in _MARKS):
                return self._of_text(written, url=url)
            case Mapping():
                entries = [(key, self._compiled(value, url=url)) for key, value in written.items()]
                return lambda values: {key: render(values) for key, render in entries}
            case list() | tuple():
                items = [self._compiled(value, url=url) for value in written]
                return lambda values: [render(values) for render in items]
        return lambda _: written

    def _of_text(self, text: str, *, url: bool) -> _Renderer:
        from jinja2 import meta

        from simulator.targets._wire.sandbox import bounded, environment, is_small

        self._code += _code(text)
        if self._code > MAX_CODE:
            most = f"placeholders of more than {MAX_CODE:,} characters; write fewer"
            raise TemplateError(f"{_shown(text)}: {most}")
        self.environment |= _environment_in(text)
        if _ENV in text:
            right = "write ${NAME} for an environment variable"
            raise TemplateError(f"{_shown(text)}: {right}")
        sandbox, placeholder = environment(url=url), _WHOLE.fullmatch(text)
        with _reading(text):
            source = _jinja(text, url=url)
            tree = bounded(lambda: sandbox.parse(source))
            self.variables |= bounded(lambda: meta.find_undeclared_variables(tree)) - {_ENV}
            self._is_small &= is_small(tree)
            if placeholder and not url:
                whole = partial(
                    sandbox.compile_expression, placeholder[1].strip(), undefined_to_none=False
                )
                expression = bounded(whole)
                return lambda values: _tried(text, lambda: _plain(expression(values)))
            template = bounded(lambda: sandbox.from_string(source))
        return lambda values: _tried(text, lambda: template.render(values))


def _rendered(written: Any, kind: str, values: Values, environment: Mapping[str, str]) -> Any:
    secrets = {name: Verbatim(value) for name, value in environment.items()}
    return _again(json.dumps(written), kind).rendered(values, secrets)


@lru_cache(maxsize=64)
def _again(written: str, kind: str) -> Template:
    return Template(json.loads(written), url=kind == _URL)


def _code(text: str) -> int:
    """The characters of the placeholders in a text, each at least up to its end."""
    parts = _PLACE.split(text)[1:]
    return sum(_EACH + (len(part.rpartition("}")[0]) or len(part)) for part in parts)


def check(template: Template, known: Mapping[str, tuple[Any, ...]]) -> None:
    """Make sure that a template uses only what there is, and try it out.

    `known` holds examples for each name, as many for each: all first ones belong together.

    Raises:
        TemplateError: a name is unknown, or an expression fails with the examples.
    """
    unknown = sorted(template.variables - known.keys())
    if unknown:
        raise TemplateError(f'no value "{unknown[0]}"; {suggest(unknown[0], tuple(known))}')
    for example in range(max(map(len, known.values()))):
        values = {name: examples[example] for name, examples in known.items()}
        template.render(values, dict.fromkeys(template.environment, Verbatim("x")))


def as_field(value: Any) -> str | None:
    """A rendered value as the text of a header, a parameter or a form's field.

    None: the field is left out. Lists and mappings are JSON text.
    """
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _environment_in(text: str) -> frozenset[str]:
    """The names of the environment's variables in a text."""
    if "${" in _VARIABLE.sub("", text):
        raise TemplateError(f"${{ without }} in {_shown(text)}; use ${{NAME}}")
    written = _VARIABLE.findall(text)
    for _, name in written:
        if not _NAME.fullmatch(name):
            raise TemplateError(
                f"{_shown('${' + name + '}')} isn't an environment variable; use "
                "${NAME} with letters, digits and _ only"
            )
    return frozenset(name for dollar, name in written if not dollar)


@contextmanager
def _reading(text: str) -> Iterator[None]:
    """Put whatever keeps Jinja2 from reading a template into a sentence."""
    from jinja2 import TemplateSyntaxError

    try:
        yield
    except TemplateSyntaxError as error:
        raise _unreadable(text, visible(str(error.message))) from None
    except ValueError:
        raise _unreadable(text, "a number is too large") from None
    except (RecursionError, SyntaxError, MemoryError):  # Python's, of what Jinja2 made of it
        raise TemplateError(f"the template {_shown(text)} is nested too deeply") from None


def _unreadable(text: str, why: str) -> TemplateError:
    from simulator.targets._wire.sandbox import FILTERS

    if why.startswith("No filter named"):
        name = why.split("'")[1]
        return TemplateError(f'no filter "{name}"; {suggest(name, FILTERS)}')
    inside = re.search(r"\{\{[^}]*\$\{", text)
    hint = "; ${NAME} must be outside {{ }}" if inside else ""
    return TemplateError(f"mogi can't parse the template {_shown(text)}: {why}{hint}")


def _jinja(text: str, *, url: bool) -> str:
    """The text with `${NAME}` as an expression of its own, and `$${NAME}` as the text `${NAME}`."""
    query = text.find("?") if url else -1

    def expression(variable: re.Match[str]) -> str:
        if variable[1]:
            return f'{{{{ "${{{variable[2]}}}" }}}}'
        part = " | query_value" if 0 <= query < variable.start() else ""
        return f'{{{{ {_ENV}["{variable[2]}"]{part} }}}}'

    source = _VARIABLE.sub(expression, text)
    if "\r" not in source:
        return source
    # Jinja2 would make a line feed of it, and a multipart body needs what is written.
    parts = _CODE.split(source)
    parts[::2] = [part.replace("\r", _CARRIAGE_RETURN) for part in parts[::2]]
    return "".join(parts)


def _tried(text: str, render: Callable[[], Any]) -> Any:
    from jinja2 import TemplateError as Jinja

    from simulator.targets._wire.sandbox import bounded

    try:
        return bounded(render)
    except (Jinja, TypeError, ValueError, ArithmeticError, LookupError, RecursionError) as error:
        why = cut(visible(str(error)), 200)
        raise TemplateError(f"mogi can't fill in {_shown(text)}: {why}") from None


def _plain(value: Any) -> Any:
    """A value of an expression as JSON knows it."""
    from jinja2 import Undefined

    if isinstance(value, Undefined):
        str(value)  # raises, saying what is undefined
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value]


def _shown(text: str) -> str:
    return f'"{cut(visible(text), 80)}"'
