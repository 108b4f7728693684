"""Bots that keep the talk themselves, answering as Dify's and OpenAI's documents say they do.

Each remembers what it was told in a talk, and says all of it back, so that a test sees whether a
question reached the talk that it belongs to.
"""

import asyncio
import itertools
import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.loopback.bot import Heard, Sent, stream

PASSAGE = "送料は全国一律500円です。"


@dataclass
class Dify:
    """POST /v1/chat-messages. A conversation belongs to the `user` who began it.

    `agent`: it refuses blocking mode, and its pieces are called `agent_message`. `moderated`: what
    it streamed is replaced in the end. `broken`: its stream ends with an error.
    """

    agent: bool = False
    moderated: bool = False
    broken: bool = False
    talks: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    _numbers: Any = field(default_factory=lambda: itertools.count(1))

    async def __call__(self, heard: Heard) -> Sent:
        if heard.headers.get("Authorization") != "Bearer app-0123456789":
            return _refused(401, "unauthorized", "Access token is invalid")
        asked = heard.json
        if "user" not in asked or "inputs" not in asked:
            return _refused(400, "invalid_param", "user is required")
        if self.agent and asked["response_mode"] == "blocking":
            return _refused(400, "invalid_param", "Agent Chat App does not support blocking mode")
        name = asked.get("conversation_id") or f"45701982-8118-4bc5-8e9b-{next(self._numbers):012}"
        talk = (asked["user"], name)
        if asked.get("conversation_id") and talk not in self.talks:
            return _refused(404, "not_found", "Conversation Not Exists.")
        said = self.talks.setdefault(talk, [])
        said.append(asked["query"])
        return await self._said(heard, name, " / ".join(said))

    async def _said(self, heard: Heard, name: str, answer: str) -> Sent:
        common: dict[str, Any] = {"task_id": "t", "message_id": "m", "conversation_id": name}
        resource = {
            "position": 1,
            "dataset_id": "d",
            "dataset_name": "FAQ",
            "document_id": "8dd1ad74",
            "document_name": "送料.md",
            "segment_id": "ed599c7f",
            "score": 0.98,
            "content": PASSAGE,
        }
        metadata = {"usage": {"total_tokens": 1161}, "retriever_resources": [resource]}
        if heard.json["response_mode"] == "blocking":
            told = {"event": "message", "id": "m", "mode": "chat", "created_at": 1705407629}
            return {**told, **common, "answer": answer, "metadata": metadata}
        kind = "agent_message" if self.agent else "message"
        events = [{"event": kind, **common, "answer": letter} for letter in answer]
        if self.agent:
            events.insert(0, {"event": "agent_thought", **common, "thought": "", "tool": "search"})
        if self.moderated:
            events.append({"event": "message_replace", **common, "answer": "お答えできません。"})
        if self.broken:
            error = {"code": "provider_quota_exceeded", "message": "quota exceeded"}
            events = [*events[:2], {"event": "error", "status": 400, **common, **error}]
        else:
            events.append({"event": "message_end", **common, "metadata": metadata})
        chunks = [f"data: {json.dumps(event)}\n\n" for event in events]
        return await stream(heard, "event: ping\n\n", *chunks)


@dataclass
class Responses:
    """POST /v1/responses; a response may be gone on from as often as one likes."""

    talks: dict[str, list[str]] = field(default_factory=dict)
    _numbers: Any = field(default_factory=lambda: itertools.count(1))

    def __call__(self, heard: Heard) -> Sent:
        asked = heard.json
        before = asked.get("previous_response_id")
        if before is not None and before not in self.talks:
            text = f"Previous response with id '{before}' not found."
            code = "previous_response_not_found"
            error = {"message": text, "type": "invalid_request_error", "code": code}
            return web.json_response({"error": error}, status=400)
        name = f"resp_{next(self._numbers):032}"
        self.talks[name] = [*self.talks.get(before or "", []), asked["input"]]
        return {
            "id": name,
            "object": "response",
            "status": "completed",
            "error": None,
            "previous_response_id": before,
            "output": [
                {"type": "reasoning", "id": "rs_1", "summary": []},
                *_searched(asked),
                _message(" / ".join(self.talks[name])),
            ],
        }


def _searched(asked: dict[str, Any]) -> list[dict[str, Any]]:
    if not any(tool["type"] == "file_search" for tool in asked.get("tools", ())):
        return []
    found = {"file_id": "file-1", "filename": "faq.md", "score": 0.9, "text": PASSAGE}
    given = "file_search_call.results" in asked.get("include", ())
    results = [{**found, "attributes": {}}] if given else None
    return [{"type": "file_search_call", "id": "fs_1", "queries": ["q"], "results": results}]


def _message(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "content": content}


