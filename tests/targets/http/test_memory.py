"""Bots that keep the talk themselves: ids handed out and sent back, presets, later answers."""

from typing import Any

import pytest
from aiohttp import web

from simulator.core.errors import TargetFault
from simulator.core.ports import CallId, Role
from simulator.core.talk import Document, Reply, Talk, TargetFailure, Utterance
from tests.loopback.bot import Heard, Sent, stream
from tests.loopback.memory_bots import PASSAGE, Dify, Later, Responses
from tests.targets.fakes import MemoryJournal, guarded
from tests.targets.http.bots import context, failure_of, http_bot, reply_to


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFY_API_KEY", "app-0123456789")


async def _talked(target: Any, *questions: str, talk: Talk | None = None) -> Talk:
    talk = talk or Talk("e/p/1")
    for question in questions:
        talk = talk.with_exchange(Utterance(question), await target.answer(question, talk))
    return talk


FORMS: list[dict[str, Any]] = [{}, {"stream": "none", "body": {"response_mode": "blocking"}}]


@pytest.mark.parametrize("settings", FORMS)
async def test_dify_remembers_each_talk_apart_and_its_citations_are_documents(
    settings: dict[str, Any],
) -> None:
    async with http_bot(Dify(), preset="dify", **settings) as (target, _):
        first = await _talked(target, "a", "b", "c")
        other = await _talked(target, "x", "y", talk=Talk("o/p/1"))
    assert ["a", "a / b", "a / b / c"] == [e.assistant for e in first.exchanges]
    assert ["x", "x / y"] == [e.assistant for e in other.exchanges]
    assert (Document(PASSAGE, "ed599c7f", "送料.md"),) == first.last.documents
    assert all(isinstance(e.reply, Reply) and not e.reply.notes for e in first.exchanges)


async def test_an_agent_of_dify_streams_only() -> None:
    assert "q" == (await reply_to(Dify(agent=True), preset="dify")).text
    blocking = await failure_of(Dify(agent=True), preset="dify", **FORMS[1])
    assert "does not support blocking mode" in str(blocking)


async def test_what_dify_replaces_is_not_its_answer() -> None:
    assert "お答えできません。" == (await reply_to(Dify(moderated=True), preset="dify")).text


async def test_an_error_in_the_middle_of_difys_stream_is_told_in_its_words() -> None:
    failure = await failure_of(Dify(broken=True), preset="dify")
    assert (TargetFault.RAISED, "it answered with an error: quota exceeded") == (
        failure.fault,
        str(failure),
    )


async def test_what_is_written_counts_before_the_preset() -> None:
    settings: dict[str, Any] = {"body": {"inputs": {"plan": "pro"}}, "documents": None}
    async with http_bot(Dify(), preset="dify", **settings) as (target, server):
        reply = await target.answer("q", Talk("e"))
    sent = server.heard[0].json
    assert ({"plan": "pro"}, "q", "streaming") == (
        sent["inputs"],
        sent["query"],
        sent["response_mode"],
    )
    assert not reply.reports_documents


async def test_the_responses_api_goes_on_from_the_latest_response() -> None:
    tools = {"model": "m", "tools": [{"type": "file_search", "vector_store_ids": ["v"]}]}
    async with http_bot(Responses(), preset="responses", body=tools) as (target, server):
        talk = await _talked(target, "a", "b", "c")
    assert ["a", "a / b", "a / b / c"] == [e.assistant for e in talk.exchanges]
    assert (Document(PASSAGE, "file-1", "faq.md"),) == talk.last.documents
    ids = [heard.json.get("previous_response_id") for heard in server.heard]
    assert [None, *(f"resp_{n:032}" for n in (1, 2))] == ids


async def test_a_response_that_searched_nothing_says_nothing_of_documents() -> None:
    reply = await reply_to(Responses(), preset="responses")
    assert not reply.reports_documents


