"""openevals: `run_multiturn_simulation_async`, its simulated user and its judge."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_openai import ChatOpenAI
from openevals.llm import create_async_llm_as_judge
from openevals.simulators import create_async_llm_simulated_user, run_multiturn_simulation_async

from benchmarks.peers import task


def make(url: str) -> Callable[[], Awaitable[object]]:
    """One conversation."""
    model = ChatOpenAI(model="mock", base_url=url)
    prompt = f"Rate this talk. {task.CRITERION}\n{{outputs}}"
    judge = create_async_llm_as_judge(prompt=prompt, judge=model, continuous=True)

    async def app(message: dict[str, Any], **_: object) -> dict[str, str]:
        return {"role": "assistant", "content": await task.bot()}

    async def talk() -> None:
        user = create_async_llm_simulated_user(
            system=task.WHO, client=model, fixed_responses=[task.QUERY]
        )
        done = await run_multiturn_simulation_async(
            app=app, user=user, max_turns=task.TURNS, trajectory_evaluators=[judge]
        )
        assert len(done["trajectory"]) == 2 * task.TURNS

    return talk


if __name__ == "__main__":
    task.run(make)
