"""The one place through which every call of Google Sheets goes: its retries, limits and errors."""

import json as json_module
import re
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from google.auth.exceptions import GoogleAuthError, RefreshError, TransportError
from google.auth.transport.requests import AuthorizedSession, Request
from gspread.exceptions import APIError
from gspread.http_client import FileType, HTTPClient, ParamsType
from requests import ConnectionError as NoConnectionError
from requests import ConnectTimeout, PreparedRequest, RequestException, Response, Session
from requests.adapters import HTTPAdapter
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from simulator import config
from simulator.core.bounds import SHEETS_LIMIT
from simulator.core.clean import cut, visible
from simulator.core.errors import InputError, MogiError
from simulator.core.plan import Reached
from simulator.retries import Backoff, Clock, seconds_to_wait
from simulator.worksheets.google.credentials import GoogleAccount, is_here
from simulator.worksheets.google.requests import is_repeatable

_ATTEMPTS = 8
_BACKOFF = Backoff(first=1, most=64, more=0.5, most_more=5)
_LONGEST_WAIT_S = 300.0  # what an endpoint asks for beyond it is not waited for
_PER_MINUTE = 60  # reads, and as many writes, of one account (Google: usage limits)
_MINUTE_S = 60.0
_CHUNK = 64 * 1024
# google-auth asks there in which regions a service account's data may be kept.
_REGIONS = "https://iamcredentials.googleapis.com"
_TIMEOUT_S = (30.0, 200.0)  # to connect; to answer: Google works on a request for 180 s at most


class LostReplyError(MogiError):
    """Nobody knows whether a change was carried out that must not come twice."""


class MeanwhileError(MogiError):
    """Nothing was carried out: the spreadsheet is not what it was when it was read."""


@dataclass(slots=True)
class Quota:
    """So many calls a minute, in any 60 seconds."""

    clock: Clock
    most: int = _PER_MINUTE
    _calls: deque[float] = field(default_factory=deque)

    def admit(self) -> None:
        """Return when another call may be made, and count it."""
        while len(self._calls) >= self.most:
            left = self._calls[0] + _MINUTE_S - self.clock.now()
            if left <= 0:
                self._calls.popleft()
            else:
                self.clock.sleep(left)
        self._calls.append(self.clock.now())


class SheetsHttp(HTTPClient):
    """gspread's client, with mogi's retries and limits, and Japanese sent as it is.

    Args:
        credentials: google-auth's, or oauth2client's: gspread converts these.
        session: Instead of credentials, one that is signed in already.
        clock: For waits.

    Raises:
        InputError: MOGI_SHEETS_URL names another machine.
    """

    def __init__(
        self, credentials: Any, session: Session | None = None, clock: Clock | None = None
    ) -> None:
        super().__init__(credentials, session)
        self.set_timeout(_TIMEOUT_S)
        self._base = base_url()
        if self._base and session is None:
            self.session = _local_session(self.auth)
        if isinstance(self.session, Session):  # tests give others
            for scheme in ("https://", "http://"):
                self.session.mount(scheme, _Bounded())
        self._clock = clock or Clock()
        self._read_quota, self._write_quota = Quota(self._clock), Quota(self._clock)

    def request(  # noqa: PLR0913, PLR0917  as gspread has it
        self,
        method: str,
        endpoint: str,
        params: ParamsType | None = None,
        data: bytes | None = None,
        json: Mapping[str, Any] | None = None,
        files: FileType = None,
        headers: Any = None,
    ) -> Response:
        """Ask Google, more than once where that helps and cannot do harm.

        Raises:
            LostReplyError: it may have been done, and doing it again would do it twice.
            APIError, RequestException, GoogleAuthError: as gspread.
        """
        if json is not None:  # gspread would write six bytes for a Japanese character
            data = json_module.dumps(
                json, ensure_ascii=False, allow_nan=False, separators=(",", ":")
            ).encode("utf-8", "replace")
            headers = {**(headers or {}), "Content-Type": "application/json; charset=utf-8"}
        is_read = method.upper() == "GET"
        quota = self._read_quota if is_read else self._write_quota
        url = self._base + endpoint.removeprefix(config.GOOGLE) if self._base else endpoint

        def attempt() -> Response:
            quota.admit()
            return super(SheetsHttp, self).request(
                method, url, params=params, data=data, files=files, headers=headers
            )

        repeatable = is_read or _is_repeatable(method, endpoint, json)
        retrying = Retrying(
            retry=retry_if_exception(lambda error: _may_pass(error, repeatable=repeatable)),
            wait=_BACKOFF.after(_seconds_to_wait),
            stop=_stop,
            sleep=self._clock.sleep,
            reraise=True,
        )
        try:
            return retrying(attempt)
        except (APIError, RequestException) as error:
            if repeatable or not _is_lost(error):
                raise
            why = str(error) if isinstance(error, APIError) else "the connection broke"
            raise LostReplyError(why) from error


