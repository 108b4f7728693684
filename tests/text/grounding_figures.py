"""How well `grounded` tells what documents bear out from what they do not.

`python -m tests.text.grounding_figures` prints it for the cases of `grounding_cases.yaml` and for
the planted additions over the demo's FAQ. `--wrong` adds what is read wrongly in `built_on`;
`--faq FILE` (named …_en.csv or …_ja.csv) the planted additions over another FAQ; `--replies FILE`
the AUC on labelled English replies, odd and even lines apart: JSON lines of `document`, `answer`
and `label` (*Fully attributable*, *Not fully attributable*) as in the BEGIN data set.
"""

import argparse
import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, get_args

import yaml
from sklearn.metrics import roc_auc_score

from simulator.core.persona import Language
from simulator.text.grounding import BORNE_OUT, mean_support, statements
from simulator.text.sentences import sentences

HALVES = ("built_on", "unseen")
LANGUAGES: tuple[Language, ...] = get_args(Language)
BORNE_OUT_KIND = "borne_out"
OTHER_ENTRY = "other entry"


@dataclass(frozen=True)
class Case:
    """A sentence that is said of a document; `kind`: borne out, or what is wrong with it."""

    kind: str
    sentence: str
    document: str
    value: float | None

    @property
    def right(self) -> bool:
        """Whether the default threshold reads it rightly; what has no value is not flagged."""
        flagged = self.value is not None and self.value < BORNE_OUT
        return flagged is (self.kind != BORNE_OUT_KIND)


@cache
def cases(language: Language, half: str) -> tuple[Case, ...]:
    """The sentences of one half, each with what `grounded` makes of it.

    The borne out ones stand also with the entry after their own, which bears none of them out.
    """
    entries = _data()[language][half]
    documents = [f"{entry['title']}\n{entry['text']}" for entry in entries]
    found = []
    for entry, own, other in zip(entries, documents, [*documents[1:], documents[0]], strict=True):
        told = [(BORNE_OUT_KIND, sentence, own) for sentence in entry["borne_out"]]
        told += [(kind, sentence, own) for kind, sentence in entry["not"].items()]
        told += [(OTHER_ENTRY, sentence, other) for sentence in entry["borne_out"]]
        found += [Case(*one, value(one[1], one[2], language)) for one in told]
    return tuple(found)


@cache
def _data() -> dict[str, Any]:
    text = Path(__file__).with_name("grounding_cases.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


DEMOS: dict[Language, Path] = {
    "ja": Path("scenarios/demo/knowledge/faq.csv"),
    "en": Path("scenarios/demo-en/knowledge/faq.csv"),
}


def planted(faq: Path, language: Language) -> dict[str, float]:
    """The share of replies over an FAQ that are flagged: right ones, and those with an addition.

    A right reply is an entry's own text, with an opening word; three entries came with it. Each
    kind of addition is said after the first sentence, and (`over unrelated`) by itself.
    """
    entries = list(zip(*_columns(faq), strict=True))
    flagged: dict[str, list[bool]] = {}
    for at, (_, answer) in enumerate(entries):
        near = [f"{q}\n{a}" for q, a in (entries[(at + i) % len(entries)] for i in (0, 1, 2))]
        opener = "はい、" if language == "ja" else "Sure! "
        first = sentences(answer, language)[0]
        told = {"right": opener + answer, "right, cut": first}
        for kind, added in _data()["planted"][language].items():
            told[kind] = f"{first}\n{added[at % len(added)]}"
            told[f"{kind} over unrelated"] = added[at % len(added)]
        for kind, reply in told.items():
            found = statements(reply, near, "", language)
            if found:
                flagged.setdefault(kind, []).append(mean_support(found) < BORNE_OUT)
    return {kind: _share(some) for kind, some in flagged.items()}


def _columns(faq: Path) -> tuple[list[str], list[str]]:
    with faq.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = ("title", "content") if "title" in rows[0] else ("question", "answer")
    return [row[names[0]] for row in rows], [row[names[1]] for row in rows]


def value(reply: str, document: str, language: Language) -> float | None:
    """The value of `grounded`; None for what states nothing."""
    found = statements(reply, [document], "", language)
    return mean_support(found) if found else None


def auc(found: Iterator[Case] | tuple[Case, ...]) -> float:
    """The chance that what is borne out has a higher value than what is not; of those with one."""
    pairs = [(c.kind == BORNE_OUT_KIND, c.value) for c in found if c.value is not None]
    return float(roc_auc_score(*zip(*pairs, strict=True)))


def shares(found: tuple[Case, ...]) -> dict[str, float]:
    """By kind, the share that the default threshold reads rightly."""
    kinds = dict.fromkeys(case.kind for case in found)
    return {kind: _share([case.right for case in found if case.kind == kind]) for kind in kinds}


def labelled(file: Path) -> list[Case]:
    """The replies of a file that people found fully attributable or not."""
    kinds = {"Fully attributable": BORNE_OUT_KIND, "Not fully attributable": "not"}
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [
        Case(
            kinds[row["label"]],
            row["answer"],
            row["document"],
            value(row["answer"], row["document"], "en"),
        )
        for row in rows
        if row["label"] in kinds
    ]


def _share(right: list[bool]) -> float:
    return sum(right) / len(right)


def _print() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--replies", type=Path)
    parser.add_argument("--faq", type=Path, action="append", default=[], help="csv")
    options = parser.parse_args()
    for language, half in product(LANGUAGES, HALVES):
        found = cases(language, half)
        told = "  ".join(f"{kind} {share:.2f}" for kind, share in shares(found).items())
        print(f"{language} {half:9} AUC {auc(found):.3f}  read rightly: {told}")  # noqa: T201
        if half == "built_on" and options.wrong:
            for case in found:
                if not case.right:
                    print(f"  {case.value} {case.kind}: {case.sentence} | {case.document}")  # noqa: T201
    others: list[tuple[Language, Path]] = [
        ("en" if faq.stem.endswith("_en") else "ja", faq) for faq in options.faq
    ]
    for language, faq in [*DEMOS.items(), *others]:
        told = "  ".join(f"{kind} {share:.2f}" for kind, share in planted(faq, language).items())
        print(f"{faq} flagged: {told}")  # noqa: T201
    if options.replies:
        replies = labelled(options.replies)
        for name, some in (("odd", replies[1::2]), ("even", replies[::2]), ("all", replies)):
            told = "  ".join(f"{k} {v:.2f}" for k, v in shares(tuple(some)).items())
            scored = sum(case.value is not None for case in some)
            of = f"({scored} of {len(some)} state something)"
            print(f"replies {name:4} AUC {auc(tuple(some)):.3f} {of}  read rightly: {told}")  # noqa: T201


if __name__ == "__main__":
    _print()
