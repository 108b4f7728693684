"""The served page: who gets what, and verdicts that reach the store."""

import asyncio
import gzip
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from yarl import URL

from simulator.core.claim import claims_of
from simulator.core.errors import InputError
from simulator.core.run import Run
from simulator.core.scenario import Expected, Scenario
from simulator.core.verdict import Verdict, Word, settled
from simulator.reports.html.data import answer_hash
from simulator.review.expectation_page import ExpectationDoor
from simulator.review.view import View
from simulator.store.store import Store
from tests.execution.scored import episode, header, rated, turn
from tests.review.test_expectations import folder, read, says
from tests.waiting import PATIENCE_S

__all__ = ["folder"]  # a fixture
HEADER = header(planned=1)
EXPECTED = Expected(elements=(("in Osaka",),))
_SCENARIO = Scenario("parcel", "Where is it?", expected=EXPECTED)
TALK = replace(episode(turn(rated(1, "Wrong."))), scenario=_SCENARIO)
KEY = TALK.cell.key
FIELDS = ("word", "error_type", "corrected", "comment")
ANSWER = TALK.turns[0].exchange.assistant


@pytest.fixture
async def store(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/mogi.db"
    with Store.create(url) as made:
        made.begin(HEADER)
        await made.save_episode(HEADER.id, 0, TALK)
        made.finish(HEADER, {})
    return url


@pytest.fixture
async def page(store: str) -> AsyncIterator["Page"]:
    view = View(HEADER, store)
    address = await view.start(0)
    async with aiohttp.ClientSession() as session:
        yield Page(session, address, view.token)
    await view.close()


class Page:
    """Asks what the page's script asks, and as it does: signed, and answered so."""

    def __init__(self, session: aiohttp.ClientSession, address: str, token: str) -> None:
        self.session = session
        self.root, _, self.fragment = address.partition("#")
        self.token = token

    async def get(self, path: str, **headers: str) -> tuple[int, str]:
        """What anybody gets."""
        async with self.session.get(self.root + path, headers=headers) as answer:
            return answer.status, await answer.text()

    async def ask(self, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """What the page gets; where it is let in, the answer is signed."""
        method = "GET" if body is None else "POST"
        sent = await self.head(method, path, body or b"")
        async with self.session.request(
            method,
            URL(self.root + path, encoded=True),
            data=None if body is None else BytesIO(body),
            headers={"Authorization": sent, **headers},
        ) as answer:
            content = await answer.read()
            if answer.status not in (401, 403):
                signature, digest = sent.split()[-1], sha256(content).hexdigest()
                expected = self.signed("answer", signature, str(answer.status), digest)
                assert expected == answer.headers["Mogi-Signature"]
            return answer.status, content

    async def data(self) -> Any:
        return json.loads(gzip.decompress((await self.ask("data"))[1]))

    async def give(self, *given: Any, **headers: str) -> tuple[int, str]:
        """Send what a person changed: of each verdict every field."""
        edits = [edit for verdict in given for edit in edits_of(verdict)]
        return await self.send(*edits, **headers)

    async def send(self, *edits: Any, **headers: str) -> tuple[int, str]:
        body = json.dumps({"edits": edits}).encode()
        status, content = await self.ask("verdicts", body, **headers)
        return status, content.decode()

    async def head(self, method: str, path: str, body: bytes = b"") -> str:
        """With which a request is signed."""
        host = URL(self.root).authority
        server, _ = (await self.get("proof?nonce=n"))[1].split()
        digest = sha256(body).hexdigest()
        signature = self.signed("request", method, f"/{path}", host, server, digest)
        return f"Mogi {digest} {signature}"

    def signed(self, *parts: str) -> str:
        return hmac.new(self.token.encode(), "\n".join(parts).encode(), "sha256").hexdigest()


def edits_of(verdict: dict[str, Any]) -> list[dict[str, Any]]:
    about = {name: value for name, value in verdict.items() if name not in FIELDS}
    return [{**about, "field": name, "value": verdict[name]} for name in FIELDS]


def edit(field: str, value: str, *seen: str, second: int = 0, **about: Any) -> dict[str, Any]:
    """A field that a person changed, where the page showed what is `seen`."""
    at = f"2026-11-22T10:00:{second:02}+00:00"
    made = {**given(at=at), **about, "field": field, "value": value, "seen": seen}
    return {name: value for name, value in made.items() if name not in FIELDS}


def given(**changes: Any) -> dict[str, Any]:
    return {
        "run": HEADER.id,
        "episode": KEY,
        "turn": 1,
        "hash": answer_hash(ANSWER),
        "word": "NG",
        "error_type": "unsupported",
        "corrected": "It is in Osaka.",
        "comment": "",
        "reviewer": "佐藤",
        "at": "2026-11-22T10:00:00+00:00",
        **changes,
    }


def said(store: str) -> list[tuple[str, Word | None, str]]:
    with Store.read(store) as read:
        return [(v.reviewer, v.word, v.corrected) for v in read.verdicts(HEADER.id)]


async def test_the_address_holds_the_token_where_no_browser_sends_it(page: Page) -> None:
    assert page.root.startswith("http://127.0.0.1:")
    assert page.fragment == f"token={page.token}"


async def test_without_the_token_there_is_a_shell_and_nothing_else(page: Page) -> None:
    status, text = await page.get("")
    assert status == 200
    for private in (HEADER.id, HEADER.client, ANSWER, KEY):
        assert private not in text
    for path in ("data", "lead", "since", "verdicts"):
        assert (await page.get(path))[0] == 401
        assert (await page.get(path, Authorization="Bearer x"))[0] == 401


async def test_with_the_token_there_is_all_of_the_run(page: Page) -> None:
    assert (await page.data())["talks"][0]["turns"][0]["bot"] == ANSWER
    status, text = await page.ask("lead")
    assert (status, b"acme" in text or b"Pass rate" in text) == (200, True)


@pytest.mark.parametrize(
    "foreign",
    [{"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}],
)
async def test_another_host_or_origin_is_refused(
    page: Page, store: str, foreign: dict[str, str]
) -> None:
    assert (await page.give(given(), **foreign))[0] == 403
    assert (await page.ask("data", None, **foreign))[0] == 403
    assert said(store) == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "../../etc/passwd", 404),
        ("GET", "%2e%2e/%2e%2e/etc/passwd", 404),
        ("GET", "/data/", 404),
        ("TRACE", "", 405),
        ("OPTIONS", "verdicts", 405),
        ("PUT", "verdicts", 405),
    ],
)
async def test_there_is_nothing_else_and_every_answer_is_hardened(
    page: Page, method: str, path: str, status: int
) -> None:
    head = {"Authorization": await page.head(method, path)}
    where = URL(page.root + path, encoded=True)
    async with page.session.request(method, where, headers=head) as answer:
        assert answer.status == status
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Cache-Control"] == "no-store"
        assert not [name for name in answer.headers if name.startswith("Access-Control")]


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["GET / HTTP/1.0"], 403),  # no host at all
        (["GET http://{host}/ HTTP/1.1", "Host: evil.example"], 403),
        (["GET /data HTTP/1.1", "Host: {host}", "Host: evil.example"], 400),
        (["GET /data HTTP/1.1", "Host: {host}", "Authorization: Mogi \xff \xfe"], 401),
        (["GET //data HTTP/1.1", "Host: {host}"], 401),
        (["POST /verdicts HTTP/1.1", "Host: {host}", "Content-Length: 2", "", "[]"], 401),
        (["POST /verdicts HTTP/1.1", "Host: {host}", "Content-Length: 99999999999"], 401),
        (["\x16\x03\x01 this is no HTTP"], 400),
    ],
)
async def test_what_no_browser_sends_is_refused_without_a_word_on_the_terminal(
    page: Page,
    lines: list[str],
    status: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    host = URL(page.root).authority
    reader, writer = await asyncio.open_connection("127.0.0.1", URL(page.root).port)
    sent = [line.replace("{host}", host) for line in lines]
    writer.write(("\r\n".join([*sent, "", ""])).encode("latin-1"))
    async with asyncio.timeout(PATIENCE_S):
        first = await reader.readline()
    writer.close()
    assert int(first.split()[1]) == status
    assert caplog.records == []


@pytest.mark.parametrize(
    "body",
    [b"[" * 1_000_000, b'["\xff"]', b'[{"run": "\\ud800"}]', b"{}", b"", b"[" + b" " * 17_000_000],
)
async def test_a_body_that_is_no_list_of_verdicts_is_refused(
    page: Page, store: str, body: bytes
) -> None:
    head = {"Authorization": await page.head("POST", "verdicts", body)}
    for packed in (False, True):
        sent = gzip.compress(body) if packed else body
        more = {"Content-Encoding": "gzip"} if packed else {}
        where = page.root + "verdicts"
        async with page.session.post(where, data=BytesIO(sent), headers={**head, **more}) as answer:
            assert answer.status in (400, 413)
    assert said(store) == []


async def test_who_sends_slowly_keeps_nobody_from_ending_or_asking(store: str) -> None:
    view = View(HEADER, store)
    root = (await view.start(0)).partition("#")[0]
    host, slow = URL(root), []
    async with aiohttp.ClientSession() as session:
        page = Page(session, f"{root}#token={view.token}", view.token)
        head = await page.head("POST", "verdicts")
        lines = f"Host: {host.authority}\r\nAuthorization: {head}\r\n"
        for text in ("GET / HT", f"POST /verdicts HTTP/1.1\r\n{lines}"):
            for _ in range(50):
                _, writer = await asyncio.open_connection("127.0.0.1", host.port)
                writer.write(text.encode())
                slow.append(writer)
        assert (await page.give(given()))[0] == 200
    async with asyncio.timeout(PATIENCE_S):
        await view.close()
    for writer in slow:
        writer.close()


async def test_a_verdict_reaches_the_store_and_the_page(page: Page, store: str) -> None:
    assert (await page.give(given()))[0] == 200
    assert said(store) == [("佐藤", Word.NG, "It is in Osaka.")]
    [person] = (await page.data())["talks"][0]["turns"][0]["people"]
    assert (person["who"], person["word"]) == ("佐藤", "NG")


async def test_the_later_word_of_a_person_counts_and_an_empty_one_takes_it_back(
    page: Page, store: str
) -> None:
    await page.send(edit("word", "NG"), edit("word", "OK", "NG", second=5))
    with Store.read(store) as read:
        assert settled(read.verdicts(HEADER.id)) is Word.OK
    await page.send(edit("word", "", "OK", second=9))
    with Store.read(store) as read:
        assert settled(read.verdicts(HEADER.id)) is None


async def test_a_word_that_is_taken_back_holds_no_more_though_the_comment_stays(
    page: Page, store: str
) -> None:
    await page.send(edit("comment", "Hm."), edit("word", "NG", second=5))
    await page.send(edit("word", "", "NG", second=9))
    with Store.read(store) as read:
        verdicts = list(read.verdicts(HEADER.id))
    assert (settled(verdicts), verdicts[-1].comment) == (None, "Hm.")


async def test_the_latest_of_what_people_say_is_the_last_that_a_page_gets(page: Page) -> None:
    await page.send(edit("word", "NG", second=1, reviewer="A"))
    await page.send(edit("word", "NG", second=2, reviewer="B"))
    _, text = await page.send(edit("word", "OK", "NG", second=3, reviewer="A"))
    _, text = await page.send(
        edit("comment", "Hm.", second=4, reviewer="A"), edit("comment", "", second=4, reviewer="B")
    )
    assert ["B", "A"] == [each["reviewer"] for each in json.loads(text)["given"]]


async def test_verdicts_that_come_at_once_are_all_kept(page: Page, store: str) -> None:
    names = [f"person {n}" for n in range(12)]
    done = await asyncio.gather(*(page.give(given(reviewer=name)) for name in names))
    assert {status for status, _ in done} == {200}
    assert sorted(names) == sorted(name for name, _, _ in said(store))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"run": "other"}, "isn't an answer of this run"),
        ({"hash": "0" * 16}, "isn't an answer of this run"),
        ({"turn": 2}, "isn't an answer of this run"),
        ({"episode": "nobody/calm/1"}, "isn't an answer of this run"),
        ({"claim": "says-0badc1a1"}, "is not checked against the claim 'says-0badc1a1'"),
        ({"word": "maybe"}, "no verdict 'maybe'"),
        ({"reviewer": ""}, "has no reviewer"),
        ({"reviewer": " \u3000 "}, "has no reviewer"),
        ({"at": "9999-12-31T23:59:59.999999Z"}, "edits.0.at"),
        ({"at": "0001-01-01T00:00:00+14:00"}, "edits.0.at"),
        ({"error_type": "x" * 32_768}, "has an error type of 32768 characters"),
        ({"comment": "x" * 100_001}, "edits.3.value"),
    ],
)
async def test_what_is_no_verdict_of_this_run_is_refused_with_the_reason(
    page: Page, store: str, wrong: dict[str, Any], told: str
) -> None:
    status, text = await page.give(given(**wrong))
    assert (status, told in text) == (400, True)
    assert said(store) == []


