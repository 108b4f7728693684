"""The parts of an xlsx file: a zip of XML files, unpacked and taken apart within bounds."""

import io
import posixpath
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, NamedTuple, cast
from xml.parsers import expat

from simulator.core.bounds import MAX_UNPACKED, TooMuch

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
    text: list[str] = []

    def root(name: str, attributes: dict[str, str]) -> None:
        prefix = name[: name.rfind(":") + 1]
        at_start = {prefix + element: take for element, take in starts.items()}
        at_end = {prefix + element: take for element, take in ends.items()}

        def start(name: str, attributes: dict[str, str]) -> None:
            if text:
                text.clear()
            if take := at_start.get(name):
                take(attributes)

        def end(name: str) -> None:
            if take := at_end.get(name):
                take("".join(text))
            if text:
                text.clear()

        parser.CharacterDataHandler = text.append
        parser.StartElementHandler = start
        parser.EndElementHandler = end
        start(name, attributes)

    parser.StartElementHandler = root
    parser.StartDoctypeDeclHandler = _refuse
    parser.ParseFile(stream)


class Related(NamedTuple):
    """A part that another one names: what it is (`worksheet`, `styles`), and where it lies."""

    kind: str
    name: str


class _Bounded(io.RawIOBase):
    """A part while it is unpacked; what is read counts towards the bound of the whole file."""

    def __init__(self, part: BinaryIO, parts: "Parts") -> None:
        self._part = part
        self._parts = parts

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes."""
        data = self._part.read(size)
        self._parts.count(len(data))
        return data


class Parts:
    """The zip's files by their names, whatever their case."""

    def __init__(self, data: bytes) -> None:
        """Open the zip.

        Raises:
            zipfile.BadZipFile: it is none, or damaged.
        """
        self._zip = zipfile.ZipFile(io.BytesIO(data))
        self._names = {n.replace("\\", "/").lower(): n for n in self._zip.namelist()}
        self._unpacked = 0

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._names

    def count(self, size: int) -> None:
        """Count bytes that were unpacked."""
        self._unpacked += size
        if self._unpacked > MAX_UNPACKED:
            raise TooMuch("unpacks to too much")

    def walk(self, name: str, starts: Starts, ends: Ends | None = None) -> None:
        """Read one part: see `walk`.

        Raises:
            KeyError: there is no such part.
        """
        with self._zip.open(self._names[name.lower()]) as part:
            walk(cast("BinaryIO", _Bounded(cast("BinaryIO", part), self)), starts, ends or {})

    def related(self, name: str) -> dict[str, Related]:
        """What a part names, by the ids that it uses; "" is the whole file."""
        folder, base = posixpath.split(name)
        listed = posixpath.join(folder, "_rels", f"{base}.rels")
        found: dict[str, Related] = {}

        def take(attributes: dict[str, str]) -> None:
            if attributes.get("TargetMode") == "External":
                return
            kind = attributes["Type"].rpartition("/")[2]
            target = posixpath.normpath(posixpath.join("/", folder, attributes["Target"]))
            found[attributes["Id"]] = Related(kind, target.lstrip("/"))

        if listed in self:
            self.walk(listed, {"Relationship": take})
        return found


def _refuse(*_: Any) -> None:
    raise NotPlain("it declares a document type")
