"""What a folder that came by mail reaches is said before, and refused where it is not trusted."""

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simulator import config
from tests.e2e.conftest import SAYS, Mogi
from tests.loopback.server import ChatServer
from tests.loopback.threaded import served

CANARY = "canary-3c5e71aa90d24b"
SHEET = "abcdefghijklmnopqrstuvwxyz0123456789abcdefgh"
EVIL = "import pathlib\npathlib.Path('ran').touch()\n"
METRIC = """
from simulator.core.outcome import MetricInfo

class Evil:
    INFOS = (MetricInfo("evil", "Evil"),)
    @classmethod
    def open(cls, context): pathlib.Path('ran').touch()
    async def score(self, evidence): pass
"""
TARGETS = {
    "http": (
        (
            'kind: http, url: "https://bot.example/c", headers: {Authorization: "${AWS_KEY}"},'
            ' session: {url: "https://two.example/s", id: id, body: {k: "${SESSION_KEY}"}},'
            ' poll: {url: "https://three.example/{{ job }}", job: id}'
        ),
        [
            "the host https://bot.example (target.url)",
            "the host https://two.example (target.session.url)",
            "the host https://three.example (target.poll.url)",
            "the variable AWS_KEY (target.headers.Authorization → https://bot.example)",
            "the variable SESSION_KEY (target.session.body → https://two.example)",
        ],
    ),
    "a callback": (
        (
            'kind: http, url: "http://bot.example/c", callback: {port: 8765},'
            ' body: {q: "{{ question }}", to: "{{ callback }}"}'
        ),
        [
            "the host http://bot.example (target.url)",
            "the port 127.0.0.1:8765 (target.callback)",
        ],
    ),
    "a host of a variable": (
        'kind: http, url: "${BOT_URL}/chat"',
        ["the host ${BOT_URL} (target.url)", "the variable BOT_URL (target.url → ${BOT_URL})"],
    ),
    "a host of the question": (
        'kind: http, url: "http://127.0.0.1{{ question }}/chat"',
        ["the host http://127.0.0.1{{ question }} (target.url)"],
    ),
    "a host that looks like loopback": (
        'kind: http, url: "http://127.evil.example/chat"',
        ["the host http://127.evil.example (target.url)"],
    ),
    "websocket": (
        (
            'kind: websocket, url: "wss://ws.example/{{ episode }}", send: {q: "{{ question }}"},'
            ' headers: {Authorization: "Bearer ${WS_KEY}"}'
        ),
        [
            "the host wss://ws.example (target.url)",
            "the variable WS_KEY (target.headers.Authorization → wss://ws.example)",
        ],
    ),
    "openai_compatible": (
        (
            'kind: openai_compatible, base_url: "https://llm.example/v1", model: m,'
            ' api_key_env: BOT_KEY, extra_body: {token: "${MORE}"}'
        ),
        [
            "the host https://llm.example (target.base_url)",
            "the variable BOT_KEY (target.api_key_env, header Authorization → https://llm.example)",
            "the variable MORE (target.extra_body → https://llm.example)",
        ],
    ),
    "document": (
        "kind: document, text: text.txt, model: m, api_key_env: DOC_KEY",
        [
            "the host https://api.openai.com (target)",
            (
                "the variable DOC_KEY (target.api_key_env, header Authorization → "
                "https://api.openai.com)"
            ),
        ],
    ),
    "command": (
        'kind: command, command: [sh, -c, "touch ran"]',
        ["the program sh -c 'touch ran' (target.command)"],
    ),
    "function": ('kind: function, function: "evil:answer"', ["the code evil:answer"]),
    "langchain": ('kind: langchain, runnable: "evil:chain"', ["the code evil:chain"]),
    "llama_index": ('kind: llama_index, engine: "evil:engine"', ["the code evil:engine"]),
    "a kind of its own": ('kind: "evil:Evil", anything: 1', ["the code evil:Evil (target.kind)"]),
}
PARTS = {
    "user": ("user: {kind: 'evil:Evil'}", ["the code evil:Evil (user.kind)"]),
    "user's model": (
        "user: {model: m, headers: {X-Key: '${GATEWAY}'}}",
        [
            "the host https://api.openai.com (user)",
            "the variable GATEWAY (user.headers.X-Key → https://api.openai.com)",
        ],
    ),
    "judge": (
        "judge: {model: m, base_url: 'https://judge.example/v1', api_key_env: AWS_KEY}",
        [
            "the host https://judge.example (judge)",
            (
                "the variable AWS_KEY (judge.api_key_env, header Authorization → "
                "https://judge.example)"
            ),
        ],
    ),
    "embedding": (
        "embedding: {model: m, base_url: 'https://vectors.example/v1'}",
        ["the host https://vectors.example (embedding)"],
    ),
    "metrics": ("metrics: ['evil:Evil', overall]", ["the code evil:Evil (metrics)"]),
    "sheets": (f"sheets: {{spreadsheet: {SHEET}}}", ["the host https://sheets.googleapis.com"]),
}