async def test_while_another_process_holds_the_run_nothing_is_lost_silently(
    page: Page, store: str
) -> None:
    with Store.create(store) as other, other.lock(HEADER.id):
        status, text = await page.give(given())
    assert status == 503
    assert text
    assert (await page.give(given()))[0] == 200


async def test_a_tab_that_never_heard_of_another_ones_comment_does_not_replace_it(
    page: Page, store: str
) -> None:
    await page.send(edit("comment", "old"))
    await page.send(edit("corrected", "In Osaka.", second=1))  # both tabs showed the comment
    await page.send(edit("comment", "new", "old", second=2))
    status, _ = await page.send(edit("word", "NG", second=3), edit("error_type", "", second=4))
    with Store.read(store) as read:
        *_, last = read.verdicts(HEADER.id)
    kept = (last.word, last.comment, last.corrected)
    assert (status, *kept) == (200, Word.NG, "new", "In Osaka.")


async def test_what_the_page_did_not_show_is_not_replaced_and_is_told(
    page: Page, store: str
) -> None:
    assert (await page.send(edit("word", "NG")))[0] == 200
    mine, comment = edit("word", "OK", "unsure", second=9), edit("comment", "Hm.", second=9)
    other = edit("word", "OK", reviewer="鈴木")  # who takes nobody's place
    answer = json.loads((await page.send(comment, mine, other))[1])
    [newer] = answer["newer"]
    assert newer == {"edit": 1, "value": "NG", "at": given()["at"]}
    with Store.read(store) as read:
        verdicts = [(v.reviewer, v.word, v.comment) for v in read.verdicts(HEADER.id)]
    assert verdicts[1:] == [("佐藤", Word.NG, "Hm."), ("鈴木", Word.OK, "")]
    assert not json.loads((await page.send({**mine, "seen": ["NG"]}))[1])["newer"]
    assert said(store)[-1][:2] == ("佐藤", Word.OK)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (edit("word", "NG"), edit("word", "NG")),  # it was sent twice
        (edit("word", "NG"), edit("word", "NG", second=9)),  # it says the same
        (edit("word", ""), edit("word", "OK", "NG", second=9)),  # taken back
        (edit("word", "NG", reviewer=" 佐　藤 "), edit("word", "NG", reviewer="佐 藤")),
        (edit("word", "NG"), edit("comment", "Hm.")),  # of the same time
    ],
)
async def test_nobody_is_asked_where_nothing_is_lost(
    page: Page, store: str, before: dict[str, Any], now: dict[str, Any]
) -> None:
    await page.send(before)
    status, text = await page.send(now)
    assert (status, json.loads(text)["newer"]) == (200, [])
    with Store.read(store) as read:
        *_, last = read.verdicts(HEADER.id)
    assert now["value"] in (last.word, last.comment)


