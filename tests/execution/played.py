"""Runs of a small client with a bot of the test's own, offline, in a folder of the test's own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.core.concurrency import Halt
from simulator.core.events import ConversationEnded, Event, RunPlanned
from simulator.core.run import Run
from simulator.core.talk import Reply, Talk
from simulator.core.traffic import Traffic
from simulator.execution.plan import Options
from simulator.execution.request import RunRequest
from simulator.execution.session import run_session
from simulator.store.store import Store
from tests.execution.clients import client

LINES = "user: {kind: scripted}\nmax_turns: 2\n"
SCENARIOS = (
    "- {id: shipping, query: 送料は, turns: [ほかには], expected: {elements: [500円]}}\n"
    "- {id: returns, query: 返品は, turns: [ほかには], expected: {elements: [500円]}}\n"
)


class Bot:
    """A target; `act` is asked first, and may raise, wait or look."""

    def __init__(self, act: Callable[[str, Talk], Any] | None = None) -> None:
        self.asked: list[str] = []
        self._act = act

    async def answer(self, question: str, talk: Talk) -> Reply:
        self.asked.append(f"{talk.episode}: {question}")
        if self._act is not None:
            await self._act(question, talk)
        return Reply("送料は500円です。")


class Watcher:
    """A subscriber that keeps the events of a run."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    @property
    def planned(self) -> list[RunPlanned]:
        return [event for event in self.events if isinstance(event, RunPlanned)]

    @property
    def ended(self) -> list[str]:
        return [event.episode for event in self.events if isinstance(event, ConversationEnded)]

    @property
    def traffic(self) -> Traffic:
        traffic = Traffic()
        traffic.events.subscribe("watcher", self, apart=False)
        return traffic


def url(cwd: Path) -> str:
    return f"sqlite:///{cwd / 'mogi.db'}"


def requested(
    cwd: Path,
    lines: str = LINES,
    *,
    bot: Bot | None = None,
    resume: str | None = None,
    force: bool = False,
    scenarios: str = SCENARIOS,
    **said: Any,
) -> RunRequest:
    loaded = client(cwd, lines, scenarios=scenarios)
    return RunRequest(loaded, Options(**said), url(cwd), bot or Bot(), resume, force)


async def played(
    request: RunRequest, halt: Halt | None = None, watcher: Watcher | None = None
) -> Run:
    return await run_session(request, halt or Halt(), (watcher or Watcher()).traffic)


def status_of(cwd: Path, run: str) -> str:
    with Store.read(url(cwd)) as store:
        return next(row.status for row in store.runs() if row.id == run)
