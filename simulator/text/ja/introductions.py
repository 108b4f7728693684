"""Where somebody says its own name in Japanese: 田中です, 株式会社山田の鈴木と申します."""

import re
from collections.abc import Iterator, Sequence

from simulator.text.ja.sudachi import Morpheme, morphemes
from simulator.text.phrases import phrases

_PHRASES = phrases("text/ja/personal")

_READ = 2000  # characters at a time
_REPORTS = re.compile("(?:た|たい|ている|ました)$")  # 先日電話した中村です
_JOINTS = (" ", "\u3000", "・")
_OPENS = re.compile("(?:^|[。、,!！?？\\s])$")


def own_names(text: str) -> list[tuple[int, int]]:
    """The places, as (start, end), of names that a speaker tells, in order: its own and others'.

    A name is what the dictionary knows as one, at the beginning of a clause and before です,
    と申します and the like. What is a place or a thing as well counts only after words that call
    for a name (営業部の森です), or before a given name. Names of others count with さん or 様
    behind them, and where family name and given name stand together.
    """
    found: list[tuple[int, int]] = []
    at = 0
    for line in text.split("\n"):
        for begins in range(0, len(line), _READ):
            part = line[begins : begins + _READ]
            found += [(at + begins + start, at + begins + end) for start, end in _in_line(part)]
        at += len(line) + 1
    return found


def _in_line(line: str) -> Iterator[tuple[int, int]]:
    read = morphemes(line)
    starts = [0]
    for morpheme in read:
        starts.append(starts[-1] + len(morpheme.surface))
    if starts[-1] != len(line):
        return  # what was cleaned away stands nowhere
    at = 0
    while at < len(read):
        end = _name_end(read, at)
        name = read[at:end]
        if name and (
            _is_of_another(line, name, starts[end]) or _is_own(line, name, starts[at], starts[end])
        ):
            yield starts[at], starts[end]
        at = max(end, at + 1)


def _name_end(read: Sequence[Morpheme], start: int) -> int:
    """Where a run that may be a name ends; its start where there is none."""
    end = start
    while end < len(read) and (_may_name(read[end]) or _joins(read, start, end)):
        end += 1
    return end


def _may_name(morpheme: Morpheme) -> bool:
    return morpheme.pos[2] in ("人名", "地名") or morpheme.surface in _PHRASES.words("also_things")


def _joins(read: Sequence[Morpheme], start: int, at: int) -> bool:
    """The space or dot between family name and given name."""
    inside = start < at < len(read) - 1 and read[at].surface in _JOINTS
    return inside and read[at + 1].pos[2] == "人名"


def _is_of_another(line: str, name: Sequence[Morpheme], end: int) -> bool:
    words = [m for m in name if m.surface not in _JOINTS]
    if any(m.pos[2] != "人名" for m in words):
        return False
    if words[0].pos[3] == "姓" and any(m.pos[3] == "名" for m in words[1:]):
        return True
    in_places = words[0].surface in _PHRASES.words("also_places")
    return not in_places and bool(_PHRASES.pattern("honorifics").match(line, end))


def _is_own(line: str, name: Sequence[Morpheme], start: int, end: int) -> bool:
    if not _PHRASES.pattern("said_after").match(line, end):
        return False
    before = line[:start]
    if _PHRASES.pattern("of_a_body").search(before) or _PHRASES.pattern("turned_to").search(before):
        return True
    if not _OPENS.search(before) and not _REPORTS.search(before):
        return False
    if any(m.pos[3] == "名" for m in name[1:]):
        return True
    places = _PHRASES.words("also_places")
    words = [m for m in name if m.surface not in _JOINTS]
    return all(m.pos[2] == "人名" and m.surface not in places for m in words)
