"""What the judge reads: calls and prompt bytes for each turn, all rubrics together and apart.

The demo's users talk with the demo's bot; a server of our own stands in for the judge. Bytes are
those of the messages and of the answer's schema, in UTF-8. What is the same in each call of one
kind comes first and can be cached by a provider.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections import defaultdict
from dataclasses import replace
from os.path import commonprefix
from typing import Any, Literal

from benchmarks.process import contender
from simulator import Options, load, simulate
from simulator.core.plan import JudgeSpec, Limits, ModelSpec
from tests.loopback.server import Asked, ChatServer

RUBRICS = ("answer_quality", "gpt_relevance", "gpt_groundedness", "gpt_similarity", "gpt_fluency")
CONVERSATIONS = 30
_ELEMENT = re.compile(r"^\d+\. ", re.MULTILINE)
_CLAIMS = ("[Claims to check]", "【確認項目】")


def main(rounds: int) -> None:
    """Print both ways for both languages; nothing here is random, so one round will do."""
    del rounds
    print(f"\njudge: the demo, {CONVERSATIONS} conversations, {len(RUBRICS)} rubrics and elements")
    for client in ("demo", "demo-en"):
        for calls in ("together", "apart"):
            found = contender("benchmarks.judge_prompt", client, calls)
            print(
                f"  {client:8}{calls:9} {found['calls']:5.2f} calls/turn"
                f"  {found['bytes']:8,.0f} bytes/turn, the same each time {found['same']:4.0%}"
                f"  ({found['turns']:.0f} turns)"
            )


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """A judgement that fits the form, whatever was asked."""
    said = str(body["messages"][-1]["content"])
    before, heading, after = said.partition(next((h for h in _CLAIMS if h in said), "\0"))
    claims, _, rest = after.partition("\n\n[" if heading.startswith("[") else "\n\n【")
    form = form_of(body)["properties"]
    of_claims = len(_ELEMENT.findall(claims))
    elements = len(_ELEMENT.findall(before + rest))
    return {k: _filled(v, of_claims if k == "claims" else elements) for k, v in form.items()}


def form_of(body: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema that a request asks for."""
    schema: dict[str, Any] = body["response_format"]["json_schema"]["schema"]
    return schema


def _filled(schema: dict[str, Any], count: int, number: int = 0) -> Any:
    if "enum" in schema:
        return schema["enum"][-1]
    if schema["type"] == "array":
        return [_filled(schema["items"], count, n) for n in range(1, count + 1)]
    if schema["type"] == "object":
        return {key: _filled(inner, count, number) for key, inner in schema["properties"].items()}
    plain = {"integer": number, "number": 1.0, "boolean": False, "string": "文書どおり。"}
    return plain[schema["type"]]


async def measure(client: str, calls: Literal["together", "apart"], limit: int) -> dict[str, float]:
    """Play the client's first conversations; figures for each turn."""
    loaded = load(client)
    with tempfile.TemporaryDirectory() as folder:
        async with ChatServer(answer) as server:
            judge = JudgeSpec(ModelSpec("judge", 0.0, server.base_url), calls)
            metrics = ("overall", *RUBRICS[1:], "elements")
            made = replace(loaded.client, judge=judge, metrics=metrics, limits=Limits())
            rubrics = tuple(loaded.catalog.rubric(made.language, name) for name in RUBRICS)
            done = await simulate(
                replace(loaded, client=made, rubrics=rubrics),
                options=Options(limit=limit),
                store=f"sqlite:///{folder}/mogi.db",
            )
            asked = list(server.requests)
    assert not done.summary.failures["judge"], done.summary.failures
    turns = done.summary.turns
    sent = [_prompt(request) for request in asked]
    return {
        "turns": turns,
        "calls": len(sent) / turns,
        "bytes": sum(map(len, sent)) / turns,
        "same": _same(asked) / sum(map(len, sent)),
    }


def _prompt(request: Asked) -> bytes:
    """The schema, which providers put first, and the messages."""
    messages = "".join(str(message["content"]) for message in request.body["messages"])
    return f"{json.dumps(form_of(request.body), ensure_ascii=False)}{messages}".encode()


def _same(asked: list[Asked]) -> int:
    """The bytes that all calls with one schema and one system message begin with."""
    kinds: dict[str, list[bytes]] = defaultdict(list)
    for request in asked:
        system = str(request.body["messages"][0]["content"])
        kinds[json.dumps(form_of(request.body)) + system].append(_prompt(request))
    return sum(len(commonprefix(prompts)) * len(prompts) for prompts in kinds.values())  # noqa: RUF071 bytes


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(sys.argv[1], sys.argv[2], CONVERSATIONS))))  # type: ignore[arg-type]