def _seconds_to_wait(error: BaseException | None) -> float | None:
    return seconds_to_wait(error.response.headers) if isinstance(error, APIError) else None


def _is_lost(error: BaseException) -> bool:
    """Whether a call may have been carried out although it failed."""
    if isinstance(error, APIError):
        return int(error.response.status_code) >= 500
    return isinstance(error, RequestException) and not isinstance(error, ConnectTimeout)


def _may_pass(error: BaseException, *, repeatable: bool) -> bool:
    """Whether another attempt may help, and cannot do harm."""
    if isinstance(error, APIError) and error.response.status_code == 429:
        return True
    if isinstance(error, RefreshError):
        return bool(error.retryable)
    if isinstance(error, TransportError | ConnectTimeout):  # it was not even asked
        return True
    return repeatable and _is_lost(error)


def _stop(state: RetryCallState) -> bool:
    return stop_after_attempt(_ATTEMPTS)(state) or state.upcoming_sleep > _LONGEST_WAIT_S


def _is_repeatable(method: str, endpoint: str, body: Mapping[str, Any] | None) -> bool:
    """Whether the call done twice comes to the same as done once."""
    if endpoint.endswith(":batchUpdate") and not endpoint.endswith("/values:batchUpdate"):
        return is_repeatable((body or {}).get("requests", ()))
    return method.upper() == "PUT" or endpoint.endswith(
        ("/values:batchUpdate", ":clear", ":batchClear")
    )


