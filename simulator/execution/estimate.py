"""What a run would cost, before it is started: calls, tokens and money, as bounds and a guess.

The bounds on calls are exact: at least every conversation takes `min_turns` turns, at most
`max_turns`, with every empty message asked for again and every judgement repaired once. Tokens
are estimated from the texts that are known (prompts, guidelines, documents) and from assumed
lengths of those that are not; the assumptions stand below.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from simulator.core.persona import Language
from simulator.core.plan import ModelSpec, Plan, Price
from simulator.core.ports import Knowledge, Role
from simulator.files.client import LoadedClient

# Tokens per character of running text: lowest, likely, highest of today's tokenisers.
_TOKENS_PER_CHAR: dict[Language, tuple[float, float, float]] = {
    "ja": (0.6, 0.8, 1.3),
    "en": (0.2, 0.25, 0.4),
}
# Characters of one answer of the bot, and of one message of a user.
_ANSWER_CHARS: dict[Language, tuple[int, int, int]] = {"ja": (20, 150, 1200), "en": (40, 400, 3000)}
_MESSAGE_CHARS: dict[Language, tuple[int, int, int]] = {"ja": (5, 35, 150), "en": (10, 90, 400)}
# Tokens that a model writes in one call.
_WRITES: dict[Role, tuple[int, int, int]] = {
    Role.USER: (30, 120, 500),
    Role.JUDGE: (120, 400, 1500),
    Role.TARGET: (20, 200, 1000),
}
_TOP_K = 3


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lowest, likely and highest of one figure."""

    lowest: float
    likely: float
    highest: float


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
        return Bounds(
            sum(c.lowest for c in known),
            sum(c.likely for c in known),
            sum(c.highest for c in known),
        )

    def as_json(self) -> dict[str, object]:
        """The estimate as JSON values."""
        return {**asdict(self), "cost_usd": asdict(self.cost_usd) if self.cost_usd else None}


def estimate(
    plan: Plan, loaded: LoadedClient, price_of: Callable[[ModelSpec], Price | None]
) -> Estimate:
    """What a run of this plan would do. Calls nothing."""
    client = plan.client
    cells = plan.conversations()
    low, high = client.min_turns, client.max_turns
    turns = Bounds(cells * low, cells * (low + high) / 2, cells * high)
    texts = _Texts(plan, loaded, loaded.knowledge)
    roles = []
    if client.user.chat:
        calls = Bounds(
            cells * min(low, high - 1),
            cells * min((low + high) / 2, high - 1),
            cells * 2 * (high - 1),
        )
        roles.append(_role(Role.USER, client.user.chat, calls, texts, price_of))
    if client.judge:
        per_turn = client.judge.votes
        if client.judge.calls == "apart":
            per_turn *= len(loaded.rubrics)
        calls = Bounds(
            turns.lowest * per_turn, turns.likely * per_turn, turns.highest * per_turn * 2
        )
        roles.append(_role(Role.JUDGE, client.judge.chat, calls, texts, price_of))
    if plan.demo_model:
        roles.append(_role(Role.TARGET, plan.demo_model, turns, texts, price_of))
    return Estimate(cells, turns, tuple(roles))


class _Texts:
    """How long, in characters, what a role is shown will be: lowest, likely, highest."""

    def __init__(self, plan: Plan, loaded: LoadedClient, knowledge: Knowledge | None) -> None:
        self.language = plan.client.language
        self._turns = plan.client.max_turns
        client = plan.client
        told = sum(map(len, client.guidelines)) + sum(len(str(r)) for r in loaded.rubrics)

        def system(name: str) -> int:
            return len(loaded.shelf.prompt(self.language, name).texts["system"])

        self._constant = {
            Role.USER: system("user") + _mean_scenario(plan),
            Role.JUDGE: system("judge") + told,
            Role.TARGET: system("demo_answer"),
        }
        self._documents = _mean_document(knowledge) * _TOP_K

    def characters(self, role: Role) -> tuple[float, float, float]:
        answers, messages = _ANSWER_CHARS[self.language], _MESSAGE_CHARS[self.language]
        seen_turns = (1.0, (1 + self._turns) / 2, float(self._turns))
        constant = self._constant[role]
        documents = 0.0 if role is Role.USER else self._documents
        lowest, likely, highest = (
            constant + documents + seen_turns[i] * (answers[i] + messages[i]) for i in range(3)
        )
        return lowest, likely, highest


def _role(
    role: Role,
    spec: ModelSpec,
    calls: Bounds,
    texts: _Texts,
    price_of: Callable[[ModelSpec], Price | None],
) -> RoleEstimate:
    rates = _TOKENS_PER_CHAR[texts.language]
    shown = [c * rate for c, rate in zip(texts.characters(role), rates, strict=True)]
    count = (calls.lowest, calls.likely, calls.highest)
    reads = Bounds(*(round(n * s) for n, s in zip(count, shown, strict=True)))
    writes = Bounds(*(round(n * w) for n, w in zip(count, _WRITES[role], strict=True)))
    price = price_of(spec)
    cost = None
    if price:
        cost = Bounds(
            *(
                (i * price.input + o * price.output) / 1e6
                for i, o in zip(asdict(reads).values(), asdict(writes).values(), strict=True)
            )
        )
    return RoleEstimate(role, spec.model, calls, reads, writes, cost)


def _mean_document(knowledge: Knowledge | None) -> float:
    documents = knowledge.documents() if knowledge else ()
    return sum(len(d.text) + len(d.title) for d in documents) / len(documents) if documents else 0.0


def _mean_scenario(plan: Plan) -> float:
    lengths = [len(s.query) + len(s.goal) for s in plan.scenarios.values()]
    return sum(lengths) / len(lengths)