def shop(folder: Path, target: str = "kind: demo", more: str = "", evil: str = "") -> Path:
    made = folder / "scenarios" / "shop"
    made.mkdir(parents=True)
    (made / "client.yaml").write_text(
        f"language: en\nknowledge: faq.csv\ntarget: {{{target}}}\n{more}\n", "utf-8"
    )
    (made / "scenarios.yaml").write_text("- {id: a, query: How much is delivery?}\n", "utf-8")
    (made / "faq.csv").write_text("id,title,content\nf,Delivery,5 euros.\n", "utf-8")
    (made / "text.txt").write_text("Delivery costs 5 euros.", "utf-8")
    functions = "def answer(question, history): ...\nchain = engine = None\n"
    (made / "evil.py").write_text(EVIL + METRIC + functions + evil, "utf-8")
    return made


CASES = {**TARGETS, **PARTS}


def _made(folder: Path, case: str) -> tuple[Path, list[str]]:
    written, reached = CASES[case]
    if case in TARGETS:
        return shop(folder, target=written), reached
    return shop(folder, more=written), reached


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And kinds of users and bots of one's own are found where Python finds what is installed."""
    monkeypatch.syspath_prepend(tmp_path / "scenarios" / "shop")
    for name in ("AWS_KEY", "SESSION_KEY", "BOT_KEY", "MORE", "DOC_KEY", "WS_KEY", "GATEWAY"):
        monkeypatch.setenv(name, CANARY)
    monkeypatch.setenv("BOT_URL", f"https://{CANARY}.example")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[object]]:
    """Whom somebody connected to or looked up, beyond loopback; and no program is started."""
    asked: list[object] = []
    plain = socket.socket.connect

    def connect(self: socket.socket, address: tuple[str, int]) -> None:
        if not str(address[0]).startswith("127."):
            asked.append(address)
            raise OSError("no network here")
        plain(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    started = subprocess.Popen.__init__

    def start(self: "subprocess.Popen[bytes]", words: list[str], *more: Any, **named: Any) -> None:
        if words[:1] != ["uname"]:  # by which Python tells the SDK what machine this is
            asked.append(words)
        started(self, words, *more, **named)

    monkeypatch.setattr(subprocess.Popen, "__init__", start)
    yield asked
    assert [] == asked


@pytest.mark.parametrize("case", CASES)
def test_check_and_dry_run_say_all_that_is_reached_and_run_nothing(
    mogi: Mogi, tmp_path: Path, case: str
) -> None:
    _, reached = _made(tmp_path, case)
    done = mogi("check", "shop")
    assert 0 == done.status, done.err
    for each in reached:
        _, _, thing = each.partition(" ")[2].partition(" ")
        assert all(part in done.out for part in thing.split(" (", 1)), done.out
    found = mogi("check", "shop", "--json").json["reach"]
    for each in reached:
        kind, name = each.split(" (")[0].removeprefix("the ").split(" ", 1)
        kind = kind if kind == "code" else f"{kind}s"
        assert name in [some["name"] for some in found[kind]]
    assert CANARY not in done.out
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize("case", [case for case in TARGETS if case != "a kind of its own"])
def test_a_dry_run_says_the_same_of_what_it_would_do(mogi: Mogi, tmp_path: Path, case: str) -> None:
    _, reached = _made(tmp_path, case)
    done = mogi("run", "shop", "--dry-run")
    assert 0 == done.status, done.err
    for each in reached:
        _, _, thing = each.partition(" ")[2].partition(" ")
        assert all(part in done.out for part in thing.split(" (", 1)), done.out
    assert (
        mogi("check", "shop", "--json").json["reach"]
        == (mogi("run", "shop", "--dry-run", "--json").json["reach"])
    )
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize("how", ["option", "variable"])
@pytest.mark.parametrize("case", CASES)
def test_untrusted_refuses_all_of_it_at_once(
    mogi: Mogi, tmp_path: Path, case: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, reached = _made(tmp_path, case)
    if how == "variable":
        monkeypatch.setenv("MOGI_UNTRUSTED", "1")
    done = mogi("run", "shop", *(["--untrusted"] if how == "option" else []))
    assert 2 == done.status
    for each in reached:
        assert f"scenarios/shop/client.yaml: --untrusted blocks {each}" in done.err
    assert len(reached) <= len(done.err.splitlines())
    assert CANARY not in done.err
    assert not list(tmp_path.rglob("ran"))
    assert not (tmp_path / "mogi.db").exists()


COMMANDS = (
    "check shop",
    "run shop",
    "run shop --dry-run",
    "run shop --offline",
    "generate shop --method title --faq faq.csv",
    "score answers.csv --client shop",
    "judge-check shop",
    "tune shop",
    "agreement shop",
    "coverage shop",
    "models try shop",
    "targets try shop hello",
    "metrics --client shop",
    "personas --client shop",
    "review apply shop",
    "sheets-check shop",
)


@pytest.mark.parametrize("typed", COMMANDS)
def test_every_command_that_opens_a_folder_refuses(mogi: Mogi, tmp_path: Path, typed: str) -> None:
    shop(tmp_path, "kind: function, function: 'evil:answer'", "metrics: ['evil:Evil', overall]")
    (tmp_path / "faq.csv").write_text("question,answer\nq,a\n", "utf-8")
    (tmp_path / "answers.csv").write_text("question,answer\nq,a\n", "utf-8")
    done = mogi(*typed.split(), "--untrusted")
    assert 2 == done.status
    assert "client.yaml: --untrusted blocks the code evil:Evil (metrics)" in done.err
    assert "client.yaml: --untrusted blocks the code evil:answer (target.function)" in done.err
    assert not list(tmp_path.rglob("ran"))


def test_what_the_command_line_names_is_refused_as_well(mogi: Mogi, tmp_path: Path) -> None:
    made = shop(tmp_path)
    ran = mogi("run", "shop", "--untrusted", "--quiet", "--limit", "1")
    assert "nothing could be scored" in ran.err  # it was played
    model = mogi("run", "shop", "--untrusted", "--model", "m")
    assert 2 == model.status
    assert "--untrusted blocks the host https://api.openai.com" in model.err
    metric = mogi("rejudge", "latest", "--metric", "evil:Evil", "--untrusted")
    assert (2, True) == (metric.status, "--untrusted blocks the code evil:Evil" in metric.err)
    report = mogi("run", "shop", "--untrusted", "--report", "evil:Evil=x")
    assert (2, True) == (report.status, "--untrusted blocks its code" in report.err)
    assert not list(made.rglob("ran"))


def test_reports_of_ones_own_are_told_and_not_imported(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop(tmp_path)
    report = "class Evil:\n    NEEDS_PATH = False\n    def write(self, run, path): ...\n"
    (tmp_path / "evil.py").write_text(EVIL + report, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    done = mogi("run", "shop", "--dry-run", "--report", "evil:Evil", "--report", "sheets=SHEET")
    assert 0 == done.status, done.err
    assert "evil:Evil (--report)" in done.out
    assert "https://sheets.googleapis.com/v4 (--report sheets)" in done.out
    assert "GOOGLE_APPLICATION_CREDENTIALS (--report sheets → https://sheets" in done.out
    assert not list(tmp_path.rglob("ran"))


def test_what_a_proxy_is_told_is_said(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("https_proxy", "http://me:secret@proxy.example:3128")
    monkeypatch.setenv("all_proxy", "http://other.example")
    shop(
        tmp_path,
        "kind: http, url: 'https://bot.example/x'",
        "user: {model: m, base_url: 'http://127.0.0.1:1/v1'}\n"
        "judge: {model: m, base_url: 'http://models.example/v1'}",
    )
    hosts = mogi("check", "shop", "--json").json["reach"]["hosts"]
    assert {
        ("http://proxy.example:3128", "proxy → https://bot.example"),
        ("http://other.example", "proxy → http://models.example"),
    } == {(host["name"], host["goes"]) for host in hosts if "proxy" in host["goes"]}


def test_a_model_on_this_machine_is_asked_through_no_proxy(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with served(lambda _: SAYS) as server:
        more = f"user: {{model: m, base_url: '{server.base_url}'}}\nmetrics: [lexical]\n"
        shop(tmp_path, more=f"{more}score_by: lexical")
        run = ("run", "shop", "--untrusted", "--limit", "1", "--quiet")
        refused = mogi(*run)
        host = config.host_and_port(config.origin(server.base_url))
        assert (2, True) == (refused.status, f"yours: --allow-host {host}\n" in refused.err)
        assert not server.requests
        done = mogi(*run, "--allow-host", host)
        assert done.status in (0, 3), done.err
        assert server.requests


def test_models_on_loopback_are_called_and_sent_no_key(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"sk-{CANARY}")
    monkeypatch.setenv("OPENAI_ORG_ID", CANARY)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Canary: {CANARY}")
    with served(lambda _: SAYS) as server:
        assert isinstance(server, ChatServer)
        shop(
            tmp_path,
            more=f"user: {{model: m, base_url: '{server.base_url}'}}\nmetrics: [lexical]\n"
            "score_by: lexical",
        )
        told = mogi("check", "shop").out
        for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_CUSTOM_HEADERS"):
            assert f"{name} (user → {config.origin(server.base_url)}, if set)" in told
        run = ("run", "shop", "--untrusted", "--limit", "1", "--quiet")
        refused = mogi(*run)
        host = config.host_and_port(config.origin(server.base_url))
        assert (2, True) == (refused.status, f"yours: --allow-host {host}\n" in refused.err)
        assert not server.requests
        done = mogi(*run, "--allow-host", host)
        assert done.status in (0, 3), done.err
        assert server.requests
        for request in server.requests:
            assert CANARY not in str(request)


def test_code_that_is_not_there_is_told_by_its_text(mogi: Mogi, tmp_path: Path) -> None:
    for number, (target, told) in enumerate(
        [
            ("function: 'evil:answers'", "no 'answers'; did you mean answer?"),
            ("function: 'evils:answer'", "target.function: can't import 'evils'"),
            ("function: 'evils:answer'", "; write evils.py into the client's folder or where mogi"),
            ("function: 'evil'", 'isn\'t the name of any code; use "module:name"'),
            ("function: 'evil:Evil'", "is a class; use a function"),
            (
                "function: 'evil:answer', prompt: text.txt",
                "too many positional arguments; define it as def answer(query, history, prompt)",
            ),
        ]
    ):
        folder = tmp_path / str(number)
        shop(folder, f"kind: function, {target}")
        done = mogi("check", str(folder / "scenarios" / "shop"))
        assert (2, True) == (done.status, told in done.err), done.err


@pytest.mark.parametrize(
    ("place", "here"),
    [
        ("http://127.0.0.1:8000", True),
        ("http://localhost", True),
        ("ws://[::1]:80", True),
        ("http://LOCALHOST:1", True),
        ("http://127.0.0.1.nip.io", False),
        ("http://127.evil.example", False),
        ("http://localhost.evil.example", False),
        ("http://127.0.0.1:80{{ question }}", False),
        ("${URL}", False),
        ("http://0.0.0.0", False),
        ("file:///etc/passwd", False),
    ],
)
def test_only_loopback_is_here(place: str, here: bool) -> None:
    assert here == config.is_here(place)


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://a.example/x?y#z", "https://a.example"),
        ("http://127.0.0.1@evil.example/", "http://evil.example"),
        ("http://127.0.0.1\\@evil.example/", "http://evil.example"),
        ("${URL}/chat", "${URL}"),
        ("https://x.example?u=http://127.0.0.1", "https://x.example"),
    ],
)
def test_an_origin_is_that_of_who_is_asked(url: str, origin: str) -> None:
    assert origin == config.origin(url)


def test_attack_a_folder_asks_another_service_on_this_machine(mogi: Mogi, tmp_path: Path) -> None:
    with served(lambda _: SAYS) as mine, served(lambda _: SAYS) as jobs:
        url = f"url: '{jobs.base_url}', body: {{entrypoint: 'evil {{{{ question }}}}'}}, answer: a"
        shop(tmp_path, f"kind: http, {url}")
        host = config.host_and_port(config.origin(mine.base_url))
        for more in (["--untrusted"], ["--untrusted", "--allow-host", host]):
            done = mogi("run", "shop", *more, "--quiet")
            assert (2, True) == (done.status, "--untrusted blocks the host" in done.err)
        done = mogi("run", "shop", "--allow-host", host, "--quiet")
        assert (2, True) == (done.status, "--allow-host blocks the host" in done.err)
        assert [] == [*mine.requests, *jobs.requests]
    done = mogi("check", "shop", "--allow-host", "127.0.0.1")
    assert (2, True) == (done.status, "isn't a HOST:PORT, such as 127.0.0.1:8000" in done.err)


def test_attack_a_folder_that_was_read_once_reaches_more_later(mogi: Mogi, tmp_path: Path) -> None:
    made = shop(tmp_path)
    wrote = mogi("check", "shop", "--manifest", "reach.txt")
    assert (0, True) == (wrote.status, "wrote reach.txt" in wrote.err)
    assert 0o600 == (tmp_path / "reach.txt").stat().st_mode & 0o777
    assert "file scenarios/shop/faq.csv (knowledge)" in (tmp_path / "reach.txt").read_text("utf-8")
    run = ("run", "shop", "--manifest", "reach.txt", "--limit", "1", "--quiet")
    assert 0 == mogi("check", "shop", "--manifest", "reach.txt").status
    assert "reach.txt" not in mogi(*run).err
    client = made / "client.yaml"
    evil = client.read_text("utf-8").replace("kind: demo", "kind: http, url: 'http://e.example'")
    client.write_text(evil, "utf-8")
    for typed in (run, ("check", "shop", "--manifest", "reach.txt")):
        done = mogi(*typed)
        assert 2 == done.status
        more = "reach.txt: the run also accesses: host POST http://e.example/ (target.url)"
        assert more in done.err
    gone = mogi("run", "shop", "--manifest", "nowhere.txt")
    assert (2, True) == (gone.status, "nowhere.txt: file not found" in gone.err)
