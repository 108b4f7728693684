"""A chat server that all tools can use: fills any form, and counts: `… server LATENCY_S`."""

import asyncio
import json
import sys
from typing import Any

from aiohttp import web

from benchmarks.server import answer

_PLAIN = {"integer": 8, "number": 0.9, "boolean": False, "string": "It follows the documents."}
_JUDGED = {"score": 8, "reason": "It follows the documents.", "pass": True}


class Counting:
    """Answers, and counts calls and the bytes of their bodies."""

    def __init__(self, latency_s: float) -> None:
        self._latency_s = latency_s
        self._calls = self._bytes = 0

    async def handle(self, request: web.Request) -> web.Response:
        """A completion; at /figures what was counted."""
        if request.path == "/figures":
            return web.json_response({"calls": self._calls, "bytes": self._bytes})
        raw = await request.read()
        self._calls, self._bytes = self._calls + 1, self._bytes + len(raw)
        body = json.loads(raw)
        await asyncio.sleep(self._latency_s)
        message = {"role": "assistant", **self._said(body)}
        end = "tool_calls" if "tool_calls" in message else "stop"
        tokens = {"prompt_tokens": len(raw) // 4, "completion_tokens": 20}
        return web.json_response(
            {
                "id": "chatcmpl-loopback",
                "object": "chat.completion",
                "created": 1,
                "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": end}],
                "usage": {**tokens, "total_tokens": len(raw) // 4 + 20},
            }
        )

    def _said(self, body: dict[str, Any]) -> dict[str, Any]:
        if body.get("response_format", {}).get("type") == "json_schema":
            schema = body["response_format"]["json_schema"]["schema"]
            is_ours = {"overall", "thought"} & schema["properties"].keys()
            found = answer(body) if is_ours else filled(schema, schema)
            return {"content": json.dumps(found, ensure_ascii=False)}
        if tools := body.get("tools"):
            functions = {tool["function"]["name"]: tool["function"] for tool in tools}
            # One that judges while the talk goes on lets it go on.
            function = functions.get("continue_test") or list(functions.values())[-1]
            given = filled(function["parameters"], function["parameters"])
            call = {"name": function["name"], "arguments": json.dumps(given)}
            return {
                "content": None,
                "tool_calls": [{"id": "1", "type": "function", "function": call}],
            }
        asked = str(body["messages"])
        if "GRADE:" in asked:
            return {"content": "It follows the documents.\nGRADE: C"}
        if "json" in asked.lower():
            return {"content": json.dumps(_JUDGED)}
        return {"content": f"And what if point {self._calls} does not help, either?"}


def filled(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """A value that fits a JSON schema."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return filled(schema["anyOf"][0], root)
    if "enum" in schema:
        return schema["enum"][-1]
    if schema.get("type") == "object":
        return {key: filled(each, root) for key, each in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [filled(schema["items"], root)]
    return _PLAIN.get(str(schema.get("type")))


async def serve(latency_s: float) -> None:
    """Print the URL, then answer until killed."""
    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_route("*", "/{path:.*}", Counting(latency_s).handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
