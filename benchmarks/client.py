"""CPU of asking models: mogi's own HTTP client beside the `openai` SDK (`client: sdk`).

The calls of one conversation of three turns (three of the user, three of the judge, with the
shipped prompts and forms), against a server on loopback in a process of its own; and what it
takes to import what each of the two needs.
"""

import asyncio
import importlib
import json
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.process import ROOT, chat_server, contender
from benchmarks.words import ANSWER, JUDGEMENT_FORM, QUERY, USER_FORM

CONVERSATIONS = 300
AT_ONCE = 50
TURNS = 3
_LEAST_ROUNDS = 5
_IMPORTS = {"own": ["aiohttp"], "sdk": ["aiohttp", "openai", "httpx2"]}


def main(rounds: int) -> None:
    """Print CPU ms of a conversation and of the imports for each client, and the differences."""
    rounds = max(rounds, _LEAST_ROUNDS)
    with chat_server(0.0) as url:
        calls = contender("benchmarks.client", "calls", url, str(rounds))
    imports: dict[str, list[float]] = {name: [] for name in _IMPORTS}
    for _ in range(rounds):
        for name, modules in _IMPORTS.items():
            imports[name].append(contender("benchmarks.client", "import", *modules)["cpu_ms"])
    print(f"\nclient: {CONVERSATIONS} conversations x 6 calls, {rounds} rounds in turn, medians")
    for name in _IMPORTS:
        once = statistics.median(imports[name])
        print(f"  {name:4} {calls[name]:6.2f} CPU ms/conversation  {once:5.0f} CPU ms of imports")
    print(f"  CPU  sdk / own  {calls['sdk'] / calls['own']:.1f}")
    print(f"  CPU  sdk - own  {calls['sdk'] - calls['own']:.1f} ms   (own client: >= 2)")


def _bodies() -> list[dict[str, Any]]:
    """The requests of one conversation."""
    from simulator.core.ports import Form, Message
    from simulator.llm.parameters import ChatRequest, Dialect

    user = (ROOT / "prompts/ja/user.md").read_text("utf-8")
    judge = (ROOT / "prompts/ja/judge.md").read_text("utf-8")
    judge += (ROOT / "prompts/ja/rubrics/answer_quality.yaml").read_text("utf-8")
    forms = [Form(form["name"], form["schema"], "") for form in (USER_FORM, JUDGEMENT_FORM)]
    requests = []
    for turn in range(1, TURNS + 1):
        talk = [Message("assistant", QUERY), Message("user", ANSWER)] * turn
        shown = "\n".join(message.content for message in talk)
        requests += [
            ChatRequest("mock", (Message("system", user), *talk), 0.7, forms[0]),
            ChatRequest("mock", (Message("system", judge), Message("user", shown)), 0.0, forms[1]),
        ]
    return [Dialect().body(request) for request in requests]


async def _compare(url: str, rounds: int) -> dict[str, float]:
    from simulator.llm.account import Account
    from simulator.llm.client import Transport

    bodies = _bodies()
    clients = {
        name: Transport.open(Account(url, "sk-benchmark", sdk=name == "sdk"), AT_ONCE)
        for name in _IMPORTS
    }
    seen: dict[str, list[float]] = {name: [] for name in clients}
    for number in range(rounds + 1):
        for name, client in clients.items():
            cpu_ms = await _cpu_ms(client.post, bodies)
            if number:  # the first one warms up
                seen[name].append(cpu_ms)
    for client in clients.values():
        await client.aclose()
    return {name: statistics.median(cpu_ms) for name, cpu_ms in seen.items()}


async def _cpu_ms(post: Any, bodies: Sequence[Mapping[str, Any]]) -> float:
    waiting = iter(range(CONVERSATIONS))

    async def worker() -> None:
        for _ in waiting:
            for body in bodies:
                answer = await post(body, 60.0)
                assert answer.text, answer

    began = time.process_time()
    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    return 1000 * (time.process_time() - began) / CONVERSATIONS


def _import_ms(modules: Sequence[str]) -> float:
    began = time.process_time()
    for module in modules:
        importlib.import_module(module)
    return 1000 * (time.process_time() - began)


if __name__ == "__main__":
    what, *args = sys.argv[1:]
    if what == "import":
        print(json.dumps({"cpu_ms": _import_ms(args)}))
    else:
        print(json.dumps(asyncio.run(_compare(args[0], int(args[1])))))
