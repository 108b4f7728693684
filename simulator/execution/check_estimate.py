"""What trying the judge would cost: every request is made up as it would be sent, and none is."""

import json
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from simulator.build.cast import judge_asking, judged
from simulator.core.errors import InputError, ModelError, ModelFault
from simulator.core.ports import CallId, CallRecord, Completion, Form, Message
from simulator.core.recorded import RecordedTalk
from simulator.execution.bounds import Bounds
from simulator.execution.episodes import judge_talk
from simulator.execution.estimate import PriceOf, money
from simulator.execution.judge_check import Check
from simulator.execution.request import Start
from simulator.llm.prices import TOKENS_PER_CHAR
from simulator.metrics.rubrics import Rubrics


@dataclass(frozen=True, slots=True)
class CheckEstimate:
    """What a check would do. `cost_usd` is None where no price is known."""

    client: str
    model: str
    mutations: int
    answers: int
    calls: Bounds
    input_tokens: Bounds
    output_tokens: Bounds
    cost_usd: Bounds | None


async def estimate_check(
    check: Check, price_of: PriceOf, complete: Set[str] = frozenset()
) -> CheckEstimate:
    """What a check would do, bounds and a guess. Calls nothing.

    The lowest number of calls is what it takes when every answer of the judge has the right form;
    the highest, when each has to be asked for once more.

    Args:
        check: The check.
        price_of: The prices that are known.
        complete: The keys of answers that are judged already.

    Raises:
        InputError: an option or a file is wrong.
    """
    start = Start.of(check.request)
    plan, loaded = start.plan, start.request.loaded
    if plan.client.judge is None:
        raise InputError("no judge is named; name one with --judge-model M")
    meter = _Meter()
    judge = judge_asking(meter, plan, loaded, secret="")
    rubrics = judged(plan, loaded)
    written = [0.0, 0.0, 0.0]
    talks = [talk for talk in check.talks() if talk.cell.key not in complete]
    for talk in talks:
        await judge_talk(talk, judge, plan.client, meter)
        for end, tokens in enumerate(_writes(rubrics, talk)):
            written[end] += tokens * plan.client.judge.votes
    low, likely, high = TOKENS_PER_CHAR[plan.client.language]
    writes = Bounds(round(written[0]), round(written[1]), round(2 * written[2]))
    # A repair reads everything again, and what was wrong the first time.
    read = meter.characters
    again = 2 * read * high + written[2]
    reads = Bounds(round(read * low), round(read * likely), round(again))
    spec = plan.client.judge.chat
    return CheckEstimate(
        client=plan.client.name,
        model=spec.model,
        mutations=len(check.mutations),
        answers=len(talks),
        calls=Bounds(meter.calls, meter.calls, 2 * meter.calls),
        input_tokens=reads,
        output_tokens=writes,
        cost_usd=money(price_of(spec), reads, writes),
    )


def _writes(rubrics: Rubrics, talk: RecordedTalk) -> list[float]:
    """The tokens of the judge's answer: lowest, likely, highest."""
    documents = talk.exchanges[-1].documents != ()
    asked = [
        section.writes(talk.scenario)
        for section in rubrics.sections
        if section.scope == "turn" and not section.why_not(talk.scenario, documents=documents)
    ]
    return [sum(tokens[end] for tokens in asked) for end in range(3)]


@dataclass(slots=True)
class _Meter:
    """A chat that measures what it is asked and answers nothing; and an observer of that."""

    calls: int = 0
    characters: int = 0
    _forms: dict[str, int] = field(default_factory=dict)

    async def complete(
        self,
        call: CallId,
        messages: Sequence[Message],
        *,
        form: Form | None = None,
        fence: str = "",
    ) -> Completion:
        self.calls += 1
        self.characters += sum(len(message.content) for message in messages)
        if form is not None:  # providers charge for the schema of an answer as for text
            self.characters += len(json.dumps(form.schema, ensure_ascii=False))
        raise ModelError(ModelFault.REJECTED, "nothing is called in a dry run")

    def call_made(self, record: CallRecord) -> None: ...

    def turn_scored(self, episode: str, score: float | None, *, flagged: bool) -> None: ...

    def episode_ended(self, episode: str, stop: str) -> None: ...
