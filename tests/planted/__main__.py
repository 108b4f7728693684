"""Prints what is said of bots with known faults: python -m tests.planted [--faq F]… [--bot B]…"""

import argparse

from tests.planted.bots import FAULTS
from tests.planted.faqs import NAMES
from tests.planted.harness import Tally, table

RESULTS = ("passed", "failed", "undecided", "unchecked")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.planted", description=__doc__)
    parser.add_argument("--faq", action="append", choices=NAMES)
    parser.add_argument("--bot", action="append", choices=list(FAULTS))
    parser.add_argument("--show", metavar="RESULT", help="conversations of this result, or flagged")
    asked = parser.parse_args()
    head = "".join(f"{r:>10}" for r in (*RESULTS, "flagged"))
    print(f"{'bot':<24}{'faq':<11}{'n':>4}{head}  blames of flagged turns")
    for (bot, name), tally in table(asked.faq or NAMES, asked.bot or FAULTS).items():
        print(f"{bot:<24}{name:<11}{tally.conversations:>4}{_shares(tally)}  {_blames(tally)}")
        if asked.show:
            _show(tally, asked.show)


def _shares(tally: Tally) -> str:
    shares = [tally.share(r) for r in RESULTS] + [tally.flagged / tally.conversations]
    return "".join(f"{s:>10.0%}" for s in shares)


def _blames(tally: Tally) -> str:
    return ", ".join(f"{b} {n / tally.turns:.0%}" for b, n in tally.blames.most_common())


def _show(tally: Tally, wanted: str) -> None:
    for episode in tally.episodes:
        found, weak = episode.finding, any(t.flagged for t in episode.turns)
        if wanted not in (found and found.result.value, "flagged" if weak else "", "all"):
            continue
        print(f"  {episode.cell.key} {found}")
        for turn in episode.turns:
            print(f"    U {turn.exchange.user}\n    A {turn.exchange.assistant!r}")
            print(f"      flags {turn.flags} blame {turn.blame}")
            for metric, outcome in turn.outcomes.items():
                print(f"      {metric}: {outcome}")


if __name__ == "__main__":
    main()
