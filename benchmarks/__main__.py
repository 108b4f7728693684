"""All figures on speed in one command: `python -m benchmarks` (about five minutes).

Everything is a ratio within one run, since machines are noisy: contenders take turns (each in a
process of its own, where memory counts), and the medians are compared.
"""

import argparse
import sys

from benchmarks import (
    burn_in,
    client,
    coverage,
    coverage_corrected,
    coverage_differences,
    coverage_people,
    coverage_tuned,
    dry_run,
    files,
    isolation,
    judge_prompt,
    offline,
    page,
    patterns,
    people,
    plans,
    review_time,
    scale,
    shards,
    start,
    talks,
    token_cap,
    token_f1,
    turns,
    way,
)
from benchmarks.improve import blind
from benchmarks.peers import table as peers

_LONG = ("patterns", "plans", "way", "page", "scale", "shards")
_PARTS = ("coverage_corrected", "coverage_people")  # of coverage


def _coverage(rounds: int) -> None:
    tables = coverage, coverage_differences, coverage_corrected, coverage_people, coverage_tuned
    for table in tables:
        table.main(rounds)


def main() -> None:
    """Run the parts that were named; all of them by default."""
    if sys.argv[1:2] == ["people"]:
        people.main(sys.argv[2:])
        return
    if sys.argv[1:3] == ["improve", "blind"]:
        blind.main(sys.argv[3:])
        return
    parts = {
        "talks": talks.main,
        "client": client.main,
        "offline": offline.main,
        "turns": turns.main,
        "isolation": isolation.main,
        "start": start.main,
        "files": files.main,
        "token_f1": token_f1.main,
        "token_cap": token_cap.main,
        "judge_prompt": judge_prompt.main,
        "coverage": _coverage,
        "coverage_corrected": coverage_corrected.main,
        "coverage_people": coverage_people.main,
        "burn_in": burn_in.main,
        "patterns": patterns.main,
        "dry_run": dry_run.main,
        "review_time": review_time.main,
        "plans": plans.main,
        "page": page.main,
        "way": way.main,
        "scale": scale.main,
        "shards": shards.main,
    }
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "part",
        nargs="*",
        choices=[*parts, []],
        help="default: all but patterns, plans, way, page, scale, shards",
    )
    parser.add_argument("--peers", action="store_true", help="mogi beside others, and only that")
    parser.add_argument("--rounds", type=int, default=3, help="how often each contender runs")
    chosen = parser.parse_args()
    if chosen.peers:
        peers.main(chosen.rounds)
        return
    for name in chosen.part or [part for part in parts if part not in (*_LONG, *_PARTS)]:
        parts[name](chosen.rounds)


if __name__ == "__main__":
    main()
