"""What a session would cost, before it is started: calls, tokens and money.

The bounds on calls hold for every session that is not stopped: at least one attempt at each unit
with one check (or none, where an answer holds nothing), at most all attempts, and every check
asked twice for its form. The likely figure takes one question in five for faulty.
"""

from dataclasses import asdict, dataclass

from simulator.core.plan import Price
from simulator.generate.attempts import Progress
from simulator.generate.conversation import TaskWriter
from simulator.generate.forms import Candidate, check_form, draft_form
from simulator.generate.planning import SessionPlan
from simulator.llm.prices import NOTHING, TOKENS_PER_CHAR, Bounds, ModelUse, money
from simulator.llm.structured import form_of

_FAULTY = 0.2  # of the questions; each fault costs another attempt at its unit
_ASKED = Bounds(60, 200, 600)  # tokens of one question with its facts
_FACTS = 400  # characters of the facts of one question
_VERDICT = Bounds(25, 60, 200)  # tokens of one verdict with its reason
_QUESTION = {"ja": "パスワードを忘れて入れません", "en": "forgot my password, cannot log in"}


@dataclass(frozen=True, slots=True)
class SessionEstimate:
    """What a session would do. `cost_usd` None: no price is known."""

    units: int
    questions: int
    calls: Bounds
    input_tokens: Bounds
    output_tokens: Bounds
    cost_usd: Bounds | None

    def as_json(self) -> dict[str, object]:
        """The estimate as JSON values."""
        return asdict(self)


def estimate_session(plan: SessionPlan, price: Price | None) -> SessionEstimate:
    """What a session of this plan would do. Calls nothing.

    What a killed session has paid already is not taken off.
    """
    asking = [p for p in plan.open if plan.request.asks(p.unit)]
    work = sum((_work(plan, progress) for progress in asking), ModelUse())
    read = work.reads * TOKENS_PER_CHAR[plan.request.client.language]
    return SessionEstimate(
        units=len(plan.open),
        questions=sum(len(p.open) for p in plan.open),
        calls=work.calls.rounded(),
        input_tokens=read.rounded(),
        output_tokens=work.writes.rounded(),
        cost_usd=money(price, read, work.writes) if asking else NOTHING,
    )


def _work(plan: SessionPlan, progress: Progress) -> ModelUse:
    """The calls about one unit, the characters that they read and the tokens that they write."""
    unit, checks, most = progress.unit, plan.request.checks, plan.request.retries + 1
    asks, checked = _characters(plan, progress)
    wanted, confirming = len(progress.open), ModelUse()
    if unit.confirms:
        once = Bounds(1, 1, 2) * checks
        confirming = ModelUse(once, once * checked, _VERDICT * once)
    if unit.question:
        checks = 0
    likely = min(most, 1 + _FAULTY * wanted * (most > 1))
    attempts = Bounds(0 if unit.confirms else 1, likely, most)
    reads = Bounds(asks, asks + checks * checked, (asks + 2 * checks * checked) * most)
    writes = _ASKED * Bounds(1, wanted, wanted) + _VERDICT * checks * Bounds(0, wanted, 2 * wanted)
    calls = attempts * Bounds(1, 1 + checks, 1 + 2 * checks)
    return confirming + ModelUse(calls, attempts * reads, attempts * writes)


def _characters(plan: SessionPlan, progress: Progress) -> tuple[float, float]:
    """The characters that a first attempt at a unit reads, and those of one check of it."""
    unit, form = progress.unit, plan.prompts.form
    writer = TaskWriter(plan.prompts, plan.near, plan.request.session)
    opening = writer.opening(unit, len(progress.open), progress.have)
    question = _QUESTION[plan.request.client.language]
    check = writer.check(unit.to_check, [Candidate(question)] * len(progress.open))
    asks = sum(len(m.content) for m in opening.messages)
    schema = len(form_of(draft_form(unit.method), form).instructions)
    verdicts = len(form_of(check_form(unit.to_check.method), form).instructions)
    answer = (len(question) + _FACTS) * len(progress.open)
    return asks + schema, asks + answer + len(check) + verdicts
