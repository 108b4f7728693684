"""A bot behind HTTP that fails: each failure says what came back, in the bot's own words."""

import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Document, Reply, Talk
from simulator.targets._wire import client as _http_client
from simulator.targets.http import Http
from tests.loopback.bot import Heard, Sent, cut, drop, hang, stream
from tests.targets.fakes import guarded
from tests.targets.http.bots import context, failure_of, http_bot, reply_to

Raised, Invalid, Empty = TargetFault.RAISED, TargetFault.INVALID, TargetFault.EMPTY


def _json(data: Any, status: int = 500) -> Callable[[Heard], Sent]:
    return lambda _: web.json_response(data, status=status)


def _sent(body: bytes | str, kind: str, status: int = 200) -> Callable[[Heard], Sent]:
    data = body.encode() if isinstance(body, str) else body
    return lambda _: web.Response(body=data, status=status, headers={"Content-Type": kind})


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (_json({"error": {"message": "no\x00 such id"}}, 400), "400 Bad Request: no such id"),
        (_json({"error": "quota"}, 429), "429 Too Many Requests: quota"),
        (_json({"error": {"code": 7}}), '500 Internal Server Error: {"error": {"code": 7}}'),
        (_json({"error": True, "message": "busy"}), "500 Internal Server Error: busy"),
        (_json({"detail": "x"}, 404), "404 Not Found: x; check the path of the URL"),
        (_json({"message": "過負荷です"}, 503), "503 Service Unavailable: 過負荷です"),
        (_json({"title": "Gone", "status": 410}, 410), "410 Gone: Gone"),
        (_json({"odd": [1]}), '500 Internal Server Error: {"odd": [1]}'),
        (
            _json({"detail": [{"loc": ["body", "question"], "msg": "Field required"}]}, 422),
            "422 Unprocessable Entity: body.question: Field required; check the keys of `body`",
        ),
        (
            _sent(
                "<html><head><title>502</title><style>x{}</style></head><body><h1>Bad &amp; gone"
                "</h1></body>",
                "text/html",
                502,
            ),
            "502 Bad Gateway: 502 - Bad & gone",
        ),
        (_sent("out of memory\n", "text/plain", 500), "500 Internal Server Error: out of memory"),
        (_sent(b"\xff\xfe", "application/json", 500), "500 Internal Server Error: \ufffd\ufffd"),
        (_sent("", "text/plain", 500), "500 Internal Server Error"),
        (_sent("x", "text/plain", 599), "599: x"),
        (_sent("", "text/plain", 304), "304 Not Modified"),
    ],
)
async def test_a_refusal_is_told_in_the_bots_own_words(
    act: Callable[[Heard], Sent], said: str
) -> None:
    error = await failure_of(act, attempts=1)
    assert (Raised, f"it answered POST /chat with {said}") == (error.fault, str(error))


@pytest.mark.parametrize("status", [401, 403])
async def test_a_bot_that_turns_away_is_a_finding_with_a_hint(status: int) -> None:
    error = await failure_of(_json({"message": "who?"}, status))
    assert "who?; " in str(error)
    assert "check the header with its key" in str(error)


async def test_a_page_of_an_error_is_neither_kept_nor_read_whole() -> None:
    error = await failure_of(_sent("x" * 5_000_000, "text/plain", 500))
    assert len(str(error)) < 600


@pytest.mark.parametrize(
    ("act", "fault", "said"),
    [
        (_sent("", "application/json"), Empty, "it answered POST /chat with an empty body"),
        (_sent("  \n", "text/plain"), Empty, "with an empty body"),
        (
            _sent('{"a": 1', "application/json"),
            Invalid,
            '(Expecting \',\' delimiter, line 1 column 8): "{"a": 1"',
        ),
        (
            _sent("[" * 100_000, "application/json"),
            Invalid,
            "nested too deep: more than 100 levels",
        ),
        (_sent("<html><title>Log in</title>", "text/html"), Invalid, "a web page: Log in; check"),
        (_sent("<!DOCTYPE html><p>Hi", "text/plain"), Invalid, "with a web page: Hi"),
        (_sent("hello", "text/plain"), Invalid, 'text/plain, which isn\'t JSON: "hello"; remove'),
        (
            _sent("data: x\n\n", "text/event-stream"),
            Invalid,
            "(text/event-stream); write stream: sse",
        ),
        (_sent(b'{"a": "\xff"}', "application/json"), Invalid, "isn't utf-8 (byte 0xff at 7)"),
        (_sent("null", "application/json"), Invalid, "matches nothing: the body is null"),
        (_json({"error": {"message": "none"}}, 200), Raised, "answered with an error: none"),
        (_json({"error": {"code": 7}}, 200), Raised, 'it answered with an error: {"code": 7}'),
        (_json({"data": {"answer": None}}, 200), Invalid, "`data.answer` is null"),
        (
            _json({"data": {"answer": 42}}, 200),
            Invalid,
            '"data.answer" leads to a number (42); expect',
        ),
        (_json({"data": {"answer": ["a", "b"]}}, 200), Invalid, "answer: join('', data.answer)"),
        (_json({"data": {"answer": {"x": 1}}}, 200), Invalid, "leads to a mapping"),
    ],
)
async def test_what_is_no_answer_is_told_for_what_it_is(
    act: Callable[[Heard], Sent], fault: TargetFault, said: str
) -> None:
    error = await failure_of(act, answer="data.answer")
    assert fault == error.fault
    assert said in str(error)


