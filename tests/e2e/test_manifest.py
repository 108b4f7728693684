"""What a client reaches is confirmed once by a person, and nothing else is read or asked."""

import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import simulator
from simulator.core.errors import InputError
from simulator.formats.own_files import text_file
from simulator.formats.sources import Source
from tests.e2e.conftest import Mogi
from tests.e2e.test_reach import shop

HTTP = "kind: http, url: 'http://127.0.0.1:9/chat'"
RUN = ("run", "shop", "--limit", "1", "--quiet")
LINE = "host POST http://127.0.0.1:9/chat (target.url)"
CODE = "kind: function, function: 'evil:answer'"
OPENS = re.compile(
    r"ClientSession\(|AsyncClient\(|DefaultAioHttpClient|HTTPAdapter\)|urlopen|socket\("
)

Terminal = Callable[[str], None]


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Somebody at a terminal, who types this when asked."""

    def sits(typed: str) -> None:
        def read(_: str = "") -> str:
            if typed == "^C":
                raise KeyboardInterrupt
            return typed

        monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        monkeypatch.setattr("click.termui.visible_prompt_func", read)

    return sits


@pytest.mark.parametrize("typed", ["", "n", "^C"])
def test_nothing_but_a_y_confirms(
    mogi: Mogi, tmp_path: Path, terminal: Terminal, typed: str
) -> None:
    shop(tmp_path, HTTP)
    terminal(typed)
    done = mogi(*RUN)
    assert (130 if typed == "^C" else 2) == done.status
    assert "POST http://127.0.0.1:9/chat (target.url)" in done.err
    assert ("shop: not confirmed; mogi made no calls" in done.err) == (typed != "^C")
    assert not (tmp_path / "mogi.db").exists()
    assert not (tmp_path / "state").exists()


def test_a_new_manifest_asks_once_and_a_changed_one_again(
    mogi: Mogi, tmp_path: Path, terminal: Terminal
) -> None:
    made = shop(tmp_path, HTTP)
    terminal("y")
    assert "POST http://127.0.0.1:9/chat (target.url)" in mogi(*RUN).err
    (kept,) = (tmp_path / "state" / "mogi" / "manifests").iterdir()
    assert (0o600, 0o700) == (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777)
    assert LINE in kept.read_text("utf-8").splitlines()
    terminal("n")
    assert "reaches" not in mogi(*RUN).err
    client = made / "client.yaml"
    client.write_text(client.read_text("utf-8").replace("/chat'", "/jobs'"), "utf-8")
    done = mogi(*RUN)
    assert 2 == done.status
    assert f"New since you confirmed:\n  {LINE.replace('chat', 'jobs')}" in done.err
    kept.chmod(0o644)  # anybody's: it is not believed
    client.write_text(client.read_text("utf-8").replace("/jobs'", "/chat'"), "utf-8")
    assert 2 == mogi(*RUN).status


@pytest.mark.parametrize("command", ["run shop", "targets try shop hello"])
def test_without_a_terminal_a_line_says_it_and_the_run_goes_on(
    mogi: Mogi, tmp_path: Path, command: str
) -> None:
    shop(tmp_path, HTTP)
    done = mogi(*command.split())
    (note,) = (line for line in done.err.splitlines() if "unconfirmed" in line)
    assert note == ("note: shop accesses 1 unconfirmed resource; to list it: `mogi check shop`")
    assert len(note) <= 80
    assert 2 != done.status


def test_check_marks_what_nobody_has_confirmed(mogi: Mogi, tmp_path: Path) -> None:
    shop(tmp_path, HTTP)
    out = mogi("check", "shop").out
    (marked,) = (line for line in out.splitlines() if "[unconfirmed]" in line)
    assert "POST http://127.0.0.1:9/chat" in marked
    assert "answer y when `mogi run` asks in a terminal" in out


def test_a_manifest_in_a_file_and_untrusted_ask_nobody(
    mogi: Mogi, tmp_path: Path, terminal: Terminal
) -> None:
    shop(tmp_path, HTTP)
    terminal("n")
    assert 0 == mogi("check", "shop", "--manifest", "reach.txt").status
    for more in (
        ["--manifest", "reach.txt"],
        ["--untrusted", "--allow-host", "127.0.0.1:9"],
        ["--allow-host", "127.0.0.1:9"],
        ["--dry-run"],
    ):
        done = mogi(*RUN, *more)
        assert (True, True) == (done.status != 2, "reaches" not in done.err), done.err


def test_a_file_that_is_written_and_not_in_the_manifest_is_a_difference(
    mogi: Mogi, tmp_path: Path
) -> None:
    shop(tmp_path, "kind: demo", "metrics: [lexical]\nscore_by: lexical")
    assert 0 == mogi("check", "shop", "--manifest", "reach.txt").status
    kept = tmp_path / "reach.txt"
    assert "written mogi.db (store)" in kept.read_text("utf-8").splitlines()
    run = (*RUN, "--manifest", "reach.txt")
    assert mogi(*run).status in (0, 3)
    for more, line in (
        (("--report", "json=out.json"), "written out.json (output)"),
        (("--log", "calls.jsonl"), "written calls.jsonl (output)"),
        (("--store", "sqlite:///other.db"), "written other.db (store)"),
    ):
        done = mogi(*run, *more)
        assert 2 == done.status
        assert f"the run also accesses: {line}" in done.err
        assert f"if that is right, add to reach.txt: {line}" in done.err
        assert not (tmp_path / line.split()[1]).exists()
        kept.write_text(f"{kept.read_text('utf-8')}{line}\n", "utf-8")
        assert mogi(*run, *more).status in (0, 3)
    assert 0 == mogi("check", "shop", "--manifest", "reach.txt").status


def test_attack_mogi_is_brought_to_write_what_its_run_does_not_name(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop(tmp_path, "kind: demo", "metrics: [lexical]\nscore_by: lexical")
    elsewhere = tmp_path / ".bashrc"

    def led(_: object, run: object, path: str | None) -> None:
        del run, path
        with text_file(str(elsewhere)) as file:
            file.write("evil")

    monkeypatch.setattr("simulator.reports.json.Json.write", led)
    done = mogi(*RUN, "--report", "json=out.json")
    assert f"{elsewhere} is not in the manifest: this run writes out.json" in done.err
    assert not elsewhere.exists()


@pytest.mark.parametrize("client", ["demo", "demo-en", "shop"])
def test_what_reads_its_own_folder_alone_asks_nobody(
    mogi: Mogi, tmp_path: Path, terminal: Terminal, client: str
) -> None:
    shop(tmp_path, "kind: demo", "metrics: [lexical]\nscore_by: lexical")
    terminal("n")
    done = mogi("run", client, "--limit", "1", "--quiet")
    assert (True, "") == (done.status in (0, 3), done.err.partition("mogi: nothing could")[0])


def test_attack_a_link_in_the_folder_leads_to_a_file_beside_it(
    mogi: Mogi, tmp_path: Path, terminal: Terminal
) -> None:
    made = shop(tmp_path)
    (tmp_path / "salaries.csv").write_text("id,title,content\ns,Pay,100\n", "utf-8")
    (made / "faq.csv").unlink()
    (made / "faq.csv").symlink_to(tmp_path / "salaries.csv")
    terminal("n")
    done = mogi(*RUN)
    leads = f"scenarios/shop/faq.csv (knowledge → {tmp_path}/salaries.csv)"
    assert (2, True) == (done.status, leads in done.err), done.err


def test_code_and_programs_are_said_to_be_not_confined(mogi: Mogi, tmp_path: Path) -> None:
    shop(tmp_path, CODE)
    assert "Code and programs aren't sandboxed" in mogi("check", "shop").out
    mogi("check", "shop", "--manifest", "reach.txt")
    assert (
        "code evil:answer (target.function), not confined"
        in (tmp_path / "reach.txt").read_text("utf-8").splitlines()
    )


def test_in_python_the_log_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    shop(tmp_path, HTTP)
    monkeypatch.chdir(tmp_path)
    with caplog.at_level(logging.WARNING, "mogi"), pytest.raises(InputError, match="--scenario"):
        simulator.simulate_sync("shop", options=simulator.Options(scenarios=("none",)))
    (record,) = caplog.records
    assert "shop accesses 1 unconfirmed resource" in record.getMessage()


def test_every_file_that_is_read_is_in_the_manifest(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = shop(tmp_path, "kind: demo", "metrics: [lexical]\nscore_by: lexical")
    for kind in ("personas", "prompts", "rubrics"):
        (made / kind).mkdir()
    read: set[str] = set()
    opened = Source.opened

    def note(self: Source) -> object:
        if self.within is not None:
            read.add(self.name)
        return opened(self)

    monkeypatch.setattr(Source, "opened", note)
    mogi(*RUN)
    files = {each["name"] for each in mogi("check", "shop", "--json").json["reach"]["files"]}
    assert read
    assert read <= files


def test_connections_are_opened_where_the_manifest_is_looked_at_and_nowhere_else() -> None:
    package = Path(simulator.__file__).parent
    opening = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if OPENS.search(path.read_text("utf-8"))
    }
    known = {
        "llm/client.py",
        "targets/_wire/client.py",
        "worksheets/google/http.py",
    }
    loopback = {"targets/_isolated.py", "view/serving.py"}
    assert known == opening - loopback
    for name in known:
        text = (package / name).read_text("utf-8")
        assert "config.refusal(" in text or "check_granted(" in text