@pytest.mark.parametrize(
    ("act", "settings"),
    [(Dify(), {"preset": "dify"}), (Responses(), {"preset": "responses"})],
)
async def test_a_talk_that_was_cut_off_begins_anew_under_an_id_of_its_own(
    act: Any, settings: dict[str, Any]
) -> None:
    journal = MemoryJournal()
    async with http_bot(act, **settings) as (target, server):
        before = await _talked(guarded(target, journal=journal, stateful=True), "a", "b")
    # Another process: nothing is left but the journal, and the bot's own memory, in which there
    # may be a question whose answer nobody has.
    async with http_bot(act, **settings) as (target, server):
        talk = await _talked(guarded(target, journal=journal, stateful=True), "a", "b", "c")
    assert (3, "a / b / c") == (len(server.heard), talk.last.assistant)
    assert before.ids["{{ episode }}"] != talk.ids["{{ episode }}"]


async def test_attack_what_a_bot_hands_out_is_kept_nowhere(unused_tcp_port: int) -> None:
    """Who has the id of a talk, or of a session, is let into it."""
    secret, other = "canary-5f2e8a", "canary/ümlaut=9"

    def act(heard: Heard) -> Sent:
        if heard.path == "/sessions":
            return {"talk": secret}
        if heard.json["q"] == "c":
            return web.json_response({"error": f"no such talk: {secret} {other}"}, status=400)
        told = f"{heard.json.get('talk')} {heard.headers.get('X-Pass')} {heard.json['session']}"
        known = "yes" if told == f"{secret} {secret} {secret}" else "no"
        text = f"{known}, your talk is {secret}, {other}"
        return {"answer": text, "talk": secret, "docs": [{"text": secret}], "other": other}

    settings: dict[str, Any] = {
        "body": {"q": "{{ question }}", "session": "{{ session }}"},
        "session": {"url": f"http://127.0.0.1:{unused_tcp_port}/sessions", "id": "talk"},
        "carry": {"talk": "talk", "header:X-Pass": "talk", "more": "other"},
        "documents": "docs[].text",
    }
    journal = MemoryJournal()
    async with http_bot(act, port=unused_tcp_port, **settings) as (target, _):
        talk = await _talked(guarded(target, journal=journal, stateful=True), "a", "b", "c")
    first, second, last = talk.exchanges
    assert (True, True) == (first.assistant.startswith("no,"), second.assistant.startswith("yes,"))
    assert isinstance(last.reply, TargetFailure)
    for text in (repr(talk), repr(journal.records), str(last.reply.message)):
        assert "canary" not in text
    assert isinstance(first.reply, Reply)
    names = ["{{ episode }}", "talk", "header:X-Pass", "more", "{{ session }}"]
    assert names == list(first.reply.ids)
    assert ["***"] * 4 == list(first.reply.ids.values())[1:]


async def test_ids_go_by_header_and_query_and_come_by_header() -> None:
    def act(heard: Heard) -> Sent:
        told = [heard.headers.get("X-Talk", "-"), heard.query.get("thread", "-")]
        answer = {"answer": " ".join(told), "thread": {"id": 7}}
        return web.json_response(answer, headers={"X-Talk-Id": "t1"})

    carry = {"header:X-Talk": "header:X-Talk-Id", "query:thread": "thread.id"}
    async with http_bot(act, carry=carry, path="/chat?v=1") as (target, server):
        talk = await _talked(target, "q", "q")
    assert ["- -", "t1 7"] == [e.assistant for e in talk.exchanges]
    assert "1" == server.heard[1].query["v"]


async def test_an_id_may_come_once_alone() -> None:
    def act(heard: Heard) -> Sent:
        talk = heard.json.get("talk")
        return {"answer": str(talk), **({} if talk else {"id": "t1"})}

    async with http_bot(act, carry={"talk": "id"}) as (target, _):
        talk = await _talked(target, "a", "b", "c")
    assert ["None", "t1", "t1"] == [e.assistant for e in talk.exchanges]


async def test_an_id_that_does_not_come_is_a_failure_that_says_what_came() -> None:
    failure = await failure_of(lambda _: {"answer": "a", "idd": 1}, carry={"talk": "id"})
    assert TargetFault.INVALID == failure.fault
    told = (
        'carry.talk: "id" matches nothing: the body has no `id`; did you mean idd? it has: answer'
    )
    assert told in str(failure)
    failure = await failure_of(lambda _: {"answer": "a"}, carry={"talk": "header:X-Id"})
    assert "carry.talk: it sent no header X-Id" == str(failure)