async def test_a_path_to_the_answer_that_finds_nothing_shows_what_was_there() -> None:
    body = {"data": {"answr": "Hi", "n": 1}, "log": [{"reply-text": "x"}]}
    error = await failure_of(_json(body, 200), answer="data.answer")
    assert (
        'answer: "data.answer" matches nothing: `data` has no `answer`; did you mean answr? '
        'it has: answr, n; text is at: data.answr, log[0]."reply-text"; the response was '
        '{"data": {"answr": "Hi", "n": 1}, "log": [{"reply-text": "x"}]}'
    ) == str(error)


async def test_without_a_path_a_mapping_has_to_have_an_answer() -> None:
    error = await failure_of(_json({"reply": "Hi"}, 200))
    assert "the body has no `answer`; it has: reply; text is at: reply" in str(error)


async def test_what_is_wrong_with_documents_is_a_note_and_no_failure() -> None:
    body = {"answer": "a", "sources": [{"id": 1, "txt": "x"}], "none": None, "empty": []}

    async def read(**paths: Any) -> Reply:
        return await reply_to(_json(body, 200), answer="answer", **paths)

    missing = await read(documents="sources[].text")
    assert (False, ()) == (missing.reports_documents, missing.documents)
    assert (
        'documents: "sources[].text" matches nothing: '
        "`sources[]` has no `text`; did you mean txt? it has: id, txt"
    ) == "".join(missing.notes)
    unread = await read(documents="sources")
    assert (False, ()) == (unread.reports_documents, unread.documents)
    assert "dict ({'id': 1, 'txt': 'x'}) as a document; expected" in unread.notes[0]
    assert not (await read(documents="none")).reports_documents
    assert Reply("a", reports_documents=True) == await read(documents="empty")
    assert Reply("a", reports_documents=True) == await read(documents="empty[].text")
    assert Reply("a", (Document("x", "1"),)) == await read(
        documents="sources[].txt", document_ids="sources[].id"
    )


async def test_the_guard_keeps_the_notes() -> None:
    async with http_bot(_json({"answer": "a"}, 200), answer="answer", documents="docs") as (
        target,
        _,
    ):
        said = await guarded(target).answer("q", Talk("e"))
    assert isinstance(said, Reply)
    assert 1 == len(said.notes)


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (drop, "it closed the connection without an answer to POST /chat"),
        (lambda h: cut(h, b'{"a', "application/json"), "it stopped in the middle of its answer"),
        (lambda h: cut(h, b"oh", "text/plain"), "it stopped in the middle of its answer to POST"),
    ],
)
async def test_a_connection_that_breaks_is_told(
    act: Callable[[Heard], Sent | Awaitable[Sent]], said: str
) -> None:
    async with http_bot(act) as (target, server):
        with pytest.raises(TargetError, match=said):
            await target.answer("q", Talk("e"))
        assert 1 == len(server.heard)  # the bot may have taken it: it is not asked twice


async def test_nobody_there_is_told_with_the_address(unused_tcp_port: int) -> None:
    place = f"http://127.0.0.1:{unused_tcp_port}"
    target = _at(f"{place}/chat")
    with pytest.raises(TargetError) as caught:
        await target.answer("q", Talk("e"))
    told = f"no server responds at {place} (Connection refused); is the bot running?"
    assert told == str(caught.value)
    await target.close()


async def test_an_unknown_host_is_told() -> None:
    target = _at("http://bot.invalid/chat")
    with pytest.raises(TargetError, match=r"unknown host bot\.invalid; check the URL"):
        await target.answer("q", Talk("e"))
    await target.close()


async def test_https_where_http_is_spoken_is_told() -> None:
    async with http_bot(_json({}, 200)) as (_, server):
        target = _at(f"{server.url.replace('http', 'https')}/chat")
        with pytest.raises(TargetError, match="doesn't use TLS; does its URL begin with http://"):
            await target.answer("q", Talk("e"))
        await target.close()


async def test_what_does_not_speak_http_is_told() -> None:
    def act(heard: Heard) -> Sent:
        assert heard.request.transport is not None
        heard.request.transport.write(b"SSH-2.0-OpenSSH_9.9\r\n")
        return drop(heard)

    assert "its response to POST /chat isn't HTTP" in str(await failure_of(act))


async def test_a_slow_loris_and_a_hang_end_with_the_deadline() -> None:
    async def drip(heard: Heard) -> Sent:
        return await stream(heard, *["data"] * 1000, pause=0.01)

    for act, stream_kind in ((drip, "sse"), (drip, "none"), (hang, "none")):
        async with http_bot(act, stream=stream_kind) as (target, _):
            said = await guarded(target, timeout_s=0.1).answer("q", Talk("e"))
            assert TargetFault.TIMEOUT == getattr(said, "fault", None)


async def test_an_answer_longer_than_any_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_http_client, "BODY_LIMIT", 2 * 1024 * 1024)
    error = await failure_of(_sent("a" * 3_000_000, "text/plain"))
    assert "its answer to POST /chat is longer than 2 MB; mogi didn't read the rest" == str(error)


async def test_faults_of_a_bot_leave_no_file_open() -> None:
    turns = itertools.count()

    def act(heard: Heard) -> Sent | Awaitable[Sent]:
        match next(turns) % 4:
            case 0:
                return drop(heard)
            case 1:
                return cut(heard, b"{", "application/json")
            case 2:
                return web.json_response({}, status=500)
        return hang(heard)

    async with http_bot(act, attempts=1) as (target, _):
        guard = guarded(target, timeout_s=0.05)
        for i in range(8):
            await guard.answer("q", Talk(f"a/p/{i}"))
        before = _open_files()
        for i in range(40):
            await guard.answer("q", Talk(f"b/p/{i}"))
        assert _open_files() <= before + 4


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def _at(url: str) -> Http:
    return Http.open(Http.Settings(url=url, attempts=1), context())
