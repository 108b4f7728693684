"""JMESPath over what a bot sent: compiled once; a path that finds nothing says what was there."""

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from simulator.core.clean import cut, visible
from simulator.words import counted

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STEP = re.compile(r'"(?:[^"\\]|\\.)*"|[^.\[\]|&(){}"\s]+')


@dataclass(frozen=True, slots=True)
class Found:
    """What a path found. `why` is empty where it found something, an honest empty list too.

    Otherwise `value` is None and `why` says, in a sentence for people, what was there instead. A
    list that came out empty because nothing in it has the key asked for is nothing found: it must
    not pass for a search without a hit.
    """

    value: Any
    why: str = ""


class JmesPath:
    """A JMESPath, compiled once; any number of calls may share it.

    `text` is the path as it was written.
    """

    __slots__ = ("_parsed", "text")

    def __init__(self, text: str) -> None:
        """Compile the path.

        Raises:
            ValueError: it is none; the text says what would be right, and begins with a colon.
        """
        wrong = _wrong(text)
        if wrong:
            raise ValueError(f": {shown(text)} is no JMESPath: {wrong}")
        import jmespath

        self.text = text
        self._parsed = jmespath.compile(text)

    def search(self, value: Any) -> Any:
        """What the path leads to in JSON-like data; None where it leads nowhere. Raises nothing."""
        from jmespath.exceptions import JMESPathError

        try:
            return self._parsed.search(value)
        except (JMESPathError, TypeError, ValueError, ArithmeticError):
            return None  # a function was given what it cannot take; `find` says so

    def find(self, value: Any, root: str = "the body") -> Found:
        """As `search`, with the reason where nothing was found; `root` names the data in it."""
        found = self.search(value)
        if found is not None and found != []:
            return Found(found)
        from simulator.targets._jmespath_why import why_nothing

        why = why_nothing(self._parsed.parsed, value, root)
        if found == [] and not why:
            return Found([])
        return Found(None, f"{shown(self.text)} found nothing: {why or 'it leads to null'}")


def checked(text: str) -> str:
    """The text of a JMESPath, for a validator of settings.

    Raises:
        ValueError: it is none; see `JmesPath`.
    """
    return JmesPath(text).text


PathText = Annotated[
    str, AfterValidator(checked), Field(description="a JMESPath, such as data.answer")
]


def compiled(text: str | None) -> JmesPath | None:
    """The path of a setting, or None where there is none."""
    return None if text is None else JmesPath(text)


def shown(text: str) -> str:
    """A path as a sentence repeats it."""
    return f'"{cut(visible(text), 120)}"'


def _wrong(text: str) -> str:
    """What is wrong with a path; empty where nothing is."""
    import jmespath
    from jmespath.exceptions import JMESPathError

    if not text.strip():
        return "it is empty; write where in the answer to look, such as data.answer"
    try:
        parsed = jmespath.compile(text).parsed
    except (JMESPathError, ValueError) as error:
        return f"{_place(error, text)}; {_right(text)}"
    except RecursionError:
        return "it is nested too deeply; write a shorter one"
    return _wrong_function(parsed)


def _place(error: Exception, text: str) -> str:
    at = getattr(error, "lex_position", None)
    if not isinstance(at, int):
        return "it cannot be read"
    if at >= len(text):
        return "it ends too early"
    return f'"{text[at]}" at column {at + 1} cannot stand there'


def _right(text: str) -> str:
    """The path that was probably meant, if it is one, or where the form is described."""
    bare = re.sub(r"^\$\.?", "", text.strip())  # as JSONPath begins
    for candidate in (bare, _STEP.sub(_quoted, bare)):
        if candidate and candidate != text and _compiles(candidate):
            return f"did you mean {candidate} ?"
    return 'right are paths such as data.answer, choices[0].text, data."with-hyphen", sources[].id'


def _quoted(match: re.Match[str]) -> str:
    step = match.group()
    plain = step.startswith(('"', "`", "'", "?", "*", "@", "-")) or step.isdigit()
    return step if plain or _IDENTIFIER.fullmatch(step) else f'"{step}"'


def _compiles(text: str) -> bool:
    import jmespath
    from jmespath.exceptions import JMESPathError

    try:
        jmespath.compile(text)
    except (JMESPathError, ValueError):
        return False
    return True


def _wrong_function(node: Any) -> str:
    """JMESPath itself tells of an unknown function only when an answer is there."""
    from jmespath.functions import Functions

    from simulator.plugins import suggest

    if not isinstance(node, dict):
        return ""
    if node.get("type") == "function_expression":
        table = Functions.FUNCTION_TABLE
        name, given = node["value"], len(node["children"])
        if name not in table:
            return f"no function {name}(); {suggest(name, tuple(sorted(table)))}"
        signature = table[name]["signature"]
        variadic = bool(signature) and bool(signature[-1].get("variadic"))
        if given < len(signature) or (given > len(signature) and not variadic):
            return f"{name}() takes {counted(len(signature), 'argument')}, not {given}"
    return next(filter(None, map(_wrong_function, node.get("children", ()))), "")
