"""Lists: a line per row in a pipe, and a last column that is wrapped on a terminal."""

import pytest
from rich.cells import cell_len

from simulator.cli.app import run
from simulator.console import layout as tables
from simulator.console.layout import one_liners

HEAD = ("id", "what kind of person")
ROWS = [
    ("angry", "迷惑をかけられたと思っていて、前置きはいいから結論だけ聞かせてほしい人"),
    ("hurried", "Types with one thumb between two appointments and has no second to spare"),
]


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    one_liners(HEAD, ROWS)
    return capsys.readouterr().out.splitlines()


def test_a_pipe_gets_one_line_per_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert [
        "id       what kind of person",
        f"angry    {ROWS[0][1]}",
        f"hurried  {ROWS[1][1]}",
    ] == printed(capsys)


def test_on_a_terminal_the_last_column_is_wrapped_below_itself(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_width", lambda: 50)
    lines = printed(capsys)
    assert all(cell_len(line) <= 50 for line in lines)
    assert ["id ", "ang", "   ", "hur", "   "] == [line[:3] for line in lines]
    assert ROWS[0][1] == lines[1].removeprefix("angry    ") + lines[2].strip()
    assert [" " * 9, "h"] == [lines[4][:9], lines[3][:1]]


def test_a_terminal_too_narrow_for_the_last_column_gets_one_line_per_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_width", lambda: 30)
    assert 3 == len(printed(capsys))


@pytest.mark.parametrize("command", ["targets", "personas", "reports"])
def test_what_there_is_fits_on_a_terminal_of_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(tables, "_width", lambda: 80)
    assert 0 == run([command])
    assert all(cell_len(line) <= 80 for line in capsys.readouterr().out.splitlines())
