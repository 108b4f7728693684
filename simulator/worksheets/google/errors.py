"""What Google says when something is wrong, in words that tell what to do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError
from gspread.exceptions import APIError
from requests import RequestException

from simulator.core.clean import cut, visible
from simulator.core.errors import InputError
from simulator.worksheets.google.credentials import GoogleAccount
from simulator.worksheets.google.http import LostReplyError, MeanwhileError, base_url

_AGAIN = "what was written stays, and the same command goes on from there"
_NETWORK = "see that this machine has a network, and https_proxy where it needs one"
_LONGEST = 300  # characters of Google's own words
# Pieces of Google's messages about a limit, and what they mean.
_LIMITS = {
    "number of cells in the workbook|10000000 cells": "the spreadsheet is full: Google allows "
    "10 million cells; name a new spreadsheet, or delete worksheets of old runs",
    "50000 characters": "a text is longer than the 50,000 characters that a cell holds",
    "protected cell|protected range": "a part of the spreadsheet is locked for this account; let "
    "its owner allow it (Data > Protect sheets and ranges)",
    "Unable to parse range": "a worksheet was renamed or deleted meanwhile; try again",
    "too large|payload size": "the request is too large for Google; name a new spreadsheet",
}
# Pieces of messages about a spreadsheet that is not what it was when it was read.
_MEANWHILE = re.compile(
    "No grid with id|sheet with (?:the name|id) .* already exists|exceeds grid limits|"
    r"Attempting to write|\.insertDimension:"
)


def is_of_meanwhile(error: APIError) -> bool:
    """Whether Google refused a change since somebody made another one in between."""
    said = str(error.error.get("message", ""))
    return int(error.response.status_code) == 400 and _MEANWHILE.search(said) is not None


@contextmanager
def in_words(account: GoogleAccount, key: str) -> Iterator[None]:
    """Within the block every trouble with Google becomes a sentence.

    Raises:
        InputError: instead of the errors of gspread, google-auth and requests.
    """
    try:
        yield
    except RefreshError as error:
        raise InputError(_refused(error, account)) from error
    except TransportError as error:
        raise InputError(f"Google's sign-in does not answer; {_NETWORK}; {_AGAIN}") from error
    except GoogleAuthError as error:
        raise InputError(f"{account.source}: {_words(error)}") from error
    except APIError as error:
        raise InputError(_answered(error, account, key)) from error
    except RequestException as error:
        where = base_url() or "Google Sheets"
        kind = type(error).__name__
        raise InputError(f"{where} does not answer ({kind}); {_NETWORK}; {_AGAIN}") from error
    except LostReplyError as error:
        raise InputError(f"Google Sheets does not answer ({error}); {_AGAIN}") from error
    except MeanwhileError as error:
        said = cut(visible(str(error)), _LONGEST)
        raise InputError(
            f"somebody changes the spreadsheet all the time; {_AGAIN} (Google: {said})"
        ) from error


def _refused(error: RefreshError, account: GoogleAccount) -> str:
    said = _words(error)
    if "invalid_scope" in said:
        why = "it was not made for spreadsheets; sign in again with the scope of spreadsheets"
    elif "iat" in said or "timeframe" in said:
        why = "the clock of this machine is wrong; set it, or it cannot sign in"
    elif "account not found" in said:
        why = "the service account was deleted; make a new one and share the sheet with it"
    else:
        why = (
            "the key was revoked or deleted, or the clock of this machine is wrong; "
            "make a new key, and see that the clock is right"
        )
    return f"Google does not accept {account.source}: {why} (Google: {said})"


def _answered(error: APIError, account: GoogleAccount, key: str) -> str:
    status, said = int(error.response.status_code), str(error.error.get("message", ""))
    if status == 403:
        return _forbidden(said, account, key)
    if status == 404:
        return (
            f"there is no spreadsheet {key}; take the key from its address, which is "
            "https://docs.google.com/spreadsheets/d/KEY/edit"
        )
    if status == 401:
        return f"Google does not accept {account.source}; sign in again, or make a new key"
    if status == 429:
        return f"too many requests for Google's quota, however long one waits; {_AGAIN}"
    if status >= 500:
        return f"Google Sheets does not answer ({status}); {_AGAIN}"
    meant = next((text for form, text in _LIMITS.items() if re.search(form, said)), None)
    words = cut(visible(said), _LONGEST)
    return f"{meant} (Google: {words})" if meant else f"Google refused the request: {words}"


def _forbidden(said: str, account: GoogleAccount, key: str) -> str:
    if "has not been used in project" in said or "is disabled" in said:
        return (
            "the Google Sheets API is not switched on in the project of the key; switch it on "
            f"and wait a few minutes (Google: {cut(visible(said), _LONGEST)})"
        )
    if "insufficient authentication scopes" in said:
        return f"{account.source} was not made for spreadsheets; sign in again with that scope"
    who = account.email or "the account that you signed in with"
    return (
        f"the spreadsheet {key} is not open to this account; share the sheet with {who} "
        "as an editor"
    )


def _words(error: Exception) -> str:
    """What the error says: its parts that are text."""
    parts = [str(part) for part in error.args if isinstance(part, str)]
    return cut(visible("; ".join(parts) or type(error).__name__), _LONGEST)
