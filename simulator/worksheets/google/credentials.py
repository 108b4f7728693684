"""With which credentials Google is asked: found by file or place, never shown."""

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import google.auth
from google.auth.credentials import Scoped
from google.auth.exceptions import DefaultCredentialsError
from google.oauth2 import credentials as person
from google.oauth2 import service_account
from gspread.auth import get_config_dir
from gspread.utils import convert_credentials
from urllib3.util import parse_url

from simulator import config
from simulator.core.errors import Complaint, InputError

SCOPE = "https://www.googleapis.com/auth/spreadsheets"
_VARIABLE = "MOGI_GOOGLE_CREDENTIALS"
_TOKEN_URI = "https://oauth2.googleapis.com/token"  # noqa: S105  an address
_SERVICE, _PERSON = "service account", "a person's sign-in"
_KINDS = {"service_account": _SERVICE, "authorized_user": _PERSON}
_NEEDED = {
    "service_account": ("client_email", "private_key", "token_uri"),
    "authorized_user": ("client_id", "client_secret", "refresh_token"),
}
# What gspread converts. oauth2client imports whatever module the file names, so only these may.
_OAUTH2CLIENT = {
    ("oauth2client.service_account", "ServiceAccountCredentials"): _SERVICE,
    ("oauth2client.client", "OAuth2Credentials"): _PERSON,
    ("oauth2client.client", "AccessTokenCredentials"): _PERSON,
    ("oauth2client.client", "GoogleCredentials"): _PERSON,
}


@dataclass(frozen=True, slots=True)
class GoogleAccount:
    """Who asks. `source` says where the credentials came from, never what they are.

    `email` is what a spreadsheet is shared with, where that is known. `kind`: service account,
    a person's sign-in, or application-default.
    """

    source: str
    kind: str
    email: str | None
    credentials: Any = field(repr=False)


def find_account() -> GoogleAccount:
    """The first there is: MOGI_GOOGLE_CREDENTIALS, application-default, gspread's own folder.

    Raises:
        InputError: the file is not right, there is nothing anywhere, or nobody let Google in.
    """
    if config.is_untrusted():
        raise InputError("--untrusted blocks Google's spreadsheets, and the credentials for them")
    place = config.origin(config.sheets_api())
    if not config.may_reach(place):
        raise InputError(f"--allow-host blocks Google's spreadsheets{config.way_in(place)}")
    path = config.google_credentials()
    if path is not None:
        return of_file(Path(path).expanduser(), _VARIABLE)
    account = _application_default() or _of_gspread()
    if account is not None:
        return account
    raise InputError(
        "no Google credentials: set "
        f"{_VARIABLE} to the path of a service account key file (see docs/en/review.md), or run "
        f"gcloud auth application-default login --scopes={SCOPE},"
        "https://www.googleapis.com/auth/cloud-platform"
    )


def of_file(path: Path, named_by: str) -> GoogleAccount:
    """The account of a key file, by its `type`.

    Raises:
        InputError: everything that is wrong with it.
    """
    text, info = _read(path, named_by)
    if "_module" in info and "_class" in info:
        return _stored_by_oauth2client(text, info, path, named_by)
    kind = str(info.get("type", ""))
    if kind not in _KINDS:
        raise _wrong(path, _unknown(info))
    _check(path, info, _NEEDED[kind])
    try:
        credentials = _credentials(info)
    except (ValueError, KeyError, TypeError) as error:  # the error's words may show the key
        raise _wrong(path, "its private_key isn't an RSA key; download the file again") from error
    email = info.get("client_email") or info.get("account") or None
    source = f"{named_by} ({path}, {_KINDS[kind]})"
    return GoogleAccount(source, _KINDS[kind], email, credentials)


def _credentials(info: Mapping[str, Any]) -> Any:
    """google-auth's credentials of a key file."""
    if info["type"] == "service_account":
        return service_account.Credentials.from_service_account_info(  # type: ignore[no-untyped-call]
            info, scopes=[SCOPE]
        )
    # Its own `from_authorized_user_info` asks Google whatever `token_uri` says.
    return person.Credentials(  # type: ignore[no-untyped-call]
        token=None,
        refresh_token=info["refresh_token"],
        token_uri=info.get("token_uri") or _TOKEN_URI,
        client_id=info["client_id"],
        client_secret=info["client_secret"],
        scopes=[SCOPE],
        quota_project_id=info.get("quota_project_id"),
    )


