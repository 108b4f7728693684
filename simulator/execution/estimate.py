"""What a run would cost, before it is started: calls, tokens and money, as bounds and a guess.

The bounds on calls hold for every run that is not stopped and whose bot answers: a user may leave
after the first answer, or speak until `max_turns`, need to be asked twice each time and turn out
unsound, so that the talk is held again; every judgement may need one repair. (A bot that fails ends
its conversation, and so costs less.) What is likely is what an earlier run used that was played and
judged in the same way; where there is none it is assumed, and tokens are estimated from the texts;
see model_use.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Self

from simulator.core.claim import claims_of
from simulator.core.health import Scope
from simulator.core.plan import Cell, ModelSpec, Plan, Price
from simulator.core.ports import Role
from simulator.core.run import RecordedTalk, RunHeader
from simulator.core.scenario import Scenario
from simulator.execution.episodes import Recorded
from simulator.execution.model_use import (
    ANSWER,
    MESSAGE,
    JudgeWork,
    QuestionLists,
    UserPrompts,
    read_by_target,
    seen_by_judge,
)
from simulator.execution.plan import is_scripted
from simulator.execution.request import Start
from simulator.files.client.folder import LoadedClient
from simulator.llm.prices import NOTHING, TOKENS_PER_CHAR, Bounds, ModelUse
from simulator.metrics._judge.prompt import LONGEST_DOCUMENTS, LONGEST_TALK, LONGEST_TEXT
from simulator.metrics.ada_cosine_similarity import LONGEST
from simulator.store.store import Store
from simulator.view.run_json import CallFigures, call_figures

PriceOf = Callable[[ModelSpec], Price | None]

# After so many of the answers a user goes on, where a model plays it and where rules do (measured
# on both demos); nobody knows what a bot of your own makes them do.
_GOES_ON = {True: 0.62, False: 0.4}
_LEFT_OPEN = 0.8  # of the claims, by words: free prose
_FEWEST = 5  # conversations that tell something of others
# What of a run's snapshot says how it is played and judged, and so what a conversation uses.
_MANNER = (
    *("client.user.", "client.judge", "client.embedding", "client.metrics", "target_model"),
    *("client.max_turns", "client.min_turns", "client.target.kind"),
)

# Tokens that a model writes in one call; the judge's depend on its rubrics.
_USER_WRITES, _TARGET_WRITES = Bounds(30, 80, 500), Bounds(20, 120, 1000)


@dataclass(frozen=True, slots=True)
class PartEstimate:
    """What leaving out one of the judge's rubrics would save; see judge_work.py."""

    name: str
    scope: Scope
    calls: Bounds
    input_tokens: Bounds
    output_tokens: Bounds
    cost_usd: Bounds | None


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """What one role's model would do. `cost_usd` is None where no price is known.

    `parts`: of the judge, each rubric; what they share is in none of them. `head`: the share (0-1)
    of what is likely read that is the same at the beginning of each call, so that a provider may
    cache it; None where nothing is known of that.
    """

    role: Role
    model: str
    calls: Bounds
    input_tokens: Bounds
    output_tokens: Bounds
    cost_usd: Bounds | None
    parts: tuple[PartEstimate, ...] = ()
    head: float | None = None


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What a run would do; `target_calls` are calls to the bot under test.

    `by_run`: the run that tells what is likely; None where that is assumed.
    """

    conversations: int
    target_calls: Bounds
    roles: tuple[RoleEstimate, ...]
    by_run: str | None = None

    @property
    def cost_usd(self) -> Bounds | None:
        """The whole run's money; None where a price is missing."""
        costs = [r.cost_usd for r in self.roles]
        known = [c for c in costs if c is not None]
        if len(known) < len(costs):
            return None
        return sum(known, NOTHING)


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier run used: sums over its complete conversations, by role and model.

    The bot itself has no model: its name is empty.
    """

    run: str
    conversations: int
    figures: Sequence[CallFigures]

    @classmethod
    def of(cls, store: Store, header: RunHeader) -> Self | None:
        """The newest run of this client that was played and judged as this one will be."""
        for row in store.runs():
            if (row.client, row.kind) != (header.client, header.kind):
                continue
            complete = set(store.keys(row.id))
            if len(complete) < _FEWEST or _manner(store.header(row.id)) != _manner(header):
                continue
            calls = (call for call in store.calls(row.id) if call.call.episode in complete)
            return cls(row.id, len(complete), call_figures(calls))
        return None

    def use(self, role: Role, model: str, guess: ModelUse, conversations: int) -> ModelUse:
        """The guess for so many conversations, with what is likely taken from this run."""
        figures = [f for f in self.figures if (f.role, f.model) == (role, model)]
        calls = sum(f.calls for f in figures)
        if not calls:
            return guess
        share = conversations / self.conversations
        likely = min(max(share * calls, guess.calls.lowest), guess.calls.highest)
        each = likely / calls
        return ModelUse(
            replace(guess.calls, likely=round(likely)),
            guess.reads.with_likely(round(each * sum(f.input_tokens for f in figures))),
            guess.writes.with_likely(round(each * sum(f.output_tokens for f in figures))),
            each * sum(f.cached_tokens for f in figures),
        )


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of so many conversations before they are held."""

    price_of: PriceOf
    conversations: int
    earlier: Earlier | None = None

    def use(self, role: Role, model: str, guess: ModelUse) -> ModelUse:
        """The guess, with what is likely taken from an earlier run where there is one."""
        if self.earlier is None:
            return guess
        return self.earlier.use(role, model, guess, self.conversations)

    def role(
        self,
        role: Role,
        spec: ModelSpec,
        guess: ModelUse,
        parts: tuple[PartEstimate, ...] = (),
        head: float | None = None,
    ) -> RoleEstimate:
        """What a role's model would do, by this guess."""
        priced = self.use(role, spec.model, guess).priced(self.price_of(spec))
        return RoleEstimate(role, spec.model, *priced, parts, head)


