"""Credentials: which are used, what is wrong with them, and that nothing of them is shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from simulator import config
from simulator.core.errors import InputError
from simulator.worksheets.google.credentials import SCOPE, find_account
from tests.sheets_server.accounts import (
    PERSON,
    ROBOT,
    authorized_user,
    service_account,
    stored_by_oauth2client,
)
from tests.sheets_server.server import GoogleServer
from tests.worksheets.google.made import KEY, Hours, opened

VARIABLE = "MOGI_GOOGLE_CREDENTIALS"


@pytest.fixture(autouse=True)
def _nothing_of_this_machine(
    google: GoogleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOGI_SHEETS_URL", google.url)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.delenv("GOOGLE_APPLICATION_CREDENTIALS", raising=False)


def named(path: Path, content: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def robot(token_uri: str) -> str:
    """A service account whose key is none."""
    info = {"type": "service_account", "client_email": "a@b", "private_key": "canary"}
    return json.dumps({**info, "token_uri": token_uri})


def test_a_service_account_signs_in_with_one_scope(
    google: GoogleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = named(tmp_path / "key.json", json.dumps(service_account(google)), monkeypatch)
    account = find_account()
    assert ("service account", ROBOT) == (account.kind, account.email)
    assert f"{VARIABLE} ({path}, service account)" == account.source
    assert [SCOPE] == list(account.credentials.scopes)
    assert "Verification" == opened(account).describe().title


def test_a_person_signs_in(
    google: GoogleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(tmp_path / "me.json", json.dumps(authorized_user(google)), monkeypatch)
    account = find_account()
    assert ("a person's sign-in", None) == (account.kind, account.email)
    google.books[KEY].roles = {PERSON: "reader"}
    assert "Verification" == opened(account).describe().title


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("service", ("service account", ROBOT)), ("person", ("a person's sign-in", None))],
)
def test_what_oauth2client_stored_is_parsed_by_it_and_signed_by_google_auth(
    google: GoogleServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    expected: tuple[str, str | None],
) -> None:
    named(tmp_path / "old.json", stored_by_oauth2client(google, kind), monkeypatch)
    account = find_account()
    assert expected == (account.kind, account.email)
    assert type(account.credentials).__module__.startswith("google.")
    assert account.source.endswith("by oauth2client)")
    assert "Verification" == opened(account).describe().title


def test_application_default_comes_second(
    google: GoogleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "adc.json"
    path.write_text(json.dumps(service_account(google)), "utf-8")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    account = find_account()
    assert ("application-default credentials", ROBOT) == (account.source, account.email)
    assert "Verification" == opened(account).describe().title


@pytest.mark.parametrize("name", ["service_account.json", "authorized_user.json"])
def test_gspread_s_folder_comes_last(google: GoogleServer, tmp_path: Path, name: str) -> None:
    make: Any = service_account if name.startswith("service") else authorized_user
    path = tmp_path / "home" / ".config" / "gspread" / name
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(make(google)), "utf-8")
    account = find_account()
    assert account.source.startswith(f"gspread's folder ({path}")
    assert "Verification" == opened(account).describe().title


def test_without_any_it_says_what_to_do() -> None:
    with pytest.raises(InputError, match=r"no Google credentials.*MOGI_GOOGLE_CREDENTIALS"):
        find_account()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "it isn't JSON; use the key file from Google unchanged"),
        ("[]", "it contains no JSON"),
        ("{}", "its type is missing; here, mogi supports service_account, authorized_user"),
        ('{"type": "external_account"}', "its type is 'external_account'"),
        ('{"installed": {}}', "this file is for an app, not an"),
        ('{"type": "service_account"}', "client_email is missing or empty"),
        ('{"type": "authorized_user", "client_id": "x"}', "refresh_token is missing or empty"),
        (
            robot("https://oauth2.googleapis.com/token"),
            "its private_key isn't an RSA key; download the file again",
        ),
        (
            robot("http://elsewhere.example/token"),
            "token_uri isn't an https",
        ),
        ('{"_module": "os", "_class": "system"}', "mogi can't use oauth2client's system"),
        (
            '{"_module": "oauth2client.client", "_class": "OAuth2Credentials"}',
            "oauth2client can't read it",
        ),
    ],
)
def test_a_file_that_is_not_right_is_complained_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, complaint: str
) -> None:
    path = named(tmp_path / "key.json", content, monkeypatch)
    with pytest.raises(InputError) as caught:
        find_account()
    assert complaint in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "canary" not in str(caught.value)


def test_all_that_is_missing_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(tmp_path / "key.json", '{"type": "service_account"}', monkeypatch)
    with pytest.raises(InputError) as caught:
        find_account()
    assert 3 == len(caught.value.complaints)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_path_that_is_no_file_is_complained_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / name))
    with pytest.raises(InputError, match="use the key file"):
        find_account()


def test_no_key_is_in_what_an_account_shows(
    google: GoogleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = service_account(google)
    named(tmp_path / "key.json", json.dumps(info), monkeypatch)
    shown = repr(find_account())
    assert info["private_key"][60:120] not in shown
    assert "credentials=" not in shown


def test_a_revoked_key_is_told(
    google: GoogleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(tmp_path / "key.json", json.dumps(authorized_user(google)), monkeypatch)
    google.sign_ins.revoked.add(PERSON)
    with pytest.raises(InputError, match=r"key was revoked or deleted, or the clock"):
        opened(find_account(), Hours()).describe()


def test_a_wrong_clock_is_told(
    google: GoogleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(tmp_path / "key.json", json.dumps(service_account(google)), monkeypatch)
    google.sign_ins.ahead_s = -90_000
    with pytest.raises(InputError, match="clock of this machine is wrong"):
        opened(find_account(), Hours()).describe()


def test_a_deleted_account_is_told(
    google: GoogleServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named(tmp_path / "key.json", json.dumps(service_account(google)), monkeypatch)
    google.sign_ins.keys.clear()
    with pytest.raises(InputError, match="service account was deleted"):
        opened(find_account(), Hours()).describe()


def test_google_is_a_host_like_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOGI_SHEETS_URL", raising=False)
    with config.reaching_only(["127.0.0.1:8000"]), pytest.raises(InputError) as refused:
        find_account()
    way_in = "; if it is yours: --allow-host sheets.googleapis.com:443"
    assert f"--allow-host blocks Google's spreadsheets{way_in}" == str(refused.value)
