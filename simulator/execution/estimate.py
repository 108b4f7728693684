"""What a run would cost, before it is started: calls, tokens and money, as bounds and a guess.

The bounds on calls hold for every run that is not stopped and whose bot answers: a user may leave
after the first answer, or speak until `max_turns` and need to be asked twice each time; every
judgement may need one repair. (A bot that fails ends its conversation, and so costs less.)
Tokens are estimated from the texts; see lengths.py.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace

from simulator.core.plan import Cell, ModelSpec, Plan, Price
from simulator.core.ports import Role
from simulator.core.recorded import RecordedTalk
from simulator.core.rubric import Scope
from simulator.core.scenario import Scenario
from simulator.execution.bounds import Bounds, Range, total
from simulator.execution.episodes import Recorded
from simulator.execution.judge_work import JudgeWork
from simulator.execution.lengths import ANSWER, Lists, read_in_a_call
from simulator.execution.request import Start
from simulator.files.client.loading import LoadedClient
from simulator.llm.prices import TOKENS_PER_CHAR
from simulator.metrics._evidence import LONGEST_DOCUMENTS, LONGEST_TALK, LONGEST_TEXT
from simulator.metrics.ada_cosine_similarity import LONGEST

PriceOf = Callable[[ModelSpec], Price | None]

# Tokens that a model writes in one call; the judge's depend on its rubrics.
_WRITES: dict[Role, Range] = {
    Role.USER: (30, 120, 500),
    Role.TARGET: (20, 200, 1000),
}


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

    `parts`: of the judge, each rubric; what they share is in none of them.
    """

    role: Role
    model: str
    calls: Bounds
    input_tokens: Bounds
    output_tokens: Bounds
    cost_usd: Bounds | None
    parts: tuple[PartEstimate, ...] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run would do; `target_calls` are calls to the bot under test."""

    conversations: int
    target_calls: Bounds
    roles: tuple[RoleEstimate, ...]

    @property
    def cost_usd(self) -> Bounds | None:
        """The whole run's money; None where a price is missing."""
        costs = [r.cost_usd for r in self.roles]
        known = [c for c in costs if c is not None]
        if len(known) < len(costs):
            return None
        return total(known)

    def as_json(self) -> dict[str, object]:
        """The estimate as JSON values."""
        return {**asdict(self), "cost_usd": asdict(self.cost_usd) if self.cost_usd else None}


def estimate(
    plan: Plan, loaded: LoadedClient, price_of: PriceOf, complete: Set[str] = frozenset()
) -> Estimate:
    """What a run of this plan would do. Calls nothing.

    `complete` holds the keys of conversations that are not to be held any more; what unfinished
    ones have paid already is not taken off.
    """
    cells = [cell for cell in plan.cells() if cell.key not in complete]
    lists = Lists.of(plan, complete)
    calls = _calls(plan, loaded, cells, lists)
    target_calls = total(_turns(plan) for _ in cells)
    shown = read_in_a_call(plan, loaded, cells)
    rates = TOKENS_PER_CHAR[plan.client.language]
    roles = []
    for role, (spec, made) in calls.items():
        kinds = [_Calls(made, shown[role], _WRITES[role])]
        if role is Role.TARGET and lists:
            kinds.append(_asked_together(plan, loaded, lists))
        reads = total(k.made.times(_product(k.reads, rates)) for k in kinds)
        writes = total(k.made.times(k.writes) for k in kinds)
        cost = money(price_of(spec), reads, writes)
        every = total(k.made for k in kinds)
        roles.append(RoleEstimate(role, spec.model, every, reads, writes, cost))
    if plan.client.judge:
        work = JudgeWork(plan, loaded, cells, _turns(plan))
        roles.append(of_judge(work, plan.client.judge.chat, price_of))
    if vectors := plan.client.embedding:
        roles.append(of_embedding(plan, cells, _turns(plan), vectors, price_of))
    roles.sort(key=lambda role: list(Role).index(role.role))
    return Estimate(len(cells), target_calls, tuple(roles))


def of_embedding(
    plan: Plan, cells: Sequence[Cell], turns: Bounds, spec: ModelSpec, price_of: PriceOf
) -> RoleEstimate:
    """What the embedding model would do; `turns` are those of one conversation."""
    asked, read = embedding_work(plan, cells, turns)
    nothing = Bounds(0, 0, 0)
    usd = money(price_of(spec), read, nothing)
    return RoleEstimate(Role.EMBEDDING, spec.model, asked, read, nothing, usd)


def of_judge(work: JudgeWork, spec: ModelSpec, price_of: PriceOf) -> RoleEstimate:
    """What the judge would do, and what each of its rubrics adds to that."""
    price, whole = price_of(spec), work.whole()
    parts = [(section, work.saved_without(section)) for section in work.sections]
    return RoleEstimate(
        Role.JUDGE,
        spec.model,
        whole.calls,
        whole.reads,
        whole.writes,
        money(price, whole.reads, whole.writes),
        tuple(
            PartEstimate(s.id, s.scope, w.calls, w.reads, w.writes, money(price, w.reads, w.writes))
            for s, w in parts
        ),
    )


@dataclass(frozen=True, slots=True)
class _Calls:
    """Calls that are much alike: the characters that each reads, and the tokens that it writes."""

    made: Bounds
    reads: Range
    writes: Range


