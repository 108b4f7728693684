"""A proof: users and questions that the proposer never saw, played before a change and after it."""

import hashlib
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from simulator.core.clean import normal_form
from simulator.core.errors import HaltReason, MogiError
from simulator.core.result import Result
from simulator.core.run import Episode, Run
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange
from simulator.execution.plan import Options
from simulator.execution.request import RunRequest, Shard
from simulator.files.client.folder import LoadedClient
from simulator.improve.cells import (
    Chosen,
    Name,
    Paid,
    changed_entries,
    choose,
    is_found_first,
    is_reached,
    must_pass,
    narrowed,
    near,
    probe_client,
    said_in,
    turns_of_all,
)
from simulator.improve.decision import Decision, Played, Proof, adjusted, decide, gain_of, wanted
from simulator.improve.diffs import folder_state
from simulator.view.faults import alike

PERSONAS = 3
_KEPT = ("offline", "model", "judge_model", "max_turns", "concurrency", "budget_usd")
_ANEW = 104_729  # added to the seed of personas that the run had
_AGAIN = 7919  # added to the seed of a second play

# Plays what is asked and returns the run; the request's shard names it, so that it can go on.
Play = Callable[[RunRequest], Run]


@dataclass(frozen=True, slots=True)
class Change:
    """A client before and after one change; `seen` are the scenarios that its proposer saw."""

    name: str
    after: LoadedClient
    seen: frozenset[str]


class _Seen(NamedTuple):
    """What came of one conversation."""

    result: Result
    blame: str
    turns: int


_Outcomes = Mapping[Name, _Seen | None]  # None: its user was given up on


