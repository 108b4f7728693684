"""One conversation of a run on the screen: a judged one, or what there is of an unfinished one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from simulator.core.clean import visible
from simulator.core.errors import InputError
from simulator.plugins import suggest

if TYPE_CHECKING:
    from simulator.store.store import OpenEpisode, Store


def show_episode(store: "Store", run: str, name: str) -> None:
    """Print the conversation of this name, or the one whose name begins so.

    Raises:
        InputError: none is meant, or more than one.
    """
    from simulator.reports._episode import episode_view
    from simulator.reports._out import screen, show

    unfinished = {episode.episode: episode for episode in store.open_episodes(run)}
    key = _chosen(name, [*store.keys(run), *unfinished], run)
    if key in unfinished:
        _show_unfinished(unfinished[key])
        return
    console = screen()
    show(episode_view(store.header(run), store.episode(run, key), console.width), console)


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
    most = 8
    return tuple(keys) if len(keys) <= most else (*keys[:most], f"and {len(keys) - most} more")


def _show_unfinished(episode: "OpenEpisode") -> None:
    click.echo(f"{visible(episode.episode)}  unfinished, not judged; `mogi run --resume` goes on")
    for turn, exchange in enumerate(episode.exchanges, 1):
        click.echo(f"\nturn {turn}\n  user  {visible(exchange['question'])}")
        click.echo(f"  bot   {visible(_answer(exchange))}")


def _answer(exchange: Any) -> str:
    if "failure" in exchange:
        return f"(no answer) {exchange['failure']['fault']}: {exchange['failure']['message']}"
    return str(exchange["reply"]["text"])