@pytest.mark.parametrize(
    "late",
    [
        edit("word", "OK", "", "OK"),  # sent again, since the answer to it was lost
        edit("word", "NG", "OK", second=2),  # changed before, where nothing was to be heard
        edit("word", "NG", "OK", second=9),  # who changed it never saw that it was taken back
    ],
)
async def test_what_was_taken_back_elsewhere_does_not_come_back_unseen(
    page: Page, store: str, late: dict[str, Any]
) -> None:
    await page.send(edit("word", "OK", ""))
    await page.send(edit("word", "", "OK", second=5))
    [newer] = json.loads((await page.send(late))[1])["newer"]
    assert newer == {"edit": 0, "value": "", "at": edit("word", "", second=5)["at"]}
    with Store.read(store) as read:
        assert settled(read.verdicts(HEADER.id)) is None
    again = edit("word", late["value"], "", second=12)  # whoever chose it, having seen both
    assert not json.loads((await page.send(again))[1])["newer"]
    assert said(store)[-1][:2] == ("佐藤", Word(late["value"]))


async def test_an_error_type_of_own_words_is_taken_as_a_sheet_takes_it(
    page: Page, store: str
) -> None:
    assert (await page.send(edit("error_type", "wrong shop")))[0] == 200
    with Store.read(store) as read:
        assert [verdict.error_type for verdict in read.verdicts(HEADER.id)] == ["wrong shop"]


