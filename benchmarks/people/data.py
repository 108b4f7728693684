"""Answers that people judged, from files of known formats below a folder.

- `rows.jsonl`: MTRAG, human evaluation: question, answer, ground_truth, model, good. A reference is
  held against the human answer of its question.
- `TQ.json` or `NQ.json`: EVOUNA: question, golden_answer (ways parted by `/`), answer_X, judge_X.
- `*set.jsonl` and `*short_facts.jsonl`: a JSON object a line with id, entry, language, question,
  answer, elements, reply, label (right or wrong), kind, claims (said, missing or contradicted for
  each element), and answer_claim (the same for the whole answer).
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simulator.core.persona import Language
from simulator.core.scenario import Expected

_SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
_WAYS = "/"


@dataclass(frozen=True, slots=True)
class Row:
    """One judged answer.

    Attributes:
        table: the name of its table.
        entry: by what it is in one half or the other.
        labels: what a truthful reader says of each expected element, or of the expected answer:
            said, missing or contradicted; empty where people judged only the whole.
    """

    table: str
    entry: str
    language: Language
    question: str
    reply: str
    expected: Expected
    is_right: bool
    kind: str = ""
    labels: tuple[str, ...] = field(default=())

    @property
    def half(self) -> str:
        """`look`, whose rows may be shown, or `count`, by a hash of the entry."""
        return "count" if hashlib.sha256(self.entry.encode()).digest()[0] % 2 else "look"


def rows(folder: Path) -> Iterator[Row]:
    """All rows below a folder, file by file."""
    for path in sorted(folder.rglob("*.json*")):
        if path.name == "rows.jsonl":
            yield from _mtrag(path)
        elif path.name in ("TQ.json", "NQ.json"):
            yield from _evouna(path)
        elif path.name.endswith("short_facts.jsonl"):
            yield from _own(path, "short facts")
        elif path.name.endswith("set.jsonl"):
            yield from _own(path, "set")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _mtrag(path: Path) -> Iterator[Row]:
    found = _lines(path)
    truths = {row["question"]: row["ground_truth"] for row in found if row.get("ground_truth")}
    for row in found:
        if not (truth := row.get("ground_truth") or truths.get(row["question"])):
            continue
        is_reference = row["model"] == "reference"
        yield Row(
            f"{path.parent.name}: {'references' if is_reference else 'models'}",
            row["question"],
            "en",
            row["question"],
            row["answer"],
            Expected((truth,)),
            bool(row["good"]),
        )


def _evouna(path: Path) -> Iterator[Row]:
    for row in json.loads(path.read_text("utf-8")):
        if row.get("improper"):
            continue
        ways = tuple(filter(str.strip, row["golden_answer"].split(_WAYS)))
        for system in _SYSTEMS:
            reply, judged = row.get(f"answer_{system}"), row.get(f"judge_{system}")
            if isinstance(judged, bool) and isinstance(reply, str) and ways:
                question = row["question"]
                expected = Expected(elements=(ways,))
                table = f"{path.parent.name}: {path.stem}"
                yield Row(table, question, "en", question, reply, expected, judged)


def _own(path: Path, name: str) -> Iterator[Row]:
    for row in _lines(path):
        language: Language = "en" if row["language"] == "en" else "ja"
        ways = [("answer", Expected((row["answer"],)), (row["answer_claim"],))]
        if row["elements"]:
            elements = tuple((e,) if isinstance(e, str) else tuple(e) for e in row["elements"])
            ways.append(("elements", Expected(elements=elements), tuple(row["claims"])))
        for way, expected, labels in ways:
            yield Row(
                f"{name} {language}: {way}",
                f"{row['business']}/{row['entry']}",
                language,
                row["question"],
                row["reply"],
                expected,
                row["label"] == "right",
                row["kind"],
                labels,
            )
