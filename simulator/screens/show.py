"""One conversation of a run on the screen: a judged one, or what there is of an unfinished one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from simulator.core.clean import visible
from simulator.core.errors import InputError
from simulator.plugins import suggest
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.core.run import RunHeader
    from simulator.store.store import OpenEpisode, Store

_LISTED = 8


def show_episode(store: "Store", run: str, name: str) -> None:
    """Print the conversation of this name, or the one whose name begins so.

    Raises:
        InputError: none is meant, or more than one.
    """
    from simulator.console.output import screen, show
    from simulator.execution.rejudged import expected_of
    from simulator.screens.episode import episode_view

    unfinished = {episode.episode: episode for episode in store.open_episodes(run)}
    key = _chosen(name, [*store.keys(run), *unfinished], run)
    if key in unfinished:
        _show_unfinished(unfinished[key], store.header(run).resume)
        return
    console, header, episode = screen(), store.header(run), store.episode(run, key)
    expected = expected_of(header, episode.cell)
    show(episode_view(header, episode, console.width, expected), console)


def show_open(store: "Store", header: "RunHeader") -> None:
    """Print which conversations are under way, in the client's language; nothing without one."""
    found = [episode for episode in store.open_episodes(header.id) if episode.exchanges]
    if not found:
        return
    turns = sum(len(episode.exchanges) for episode in found)
    words = Words(header.language, "show")
    click.echo("\n" + words("open", talks=len(found), turns=turns))
    for episode in found[:_LISTED]:
        click.echo(f"  mogi show {header.id} {visible(episode.episode)}")
    if len(found) > _LISTED:
        click.echo("  " + words("more", more=len(found) - _LISTED))


def _chosen(name: str, keys: Sequence[str], run: str) -> str:
    if name in keys:
        return name
    # `row-1` is the first row rather than one of row-10 to row-19.
    whole = [key for key in keys if key.startswith(f"{name}/")]
    found = whole if len(whole) == 1 else [key for key in keys if key.startswith(name)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(f"run {run} has no conversation {name!r}; {suggest(name, _few(keys))}")
    raise InputError(f"{name!r} may be any of {', '.join(_few(found))}")


def _few(keys: Sequence[str]) -> tuple[str, ...]:
    more = len(keys) - _LISTED
    return tuple(keys) if more <= 0 else (*keys[:_LISTED], f"and {more} more")


def _show_unfinished(episode: "OpenEpisode", resume: str) -> None:
    click.echo(f"{visible(episode.episode)}  unfinished, so without scores; `{resume}` goes on")
    for turn, exchange in enumerate(episode.exchanges, 1):
        click.echo(f"\nturn {turn}\n  user  {visible(exchange['question'])}")
        click.echo(f"  bot   {visible(_answer(exchange))}")


def _answer(exchange: Any) -> str:
    if "failure" in exchange:
        return f"(no answer) {exchange['failure']['fault']}: {exchange['failure']['message']}"
    return str(exchange["reply"]["text"])
