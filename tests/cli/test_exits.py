"""The exit status that goes with each error."""

import click
import pytest

from simulator.cli.exits import status_of
from simulator.core.errors import InputError, MogiError, StoreError


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (click.exceptions.Exit(7), 7, ""),
        (click.exceptions.Abort(), 130, "interrupted"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.UsageError("no such option"), 2, "no such option"),
        (click.ClickException("no file"), 2, "Error: no file"),
        (InputError("no scenario", "no persona"), 2, "no scenario\nno persona"),
        (StoreError("it is locked"), 2, "mogi: it is locked"),
        (MogiError("it broke off"), 3, "mogi: it broke off"),
        (FileNotFoundError(2, "No such file", "a.csv"), 3, "mogi: a.csv: No such file; for the"),
        (SystemExit(4), 4, ""),
        (SystemExit("a sentence"), 1, ""),
        (ZeroDivisionError("oops"), 3, "a bug in mogi (ZeroDivisionError: oops)"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_error_has_a_sentence_and_a_status(
    error: BaseException, status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status == status_of(error)
    printed = capsys.readouterr()
    assert ("", True) == (printed.out, said in printed.err)
