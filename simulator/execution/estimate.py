"""What a run would cost, before it is started: calls, tokens and money, as bounds and a guess.

The bounds on calls hold for every run that is not stopped and whose bot answers: a user may leave
after the first answer, or speak until `max_turns` and need to be asked twice each time; every
judgement may need one repair. (A bot that fails ends its conversation, and so costs less.)
Tokens are estimated from the texts; see lengths.py.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import asdict, dataclass

from simulator.build.cast import judge_calls
from simulator.core.persona import Language
from simulator.core.plan import Cell, ModelSpec, Plan, Price
from simulator.core.ports import Role
from simulator.execution.lengths import Range, read_in_a_call
from simulator.files.client import LoadedClient

PriceOf = Callable[[ModelSpec], Price | None]

# Tokens per character of running text: lowest, likely, highest of today's tokenisers.
_TOKENS_PER_CHAR: dict[Language, Range] = {"ja": (0.6, 0.8, 1.3), "en": (0.2, 0.25, 0.4)}
# Tokens that a model writes in one call.
_WRITES: dict[Role, Range] = {
    Role.USER: (30, 120, 500),
    Role.JUDGE: (120, 400, 1500),
    Role.TARGET: (20, 200, 1000),
}


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lowest, likely and highest of one figure."""

    lowest: float
    likely: float
    highest: float

    @property
    def ends(self) -> Range:
        """The three figures."""
        return self.lowest, self.likely, self.highest


@dataclass(frozen=True, slots=True)
class RoleEstimate:
    """What one role's model would do. `cost_usd` is None where no price is known."""

    role: Role
    model: str
    calls: Bounds
    input_tokens: Bounds
    output_tokens: Bounds
    cost_usd: Bounds | None


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
        return _sum(known)

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
    calls = _calls(plan, loaded, cells)
    target_calls = _sum(_turns(plan) for _ in cells)
    shown = read_in_a_call(plan, loaded, cells)
    rates = _TOKENS_PER_CHAR[plan.client.language]
    roles = []
    for role, (spec, made) in calls.items():
        reads = _times(made, [c * r for c, r in zip(shown[role], rates, strict=True)])
        writes = _times(made, _WRITES[role])
        cost = _cost(price_of(spec), reads, writes)
        roles.append(RoleEstimate(role, spec.model, made, reads, writes, cost))
    return Estimate(len(cells), target_calls, tuple(roles))


def _turns(plan: Plan) -> Bounds:
    """Of one conversation; `min_turns` keeps nobody from giving up."""
    most = plan.client.max_turns
    return Bounds(1, (plan.client.min_turns + most) / 2, most)


def _calls(
    plan: Plan, loaded: LoadedClient, cells: Sequence[Cell]
) -> dict[Role, tuple[ModelSpec, Bounds]]:
    client, turns = plan.client, _turns(plan)
    found: dict[Role, tuple[ModelSpec, Bounds]] = {}
    if client.user.chat:
        after_the_first = client.max_turns - 1  # the query itself is not asked for
        one = Bounds(
            min(1, after_the_first), min(turns.likely, after_the_first), 2 * after_the_first
        )
        found[Role.USER] = client.user.chat, _sum(one for _ in cells)
    if client.judge:
        per_turn = judge_calls(plan, loaded)
        counts = {s.id: per_turn(s) for s in plan.scenarios.values()}
        each = (counts[cell.scenario] for cell in cells)
        judged = _sum(
            Bounds(n * turns.lowest, n * turns.likely, 2 * n * turns.highest) for n in each
        )
        found[Role.JUDGE] = client.judge.chat, judged
    if plan.target_model:
        found[Role.TARGET] = plan.target_model, _sum(turns for _ in cells)
    return found


def _cost(price: Price | None, reads: Bounds, writes: Bounds) -> Bounds | None:
    if price is None:
        return None
    pairs = zip(reads.ends, writes.ends, strict=True)
    return Bounds(*((i * price.input + o * price.output) / 1e6 for i, o in pairs))


def _times(calls: Bounds, tokens: Sequence[float]) -> Bounds:
    return Bounds(*(round(n * each) for n, each in zip(calls.ends, tokens, strict=True)))


def _sum(parts: Iterable[Bounds]) -> Bounds:
    columns = list(zip(*(part.ends for part in parts), strict=True)) or [(0.0,)] * 3
    return Bounds(*map(sum, columns))
