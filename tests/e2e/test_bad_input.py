"""Wrong options, names, keys and files: one clear sentence, status 2, no traceback, no run left."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import Done, Mogi

CLIENT = 'language: ja\ntarget: {kind: function, function: "bot:answer"}\npersonas: [calm]\n'
SCENARIOS = "- {id: shipping, query: 送料はいくらですか}\n"
BOT = "def answer(question, history):\n    return '500円です。'\n"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write({"client.yaml": …})`: a client `acme` that is right but for these files."""

    def make(files: dict[str, str | bytes] | None = None) -> Path:
        folder = tmp_path / "scenarios" / "acme"
        whole = {"client.yaml": CLIENT, "scenarios.yaml": SCENARIOS, "bot.py": BOT}
        for name, content in {**whole, **(files or {})}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    return make


def refused(done: Done, *said: str) -> None:
    """Nothing on stdout, all of this on stderr, and nothing that only a programmer reads."""
    assert (2, "") == (done.status, done.out), done.err
    assert [] == [words for words in said if words not in done.err], done.err
    assert "Traceback" not in done.err


def no_run_is_left(mogi: Mogi) -> None:
    """There is no store, or none with a run in it."""
    assert 2 == mogi("show", "latest").status


# What is typed


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("rnu", "no command 'rnu'; did you mean run? choose from: run, check"),
        ("run", "which client? e.g. `mogi run demo`"),
        ("run dmo", 'no client "dmo"; did you mean demo? choose from: demo, demo-en'),
        ("check dmo", 'no client "dmo"; did you mean demo?'),
        ("run /no/such/folder", 'no client "/no/such/folder"'),
        ("run demo --persona agry", "no persona 'agry'; did you mean angry?"),
        ("run demo --scenario chnge-email", "did you mean change-email?"),
        ("run demo --tag vage", "no tag 'vage'; did you mean vague?"),
        ("run demo --report junt=x", "no report 'junt'; did you mean junit?"),
        ("run demo --report junit", "missing path: write --report junit=PATH"),
        ("run demo --report json=no/x.json", "the folder no doesn't exist"),
        ("run demo --report json=.", ". is a folder; use a file in it"),
        ("run demo --report json=-", "- isn't supported; set a path, or use"),
        ("run demo --report nobody:Report", "can't import 'nobody'"),
        ("run demo --limit 0", "'--limit': 0 is not in the range x>=1"),
        ("run demo --repeat x", "'--repeat': 'x' is not a valid integer"),
        ("run demo --concurrency 0", "'--concurrency': 0 is not in the range x>=1"),
        ("run demo --fail-under 2", "'--fail-under': 2.0 is not in the range 0<=x<=1"),
        ("run demo --fail-under nan", "'--fail-under': nan is not a number"),
        ("run demo --budget 0", "'--budget': 0.0 is not in the range x>0"),
        ("run demo --budget inf", "'--budget': inf is not a number"),
        ("run demo --assign some", "'some' is not one of 'all', 'random', 'round_robin'"),
        ("run demo --resum latest", "No such option '--resum'"),
        ("run demo --model ", "'--model': it is empty; is a shell variable not set?"),
        ("run demo --resume ", "'--resume': it is empty"),
        ("run demo --force", "--force requires --resume RUN"),
        ("run --resume latest", "there is no store at mogi.db; `mogi run demo` creates one"),
        ("run demo --reuse 7f", "there is no store at mogi.db"),
        ("run demo --store mogi.db", "use sqlite:///path/to/mogi.db"),
        ("show", "Missing argument 'RUN'"),
        ("show latest", "there is no store at mogi.db"),
        ("runs", "there is no store at mogi.db"),
        ("report latest --report junt=x", "did you mean junit?"),
        ("init a/b", "'a/b' isn't a valid client name; use one word, such as acme"),
        ("init ..", "'..' isn't a va"),
        ("init ", "it is empty"),
    ],
)
def test_what_is_mistyped_is_named_with_what_would_be_right(
    mogi: Mogi, typed: str, said: str
) -> None:
    refused(mogi(*typed.split(" ")), said)
    no_run_is_left(mogi)


def test_a_mistyped_option_leaves_no_file_behind(mogi: Mogi, tmp_path: Path) -> None:
    mogi("run", "demo", "--persona", "agry")
    assert [] == list(tmp_path.iterdir())


def test_numbers_beyond_all_reason_do_no_harm(mogi: Mogi) -> None:
    many = str(10**9)
    absurd = ["--concurrency", many, "--max-turns", many, "--seed", f"-{many * 3}"]
    assert 0 == mogi("run", "demo", "--limit", "2", *absurd, "--quiet").status


def test_no_arguments_show_what_there_is(mogi: Mogi) -> None:
    done = mogi()
    assert 2 == done.status
    assert "Usage: mogi" in done.err
    assert "mogi run demo" in done.err


