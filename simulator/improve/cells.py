"""Which cells a proof plays: those that a change reaches, must-pass ones, and some by chance."""

import math
import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from simulator.core.clean import normal_form
from simulator.core.errors import InputError
from simulator.core.plan import Gate, UserSpec, seed_of
from simulator.core.run import Episode, Run
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, Reply
from simulator.files.client.folder import LoadedClient
from simulator.files.scenarios.loading import Known, load_scenarios
from simulator.text.bm25 import Bm25
from simulator.text.tokens import content_tokens

Name = tuple[str, str]  # scenario, persona

_AUDITED = 10  # cells, at least
_LOOKED_AT = 5  # entries that a plain search finds
_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class Chosen:
    """The cells that are played for one change, each by scenario and persona.

    `reached`: the probe saw the change in their scenario. `bound`: it did not, and they must pass.
    `audited`: drawn at random from the `others`, to see what escapes it. `about`: the scenarios
    that the change is for, as far as can be told.
    """

    reached: frozenset[Name]
    bound: frozenset[Name]
    audited: frozenset[Name]
    others: int
    about: frozenset[str]

    @property
    def cells(self) -> frozenset[Name]:
        """All of them."""
        return self.reached | self.bound | self.audited


@dataclass(slots=True)
class Paid:
    """What the proof called, by role; `turns` are those of conversations that were no probe.

    `whole` is what playing every cell before and after each change would have called.
    """

    calls: Counter[str] = field(default_factory=Counter)
    cost_usd: float | None = 0.0
    turns: int = 0
    of_turns: int = 0
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
        if not is_probe:
            self.turns += run.summary.turns
            self.of_turns += sum(ledger.calls.values())

    def join(self, other: "Paid") -> None:
        """Add what another proof called."""
        self.calls.update(other.calls)
        costs = (self.cost_usd, other.cost_usd)
        self.cost_usd = None if None in costs else sum(cost or 0 for cost in costs)
        self.whole += other.whole

    def count_whole(self, turns: float) -> None:
        """Say what playing every cell would have called, by the turns that this would have had."""
        self.whole += math.ceil(turns * self.of_turns / self.turns) if self.turns else 0


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


def said_in(episodes: Iterable[Episode], wanted: Collection[str]) -> dict[str, list[Exchange]]:
    """By scenario, the longest conversation of a run that was held with the bot as it was."""
    longest: dict[str, list[Exchange]] = {}
    for episode in episodes:
        name, exchanges = episode.cell.scenario, [turn.exchange for turn in episode.turns]
        if name in wanted and len(exchanges) > len(longest.get(name, [])):
            longest[name] = exchanges
    return longest


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


def is_reached(
    before: Sequence[Exchange], after: Sequence[Exchange], changed: Collection[str]
) -> bool:
    """Whether a change shows in a talk: the bot answers otherwise, or finds something else first.

    Where entries changed and the bot names what it finds, one of them has to be found, before or
    after, in any turn: a model words every answer anew.
    """
    both = [*before, *after]
    named = all(
        isinstance(e.reply, Reply) and e.reply.reports_documents and all(d.id for d in e.documents)
        for e in both
    )
    if changed and named and not any(str(d.id) in changed for e in both for d in e.documents):
        return False
    pairs = zip(before, after, strict=False)
    return len(before) != len(after) or any(_said(a) != _said(b) for a, b in pairs)


def is_found_first(talk: Sequence[Exchange], changed: Collection[str]) -> bool:
    """Whether a changed entry comes first in the answer to the question itself."""
    documents = talk[0].documents if talk else ()
    return bool(documents) and str(documents[0].id) in changed


def near(
    sides: Sequence[LoadedClient], talks: Mapping[str, Sequence[str]], changed: Collection[str]
) -> set[str]:
    """The scenarios in whose utterances a plain search finds a changed entry, before or after.

    It costs no call, and spares asking the bot what is about something else.
    """
    scenarios: set[str] = set()
    for side in sides:
        language = side.client.language
        index = Bm25(side.knowledge.documents() if side.knowledge else (), language)
        for name, utterances in talks.items():
            hits = (index.search(content_tokens(text, language), _LOOKED_AT) for text in utterances)
            if any(str(hit.document.id) in changed for each in hits for hit in each):
                scenarios.add(name)
    return scenarios


def _said(exchange: Exchange) -> tuple[str, tuple[str, ...]]:
    return normal_form(exchange.assistant), tuple(d.id or d.text for d in exchange.documents)


def choose(
    scenarios: Mapping[str, Scenario],
    personas: Sequence[str],
    reached: Collection[str],
    about: Collection[str],
    gate: Gate | None,
    seed: str,
) -> Chosen:
    """All cells of the reached scenarios and of must-pass ones, and a sample of the others."""
    must = {name for name, scenario in scenarios.items() if must_pass(scenario, gate)}
    every = [(name, persona) for name in scenarios for persona in personas]
    wanted = frozenset(cell for cell in every if cell[0] in reached)
    bound = frozenset(cell for cell in every if cell[0] in must) - wanted
    left = sorted(set(every) - wanted - bound)
    drawn = random.Random(seed_of(0, seed)).sample(
        left, min(len(left), max(_AUDITED, math.ceil(_SHARE * len(left))))
    )
    return Chosen(wanted, bound, frozenset(drawn), len(left), frozenset(about))


def turns_of_all(chosen: Chosen, played: Mapping[Name, int]) -> float:
    """How many turns every cell would have; those not played as the others of their kind."""
    turns = 0.0
    for names, count in (
        (chosen.reached, len(chosen.reached)),
        (chosen.bound, len(chosen.bound)),
        (chosen.audited, chosen.others),
    ):
        known = [played[name] for name in names if name in played] or list(played.values())
        turns += count * sum(known) / len(known) if known else 0.0
    return turns


def must_pass(scenario: Scenario, gate: Gate | None) -> bool:
    """Whether the client's gate says that its conversations must pass."""
    named = set(gate.must_pass) if gate else set()
    return scenario.id in named or not named.isdisjoint(scenario.tags)


def narrowed(loaded: LoadedClient, cells: Collection[Name]) -> LoadedClient:
    """The client with just these cells."""
    personas: dict[str, list[str]] = {}
    for name, persona in sorted(cells):
        personas.setdefault(name, []).append(persona)
    kept = {
        name: replace(scenario, personas=tuple(personas[name]))
        for name, scenario in loaded.scenarios.items()
        if name in personas
    }
    return replace(loaded, scenarios=kept)


def scenarios_of(files: Sequence[str], loaded: LoadedClient) -> Mapping[str, Scenario]:
    """The scenarios of further files, beside those of a client.

    Raises:
        InputError: one cannot be read, or an id is there twice.
    """
    entries = loaded.knowledge.documents() if loaded.knowledge else ()
    people = frozenset(loaded.catalog.persona_ids(loaded.client.language))
    known = Known(people, {str(entry.id) for entry in entries} or None)
    scenarios: dict[str, Scenario] = {}
    for file in files:
        read = load_scenarios(Path(loaded.client.folder), known, file=Path(file).absolute())
        twice = sorted((read.keys() & loaded.scenarios.keys()) | (read.keys() & scenarios.keys()))
        if twice:
            raise InputError(f"{file}: the ids {', '.join(twice)} are there already; write others")
        scenarios |= read
    return scenarios
