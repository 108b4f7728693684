"""How many of 400 replies the refusal rules read rightly.

`python -m tests.text.refusal_corpus` prints it; `--wrong` adds what is read wrongly in `built_on`.
"""

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args

import yaml

from simulator.core.persona import Language
from simulator.text.refusals import is_refusal

HALVES = ("built_on", "unseen")
LANGUAGES: tuple[Language, ...] = get_args(Language)


@dataclass(frozen=True)
class Figures:
    """What was found in one half of one language: counts of replies."""

    found: int
    refusals: int
    mistaken: int

    @property
    def recall(self) -> float:
        """The share of the refusals that were found, 0–1."""
        return self.found / self.refusals

    @property
    def precision(self) -> float:
        """The share of what was taken for a refusal that is one, 0–1; 0 where nothing was."""
        return self.found / max(1, self.found + self.mistaken)


@cache
def replies(language: Language, half: str) -> dict[str, list[str]]:
    """The `refusals` and the `others` of one half of the corpus."""
    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text)[language][half])


def wrong(language: Language, half: str) -> list[str]:
    """What the rules read wrongly, a line each: `missed` or `mistaken`, and the reply."""
    given = replies(language, half)
    missed = [f"missed    {text}" for text in given["refusals"] if not is_refusal(text, language)]
    return missed + [f"mistaken  {text}" for text in given["others"] if is_refusal(text, language)]


def figures(language: Language, half: str) -> Figures:
    """Recall and precision of the rules on one half of the corpus."""
    lines, refusals = wrong(language, half), len(replies(language, half)["refusals"])
    missed = sum(line.startswith("missed") for line in lines)
    return Figures(refusals - missed, refusals, len(lines) - missed)


if __name__ == "__main__":
    for language in LANGUAGES:
        for half in HALVES:
            one = figures(language, half)
            print(  # noqa: T201
                f"{language} {half:9} recall {one.recall:.2f} ({one.found}/{one.refusals})"
                f"  precision {one.precision:.2f} ({one.found}/{one.found + one.mistaken})"
            )
            if half == "built_on" and "--wrong" in sys.argv:
                print(*wrong(language, half), sep="\n")  # noqa: T201
