"""A command as people write it: what is run, and what is wrong with it."""

import sys
from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.core.talk import Reply, Talk
from simulator.targets._context import TargetContext
from simulator.targets.command import Command, arguments_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, mode in (("bot", 0o755), ("plain.py", 0o644)):
        (tmp_path / name).write_text("#!/bin/sh\nread -r line\necho '\"said\"'\n", "utf-8")
        (tmp_path / name).chmod(mode)
    return tmp_path


def test_a_text_is_split_into_words_and_a_list_is_taken_as_it_is(folder: Path) -> None:
    assert ("a b", "c") == arguments_of("sh 'a b' c", folder)[1:]
    assert ("a | b", ">", "8") == arguments_of(["sh", "a | b", ">", 8], folder)[1:]


def test_a_program_is_found_on_the_path_or_in_the_clients_folder(folder: Path) -> None:
    assert Path(arguments_of("sh", folder)[0]).is_absolute()
    assert str(folder / "bot") == arguments_of("./bot x", folder)[0]
    assert sys.executable == arguments_of([sys.executable, "bot.py"], folder)[0]


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("", "it's empty"),
        ([], "it's empty;"),
        ([""], "it's empty;"),
        ("no-such-program-at-all x", r"no program 'no-such-program-at-all' is on the PATH$"),
        ("bot", r"no program 'bot' is on the PATH; use \./bot for the one in"),
        ("./gone.py", "there is no file .*gone.py"),
        ("./plain.py", r'plain.py isn\'t executable; run chmod \+x .*"python ./plain.py"'),
        ("sh 'a", r"can't be split into words \(No closing quotation\); use a list"),
        ("sh x | tee log", r"'\|' needs a shell, .*command: \[sh, -c, 'sh x \| tee log'\]"),
    ],
)
def test_what_cannot_be_run_is_said_with_what_would_be_right(
    folder: Path, command: str | list[str], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        arguments_of(command, folder)


@pytest.mark.parametrize("command", ["", [], "sh x | tee log", "sh 'a"])
def test_what_is_wrong_on_any_machine_is_wrong_in_the_settings(command: str | list[str]) -> None:
    with pytest.raises(ValueError, match="; use"):
        Command.Settings(command=command)


async def test_a_target_is_opened_from_its_settings(folder: Path) -> None:
    def no_prompt(name: str) -> None:
        raise AssertionError(name)

    context = TargetContext(folder, "en", None, None, no_prompt)  # type: ignore[arg-type]
    target = Command.open(Command.Settings(command="./bot"), context)
    assert Reply("said") == await target.answer("q", Talk("a"))
    await target.close()