async def test_what_was_changed_before_and_sent_later_is_the_last_word(
    page: Page, store: str
) -> None:
    await page.send(edit("word", "NG", second=9))
    await page.send(edit("comment", "Hm.", second=2))  # its server had been killed
    with Store.read(store) as read:
        first, last = read.verdicts(HEADER.id)
    assert (last.word, last.comment, first.at < last.at) == (Word.NG, "Hm.", True)


async def test_a_verdict_from_a_sheet_is_newer_and_its_other_fields_stay(
    page: Page, store: str
) -> None:
    with Store.create(store) as other:
        other.add_verdicts(
            HEADER.id,
            [Verdict(KEY, 1, Word.OK, "佐藤", "sheet", "2026-11-21", comment="Hm.")],
        )
    assert json.loads((await page.send(edit("word", "NG")))[1])["newer"]
    assert not json.loads((await page.send(edit("word", "NG", "OK")))[1])["newer"]
    with Store.read(store) as read:
        *_, last = read.verdicts(HEADER.id)
    assert (last.word, last.comment, last.source) == (Word.NG, "Hm.", "view")


async def test_each_answer_tells_what_the_store_has_of_that_person(page: Page) -> None:
    await page.give(given(reviewer="鈴木"))
    _, text = await page.give(given())
    assert [v["reviewer"] for v in json.loads(text)["given"]] == ["佐藤"]
    _, content = await page.ask("verdicts", '{"reviewer": "鈴木", "edits": []}'.encode())
    assert [v["reviewer"] for v in json.loads(content)["given"]] == ["鈴木"]


