"""Two small runs in a store, for the tests of comparing."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from simulator.compare.comparison import compare_runs
from simulator.core.comparison import Comparison
from simulator.core.outcome import Outcome
from simulator.core.run import Episode, RunHeader
from simulator.core.talk import Reply
from simulator.store.store import Store
from tests.execution.scored import episode, header, rated, turn

SAME = tuple(f"s{n}" for n in range(8))


def talk(scenario: str, *outcomes: Outcome | None, persona: str = "calm", **said: str) -> Episode:
    """A conversation with a judged turn for each outcome; `said`: user, assistant of all turns."""
    turns = []
    for outcome in outcomes:
        made = turn(outcome)
        exchange = replace(
            made.exchange,
            user=said.get("user", f"about {scenario}"),
            reply=Reply(said.get("assistant", f"answer on {scenario}")),
        )
        turns.append(replace(made, exchange=exchange))
    return episode(*turns, scenario=scenario, persona=persona)


def talks(*ratings: float, persona: str = "calm") -> list[Episode]:
    """A conversation of one turn for each rating (1-5), in scenarios s0, s1, …."""
    return [
        talk(f"s{n}", rated(rating, f"rated {rating}"), persona=persona)
        for n, rating in enumerate(ratings)
    ]


def keep(
    store: Store, run: str, episodes: Iterable[Episode], started: int = 0, **changes: Any
) -> RunHeader:
    """Put a run into the store; of two, the one that `started` (a second) later is newer."""
    found = list(episodes)
    when = f"2026-11-20T05:06:{started:02}+00:00"
    head = header(id=run, started=when, **{"planned": len(found), **changes})
    store.begin(head)

    async def save() -> None:
        for ordinal, each in enumerate(found):
            await store.save_episode(run, ordinal, each)

    asyncio.run(save())
    store.finish(head, {})
    return head


def beside(
    folder: Path,
    before: Iterable[Episode],
    after: Iterable[Episode],
    *,
    alpha: float = 0.05,
    a: dict[str, Any] | None = None,
    b: dict[str, Any] | None = None,
) -> Comparison:
    """The comparison of two runs; `a` and `b` change their headers."""
    with Store.create(f"sqlite:///{folder / 'mogi.db'}") as store:
        keep(store, "aaaa1111", before, 1, **(a or {}))
        keep(store, "bbbb2222", after, 2, **(b or {}))
        return compare_runs(store, "aaaa1111", "bbbb2222", alpha)
