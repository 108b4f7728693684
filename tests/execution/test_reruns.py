"""What is played again after the plan: in the run's own store, and in none of its figures."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason
from simulator.core.plan import Cell
from simulator.core.run import Run
from simulator.core.talk import Talk
from simulator.store.store import Store
from simulator.view.stored_run import stored_run
from tests.execution.played import Bot, played, requested, status_of, url


class Again:
    """Names one cell again and again, until it was played so often."""

    def __init__(self, times: int) -> None:
        self.times = times

    def __call__(self, store: Store, run: str) -> Sequence[Cell]:
        done = len(store.keys(run, reruns=True))
        return [Cell("shipping", "angry", 2 + done)] if done < self.times else []


async def with_reruns(folder: Path, reruns: Again, halt: Halt | None = None, **options: Any) -> Run:
    request = replace(requested(folder, **options), reruns=reruns)
    return await played(request, halt)


def reruns_of(folder: Path, run: str) -> list[str]:
    with Store.read(url(folder)) as store:
        return store.keys(run, reruns=True)


async def test_no_figure_counts_them_but_what_they_cost(tmp_path: Path) -> None:
    plain = await played(requested(tmp_path))
    run = await with_reruns(tmp_path, Again(3))
    assert (4, 8, 0) == (run.summary.conversations, run.summary.turns, run.summary.unfinished)
    assert plain.summary.results == run.summary.results
    assert plain.summary.metrics == run.summary.metrics
    assert ({"target": 8}, {"target": 14}) == (plain.summary.ledger.calls, run.summary.ledger.calls)
    assert [f"shipping/angry/{n}" for n in (2, 3, 4)] == reruns_of(tmp_path, run.header.id)
    assert any(
        "the replays count only in" in note or "もう一度" in note for note in run.header.notes
    )
    with Store.read(url(tmp_path)) as store:
        header = store.header(run.header.id)
        assert 4 == len([*stored_run(store, header).episodes()])
        assert "shipping/angry/3" == store.episode(header.id, "shipping/angry/3").cell.key


async def test_a_halted_run_goes_on_with_them_and_asks_nothing_twice(tmp_path: Path) -> None:
    halt = Halt()

    async def act(question: str, talk: Talk) -> None:
        if talk.episode == "shipping/angry/3" and talk.exchanges:
            raise halt.throw(HaltReason.BUDGET, "no money left")

    first = await with_reruns(tmp_path, Again(3), halt, bot=Bot(act))
    assert ("budget", "budget", 0) == (
        first.header.status,
        status_of(tmp_path, first.header.id),
        first.summary.unfinished,
    )
    bot = Bot()
    run = await with_reruns(tmp_path, Again(3), bot=bot, resume=first.header.id)
    assert ("finished", 3) == (run.header.status, len(reruns_of(tmp_path, run.header.id)))
    # The first turn of the one that broke off is in the journal.
    assert [
        "shipping/angry/3: ほかには",
        "shipping/angry/4: 送料は",
        "shipping/angry/4: ほかには",
    ] == bot.asked


async def test_nothing_is_played_again_before_all_of_the_plan_was(tmp_path: Path) -> None:
    halt = Halt()

    async def act(question: str, talk: Talk) -> None:
        if talk.episode.startswith("returns"):
            raise halt.throw(HaltReason.BUDGET, "no money left")

    run = await with_reruns(tmp_path, Again(3), halt, bot=Bot(act))
    assert (True, []) == (run.summary.unfinished > 0, reruns_of(tmp_path, run.header.id))
