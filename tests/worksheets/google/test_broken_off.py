"""Whatever breaks off, and wherever: done again, the spreadsheet ends with the same cells."""

from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.worksheets.book import Column, Worksheet
from simulator.worksheets.google.credentials import GoogleAccount
from simulator.worksheets.google.spreadsheet import Spreadsheet
from simulator.worksheets.google.writing import write_book
from tests.sheets_server.server import Fault, GoogleServer
from tests.worksheets.google.made import (
    KEY,
    LOG,
    Hours,
    KilledError,
    book,
    config,
    held,
    log,
    opened,
    review,
    summary,
)


def state_after(google: GoogleServer, spreadsheet: Spreadsheet, largest: int) -> Any:
    """What an unbroken run leaves, and how many requests it takes."""
    write_book(spreadsheet, long_book(), largest=largest)
    found = held(google.books[KEY])
    asked = len(google.requests)
    google.add(KEY)
    google.requests.clear()
    return found, asked


def long_book() -> Any:
    """Enough rows for several requests."""
    talks = [f"talk-{n}" for n in range(12)]
    return book(log(talks, text="長い回答" * 700), review(talks), summary(), config())


FAULTS = {
    "cut before": Fault(cut="before"),
    "cut after": Fault(cut="after"),
    "503": Fault(status=503),
    "503 though it was done": Fault(status=503, applied=True),
    "429": Fault(status=429, retry_after="7"),
}


SLOW = {"503", "429"}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, id=name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name, fault in FAULTS.items()
    ],
)
def test_cut_off_at_any_request_it_ends_the_same(
    google: GoogleServer, account: GoogleAccount, fault: Fault
) -> None:
    expected, asked = state_after(google, opened(account), 1)
    assert asked > 8
    for place in range(asked):
        google.add(KEY)
        google.faults.extend([None] * place + [fault])
        write_book(opened(account), long_book(), largest=1)
        assert not google.faults
        assert expected == held(google.books[KEY]), f"request {place}"


@pytest.mark.parametrize("cut", ["before", "after"])
def test_killed_at_any_request_and_started_again_it_ends_the_same(
    google: GoogleServer, account: GoogleAccount, cut: Any
) -> None:
    expected, asked = state_after(google, opened(account), 60_000)
    assert asked >= 5
    for place in range(asked):
        google.add(KEY)
        google.faults.extend([None] * place + [Fault(cut=cut)])
        with pytest.raises(KilledError):
            write_book(opened(account, Hours(deadly=True)), long_book(), largest=60_000)
        write_book(opened(account), long_book(), largest=60_000)
        assert expected == held(google.books[KEY]), f"request {place}"


def wide_row() -> Any:
    """A row that is too long for one request."""
    columns = (Column("config"), *(Column(f"c{n}") for n in range(30)))
    cells = ['{"talk":"long"}', *("長" * 40_000 for _ in range(30))]
    return book(Worksheet(LOG, columns, lambda: [["short", "x"], cells, ["last"]], grows=True))


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_row_longer_than_a_request_is_never_half_there(
    google: GoogleServer, account: GoogleAccount, cut: Any
) -> None:
    write_book(opened(account), wide_row())
    expected = held(google.books[KEY])
    sizes = [asked.size for asked in google.requests if asked.method == "POST"]
    assert 3 <= len(sizes)
    assert max(sizes) < 2_000_000
    for place in range(len(google.requests)):
        google.add(KEY)
        google.faults.extend([None] * place + [Fault(cut=cut)])
        with pytest.raises(KilledError):
            write_book(opened(account, Hours(deadly=True)), wide_row())
        write_book(opened(account), wide_row())
        assert expected == held(google.books[KEY]), f"request {place}"


def test_gives_up_in_the_end_and_says_that_nothing_is_lost(
    google: GoogleServer, account: GoogleAccount
) -> None:
    google.faults.extend([None, *[Fault(cut="before")] * 50])
    hours = Hours()
    with pytest.raises(InputError, match=r"isn't responding.*what was written stays"):
        write_book(opened(account, hours), book())
    assert hours.waited < 3600
