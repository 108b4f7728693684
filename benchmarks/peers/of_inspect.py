"""inspect_ai: a task whose solver plays the user (it has none), and `model_graded_qa`."""

import json
import sys

from inspect_ai import Task, eval  # noqa: A004  its name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    get_model,
)
from inspect_ai.scorer import model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, solver

from benchmarks.peers import task
from benchmarks.process import Meter


@solver
def talked(model: Model) -> Solver:
    """A talk of three turns: the bot's answers, and a model that plays the user between them."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        flipped: list[ChatMessageSystem | ChatMessageUser | ChatMessageAssistant] = [
            ChatMessageSystem(content=task.WHO),
            ChatMessageAssistant(content=task.QUERY),
        ]
        for turn in range(task.TURNS):
            if turn:
                said = (await model.generate(flipped)).completion
                flipped.append(ChatMessageAssistant(content=said))
                state.messages.append(ChatMessageUser(content=said))
            answer = await task.bot()
            flipped.append(ChatMessageUser(content=answer))
            state.messages.append(ChatMessageAssistant(content=answer))
        state.output.completion = answer
        return state

    return solve


def play(url: str, count: int, folder: str) -> None:
    """Hold and judge so many conversations, 50 at once."""
    own = {"base_url": url, "api_key": "sk-benchmark", "responses_api": False}
    model = get_model("openai/mock", **own)
    samples = [Sample(input=task.QUERY, target=task.CRITERION) for _ in range(count)]
    judged = model_graded_qa(model=model, include_history=True)
    job = Task(dataset=MemoryDataset(samples), solver=talked(model), scorer=judged)
    at_once = {"max_samples": task.AT_ONCE, "max_connections": task.AT_ONCE}
    [log] = eval(job, model=model, log_dir=f"{folder}/logs", display="none", **at_once)
    assert log.status == "success", log.error


if __name__ == "__main__":
    play(sys.argv[1], 1, sys.argv[3])
    meter = Meter()
    play(sys.argv[1], int(sys.argv[2]), sys.argv[3])
    print(json.dumps(meter.figures(int(sys.argv[2]))))
