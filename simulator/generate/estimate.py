"""What a session would cost, before it is started: calls, tokens and money.

The bounds on calls hold for every session that is not stopped: at least one attempt at each unit
with one check (or none, where an answer holds nothing), at most all attempts, and every check
asked twice for its form. The likely figure takes one question in five for faulty.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from simulator.core.persona import Language
from simulator.core.plan import Price
from simulator.generate.attempts import Progress
from simulator.generate.conversation import Writer
from simulator.generate.duplicates import BATCH
from simulator.generate.forms import Candidate, check_form, draft_form
from simulator.generate.planning import Plan
from simulator.generate.units import Method
from simulator.llm.prices import TOKENS_PER_CHAR
from simulator.llm.structured import form_of

Three = tuple[float, float, float]

_NONE: Three = (0, 0, 0)
_FAULTY = 0.2  # of the questions; each fault costs another attempt at its unit
_ASKED: Three = (30, 60, 150)  # tokens of one question with its elements
_VERDICT: Three = (25, 60, 200)  # tokens of one verdict with its reason
_QUESTION = {"ja": "パスワードを忘れて入れません", "en": "forgot my password, cannot log in"}


@dataclass(frozen=True, slots=True)
class Estimate:
    """Lowest, likely and highest of each figure. `cost_usd` None: no price is known.

    `embedding_calls` are those of the embedding model; what it reads is in `embedding_tokens`.
    """

    units: int
    questions: int
    calls: Three
    input_tokens: Three
    output_tokens: Three
    cost_usd: Three | None
    embedding_calls: Three = _NONE
    embedding_tokens: Three = _NONE

    def as_json(self) -> dict[str, object]:
        """The estimate as JSON values."""
        names = ("lowest", "likely", "highest")
        return {
            name: dict(zip(names, value, strict=True)) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


def estimate(plan: Plan, price: Price | None, embedding_price: Price | None = None) -> Estimate:
    """What a session of this plan would do. Calls nothing.

    What a killed session has paid already is not taken off.
    """
    open_ = plan.open
    asking = [p for p in open_ if p.unit.method is not Method.TITLE and not p.unit.lacks]
    calls, reads, writes = _sums(plan, asking)
    rates = TOKENS_PER_CHAR[plan.request.client.language]
    read = _times(reads, rates)
    found = Estimate(
        units=len(open_),
        questions=sum(len(p.open) for p in open_),
        calls=_rounded(calls),
        input_tokens=_rounded(read),
        output_tokens=_rounded(writes),
        cost_usd=_cost(price, read, writes) if asking else _NONE,
    )
    if not asking or plan.request.client.embedding is None:
        return found
    return _with_embedding(plan, found, embedding_price)


def _with_embedding(plan: Plan, found: Estimate, price: Price | None) -> Estimate:
    """Each attempt embeds its questions, and at the start all are embedded that are there."""
    there, most = len(plan.existing.scenarios), plan.request.retries + 1
    batches = -(-there // BATCH)
    language = plan.request.client.language
    each = len(_QUESTION[language])
    questions = (there, there + found.questions, there + most * found.questions)
    read = _times(_times(questions, (each,) * 3), TOKENS_PER_CHAR[language])
    cost = _cost(price, read, _NONE)
    whole = _plus(found.cost_usd, cost) if found.cost_usd and cost else None
    return replace(
        found,
        embedding_calls=(batches, batches + found.units, batches + most * found.units),
        embedding_tokens=_rounded(read),
        cost_usd=whole,
    )


def estimate_checks(
    groups: Sequence[tuple[Language, int, int]], checks: int, price: Price | None
) -> Estimate:
    """What it takes to check groups of questions: (language, characters read, questions) each.

    Each check may be asked for twice, because of its form.
    """
    read = written = (0.0, 0.0, 0.0)
    for language, characters, count in groups:
        one = _times((characters,) * 3, TOKENS_PER_CHAR[language])
        read = _plus(read, _times(one, (checks, checks, 2 * checks)))
        said = _times(_VERDICT, (checks, checks, 2 * checks))
        written = _plus(written, _times(said, (count,) * 3))
    calls = checks * len(groups)
    return Estimate(
        units=len(groups),
        questions=sum(count for _, _, count in groups),
        calls=(calls, calls, 2 * calls),
        input_tokens=_rounded(read),
        output_tokens=_rounded(written),
        cost_usd=_cost(price, read, written),
    )


def _sums(plan: Plan, units: Sequence[Progress]) -> tuple[Three, Three, Three]:
    """Calls, characters read and tokens written, over all units."""
    writer = Writer(plan.prompts, plan.near, plan.request.session)
    checks, most = plan.request.checks, plan.request.retries + 1
    calls = reads = writes = (0.0, 0.0, 0.0)
    for progress in units:
        asks, checked = _characters(plan, writer, progress)
        wanted = len(progress.open)
        likely = min(most, 1 + _FAULTY * wanted * (most > 1))
        calls = _plus(calls, (1, likely * (1 + checks), most * (1 + 2 * checks)))
        one = asks + checks * checked
        reads = _plus(reads, (asks, likely * one, most * (asks + 2 * checks * checked) * most))
        likely_said = _ASKED[1] + checks * _VERDICT[1]
        most_said = _ASKED[2] + 2 * checks * _VERDICT[2]
        writes = _plus(
            writes, (_ASKED[0], likely * wanted * likely_said, most * wanted * most_said)
        )
    return calls, reads, writes


def _characters(plan: Plan, writer: Writer, progress: Progress) -> tuple[float, float]:
    """The characters that a first attempt at a unit reads, and those of one check of it."""
    unit, form = progress.unit, plan.prompts.form
    opening = writer.opening(unit, len(progress.open), progress.have)
    question = _QUESTION[plan.request.client.language]
    told = writer.check(unit, [Candidate(question)] * len(progress.open))
    asks = sum(len(m.content) for m in opening.messages)
    schema = len(form_of(draft_form(unit.method), form).instructions)
    verdicts = len(form_of(check_form(unit.method), form).instructions)
    answer = (len(question) + 60) * len(progress.open)
    return asks + schema, asks + answer + len(told) + verdicts


def _plus(one: Three, other: Sequence[float]) -> Three:
    low, likely, high = (a + b for a, b in zip(one, other, strict=True))
    return low, likely, high


def _times(one: Three, other: Three) -> Three:
    low, likely, high = (a * b for a, b in zip(one, other, strict=True))
    return low, likely, high


def _rounded(one: Three) -> Three:
    low, likely, high = (round(x) for x in one)
    return low, likely, high


def _cost(price: Price | None, reads: Three, writes: Three) -> Three | None:
    if price is None:
        return None
    pairs = zip(reads, writes, strict=True)
    low, likely, high = ((i * price.input + o * price.output) / 1e6 for i, o in pairs)
    return low, likely, high
