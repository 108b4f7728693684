"""What the embedding model would do in a run."""

from collections.abc import Sequence

from simulator.core.plan import Cell, Plan
from simulator.execution.bounds import Bounds, total
from simulator.execution.lengths import ANSWER
from simulator.llm.prices import TOKENS_PER_CHAR
from simulator.metrics.ada_cosine_similarity import LONGEST


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