def _stored_by_oauth2client(
    text: str, info: Mapping[str, Any], path: Path, named_by: str
) -> GoogleAccount:
    """The account of a stored-credential file: oauth2client parses it, gspread converts it.

    Raises:
        InputError: it is of a kind that gspread does not convert, or not whole.
    """
    kind = _OAUTH2CLIENT.get((str(info["_module"]), str(info["_class"])))
    if kind is None:
        known = ", ".join(sorted({name for _, name in _OAUTH2CLIENT}))
        message = f"mogi can't use oauth2client's {info['_class']}; use one of: {known}"
        raise _wrong(path, message)
    with warnings.catch_warnings():  # it is old: what it warns of is not for people
        warnings.simplefilter("ignore")
        with _or_else(path, "oauth2client can't read it; create it again, or use a key file"):
            from oauth2client.client import Credentials  # type: ignore[import-untyped]

            parsed = Credentials.new_from_json(text)
    with _or_else(path, "gspread can't convert it; use a service account's key file instead"):
        credentials = convert_credentials(parsed)
    if isinstance(credentials, Scoped):
        credentials = credentials.with_scopes([SCOPE])  # type: ignore[no-untyped-call]
    source = f"{named_by} ({path}, {kind}, by oauth2client)"
    email = getattr(parsed, "service_account_email", None)
    return GoogleAccount(source, kind, email, credentials)


@contextmanager
def _or_else(path: Path, message: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # whatever is raised, the file is to blame
        raise _wrong(path, message) from error


def _wrong(path: Path, *messages: str) -> InputError:
    return InputError(*(Complaint(str(path), 0, message) for message in messages))


def _read(path: Path, named_by: str) -> tuple[str, Mapping[str, Any]]:
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{named_by}: file {path} not found; use the key file") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it isn't text"
        raise InputError(f"{named_by}: can't read {path}: {why}; use the key file") from error
    try:
        info = json.loads(text)
    except ValueError as error:
        raise _wrong(path, "it isn't JSON; use the key file from Google unchanged") from error
    if not isinstance(info, dict):
        raise _wrong(path, "it contains no JSON object; use the key file from Google unchanged")
    return text, info


def _check(path: Path, info: Mapping[str, Any], needed: tuple[str, ...]) -> None:
    wrong = [
        f"{name} is missing or empty; use the unmodified file from Google"
        for name in needed
        if not (isinstance(info.get(name), str) and info[name].strip())
    ]
    address = str(info.get("token_uri") or _TOKEN_URI)
    if not address.startswith("https://") and not is_here(address):
        wrong.append("token_uri isn't an https address; use the file from Google unchanged")
    if wrong:
        raise _wrong(path, *wrong)


def is_here(url: str) -> bool:
    """True if a URL of http or https names this machine, whoever takes it apart."""
    try:
        parts = parse_url(url)  # as requests does
        host = (parts.host or "").strip("[]")
        alike = urlsplit(url).hostname == host and parts.scheme in {"http", "https"}
    except ValueError:
        return False
    return alike and config.is_loopback(host)


def _unknown(info: Mapping[str, Any]) -> str:
    if "installed" in info or "web" in info:
        return (
            "this file is for an app, not an account; use the key file of a service account, "
            "or the authorized_user.json that signing in created"
        )
    kind = info.get("type")
    its_type = f"its type is {kind!r}" if isinstance(kind, str) else "its type is missing"
    return (
        f"{its_type}; here, mogi supports service_account, authorized_user and "
        "oauth2client files (others work through GOOGLE_APPLICATION_CREDENTIALS)"
    )


def _application_default() -> GoogleAccount | None:
    try:
        with warnings.catch_warnings():  # it warns of people's sign-ins without a quota project
            warnings.simplefilter("ignore")
            credentials, _ = google.auth.default(scopes=[SCOPE])
    except DefaultCredentialsError as error:
        if "default credentials were not found" in str(error):
            return None
        raise InputError(f"application-default credentials: {error}") from error
    email = getattr(credentials, "service_account_email", None)
    known = email if isinstance(email, str) and "@" in email else None
    return GoogleAccount(
        "application-default credentials", "application-default", known, credentials
    )


def _of_gspread() -> GoogleAccount | None:
    folder = get_config_dir()
    for name in ("service_account.json", "authorized_user.json"):
        if (folder / name).is_file():
            return of_file(folder / name, "gspread's folder")
    return None
