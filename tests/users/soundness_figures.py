"""Prints how many of an operator's next turns, put into the user's mouth, are noticed in talks.

python -m tests.users.soundness_figures FILE… [--language en] [--talks N]

A file is a JSON list of dialogues with `turns: [{speaker: USER|SYSTEM, utterance}]` (as of the
Schema-Guided Dialogue dataset, Rastogi et al., AAAI 2020), or holds a JSON line for each dialogue
with `utterances: [{name: operator_1|customer_1, text}]` (as of ASDC, Hayashibe, LREC 2022), whose
`meta.conditions` are what the customer knows. The turns of real customers are the false alarms.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from simulator.core.persona import Language
from simulator.core.scenario import Scenario
from simulator.users._soundness import soundness
from tests.execution.scored import evidence, persona

Talk = list[tuple[str, str]]


def talks_of(file: Path) -> Iterator[tuple[Talk, tuple[str, ...]]]:
    """(customer, operator) turns and what the customer knows, of each dialogue."""
    text = file.read_text("utf-8")
    found = json.loads(text) if text.startswith("[") else map(json.loads, text.splitlines())
    for dialogue in found:
        said = _joined(dialogue)
        said = said if said[0][0] else said[1:]
        talk = [(user, reply) for (_, user), (_, reply) in zip(said[::2], said[1::2], strict=False)]
        if len(talk) > 1:
            yield talk, tuple(dialogue.get("meta", {}).get("conditions", ()))


def _joined(dialogue: dict[str, Any]) -> list[tuple[bool, str]]:
    """Whether it is the customer who speaks, and all that is said before the other one does."""
    if "turns" in dialogue:
        lines = [(t["speaker"] == "USER", t["utterance"]) for t in dialogue["turns"]]
    else:
        lines = [(u["name"].startswith("customer"), u["text"]) for u in dialogue["utterances"]]
    return [
        (who, "\n".join(text for _, text in group))
        for who, group in groupby(lines, key=lambda line: line[0])
    ]


def figures(
    talks: Sequence[tuple[Talk, tuple[str, ...]]], language: Language
) -> tuple[Counter[str], Counter[str]]:
    """Tags, `turns` and `tagged` turns: of the operators' next turns, and of the customers'."""
    who = persona(language)
    found = Counter[str](), Counter[str]()
    for talk, known in talks:
        scenario = Scenario("talk", talk[0][0], known=known)
        for at in range(1, len(talk)):
            for count, said in zip(found, reversed(talk[at]), strict=True):
                turns = (*talk[:at], (said, "."))
                tags = soundness(evidence(*turns, language=language, scenario=scenario, who=who))
                count.update(("turns", *tags, *(["tagged"] if tags else [])))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.users.soundness_figures")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--language", choices=["ja", "en"], default="en")
    parser.add_argument("--talks", type=int, default=0, help="so many of them, drawn by seed 2")
    asked = parser.parse_args()
    talks = [talk for file in sorted(asked.files) for talk in talks_of(file)]
    if 0 < asked.talks < len(talks):
        talks = random.Random(2).sample(talks, asked.talks)
    for who, count in zip(("operators", "customers"), figures(talks, asked.language), strict=True):
        tags = {tag: n for tag, n in count.most_common() if tag not in ("turns", "tagged")}
        share = count["tagged"] / max(1, count["turns"])
        sys.stdout.write(
            f"{who}: {count['tagged']} of {count['turns']} turns ({share:.2%}) {tags}\n"
        )


if __name__ == "__main__":
    main()
