"""`mogi export`: a run as JSON lines."""

import json

import click

from simulator.cli import common


@click.command(epilog="Example:  mogi export latest > turns.jsonl")
@click.argument("run")
@common.store_option
def command(run: str, store: str | None) -> None:
    """Print RUN on stdout, one JSON object per turn. RUN: an id, a prefix of one, or latest."""
    from simulator.reports._figures import turn_json

    with common.reading(store) as opened:
        header = opened.header(opened.resolve(run))
        for episode in opened.episodes(header.id):
            for turn in episode.turns:
                click.echo(json.dumps(turn_json(header, episode, turn), ensure_ascii=False))
