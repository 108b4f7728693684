"""Credentials that oauth2client stored: it parses them, gspread converts them, google-auth signs.

oauth2client is no longer developed, and its own signing fails beside a newer pyOpenSSL.
"""

import warnings
from collections.abc import Mapping
from typing import Any

from simulator.core.errors import Complaint, InputError

# What gspread converts. oauth2client imports whatever module the file names, so only these may.
_CLASSES = {
    ("oauth2client.service_account", "ServiceAccountCredentials"): "service account",
    ("oauth2client.client", "OAuth2Credentials"): "a person's sign-in",
    ("oauth2client.client", "AccessTokenCredentials"): "a person's sign-in",
    ("oauth2client.client", "GoogleCredentials"): "a person's sign-in",
}


def credentials_of(text: str, info: Mapping[str, Any], path: str) -> tuple[str, str | None, Any]:
    """(kind, e-mail if known, google-auth's credentials) of a stored-credential file.

    Raises:
        InputError: it is of a kind that gspread does not convert, or not whole.
    """
    kind = _CLASSES.get((str(info["_module"]), str(info["_class"])))
    if kind is None:
        known = ", ".join(sorted({name for _, name in _CLASSES}))
        message = f"oauth2client's {info['_class']} cannot be used; what can: {known}"
        raise InputError(Complaint(path, 0, message))
    parsed = _parsed(text, path)
    email = getattr(parsed, "service_account_email", None)
    return kind, email, _converted(parsed, path)


def _parsed(text: str, path: str) -> Any:
    with warnings.catch_warnings():  # it is old: what it warns of is not for people
        warnings.simplefilter("ignore")
        from oauth2client.client import Credentials  # type: ignore[import-untyped]

        try:
            return Credentials.new_from_json(text)
        except Exception as error:  # whatever it raises, the file is not whole
            message = "oauth2client cannot read it; make the file again, or take a key file"
            raise InputError(Complaint(path, 0, message)) from error


def _converted(parsed: Any, path: str) -> Any:
    from google.auth.credentials import Scoped
    from gspread.utils import convert_credentials

    from simulator.google_sheets.credentials import SCOPE

    try:
        made = convert_credentials(parsed)
    except Exception as error:  # as above
        message = "gspread cannot convert it; take a service account's key file instead"
        raise InputError(Complaint(path, 0, message)) from error
    if not isinstance(made, Scoped):
        return made
    return made.with_scopes([SCOPE])  # type: ignore[no-untyped-call]
