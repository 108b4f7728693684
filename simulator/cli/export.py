"""`mogi export`: a run as JSON lines."""

import click

from simulator.cli import common
from simulator.console.output import print_json


@click.command(epilog="Example:  mogi export latest > turns.jsonl")
@click.argument("run")
@common.store_option
def command(run: str, store: str | None) -> None:
    """Print RUN on stdout, one JSON object per turn. RUN: an id, a prefix, latest or previous."""
    from simulator.figures.as_json import turn_json
    from simulator.figures.results import as_it_counts, settled_words

    with common.open_store(store) as opened:
        whole = common.load_run(opened, run)
        for stored, verdicts in whole.reviewed():
            words, episode = settled_words(verdicts), as_it_counts(stored, verdicts)
            for turn in episode.turns:
                line = turn_json(whole.header, episode, turn, words.get(turn.exchange.turn))
                print_json(line)
