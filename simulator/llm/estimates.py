"""How many tokens a call will use: guessed at first, then by what calls of its kind did use."""

from collections.abc import Hashable
from dataclasses import dataclass

from simulator.core.ports import Usage

_BYTES_PER_TOKEN = 3  # of running text, English or Japanese, as a first estimate
_WRITTEN = 300  # tokens of one answer, as a first estimate


@dataclass(slots=True)
class _Seen:
    calls: int = 0
    size: int = 0
    read: int = 0
    written: int = 0


class Estimates:
    """The tokens of calls to one model. Kinds are what writes alike, such as forms."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, _Seen] = {}

    def tokens(self, kind: Hashable, size: int, *, writes: bool = True) -> int:
        """Of a call whose texts are `size` bytes long, read and written.

        `writes`: whether anything is written, where no call of the kind told it yet.
        """
        seen = self._seen.get(kind)
        if seen is None or not seen.size:
            return size // _BYTES_PER_TOKEN + (_WRITTEN if writes else 0)
        return round(size * seen.read / seen.size + seen.written / seen.calls)

    def learn(self, kind: Hashable, size: int, used: Usage) -> None:
        """A call of so many bytes used these tokens; a usage of nothing tells nothing."""
        if not used.input:
            return
        seen = self._seen.setdefault(kind, _Seen())
        seen.calls += 1
        seen.size += size
        seen.read += used.input
        seen.written += used.output