def _manner(header: RunHeader) -> Mapping[str, object]:
    return {key: value for key, value in header.snapshot.items() if key.startswith(_MANNER)}


def estimate(
    plan: Plan,
    loaded: LoadedClient,
    price_of: PriceOf,
    complete: Set[str] = frozenset(),
    earlier: Earlier | None = None,
) -> RunEstimate:
    """What a run of this plan would do. Calls nothing.

    `complete` holds the keys of conversations that are not to be held any more; what unfinished
    ones have paid already is not taken off.
    """
    cells = [cell for cell in plan.cells() if cell.key not in complete]
    talks = _Talks.of(plan, cells)
    known = _Known(price_of, len(cells), earlier)
    seen = seen_by_judge(plan, loaded, talks.turns, talks.shown[Role.JUDGE])
    roles = [
        *_of_talking(plan, loaded, cells, talks, known, QuestionLists.of(plan, complete)),
        *_of_judging(plan, loaded, cells, talks, known, seen),
    ]
    roles.sort(key=lambda role: list(Role).index(role.role))
    answers = known.use(Role.TARGET, "", ModelUse((talks.answers * len(cells)).rounded())).calls
    return RunEstimate(len(cells), answers, tuple(roles), earlier.run if earlier else None)


def estimate_recorded(
    start: Start, recorded: Recorded, price_of: PriceOf, complete: Set[str] = frozenset()
) -> RunEstimate:
    """What judging these talks would do. Calls nothing; no bot and no user takes part.

    The calls are those of judgements that each need no repair, and one, at most. `complete` holds
    the keys of conversations that are judged already.
    """
    cells: list[Cell] = []
    scenarios: dict[str, Scenario] = {}
    personas = {}
    measured = _Measured()
    for talk in recorded.talks():
        if talk.cell.key not in complete:
            cells.append(talk.cell)
            scenarios[talk.scenario.id] = talk.scenario
            personas[talk.cell.persona] = talk.persona
            measured.add(talk)
    if not cells:
        return RunEstimate(0, NOTHING, ())
    plan, loaded = replace(start.plan, scenarios=scenarios, personas=personas), start.request.loaded
    known = _Known(price_of, len(cells))
    roles = _of_judging(plan, loaded, cells, measured.talks, known, measured.seen)
    return RunEstimate(len(cells), NOTHING, tuple(roles))


