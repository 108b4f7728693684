"""deepeval: `ConversationSimulator`, and `ConversationalGEval` over what it made."""

import asyncio
import json
import sys

from deepeval.dataset import ConversationalGolden
from deepeval.metrics import ConversationalGEval
from deepeval.models import GPTModel
from deepeval.simulator import ConversationSimulator
from deepeval.test_case import ConversationalTestCase, MultiTurnParams, Turn

from benchmarks.peers import task
from benchmarks.process import Meter


async def answer(input: str, **_: object) -> Turn:  # noqa: A002  its name
    """The bot under test."""
    return Turn(role="assistant", content=await task.bot())


def play(url: str, count: int) -> None:
    """Hold so many conversations and judge them, 50 at once."""
    model = GPTModel(model="gpt-4o-mini", base_url=url, api_key="sk-benchmark")
    simulator = ConversationSimulator(answer, simulator_model=model, max_concurrent=task.AT_ONCE)
    goldens = [
        ConversationalGolden(
            scenario="A customer cannot log in.",
            expected_outcome="The customer can log in again.",
            user_description=task.WHO,
            turns=[Turn(role="user", content=task.QUERY)],
        )
        for _ in range(count)
    ]
    cases = simulator.simulate(goldens, max_user_simulations=task.TURNS)
    asyncio.run(judged(cases, model))


async def judged(cases: list[ConversationalTestCase], model: GPTModel) -> None:
    """Judge what was held."""
    gate = asyncio.Semaphore(task.AT_ONCE)

    async def one(case: ConversationalTestCase) -> None:
        metric = ConversationalGEval(
            name="answers",
            evaluation_steps=[task.CRITERION],
            evaluation_params=[MultiTurnParams.ROLE, MultiTurnParams.CONTENT],
            model=model,
        )
        async with gate:
            await metric.a_measure(case, _show_indicator=False)

    await asyncio.gather(*map(one, cases))


if __name__ == "__main__":
    play(sys.argv[1], 1)
    meter = Meter()
    play(sys.argv[1], int(sys.argv[2]))
    print(json.dumps(meter.figures(int(sys.argv[2]))))
