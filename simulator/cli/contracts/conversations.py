"""The JSON of `mogi show`: a list of conversations, one of them, and the calls of a run."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from simulator.cli.screens.episode import Wanted, named, reviewed, talks
from simulator.core.result import Result
from simulator.core.run import Run, RunHeader
from simulator.formats.json_contracts import LEFT_OUT, Ordinal, contract, filled
from simulator.store.store import Store
from simulator.view.calls import CallFigures, call_figures
from simulator.view.results import settled_words
from simulator.view.turn_json import TurnLine, WhyLine, turn_json, why_line


@contract
class ListedConversation:
    """A conversation and what came of it."""

    episode: str
    """The conversation: scenario/persona/repeat."""
    scenario: str
    """The scenario's id."""
    persona: str
    """The persona's id."""
    repeat: Ordinal
    """Which of several, from 1."""
    result: Result
    """passed, failed, undecided or unchecked."""
    why: WhyLine | None
    """The line that decided it."""


@contract
class Conversations:
    """What `mogi show RUN --failed --json` and its like print."""

    run: str
    """The run's id."""
    conversations: tuple[ListedConversation, ...]
    """Those that were asked for, the failed ones first."""


@contract
class Conversation:
    """What `mogi show RUN CONVERSATION --json` prints."""

    run: str
    """The run's id."""
    episode: str
    """The conversation: scenario/persona/repeat."""
    finished: bool
    """Whether it came to its end."""
    turns: tuple[TurnLine, ...] | None = field(default=None, metadata=LEFT_OUT)
    """Its turns, as `mogi export` prints them; of a finished one."""
    exchanges: tuple[Mapping[str, Any], ...] | None = field(default=None, metadata=LEFT_OUT)
    """The messages so far, of an unfinished conversation."""


@contract
class Calls:
    """What `mogi show RUN --calls --json` prints."""

    run: str
    """The run's id."""
    calls: tuple[CallFigures, ...]
    """By endpoint, model and role."""
    waits: Mapping[str, Mapping[str, float]]
    """Seconds that calls waited for limits, by model or endpoint and by limit."""


def conversations_json(run: Run, wanted: Wanted) -> Conversations:
    """Every one that is wanted, as `mogi export` names it.

    Raises:
        InputError: the run has no such persona, scenario, tag or blame.
    """
    listed = (
        filled(
            ListedConversation,
            talk.cell,
            talk.finding,
            episode=talk.cell.key,
            why=why_line(talk.finding),
        )
        for talk in talks(run, wanted)
    )
    return Conversations(run.header.id, tuple(listed))


def conversation_json(store: Store, run: str, name: str) -> Conversation:
    """The turns of a conversation; of an unfinished one, which has no scores, what was said so far.

    Raises:
        InputError: none is meant, or more than one.
    """
    key, unfinished = named(store, run, name)
    if unfinished is not None:
        return Conversation(run, key, finished=False, exchanges=tuple(unfinished.exchanges))
    header, episode, verdicts = reviewed(store, run, key)
    words = settled_words(verdicts)
    turns = (
        turn_json(header, episode, turn, words.get(turn.exchange.turn)) for turn in episode.turns
    )
    return Conversation(run, key, finished=True, turns=tuple(turns))


def calls_json(store: Store, header: RunHeader) -> Calls:
    """The figures of each row, and what was waited."""
    return Calls(header.id, tuple(call_figures(store.calls(header.id))), header.waits)
