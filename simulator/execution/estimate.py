"""What a run would cost, before it is started: calls, tokens and money, as bounds and a guess.

The bounds on calls hold for every run that is not stopped and whose bot answers: a user may leave
after the first answer, or speak until `max_turns` and need to be asked twice each time; every
judgement may need one repair. (A bot that fails ends its conversation, and so costs less.)
Tokens are estimated from the texts; see lengths.py.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace

from simulator.build.plan import is_scripted
from simulator.core.plan import Cell, ModelSpec, Plan, Price
from simulator.core.ports import Role
from simulator.core.rubric import Scope
from simulator.core.run import RecordedTalk
from simulator.core.scenario import Scenario
from simulator.execution.episodes import Recorded
from simulator.execution.model_use import ANSWER, JudgeWork, QuestionLists, read_in_a_call
from simulator.execution.request import Start
from simulator.files.client.folder import LoadedClient
from simulator.llm.prices import NOTHING, TOKENS_PER_CHAR, Bounds, ModelUse
from simulator.metrics._judge.prompt import LONGEST_DOCUMENTS, LONGEST_TALK, LONGEST_TEXT
from simulator.metrics.ada_cosine_similarity import LONGEST

PriceOf = Callable[[ModelSpec], Price | None]

# Tokens that a model writes in one call; the judge's depend on its rubrics.
_WRITES: Mapping[Role, Bounds] = {
    Role.USER: Bounds(30, 120, 500),
    Role.TARGET: Bounds(20, 200, 1000),
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
class RunEstimate:
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
        return sum(known, NOTHING)

    def as_json(self) -> dict[str, object]:
        """The estimate as JSON values."""
        return {**asdict(self), "cost_usd": asdict(self.cost_usd) if self.cost_usd else None}


def estimate(
    plan: Plan, loaded: LoadedClient, price_of: PriceOf, complete: Set[str] = frozenset()
) -> RunEstimate:
    """What a run of this plan would do. Calls nothing.

    `complete` holds the keys of conversations that are not to be held any more; what unfinished
    ones have paid already is not taken off.
    """
    cells = [cell for cell in plan.cells() if cell.key not in complete]
    lists = QuestionLists.of(plan, complete)
    shown = read_in_a_call(plan, loaded, cells)
    rates = TOKENS_PER_CHAR[plan.client.language]
    roles = []
    for role, (spec, calls) in _calls(plan, cells, lists).items():
        work = ModelUse.of(calls, shown[role] * rates, _WRITES[role])
        if role is Role.TARGET and lists:
            work += _asked_together(plan, loaded, lists)
        roles.append(RoleEstimate(role, spec.model, *work.priced(price_of(spec))))
    turns = _turns(plan, cells)
    roles += _of_judging(plan, loaded, cells, turns, price_of)
    roles.sort(key=lambda role: list(Role).index(role.role))
    return RunEstimate(len(cells), (turns * len(cells)).rounded(), tuple(roles))


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
    roles = _of_judging(plan, loaded, cells, measured.turns, price_of, measured.seen)
    return RunEstimate(len(cells), NOTHING, tuple(roles))


def _of_judging(
    plan: Plan,
    loaded: LoadedClient,
    cells: Sequence[Cell],
    turns: Bounds,
    price_of: PriceOf,
    seen: Mapping[Scope, Mapping[str, Bounds]] | None = None,
) -> Iterator[RoleEstimate]:
    """What the judge and the embedding model would do; `turns` are those of one conversation."""
    if judge := plan.client.judge:
        price = price_of(judge.chat)
        work = JudgeWork(plan, loaded, cells, turns, seen)
        parts = (
            PartEstimate(section.id, section.scope, *work.saved_without(section).priced(price))
            for section in work.sections
        )
        whole = work.whole.priced(price)
        yield RoleEstimate(Role.JUDGE, judge.chat.model, *whole, tuple(parts))
    if spec := plan.client.embedding:
        embedding = _embedding_work(plan, cells, turns).priced(price_of(spec))
        yield RoleEstimate(Role.EMBEDDING, spec.model, *embedding)


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


def _asked_together(plan: Plan, loaded: LoadedClient, lists: QuestionLists) -> ModelUse:
    """The calls that ask a bot of ours many questions at once; each may need one repair."""
    read, answers = lists.mean(plan, loaded)
    return ModelUse.of(
        Bounds(lists.lowest, lists.lowest, 2 * lists.needed),
        Bounds.sure(read) * TOKENS_PER_CHAR[plan.client.language],
        Bounds.sure(answers) * _WRITES[Role.TARGET],
    )


def _turns(plan: Plan, cells: Sequence[Cell]) -> Bounds:
    """Of one conversation: the mean; `min_turns` keeps nobody from giving up.

    A script has so many turns and no others.
    """
    most = plan.client.max_turns
    if is_scripted(plan.client.user.kind or "") and cells:
        lengths = [1 + len(plan.scenarios[cell.scenario].turns) for cell in cells]
        return Bounds.sure(sum(min(most, length) for length in lengths) / len(cells))
    return Bounds(1, (plan.client.min_turns + most) / 2, most)


def _calls(
    plan: Plan, cells: Sequence[Cell], lists: QuestionLists
) -> dict[Role, tuple[ModelSpec, Bounds]]:
    client, turns = plan.client, _turns(plan, cells)
    found: dict[Role, tuple[ModelSpec, Bounds]] = {}
    if client.user.chat:
        after_the_first = client.max_turns - 1  # the query itself is not asked for
        one = Bounds(
            min(1, after_the_first), min(turns.likely, after_the_first), 2 * after_the_first
        )
        found[Role.USER] = client.user.chat, sum((one for _ in cells), NOTHING)
    if plan.target_model:
        known = 1 if lists.answer_first else 0  # a first question may still be left out
        one = Bounds(turns.lowest - known, turns.likely - known, turns.highest)
        found[Role.TARGET] = plan.target_model, sum((one for _ in cells), NOTHING)
    return found


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
        return Bounds.sure(self._turns / self._talks)

    @property
    def seen(self) -> Mapping[Scope, Mapping[str, Bounds]]:
        """The characters of one call: the mean."""
        turns = max(1, self._turns)
        return {
            "turn": {block: Bounds.sure(n / turns) for block, n in self._blocks.items()},
            "talk": {"talk": Bounds.sure(self._whole / self._talks)},
        }
