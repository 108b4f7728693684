"""How many of 600 replies the refusal rules read rightly.

`python -m tests.text.refusal_corpus` prints it; `--wrong` adds what is read wrongly in `built_on`.
"""

import sys
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import get_args

import yaml

from simulator.core.persona import Language
from simulator.text.acts import is_refusal

HALVES = ("built_on", "unseen")
SETS = ("corpus", "registers", "fresh", "hard", "last")
"""Files of replies: each was written when the rules had been mended by those before it."""
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
def replies(language: Language, half: str, name: str = "corpus") -> dict[str, list[str]]:
    """The `refusals` and the `others` of one half of a set."""
    text = Path(__file__).with_name(f"refusal_{name}.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text)[language][half])


def wrong(language: Language, half: str, name: str = "corpus") -> list[str]:
    """What the rules read wrongly, a line each: `missed` or `mistaken`, and the reply."""
    given = replies(language, half, name)
    missed = [f"missed    {text}" for text in given["refusals"] if not is_refusal(text, language)]
    return missed + [f"mistaken  {text}" for text in given["others"] if is_refusal(text, language)]


def figures(language: Language, half: str, name: str = "corpus") -> Figures:
    """Recall and precision of the rules on one half of a set."""
    lines = wrong(language, half, name)
    refusals = len(replies(language, half, name)["refusals"])
    missed = sum(line.startswith("missed") for line in lines)
    return Figures(refusals - missed, refusals, len(lines) - missed)


if __name__ == "__main__":
    for name, language, half in product(SETS, LANGUAGES, HALVES):
        if not replies(language, half, name)["refusals"]:
            continue
        one = figures(language, half, name)
        print(  # noqa: T201
            f"{name:9} {language} {half:9} recall {one.recall:.2f} ({one.found}/{one.refusals})"
            f"  precision {one.precision:.2f} ({one.found}/{one.found + one.mistaken})"
        )
        if half == "built_on" and "--wrong" in sys.argv:
            print(*wrong(language, half, name), sep="\n")  # noqa: T201
