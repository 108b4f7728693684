"""Wrong usage: one sentence with the nearest right one, and an example of that command."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from simulator.cli import usage
from simulator.cli.app import COMMANDS, app, run
from simulator.core.errors import Complaint, InputError

LIMIT = "Example:  mogi run demo-en --limit 6"
RUN = "Example:  mogi run demo-en\n"
SHOW = "Example:  mogi show latest\n"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("typed", "said", "example"),
    [
        ("rum demo", "mogi: no command 'rum'; did you mean run? choose from:", "mogi run demo-en"),
        ("demo-en", "no command 'demo-en'; did you mean mogi run demo-en?", "mogi run demo-en"),
        ("xyzzy", "no command 'xyzzy'; choose from: run, check", "mogi run demo-en"),
        ("help rum", "no command 'rum'; did you mean run?", "mogi run demo-en"),
        ("targets tri demo x", "mogi targets: no command 'tri'; did you mean try?", "targets try"),
        ("--hlep", "mogi: No such option '--hlep'; did you mean --help?", "mogi run demo-en"),
        ("run", "mogi run: which client?", RUN),
        ("run demo --limt 3", "mogi run: No such option '--limt'; did you mean --limit?", LIMIT),
        ("--limit 3 run demo", "mogi: No such option '--limit'; it's an option of mogi run", ""),
        ("report latest --html x", "No such option '--html'; write --report html=FILE", ""),
        ("check demo --limit 3", "No such option '--limit'; it's an option of mogi run", LIMIT),
        (
            "runs --xyzzy",
            "No such option '--xyzzy'; choose from: --store, --json, --help",
            "mogi runs",
        ),
        ("run demo --limit x", "'--limit': 'x' is not a valid integer\n", LIMIT),
        ("run demo --limit 0", "'--limit': 0 is not in the range x>=1", LIMIT),
        ("run demo --limit", "Option '--limit' requires an argument", LIMIT),
        ("run demo --fail-under x", "'--fail-under': 'x' is not a valid number\n", "0.5"),
        ("run demo --assign al", "'round_robin'; did you mean all?", "--assign random"),
        ("run demo --assign xyzzy", "'xyzzy' is not one of 'all', 'random', 'round_robin'\n", ""),
        ("run demo demo-en", "mogi run: Got unexpected extra argument (demo-en)", RUN),
        ("run dmo", 'no client "dmo"; did you mean demo?', RUN),
        ("run demo --persona agry", "no persona 'agry'; did you mean angry?", "--persona angry"),
        ("run demo --tag vage", "no tag 'vage'; did you mean vague?", "--tag vague"),
        ("run demo --report jnit", "no report 'jnit'; did you mean junit?", "--report junit="),
        ("run demo --force", "--force requires --resume RUN", RUN),
        ("show", "mogi show: Missing argument 'RUN'", SHOW),
        ("show latest x y", "mogi show: Got unexpected extra argument (y)", SHOW),
        ("init", "mogi init: which client?", "Example:  mogi init acme"),
        ("init a/b", "'a/b' isn't a valid client", "Example:  mogi init acme"),
        ("init a --language e", "did you mean en?", "mogi init acme --language en"),
        ("check dem", 'no client "dem"; did you mean demo?', "Example:  mogi check demo"),
        ("report latest --report", "'--report' requires an argument", "--report junit=mogi.xml"),
        ("targets try", "Missing argument 'CLIENT'", "Example:  mogi targets try demo"),
    ],
)
def test_a_wrong_call_is_answered_with_what_would_be_right(
    typed: str, said: str, example: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == run(typed.split())
    printed = capsys.readouterr()
    assert "" == printed.out
    assert said in printed.err
    assert "Example:  mogi " in printed.err
    assert example in printed.err


def test_a_call_that_is_wrong_as_such_shows_the_form_of_its_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(["show", "latest", "x", "y"])
    assert [
        "mogi show: Got unexpected extra argument (y)",
        "Usage:    mogi show [OPTIONS] RUN [CONVERSATION]",
        "Example:  mogi show latest",
        "More:     mogi show --help",
    ] == capsys.readouterr().err.splitlines()


def test_no_arguments_at_all_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == run([])
    assert capsys.readouterr().err.startswith("Usage: mogi [OPTIONS] COMMAND")


@pytest.mark.parametrize(
    "error",
    [
        InputError(Complaint("scenarios/acme/client.yaml", 3, "no key 'demo'")),
        InputError("no key for the model m: set OPENAI_API_KEY"),
        InputError("there is no store at mogi.db; `mogi run demo` creates one"),
    ],
)
def test_what_was_not_typed_is_not_answered_with_an_example(error: InputError) -> None:
    assert [str(error)] == usage.message_lines(error, app, ["run", "demo"])


def test_other_errors_are_none_of_its_business() -> None:
    assert [] == usage.message_lines(OSError("disk"), app, ["run", "demo"])


def test_a_command_without_examples_gets_none() -> None:
    bare = click.Group("mogi", commands=[click.Command("x", params=[click.Argument(["what"])])])
    error = click.UsageError("it is wrong.")
    told = usage.message_lines(error, bare, ["x"])
    assert ["mogi x: it is wrong", "Usage:    mogi x [OPTIONS] WHAT", told[-1]] == told


@pytest.mark.parametrize(
    ("command", "heavy"),
    [
        ("", "numpy sqlalchemy pydantic openai rich aiohttp jinja2 sudachipy yaml asyncio"),
        *((name, "numpy sqlalchemy openai aiohttp jinja2 sudachipy") for name in COMMANDS),
    ],
)
def test_help_is_printed_without_loading_what_only_runs_need(command: str, heavy: str) -> None:
    """Each of these takes longer to import than the whole help does to print."""
    code = (
        f"import sys; from simulator.cli.app import run; run([*{command.split()!r}, '--help'])\n"
        f"print(sorted(set({heavy.split()!r}) & sys.modules.keys()), file=sys.stderr)"
    )
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=here
    )
    assert "[]\n" == done.stderr
