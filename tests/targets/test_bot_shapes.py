"""Twenty-four shapes of bots as people run them, each a server here, connected from YAML alone.

Each bot says back all that it was asked in the talk, so that a second turn shows whether it knew
the first. What does not connect from YAML is at the end.
"""

import asyncio
import base64
import hashlib
import hmac
import itertools
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs

import aiohttp
import pytest
import yaml
from aiohttp import web

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, RunStopped
from simulator.core.talk import Reply, Talk, Utterance
from simulator.files.client.client_yaml import read_target
from simulator.plugins import find
from simulator.targets._context import Step
from tests.formats.written import marked
from tests.loopback.bot import BotServer, Heard, Sent, stream
from tests.loopback.memory_bots import Dify, Responses
from tests.targets.fakes import guarded
from tests.targets.http.bots import context

FIRST, SECOND = "送料はいくらですか", "返品は?"
SECRET = "canary-0123456789"
Bot = Callable[[Heard], Sent | Awaitable[Sent]]


@dataclass
class Memory:
    """What was asked in each talk."""

    talks: dict[str, list[str]] = field(default_factory=dict)
    numbers: Any = field(default_factory=lambda: itertools.count(1))

    def told(self, talk: str, question: str) -> str:
        self.talks.setdefault(talk, []).append(question)
        return " / ".join(self.talks[talk])

    def new(self) -> str:
        return f"talk-{next(self.numbers):08}-f00d"


def _all(messages: list[dict[str, str]], role: str = "role", user: str = "user") -> str:
    return " / ".join(m["content"] for m in messages if m[role] == user)


def plain_json(heard: Heard) -> Sent:
    pairs = [pair["user"] for pair in heard.json["history"]]
    return {"answer": " / ".join((*pairs, heard.json["question"]))}


def query(heard: Heard) -> Sent:
    assert "GET" == heard.method
    return {"data": [{"text": heard.query["q"]}]}


def plain_text(heard: Heard) -> Sent:
    return heard.body


def form(heard: Heard) -> Sent:
    return {"result": parse_qs(heard.body)["message"][0]}


async def deltas(heard: Heard) -> Sent:
    text = _all(heard.json["messages"])
    events = [json.dumps({"delta": letter}, ensure_ascii=False) for letter in text]
    return await stream(heard, *(f"data: {event}\n\n" for event in (*events, "[DONE]")))


async def whole_text_each_time(heard: Heard) -> Sent:
    text = _all(heard.json["messages"])
    events = [json.dumps({"text": text[:n]}) for n in range(1, len(text) + 1)]
    return await stream(heard, *(f"event: token\ndata: {e}\n\n" for e in events), "event: end\n\n")


def chat_completions(heard: Heard) -> Sent:
    message = {"role": "assistant", "content": _all(heard.json["messages"])}
    return {"choices": [{"message": message, "finish_reason": "stop"}]}


def carried() -> Bot:
    memory = Memory()

    def act(heard: Heard) -> Sent:
        talk = heard.json.get("thread") or memory.new()
        return {"reply": memory.told(talk, heard.json["q"]), "meta": {"thread": talk}}

    return act


def session() -> Bot:
    memory = Memory()

    def act(heard: Heard) -> Sent:
        if heard.path == "/sessions":
            return {"id": memory.new()}
        return {"answer": memory.told(heard.path.split("/")[2], heard.json["q"])}

    return act


def cookies() -> Bot:
    memory = Memory()

    def act(heard: Heard) -> Sent:
        talk = heard.request.cookies.get("sid") or memory.new()
        response = web.json_response({"answer": memory.told(talk, heard.json["q"])})
        response.set_cookie("sid", talk)
        return response

    return act


def job() -> Bot:
    jobs: dict[str, tuple[str, int]] = {}

    def act(heard: Heard) -> Sent:
        if heard.method == "POST":
            jobs["j1"] = (_all(heard.json["messages"]), 2)
            return web.json_response({"job": "j1"}, status=202)
        text, left = jobs["j1"]
        jobs["j1"] = (text, left - 1)
        return web.json_response({"answer": text} if not left else {}, status=202 if left else 200)

    return act


