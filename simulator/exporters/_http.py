"""JSON that is sent to another tool: bounded in time, tried again, and told without its keys."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from simulator import config
from simulator.core.clean import cut, visible
from simulator.core.errors import InputError, MogiError, TargetError
from simulator.core.plan import Reached
from simulator.core.version import __version__
from simulator.formats.fields import wrong_url
from simulator.targets._wire.client import (
    CallRetries,
    FailedAttempt,
    HttpClient,
    HttpRequest,
    Incoming,
    json_or_none,
)
from simulator.targets._wire.secrets import without

_AT_ONCE = 8
_ATTEMPTS, _TIMEOUT_S = 4, 30.0
_EACH_S = 10.0  # as OTLP's exporters wait for one answer
_SHORTEST_SECRET = 8
_SHORTEST_START = 4
_LONGEST = 600  # characters of what went wrong
_OF_A_BOT = "; is the bot running?"


class ExportError(MogiError):
    """Another tool did not take what it was sent."""


def checked_url(name: str, url: str) -> str:
    """The URL in the variable `name`, without a slash at its end.

    Raises:
        InputError: it is none, or a host that nobody let in.
    """
    if wrong := wrong_url(url, "put it in a header"):
        raise InputError(f"{name} {wrong}")
    place = config.origin(url)
    if not config.may_reach(place):
        why = f"{config.refuser()} blocks the host {place} of {name}"
        raise InputError(f"{why}{config.way_in(place)}")
    return url.rstrip("/")


def reached(name: str, url: str, *variables: str) -> Iterator[Reached]:
    """What an exporter reaches: the host of its tool, and variables that it is sent."""
    place = config.origin(url)
    yield Reached("host", place, f"--export {name}", implied=True)
    for variable in variables:
        yield Reached("variable", variable, f"--export {name} → {place}", implied=True)


class Sender:
    """Posts JSON to one tool. Opened where the settings are read, used in one thread.

    Nothing is asked but what begins with `url`.
    `secrets` are in no message. A request may be sent twice: what is sent bears its own id.
    Once a request failed for good, later ones are tried once.
    """

    def __init__(self, url: str, headers: Mapping[str, str], secrets: Iterable[str] = ()) -> None:
        """Nothing is opened before the first request."""
        fixed = {"Content-Type": "application/json", "User-Agent": f"mogi/{__version__}"}
        self._headers = {**fixed, **headers}
        words = (word for value in headers.values() for word in (value, *value.split()))
        self._secrets = {s for s in (*secrets, *words) if len(s) >= _SHORTEST_SECRET}
        place = Reached("host", config.origin(url), path=unquote(urlsplit(url).path))
        self._client = HttpClient([place], hints={})
        self._attempts = _ATTEMPTS
        self._runner: asyncio.Runner | None = None

    def post(
        self, url: str, *bodies: object, method: str = "POST", repeatable: bool = True
    ) -> list[Any]:
        """What the tool answers each body with: JSON, or None. The body None is none.

        What is not `repeatable` is sent again only where the tool says that it did not take it.

        Raises:
            ExportError: it did not take one of them; the others are sent all the same.
        """
        if self._runner is None:
            self._runner = asyncio.Runner()
        requests = [HttpRequest(method, url, self._headers, _data(body)) for body in bodies]
        answers = self._runner.run(self._sent(requests, repeatable=repeatable))
        for answer in answers:
            if isinstance(answer, TargetError):
                raise self.error(url, str(answer).replace(_OF_A_BOT, "")) from None
            if isinstance(answer, BaseException):
                raise answer
        return answers

    def close(self) -> None:
        """Close every connection."""
        if self._runner is not None:
            self._runner.run(self._client.close())
            self._runner.close()
            self._runner = None

    async def _sent(self, requests: list[HttpRequest], *, repeatable: bool) -> list[Any]:
        permits = asyncio.Semaphore(_AT_ONCE)

        async def send(request: HttpRequest) -> Any:
            retries = CallRetries(self._attempts, _TIMEOUT_S)
            async with permits:
                try:
                    return (await retries(partial(self._once, request), repeatable=repeatable))[0]
                except TargetError:
                    self._attempts = 1
                    raise

        return await asyncio.gather(*map(send, requests), return_exceptions=True)

    async def _once(self, request: HttpRequest) -> Any:
        try:
            async with asyncio.timeout(_EACH_S):
                return await self._client.attempt(request, _json)
        except TimeoutError:
            raise FailedAttempt(f"no answer within {_EACH_S:g} s", passes=True) from None

    def error(self, url: str, why: str) -> ExportError:
        """What the tool at this URL did, without a key."""
        why = without(why, dict.fromkeys(self._secrets, "[key]"), _SHORTEST_SECRET)
        for secret in self._secrets:  # what the tool said may be cut in the middle of one
            for length in range(len(secret) - 1, _SHORTEST_START - 1, -1):
                why = why.replace(f"{secret[:length]}…", "[key]…")
        place, text = config.origin(url), cut(visible(why), _LONGEST)
        return ExportError(text if place in text else f"{place}: {text}")


def _data(body: object) -> bytes | None:
    return None if body is None else json.dumps(body).encode()


async def _json(incoming: Incoming) -> Any:
    return json_or_none((await incoming.body()).decode("utf-8", "replace"))
