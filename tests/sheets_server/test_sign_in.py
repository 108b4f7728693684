"""Who signs in is looked at closely."""

from typing import Any

import pytest
import requests

from .client import KEY, grant, token
from .server import GoogleServer


def test_nobody_without_a_token_gets_in(google: GoogleServer) -> None:
    answer = requests.get(f"{google.url}/v4/spreadsheets/{KEY}", timeout=60)
    assert (401, "UNAUTHENTICATED") == (answer.status_code, answer.json()["error"]["status"])


def test_a_right_sign_in_is_a_token(google: GoogleServer) -> None:
    answer = token(google, grant(google))
    assert (200, "Bearer") == (answer.status_code, answer.json()["token_type"])


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        ({"aud": "https://elsewhere.example"}, "Failed audience check"),
        ({"scope": "https://www.googleapis.com/auth/gmail.send"}, "Invalid OAuth scope"),
        ({"iat": 1, "exp": 3601}, "reasonable timeframe"),
        ({"iss": "nobody@example.com"}, "account not found"),
    ],
)
def test_a_wrong_claim_is_refused(google: GoogleServer, claims: dict[str, Any], told: str) -> None:
    answer = token(google, grant(google, **claims))
    assert 400 == answer.status_code
    assert told in answer.json()["error_description"]


def test_a_forged_signature_is_refused(google: GoogleServer) -> None:
    form = grant(google)
    answer = token(google, {**form, "assertion": form["assertion"][:-8] + "AAAAAAAA"})
    assert (400, "Invalid JWT Signature.") == (
        answer.status_code,
        answer.json()["error_description"],
    )