async def websocket(heard: Heard) -> Sent:
    socket, asked = web.WebSocketResponse(), []
    await socket.prepare(heard.request)
    async for message in socket:
        asked.append(json.loads(message.data)["question"])
        await socket.send_json({"answer": " / ".join(asked)})
    return socket


def oauth_then_session() -> Bot:
    memory = Memory()

    def act(heard: Heard) -> Sent:
        if heard.path == "/oauth/token":
            wanted = {"grant_type": ["client_credentials"], "client_secret": [SECRET]}
            assert wanted == parse_qs(heard.body)
            return {"access_token": "granted-0123456789", "token_type": "Bearer"}
        if heard.headers.get("Authorization") != "Bearer granted-0123456789":
            return web.json_response({"error": "who are you?"}, status=401)
        if heard.path == "/sessions":
            return web.json_response({"session": {"id": memory.new()}}, status=201)
        return {"answer": memory.told(heard.json["session"], heard.json["q"])}

    return act


def short_lived_token() -> Bot:
    """A token holds for one question."""
    memory, valid = Memory(), set()

    def act(heard: Heard) -> Sent:
        if heard.path == "/token":
            valid.add(token := f"token-{next(memory.numbers):08}")
            return {"token": token}
        token = heard.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in valid:
            return web.json_response({"detail": f"{token} has expired"}, status=401)
        valid.discard(token)
        return {"answer": _all(heard.json["messages"])}

    return act


def django() -> Bot:
    """A login with a CSRF cookie that is sent back in a field and then in a header."""
    memory = Memory()

    def act(heard: Heard) -> Sent:
        cookie = heard.request.cookies.get("csrftoken")
        if heard.path == "/login/" and heard.method == "GET":
            response = web.Response(text="<html><form>…</form></html>", content_type="text/html")
            response.set_cookie("csrftoken", "before-0123456789")
            return response
        if heard.path == "/login/":
            fields = {name: values[0] for name, values in parse_qs(heard.body).items()}
            if not cookie or fields["csrfmiddlewaretoken"] != cookie:
                return web.Response(text="CSRF verification failed", status=403)
            assert SECRET == fields["password"]
            response = web.Response(status=302, headers={"Location": "/accounts/profile/"})
            response.set_cookie("csrftoken", "after-0123456789")
            response.set_cookie("sessionid", memory.new())
            return response
        if cookie != "after-0123456789" or heard.headers.get("X-CSRFToken") != cookie:
            return web.Response(text="CSRF verification failed", status=403)
        return {"answer": memory.told(heard.request.cookies["sessionid"], heard.json["q"])}

    return act


