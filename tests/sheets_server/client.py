"""gspread, signed in, asking this server instead of Google; and requests as JSON."""

import time
from typing import Any

import requests
from google.auth import crypt, jwt
from gspread.http_client import HTTPClient
from requests.adapters import HTTPAdapter

from .accounts import service_account
from .server import GoogleServer

KEY = "spreadsheet-key"
_GOOGLE = "https://sheets.googleapis.com"
_PATIENCE_S = 60


class _Here(HTTPAdapter):
    """Brings what is meant for Google to another address."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url

    def send(self, request: requests.PreparedRequest, **more: Any) -> requests.Response:  # type: ignore[override]
        request.url = str(request.url).replace(_GOOGLE, self._url)
        return super().send(request, **more)


def grant(server: GoogleServer, **claims: Any) -> dict[str, str]:
    """The form with which a service account asks for a token; `claims` replace the right ones."""
    info = service_account(server)
    now = int(time.time())
    right = {
        "iss": info["client_email"],
        "aud": "https://oauth2.googleapis.com/token",
        "iat": now,
        "exp": now + 3600,
        "scope": "https://www.googleapis.com/auth/spreadsheets",
    }
    signer = crypt.RSASigner.from_service_account_info(info)  # type: ignore[no-untyped-call]
    token = jwt.encode(signer, right | claims)  # type: ignore[no-untyped-call]
    kind = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    return {"grant_type": kind, "assertion": token.decode()}


def token(server: GoogleServer, form: dict[str, str]) -> requests.Response:
    """What the token endpoint answers."""
    return requests.post(server.token_url, form, timeout=_PATIENCE_S)


def client(server: GoogleServer) -> HTTPClient:
    """gspread's client with a token of this server's."""
    granted = token(server, grant(server)).json()["access_token"]
    session = requests.Session()
    session.trust_env = False
    session.headers["Authorization"] = f"Bearer {granted}"
    session.mount(_GOOGLE, _Here(server.url))
    return HTTPClient(None, session)  # type: ignore[arg-type]


def send(http: HTTPClient, *asked: dict[str, Any]) -> Any:
    """One batchUpdate."""
    return http.batch_update(KEY, {"requests": list(asked)})


def cells(row: int, column: int, **value: Any) -> dict[str, Any]:
    """One cell's value."""
    start = {"sheetId": 0, "rowIndex": row, "columnIndex": column}
    rows = [{"values": [{"userEnteredValue": value}]}]
    return {"updateCells": {"start": start, "rows": rows, "fields": "userEnteredValue"}}


def sheet(title: str, **more: Any) -> dict[str, Any]:
    return {"addSheet": {"properties": {"title": title, **more}}}
