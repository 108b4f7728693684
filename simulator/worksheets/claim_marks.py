"""What a person writes of single claims in one cell of a row: `2 NG`, `1 OK, 3 NG (says 500 yen)`.

Claims go by the numbers that they have in the column of the right answer. What cannot be read is
handed back as it stands.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from simulator.core.claim import Claim, claims_of
from simulator.core.persona import Language
from simulator.core.scenario import Expected
from simulator.core.verdict import Verdict, Word, latest
from simulator.files.answers import verdict_of
from simulator.words import Words
from simulator.worksheets.columns import parted_word

_OPEN, _CLOSED = "(（[［【「『", ")）]］】」』"
_NUMBER = re.compile(r"[#＃(（]?(\d{1,3}|[①-⑳])[)）]?(番目|番|つ目)?([\s.．:：=＝\-]*)(?![\d.．])")
_NEW_LINE = re.compile(r"[\n;；]+")
_COMMA = re.compile(r"[,，、]")
_SPACE = re.compile(r"\s+(?=[#＃]?(?:\d|[①-⑳]|[(（](?:\d{1,3}|[①-⑳])[)）]))")


@dataclass(frozen=True, slots=True)
class ClaimMark:
    """A person's word on the claim with this number, and what was written behind the word."""

    number: int
    word: Word
    remark: str = ""

    def __str__(self) -> str:
        return mark_text(self.number, self.word, self.remark)


def numbered_claims(expected: Expected) -> tuple[Claim, ...]:
    """The claims that people judge one by one in a worksheet; the first one has the number 1.

    They are what an answer should say, and what it must not. A whole expected answer is none: the
    verdict speaks of it.
    """
    return tuple(c for c in claims_of(expected) if c.wordings and not c.is_whole)


def mark_text(number: int, word: str, remark: str = "") -> str:
    """A mark as it stands in a cell; `word`: what it is called there."""
    return f"{number} {word} ({' '.join(remark.split())})" if remark else f"{number} {word}"


def marks_by_person(
    numbers: Mapping[int, str], given: Iterable[Verdict], language: Language
) -> dict[tuple[str, str], str]:
    """What stands in the cell, by person: from verdicts on the claims of an answer, by number."""
    words, lines = Words(language, "sheet"), dict[tuple[str, str], list[str]]()
    verdicts = list(given)
    for number, claim in numbers.items():
        for person, verdict in latest(v for v in verdicts if v.claim == claim).items():
            if verdict.word:
                text = mark_text(number, words(f"how.{verdict.word}"), verdict.comment)
                lines.setdefault(person, []).append(text)
    return {person: "\n".join(texts) for person, texts in lines.items()}


def claim_marks(text: str) -> tuple[tuple[ClaimMark, ...], tuple[str, ...]]:
    """The marks of a cell, by their numbers, and what cannot be read.

    Two words on one claim are none, and both are handed back.
    """
    marks: dict[int, ClaimMark] = {}
    unread: list[str] = []
    for line in _NEW_LINE.split(text):
        for mark in _marks_of(line):
            if isinstance(mark, str):
                unread.append(mark)
            elif marks.setdefault(mark.number, mark) != mark:
                unread += [str(marks[mark.number]), str(mark)]
    twice = {mark.number for mark in marks.values() if str(mark) in unread}
    read = (marks[number] for number in sorted(marks) if number not in twice)
    return tuple(read), tuple(dict.fromkeys(unread))


def _marks_of(line: str) -> Iterator[ClaimMark | str]:
    """The marks of a line; a text where it is none."""
    waiting: list[int] = []  # numbers before a comma, whose word comes later: 1, 2 NG
    last: ClaimMark | None = None
    for part in _parts(line):
        number, word, remark = _read(part)
        if number is None and last is not None:
            last = ClaimMark(last.number, last.word, f"{last.remark} {part}".strip())
            continue
        if last is not None:
            yield last
            last = None
        if word is not None and number is not None:
            yield from (ClaimMark(each, word, remark) for each in waiting)
            waiting, last = [], ClaimMark(number, word, remark)
        elif number is not None and not remark:
            waiting.append(number)
        else:
            yield from _as_texts(waiting)
            waiting = []
            yield part
    if last is not None:
        yield last
    yield from _as_texts(waiting)


def _as_texts(numbers: Iterable[int]) -> Iterator[str]:
    return map(str, numbers)


def _read(part: str) -> tuple[int | None, Word | None, str]:
    """The number at the head of a part, the word behind it, and what comes last."""
    match = _NUMBER.match(part)
    if match is None:
        return None, None, part
    rest = part[match.end() :]
    number = int(unicodedata.normalize("NFKC", match[1]))
    word, remark = parted_word(rest) or ("", rest)
    if not word or word.isdecimal():
        is_mark = bool(match[2] or match[3]) or not rest
        return (number, None, rest) if is_mark else (None, None, part)
    return number, verdict_of(word), remark


def _parts(line: str) -> Iterator[str]:
    """The parts between commas, and before numbers; what stands in brackets stays whole."""
    for piece in _outside(_COMMA, line):
        yield from filter(None, map(str.strip, _outside(_SPACE, piece)))


def _outside(divider: re.Pattern[str], text: str) -> Sequence[str]:
    """The text parted where the divider stands outside of brackets."""
    depths, depth = [], 0
    for char in text:
        depth += (char in _OPEN) - (char in _CLOSED and depth > 0)
        depths.append(depth)
    parts, start = [], 0
    for match in divider.finditer(text):
        if not depths[match.start()]:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]
