"""What is complained of in the settings of an HTTP target, as a person sees it: with its line."""

from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.files.client.client_yaml import read_target
from simulator.targets.http import Http
from tests.formats.written import marked
from tests.targets.http.bots import context

URL = "url: http://127.0.0.1:1/chat"


def _complaints(*lines: str) -> list[str]:
    text = "\n".join(["target:", "  kind: http", *(f"  {line}" for line in lines)])
    return [str(complaint) for complaint in read_target(marked(text)).complaints]


def test_right_settings_are_kept_as_they_were_written() -> None:
    text = (
        "target: {kind: http, url: 'https://h/c', method: post, headers: {A: 'Bearer ${T}'},"
        " body: {question: '{{ question }}', n: 1.50, deep: [null, {x: true}]}, stateful: true}"
    )
    found = read_target(marked(text))
    assert () == found.complaints
    assert {
        "url": "https://h/c",
        "method": "POST",
        "headers": {"A": "Bearer ${T}"},
        "body": {"question": "{{ question }}", "n": 1.5, "deep": [None, {"x": True}]},
    } == found.spec.settings
    assert not found.local


def test_a_session_makes_the_bot_stateful() -> None:
    session = "session: {url: http://h/s, id: id}"
    text = f"target: {{kind: http, url: http://h/c, {session}}}"
    assert read_target(marked(text)).spec.stateful


QUESTION = "body: {q: '{{ question }}'}"


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ((), "1: target.url is missing; write it (a URL that begins with https:// or http:/"),
        (("url: ftp://h",), "3: target.url is not a URL; write one that begins with https:// or"),
        (("url: http://me:pw@h/c",), "3: target.url contains a user name or a password (not"),
        (("url: 'http://h/c?api_key=abc'",), "3: target.url contains a key (not shown here); kee"),
        (("url: 'http://h/c?k=${KEY}'",), "3: target.url has a ${NAME} in its query, where logs"),
        (("url: 'http://h/{{ qestion }}'",), '3: target.url: no value "qestion"; did you mean qu'),
        ((URL, "method: 'PO ST'"), '4: target.method: "PO ST" isn\'t an HTTP method; use POST or'),
        ((URL, "headers: {X-A: '{{ quest }}'}"), '4: target.headers: no value "quest"; did you m'),
        ((URL, "headers: {'X A': b}"), '4: target.headers: "X A" isn\'t a header name'),
        ((URL, "headers: {Authorization: Bearer abcdefgh}"), "4: target.headers: Authorization c"),
        ((URL, "headers: {x-api-key: 0123456789}"), "4: target.headers: x-api-key contains a"),
        ((URL, "params: {token: abc}"), '4: target.params: "token" would put a key into the url'),
        ((URL, "params: {k: '${KEY}'}"), '4: target.params: "k" would put a key into the url'),
        ((URL, "body: {q: '{{ question'}"), '4: target.body: mogi can\'t parse the template'),
        ((URL, "body: {q: '{{ question | tojsn }}'}"), '4: target.body: no filter "tojsn"; did y'),
        ((URL, "body: {q: '{{ history[0].user }}'}"), ": list object has no e"),
        ((URL, "body: {q: '${BOT-KEY}'}"), '4: target.body: "${BOT-KEY}" isn\'t an environment'),
        ((URL, "body: {token: abcdefgh123456789012345}"), "4: target.body: token contains a key"),
        ((URL, "body: '{\"q\": \"{{ question }}\"}'"), "4: target.body: it isn't JSON once it's"),
        ((URL, "body: {q: hello}"), "1: target doesn't send the question; add {{ question }}"),
        ((URL, "method: GET"), "1: target doesn't send the question; add {{ question }}"),
        ((URL, QUESTION, "form: {q: '{{ question }}'}"), "1: target has both a body and a form;"),
        ((URL, "body: {q: '{{ question }}', s: '{{ session }}'}"), "1: target uses {{ session }}"),
        ((URL, "answer: $.data.answer"), '4: target.answer: "$.data.answer" isn\'t a JMESPath:'),
        ((URL, "answer: 回答"), 'isn\'t allowed there; did you mean "回答" ?'),
        ((URL, "documents: 'sources[].txt('"), '4: target.documents: "sources[].txt(" isn\'t a JM'),
        ((URL, "document_ids: 'lenght(@)'"), "no function lenght(); did you mean length?"),
        ((URL, "stream: sses"), '4: target.stream: no "sses"; did you mean sse? choose from: '),
        ((URL, "sse: {end: x}"), "1: target has sse, but stream is none; write stream: sse"),
        ((URL, "stream: sse", "sse: {ends: x}"), '5: target.sse: unknown key "ends"; did you'),
        ((URL, "session: {url: http://h/s}"), "4: target.session.id is missing; write it (a JMES"),
        ((URL, "session: {url: 'http://h/{{ session }}', id: id}"), "uses {{ session }} in the c"),
        ((URL, "session: {url: http://h/s, id: id, close: {url: 'http://h/{{ question }}'}}"),
         "uses {{ question }} in session.close; choose from: session, episode"),
        ((URL, "attempts: 0"), "4: target.attempts: 0 is too small; write 1 or more"),
        ((URL, "bdy: {}"), '4: target: unknown key "bdy"; did you mean body?'),
        ((URL, "cookies: 1"), "4: target.cookies: 1 is not true or false"),
    ],
)  # fmt: skip
def test_each_mistake_has_its_line_and_says_what_is_right(
    lines: tuple[str, ...], complaint: str
) -> None:
    (found,) = _complaints(*lines)
    assert complaint in found


