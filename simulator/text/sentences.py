"""Cutting a text into sentences."""

import re
from collections.abc import Iterator
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.persona import Language

LONGEST = 400
"""Characters of one sentence: patterns that search one may take its cube."""

_OPEN, _CLOSE = "「『（(【〈《“", "」』）)】〉》”"
_BRACKET = re.compile(f"[{re.escape(_OPEN + _CLOSE)}]")
_HARD = frozenset("。！？")  # end a sentence wherever they stand
_ENDS = frozenset("。！？!?.．")
_TRAILING = frozenset("。！？!?.．…」』）)】〉》”\"'")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|no|vs|etc|approx|inc|ltd|co|jr|sr|dept|est|fig)"
    r"|\b[a-z](?:\.[a-z])+|(?<!\d )\b[a-z]|(?:^|[.!?]\s+)\d{1,2})$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION = 12
_PAUSES = "、，\u3000 "
_LONGEST_KEPT = 2_000  # characters of a text whose sentences are kept: most are asked for again


def sentences(text: str, language: Language) -> list[str]:
    """The sentences of any text with their final marks, stripped; a new line ends one as well.

    Nothing is cut inside brackets and quotation marks; a full stop ends a sentence only before
    white space, and not after an abbreviation (`e.g.`, `No.`, `U.S.`) or a list number. In Japanese
    a question mark needs no space after it. What goes on for more than 400 characters, as nobody
    says it, comes in parts, cut after a pause where there is one.
    """
    return list((_remembered if len(text) <= _LONGEST_KEPT else _sentences)(text, language))


def _sentences(text: str, language: Language) -> tuple[str, ...]:
    whole = (s for line in clean(text).split("\n") for s in _cut(line, language))
    return tuple(part for s in whole for part in _parts(s.strip()) if part)


def _parts(sentence: str) -> Iterator[str]:
    start = 0
    while len(sentence) - start > LONGEST:
        near = start + LONGEST // 2, start + LONGEST
        end = max(sentence.rfind(pause, *near) for pause in _PAUSES) + 1 or near[1]
        yield sentence[start:end].strip()
        start = end
    yield sentence[start:].strip()


_remembered = lru_cache(maxsize=2_048)(_sentences)


def _cut(line: str, language: Language) -> list[str]:
    out: list[str] = []
    depths = _depths(line)
    start = at = 0
    while at < len(line):
        if line[at] not in _ENDS or depths[at]:
            at += 1
            continue
        end = at + 1
        while end < len(line) and line[end] in _TRAILING:
            end += 1
        if _ends(line, at, end, language):
            out.append(line[start:end])
            start = end
        at = end
    return [*out, line[start:]]


def _depths(line: str) -> list[int]:
    """How many brackets are open at each place; all 0 where they do not pair up."""
    if not _BRACKET.search(line):
        return [0] * len(line)
    depth, out = 0, []
    for char in line:
        depth += (char in _OPEN) - (char in _CLOSE)
        out.append(depth)
    return out if not depth and min(out, default=0) >= 0 else [0] * len(line)


def _ends(line: str, at: int, end: int, language: Language) -> bool:
    """True if the marks from `at` up to `end` end a sentence, by what stands around them."""
    marks, follower = line[at:end], line[end : end + 1]
    if language == "ja" and follower == "と" and marks[-1] not in "。.":
        return False  # 変更しますか？と聞かれます
    if _HARD.intersection(marks) or not follower:
        return True
    if "．" in marks:
        return not (follower.isdecimal() and line[at - 1 : at].isdecimal())
    if language == "ja" and "." not in marks and not follower.isascii():
        return True
    before = line[max(0, at - _LONGEST_ABBREVIATION) : at]
    return follower.isspace() and not (marks == "." and _ABBREVIATION.search(before))
