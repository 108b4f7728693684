"""Accounts for tests: key files with a key that was made for nothing else."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.sheets_server.server import GoogleServer, served

ROBOT = "mogi-writer@my-project.iam.gserviceaccount.com"
PERSON = "person@example.com"
_SECRET = "client-secret-canary"
_REFRESH = "1//refresh-canary"


@cache
def key_pair() -> tuple[str, str]:
    """A private key and its certificate, as PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mogi tests")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return private.decode(), certificate.public_bytes(serialization.Encoding.PEM).decode()


def service_account(server: GoogleServer, email: str = ROBOT) -> dict[str, Any]:
    """What Google's key file of a service account holds; the server knows it then."""
    private, certificate = key_pair()
    server.sign_ins.keys[email] = certificate
    return {
        "type": "service_account",
        "project_id": "my-project",
        "private_key_id": "0123456789abcdef",
        "private_key": private,
        "client_email": email,
        "client_id": "100000000000000000001",
        "token_uri": server.token_url,
    }


def authorized_user(server: GoogleServer) -> dict[str, Any]:
    """What gspread's authorized_user.json holds."""
    server.sign_ins.people[_REFRESH] = ("client-id", _SECRET, PERSON)
    return {
        "type": "authorized_user",
        "client_id": "client-id",
        "client_secret": _SECRET,
        "refresh_token": _REFRESH,
        "token_uri": server.token_url,
    }


def stored_by_oauth2client(server: GoogleServer, kind: str) -> str:
    """What oauth2client stores of a `service account` or of a `person`."""
    if kind == "person":
        from oauth2client.client import OAuth2Credentials  # type: ignore[import-untyped]

        info = authorized_user(server)
        made = OAuth2Credentials(
            access_token="stale",
            client_id=info["client_id"],
            client_secret=info["client_secret"],
            refresh_token=info["refresh_token"],
            token_expiry=None,
            token_uri=info["token_uri"],
            user_agent="mogi-tests",
            scopes=["https://www.googleapis.com/auth/spreadsheets"],
        )
        return str(made.to_json())
    from oauth2client.service_account import (  # type: ignore[import-untyped]
        ServiceAccountCredentials,
    )

    made = ServiceAccountCredentials.from_json_keyfile_dict(
        service_account(server), ["https://www.googleapis.com/auth/spreadsheets"]
    )
    return str(made.to_json())


def signed_in(
    server: GoogleServer,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[GoogleServer], dict[str, Any]] = service_account,
) -> Path:
    """Let mogi find this server and a key file for it; the file's path."""
    path = folder / "key.json"
    path.write_text(json.dumps(make(server)), "utf-8")
    monkeypatch.setenv("MOGI_SHEETS_URL", server.url)
    monkeypatch.setenv("MOGI_GOOGLE_CREDENTIALS", str(path))
    return path


PAGES_KEY = "1AbCdEfGhIjKlMnOpQrStUvWxYz"
"""The spreadsheet that help and docs name."""


@contextmanager
def google_here(key_file: str = "mogi-key.json") -> Iterator[GoogleServer]:
    """Google as help and docs speak of it, with a key file in the working directory."""
    with served() as server:
        server.add(PAGES_KEY, "Bot review")
        Path(key_file).write_text(json.dumps(service_account(server)), "utf-8")
        here = {"MOGI_SHEETS_URL": server.url, "MOGI_GOOGLE_CREDENTIALS": key_file}
        with patch.dict(os.environ, here):
            yield server
