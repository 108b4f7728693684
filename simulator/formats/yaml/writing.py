"""YAML that people go on editing: block style, text as it is, quotes only where they are needed."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from simulator.formats.yaml.scalars import plain

Value = str | bool | int | float | Sequence["Value"] | Mapping[str, "Value"]

# What YAML takes for something else at the beginning or within a text without quotes.
_NEVER_FIRST = frozenset("-?:,[]{}#&*!|>'\"%@` \t")
_NEVER_INSIDE = re.compile(r": |:$| #|\s$|\t")
_OF_FLOW = re.compile(r"[,\[\]{}?]")
# What cannot stand in a file, or counts as a line end in YAML.
_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_RAGGED = re.compile(r"^\s|\s$|\s\n", re.MULTILINE)


def yaml_text(value: Sequence[Value] | Mapping[str, Value]) -> str:
    """A list or a mapping as YAML; read back (`read_yaml`) it is the same.

    Texts of several lines stand in blocks. Empty texts, lists and mappings are written as such.
    """
    return "\n".join(block_lines(value, "")) + "\n"


def flow_text(value: Value) -> str:
    """A value on one line, as it stands within `[…]` or `{…}` and anywhere else as well."""
    if isinstance(value, str):
        text = _scalar(value)
        return _quoted(value) if text == value and _OF_FLOW.search(value) else text
    if isinstance(value, Mapping):
        pairs = (f"{flow_text(key)}: {flow_text(inner)}" for key, inner in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(flow_text, value))}]"
    return json.dumps(value)


def block_lines(value: Value, indent: str) -> Iterator[str]:
    """A value as it stands behind a key in block style; all lines but the first are indented."""
    if isinstance(value, str):
        yield from _text_lines(value, indent)
    elif isinstance(value, Mapping):
        yield from _mapping(value, indent) if value else ("{}",)
    elif isinstance(value, Sequence):
        yield from _list(value, indent) if value else ("[]",)
    else:
        yield json.dumps(value)


def _mapping(value: Mapping[str, Value], indent: str) -> Iterator[str]:
    for key, inner in value.items():
        name = _scalar(key)
        if isinstance(inner, Mapping | list | tuple) and inner:
            yield f"{indent}{name}:"
            yield from block_lines(inner, indent + "  ")
        else:
            first, *rest = block_lines(inner, indent + "  ")
            yield f"{indent}{name}: {first}"
            yield from rest


def _list(value: Sequence[Value], indent: str) -> Iterator[str]:
    deeper = indent + "  "
    for inner in value:
        first, *rest = block_lines(inner, deeper)
        yield f"{indent}- {first.removeprefix(deeper)}"
        yield from rest


def _text_lines(text: str, indent: str) -> Iterator[str]:
    if "\n" not in text or _RAGGED.search(text) or _UNPRINTABLE.search(text):
        yield _scalar(text)
        return
    yield "|-"
    for line in text.split("\n"):
        yield f"{indent}{line}"


def _scalar(text: str) -> str:
    """One line: the text itself, or in quotes."""
    if not text or plain(text) is not text or text[0] in _NEVER_FIRST or "\n" in text:
        return _quoted(text)
    if _NEVER_INSIDE.search(text) or _UNPRINTABLE.search(text) or text.startswith(("---", "...")):
        return _quoted(text)
    return text


def _quoted(text: str) -> str:
    """In double quotes, with the escapes that JSON and YAML share."""
    quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)