async def test_the_server_proves_that_it_knows_the_token_without_saying_it(page: Page) -> None:
    status, text = await page.get("proof?nonce=abc")
    server, proof = text.split()
    host = URL(page.root).authority
    assert (status, proof) == (200, page.signed("proof", "abc", host, server))
    assert (await page.get("proof?nonce=abc", Host="evil.example"))[0] == 403
    elsewhere = await page.get("proof?nonce=abc", Host=f"localhost:{URL(page.root).port}")
    assert elsewhere[1] != text  # so it proves nothing about another port either


async def test_what_was_signed_is_good_for_nothing_else(page: Page, store: str) -> None:
    head, port = await page.head("GET", "data?of=Abe"), URL(page.root).port
    sent = {"Authorization": head}
    assert (await page.session.get(page.root + "data?of=Abe", headers=sent)).status == 200
    for path, more in (
        ("lead", sent),
        ("data?of=Mori", sent),
        ("data?of=Abe", {**sent, "Host": f"localhost:{port}"}),
        ("data", {"Authorization": f"Bearer {page.token}"}),
    ):
        assert (await page.get(path, **more))[0] == 401
    head = await page.head("POST", "verdicts", json.dumps({"edits": []}).encode())
    body = json.dumps({"edits": [edit("word", "OK")]}).encode()
    other, where = BytesIO(body), page.root + "verdicts"
    async with page.session.post(where, data=other, headers={"Authorization": head}) as answer:
        assert answer.status == 401
    assert said(store) == []


async def test_what_was_signed_for_a_server_that_ended_is_good_for_no_other(store: str) -> None:
    view = View(HEADER, store)
    address = await view.start()
    async with aiohttp.ClientSession() as session:
        page = Page(session, address, view.token)
        sent = {"Authorization": await page.head("GET", "data")}
        await view.close()
        again = View(HEADER, store)
        assert await again.start() == address
        assert (await page.get("data", **sent))[0] == 401
        assert (await page.ask("data"))[0] == 200
    await again.close()


async def test_what_is_served_is_made_once_until_the_store_changes(store: str) -> None:
    compared: list[str] = []

    def since(run: Run) -> None:
        compared.append(run.header.id)

    view = View(HEADER, store, since)
    address = await view.start(0)
    async with aiohttp.ClientSession() as session:
        page = Page(session, address, view.token)
        bodies = [(await page.ask(path))[1] for path in ("data", "data", "since", "since")]
        assert (bodies[0] == bodies[1], len(compared)) == (True, 1)
        await page.give(given())
        assert (await page.ask("data"))[1] != bodies[0]
        await page.ask("since")
        assert len(compared) == 2
    await view.close()


