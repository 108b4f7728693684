"""Plays what a proof asks, and counts the calls."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from simulator.core.errors import HaltReason, InputError, MogiError
from simulator.core.plan import Gate, UserSpec
from simulator.core.run import Run
from simulator.core.scenario import Scenario
from simulator.core.talk import entry_names
from simulator.execution.plan import Options
from simulator.execution.request import RunRequest, Shard
from simulator.files.client.folder import LoadedClient
from simulator.files.scenarios.loading import Known, load_scenarios
from simulator.improve.diffs import folder_state

_KEPT = ("offline", "model", "judge_model", "concurrency", "budget_usd")

# Plays what is asked and returns the run; the request's shard names it, so that it can go on.
Play = Callable[[RunRequest], Run]


@dataclass(slots=True)
class Paid:
    """What proofs called, by role; `whole`: what playing the run twice for each would have."""

    calls: Counter[str] = field(default_factory=Counter)
    cost_usd: float | None = 0.0
    whole: int = 0

    def add(self, run: Run) -> None:
        """Count a run of a proof."""
        ledger = run.summary.ledger
        self.calls.update(ledger.calls)
        cost = ledger.cost_usd
        self.cost_usd = (
            None if None in (cost, self.cost_usd) else (self.cost_usd or 0) + (cost or 0)
        )


class Plays:
    """Plays what a proof needs with the options of a run, and counts the calls.

    Args:
        run: the run that showed what fails.
        store_url: where the plays are kept; they go on where they were left.
        play: plays a request.
    """

    def __init__(self, run: Run, store_url: str, play: Play) -> None:
        self.run = run
        self._store_url = store_url
        self._play_request = play
        self.paid = Paid()

    def play(
        self, loaded: LoadedClient, talks: Mapping[str, Sequence[str]], persona: str, what: str
    ) -> Run:
        """A run in which users say these utterances, by scenario; `what` is for messages.

        Raises:
            InputError: it cannot be played.
            MogiError: something kept it from its end; what was played is kept.
            KeyboardInterrupt: likewise.
        """
        loaded = probe_client(loaded, talks)
        header = self.run.header
        settings = {key: value for key, value in header.options.items() if key in _KEPT}
        options = replace(Options().resuming(settings), personas=(persona,))
        shard = Shard(1, 1, _key(header.id, loaded, what))
        run = self._play_request(RunRequest(loaded, options, self._store_url, shard=shard))
        check_complete(run, f"the proof ({what})", self._store_url)
        self.paid.add(run)
        return run


def _key(run: str, loaded: LoadedClient, what: str) -> str:
    """What one play of a proof is known by: the same only while nothing that matters changed."""
    client = loaded.client
    digest = hashlib.sha256(f"{run}\0{what}".encode())
    for scenario in loaded.scenarios.values():
        digest.update(repr(sorted(scenario.identity().items(), key=str)).encode())
    digest.update(folder_state(Path(client.folder)))
    digest.update(repr(sorted(client.target.settings.items(), key=str)).encode())
    return digest.hexdigest()


def probe_client(loaded: LoadedClient, talks: Mapping[str, Sequence[str]]) -> LoadedClient:
    """A client whose users say these utterances, by scenario, whatever is answered.

    No model plays or judges; what is of interest are the replies and their documents.
    """
    scenarios = {
        name: Scenario(name, utterances[0], turns=tuple(utterances[1:]))
        for name, utterances in talks.items()
        if utterances
    }
    longest = max((len(utterances) for utterances in talks.values()), default=1)
    client = replace(
        loaded.client,
        user=UserSpec(kind="scripted", open="exact"),
        judge=None,
        metrics=(),
        max_turns=max(1, longest),
        min_turns=1,
        repeat=1,
        gate=None,
    )
    return replace(loaded, client=client, scenarios=scenarios, rubrics=())


def changed_entries(before: LoadedClient, after: LoadedClient) -> frozenset[str]:
    """The ids of the entries that are not the same in both, or not in both."""
    first, second = (
        {
            str(e.id): (e.title, e.text)
            for e in (side.knowledge.documents() if side.knowledge else ())
        }
        for side in (before, after)
    )
    ids = first.keys() | second.keys()
    return frozenset(name for name in ids if first.get(name) != second.get(name))


def must_pass(scenario: Scenario, gate: Gate | None) -> bool:
    """Whether the client's gate says that its conversations must pass."""
    named = set(gate.must_pass) if gate else set()
    return scenario.id in named or not named.isdisjoint(scenario.tags)


def scenarios_of(files: Sequence[str], loaded: LoadedClient) -> Mapping[str, Scenario]:
    """The scenarios of further files, beside those of a client.

    Raises:
        InputError: one cannot be read, or an id is there twice.
    """
    entries = loaded.knowledge.documents() if loaded.knowledge else ()
    people = frozenset(loaded.catalog.persona_ids(loaded.client.language))
    known = Known(people, entry_names(entries) or None)
    scenarios: dict[str, Scenario] = {}
    for file in files:
        read = load_scenarios(Path(loaded.client.folder), known, file=Path(file).absolute())
        twice = sorted((read.keys() & loaded.scenarios.keys()) | (read.keys() & scenarios.keys()))
        if twice:
            raise InputError(f"{file}: the ids {', '.join(twice)} are there already; write others")
        scenarios |= read
    return scenarios


def check_complete(run: Run, what: str, store_url: str) -> None:
    """Check that a run of `improve` has played all its conversations.

    Raises:
        KeyboardInterrupt: it was interrupted.
        MogiError: it is not complete; what was played is kept.
    """
    if run.header.status == HaltReason.INTERRUPTED:
        raise KeyboardInterrupt
    if run.summary.unfinished:
        raise MogiError(
            f"{what} is incomplete ({run.header.status}); finished conversations are in "
            f"{store_url}: to resume, run the same command again"
        )