@pytest.mark.parametrize(
    "secret", ["sk-abcdefghijklmnop", "0123456789abcdef0123456789abcdef", "correct-horse-battery"]
)
@pytest.mark.parametrize(
    "line", ["headers: {{Authorization: 'Bearer {}'}}", "url: 'http://h/c?token={}'",
             "headers: {{X-Secret: '{}'}}", "params: {{key: '{}'}}"]
)  # fmt: skip
def test_a_key_that_was_pasted_is_never_repeated(line: str, secret: str) -> None:
    lines = (line.format(secret),) if line.startswith("url") else (URL, line.format(secret))
    (found,) = _complaints(*lines)
    assert secret not in found
    assert "keep it in the environment and write it into a header" in found


def test_everything_that_is_wrong_is_told_at_once() -> None:
    assert 4 == len(
        _complaints("url: nowhere", "answer: a[", "body: {q: '{{ x }}'}", "documents: ''")
    )


@pytest.mark.parametrize(
    "headers",
    [
        "{Authorization: 'Bearer ${T}'}",
        "{Authorization: 'Bearer {{ session }}'}",
        "{Cookie: 'lang=ja; theme=dark'}",
        "{X-Session: mogi-tests, Content-Type: application/json}",
    ],
)
def test_what_is_no_key_may_stand_there(headers: str) -> None:
    session = "session: {url: http://h/s, id: id}"
    assert [] == _complaints(URL, f"headers: {headers}", session)


def _opened(**settings: Any) -> Http:
    return Http.open(Http.Settings(**settings), context())


def test_variables_that_are_not_set_are_told_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET", "x")
    session = {"url": "http://h/s", "id": "id", "headers": {"X-S": "${UNSET_B} ${SET}"}}
    body = {"q": "{{ question }}", "t": "${UNSET_C}", "price": "$${SET}"}
    with pytest.raises(InputError) as caught:
        _opened(url="http://h/c", headers={"X-A": "${UNSET_A}"}, body=body, session=session)
    places = {"headers.X-A": "UNSET_A", "session.headers.X-S": "UNSET_B", "body": "UNSET_C"}
    told = "the environment variable {0} is not set; set it before you start mogi, such as with: "
    assert [
        f"target.{place}: {told.format(name)}export {name}=..." for place, name in places.items()
    ] == [str(complaint) for complaint in caught.value.complaints]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("bot.example/chat", "target.url is not a URL; write one that begins with"),
        ("http://h/c?api_key=canary", "target.url contains a key (not shown here)"),
    ],
)
def test_an_address_of_the_environment_is_looked_at(
    value: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_URL", value)
    with pytest.raises(InputError) as caught:
        _opened(url="${BOT_URL}")
    assert complaint in str(caught.value)
    assert "canary" not in str(caught.value)


def test_nothing_is_read_from_the_environment_by_checking_alone(tmp_path: Path) -> None:
    assert [] == _complaints("url: '${BOT_URL}/chat'", "headers: {Authorization: '${BOT_TOKEN}'}")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            (URL, "preset: diffy"),
            'x.yaml:4: target.preset: no "diffy"; did you mean dify? choose from: dify, responses',
        ),
        (
            (URL, "carry: {a: 'b..c'}"),
            (
                'x.yaml:4: target.carry.a: "b..c" isn\'t a JMESPath: "." at column 3 '
                "isn't allowed there; use paths such as data.answer, choices[0].text, "
                'data."with-hyphen", '
                "sources[].id"
            ),
        ),
        (
            (URL, "carry: {'header:X Y': id}"),
            (
                'x.yaml:4: target.carry.header:X Y: "header:X Y" has no header name; write '
                "header:NAME, without a space"
            ),
        ),
        (
            (URL, "body: '{{ question }}'", "carry: {talk: id}"),
            (
                "x.yaml:1: target carries talk into a body that isn't a mapping; write carry: "
                "{query:talk: ...} or {header:talk: ...}, or body as a mapping"
            ),
        ),
        (
            (URL, "poll: {url: 'http://127.0.0.1:1/jobs', job: id}"),
            "x.yaml:1: target has poll, but doesn't use the job; write {{ job }} in poll.url",
        ),
        (
            (URL, "poll: {url: 'http://h/{{ job }}', job: id, every_s: 0}"),
            (
                "x.yaml:4: target.poll.every_s: 0 is too small; write more than 0.0 "
                "(seconds between two requests)"
            ),
        ),
        (
            (f"{URL}/{{{{ job }}}}",),
            "x.yaml:1: target uses {{ job }}, which only exists in poll; use it in poll.url",
        ),
    ],
)
def test_ids_presets_and_jobs_are_checked(lines: tuple[str, ...], said: str) -> None:
    assert [said] == _complaints(*lines)


def test_a_bot_that_is_sent_its_ids_remembers_as_one_with_a_session_does() -> None:
    head = "target: {kind: http, url: http://h/c"
    assert read_target(marked(f"{head}, preset: dify}}")).spec.stateful
    session = "session: {url: http://h/s, id: id}"
    assert read_target(marked(f"{head}, preset: dify, {session}}}")).spec.stateful
