"""The fake chat server in a process of its own: `python -m benchmarks.server LATENCY_S`."""

import asyncio
import re
import sys
from typing import Any

from tests.loopback.server import ChatServer

_ASPECTS = "understanding relevance completeness correctness coherence overall"
_RATINGS = dict.fromkeys(_ASPECTS.split(), 4)
JUDGEMENT = {"comment": "文書どおりの回答である。" * 20, "conclusion": "適切である。", **_RATINGS}
SAYS = {"thought": "まだ解決していない", "stop": "none", "reason": ""}
# Two utterances, since who says the same twice is no sound user, and is asked again.
UTTERANCES = {
    "ja": ("もう少し詳しく教えてください", "再設定のメールが届かないときはどうすればよいですか"),
    "en": ("Could you tell me a bit more?", "What if the reset mail never gets to me?"),
}
_KANA = re.compile("[ぁ-ん]")


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """A judgement where ratings are asked for, else the next utterance of a user."""
    if "response_format" not in body:  # only whether anybody is there
        return {"ok": True}
    form = body["response_format"]["json_schema"]["schema"]
    if "overall" in form["properties"]:
        return JUDGEMENT
    prompt = "\n".join(str(message["content"]) for message in body["messages"])
    first, second = UTTERANCES["ja" if _KANA.search(prompt) else "en"]
    return SAYS | {"message": second if first in prompt else first}


async def serve(latency_s: float) -> None:
    """Print the base URL, then answer until killed."""
    async with ChatServer(answer, latency_s=latency_s) as server:
        print(server.base_url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