def _asked_together(plan: Plan, loaded: LoadedClient, lists: Lists) -> _Calls:
    """The calls that ask a bot of ours many questions at once; each may need one repair."""
    read, answers = lists.mean(plan, loaded)
    low, likely, high = _WRITES[Role.TARGET]
    return _Calls(
        Bounds(lists.lowest, lists.lowest, 2 * lists.needed),
        (read, read, read),
        (answers * low, answers * likely, answers * high),
    )


def _turns(plan: Plan) -> Bounds:
    """Of one conversation; `min_turns` keeps nobody from giving up."""
    most = plan.client.max_turns
    return Bounds(1, (plan.client.min_turns + most) / 2, most)


def _calls(
    plan: Plan, loaded: LoadedClient, cells: Sequence[Cell], lists: Lists
) -> dict[Role, tuple[ModelSpec, Bounds]]:
    client, turns = plan.client, _turns(plan)
    found: dict[Role, tuple[ModelSpec, Bounds]] = {}
    if client.user.chat:
        after_the_first = client.max_turns - 1  # the query itself is not asked for
        one = Bounds(
            min(1, after_the_first), min(turns.likely, after_the_first), 2 * after_the_first
        )
        found[Role.USER] = client.user.chat, total(one for _ in cells)
    if plan.target_model:
        known = 1 if lists.answer_first else 0  # a first question may still be left out
        one = Bounds(turns.lowest - known, turns.likely - known, turns.highest)
        found[Role.TARGET] = plan.target_model, total(one for _ in cells)
    return found


def money(price: Price | None, reads: Bounds, writes: Bounds) -> Bounds | None:
    """What so many tokens cost in USD; None where no price is known."""
    if price is None:
        return None
    pairs = zip(reads.ends, writes.ends, strict=True)
    return Bounds(*((i * price.input + o * price.output) / 1e6 for i, o in pairs))


def _product(amounts: Range, rates: Range) -> list[float]:
    return [a * r for a, r in zip(amounts, rates, strict=True)]


def embedding_work(plan: Plan, cells: Sequence[Cell], turns: Bounds) -> tuple[Bounds, Bounds]:
    """Calls, and the tokens that they read, of these cells; `turns` are those of one conversation.

    A turn with an expected answer takes a call; the expected answer itself is read once a run.
    Lowest: all replies are the same, and each expected answer is met once.
    """
    truths = {c.scenario: plan.scenarios[c.scenario].expected.answer.strip() for c in cells}
    compared = [cell for cell in cells if truths[cell.scenario]]
    distinct = set(filter(None, truths.values()))
    calls = total(turns for _ in compared)
    calls = Bounds(len(distinct), calls.likely, calls.highest)
    known = sum(min(len(truth), LONGEST) for truth in distinct)
    low, likely, high = ANSWER[plan.client.language]
    shown = (low, likely, min(high, LONGEST))
    rates = TOKENS_PER_CHAR[plan.client.language]
    reads = zip(calls.ends, shown, rates, strict=True)
    return calls, Bounds(*(round((n * each + known) * rate) for n, each, rate in reads))


def estimate_recorded(
    start: Start, recorded: Recorded, price_of: PriceOf, complete: Set[str] = frozenset()
) -> Estimate:
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
    plan = replace(start.plan, scenarios=scenarios, personas=personas)
    roles = []
    if cells and (judge := plan.client.judge):
        work = JudgeWork(plan, start.request.loaded, cells, measured.turns, measured.seen)
        roles.append(of_judge(work, judge.chat, price_of))
    if cells and (vectors := plan.client.embedding):
        roles.append(of_embedding(plan, cells, measured.turns, vectors, price_of))
    return Estimate(len(cells), Bounds(0, 0, 0), tuple(roles))


class _Measured:
    """Sums the characters of talks, by the blocks in which a judge sees them."""

    def __init__(self) -> None:
        self._talks = self._turns = self._whole = 0
        self._blocks: Counter[str] = Counter()

    def add(self, talk: RecordedTalk) -> None:
        before = 0
        for exchange in talk.exchanges:
            question, answer = len(exchange.user), len(exchange.assistant)
            found = sum(len(d.text) + len(d.title) for d in exchange.documents)
            self._blocks["question"] += min(question, LONGEST_TEXT)
            self._blocks["answer"] += min(answer, LONGEST_TEXT)
            self._blocks["documents"] += min(found, LONGEST_DOCUMENTS)
            self._blocks["talk"] += min(before, LONGEST_TALK)
            before += question + answer
        self._whole += min(before, LONGEST_TALK)
        self._talks += 1
        self._turns += len(talk.exchanges)

    @property
    def turns(self) -> Bounds:
        """Of one conversation: the mean."""
        mean = self._turns / self._talks
        return Bounds(mean, mean, mean)

    @property
    def seen(self) -> Mapping[Scope, Mapping[str, Range]]:
        """The characters of one call: the mean."""
        turns = max(1, self._turns)
        return {
            "turn": {block: _sure(n / turns) for block, n in self._blocks.items()},
            "talk": {"talk": _sure(self._whole / self._talks)},
        }


def _sure(figure: float) -> Range:
    return figure, figure, figure