def test_a_run_that_is_not_there_or_not_the_only_one(
    mogi: Mogi, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = iter(["ab01", "secret", "ab02", "secret"])
    monkeypatch.setattr("simulator.execution.request.secrets.token_hex", lambda _: next(ids))
    for _ in range(2):
        mogi("run", "demo", "--limit", "1", "--quiet")
    for command in (["show"], ["export"], ["report"], ["run", "--resume"]):
        refused(mogi(*command, "zz"), "no run 'zz' in mogi.db; to list the runs: `mogi runs`")
        refused(mogi(*command, "ab"), "'ab' is ambiguous: ab02, ab01; write more of the ID")


# Keys and models


def test_a_missing_key_is_named_before_anything_runs(mogi: Mogi, write: Write) -> None:
    refused(mogi("run", "demo", "--model", "gpt-4.1-mini"), "set OPENAI_API_KEY", "gpt-4.1-mini")
    write({"client.yaml": CLIENT + "judge: {model: m, api_key_env: JUDGE_KEY}\n"})
    refused(mogi("run", "acme"), "no key for the model m: set JUDGE_KEY", "--offline")
    no_run_is_left(mogi)


def test_a_base_url_that_is_none(mogi: Mogi, write: Write) -> None:
    write({"client.yaml": CLIENT + 'judge: {model: m, base_url: "localhost:11434"}\n'})
    refused(mogi("run", "acme"), "client.yaml:4: judge.base_url is not a URL")


# A client's files


@pytest.mark.parametrize(
    ("function", "bot", "said"),
    [
        ("nobody:answer", BOT, "client.yaml: target.function: no module 'nobody' in "),
        ("bot:anser", BOT, "'bot' has no 'anser'; did you mean answer?"),
        ("bot:LIMIT", "LIMIT = 3\n", "is of type int; use a function"),
        ("bot:Bot", "class Bot: ...\n", "is a class; use a function"),
        ("bot:answer", "def answer(q):\n    return q\n", "mogi calls it as (question, history)"),
        ("bot", BOT, 'use "module:name"'),
        ("bot:answer", "import nobody\n", "bot.py:1: importing the bot failed: ModuleNotFound"),
        ("bot:answer", "def (\n", "bot.py:1: importing the bot failed: SyntaxError"),
        ("bot:answer", "\nraise RuntimeError('no db')\n", "bot.py:2: importing the bot failed"),
        ("bot:answer", "import sys\nsys.exit(4)\n", "bot.py:2: importing the bot failed"),
    ],
)
def test_a_target_that_cannot_be_had(
    mogi: Mogi, write: Write, function: str, bot: str, said: str
) -> None:
    write({"client.yaml": CLIENT.replace("bot:answer", function), "bot.py": bot})
    refused(mogi("run", "acme"), "scenarios/acme/", said)
    no_run_is_left(mogi)


_LAUGHS = "".join(f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 9)}]\n" for i in range(1, 12))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("scenarios.yaml", "", "scenarios.yaml: empty file"),
        ("scenarios.yaml", "[]", "scenarios.yaml: there are no scenarios; add at least one"),
        (
            "scenarios.yaml",
            "- {id: a, qury: x}",
            'scenarios.yaml:1: unknown key "qury"; did you mean',
        ),
        ("scenarios.csv", "id,query\na,b\n", "both scenarios.yaml and scenarios.csv are there"),
        ("client.yaml", "", "client.yaml: empty file"),
        ("client.yaml", "language: ja\n  target: {kind\n", "client.yaml:2: "),
        ("client.yaml", f"x0: &x0 [x]\n{_LAUGHS}", "makes the file grow without limit"),
        ("client.yaml", "[" * 100_000, "client.yaml:1: is nested more than 40 deep"),
        ("client.yaml", 'language: !!python/object/apply:os.system ["x"]', "tags such as"),
        ("client.yaml", b"language: ja\n# \xff\n", "client.yaml:2: byte 0xff (number 16) is not"),
        ("client.yaml", "# ログイン\n".encode("cp932"), "this is Shift_JIS (cp932), not UTF-8"),
        ("client.yaml", CLIENT + "metrics: [overal]", "client.yaml:4: no metric"),
        ("client.yaml", CLIENT.replace("[calm]", "[clam]"), "did you mean calm?"),
        ("client.yaml", CLIENT.replace("function,", "functon,"), "did you mean function?"),
        ("personas/calm.yaml", "nam: x", "personas/calm.yaml:1: id is missing"),
    ],
)
def test_a_file_that_cannot_be_used(
    mogi: Mogi, write: Write, name: str, content: str | bytes, said: str
) -> None:
    write({name: content})
    for command in ("run", "check"):
        refused(mogi(command, "acme"), "scenarios/acme", said)
    no_run_is_left(mogi)


def test_all_that_is_wrong_is_said_at_once(mogi: Mogi, write: Write) -> None:
    write({"client.yaml": "targt: {}\nmax_turns: x\n", "scenarios.yaml": "- {id: a}\n"})
    done = mogi("check", "acme")
    refused(done, ":1: language is missing", ':1: unknown key "targt"', ":2: max_turns", "query")
    assert len(done.err.splitlines()) >= 5


def test_a_client_that_is_no_folder(mogi: Mogi, tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()
    refused(mogi("run", "a-file"), "this is a file; use the folder with client.yaml")
    (tmp_path / "empty").mkdir()
    refused(mogi("run", "empty"), "there's no client.yaml", "mogi init")


def test_a_folder_that_is_there_is_not_overwritten(mogi: Mogi, write: Write) -> None:
    folder = write()
    refused(mogi("init", "acme"), "scenarios/acme: already exists; choose another name,")
    assert CLIENT == (folder / "client.yaml").read_text("utf-8")
