"""Where a model lives, which key opens it, and who may call it after rejections."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from simulator import config
from simulator.core.concurrency import Halt
from simulator.core.errors import InputError
from simulator.core.plan import ModelSpec, Reached
from simulator.core.traffic import Limit, Track

_OPENAI = "https://api.openai.com/v1"
_OPENAI_KEY = "OPENAI_API_KEY"
_AZURE_KEY = "AZURE_OPENAI_API_KEY"
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Account:
    """Whose models are called: where, and with which key.

    `base_url` None is OpenAI itself. `key` is empty for endpoints that want none; `key_name` is the
    variable it comes from. `headers` go with each request, the environment's values filled in:
    those are `secrets`. `api_version`: Azure's. `sdk`: it is called through the SDK.
    """

    base_url: str | None
    key: str = field(repr=False)
    key_name: str = _OPENAI_KEY
    azure: bool = False
    api_version: str | None = None
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    sdk: bool = False

    @property
    def where(self) -> str:
        """The base URL that is really called."""
        where = (self.base_url or _OPENAI).rstrip("/")
        is_resource = self.azure and "/openai" not in urlsplit(where).path
        return f"{where}/openai" if is_resource else where


def check_granted(account: Account, url: str) -> None:
    """Look whether a request is to the account's own place; a key is for nobody else.

    Raises:
        InputError: it is not, or an option forbids its host.
    """
    path = unquote(urlsplit(account.where).path)
    place = Reached("host", config.origin(account.where), method="POST", path=path)
    if why := config.refusal("POST", url, [place]):
        raise InputError(why)


def account_of(spec: ModelSpec) -> Account:
    """The account of a model: its own base URL and key, else the SDK's variables.

    A base URL without a variable of its own is called with OPENAI_API_KEY where that is set, as
    the SDK does; without any key where it is not (Ollama, vLLM, llama.cpp).

    Raises:
        InputError: no key, an unusable one, a base URL that is none, a variable in a header that
            is not set, or a host elsewhere where nothing is trusted.
    """
    where = config.model_place(spec.base_url)
    if not config.may_reach(where):
        hint = config.way_in(where)
        raise InputError(f"{config.refuser()} blocks the host {where} of {spec.model}{hint}")
    headers, secrets = filled(spec)
    base_url = spec.base_url or config.openai_base_url()
    key_name = spec.api_key_env or _OPENAI_KEY
    key = config.model_key(key_name)
    azure = spec.api_version is not None and base_url is not None
    api_version = spec.api_version
    resource = None if key or base_url or spec.api_key_env else config.azure_resource(api_version)
    if resource is not None:
        base_url, api_version = resource
        azure, key_name = True, _AZURE_KEY
        key = config.model_key(key_name)
    # Who names a variable means it to hold a key.
    if key is None and (base_url is None or spec.api_key_env):
        raise InputError(
            f"no key for the model {spec.model}: set {key_name} in the environment, "
            "or use --offline (which calls only the bot's own model, if it has one)"
        )
    if base_url is not None:
        _check_url(base_url)
    return Account(
        base_url,
        _checked(key or "", key_name),
        key_name,
        azure,
        api_version,
        headers,
        secrets,
        sdk=spec.client == "sdk",
    )


def filled(spec: ModelSpec) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The headers with the values of the environment in place of `${NAME}`; and those values.

    Raises:
        InputError: variables that are not set, all at once.
    """
    names = {name for text in spec.headers.values() for name in _VARIABLE.findall(text)}
    values = {name: config.secret(name) for name in sorted(names)}
    unset = [name for name, value in values.items() if value is None]
    if unset:
        raise InputError(
            *(
                f"the headers of the model {spec.model}: the environment variable {name} is not "
                f"set; set it before you start mogi, such as with: export {name}=..."
                for name in unset
            )
        )
    known = {name: _checked(value, name, " ") for name, value in values.items() if value}
    headers = tuple(
        (name, _VARIABLE.sub(lambda variable: known[variable[1]], text))
        for name, text in spec.headers.items()
    )
    return headers, tuple(known.values())


