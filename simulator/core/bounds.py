"""How much of what others wrote is read: files, answers of bots and models, templates, sheets.

Every reader of foreign input takes its bounds from here. Each bound is far above what people and
bots really write, and low enough that whatever keeps within it is read within seconds and half a
gigabyte; what is beyond ends with a sentence, not with the machine.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

MAX_BYTES = 32_000_000
"""Bytes of a file that is read as a whole."""
MAX_UNPACKED = 100_000_000
"""Bytes of all parts of a workbook, unpacked: some 2,500,000 cells."""
MAX_CELLS = 1_000_000
"""Cells of a table: some 50,000 rows; rows count, too, and what merged cells cover."""
MAX_ROWS = 200_000
"""Lines of a file of verdicts: turns of a run."""
MAX_COLUMN = 16_384
"""Columns of a table: as many as a worksheet can have."""
MAX_STYLES = 65_490
"""Cell styles of a workbook, as many as Excel takes."""
MAX_FORMAT = 255
"""Characters of a number format, as many as Excel takes."""
MAX_NODES = 1_000_000
"""Values in one JSON text, or parts of a YAML file: some 20,000 long scenarios."""
MAX_DEPTH = 40
"""Levels of lists and mappings in a YAML file."""
MAX_NESTED = 100
"""Levels of lists and objects in a JSON text."""
MAX_EXPANDED = 200_000
"""Nodes that the aliases of a YAML file may add."""
MAX_REPEATED = 32_000_000
"""Characters that aliases, or cells that share one text, may add."""
MAX_LINES = 100_000
"""Lines of one text of a knowledge base, or of a diff: some 2,000 pages."""
MAX_TALKS = 2_000_000
"""Conversations of one run: a million takes a day and some 9 GB of store."""
MAX_FILES = 20_000
"""Files and folders of a client that a proof plays a copy of, or that make a bot what it is."""
MAX_DIFFS = 500
"""Changes that one folder proposes: each is proved by playing."""
MAX_COPIED = 1_000_000_000
"""Bytes of all of them."""
BODY_LIMIT = 32 * 1024 * 1024
"""Bytes of one answer of a bot or a model, unpacked."""
LARGE = 256 * 1024
"""Bytes of an answer from which on it is read in a thread: others are not to wait meanwhile."""
LONG_TEXT = 20_000
"""Characters from which on a text is looked at in a process of its own: see `worker.apart`."""
MAX_SAID = 4_000_000
"""Characters of a model's own words: none writes a tenth of it."""
SHEETS_LIMIT = 100_000_000
"""Bytes of one answer of Google, unpacked: all cells of a long worksheet."""
EVENT_LIMIT = 32 * 1024 * 1024
"""Characters of one event of a stream."""
MAX_PIECES = 100_000
"""Events, messages or lines of one answer: a token each would be a book."""
MAX_EVENT_LINES = 1_000_000
"""Lines of a stream of events; blank ones and comments count, too."""
MAX_TEXT = 100_000
"""Characters of an answer, or of a document, that metrics, judge and reports are given."""
MAX_DOCUMENTS = 3 * MAX_TEXT
"""Characters of the texts of all documents of one answer that they are given."""
MAX_GIVEN = 1_000
"""Documents of one answer that they are given, and characters of the id and title of each."""
MAX_EXPECTED = 8_000
"""Characters of one text that a scenario expects, and of a reply that is held against it."""
MAX_UTTERANCE = 20_000
"""Characters of one text that a scenario has its user say, want or know."""
MAX_WAYS = 200
"""Right answers, and ways to say elements, of one scenario: each is held against each reply."""
MAX_MADE = 10_000_000
"""Characters that filling in one template may make."""
MAX_SETTINGS = 2_000
"""Values of a client.yaml, aliases counted each time."""
MAX_CODE = 20_000
"""Characters of the placeholders of one request."""
MAX_PATH = 1_000
"""Characters of a JMESPath."""
MAX_WORK = 100_000_000
"""What evaluating one JMESPath on one answer may come to: some seconds, some 300 MB."""
WORK_S, WORK_MB = 5, 1_000
"""Processor time and memory of what is not bounded by its form: see `worker`."""
CUT_MARK = " … (cut)"


_BY_ITSELF = 200  # characters
V = TypeVar("V")


class TooMuch(ValueError):
    """Input is beyond a bound; the text says which, in words that follow `it` or a file's name."""


class KeyTwice(ValueError):
    """An object of JSON says two things under one name."""


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs, for the readers of `json`.

    Raises:
        KeyTwice: a key is there twice; the text says which.
    """
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(
            name for name, count in Counter(name for name, _ in pairs).items() if count > 1
        )
        raise KeyTwice(f"the key {json.dumps(twice[:60], ensure_ascii=False)} appears twice")
    return values


class Memo(Generic[V]):
    """What was found out of texts, for whoever asks again; any number of threads may.

    Half of what fits are the newest; when there are as many again, all that nobody asked for since
    is forgotten.

    Args:
        most: the characters that are kept at once; a thing counts for some by itself, too.
    """

    def __init__(self, most: int) -> None:
        self._most = most // 2
        self._new: dict[Hashable, V] = {}
        self._old: dict[Hashable, V] = {}
        self._size = 0

    def of(self, key: Hashable, size: int, find: Callable[[], V]) -> V:
        """What is known by this key, or is found now; `size` are the characters it is made of."""
        if (known := self._new.get(key)) is not None:
            return known
        known = self._old.get(key)
        value = find() if known is None else known
        self._size += size + _BY_ITSELF
        if self._size > self._most:
            self._old, self._new, self._size = self._new, {}, size + _BY_ITSELF
        self._new[key] = value
        return value


# Always matches from an opening quote on, to the end if none closes: so it takes one pass.
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_VALUES = re.compile(rf"{_STRING}|[\[{{,]", re.DOTALL)
_BRACKETS = re.compile(rf"{_STRING}|[\[\]{{}}]", re.DOTALL)


def json_data(text: str | bytes, *, finite: bool = True, once: bool = False) -> Any:
    """The data of a JSON text; if `finite`, NaN, Infinity and numbers like 1e999 are null.

    Raises:
        KeyTwice: an object has a key twice, and `once` forbids it.
        TooMuch: it holds too many values, or is nested too deep.
        ValueError: it is not JSON.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    check_json(text)
    try:
        pairs = each_key_once if once else None
        if not finite:
            return json.loads(text, object_pairs_hook=pairs)
        return json.loads(text, object_pairs_hook=pairs, parse_float=_finite, parse_constant=_null)
    except RecursionError as error:  # on smaller stacks
        raise TooMuch("is nested too deep") from error


def check_json(text: str) -> None:
    """Look whether a JSON text keeps within the bounds, before anything is made of it.

    Raises:
        TooMuch: it does not.
    """
    opened = text.count("[") + text.count("{")
    if len(text) >= MAX_NODES <= opened + text.count(","):
        count = 0
        for match in _VALUES.finditer(text):
            count += match[0][0] != '"'
            if count >= MAX_NODES:
                raise TooMuch(f"is too large: more than {MAX_NODES:,} values")
    if opened > MAX_NESTED:
        depth = 0
        for match in _BRACKETS.finditer(text):
            depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match[0][0], 0)
            if depth > MAX_NESTED:
                raise TooMuch(f"is nested too deep: more than {MAX_NESTED} levels")


def _finite(written: str) -> float | None:
    number = float(written)
    return number if math.isfinite(number) else None


def _null(_: str) -> None:
    return None