async def test_a_store_that_cannot_be_read_is_told_in_a_sentence(store: str) -> None:
    view = View(HEADER, store)
    address = await view.start(0)
    async with aiohttp.ClientSession() as session:
        page = Page(session, address, view.token)
        assert (await page.ask("data"))[0] == 200
        Path(store.removeprefix("sqlite:///")).write_bytes(b"no database" * 1_000)
        status, text = await page.ask("data")
        assert (status, b"the store" in text) == (503, True)
    await view.close()


async def test_started_again_the_address_is_the_same(store: str) -> None:
    addresses = []
    for _ in range(2):
        view = View(HEADER, store)
        addresses.append(await view.start())
        await view.close()
    assert addresses[0] == addresses[1]


async def test_where_somebody_else_has_the_port_the_token_is_another_one(store: str) -> None:
    view = View(HEADER, store)
    first = await view.start()
    other = View(HEADER, store)
    second = await other.start()
    await view.close()
    await other.close()
    assert URL(first).port != URL(second).port
    assert view.token != other.token


async def test_so_many_verdicts_that_others_would_wait_are_refused(page: Page) -> None:
    status, why = await page.send(*(edit("word", "OK") for _ in range(1_001)))
    assert (400, True) == (status, "at most 1000" in why)
    status, _ = await page.send(*(edit("word", "OK") for _ in range(500)))
    assert status == 200


async def test_a_port_that_is_taken_is_told(page: Page, store: str) -> None:
    port = int(page.root.rsplit(":", 1)[1].rstrip("/"))
    with pytest.raises(InputError, match=f"port {port} is in use"):
        await View(HEADER, store).start(port)


async def test_expectations_need_the_token_and_a_client(
    page: Page, store: str, folder: Path
) -> None:
    assert (await page.get("expectations"))[0] == 401
    assert (await page.ask("expectations"))[0] == 404  # the run's client is not at hand
    view = View(HEADER, store, doors={"expectations": ExpectationDoor(lambda: read(folder))})
    served = Page(page.session, await view.start(0), view.token)
    assert (await served.get("expectations"))[0] == 401
    assert (await served.ask("expectations", Host="evil.example"))[0] == 403
    status, text = await served.ask("expectations")
    assert (200, 30, 20) == (status, len(json.loads(text)["rows"]), json.loads(text)["drawn"])
    await view.close()


@pytest.mark.parametrize(
    ("sent", "status", "trouble"),
    [
        ({"scenario": "q1", "claim": "1 pounds", "decision": "ok"}, 200, 0),
        ({"scenario": "q1", "claim": "1 pounds", "decision": "change", "text": "2 pounds"}, 200, 0),
        ({"scenario": "q1", "claim": "99 pounds", "decision": "ok"}, 200, 1),
        ({"scenario": "q99", "claim": "1 pounds", "decision": "ok"}, 200, 1),
        ({"decision": "bulk"}, 200, 1),  # not open yet
        ({"decision": "guess"}, 400, 0),
        ({"decision": "ok", "path": "/etc/passwd"}, 400, 0),
        ({"decision": "ok", "text": "x" * 100_001}, 400, 0),
    ],
)
async def test_what_the_page_says_of_a_claim(
    page: Page, store: str, folder: Path, sent: dict[str, str], status: int, trouble: int
) -> None:
    view = View(HEADER, store, doors={"expectations": ExpectationDoor(lambda: read(folder))})
    served = Page(page.session, await view.start(0), view.token)
    about = {**sent, "claim": says(sent["claim"])} if "claim" in sent else sent
    body = {"reviewer": "Abe", **about}
    answered, text = await served.ask("expectations", json.dumps(body).encode())
    assert status == answered
    if status == 200:
        assert trouble == len(json.loads(text)["trouble"])
    await view.close()
    assert (status == 200 and not trouble) == bool(read(folder).history)


async def test_a_verdict_on_a_claim_is_kept_beside_that_on_the_answer(
    page: Page, store: str
) -> None:
    claim = claims_of(EXPECTED)[0].id
    on_claim = given(claim=claim, word="OK", error_type="", corrected="")
    assert (await page.give(given(), on_claim))[0] == 200
    with Store.read(store) as read:
        assert [Word.NG] == [verdict.word for verdict in read.verdicts(HEADER.id)]
        (kept,) = read.verdicts(HEADER.id, claims=True)
    assert (claim, Word.OK, "佐藤") == (kept.claim, kept.word, kept.reviewer)
