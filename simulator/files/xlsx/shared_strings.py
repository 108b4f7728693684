"""The texts of an xlsx file: runs put together, without how words are read aloud."""

import re
from collections.abc import Callable

from simulator.core.clean import clean
from simulator.files.xlsx.parts import Parts

_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


class Runs:
    """The text of a cell or of a shared string, put together from its runs."""

    def __init__(self) -> None:
        self._runs: list[str] = []
        self._reading = False

    def starts(self) -> dict[str, Callable[[dict[str, str]], None]]:
        """What to do at the beginning of elements."""
        return {"rPh": self._begin_reading}

    def ends(self) -> dict[str, Callable[[str], None]]:
        """What to do at the end of elements."""
        return {"t": self._run, "rPh": self._end_reading}

    def taken(self) -> str:
        """The whole text as `text_of` makes it; the next one begins empty."""
        text = "".join(self._runs)
        self._runs.clear()
        return text_of(text)

    # How a word is read (furigana) stands beside it and is no part of the text.
    def _begin_reading(self, _: dict[str, str]) -> None:
        self._reading = True

    def _end_reading(self, _: str) -> None:
        self._reading = False

    def _run(self, text: str) -> None:
        if not self._reading:
            self._runs.append(text)


def text_of(written: str) -> str:
    """A text as it stands in the file, without its escapes (`_x000D_`), clean and stripped."""
    if "_x" in written:
        written = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), written)
    return clean(written).strip()


def shared_strings(parts: Parts, name: str) -> list[str]:
    """The texts that cells refer to by their numbers."""
    found: list[str] = []
    runs = Runs()

    def end(_: str) -> None:
        found.append(runs.taken())

    parts.walk(name, runs.starts(), {**runs.ends(), "si": end})
    return found
