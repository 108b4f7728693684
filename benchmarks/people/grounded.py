"""How well `grounded` ranks replies that people judged, in files of a JSON object a line.

- `grounding_en.jsonl`: BEGIN: document, question, answer, label (*Fully attributable* or not).
- `rows.jsonl`: MTRAG, human evaluation: question, answer, context (a list), people.faithfulness
  (1-4, of three people). Not supported: the median is below 3.
"""

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

from simulator.core.persona import Language
from simulator.metrics.grounded import token_recall
from simulator.statistics.ranking import auc
from simulator.text.acts import is_refusal
from simulator.text.tokens import content_tokens, token_set

CUTS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_FAITHFUL = 3


class Judged(NamedTuple):
    """A reply, its documents, and whether people say that these support it."""

    reply: str
    documents: Sequence[str]
    supported: bool
    language: Language = "en"


def show(folder: Path) -> None:
    """Print a table for each of these files below a folder."""
    for name, read in {"grounding_en.jsonl": _begin, "rows.jsonl": _mtrag}.items():
        for path in sorted(folder.rglob(name)):
            _print(f"{path.parent.name}/{name}", list(map(read, _lines(path))))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_text("utf-8").splitlines())


def _begin(row: dict[str, Any]) -> Judged:
    return Judged(row["answer"], [row["document"]], row["label"] == "Fully attributable")


def _mtrag(row: dict[str, Any]) -> Judged:
    return Judged(row["answer"], row["context"], median(row["people"]["faithfulness"]) >= _FAITHFUL)


def _print(name: str, rows: Sequence[Judged]) -> None:
    stating = [row for row in rows if not is_refusal(row.reply, row.language)]
    tokenising, spent, values = 0.0, 0.0, []
    for row in stating:
        began = time.process_time()
        content_tokens(row.reply, row.language)
        again = time.process_time()
        for document in row.documents:
            token_set(document, row.language)  # keeps them for the next line
        tokenising += time.process_time() - began
        began, of_reply = time.process_time(), again - began
        values.append(token_recall(row.reply, row.documents, row.language))
        spent += time.process_time() - began - of_reply
    ranked = [(v, r.supported) for v, r in zip(values, stating, strict=True) if v is not None]
    bad = [value for value, supported in ranked if not supported]
    good = [value for value, supported in ranked if supported]
    print(f"\n{name}: {len(good)} supported, {len(bad)} not; {len(rows) - len(ranked)} left out")
    area = auc(good, bad)
    low, mean, high = (f"{end or 0:.2f}" for end in (area.low, area.mean, area.high))
    print(f"  AUC {mean} (95 %: {low} to {high}), means {fmean(good):.2f} and {fmean(bad):.2f}")
    tokens, rest = (1000 * seconds / len(rows) for seconds in (tokenising, spent))
    print(f"  CPU ms a reply: tokenising {tokens:.2f}, the rest {rest:.2f}")
    print("  below    flagged   precision   recall")
    for cut in CUTS:
        caught = sum(value < cut for value in bad)
        flagged = caught + sum(value < cut for value in good)
        precision = f"{caught / flagged:.2f}" if flagged else "-"
        print(f"  {cut:4.1f}    {flagged:7}   {precision:>9}   {caught / len(bad):6.2f}")
