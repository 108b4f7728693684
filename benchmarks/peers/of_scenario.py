"""langwatch-scenario: `scenario.run` with its user simulator and its judge."""

from collections.abc import Awaitable, Callable

import scenario

from benchmarks.peers import task


class Bot(scenario.AgentAdapter):
    """The bot under test."""

    async def call(self, input: scenario.AgentInput) -> str:  # noqa: A002  its name
        """Answer."""
        return await task.bot()


def make(url: str) -> Callable[[], Awaitable[object]]:
    """One conversation."""
    model = {"model": "openai/mock", "api_base": url, "api_key": "sk-benchmark"}
    script: list[object] = [scenario.user(task.QUERY), scenario.agent()]
    for _ in range(task.TURNS - 1):
        script += [scenario.user(), scenario.agent()]

    async def talk() -> None:
        done = await scenario.run(
            name="login",
            description=task.WHO,
            agents=[
                Bot(),
                scenario.UserSimulatorAgent(**model),
                scenario.JudgeAgent(criteria=[task.CRITERION], **model),
            ],
            max_turns=task.TURNS,
            verbose=False,
            script=[*script, scenario.judge()],
        )
        assert len(done.messages) == 2 * task.TURNS

    return talk


if __name__ == "__main__":
    task.run(make)
