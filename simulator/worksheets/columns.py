"""The columns of the Review worksheet: written by reports, found again whatever people do to heads.

One row for each turn that people look at. On the first screen stands what it takes to judge, and
the columns in which people write; what the machine thinks of the answer stands behind these. A row
is known by its key, whatever was sorted, filtered, inserted or deleted.
"""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from simulator.core.clean import unguarded
from simulator.core.persona import Language
from simulator.files.answers import Wrong, verdict_of
from simulator.formats.tables import Record
from simulator.words import Words, table
from simulator.worksheets.book import legible

ColumnId = Literal[
    "key", "user", "before", "assistant", "expected", "documents",
    "verdict", "claims", "error_type", "corrected", "comment", "reviewer",
    "turns", "sampled", "persona", "scenario", "turn", "result", "metric", "score", "reason",
    "threshold", "flag", "hash",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReviewColumn:
    """One column: its id, its head by language, how wide it is, and whose it is.

    `clip`: its texts do not make their rows higher than a few lines.
    """

    id: ColumnId
    heads: Mapping[Language, str]
    width: int = 12
    hidden: bool = False
    clip: bool = False
    people: bool = False


_LANGUAGES: tuple[Language, ...] = get_args(Language)


def _column(id_: ColumnId, width: int = 12, **more: bool) -> ReviewColumn:
    heads = {language: table(language, "columns")[id_] for language in _LANGUAGES}
    return ReviewColumn(id_, heads, width, **more)


# Widths so that a screen of 1,900 pixels holds all up to the reviewer beside the numbers of rows,
# and what stays in sight of it 700, where a character takes 9.3 pixels and a column 7 more: those
# of DejaVu Sans, which LibreOffice takes where it has no font for offices. Excel takes 8 and 5.
COLUMNS: tuple[ReviewColumn, ...] = (
    _column("key", 10, hidden=True),
    _column("user", 19),
    _column("before", 16, clip=True),
    _column("assistant", 37),
    _column("expected", 24),
    _column("documents", 18, clip=True),
    _column("verdict", 8, people=True),
    _column("claims", 11, people=True),
    _column("error_type", 13, people=True),
    _column("corrected", 20, people=True),
    _column("comment", 16, people=True),
    _column("reviewer", 9, people=True),
    _column("turns", 8),
    _column("sampled", 10),
    _column("persona", 16),
    _column("scenario", 18),
    _column("turn", 6),
    _column("result", 24),
    _column("metric", 16),
    _column("score", 8),
    _column("reason", 44),
    _column("threshold", 8, hidden=True),
    _column("flag", 9),
    _column("hash", 10, hidden=True),
)
FROZEN = 1 + [column.id for column in COLUMNS].index("assistant")
"""So many columns stay in sight, that of the keys among them."""


def error_types(language: Language) -> dict[str, str]:
    """The vocabulary of faults: what each is called, what a person sees in an answer first."""
    words = table(language, "report")
    kinds = (key for key in table(language, "sheet") if key.startswith("means."))
    return {kind: words[f"fault.{kind}"] for kind in (key.removeprefix("means.") for key in kinds)}


def fault_of(text: str) -> str:
    """The fault that a person's error type names, in any language; their own words as they are."""
    return _FAULTS.get(_plain(text), text)


def answer_of(text: str) -> str:
    """A corrected answer without what stands below the right answer that it was copied from.

    That is which elements it has to hold, and that refusing or handing over is right.
    """
    lines = text.split("\n")
    below = len(lines)
    for at, line in reversed([*enumerate(map(str.strip, lines))]):
        if line.startswith(_BELOW):
            below = at
        elif not _NUMBERED.match(line):
            break
    return "\n".join(lines[:below]).strip() if below < len(lines) else text


# What the hash covers: what the program wrote and nothing alters later. Not the threshold and the
# flag, which follow the Config worksheet, nor the number of turns, which grows as a run does. Files
# of earlier versions have a shorter hash, of fewer columns.
HASHED: tuple[ColumnId, ...] = tuple(
    column.id
    for column in COLUMNS
    if not column.people and column.id not in ("turns", "threshold", "flag", "hash")
)
_HASHED_BEFORE: tuple[ColumnId, ...] = (
    "key", "sampled", "persona", "scenario", "turn", "user", "assistant", "metric", "score",
    "reason",
)  # fmt: skip
_DIGITS = 12
_FEW, _DASH = 6, "-"  # digits of the hash of what was filled in; before each of these hashes
_MARK = "h"  # before the hash of all of them: no spreadsheet takes it for a number
THOUGHT: tuple[ColumnId, ...] = ("sampled", "result", "metric", "score", "reason")
"""What the machine thinks of an answer: empty where people judge blind, until they have."""
_HASHED_CHARACTERS = 20_000  # of each cell: no kind of file cuts it there


def turn_key(run: str, episode: str, turn: int) -> str:
    """The key of a row: `1a2b3c4d|login-fails/angry/1|2`."""
    return f"{run}|{episode}|{turn}"


def parted_key(key: str) -> tuple[str, str, int] | None:
    """Run, episode and turn of a row's key; None if it is none."""
    run, _, rest = key.strip().partition("|")
    episode, _, turn = rest.rpartition("|")
    if not run or not episode or not turn.isascii() or not turn.isdigit():
        return None
    return run, episode, int(turn)


def row_hash(cells: Mapping[ColumnId, object]) -> str:
    """What shows that a machine cell of a row was edited: hex digits over its texts.

    Line ends, spaces around a text, the way in which a number is spelt and an apostrophe that
    guards against formulas make no difference: these are changed without anybody's doing.
    """
    return _MARK + _hash(cells, HASHED)


def filled_hash(cells: Mapping[ColumnId, object]) -> str:
    """What follows the hash of a row that is written with people's words in it; else empty."""
    is_filled = any(cells.get(name) for name in PEOPLE if name != "reviewer")
    return _DASH.join(("", *_filled(cells))) if is_filled else ""


def repeats(cells: Mapping[ColumnId, object], hashed: str) -> tuple[bool, bool] | None:
    """Whether people's cells say what was written into them; then those for single claims alone.

    None: the row was written without any.
    """
    _, _, filled = hashed.partition(_DASH)
    if not filled:
        return None
    whole, _, claims = filled.partition(_DASH)
    now_whole, now_claims = _filled(cells)
    return whole == now_whole, claims == now_claims


def without_filled(hashed: str) -> str:
    """The hash of a row whose people's cells are not written with it."""
    return hashed.partition(_DASH)[0]


def showed_marks(marks: str, reviewer: str, hashed: str) -> bool:
    """Whether these marks on claims, of this person, were written into the row with this hash."""
    return hashed.endswith(_DASH + _filled({"claims": marks, "reviewer": reviewer})[1])


def _filled(cells: Mapping[ColumnId, object]) -> tuple[str, str]:
    whole = [name for name in PEOPLE if name != "claims"]
    return _hash(cells, whole)[:_FEW], _hash(cells, ("claims", "reviewer"))[:_FEW]


def is_intact(cells: Mapping[ColumnId, object], hashed: str) -> bool | None:
    """Whether the machine's cells are what they were, by the hash in their row; None: who knows."""
    hashed, names = without_filled(hashed), _HASHED_BEFORE
    if hashed.startswith(_MARK):
        names = HASHED
    if not hashed or any(name not in cells for name in names):
        return None
    return _hash(cells, names) == hashed.removeprefix(_MARK)


def _hash(cells: Mapping[ColumnId, object], names: Sequence[ColumnId]) -> str:
    text = "\x1f".join(_spelt(cells.get(name)) for name in names)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def _spelt(value: object) -> str:
    text = unguarded(legible("" if value is None else str(value)).strip())[:_HASHED_CHARACTERS]
    try:
        number = float(text)
    except ValueError:
        return text
    return f"{number:.6g}"


def same_text(first: object, second: object) -> bool:
    """Whether two cells say the same, as far as `row_hash` would notice."""
    return _spelt(first) == _spelt(second)


PEOPLE: tuple[ColumnId, ...] = tuple(column.id for column in COLUMNS if column.people)
_LOOKED_AT = 50  # rows above the table that somebody may have put there
_SURE = 4  # so many known heads make a row the head of a table, even without the key's
# What people write behind a head: 判定 (OK/NG), 判定: OK か NG, 判定※必須.
_REMARK = re.compile(r"[(\[{<〔【「:;*※].*", re.DOTALL)
_Fits = Callable[[Sequence[str]], bool]
_LOOSE = re.compile(r"[\s_\-]+")


def _plain(head: str) -> str:
    return _LOOSE.sub("", unicodedata.normalize("NFKC", head)).casefold()


# What earlier versions wrote.
_EARLIER: Mapping[tuple[Language, str], str] = {
    ("en", "elements"): "has to say:",
    ("en", "expected.refuse"): "(there's no answer: saying so is correct)",
    ("en", "expected.escalate"): "(handing over to a person is right)",
    ("ja", "elements"): "必ず入れること:",
    ("ja", "must_not"): "言わないこと:",
}


EARLIER_SAMPLED = (
    "undecided conversation", "undecided talk", "judge and facts differ",
    "未確定の会話", "判定できない会話",
)  # fmt: skip
"""Why a turn was shown, in the words of earlier versions."""


def as_earlier(right_answer: str) -> str:
    """A right answer as earlier versions wrote it."""
    for (language, key), text in _EARLIER.items():
        right_answer = right_answer.replace(table(language, "sheet")[key], text)
    return right_answer


# How such lines begin, in any language.
_BELOW = (
    *(
        table(language, "sheet")[key].partition("{")[0].rstrip()
        for language in _LANGUAGES
        for key in ("elements", "must_not", "expected.refuse", "expected.escalate")
    ),
    *_EARLIER.values(),
)
_NUMBERED = re.compile(r"\d+\. ")  # a claim below one of them
_FAULTS: Mapping[str, str] = {
    **{_plain(t): kind for lang in _LANGUAGES for kind, t in error_types(lang).items()},
    **{_plain(kind): kind for kind in error_types("en")},
    **{
        _plain(name): key.removeprefix("earlier.")
        for lang in _LANGUAGES
        for key, names in table(lang, "sheet").items()
        if key.startswith("earlier.")
        for name in names.split("|")
    },
}
_KNOWN: Mapping[str, ColumnId] = {
    **{_plain(name): name for name in get_args(ColumnId)},
    **{_plain(head): column.id for column in COLUMNS for head in column.heads.values()},
    **dict.fromkeys(("正誤",), "verdict"),
    **dict.fromkeys(("確認者",), "reviewer"),
    # as earlier versions called them
    **dict.fromkeys(("利用者", "user"), "user"),
    **dict.fromkeys(("それまでのやりとり", "saidbefore", "ここまで"), "before"),
    **dict.fromkeys(("まとめ件数", "countsfor"), "turns"),
    **dict.fromkeys(("抽出", "sampledas"), "sampled"),
    **dict.fromkeys(("rightanswer",), "expected"),
    **dict.fromkeys(("照合用",), "hash"),
    **dict.fromkeys(("ボットの回答", "assistant"), "assistant"),
}


def review_column(head: str) -> ColumnId | None:
    """What a column with this head holds; None for a column of somebody's own.

    Width, case, spaces and a remark in brackets behind the name make no difference.
    """
    plain = _plain(head)
    return _KNOWN.get(plain) or _KNOWN.get(_REMARK.sub("", plain))


@dataclass(slots=True)
class Heads:
    """The head of a table: where each column is (several where a head stands there twice).

    `at` is its place among the records, `places` those of the columns, all from 0; `texts` are
    the heads as they stand there. `guessed`: columns that were found by what stands in them,
    since their head says something else.
    """

    at: int
    texts: Mapping[int, str]
    places: dict[ColumnId, list[int]]
    guessed: set[ColumnId] = field(default_factory=set)

    def named(self, name: ColumnId) -> str:
        """The head of a column, as it stands there."""
        return self.texts.get(self.places[name][0], "")

    def missing(self) -> Iterator[ColumnId]:
        """The columns in which people write that are not there.

        Files of earlier versions have none for single claims.
        """
        return (name for name in PEOPLE if name not in self.places and name != "claims")


def find_heads(records: Sequence[Record]) -> Heads | None:
    """The head of the Review table among these rows; None where there is no such table.

    It need not be the first row. A head that was renamed is known by its cells, where these leave
    no doubt: the keys, and verdicts where no other column may hold them.
    """
    for at, record in enumerate(records[:_LOOKED_AT]):
        heads = _heads(at, record)
        if "key" not in heads.places and len(heads.places) >= _SURE:
            _guess(heads, "key", records, _is_key)
        people = any(name in heads.places for name in PEOPLE)
        if "key" in heads.places and (people or len(heads.places) >= _SURE):
            if "verdict" not in heads.places:
                _guess(heads, "verdict", records, _are_words)
            return heads
    return None


def _heads(at: int, record: Record) -> Heads:
    heads = Heads(at, record.cells, {})
    for place, text in sorted(record.cells.items()):
        if name := review_column(text):
            heads.places.setdefault(name, []).append(place)
    return heads


def _guess(heads: Heads, name: ColumnId, records: Sequence[Record], fits: _Fits) -> None:
    """Take the only column without a known head whose cells all fit."""
    named = {place for places in heads.places.values() for place in places}
    texts: defaultdict[int, list[str]] = defaultdict(list)
    for record in records[heads.at + 1 :]:
        for place, text in record.cells.items():
            if place not in named:
                texts[place].append(text)
    fitting = [place for place, some in texts.items() if fits(some)]
    if len(fitting) == 1:
        heads.places[name] = fitting
        heads.guessed.add(name)


def _is_key(texts: Sequence[str]) -> bool:
    return all(parted_key(text) for text in texts)


def _are_words(texts: Sequence[str]) -> bool:
    """Whether all are verdicts; 1 and 0 alone may be anything."""
    return all(map(is_word, texts)) and not all(text in ("0", "1") for text in texts)


def is_word(text: str) -> bool:
    """Whether a text is one of the words for a verdict."""
    try:
        return verdict_of(text) is not None
    except Wrong:
        return False


# 期限がない of NG（期限がない）, NG: 期限がない and NG 期限がない.
_WITH_REMARK = re.compile(
    r"([^\s(（\[【「:：、。,，/!！]+?)(?:です)?[\s(（\[【「:：、。,，/!！]+(.*)", re.DOTALL
)
_IN_DOUBT = re.compile(r"[?？]|たぶん|多分|おそらく|かも|maybe|perhaps|probably", re.IGNORECASE)


def parted_word(text: str) -> tuple[str, str] | None:
    """The word at the head of a text, and what stands behind it; None where that is no verdict."""
    if is_word(text):
        return text, ""
    match = _WITH_REMARK.fullmatch(text)
    if match is None or not is_word(match[1]) or match[1].isdecimal() or _IN_DOUBT.search(text):
        return None
    return match[1], match[2].strip().rstrip(")）]】」").strip()


def is_judged(text: str) -> bool:
    """Whether a text is what only a verdict would be: no digit, and no mere mark of a question."""
    return parted_word(text) is not None and not _MAY_BE_ANYTHING.fullmatch(text)


_MAY_BE_ANYTHING = re.compile(r"[\d.?？]+")
OR = " / "
"""Between the texts of one column that differ."""

HEADS: Mapping[str, Mapping[Language, str]] = {c.id: c.heads for c in COLUMNS}
"""What each column is called, in both languages."""


def without_kept(comment: str) -> str:
    """What a person wrote in the comment's own cell: without what was kept of other cells."""
    lines = (line for line in comment.split("\n") if not _IS_KEPT.match(line))
    return "\n".join(lines)


def kept(column: ColumnId, texts: Iterable[str], language: Language) -> str:
    """A line of a comment that keeps what stood in another column."""
    text = OR.join(" ".join(text.split()) for text in texts)
    return _kept_as(column, text, language)


def _kept_as(column: ColumnId, text: str, language: Language) -> str:
    return Words(language, "columns")("kept", head=HEADS[column][language], text=text)


def kept_texts(comment: str, column: ColumnId) -> set[str]:
    """What a comment keeps of another column, in whichever language."""
    marks = [_kept_as(column, "", language) for language in _LANGUAGES]
    lines = comment.split("\n")
    texts = (line[len(m) :] for line in lines for m in marks if line.startswith(m))
    return {part for text in texts for part in (text, *text.split(OR))}


def with_lines(comment: str, lines: Iterable[str]) -> str:
    """The comment and, below it, lines that are not in it yet."""
    existing = comment.split("\n") if comment else []
    return "\n".join([*existing, *(line for line in dict.fromkeys(lines) if line not in existing)])


def _is_kept() -> re.Pattern[str]:
    marks = (_kept_as(column, "", language) for column in PEOPLE for language in _LANGUAGES)
    return re.compile("|".join(map(re.escape, marks)))


_IS_KEPT = _is_kept()
