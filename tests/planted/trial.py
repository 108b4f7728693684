"""Prints how the first screen tells the faults of three bots: python -m tests.planted.trial

`--show` adds every conversation that did not come to what it should.
"""

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import yaml

from simulator import Options, simulate
from simulator.core.result import WeakTurn
from simulator.core.run import Episode

DATA = Path(__file__).parent / "data" / "trial.yaml"
Case = dict[str, Any]
BAD = ("failed", "undecided")


@dataclass
class Told:
    """What a run says of one scenario: its conversations, and its rows among the weak turns."""

    desk: str
    case: Case
    episodes: list[Episode]
    weak: list[WeakTurn]

    @property
    def results(self) -> Counter[str]:
        return Counter(e.finding.result.value for e in self.episodes if e.finding)

    @property
    def found(self) -> bool:
        """Whether every conversation failed or is undecided, and its reason tells the fault."""
        told = [e.finding for e in self.episodes if e.finding]
        return all(f.result.value in BAD for f in told) and self._is_told()

    def _is_told(self) -> bool:
        wanted = str(self.case["tells"])
        if wanted.startswith("why "):
            return all(f"why {e.finding.why.value}" == wanted for e in self.episodes if e.finding)
        return any(wanted in w.reason for w in self.weak)


def desks() -> list[dict[str, Any]]:
    """The desks of the file."""
    found: list[dict[str, Any]] = yaml.safe_load(DATA.read_text("utf-8"))
    return found


def write(desk: dict[str, Any], folder: Path) -> Path:
    """The client's folder, as somebody sets it up who knows nothing of the bot."""
    folder.mkdir(parents=True)
    client = {"language": desk["language"], "target": {"kind": "demo"}, "knowledge": "faq.csv"}
    kept = ("id", "query", "expected")
    scenarios = [{name: case[name] for name in kept} for case in desk["cases"]]
    (folder / "client.yaml").write_text(json.dumps(client), "utf-8")
    (folder / "scenarios.yaml").write_text(json.dumps(scenarios, ensure_ascii=False), "utf-8")
    rows = ["id,title,content"]
    rows += [",".join(f'"{e[k]}"' for k in ("id", "title", "content")) for e in desk["entries"]]
    (folder / "faq.csv").write_text("\n".join(rows), "utf-8")
    return folder


def near(one: str, other: str) -> float:
    """The share of pairs of letters that both have: some personas mistype."""
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio()


def played(desk: dict[str, Any]) -> list[Told]:
    """One run with default settings and no model."""
    texts = {e["id"]: f"{e['title']}\n{e['content']}" for e in desk["entries"]}

    def answer(question: str, history: Sequence[tuple[str, str]]) -> dict[str, Any]:
        asked = history[0][0] if history else question
        case = max(desk["cases"], key=lambda c: near(asked, c["query"]))
        return {
            "answer": case["says"],
            "documents": [{"id": i, "text": texts[i]} for i in case["found"]],
        }

    with tempfile.TemporaryDirectory() as place:
        folder = write(desk, Path(place) / desk["name"].replace(".", "-"))
        store = f"sqlite:///{place}/runs.db"
        run = asyncio.run(
            simulate(folder, target=answer, options=Options(offline=True), store=store)
        )
        episodes, weak = list(run.episodes()), run.summary.weak
        return [
            Told(
                desk["name"],
                case,
                [e for e in episodes if e.cell.scenario == case["id"]],
                [w for w in weak if w.cell.scenario == case["id"]],
            )
            for case in desk["cases"]
        ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.planted.trial", description=__doc__)
    parser.add_argument("--show", action="store_true")
    show = parser.parse_args().show
    told = [one for desk in desks() for one in played(desk)]
    faulty = [one for one in told if "fault" in one.case]
    for one in faulty:
        mark = "found" if one.found else "not found"
        print(f"{one.desk:<11}{one.case['fault']:<36}{mark:<11}{dict(one.results)}")  # noqa: T201
        if show:
            _show(one)
    right = [one for one in told if "fault" not in one.case]
    clean = [one for one in right if set(one.results) == {"passed"} and not one.weak]
    passed = [one for one in right if set(one.results) == {"passed"}]
    print(f"{sum(one.found for one in faulty)} of {len(faulty)} faults found")  # noqa: T201
    print(f"right: {len(right)}, passed {len(passed)}, without a flag {len(clean)}")  # noqa: T201
    for one in right if show else ():
        if one not in clean:
            print(f"{one.desk} {one.case['id']} {dict(one.results)}")  # noqa: T201
            _show(one)


def _show(one: Told) -> None:
    for weak in one.weak[:2]:
        print(f"    {weak.score} {weak.finding and weak.finding.why} {weak.blame}: {weak.reason}")  # noqa: T201


if __name__ == "__main__":
    main()
