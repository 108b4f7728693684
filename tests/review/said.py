"""Labels as several people and a metric might have given them."""

from typing import Any

from simulator.core.outcome import Gap, Score, Unscored
from simulator.core.verdict import Word
from simulator.review.verdict_labels import Label

SATO, TANAKA, OCHI = (("Sato", ""), ("Tanaka", ""), ("Ochi", ""))
WORDS = {"OK": Word.OK, "NG": Word.NG, "?": Word.UNSURE}


def label(number: int, value: float | None, *said: str, **changes: Any) -> Label:
    """One turn in a conversation of its own; `said` are the words of Sato, Tanaka and Ochi."""
    people = zip((SATO, TANAKA, OCHI), said, strict=False)
    words = {person: WORDS[word] for person, word in people if word}
    outcome = Unscored(Gap.JUDGE_ERROR) if value is None else Score(value, value)
    given: dict[str, Any] = {
        "run": "r1",
        "episode": f"s{number}/calm/1",
        "turn": 1,
        "scenario": f"s{number}",
        "persona": "calm",
        "word": next(iter(words.values())),
        "words": words,
        "outcomes": {"overall": outcome},
        "weight": 1.0,
        "represents": True,
        "drawn": False,
        "own": True,
    }
    return Label(**(given | changes))
