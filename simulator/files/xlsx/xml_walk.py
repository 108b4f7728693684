"""XML taken apart while it is read: no tree, no entities, bounded memory."""

from collections.abc import Callable, Mapping
from typing import Any, BinaryIO
from xml.parsers import expat

Starts = Mapping[str, Callable[[dict[str, str]], None]]
Ends = Mapping[str, Callable[[str], None]]


class NotPlain(ValueError):
    """The XML declares a document type, which no workbook does: entities may hide bombs."""


def walk(stream: BinaryIO, starts: Starts, ends: Ends) -> None:
    """Call `starts` with the attributes of each element, and `ends` with the text at its end.

    Elements are named without their namespace; those of other namespaces than the root's are
    passed over. The text is what stands between the last tag and the end of the element.

    Raises:
        NotPlain: there is a document type.
        expat.ExpatError: it is not XML.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True

    def root(name: str, attributes: dict[str, str]) -> None:
        prefix = name[: name.rfind(":") + 1]
        text: list[str] = []
        parser.CharacterDataHandler = text.append
        parser.StartElementHandler = _start({prefix + k: take for k, take in starts.items()}, text)
        parser.EndElementHandler = _end({prefix + k: take for k, take in ends.items()}, text)
        parser.StartElementHandler(name, attributes)

    parser.StartElementHandler = root
    parser.StartDoctypeDeclHandler = _refuse
    parser.ParseFile(stream)


def _start(starts: Starts, text: list[str]) -> Callable[[str, dict[str, str]], None]:
    def start(name: str, attributes: dict[str, str]) -> None:
        if text:
            text.clear()
        if take := starts.get(name):
            take(attributes)

    return start


def _end(ends: Ends, text: list[str]) -> Callable[[str], None]:
    def end(name: str) -> None:
        if take := ends.get(name):
            take("".join(text))
        if text:
            text.clear()

    return end


def _refuse(*_: Any) -> None:
    raise NotPlain("it declares a document type")
