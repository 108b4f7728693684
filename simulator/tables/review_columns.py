"""The columns of the Review worksheet: written by reports, found again by the same names.

One row for each turn that people look at. Machine columns say what happened; people write in the
others. A row is known by its key, whatever was sorted, filtered, inserted or deleted.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from simulator.core.persona import Language
from simulator.core.verdict import Word
from simulator.tables.guard import legible, unguarded

ColumnId = Literal[
    "key", "sampled", "persona", "scenario", "turn", "before", "user", "assistant", "metric",
    "score", "reason", "threshold", "flag",
    "verdict", "error_type", "corrected", "comment", "reviewer",
    "hash",
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
    wrap: bool = False
    clip: bool = False
    people: bool = False


def _column(id_: ColumnId, ja: str, en: str, width: int = 12, **more: bool) -> ReviewColumn:
    return ReviewColumn(id_, {"ja": ja, "en": en}, width, **more)


COLUMNS: tuple[ReviewColumn, ...] = (
    _column("key", "キー", "key", 10, hidden=True),
    _column("sampled", "抽出", "sampled as", 12),
    _column("persona", "ペルソナ", "persona", 12),
    _column("scenario", "シナリオ", "scenario", 18),
    _column("turn", "往復", "turn", 6),
    _column("before", "それまでのやりとり", "said before", 36, wrap=True, clip=True),
    _column("user", "利用者", "user", 36, wrap=True),
    _column("assistant", "ボットの回答", "assistant", 56, wrap=True),
    _column("metric", "指標", "metric", 12),
    _column("score", "点数", "score", 8),
    _column("reason", "理由", "reason", 44, wrap=True),
    _column("threshold", "しきい値", "threshold", 8, hidden=True),
    _column("flag", "要確認", "flag", 9),
    _column("verdict", "判定", "verdict", 10, people=True),
    _column("error_type", "誤りの種類", "error type", 18, people=True),
    _column("corrected", "正しい回答", "corrected answer", 44, wrap=True, people=True),
    _column("comment", "コメント", "comment", 30, wrap=True, people=True),
    _column("reviewer", "判定者", "reviewer", 12, people=True),
    _column("hash", "照合用", "row hash", 10, hidden=True),
)
WORDS = tuple(word.value for word in Word)
"""What the verdict column offers."""

# What the hash covers: what the program wrote and nothing alters later. Not the threshold and the
# flag, which follow the Config worksheet, and not what was said before: the verdict is not on that,
# and files that were written without that column are as good.
HASHED: tuple[ColumnId, ...] = (
    "key", "sampled", "persona", "scenario", "turn", "user", "assistant", "metric", "score",
    "reason",
)  # fmt: skip
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
    """What shows that a machine cell of a row was edited: 12 hex digits over its texts.

    Line ends, spaces around a text, the way in which a number is spelt and an apostrophe that
    guards against formulas make no difference: these are changed without anybody's doing.
    """
    text = "\x1f".join(_spelt(cells.get(name)) for name in HASHED)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def _spelt(value: object) -> str:
    text = unguarded(legible("" if value is None else str(value)).strip())[:_HASHED_CHARACTERS]
    try:
        number = float(text)
    except ValueError:
        return text
    return f"{number:.6g}"


def heads(language: Language) -> Sequence[str]:
    """The first row, in a language."""
    return [column.heads[language] for column in COLUMNS]


def same_text(one: object, other: object) -> bool:
    """Whether two cells say the same, as far as `row_hash` would notice."""
    return _spelt(one) == _spelt(other)
