"""Accounts that may sign in, as key files hold them; their key was made for nothing else."""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from .server import GoogleServer

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
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests")])
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
            user_agent="tests",
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
