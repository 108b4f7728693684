"""The one way to Google: what is tried again, how long is waited, and what is never asked."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import gspread
import pytest

from simulator.core.errors import InputError
from simulator.worksheets.google.credentials import GoogleAccount
from simulator.worksheets.google.http import LostReplyError, Quota, SheetsHttp
from tests.sheets_server.server import Fault, GoogleServer
from tests.worksheets.google.made import KEY, Hours, opened

ADD = [{"addSheet": {"properties": {"title": "new"}}}]
WRITE = [{"updateCells": {"start": {"sheetId": 0}, "fields": "note", "rows": []}}]


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [("7", 7, 13), ("0", 0, 6), ("soon", 0, 65), (None, 0, 65)],
)
def test_429_is_waited_for_at_least_as_long_as_google_says(
    google: GoogleServer, account: GoogleAccount, said: str | None, least: float, most: float
) -> None:
    google.faults.append(Fault(status=429, retry_after=said))
    hours = Hours()
    opened(account, hours).send(ADD)
    assert least <= hours.waited <= most
    assert 2 == len(google.books[KEY].sheets)


def test_retry_after_may_be_a_date(google: GoogleServer, account: GoogleAccount) -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    google.faults.append(Fault(status=429, retry_after=until))
    hours = Hours()
    opened(account, hours).describe()
    assert 80 <= hours.waited <= 100


def test_a_wait_of_an_hour_is_not_waited(google: GoogleServer, account: GoogleAccount) -> None:
    google.faults.append(Fault(status=429, retry_after="3600"))
    hours = Hours()
    with pytest.raises(InputError, match="quota is exceeded"):
        opened(account, hours).describe()
    assert 0 == hours.waited


@pytest.mark.parametrize("fault", [Fault(status=500), Fault(cut="before"), Fault(cut="after")])
def test_what_may_come_twice_is_tried_again(
    google: GoogleServer, account: GoogleAccount, fault: Fault
) -> None:
    google.faults.extend([fault, fault])
    opened(account).send(WRITE)
    assert 3 == len(google.requests)


@pytest.mark.parametrize(
    ("fault", "sheets"),
    [
        (Fault(status=503), 1),
        (Fault(status=503, applied=True), 2),
        (Fault(cut="before"), 1),
        (Fault(cut="after"), 2),
    ],
)
def test_what_must_not_come_twice_is_sent_once(
    google: GoogleServer, account: GoogleAccount, fault: Fault, sheets: int
) -> None:
    google.faults.append(fault)
    with pytest.raises(LostReplyError):
        opened(account).send(ADD)
    assert (1, sheets) == (len(google.requests), len(google.books[KEY].sheets))


def test_an_append_is_never_repeated(google: GoogleServer, account: GoogleAccount) -> None:
    google.faults.append(Fault(cut="after"))
    http = SheetsHttp(account.credentials, clock=Hours().clock)
    with pytest.raises(LostReplyError):
        http.values_append(KEY, "Sheet1", {"valueInputOption": "RAW"}, {"values": [["a"]]})
    assert 1 == len(google.requests)


def test_attempts_come_to_an_end(google: GoogleServer, account: GoogleAccount) -> None:
    google.faults.extend([Fault(status=503)] * 50)
    hours = Hours()
    with pytest.raises(InputError, match=r"isn't responding \(503\); what was written stays"):
        opened(account, hours).describe()
    assert 8 == len(google.requests)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Fault(status=404, message="Requested entity was not found."), "there is no spreadsheet"),
        (Fault(status=401, message="no"), "sign in again, or create a new key"),
        (
            Fault(status=403, message="Google Sheets API has not been used in project 1 before"),
            "API isn't enabled",
        ),
        (
            Fault(status=403, message="Request had insufficient authentication scopes."),
            "was not made for spreadsheets",
        ),
        (
            Fault(status=400, message="above the limit of 10000000 cells."),
            "Google allows 10 million cells",
        ),
        (Fault(status=400, message="more than the maximum of 50000 characters"), "50,000"),
        (Fault(status=400, message="You are trying to edit a protected cell"), "is locked"),
        (Fault(status=400, message="Strange."), "Google refused the request: Strange."),
        (Fault(status=418, html=True), "Google refused the request: <html>proxy</html>"),
        (Fault(status=200, html=True), "isn't responding (JSONDecodeError)"),
    ],
)
def test_what_google_says_is_told_in_words_that_help(
    google: GoogleServer, account: GoogleAccount, fault: Fault, told: str
) -> None:
    google.faults.extend([fault] * 4)  # google-auth signs in again for each 401, twice
    with pytest.raises(InputError) as caught:
        opened(account).describe()
    assert told in str(caught.value)


def test_403_names_the_address_to_share_with(google: GoogleServer, account: GoogleAccount) -> None:
    google.books[KEY].roles = {}
    with pytest.raises(InputError, match=f"share it with {account.email} as an editor"):
        opened(account).describe()


@pytest.mark.parametrize(
    "url",
    [
        "http://sheets.example.com",
        "http://10.0.0.1",
        "ftp://127.0.0.1",
        "127.0.0.1:80",
        "http://",
        "http://sheets.example.com\\@127.0.0.1",  # requests takes the first, urlsplit the last
        "http://127.0.0.1\\@sheets.example.com",
        "http://127.0.0.1@sheets.example.com",
        "http://127.0.0.1:99999",
        "http://[::1",
    ],
)
def test_only_this_machine_may_stand_for_google(
    account: GoogleAccount, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("MOGI_SHEETS_URL", url)
    with pytest.raises(InputError, match=r"MOGI_SHEETS_URL is .* only addresses of this machine"):
        opened(account)


def test_a_password_in_a_refused_address_is_not_shown(
    account: GoogleAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOGI_SHEETS_URL", "https://me:secret@sheets.example.com")
    with pytest.raises(InputError) as caught:
        opened(account)
    assert "secret" not in str(caught.value)


def test_what_is_on_this_machine_is_not_asked_through_a_proxy(
    google: GoogleServer, account: GoogleAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    opened(account).describe()
    assert 1 == google.reads


def test_the_quota_is_kept(google: GoogleServer, account: GoogleAccount) -> None:
    hours = Hours()
    spreadsheet = opened(account, hours)
    for _ in range(60):
        spreadsheet.describe()
    assert 0 == hours.waited
    spreadsheet.send(WRITE)
    assert 0 == hours.waited
    spreadsheet.describe()
    assert 60 == hours.waited


def test_a_quota_counts_any_sixty_seconds() -> None:
    hours = Hours()
    quota = Quota(hours.clock, most=2)
    waits = []
    for at in (0.0, 50.0, 55.0, 70.0):
        hours.at = max(hours.at, at)
        before = hours.waited
        quota.admit()
        waits.append(hours.waited - before)
    assert [0, 0, 5, 40] == waits


def test_gspread_works_through_it(google: GoogleServer, account: GoogleAccount) -> None:
    sheet = gspread.Client(account.credentials, http_client=SheetsHttp).open_by_key(KEY).sheet1
    sheet.update([["名前", 1], ["=1+1", "TRUE"]], "A1")
    sheet.append_row(["次"])
    sheet.format("A1", {"textFormat": {"bold": True}})
    assert [["名前", "1"], ["=1+1", "TRUE"], ["次", ""]] == sheet.get_all_values()