async def test_a_key_that_comes_back_as_an_id_is_not_kept() -> None:
    journal = MemoryJournal()

    def act(heard: Heard) -> Sent:
        return {"answer": "a", "id": heard.headers["Authorization"]}

    headers = {"Authorization": "Bearer ${DIFY_API_KEY}"}
    async with http_bot(act, carry={"talk": "id"}, headers=headers) as (target, _):
        await guarded(target, journal=journal).answer("q", Talk("e"))
    (record,) = journal.records.values()
    assert "0123456789" not in record.response


@pytest.mark.parametrize(
    ("answer", "where"),
    [
        ({"answer": "a", "conversation_id": "c1"}, "conversation_id"),
        ({"answer": "a", "data": {"threadId": 5}}, "data.threadId"),
        ({"answer": "a", "id": "resp_1", "object": "response"}, "id"),
        ({"answer": "a", "id": "chatcmpl-1", "message_id": "m"}, ""),
    ],
)
async def test_an_id_that_is_sent_back_nowhere_is_noticed(
    answer: dict[str, Any], where: str
) -> None:
    body = {"q": "{{ question }}"}
    assert where == (await reply_to(lambda _: answer, body=body)).unsent
    # Who is told the talk need not remember it.
    assert "" == (await reply_to(lambda _: answer)).unsent


async def test_our_own_name_for_the_talk_is_no_id_that_was_handed_out() -> None:
    body = {"q": "{{ question }}", "session": "{{ episode }}"}

    def act(heard: Heard) -> Sent:
        return {"answer": "a", "session_id": heard.json["session"]}

    assert "" == (await reply_to(act, body=body)).unsent


async def test_a_run_hears_of_it_where_a_second_turn_was_asked() -> None:
    act: Any = lambda _: {"answer": "a", "conversation_id": "c1"}  # noqa: E731
    async with http_bot(act, body={"q": "{{ question }}"}) as (target, _):
        guard = guarded(target)
        talk = await _talked(guard, "a")
        assert "" == guard.unsent
        await _talked(guard, "b", talk=talk)
        assert "conversation_id" == guard.unsent


async def test_an_id_in_a_stream_is_noticed_too() -> None:
    async def act(heard: Heard) -> Sent:
        return await stream(heard, 'data: {"answer": "a", "thread_id": "t"}\n\n')

    assert "thread_id" == (await reply_to(act, stream="sse", body="{{ question }}")).unsent


def _poll(port: int, **settings: Any) -> dict[str, Any]:
    url = f"http://127.0.0.1:{port}/jobs/{{{{ job }}}}"
    return {"url": url, "job": "id", "every_s": 0.01, **settings}


@pytest.mark.parametrize("until", [{}, {"until": "status == 'done'"}])
async def test_an_answer_that_comes_later_is_waited_for(
    until: dict[str, str], unused_tcp_port: int
) -> None:
    headers = {"Authorization": "Bearer ${DIFY_API_KEY}"}
    poll = _poll(unused_tcp_port, **until)
    async with http_bot(
        Later(looks=3), port=unused_tcp_port, path="/ask", poll=poll, headers=headers
    ) as (target, server):
        assert "q" == (await target.answer("q", Talk("e"))).text
    looked = [(heard.method, heard.path) for heard in server.heard]
    assert [("POST", "/ask"), *[("GET", "/jobs/job%2F1")] * 3] == looked
    assert {"Bearer app-0123456789"} == {heard.headers["Authorization"] for heard in server.heard}


async def test_a_job_elsewhere_is_asked_for_without_the_bots_key(unused_tcp_port: int) -> None:
    headers = {"Authorization": "Bearer ${DIFY_API_KEY}"}
    poll = _poll(unused_tcp_port) | {
        "url": f"http://localhost:{unused_tcp_port}/jobs/{{{{ job }}}}"
    }
    async with http_bot(Later(), port=unused_tcp_port, path="/ask", poll=poll, headers=headers) as (
        target,
        server,
    ):
        await target.answer("q", Talk("e"))
    assert "Authorization" not in server.heard[-1].headers


async def test_an_answer_that_is_there_at_once_is_not_waited_for(unused_tcp_port: int) -> None:
    async with http_bot(
        lambda _: {"answer": "now"}, port=unused_tcp_port, poll=_poll(unused_tcp_port)
    ) as (target, server):
        assert ("now", 1) == ((await target.answer("q", Talk("e"))).text, len(server.heard))


