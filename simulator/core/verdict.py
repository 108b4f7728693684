"""What people say of a turn: OK, NG or unsure. Verdicts are added, and none is ever changed."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Word(StrEnum):
    """A person's word on an answer."""

    OK = "OK"
    NG = "NG"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one person said of one turn of a run, once.

    `episode` is the conversation's key, `turn` counts from 1. `source` names where it was read
    (a file, a sheet); `at` is when, ISO 8601 in UTC. A later one of the same reviewer takes the
    place of an earlier one, which is kept all the same. `reviewer` may be unknown.
    """

    episode: str
    turn: int
    word: Word
    reviewer: str = ""
    source: str = ""
    at: str = ""
    error_type: str = ""
    corrected: str = ""
    comment: str = ""


def settled(verdicts: Iterable[Verdict]) -> Word | None:
    """What people say of one turn all together: the latest word of each reviewer, if they agree.

    They are `unsure` where the reviewers differ; None where nobody said anything. `verdicts` come
    in the order in which they were given.
    """
    latest = {verdict.reviewer: verdict.word for verdict in verdicts}
    words = set(latest.values())
    if not words:
        return None
    return words.pop() if len(words) == 1 else Word.UNSURE