class _Bounded(HTTPAdapter):
    """Reads answers up to `SHEETS_LIMIT`, whatever they were packed in."""

    def send(self, *args: Any, **kwargs: Any) -> Response:
        """Send a request and read its answer; a redirect leads to nobody else.

        Raises:
            InputError: it is longer, or Google is not who is asked.
        """
        request: PreparedRequest = args[0] if args else kwargs["request"]
        url = config.sheets_api()
        place = Reached("host", config.origin(url), path=urlsplit(url).path)
        if why := config.refusal(request.method or "", request.url or "", [place]):
            raise InputError(why)
        response = super().send(*args, **{**kwargs, "stream": True})
        parts, size = [], 0
        for part in response.iter_content(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > SHEETS_LIMIT:
                response.close()
                raise InputError(
                    f"a Google Sheets response is longer than {SHEETS_LIMIT // 10**6} MB; "
                    "mogi didn't read the rest; use a smaller worksheet"
                )
        response._content = b"".join(parts)  # as requests itself does where nothing streams
        return response


class _Nowhere(HTTPAdapter):
    """Asks nobody."""

    def send(self, *args: Any, **kwargs: Any) -> Response:
        """Fail at once."""
        del args, kwargs
        raise NoConnectionError("MOGI_SHEETS_URL is set: mogi contacts only that URL")


def _local_session(credentials: Any) -> Session:
    """A session that asks Google nothing of its own accord, and nothing through a proxy."""
    signing_in = Session()
    signing_in.mount(_REGIONS, _Nowhere())
    session: Session = AuthorizedSession(  # type: ignore[no-untyped-call]
        credentials, auth_request=Request(signing_in)
    )
    session.trust_env = signing_in.trust_env = False
    return session


def base_url() -> str | None:
    """What stands for Google's address, without a slash at the end; None for Google itself.

    Raises:
        InputError: it is not on this machine.
    """
    url = config.sheets_url()
    if url is None or is_here(url):
        return url and url.rstrip("/")
    raise InputError(
        f"MOGI_SHEETS_URL is {url.rpartition('@')[2]}: only addresses of this machine are "
        "allowed, such as http://127.0.0.1:8080; unset it to use Google's own"
    )


# Errors in words that tell what to do.

AGAIN = "what was written stays; to continue, run the same command again"
_NETWORK = "check this machine's network (and https_proxy, if it needs a proxy)"
_LONGEST = 300  # characters of Google's own words
# Pieces of Google's messages about a limit, and what they mean.
_LIMITS = {
    "number of cells in the workbook|10000000 cells": "the spreadsheet is full: Google allows "
    "10 million cells; use a new spreadsheet, or delete worksheets of old runs",
    "50000 characters": "a text is longer than a cell allows (50,000 characters)",
    "protected cell|protected range": "a part of the spreadsheet is locked for this account; ask "
    "its owner for access (Data > Protect sheets and ranges)",
    "Unable to parse range": "a worksheet was renamed or deleted meanwhile; try again",
    "too large|payload size": "the request is too large for Google; use a new spreadsheet",
}
# Pieces of messages about a spreadsheet that is not what it was when it was read.
_MEANWHILE = re.compile(
    "No grid with id|sheet with (?:the name|id) .* already exists|exceeds grid limits|"
    r"Attempting to write|\.insertDimension:"
)


def message_of(error: APIError) -> str:
    """What Google says of an error."""
    return str(error.error.get("message", ""))


def is_of_meanwhile(error: APIError) -> bool:
    """True if Google refused a change since somebody made another one in between."""
    return error.response.status_code == 400 and _MEANWHILE.search(message_of(error)) is not None


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
        raise InputError(f"Google's sign-in isn't responding; {_NETWORK}; {AGAIN}") from error
    except GoogleAuthError as error:
        raise InputError(f"{account.source}: {_words(error)}") from error
    except APIError as error:
        raise InputError(_answered(error, account, key)) from error
    except RequestException as error:
        where = base_url() or "Google Sheets"
        kind = type(error).__name__
        raise InputError(f"{where} isn't responding ({kind}); {_NETWORK}; {AGAIN}") from error


def _refused(error: RefreshError, account: GoogleAccount) -> str:
    message = _words(error)
    if "invalid_scope" in message:
        why = "it lacks the spreadsheets scope; sign in again with it"
    elif "iat" in message or "timeframe" in message:
        why = "the clock of this machine is wrong, so mogi can't sign in; correct it"
    elif "account not found" in message:
        why = "the service account was deleted; make a new one and share the sheet with it"
    else:
        why = (
            "the key was revoked or deleted, or the clock of this machine is wrong; "
            "make a new key, and see that the clock is right"
        )
    return f"Google rejects {account.source}: {why} (Google: {message})"


def _answered(error: APIError, account: GoogleAccount, key: str) -> str:
    status, message = int(error.response.status_code), message_of(error)
    if status == 403:
        return _forbidden(message, account, key)
    if status == 404:
        return (
            f"there is no spreadsheet {key}; copy the key from its URL, which is "
            "https://docs.google.com/spreadsheets/d/KEY/edit"
        )
    if status == 401:
        return f"Google rejects {account.source}; sign in again, or create a new key"
    if status == 429:
        return f"Google's quota is exceeded even after retries; {AGAIN}"
    if status >= 500:
        return f"Google Sheets isn't responding ({status}); {AGAIN}"
    meant = next((text for form, text in _LIMITS.items() if re.search(form, message)), None)
    words = cut(visible(message), _LONGEST)
    return f"{meant} (Google: {words})" if meant else f"Google refused the request: {words}"


def _forbidden(message: str, account: GoogleAccount, key: str) -> str:
    if "has not been used in project" in message or "is disabled" in message:
        return (
            "the Google Sheets API isn't enabled in the key's project; enable it and wait a few "
            f"minutes (Google: {cut(visible(message), _LONGEST)})"
        )
    if "insufficient authentication scopes" in message:
        return f"{account.source} was not made for spreadsheets; sign in again with that scope"
    who = account.email or "the account that you signed in with"
    return f"the spreadsheet {key} isn't shared with this account; share it with {who} as an editor"


def _words(error: Exception) -> str:
    """What the error says: its parts that are text."""
    parts = [str(part) for part in error.args if isinstance(part, str)]
    return cut(visible("; ".join(parts) or type(error).__name__), _LONGEST)