@dataclass
class Later:
    """POST /ask names a job, GET /jobs/ID has its answer when it was looked at `looks` times."""

    looks: int = 2
    fails: bool = False
    asked: dict[str, str] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    async def __call__(self, heard: Heard) -> Sent:
        await asyncio.sleep(0)
        if heard.method == "POST":
            name = f"job/{len(self.asked) + 1}"
            self.asked[name] = heard.json["question"]
            return web.json_response({"id": name, "status": "queued"}, status=202)
        name = heard.path.removeprefix("/jobs/").replace("%2F", "/")
        self.seen[name] += 1
        if self.seen[name] < self.looks:
            return web.json_response({"id": name, "status": "running"}, status=202)
        if self.fails:
            return {"id": name, "status": "failed", "error": {"message": "out of memory"}}
        return {"id": name, "status": "done", "answer": self.asked[name]}


def _refused(status: int, code: str, message: str) -> web.Response:
    return web.json_response({"code": code, "message": message, "status": status}, status=status)


@dataclass
class Rasa:
    """POST /webhooks/rest/webhook: a list of messages, of which not all are text.

    A question that it has no answer to brings an empty list.
    """

    talks: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def __call__(self, heard: Heard) -> Sent:
        if heard.path != "/webhooks/rest/webhook" or heard.json.keys() - {"metadata"} != {
            "sender",
            "message",
        }:
            return web.json_response({"status": "failure", "reason": "NotFound"}, status=404)
        sender = heard.json["sender"]
        self.talks[sender].append(heard.json["message"])
        if "黙って" in heard.json["message"]:
            return web.json_response([])
        said: list[dict[str, Any]] = [
            {"text": "ご案内します。", "buttons": [{"title": "はい", "payload": "/yes"}]},
            {"image": "https://example.com/a.png"},
            {"text": " / ".join(self.talks[sender])},
            {"custom": {"kind": "card"}},
        ]
        return web.json_response([{"recipient_id": sender, **one} for one in said])


@dataclass
class LangGraph:
    """POST /threads, then runs/wait or runs/stream of a thread, as langgraph-api 0.16 answers.

    The state holds the whole talk; a graph that fails answers 200 all the same.
    """

    talks: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    async def __call__(self, heard: Heard) -> Sent:
        if heard.path == "/threads":
            name = f"01a2053d-7942-71e3-a93d-{len(self.talks):012}"
            self.talks[name] = []
            return {"thread_id": name, "metadata": {}, "status": "idle", "values": None}
        _, _, name, _, how = heard.path.split("/")
        if name not in self.talks:
            return web.json_response({"detail": f"Thread with ID {name} not found"}, status=404)
        if heard.json["assistant_id"] != "agent":
            told = f"Invalid assistant: '{heard.json['assistant_id']}'. Must be either: ..."
            return web.json_response({"detail": told}, status=422)
        return await self._ran(heard, self.talks[name], as_stream=how == "stream")

    async def _ran(self, heard: Heard, talk: list[dict[str, Any]], *, as_stream: bool) -> Sent:
        talk += [
            {"type": "human", "content": m["content"]} for m in heard.json["input"]["messages"]
        ]
        states: list[tuple[str, Any]] = [
            ("metadata", {"run_id": "01a20543", "attempt": 1}),
            ("values", {"messages": [*talk]}),
        ]
        if "壊れて" in talk[-1]["content"]:
            error = {"error": "ValueError", "message": "the index is gone"}
            states.append(("error", error))
        else:
            said = " / ".join(m["content"] for m in talk if m["type"] == "human")
            talk.append({"type": "ai", "content": said})
            found = [{"id": "faq-1", "text": PASSAGE}]
            states.append(("values", {"messages": [*talk], "documents": found}))
        if as_stream:
            chunks = [f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in states]
            return await stream(heard, *chunks)
        kind, last = states[-1]
        return {"__error__": last} if kind == "error" else last


def hayhooks(heard: Heard) -> Sent:
    """The pipeline `shop` behind hayhooks 2: its run_api, and its run_chat_completion."""
    if heard.path == "/shop/run":
        if "question" not in heard.json:
            where = {"type": "missing", "loc": ["body", "question"], "msg": "Field required"}
            return web.json_response({"detail": [where]}, status=422)
        document = {"id": "faq-1", "content": PASSAGE, "blob": None, "score": None}
        return {"result": {"answer": heard.json["question"], "documents": [document]}}
    if heard.path not in {"/chat/completions", "/v1/chat/completions"}:
        return web.json_response({"detail": "Not Found"}, status=404)
    name = heard.json["model"]
    if name != "shop":
        told = f"Pipeline '{name}' not found or not a pipeline wrapper"
        return web.json_response({"detail": told}, status=404)
    said = {"role": "assistant", "content": heard.json["messages"][-1]["content"], "refusal": None}
    choice = {"index": 0, "delta": None, "finish_reason": "stop", "message": said}
    return {"object": "chat.completion", "model": name, "choices": [choice], "usage": None}