async def _post(url: str, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
    async with aiohttp.ClientSession() as http, http.post(url, json=body, headers=headers) as sent:
        assert 200 == sent.status


def line() -> Bot:
    """A LINE bot: events come signed, answers go to LINE's API, which stands at CALLBACK here."""
    memory, waiting = Memory(), set()

    def act(heard: Heard) -> Sent:
        digest = hmac.digest(SECRET.encode(), heard.body.encode(), hashlib.sha256)
        if heard.headers.get("X-Line-Signature") != base64.b64encode(digest).decode():
            return web.Response(text="signature", status=400)
        [event] = heard.json["events"]
        text = memory.told(event["source"]["userId"], event["message"]["text"])
        reply = {"replyToken": event["replyToken"], "messages": [{"type": "text", "text": text}]}
        url = f"http://127.0.0.1:{PORT[0]}/v2/bot/message/reply"
        task = asyncio.create_task(_post(url, reply, {"Authorization": "Bearer x"}))
        waiting.add(task)
        task.add_done_callback(waiting.discard)
        return web.Response(text="OK")

    return act


def callback() -> Bot:
    waiting = set()

    def act(heard: Heard) -> Sent:
        answer = {"answer": _all(heard.json["messages"])}
        task = asyncio.create_task(_post(heard.json["callback_url"], answer))
        waiting.add(task)
        task.add_done_callback(waiting.discard)
        return web.json_response({"status": "accepted"}, status=202)

    return act


async def ndjson(heard: Heard) -> Sent:
    response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
    await response.prepare(heard.request)
    for letter in _all(heard.json["messages"]):
        piece = {"message": {"content": letter}, "done": False}
        await response.write(json.dumps(piece, ensure_ascii=False).encode() + b"\n")
    await response.write(b'{"message": {"content": ""}, "done": true}')
    return response


def gradio() -> Bot:
    memory, events = Memory(), {}

    async def act(heard: Heard) -> Sent:
        if heard.method == "POST":
            events["e1"] = memory.told(heard.json["session_hash"], heard.json["data"][0])
            return {"event_id": "e1"}
        text = json.dumps([events[heard.path.rsplit("/", 1)[1]], None])
        pieces = ("heartbeat\ndata: null", f"generating\ndata: {text}", f"complete\ndata: {text}")
        return await stream(heard, *(f"event: {piece}\n\n" for piece in pieces))

    return act


def multipart(heard: Heard) -> Sent:
    head = f"Content-Type: {heard.headers['Content-Type']}\r\n\r\n".encode()
    message = BytesParser(policy=HTTP).parsebytes(head + heard.body.encode())
    fields = {
        part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
        for part in message.iter_parts()
    }
    assert {"message", "lang"} == fields.keys()
    return {"answer": cast("bytes", fields["message"]).decode()}


async def first_frame(heard: Heard) -> Sent:
    socket, asked = web.WebSocketResponse(), []
    await socket.prepare(heard.request)
    await socket.send_json({"type": "hello"})
    if (await socket.receive_json()) != {"type": "auth", "token": SECRET}:
        await socket.close(code=4401, message=b"auth")
        return socket
    await socket.send_json({"type": "auth_ok"})
    async for message in socket:
        asked.append(json.loads(message.data)["text"])
        await socket.send_json({"text": " / ".join(asked)})
    return socket


def langserve(heard: Heard) -> Sent:
    given = heard.json["input"]
    assert {"human", "ai"} >= {message["type"] for message in given["chat_history"]}
    before = _all(given["chat_history"], "type", "human")
    return {"output": " / ".join(filter(None, (before, given["input"])))}


def alone(bot: Any) -> Callable[[], Bot]:
    return lambda: bot


# By its name in bot_shapes.yaml: its server, and whether it can know a talk's first question.
BOTS: dict[str, tuple[Callable[[], Bot], bool]] = {
    "JSON": (alone(plain_json), True),
    "GET with a query": (alone(query), False),
    "plain text": (alone(plain_text), False),
    "HTML form": (alone(form), False),
    "SSE, pieces": (alone(deltas), True),
    "SSE, the text so far": (alone(whole_text_each_time), True),
    "chat/completions": (alone(chat_completions), True),
    "an id that is carried": (carried, True),
    "a session": (session, True),
    "cookies": (cookies, True),
    "a job that is polled": (job, True),
    "Dify": (Dify, True),
    "Responses API": (Responses, True),
    "WebSocket": (alone(websocket), True),
    "OAuth, then a session": (oauth_then_session, True),
    "a token that expires": (short_lived_token, True),
    "Django's CSRF cookie": (django, True),
    "LINE": (line, True),
    "an answer to a callback": (callback, True),
    "NDJSON": (alone(ndjson), True),
    "Gradio": (gradio, True),
    "multipart": (alone(multipart), False),
    "a first WebSocket frame": (alone(first_frame), True),
    "LangServe's roles": (alone(langserve), True),
}
WRITTEN = yaml.safe_load((Path(__file__).parent / "bot_shapes.yaml").read_text("utf-8"))
PORT = [0]


def opened(name: str, server: BotServer, **changed: Any) -> Any:
    """The target of a client file that says what stands in bot_shapes.yaml."""
    text = yaml.safe_dump({"target": {**WRITTEN[name], **changed}})
    text = text.replace("URL", server.url).replace("PORT", str(PORT[0]))
    read = read_target(marked(text.replace("WS", server.url.replace("http", "ws", 1))))
    assert () == read.complaints
    kind: Any = find("targets", read.spec.kind)
    return kind.open(kind.Settings(**read.spec.settings), context(stateful=read.spec.stateful))


async def talked(target: Any, *questions: str, halt: Halt | None = None) -> list[Any]:
    talk = Talk("shapes/calm/1")
    guard = guarded(target, halt=halt)
    for question in questions:
        talk = talk.with_exchange(Utterance(question), await guard.answer(question, talk))
    return [exchange.reply for exchange in talk.exchanges]


@pytest.mark.parametrize("name", BOTS)
async def test_it_connects_from_yaml(
    name: str, monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
) -> None:
    monkeypatch.setenv("BOT_SECRET", SECRET)
    monkeypatch.setenv("DIFY", "app-0123456789")
    PORT[0] = unused_tcp_port
    bot, remembers = BOTS[name]
    async with BotServer(bot()) as server:
        target = opened(name, server)
        try:
            replies = await talked(target, FIRST, SECOND)
        finally:
            await target.close()
    first, second = replies
    assert isinstance(first, Reply), first
    assert isinstance(second, Reply), second
    assert FIRST == first.text
    assert (f"{FIRST} / {SECOND}" if remembers else SECOND) == second.text
    shown = repr(replies)
    secrets = (SECRET, "granted-0123456789", "after-0123456789", "token-0000")
    assert not [secret for secret in secrets if secret in shown]


def test_there_are_twenty_four() -> None:
    assert (24, BOTS.keys()) == (len(BOTS), WRITTEN.keys())


async def test_a_token_that_stays_expired_ends_the_run_and_blames_nobody() -> None:
    """It is taken again once: whoever comes next would fare no better."""

    def act(heard: Heard) -> Sent:
        if heard.path == "/token":
            return {"token": "token-0123456789"}
        return web.json_response({"detail": "token-0123456789 is no good"}, status=401)

    halt = Halt()
    async with BotServer(act) as server:
        target = opened("a token that expires", server)
        with pytest.raises(RunStopped, match=r"the bot: .* 401 .*\*\*\* is no good") as caught:
            await talked(target, FIRST, halt=halt)
        await target.close()
    assert HaltReason.ACCOUNT is halt.reason
    assert "token-0123456789" not in str(caught.value)
    assert ["/token", "/chat"] * 2 == [heard.path for heard in server.heard]


async def test_a_step_that_is_not_let_in_does_so_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_SECRET", SECRET)
    refusal = {"error": "invalid_client", "error_description": "no client"}
    async with BotServer(lambda _: web.json_response(refusal, status=401)) as server:
        target = opened("OAuth, then a session", server)
        with pytest.raises(RunStopped, match=r"step 1 of 2.*POST /oauth/token with 401.*no client"):
            await talked(target, FIRST)
        await target.close()
    assert 1 == len(server.heard)


async def test_the_steps_of_a_talk_are_told_without_what_they_brought(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BOT_SECRET", SECRET)
    async with BotServer(oauth_then_session()) as server:
        target = opened("OAuth, then a session", server)
        await talked(target, FIRST)
        steps = target.steps("shapes/calm/1")
        await target.close()
    assert (
        Step("POST /oauth/token", 200, ("token",)),
        Step("POST /sessions", 201, ("session",)),
        Step("POST /chat", 200),
    ) == steps


async def test_a_later_turn_takes_a_token_again_and_keeps_its_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BOT_SECRET", SECRET)
    bot, refused = oauth_then_session(), [False]

    def act(heard: Heard) -> Any:
        if heard.path == "/chat" and heard.json["q"] == SECOND and not refused[0]:
            refused[0] = True
            return web.json_response({"error": "expired"}, status=401)
        return bot(heard)

    async with BotServer(act) as server:
        target = opened("OAuth, then a session", server)
        replies = await talked(target, FIRST, SECOND)
        await target.close()
    assert f"{FIRST} / {SECOND}" == replies[-1].text
    paths = ["/oauth/token", "/sessions", "/chat", "/chat", "/oauth/token", "/chat"]
    assert paths == [heard.path for heard in server.heard]


def _polled(lasts: bool) -> tuple[Bot, dict[str, Any]]:
    """A bot whose first token expires while it works on a job; the next one if it does not last."""
    tokens = iter(["first-0123456789", "second-0123456789"])

    def act(heard: Heard) -> Any:
        match heard.path:
            case "/token":
                return {"token": next(tokens)}
            case "/chat":
                return {"job": "j1"}
        if not lasts or "first" in heard.headers["Authorization"]:
            return web.json_response({"error": "expired"}, status=401)
        return {"answer": "there"}

    head = {"Authorization": "Bearer {{ token }}"}
    poll = {"url": "URL/jobs/{{ job }}", "job": "job", "until": "answer", "every_s": 0.01}
    session = [{"url": "URL/token", "body": "", "take": {"token": "token"}}]
    return act, {"session": session, "poll": poll, "headers": head}


@pytest.mark.parametrize("lasts", [True, False])
async def test_a_token_that_expires_during_a_job_is_taken_once_more(lasts: bool) -> None:
    act, settings = _polled(lasts)
    async with BotServer(act) as server:
        target = opened("JSON", server, url="URL/chat", **settings)
        if lasts:
            assert ["there"] == [reply.text for reply in await talked(target, FIRST)]
        else:
            with pytest.raises(RunStopped, match=r"401 .*mogi had already repeated the session"):
                await talked(target, FIRST)
        await target.close()
    paths = ["/token", "/chat", "/jobs/j1", "/token", "/jobs/j1"]
    assert paths == [heard.path for heard in server.heard]


async def test_an_id_that_the_user_named_is_no_secret_of_the_bot() -> None:
    def act(heard: Heard) -> Any:
        return {"answer": "A-1234567 (S-7654321) has left", "order": "A-1234567", "s": "S-7654321"}

    async with BotServer(act) as server:
        target = opened("JSON", server, carry={"order": "order", "s": "s"})
        replies = await talked(target, "Where is A-1234567?", "And now?")
        await target.close()
    assert ["A-1234567 (***) has left"] * 2 == [reply.text for reply in replies]


async def test_a_token_that_was_replaced_is_still_a_secret() -> None:
    tokens = iter(["first-0123456789", "second-0123456789"])

    def act(heard: Heard) -> Any:
        if heard.path == "/token":
            return {"token": next(tokens)}
        if "first" in heard.path:
            return web.json_response({"error": "expired"}, status=401)
        return {"answer": "first-0123456789 was replaced"}

    async with BotServer(act) as server:
        session = [{"url": f"{server.url}/token", "body": "", "take": {"token": "token"}}]
        url = f"{server.url}/chat/{{{{ token }}}}"
        target = opened("JSON", server, url=url, session=session)
        [reply] = await talked(target, FIRST)
        steps = [step.request for step in target.steps("shapes/calm/1")]
        await target.close()
    assert ["POST /token", "POST /chat/***", "POST /token", "POST /chat/***"] == steps
    assert "*** was replaced" == reply.text


async def test_the_bytes_of_a_body_arrive_as_they_are_written() -> None:
    part = 'Content-Disposition: form-data; name="q"'
    body = f"--b\r\n{part}\r\n\r\n{{{{ question }}}}\r\n--b--\r\n"
    async with BotServer(lambda heard: {"answer": heard.body}) as server:
        kind = {"Content-Type": "multipart/form-data; boundary=b"}
        target = opened("JSON", server, body=body, headers=kind)
        [reply] = await talked(target, FIRST)
        await target.close()
    assert f"--b\r\n{part}\r\n\r\n{FIRST}\r\n--b--\r\n" == server.heard[0].body
    assert isinstance(reply, Reply)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        (
            {"session": [{"url": "URL", "body": "{{ b }}", "take": {"b": "c"}}]},
            "uses {{ b }} in a step before it is taken",
        ),
        ({"session": [{"url": "URL", "take": {"a-b": "c"}}]}, '"a-b" isn\'t a name; use'),
        ({"session": [{"url": "URL", "take": {"turn": "c"}}]}, '"turn" is a built-in value'),
        ({"session": [{"url": "URL", "tke": {}}]}, 'unknown key "tke"; did you mean take'),
        ({"session": [{"take": {"a": "b"}}]}, "target.session.url is missing"),
        ({"body": "{{ question }} {{ tokn }}"}, 'no value "tokn"'),
        ({"sign": {"header": "X-S", "key": "abc"}}, "target.sign.key is not ${NAME}; keep the key"),
        ({"callback": {}}, "has callback, but the bot never gets it; use {{ callback }}"),
        ({"body": "{{ question }} {{ callback }}"}, "has no callback; add callback: {}"),
        (
            {"body": "{{ question }} {{ callback_id }}", "callback": {}},
            "no callback.id that leads to {{ callback_id }}",
        ),
        ({"poll": {"url": "URL/{{ job }}", "job": "j"}, "stream": "sse"}, "poll: {stream: sse, ."),
    ],
)
def test_wrong_settings_are_complained_of(changed: dict[str, Any], complaint: str) -> None:
    text = yaml.safe_dump({"target": {"kind": "http", "url": "URL", **changed}})
    [told] = read_target(marked(text.replace("URL", "http://h/c"))).complaints
    assert complaint in str(told)