@dataclass(frozen=True, slots=True)
class _Talks:
    """Of one conversation on average: turns of a take, what its user makes up, and takes.

    A script has so many turns and no others, and nobody holds it again. `min_turns` keep nobody
    from giving up. `shown`: the exchanges that one call holds.
    """

    turns: Bounds
    made_up: Bounds = NOTHING
    takes: Bounds = field(default_factory=lambda: Bounds.sure(1))
    shown: Mapping[Role, float] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, cells: Sequence[Cell]) -> Self:
        client = plan.client
        most = client.max_turns
        if is_scripted(client.user.kind or "") and cells:
            lengths = [min(most, 1 + len(plan.scenarios[cell.scenario].turns)) for cell in cells]
            reached = [sum(n >= turn for n in lengths) / len(cells) for turn in range(1, most + 1)]
            return cls(Bounds.sure(sum(lengths) / len(cells)), shown=_shown(reached))
        goes_on = _GOES_ON[client.user.chat is not None]
        reached = [goes_on ** max(0, turn - client.min_turns) for turn in range(1, most + 1)]
        return cls(
            Bounds(1, sum(reached), most),
            # Each may be asked for twice.
            Bounds(min(1, most - 1), sum(reached[:-1]), 2 * (most - 1)),
            Bounds(1, 1, 2 if most > 1 else 1),
            _shown(reached),
        )

    @property
    def answers(self) -> Bounds:
        """How often the bot is asked, and each answer is judged."""
        return self.turns * self.takes


def _shown(reached: Sequence[float]) -> Mapping[Role, float]:
    """How many exchanges were there before, where turn by turn this share of talks is `reached`."""
    before = sum(n * share for n, share in enumerate(reached)) / sum(reached)
    messages = sum(reached[:-1]) or 1.0
    seen = sum(n * share for n, share in enumerate(reached[:-1], 1)) / messages
    return {Role.USER: seen, Role.TARGET: before, Role.JUDGE: before}


def _of_talking(
    plan: Plan,
    loaded: LoadedClient,
    cells: Sequence[Cell],
    talks: _Talks,
    known: _Known,
    lists: QuestionLists,
) -> Iterator[RoleEstimate]:
    """What the models of users and of a bot of ours would do."""
    client, rates = plan.client, TOKENS_PER_CHAR[plan.client.language]
    message = MESSAGE[client.language]
    exchange, takes = ANSWER[client.language] + message, talks.takes * len(cells)
    if spec := client.user.chat:
        prompts = UserPrompts.of(plan, loaded, cells)
        shown = exchange * Bounds(1, talks.shown[Role.USER], client.max_turns)
        read = Bounds.sure(prompts.mean) + shown
        work = ModelUse.of((talks.made_up * takes).rounded(), read * rates, _USER_WRITES)
        yield known.role(Role.USER, spec, work, head=_share(prompts.head, read.likely))
    if spec := plan.target_model:
        first = 1 if lists.answer_first else 0  # a first question may still be left out
        calls = ((talks.turns - Bounds(first, first, 0)) * takes).rounded()
        shown = exchange * Bounds(0, talks.shown[Role.TARGET], client.max_turns)
        read = read_by_target(plan, loaded) + message + shown
        work = ModelUse.of(calls, read * rates, _TARGET_WRITES)
        work += lists.work(plan, loaded, _TARGET_WRITES)
        yield known.role(Role.TARGET, spec, work)


