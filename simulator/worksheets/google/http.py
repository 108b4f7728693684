"""The one place through which every call of Google Sheets goes: its retries, its limits."""

import json as json_module
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from google.auth.exceptions import RefreshError, TransportError
from google.auth.transport.requests import AuthorizedSession, Request
from gspread.exceptions import APIError
from gspread.http_client import FileType, HTTPClient, ParamsType
from requests import ConnectionError as NoConnectionError
from requests import ConnectTimeout, RequestException, Response, Session
from requests.adapters import HTTPAdapter
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt
from urllib3.util import parse_url

from simulator import config
from simulator.core.bounds import SHEETS_LIMIT
from simulator.core.errors import InputError, MogiError
from simulator.retries import Backoff, Clock, seconds_to_wait
from simulator.worksheets.google.requests import is_repeatable

_ATTEMPTS = 8
_BACKOFF = Backoff(first=1, most=64, more=0.5, most_more=5)
_LONGEST_WAIT_S = 300.0  # what an endpoint asks for beyond it is not waited for
_PER_MINUTE = 60  # reads, and as many writes, of one account (Google: usage limits)
_MINUTE_S = 60.0
_CHUNK = 64 * 1024


@dataclass(slots=True)
class Quota:
    """So many calls a minute, in any 60 seconds."""

    clock: Clock
    most: int = _PER_MINUTE
    _made: deque[float] = field(default_factory=deque)

    def admit(self) -> None:
        """Return when one more call may be made, and count it."""
        while len(self._made) >= self.most:
            left = self._made[0] + _MINUTE_S - self.clock.now()
            if left <= 0:
                self._made.popleft()
            else:
                self.clock.sleep(left)
        self._made.append(self.clock.now())


def retrying(clock: Clock, *, repeatable: bool) -> Retrying:
    """The policy for one call; `repeatable`: done twice it comes to the same as done once.

    The last error is raised as it came.
    """
    return Retrying(
        retry=retry_if_exception(lambda error: _may_pass(error, repeatable=repeatable)),
        wait=_BACKOFF.after(_asked),
        stop=_stop,
        sleep=clock.sleep,
        reraise=True,
    )


def _asked(error: BaseException | None) -> float | None:
    return seconds_to_wait(error.response.headers) if isinstance(error, APIError) else None


def is_lost(error: BaseException) -> bool:
    """Whether a call may have been carried out although it failed."""
    if isinstance(error, APIError):
        return int(error.response.status_code) >= 500
    return isinstance(error, RequestException) and not isinstance(error, ConnectTimeout)


def _may_pass(error: BaseException, *, repeatable: bool) -> bool:
    if isinstance(error, APIError) and error.response.status_code == 429:
        return True
    if isinstance(error, RefreshError):
        return bool(error.retryable)
    if isinstance(error, TransportError | ConnectTimeout):  # it was not even asked
        return True
    return repeatable and is_lost(error)


def _stop(state: RetryCallState) -> bool:
    return stop_after_attempt(_ATTEMPTS)(state) or state.upcoming_sleep > _LONGEST_WAIT_S


GOOGLE = "https://sheets.googleapis.com"
# google-auth asks there in which regions a service account's data may be kept.
_REGIONS = "https://iamcredentials.googleapis.com"
_TIMEOUT_S = (30.0, 200.0)  # to connect; to answer: Google works on a request for 180 s at most


class LostReplyError(MogiError):
    """Nobody knows whether a change was carried out that must not come twice."""


class MeanwhileError(MogiError):
    """Nothing was carried out: the spreadsheet is not what it was when it was read."""


class SheetsHttp(HTTPClient):
    """gspread's client, with mogi's retries and limits, and Japanese sent as it is.

    `reads`, `writes` and `sent` (bytes of bodies) count what was asked, attempts included.

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
        self.reads = self.writes = self.sent = 0
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
        url = self._base + endpoint.removeprefix(GOOGLE) if self._base else endpoint

        def attempt() -> Response:
            self._count(data, is_read=is_read)
            return super(SheetsHttp, self).request(
                method, url, params=params, data=data, files=files, headers=headers
            )

        repeatable = is_read or _is_repeatable(method, endpoint, json)
        try:
            return retrying(self._clock, repeatable=repeatable)(attempt)
        except Exception as error:
            if repeatable or not is_lost(error):
                raise
            raise LostReplyError(_short(error)) from error

    def _count(self, data: bytes | None, *, is_read: bool) -> None:
        (self._read_quota if is_read else self._write_quota).admit()
        self.reads += is_read
        self.writes += not is_read
        self.sent += len(data or b"")


class _Bounded(HTTPAdapter):
    """Reads answers up to `SHEETS_LIMIT`, whatever they were packed in."""

    def send(self, *args: Any, **kwargs: Any) -> Response:
        """Send a request and read its answer.

        Raises:
            InputError: it is longer.
        """
        response = super().send(*args, **{**kwargs, "stream": True})
        parts, size = [], 0
        for part in response.iter_content(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > SHEETS_LIMIT:
                response.close()
                raise InputError(
                    f"an answer of Google Sheets is longer than {SHEETS_LIMIT // 10**6} MB; "
                    "the rest was not read: name a smaller worksheet"
                )
        response._content = b"".join(parts)  # as requests itself does where nothing streams
        return response


class _Nowhere(HTTPAdapter):
    """Asks nobody."""

    def send(self, *args: Any, **kwargs: Any) -> Response:
        """Fail at once."""
        del args, kwargs
        raise NoConnectionError("MOGI_SHEETS_URL is set: nothing else is asked")


class _SigningIn(Session):
    """Signs in; what is on this machine is not asked through a proxy."""

    def merge_environment_settings(self, url: Any, *more: Any) -> Any:
        """What the environment says, but for this machine."""
        self.trust_env = not is_here(str(url))
        return super().merge_environment_settings(url, *more)


def _local_session(credentials: Any) -> Session:
    """A session that asks Google nothing of its own accord, and nothing through a proxy."""
    signing_in = _SigningIn()
    signing_in.mount(_REGIONS, _Nowhere())
    session: Session = AuthorizedSession(  # type: ignore[no-untyped-call]
        credentials, auth_request=Request(signing_in)
    )
    session.trust_env = False
    return session


def base_url() -> str | None:
    """What stands for Google's address, without a slash at the end; None for Google itself.

    Raises:
        InputError: it is not on this machine.
    """
    said = config.sheets_url()
    if said is None or is_here(said):
        return said and said.rstrip("/")
    raise InputError(
        f"MOGI_SHEETS_URL is {said.rpartition('@')[2]}: only addresses of this machine are "
        "allowed, such as http://127.0.0.1:8080; unset it to use Google's own"
    )


def is_here(url: str) -> bool:
    """Whether a URL of http or https names this machine, to whoever takes it apart."""
    try:
        parts = parse_url(url)  # as requests does
        host = (parts.host or "").strip("[]")
        alike = urlsplit(url).hostname == host and parts.scheme in {"http", "https"}
        return alike and (host == "localhost" or ip_address(host).is_loopback)
    except ValueError:
        return False


def _is_repeatable(method: str, endpoint: str, body: Mapping[str, Any] | None) -> bool:
    if endpoint.endswith("/values:batchUpdate") or method.upper() == "PUT":
        return True
    if endpoint.endswith(":batchUpdate"):
        return is_repeatable((body or {}).get("requests", ()))
    return endpoint.endswith((":clear", ":batchClear"))


def _short(error: Exception) -> str:
    return "the connection broke" if isinstance(error, RequestException) else str(error)