async def test_a_port_that_is_taken_is_told(unused_tcp_port: int) -> None:
    async with BotServer(lambda _: {}) as server:
        PORT[0] = server.port
        body = {"q": "{{ question }}", "to": "{{ callback }}"}
        target = opened("JSON", server, body=body, callback={"port": server.port})
        [failure] = await talked(target, FIRST)
        await target.close()
    assert f"target.callback.port: {server.port} is in use; write another, or 0" in str(failure)


async def test_a_look_at_the_callback_is_no_answer() -> None:
    tasks: set[asyncio.Task[None]] = set()

    async def call(address: str) -> None:
        async with aiohttp.ClientSession() as session:
            for method in ("GET", "HEAD", "OPTIONS"):
                async with session.request(method, address) as response:
                    assert 200 == response.status
        await _post(address, {"answer": "there"})

    def act(heard: Heard) -> Any:
        tasks.add(asyncio.create_task(call(heard.json["to"])))
        return {}

    async with BotServer(act) as server:
        body = {"q": "{{ question }}", "to": "{{ callback }}"}
        target = opened("JSON", server, body=body, callback={})
        [reply] = await talked(target, FIRST)
        await target.close()
    assert isinstance(reply, Reply), reply
    assert "there" == reply.text


async def test_a_socket_that_refuses_the_first_frame_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BOT_SECRET", "wrong-0123456789")
    async with BotServer(first_frame) as server:
        target = opened("a first WebSocket frame", server)
        [failure] = await talked(target, FIRST)
        await target.close()
    assert "it closed the connection (code 4401: auth)" in str(failure)
    assert "wrong-0123456789" not in str(failure)


@pytest.mark.parametrize(
    ("name", "stateful"),
    [("a token that expires", False), ("OAuth, then a session", True), ("LINE", True)],
)
def test_a_token_alone_keeps_no_talk(name: str, stateful: bool) -> None:
    text = yaml.safe_dump({"target": WRITTEN[name]}).replace("URL", "http://h").replace("PORT", "0")
    assert stateful is read_target(marked(text)).spec.stateful