def _of_judging(
    plan: Plan,
    loaded: LoadedClient,
    cells: Sequence[Cell],
    talks: _Talks,
    known: _Known,
    seen: Mapping[Scope, Mapping[str, Bounds]],
) -> Iterator[RoleEstimate]:
    """What the judge, the reader and the embedding model would do."""
    if judge := plan.client.judge:
        work = JudgeWork(plan, loaded, cells, talks.turns, talks.takes, seen)
        whole = known.use(Role.JUDGE, judge.chat.model, work.whole)
        parts = (
            PartEstimate(
                section.id,
                section.scope,
                *work.saved_without(section)
                .as_likely(whole, work.whole)
                .priced(known.price_of(judge.chat)),
            )
            for section in work.sections
        )
        head = _share(work.head, work.whole.reads.likely)
        yield known.role(Role.JUDGE, judge.chat, work.whole, tuple(parts), head)
    if spec := plan.client.reader:
        guess = _reader_work(plan, loaded, cells, talks.answers)
        yield known.role(Role.READER, spec, guess)
    if spec := plan.client.embedding:
        yield known.role(Role.EMBEDDING, spec, _embedding_work(plan, cells, talks.answers))


def _reader_work(
    plan: Plan, loaded: LoadedClient, cells: Sequence[Cell], turns: Bounds
) -> ModelUse:
    """A call for each claim with a wording that words leave unknown: none, most, or all of them."""
    language = plan.client.language
    prompt = loaded.catalog.prompt(language, "reader")
    exchange = ANSWER[language] + MESSAGE[language]
    calls, reads = NOTHING, NOTHING
    for cell in cells:
        wordings = [c.text for c in claims_of(plan.scenarios[cell.scenario].expected) if c.text]
        here = turns * Bounds(0, _LEFT_OPEN, 1) * Bounds.sure(len(wordings))
        written = sum(map(len, prompt.texts.values())) + max(map(len, wordings), default=0)
        calls, reads = calls + here, reads + here * (exchange + Bounds.sure(written))
    tokens = (reads * TOKENS_PER_CHAR[language]).rounded()
    return ModelUse(calls.rounded(), tokens, (calls * Bounds(1, 2, 10)).rounded())


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 3) if whole else None


def _embedding_work(plan: Plan, cells: Sequence[Cell], turns: Bounds) -> ModelUse:
    """A turn with an expected answer takes a call; the expected answer itself is read once a run.

    Lowest: all replies are the same, and each expected answer is met once.
    """
    answers = {c.scenario: plan.scenarios[c.scenario].expected.answers for c in cells}
    truths = {name: set(filter(None, map(str.strip, some))) for name, some in answers.items()}
    distinct = set().union(*truths.values())
    calls = sum((turns for cell in cells if truths[cell.scenario]), NOTHING)
    calls = replace(calls, lowest=len(distinct))
    known = Bounds.sure(sum(min(len(truth), LONGEST) for truth in distinct))
    shown = ANSWER[plan.client.language]
    shown = replace(shown, highest=min(shown.highest, LONGEST))
    reads = (calls * shown + known) * TOKENS_PER_CHAR[plan.client.language]
    return ModelUse(calls, reads.rounded(), NOTHING)


class _Measured:
    """Sums the characters of talks, by the blocks in which a judge sees them."""

    def __init__(self) -> None:
        self._talks = self._turns = self._whole = 0
        self._blocks: Counter[str] = Counter()

    def add(self, talk: RecordedTalk) -> None:
        before = 0
        for exchange in talk.exchanges:
            question, answer = len(exchange.user), len(exchange.assistant)
            documents = sum(len(d.text) + len(d.title) for d in exchange.documents)
            self._blocks["question"] += min(question, LONGEST_TEXT)
            self._blocks["answer"] += min(answer, LONGEST_TEXT)
            self._blocks["documents"] += min(documents, LONGEST_DOCUMENTS)
            self._blocks["talk"] += min(before, LONGEST_TALK)
            before += question + answer
        self._whole += min(before, LONGEST_TALK)
        self._talks += 1
        self._turns += len(talk.exchanges)

    @property
    def talks(self) -> _Talks:
        """One conversation: the mean."""
        return _Talks(Bounds.sure(self._turns / self._talks))

    @property
    def seen(self) -> Mapping[Scope, Mapping[str, Bounds]]:
        """The characters of one call: the mean."""
        turns = max(1, self._turns)
        return {
            "turn": {block: Bounds.sure(n / turns) for block, n in self._blocks.items()},
            "talk": {"talk": Bounds.sure(self._whole / self._talks)},
        }