def _checked(key: str, name: str, allowed: str = "") -> str:
    if not (key.isascii() and key.isprintable() and (allowed or " " not in key)):
        raise InputError(f"the value of {name} contains characters that no key has; copy it again")
    return key


def _check_url(base_url: str) -> None:
    try:
        url = urlsplit(base_url)
        sound = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise InputError(
            "a model's base_url isn't a URL; use one such as https://api.example.com/v1"
        )
    if url.username or url.password or url.query or url.fragment:
        raise InputError(
            "a model's base_url can't contain a user, password or query: keep keys in the "
            "environment (api_key_env)"
        )


_ALIKE = 3  # rejections in the same words, before the account has answered anything
_SCENARIOS = 3  # of as many scenarios, afterwards, if nothing was answered in between
_IN_A_ROW = 10  # however few scenarios they are from
# What differs from one request to the next in the same complaint: counts, ids, times.
_VARYING = re.compile(r"[0-9a-f-]{8,}|\d+", re.IGNORECASE)


def alike(message: str) -> str:
    """What a complaint says whichever request it is about."""
    return _VARYING.sub("#", message)


class Door:
    """Until an account has answered, one call at a time goes to it: a wrong key costs one.

    Attributes:
        answered: Whether it ever answered a question.
    """

    def __init__(self) -> None:
        self.answered = False
        self._open = False
        self._first = asyncio.Lock()
        self._said: Counter[str] = Counter()

    def turn(self, halt: Halt, track: Track) -> AbstractAsyncContextManager[None]:
        """Wait until others may call, or nobody else does; raises RunStopped."""
        return nullcontext() if self._open else self._turn(halt, track)

    @asynccontextmanager
    async def _turn(self, halt: Halt, track: Track) -> AsyncIterator[None]:
        async with AsyncExitStack() as until_answered:
            with track.wait(Limit.FIRST_ANSWER):
                await halt.unless_stopped(until_answered.enter_async_context(self._first))
            if self._open:
                await until_answered.aclose()
            yield

    def opened(self) -> None:
        """A question was answered."""
        self.answered = self._open = True

    def shut(self) -> None:
        """A call ended without an answer: until there is one again, one call goes at a time."""
        self._open = False

    def rejected(self, message: str) -> int:
        """Count a rejection; how many there were in these words."""
        words = alike(message)
        self._said[words] += 1
        return self._said[words]


class Rejections:
    """The rejections of one role's calls to one model that nothing was answered after.

    Until something is, the conversations that they are from are in doubt (`Halt.doubts`).
    """

    def __init__(self, door: Door, halt: Halt) -> None:
        self._door = door
        self._episodes: dict[int, str] = {}
        self._doubted: set[str] = set()
        self._count = 0
        halt.doubts.append(self._doubted)

    @property
    def epoch(self) -> int:
        """To be noted when a call starts, and given to `answered`."""
        return self._count

    def answered(self, epoch: int) -> None:
        """A call that started in `epoch` was answered: the rejections before it were their own."""
        if self._episodes:
            self._episodes = {n: e for n, e in self._episodes.items() if n >= epoch}
            self._doubted.intersection_update(self._episodes.values())

    def too_many(self, episode: str, message: str) -> str:
        """Note a rejection; what to say of it if it ends the run, else nothing."""
        self._episodes[self._count] = episode
        self._doubted.add(episode)
        self._count += 1
        if not self._door.answered:
            times = self._door.rejected(message)
            if times >= _ALIKE:
                return f"rejected {times} requests alike"
        row = len(self._episodes)
        scenarios = {name.rsplit("/", 2)[0] for name in self._episodes.values()}
        if len(scenarios) < _SCENARIOS and row < _IN_A_ROW:
            return ""
        return f"rejected {row} requests in a row"