@dataclass(slots=True)
class _Trial:
    """A change while it is proved; `again`: what came of its doubtful cells a second time."""

    change: Change
    after: LoadedClient
    chosen: Chosen
    seconds: _Outcomes
    again: tuple[_Outcomes, _Outcomes] = field(default_factory=lambda: ({}, {}))

    @property
    def at_once(self) -> frozenset[Name]:
        """What is played before the change whatever comes: what does not pass after, and audits."""
        failing = (
            name
            for name, seen in self.seconds.items()
            if seen is not None and seen.result in (Result.FAILED, Result.UNDECIDED)
        )
        return self.chosen.audited.union(failing)


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
        self,
        loaded: LoadedClient,
        personas: Sequence[str],
        what: str,
        *,
        seed: int = 0,
        is_probe: bool = False,
    ) -> Run:
        """The run of a client with these personas; `what` says what is played, for messages.

        Raises:
            InputError: it cannot be played.
            MogiError: something kept it from its end; what was played is kept.
            KeyboardInterrupt: likewise.
        """
        header = self.run.header
        settings = {key: value for key, value in header.options.items() if key in _KEPT}
        if is_probe:
            settings.pop("max_turns", None)
        options = replace(
            Options().resuming(settings),
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


class Prover:
    """Proves changes of one client on cells that a run did not play.

    Args:
        run: the run that showed what fails; its personas are left out while there are others.
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
        self._plays = Plays(run, store_url, play)
        self._personas = _unseen_personas(run, before, personas)
        had = {episode.cell.persona for episode in run.episodes()}
        self._seed = _ANEW if had.issuperset(self._personas) else 0
        self._gate = before.client.gate
        self._scenarios = {**before.scenarios, **more}
        self._before = self._cast(before)

    @property
    def paid(self) -> Paid:
        """What was called so far."""
        return self._plays.paid

    @property
    def personas(self) -> tuple[str, ...]:
        """Those who ask."""
        return self._personas

    @property
    def have_asked(self) -> bool:
        """True if the run had them all: they ask with a new seed, which says less than others."""
        return self._seed != 0

    def prove(self, changes: Sequence[Change]) -> list[Proof]:
        """A proof of each change, in their order.

        Raises:
            InputError: a change cannot be tried.
            MogiError: something kept a play from its end; what was played is kept.
            KeyboardInterrupt: likewise.
        """
        talks = self._talks()
        firsts = self._first_replies(talks)
        trials = [self._trial(change, talks, firsts) for change in changes]
        at_once = frozenset(name for trial in trials for name in trial.at_once)
        befores = dict(self._results(self._before, at_once, "before"))
        for trial in trials:
            trial.again = self._again(trial, befores)
        for number in itertools.count(1):
            proofs = self._decided(trials, befores)
            left = {
                (cell.scenario, cell.persona)
                for proof in proofs
                for cell in wanted(proof.cells, proof.decision)
            }
            if not left:
                break
            befores |= self._results(self._before, left, f"before-{number}")
        self._count_whole(trials, befores)
        return proofs

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

    def _trial(
        self,
        change: Change,
        talks: Mapping[str, Sequence[Exchange]],
        firsts: Mapping[str, Sequence[Exchange]],
    ) -> _Trial:
        after = self._cast(change.after)
        chosen = self._choose(change, after, talks, firsts)
        return _Trial(change, after, chosen, self._results(after, chosen.cells, change.name))

    def _choose(
        self,
        change: Change,
        after: LoadedClient,
        talks: Mapping[str, Sequence[Exchange]],
        firsts: Mapping[str, Sequence[Exchange]],
    ) -> Chosen:
        changed = changed_entries(self._before, after)
        questions = {
            name: [exchange.user for exchange in talks[name]] if name in talks else [s.query]
            for name, s in self._scenarios.items()
        }
        if changed:
            close = near((self._before, after), questions, changed)
            close |= {n for n, talk in firsts.items() if _finds(talk, changed)}
            questions = {name: exchanges for name, exchanges in questions.items() if name in close}
        seconds = self._probed(after, questions, f"probe-{change.name}")
        reached = {
            name
            for name, exchanges in seconds.items()
            if is_reached(firsts.get(name, ()), exchanges, changed)
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
        run = self._plays.play(probe_client(loaded, talks), self._personas[:1], what, is_probe=True)
        return {e.cell.scenario: [turn.exchange for turn in e.turns] for e in run.episodes()}

    def _results(
        self, loaded: LoadedClient, cells: Collection[Name], what: str, seed: int = 0
    ) -> _Outcomes:
        if not cells:
            return {}
        cast = narrowed(loaded, cells)
        run = self._plays.play(cast, self._personas, what, seed=seed + self._seed)
        return {**dict.fromkeys(cells), **dict(_outcomes(episode for episode, _ in run.reviewed()))}

    def _decided(self, trials: Sequence[_Trial], befores: _Outcomes) -> list[Proof]:
        played = [self._played(trial, befores) for trial in trials]
        gains = adjusted([gain_of(cells) for cells in played])
        return [
            _proof(trial, cells, decide(cells, gain, together=len(trials)))
            for trial, cells, gain in zip(trials, played, gains, strict=True)
        ]

    def _played(self, trial: _Trial, befores: _Outcomes) -> tuple[Played, ...]:
        """The cells of which something is known; of the others a user was given up on."""
        change, chosen = trial.change, trial.chosen
        seen = change.seen | self._alike(change.seen)
        found = []
        for name in sorted(chosen.cells):
            both = _both(name, befores, trial.seconds)
            if both is None:
                continue
            cell = Played(
                *name,
                *both,
                is_unseen=name[0] not in seen,
                is_chosen=name in chosen.reached,
                is_about=name[0] in chosen.about,
                must_pass=must_pass(self._scenarios[name[0]], self._gate),
            )
            again = _both(name, *trial.again) if name in trial.again[0] else None
            found.append(replace(cell, again=again and replace(cell, **again._asdict())))
        return tuple(found)

    def _alike(self, seen: Collection[str]) -> frozenset[str]:
        """Scenarios that ask in the same words what was seen."""
        queries = {normal_form(self._scenarios[s].query) for s in seen if s in self._scenarios}
        return frozenset(n for n, s in self._scenarios.items() if normal_form(s.query) in queries)

    def _again(self, trial: _Trial, befores: _Outcomes) -> tuple[_Outcomes, _Outcomes]:
        """What newly fails or does harm, played once more on both sides."""
        cells, what = self._played(trial, befores), trial.change.name
        doubtful = {(c.scenario, c.persona) for c in cells if c.is_doubtful}
        first = self._results(self._before, doubtful, f"again-before-{what}", _AGAIN)
        return first, self._results(trial.after, doubtful, f"again-{what}", _AGAIN)

    def _count_whole(self, trials: Sequence[_Trial], befores: _Outcomes) -> None:
        """Of what was not reached there is nothing to tell the sides apart."""
        turns = 0.0
        known = {name: seen.turns for name, seen in befores.items() if seen}
        for trial in trials:
            after = {name: seen.turns for name, seen in trial.seconds.items() if seen}
            still = {n: turns for n, turns in after.items() if n not in trial.chosen.reached}
            turns += turns_of_all(trial.chosen, after)
            turns += turns_of_all(trial.chosen, {**still, **known}) / len(trials)
        self.paid.count_whole(turns)


class _Both(NamedTuple):
    """What came of a cell before and after, as `Played` has it."""

    results: tuple[Result | None, Result]
    blames: tuple[str, str]


def _both(name: Name, befores: _Outcomes, afters: _Outcomes) -> _Both | None:
    """None: its user was given up on."""
    before, after = befores.get(name), afters.get(name)
    if after is None or (before is None and name in befores):
        return None
    first = (before.result, before.blame) if before else (None, "")
    return _Both((first[0], after.result), (first[1], after.blame))


def _finds(talk: Sequence[Exchange], changed: Collection[str]) -> bool:
    return any(str(document.id) in changed for exchange in talk for document in exchange.documents)


def _unseen_personas(run: Run, loaded: LoadedClient, count: int) -> tuple[str, ...]:
    """Personas that the run did not have, drawn by the client's name; its own come first.

    Where it had all that there are, some of those.
    """
    known = loaded.catalog.persona_ids(loaded.client.language)
    had = {episode.cell.persona for episode in run.episodes()}
    left = [name for name in known if name not in had]

    def order(name: str) -> tuple[bool, str]:
        drawn = hashlib.sha256(f"{run.header.client} {name}".encode()).hexdigest()
        return name not in loaded.personas, drawn

    return tuple(sorted(left or known, key=order)[:count])


def _outcomes(episodes: Iterable[Episode]) -> Iterator[tuple[Name, _Seen]]:
    for episode in episodes:
        finding = episode.finding
        if finding is not None:
            blame = alike(episode, finding).group.blame
            seen = _Seen(finding.result, blame, len(episode.turns))
            yield (episode.cell.scenario, episode.cell.persona), seen


def _proof(trial: _Trial, cells: Sequence[Played], decision: Decision) -> Proof:
    chosen, name = trial.chosen, trial.change.name
    audited = [cell for cell in cells if not (cell.is_chosen or cell.must_pass)]
    escaped = sum(cell.results[0] != cell.results[1] for cell in audited)
    lost = len(chosen.cells) - len(cells)
    return Proof(name, decision, tuple(cells), len(audited), escaped, chosen.others, lost)


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
