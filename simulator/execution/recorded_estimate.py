"""What judging talks would cost that were held already: their texts are known, and are measured."""

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import replace

from simulator.core.plan import Cell
from simulator.core.recorded import RecordedTalk
from simulator.core.rubric import Scope
from simulator.core.scenario import Scenario
from simulator.execution.bounds import Bounds, Range
from simulator.execution.estimate import Estimate, PriceOf, of_embedding, of_judge
from simulator.execution.judge_work import JudgeWork
from simulator.execution.recorded import Recorded
from simulator.execution.request import Start
from simulator.metrics._evidence import LONGEST_DOCUMENTS, LONGEST_TALK, LONGEST_TEXT


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
