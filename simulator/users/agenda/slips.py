"""The mistakes in a person's messages: what fingers and voice recognition do to them.

Numbers, ids, addresses and URLs stay as they are, and so does what a message says: slips keep
apart from each other, and negations are left alone. What is written for what stands in
`ja/slips.yaml` and `en/slips.yaml`.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from simulator.core.persona import Language, Slips
from simulator.text.ja.sudachi import Morpheme, morphemes
from simulator.text.phrases import phrases

_JA, _EN = phrases("users/agenda/ja/slips"), phrases("users/agenda/en/slips")
_MASK = "\ue000"  # a character of no script: no slip is made on it
_KEPT = re.compile(
    rf"{_MASK}|https?://[!-~]+|[!-~]{{1,64}}@[!-~]{{0,200}}[A-Za-z]"
    r"|[#＃]?[A-Za-z._/-]{0,60}[0-9０-９](?:[A-Za-z0-9０-９.,:：_/+-]*[A-Za-z0-9０-９])?"
    r"|[A-Za-z]{1,60}(?:\.[A-Za-z]+)+|[A-Z]{2,}\w*"
)


class Slip(NamedTuple):
    """One mistake: `text` in place of the characters from `start` to `end` of a message."""

    start: int
    end: int
    text: str


_Places = Sequence[Sequence[Slip]]  # for slips in a message, those of one sort together


def slipped(text: str, slips: Slips, language: Language, rng: random.Random) -> str:
    """The text with slips of a kind: one at least if there is a place for it.

    There is at most one for every dozen characters (ja; of speech, twenty) or five words (en).
    Speech has no punctuation either.
    """
    if slips is Slips.NONE:
        return text
    kept = iter(_KEPT.findall(text))
    text = _KEPT.sub(_MASK, text)
    if slips is Slips.SPEECH:
        text = _unpunctuated_en(text) if language == "en" else _unpunctuated_ja(text)
    for slip in sorted(_chosen(text, slips, language, rng), key=lambda place: -place.start):
        text = text[: slip.start] + slip.text + text[slip.end :]
    return re.sub(_MASK, lambda _: next(kept), text)


def _chosen(text: str, slips: Slips, language: Language, rng: random.Random) -> list[Slip]:
    """Some places, all sorts alike, far enough apart from each other."""
    places, apart = _SORTS[language, slips]
    sorts = places(text)
    most = max(1, len(text) // apart)
    chosen: list[Slip] = []
    for _ in range(rng.randint((most + 1) // 2, most)):
        sorts = [
            [place for place in sort if _is_clear(place, chosen, apart // 2)] for sort in sorts
        ]
        left = [sort for sort in sorts if sort]
        if not left:
            break
        chosen.append(rng.choice(rng.choice(left)))
    return chosen


def _is_clear(slip: Slip, chosen: list[Slip], apart: int) -> bool:
    return all(slip.start >= c.end + apart or slip.end + apart <= c.start for c in chosen)


# ---- Japanese ----

_HIRAGANA = re.compile("[ぁ-ん]{2,}")
_PARTICLE = re.compile("(?<=[一-龠ァ-ヴー])[をはがに](?=[一-龠ァ-ヴ])")
_KANJI = re.compile("[一-龠々]")
_SPOKEN_FULL_STOP = re.compile(r"[。．！？!?…\n]+\s*(?=\S)")
_NOT_SPOKEN = re.compile(r"[、，,・「」『』“”\"（）()]|[。．！？!?…]+")


def _typing_ja(text: str) -> _Places:
    """What fingers do: to kana (left out, doubled, swapped; half typed), particles, conversions."""
    of = _consonants()
    loose = [at for run in _HIRAGANA.finditer(text) for at in range(*run.span())]
    weighty = [match.span() for match in _JA.pattern("weighty").finditer(text)]
    loose = [at for at in loose if not any(start <= at < end for start, end in weighty)]
    half = [Slip(at, at + 1, of[text[at]]) for at in loose if text[at] in of]
    dropped = [Slip(*match.span(), "") for match in _PARTICLE.finditer(text)]
    return [list(_on_kana(text, loose)), half, dropped, _conversions(text)]


def _speech_ja(text: str) -> _Places:
    """What a voice leaves in a text: fillers, and words of the same sound."""
    filled = [match.start() for match in _JA.pattern("filled").finditer(text)]
    free = [at for at in _breaths(text) if all(abs(at - other) > 4 for other in filled)]
    fillers = _JA.lines("fillers")
    return [[Slip(at, at, filler) for at in free for filler in fillers], _conversions(text)]


def _unpunctuated_ja(text: str) -> str:
    """The text as a voice gives it: no marks and no quotes, a gap where a sentence ended."""
    return _NOT_SPOKEN.sub("", _SPOKEN_FULL_STOP.sub(" ", text)).strip()


@cache
def _consonants() -> dict[str, str]:
    rows = _JA.pairs("rows")
    return {kana: consonant for consonant, row in rows.items() for kana in row}


@cache
def _converted() -> re.Pattern[str]:
    longest_first = sorted(map(re.escape, _JA.pairs("homophones")), key=len, reverse=True)
    return re.compile("|".join(longest_first))


def _breaths(text: str) -> Iterator[int]:
    """Where a voice may pause: where it begins, and between words that are no parts of one."""
    at, before = 0, None
    for morpheme in morphemes(text):
        if before is None or _may_pause(before, morpheme):
            yield at
        at += len(morpheme.surface)
        before = morpheme


def _may_pause(before: Morpheme, after: Morpheme) -> bool:
    kind, finer = after.pos[:2]
    if kind not in _JA.words("words") or finer == "非自立可能":
        return False
    if after.surface in _JA.words("unbroken"):
        return False
    is_particle = before.pos[0] == "助詞" and before.surface in _JA.words("before_a_breath")
    return is_particle or before.surface.isspace()


def _conversions(text: str) -> list[Slip]:
    """Whole words only: the 取れ of 受け取れ and the 有料 of 有料化 are never converted alone."""
    starts: set[int] = set()
    at, before = 0, None
    for morpheme in morphemes(text):
        if before is None or before.pos[0] not in ("動詞", "接頭辞"):
            starts.add(at)
        at += len(morpheme.surface)
        before = morpheme
    return [
        Slip(*match.span(), _JA.pairs("homophones")[match.group()])
        for match in _converted().finditer(text)
        if match.start() in starts and not _is_inside(match)
    ]


def _is_inside(match: re.Match[str]) -> bool:
    """True if it is a part of a longer run of kanji."""
    text, start, end = match.string, match.start(), match.end()
    after = bool(_KANJI.match(text[end - 1])) and bool(_KANJI.match(text[end : end + 1]))
    return after or bool(_KANJI.match(text[max(0, start - 1) : start]))


def _on_kana(text: str, loose: list[int]) -> Iterator[Slip]:
    for at in loose:
        kana = text[at]
        yield Slip(at, at + 1, "")
        yield Slip(at, at + 1, kana * 2)
        if at + 1 in loose and text[at + 1] != kana:
            yield Slip(at, at + 2, text[at + 1] + kana)


# ---- English ----

_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_LONG_WORD = re.compile(r"\b[a-z]{4,}\b")
_APOSTROPHE = re.compile(r"(?<=[a-z])['’](?=(?:t|s|re|ll|ve|d|m)\b)")
_CAPITAL = re.compile(r"(?:(?:^|(?<=[.!?…:] )|(?<=\n))[A-Z](?=[a-z' ]))|\bI\b")
_MARKS = re.compile(r"[“”\"()…]|(?<![.,!?;:])[.,!?;:]++(?=\s|$|[\"”)])|(?<=\s)[-–—]+(?=\s)")


def _typing_en(text: str) -> _Places:
    """What fingers do: to letters inside words, and to apostrophes and capitals."""
    letters = [
        slip
        for match in _LONG_WORD.finditer(text)
        if match.group() not in _EN.words("weighty")
        for slip in _in_a_word(match)
    ]
    dropped = [Slip(*match.span(), "") for match in _APOSTROPHE.finditer(text)]
    lowered = [Slip(*match.span(), match.group().lower()) for match in _CAPITAL.finditer(text)]
    return [letters, dropped, lowered]


def _speech_en(text: str) -> _Places:
    """What a voice leaves in a text: fillers, and words of the same sound."""
    homophones = _EN.pairs("homophones")
    filled = [match.start() for match in _EN.pattern("filled", re.IGNORECASE).finditer(text)]
    breaths = {0, *(match.start() for match in _EN.pattern("breath").finditer(text))}
    free = [at for at in sorted(breaths) if all(abs(at - other) > 6 for other in filled)]
    fillers = [Slip(at, at, f"{filler} ") for at in free for filler in _EN.lines("fillers")]
    sounds = [
        Slip(*match.span(), homophones[match.group()])
        for match in _WORD.finditer(text)
        if match.group() in homophones
    ]
    return [fillers, sounds]


def _unpunctuated_en(text: str) -> str:
    """The text as a voice gives it: no marks, no quotes, no capital where a sentence begins."""
    lowered = _CAPITAL.sub(lambda match: _lower(match.group()), text)
    return " ".join(_MARKS.sub(" ", lowered).split())


def _lower(capital: str) -> str:
    return capital if capital == "I" else capital.lower()


def _in_a_word(match: re.Match[str]) -> Iterator[Slip]:
    """The first letter stays, so that the word is still known by sight."""
    for at in range(match.start() + 1, match.end()):
        letter = match.string[at]
        yield Slip(at, at + 1, "")
        yield Slip(at, at + 1, letter * 2)
        if at + 1 < match.end() and match.string[at + 1] != letter:
            yield Slip(at, at + 2, match.string[at + 1] + letter)


# By language and kind: where slips may be made, and how many characters are from one to the next;
# 25 of English are about five words.
_SORTS: dict[tuple[Language, Slips], tuple[Callable[[str], _Places], int]] = {
    ("ja", Slips.TYPING): (_typing_ja, 12),
    ("ja", Slips.SPEECH): (_speech_ja, 20),
    ("en", Slips.TYPING): (_typing_en, 25),
    ("en", Slips.SPEECH): (_speech_en, 25),
}
