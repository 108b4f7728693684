"""The fake chat server in a process of its own: `python -m benchmarks.server LATENCY_S`."""

import asyncio
import sys
from typing import Any

from tests.loopback.server import ChatServer

_ASPECTS = "understanding relevance completeness correctness coherence overall"
_RATINGS = dict.fromkeys(_ASPECTS.split(), 4)
JUDGEMENT = {"comment": "文書どおりの回答である。" * 20, "conclusion": "適切である。", **_RATINGS}
SAYS = {
    "thought": "まだ解決していない",
    "message": "もう少し詳しく教えてください",
    "stop": "none",
    "reason": "",
}


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """A judgement where ratings are asked for, else the next utterance of a user."""
    form = body["response_format"]["json_schema"]["schema"]
    return JUDGEMENT if "overall" in form["properties"] else SAYS


async def serve(latency_s: float) -> None:
    """Print the base URL, then answer until killed."""
    async with ChatServer(answer, latency_s=latency_s) as server:
        print(server.base_url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
