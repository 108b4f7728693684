"""Reviewers whose names may be one person's: nobody is ever taken for another, it is only noted."""

import re
import shlex
from collections.abc import Iterable
from itertools import combinations

from simulator.formats.tables import same_name
from simulator.text.ja.sudachi import reading_of

_SHORTEST = 2  # letters of a name of which one may be mistaken
_HONORIFIC = re.compile(
    r"(?<=.)(?:さん|サン|さま|サマ|様|氏|殿|君|くん|クン|ちゃん|先生|[ -]san)$"
    r"|^(?:mr|mrs|ms|dr)[. ]+"
)
_JAPANESE = re.compile("[ぁ-んァ-ヶー一-龠々]+")
_PLAIN = re.compile(r"\w+")
_KANA = re.compile("[ぁ-んァ-ヶー]+")


def near_names(names: Iterable[str]) -> list[tuple[str, str]]:
    """Names that may be one person's, in pairs.

    They are alike but for width, case, spaces, how the person is addressed, or one letter; or one
    is in kana, and the other is read so.
    """
    ordered = sorted({name for name in names if name})
    return [pair for pair in combinations(ordered, 2) if _is_near(*map(_bare, pair))]


def rename_command(first: str, other: str) -> str:
    """The command that makes two reviewers one.

    The one who is addressed goes by the plain name, kana by what is read so; else the first.
    """
    names = sorted((first, other), key=_is_informal, reverse=True)
    old, new = (name if _PLAIN.fullmatch(name) else shlex.quote(name) for name in names)
    return f"mogi review rename {old} {new}"


def _is_informal(name: str) -> tuple[bool, bool]:
    plain = same_name(name)
    return bool(_HONORIFIC.search(plain)), bool(_KANA.fullmatch(_bare(name)))


def _bare(name: str) -> str:
    return _HONORIFIC.sub("", same_name(name)).replace(" ", "")


def _is_near(first: str, second: str) -> bool:
    """Whether at most one letter was put in, left out or mistaken; a name of one tells nothing."""
    if _is_read_alike(first, second):
        return True
    shorter, longer = sorted((first, second), key=len)
    if len(longer) - len(shorter) > 1 or len(shorter) < _SHORTEST:
        return first == second
    pairs = enumerate(zip(shorter, longer, strict=False))
    at = next((place for place, (a, b) in pairs if a != b), len(shorter))
    return shorter[at:] == longer[at + 1 :] or shorter[at + 1 :] == longer[at + 1 :]


def _is_read_alike(first: str, second: str) -> bool:
    both = first, second
    if not all(map(_JAPANESE.fullmatch, both)) or not any(map(_KANA.fullmatch, both)):
        return False
    return reading_of(first) == reading_of(second)
