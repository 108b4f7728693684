"""A bare loop over the SDK with the overlap that mogi has: `bare_loop URL N create|post`."""

import asyncio
import json
import sys
from typing import Any

from openai import AsyncOpenAI, DefaultAioHttpClient

from benchmarks.process import ROOT, Meter
from benchmarks.words import ANSWER, JUDGEMENT_FORM, QUERY, USER_FORM

TURNS = 3
AT_ONCE = 50


class Bare:
    """One client, the two kinds of calls, the mock target."""

    def __init__(self, url: str, how: str) -> None:
        self._client = AsyncOpenAI(
            base_url=url, api_key="sk-x", http_client=DefaultAioHttpClient(), max_retries=0
        )
        self._how = how
        self._user = (ROOT / "prompts/ja/user.md").read_text("utf-8")
        self._judge = (ROOT / "prompts/ja/judge.md").read_text("utf-8") + (
            ROOT / "prompts/ja/rubrics/answer_quality.yaml"
        ).read_text("utf-8")

    async def _ask(self, messages: list[dict[str, str]], form: dict[str, Any]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": "mock",
            "messages": messages,
            "temperature": 0.5,
            "response_format": {"type": "json_schema", "json_schema": form},
        }
        if self._how == "create":
            done = await self._client.chat.completions.create(**body)
            text = done.choices[0].message.content or ""
        else:
            import httpx2

            response = await self._client.post(
                "/chat/completions", body=body, cast_to=httpx2.Response
            )
            text = json.loads(response.content)["choices"][0]["message"]["content"]
        parsed: dict[str, Any] = json.loads(text)
        return parsed

    async def say(self, talk: list[tuple[str, str]]) -> str:
        messages = [{"role": "system", "content": self._user}]
        for said, answered in talk:
            messages += [
                {"role": "assistant", "content": said},
                {"role": "user", "content": answered},
            ]
        return str((await self._ask(messages, USER_FORM))["message"])

    async def judge(self, talk: list[tuple[str, str]]) -> int:
        messages = [
            {"role": "system", "content": self._judge},
            {"role": "user", "content": "\n".join(f"{u}\n{a}" for u, a in talk)},
        ]
        return int((await self._ask(messages, JUDGEMENT_FORM))["overall"])

    async def talk(self) -> None:
        talk: list[tuple[str, str]] = []
        judging = []
        for turn in range(TURNS):
            said = QUERY if turn == 0 else await self.say(talk)
            await asyncio.sleep(0.2)
            talk = [*talk, (said, ANSWER)]
            judging.append(asyncio.create_task(self.judge(talk)))
        await asyncio.gather(*judging)

    async def close(self) -> None:
        await self._client.close()


async def run(url: str, count: int, how: str) -> dict[str, float]:
    bare = Bare(url, how)
    waiting = iter(range(count))

    async def worker() -> None:
        for _ in waiting:
            await bare.talk()

    await bare.judge([(QUERY, ANSWER)])  # connections and imports are warm, as they are for mogi
    meter = Meter()
    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    figures = meter.figures(count)
    await bare.close()
    return figures


if __name__ == "__main__":
    print(json.dumps(asyncio.run(run(sys.argv[1], int(sys.argv[2]), sys.argv[3]))))