async def test_the_timeout_includes_the_waiting(unused_tcp_port: int) -> None:
    async with http_bot(
        Later(looks=10**9), port=unused_tcp_port, path="/ask", poll=_poll(unused_tcp_port)
    ) as (target, _):
        said = await guarded(target, timeout_s=0.3).answer("q", Talk("e"))
    assert isinstance(said, TargetFailure)
    assert TargetFault.TIMEOUT == said.fault


async def test_a_job_that_failed_is_told_in_the_bots_words(unused_tcp_port: int) -> None:
    failure = await failure_of(
        Later(fails=True), port=unused_tcp_port, path="/ask", poll=_poll(unused_tcp_port)
    )
    assert "it answered with an error: out of memory" == str(failure)


async def test_a_job_without_a_name_is_a_failure(unused_tcp_port: int) -> None:
    failure = await failure_of(
        lambda _: web.json_response({"job": 1}, status=202),
        port=unused_tcp_port,
        poll=_poll(unused_tcp_port),
    )
    assert 'poll.job: "id" matches nothing: the body has no `id`; it has: job' in str(failure)


async def test_ids_stand_in_the_journal_and_older_records_have_none() -> None:
    journal = MemoryJournal()
    async with http_bot(lambda _: {"answer": "a"}) as (target, _):
        await guarded(target, journal=journal).answer("q", Talk("e"))
    record = journal.records[CallId("e", 1, Role.TARGET, "exchange")]
    assert '"ids"' not in record.response
    async with http_bot(lambda _: {"answer": "b"}, around=context()) as (target, _):
        said = await guarded(target, journal=journal).answer("q", Talk("e"))
    assert isinstance(said, Reply)
    assert ("a", {}, "") == (said.text, said.ids, said.unsent)


TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


@pytest.mark.parametrize(
    ("body", "headers", "settings", "trace"),
    [
        ({"data": {"trace_id": TRACE}}, {}, {"trace": "data.trace_id"}, TRACE),
        ({}, {"x-trace": "lf-1"}, {"trace": "header:x-trace"}, "lf-1"),
        ({}, {"traceparent": PARENT}, {}, TRACE),
        ({}, {"traceparent": PARENT}, {"trace": "data.trace_id"}, TRACE),
        ({"trace": PARENT}, {}, {"trace": "trace"}, TRACE),
        ({}, {"traceparent": f"00-{'0' * 32}-00f067aa0ba902b7-01"}, {}, ""),
        ({"trace_id": TRACE}, {"traceparent": "none"}, {}, ""),
    ],
)
async def test_an_answer_may_name_the_bots_own_trace(
    body: dict[str, Any], headers: dict[str, str], settings: dict[str, Any], trace: str
) -> None:
    def act(heard: Heard) -> Sent:
        return web.json_response({"answer": "a", **body}, headers=headers)

    assert trace == (await reply_to(act, **settings)).trace


async def test_the_trace_of_a_stream_may_come_with_any_event() -> None:
    def act(heard: Heard) -> Any:
        return stream(heard, f'data: {{"trace": "{TRACE}"}}\n\n', 'data: {"answer": "a"}\n\n')

    reply = await reply_to(act, stream="sse", trace="trace")
    assert ("a", TRACE) == (reply.text, reply.trace)


async def test_the_trace_and_the_time_of_an_answer_are_in_the_journal() -> None:
    journal = MemoryJournal()

    def act(heard: Heard) -> Sent:
        return web.json_response({"answer": "a"}, headers={"traceparent": PARENT})

    async with http_bot(act) as (bot, server):
        first = await guarded(bot, journal=journal).answer("q", Talk("e/p/1"))
        again = await guarded(bot, journal=journal).answer("q", Talk("e/p/1"))
    assert isinstance(first, Reply)
    assert (TRACE, True, 1) == (first.trace, first.at > 0, len(server.heard))
    assert first == again


async def test_a_path_to_no_trace_is_noted() -> None:
    reply = await reply_to(lambda heard: {"answer": "a"}, trace="data.trace_id")
    assert ("", True) == (reply.trace, reply.notes[0].startswith("trace: "))
