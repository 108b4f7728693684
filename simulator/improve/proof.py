"""A proof: users and questions that the proposer never saw, played before a change and after it."""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from simulator.build.plan import Options
from simulator.core.errors import HaltReason, InputError, MogiError
from simulator.core.result import Result
from simulator.core.run import Episode, Run
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange
from simulator.execution.request import RunRequest, Shard
from simulator.figures.worst import alike
from simulator.files.client.folder import LoadedClient
from simulator.improve.cells import (
    Chosen,
    Name,
    changed_entries,
    choose,
    is_found_first,
    is_reached,
    must_pass,
    narrowed,
    near,
    probe_client,
    said_in,
)
from simulator.improve.decision import Decision, Played, adjusted, decide, gain_of, harms_of
from simulator.improve.diffs import folder_state
from simulator.statistics.intervals import wilson
from simulator.text.normal import normal_form

PERSONAS = 3
_KEPT = ("offline", "model", "judge_model", "max_turns", "concurrency", "budget_usd")
_AGAIN = 7919  # added to the seed of a second play

# Plays what is asked and returns the run; the request's shard names it, so that it can go on.
Play = Callable[[RunRequest], Run]


@dataclass(frozen=True, slots=True)
class Change:
    """A client before and after one change; `seen` are the scenarios that its proposer saw."""

    name: str
    after: LoadedClient
    seen: frozenset[str]


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of proving one change. `escaped` of `audited` cells changed unforeseen.

    `escape_high` is the upper end of the 95 % interval (Wilson) of that share; None: none was
    audited. `harms` are conversations by blame, before and after.
    """

    name: str
    decision: Decision
    cells: tuple[Played, ...]
    audited: int
    escaped: int
    others: int

    @property
    def escape_high(self) -> float | None:
        """See above."""
        return wilson(self.escaped, self.audited).high if self.audited else None

    @property
    def harms(self) -> dict[str, tuple[int, int]]:
        """See above."""
        return harms_of(self.cells)

    @property
    def newly_failing(self) -> tuple[Played, ...]:
        """The cells that newly fail."""
        return tuple(cell for cell in self.cells if cell.newly_fails)

    @property
    def newly_passing(self) -> tuple[Played, ...]:
        """The cells that newly pass."""
        return tuple(cell for cell in self.cells if cell.newly_passes)


@dataclass(slots=True)
class Paid:
    """What the proof called, by role; `talks` and `probes` count conversations.

    `whole` is what playing every cell before and after each change would have called.
    """

    calls: Counter[str] = field(default_factory=Counter)
    cost_usd: float | None = 0.0
    talks: int = 0
    probes: int = 0
    of_talks: int = 0
    whole: int = 0

    @property
    def share(self) -> float | None:
        """The calls of the proof as a share of those."""
        return self.calls.total() / self.whole if self.whole else None

    def add(self, run: Run, *, is_probe: bool) -> None:
        """Count a run of the proof."""
        ledger = run.summary.ledger
        self.calls.update(ledger.calls)
        cost = ledger.cost_usd
        self.cost_usd = (
            None if None in (cost, self.cost_usd) else (self.cost_usd or 0) + (cost or 0)
        )
        if is_probe:
            self.probes += run.summary.conversations
        else:
            self.talks += run.summary.conversations
            self.of_talks += sum(ledger.calls.values())


class Prover:
    """Proves changes of one client on cells that a run did not play.

    Args:
        run: the run that showed what fails; its personas are left out.
        before: the client as it is.
        more: scenarios besides the client's own, such as held-out ones.
        store_url: where the plays are kept; they go on where they were left.
        play: plays a request.
        personas: how many of those that the run did not have.
    """

    def __init__(
        self,
        run: Run,
        before: LoadedClient,
        more: Mapping[str, Scenario],
        store_url: str,
        play: Play,
        personas: int = PERSONAS,
    ) -> None:
        self._run = run
        self._store_url = store_url
        self._play_request = play
        self._personas = _unseen_personas(run, before, personas)
        self._gate = before.client.gate
        self._scenarios = {**before.scenarios, **more}
        self._before = self._cast(before)
        self.paid = Paid()

    @property
    def personas(self) -> tuple[str, ...]:
        """Those who ask."""
        return self._personas

    def prove(self, changes: Sequence[Change]) -> list[Proof]:
        """A proof of each change, in their order.

        Raises:
            InputError: a change cannot be tried.
            MogiError: something kept a play from its end; what was played is kept.
            KeyboardInterrupt: likewise.
        """
        afters = [self._cast(change.after) for change in changes]
        talks = self._talks()
        firsts = self._first_replies(talks)
        chosen = [
            self._choose(change, after, talks, firsts)
            for change, after in zip(changes, afters, strict=True)
        ]
        every = frozenset(name for each in chosen for name in each.cells)
        befores = self._results(self._before, every, "before")
        played = [
            self._played(change, cells, befores, self._results(after, cells.cells, change.name))
            for change, after, cells in zip(changes, afters, chosen, strict=True)
        ]
        sure = [
            self._again(cells, change.name, after)
            for cells, change, after in zip(played, changes, afters, strict=True)
        ]
        gains = adjusted([gain_of(cells) for cells in sure])
        self._count_whole(len(changes))
        return [
            _proof(change.name, cells, decide(cells, gain, together=len(changes)), each.others)
            for change, cells, gain, each in zip(changes, sure, gains, chosen, strict=True)
        ]

    def _cast(self, loaded: LoadedClient) -> LoadedClient:
        """The client with all questions, asked by others, in their own style."""
        client = loaded.client
        catalog, language = loaded.catalog, client.language
        user = replace(client.user, open="styled")
        client = replace(client, user=user, assign="all", repeat=1, gate=None)
        people = {
            name: loaded.personas.get(name) or catalog.persona(language, name)
            for name in self._personas
        }
        return replace(loaded, client=client, scenarios=self._scenarios, personas=people)

    def _talks(self) -> dict[str, list[Exchange]]:
        return said_in(self._run.episodes(), self._scenarios)

    def _first_replies(self, talks: Mapping[str, list[Exchange]]) -> dict[str, list[Exchange]]:
        """What the bot answers as it is: as in the run, or asked now where it was not."""
        lacking = {n: [s.query] for n, s in self._scenarios.items() if n not in talks}
        return {**talks, **self._probed(self._before, lacking, "probe-before")}

    def _choose(
        self,
        change: Change,
        after: LoadedClient,
        talks: Mapping[str, Sequence[Exchange]],
        firsts: Mapping[str, Sequence[Exchange]],
    ) -> Chosen:
        changed = changed_entries(self._before, after)
        asked = {
            name: [exchange.user for exchange in talks[name]] if name in talks else [s.query]
            for name, s in self._scenarios.items()
        }
        if changed:
            close = near((self._before, after), asked, changed)
            close |= {n for n, talk in firsts.items() if _finds(talk, changed)}
            asked = {name: said for name, said in asked.items() if name in close}
        seconds = self._probed(after, asked, f"probe-{change.name}")
        reached = {
            name
            for name, said in seconds.items()
            if is_reached(firsts.get(name, ()), said, changed)
        }
        about = {
            name
            for name in reached
            if not changed
            or not changed.isdisjoint(self._scenarios[name].expected.documents)
            or is_found_first(seconds[name], changed)
        }
        seed = self._run.header.client
        return choose(self._scenarios, self._personas, reached, about, self._gate, seed)

    def _probed(
        self, loaded: LoadedClient, talks: Mapping[str, Sequence[str]], what: str
    ) -> dict[str, list[Exchange]]:
        if not any(talks.values()):
            return {}
        run = self._play(probe_client(loaded, talks), self._personas[:1], what, is_probe=True)
        return {e.cell.scenario: [turn.exchange for turn in e.turns] for e in run.episodes()}

    def _results(
        self, loaded: LoadedClient, cells: Collection[Name], what: str, seed: int = 0
    ) -> dict[Name, tuple[Result, str]]:
        if not cells:
            return {}
        run = self._play(narrowed(loaded, cells), self._personas, what, seed=seed)
        return dict(_outcomes(run.episodes()))

    def _play(
        self,
        loaded: LoadedClient,
        personas: Sequence[str],
        what: str,
        *,
        seed: int = 0,
        is_probe: bool = False,
    ) -> Run:
        header = self._run.header
        said = {key: value for key, value in header.options.items() if key in _KEPT}
        if is_probe:
            said.pop("max_turns", None)
        options = replace(
            Options().resuming(said),
            personas=tuple(personas),
            seed=(loaded.client.seed + seed) if seed else None,
        )
        shard = Shard(1, 1, _key(header.id, loaded, what, seed))
        run = self._play_request(RunRequest(loaded, options, self._store_url, shard=shard))
        if run.header.status == HaltReason.INTERRUPTED:
            raise KeyboardInterrupt
        if run.summary.unfinished:
            raise MogiError(
                f"the proof is not complete ({what}: {run.header.status}); what was played is kept "
                f"in {self._store_url}: the same command goes on with it"
            )
        self.paid.add(run, is_probe=is_probe)
        return run

    def _played(
        self,
        change: Change,
        chosen: Chosen,
        befores: Mapping[Name, tuple[Result, str]],
        afters: Mapping[Name, tuple[Result, str]],
    ) -> list[Played]:
        seen = change.seen | self._alike(change.seen)
        found = []
        for name in sorted(chosen.cells):
            if name not in befores or name not in afters:
                continue  # its user was given up on
            (before, first), (after, second) = befores[name], afters[name]
            found.append(
                Played(
                    *name,
                    results=(before, after),
                    blames=(first, second),
                    is_unseen=name[0] not in seen,
                    is_chosen=name in chosen.reached,
                    is_about=name[0] in chosen.about,
                    must_pass=must_pass(self._scenarios[name[0]], self._gate),
                )
            )
        return found

    def _alike(self, seen: Collection[str]) -> frozenset[str]:
        """Scenarios that ask in the same words what was seen."""
        asked = {normal_form(self._scenarios[s].query) for s in seen if s in self._scenarios}
        return frozenset(n for n, s in self._scenarios.items() if normal_form(s.query) in asked)

    def _again(self, cells: Sequence[Played], what: str, after: LoadedClient) -> tuple[Played, ...]:
        """Cells that newly fail or do harm, played once more on both sides."""
        doubtful = {(c.scenario, c.persona) for c in cells if c.is_doubtful}
        first = self._results(self._before, doubtful, f"again-before-{what}", _AGAIN)
        second = self._results(after, doubtful, f"again-{what}", _AGAIN)
        return tuple(_with_second(cell, first, second) for cell in cells)

    def _count_whole(self, changes: int) -> None:
        a_talk = self.paid.of_talks / self.paid.talks if self.paid.talks else 0.0
        cells = len(self._scenarios) * len(self._personas)
        self.paid.whole = math.ceil(a_talk * cells * (1 + changes))


def _with_second(
    cell: Played,
    first: Mapping[Name, tuple[Result, str]],
    second: Mapping[Name, tuple[Result, str]],
) -> Played:
    name = (cell.scenario, cell.persona)
    if name not in first or name not in second:
        return cell
    (before, blame), (after, other) = first[name], second[name]
    return replace(cell, again=replace(cell, results=(before, after), blames=(blame, other)))


def _finds(talk: Sequence[Exchange], changed: Collection[str]) -> bool:
    return any(str(document.id) in changed for exchange in talk for document in exchange.documents)


def _unseen_personas(run: Run, loaded: LoadedClient, count: int) -> tuple[str, ...]:
    """Personas that the run did not have, drawn by the client's name; its own come first.

    Raises:
        InputError: it had all that there are.
    """
    known = loaded.catalog.persona_ids(loaded.client.language)
    had = {episode.cell.persona for episode in run.episodes()}
    left = [name for name in known if name not in had]
    if not left:
        raise InputError(
            f"run {run.header.id} had all {len(known)} personas, so nobody is left who has not "
            "asked yet; write one more in personas/, or prove on a run with fewer (--persona)"
        )

    def order(name: str) -> tuple[bool, str]:
        drawn = hashlib.sha256(f"{run.header.client} {name}".encode()).hexdigest()
        return name not in loaded.personas, drawn

    return tuple(sorted(left, key=order)[:count])


def _outcomes(episodes: Iterable[Episode]) -> Iterator[tuple[Name, tuple[Result, str]]]:
    for episode in episodes:
        found = episode.finding
        if found is not None:
            blame, *_ = alike(episode, found)
            yield (episode.cell.scenario, episode.cell.persona), (found.result, blame)


def _proof(name: str, cells: Sequence[Played], decision: Decision, others: int) -> Proof:
    audited = [cell for cell in cells if not (cell.is_chosen or cell.must_pass)]
    escaped = sum(cell.results[0] != cell.results[1] for cell in audited)
    return Proof(name, decision, tuple(cells), len(audited), escaped, others)


def _key(run: str, loaded: LoadedClient, what: str, seed: int) -> str:
    """What one play of a proof is known by: the same only while nothing that matters changed."""
    client = loaded.client
    digest = hashlib.sha256(f"{run}\0{what}\0{seed}".encode())
    for scenario in loaded.scenarios.values():
        digest.update(repr(sorted(scenario.identity().items(), key=str)).encode())
    for name in loaded.personas:
        digest.update(name.encode())
    digest.update(folder_state(Path(client.folder)))
    digest.update(repr(sorted(client.target.settings.items(), key=str)).encode())
    return digest.hexdigest()
