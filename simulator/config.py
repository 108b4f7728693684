"""The settings that come from the environment; the only file that reads it."""

import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from simulator.core.plan import Reached

OPENAI, GOOGLE = "https://api.openai.com", "https://sheets.googleapis.com"
_DEFAULT_KEY = "OPENAI_API_KEY"
_DEFAULT_STORE = "sqlite:///mogi.db"
_AZURE = ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT")
_AZURE_VERSION = "OPENAI_API_VERSION"
_PLACE = re.compile(r"(https?|wss?)://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:[0-9]+)?")
# A way up, also as servers read it that decode twice, or take `\` or `;` for the end of a name.
_HOP = re.compile(r"(?:[/\\]|%2f|%5c)(?:\.|%2e){2}(?:[/\\;]|%2f|%5c|\Z)", re.IGNORECASE)
_SENT_BY_SDK = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")
# What mogi itself is told, and what is no secret: these hold where nothing is trusted, too.
_OWN = ("MOGI_STORE", "MOGI_ALLOW", "MOGI_ALLOW_HOST")
_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")  # POSIX: the first that is set says it
_UNTRUSTED: ContextVar[bool] = ContextVar("untrusted", default=False)
_ALLOWED: ContextVar[tuple[str, ...]] = ContextVar("allowed", default=())
_HOSTS: ContextVar[tuple[str, ...]] = ContextVar("hosts", default=())
_PORTS = {"http": "80", "ws": "80", "https": "443", "wss": "443"}
_NO_LANGUAGE = ("C", "POSIX")


def model_key(env_name: str | None = None) -> str | None:
    """The API key in the variable `env_name` (OPENAI_API_KEY if None); None if unset or empty."""
    return _read(env_name or _DEFAULT_KEY)


def secret(name: str) -> str | None:
    """What the variable that a person names as `${NAME}` holds; None if unset or empty."""
    return _read(name)


def proxy_for(scheme: str, host: str) -> str | None:
    """The proxy that `http_proxy`, `https_proxy` or `all_proxy` names; not for those of `no_proxy`.

    None for a host on this machine, whatever is set.
    """
    from urllib.request import getproxies, proxy_bypass

    if is_loopback(host.strip("[]")) or proxy_bypass(host):
        return None
    proxies = getproxies()
    others = proxies.get("all", "")
    return proxies.get(scheme) or (others if others.startswith("http") else None)


def proxy_of(place: str) -> str | None:
    """The `origin` of the proxy through which what is sent to this `origin` goes, if one is set."""
    scheme, _, host = re.sub("^ws", "http", place).partition("://")
    proxy = proxy_for(scheme, re.sub(":[0-9]+$", "", host))
    return origin(proxy) if proxy else None


def is_loopback(host: str) -> bool:
    """Whether a host's name is one of this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def origin(url: str) -> str:
    """Scheme, host and port of a URL, which may hold placeholders; what is no URL as it stands."""
    scheme, mark, rest = url.partition("://")
    place = re.split("[/?#]", rest if mark else scheme, maxsplit=1)[0]
    return f"{scheme}{mark}{place.rpartition('@')[2]}" if mark else place


def is_here(place: str) -> bool:
    """Whether an `origin` is certainly on this machine: no placeholder may say otherwise."""
    match = _PLACE.fullmatch(place)
    return match is not None and is_loopback(match["host"].strip("[]"))


def may_reach(place: str) -> bool:
    """True if an `origin` may be asked.

    Where hosts are named (`--allow-host`, MOGI_ALLOW_HOST) it is one of them; where nothing is
    trusted, it is one of them and on this machine.
    """
    named = allowed_hosts()
    if is_untrusted():
        return is_here(place) and host_and_port(place) in named
    return not named or host_and_port(place) in named


def refusal(method: str, url: str, granted: "Iterable[Reached]") -> str:
    """Why a request must not be sent, as a sentence; empty if it may be.

    Every connection of mogi's own is asked for here. It may be what `granted`, lines of a run's
    manifest, names by scheme, host, port, method and beginning of the path, where no option
    (`may_reach`) forbids its host.
    """
    place = origin(url)
    if not may_reach(place):
        return f"{refuser()} blocks {place}{way_in(place)}"
    path = unquote(urlsplit(url).path) or "/"
    hops = _HOP.search(path) is not None
    for line in granted:
        is_named = origin_of(line.name) == origin_of(place) or _is_chosen(line.name, place)
        if is_named and line.method in ("", method) and not hops and _is_below(path, line.path):
            return ""
    known = ", ".join(f"{line.method} {line.name}{line.path}".strip() for line in granted)
    return f"{method} {place}{path} isn't in the manifest, which lists: {known or 'no host'}"


def _is_below(path: str, start: str) -> bool:
    """True if a path begins with these whole segments; the last is part of one before a `*`."""
    if start.endswith("*"):
        return path.startswith(start[:-1])
    return path == start or path.startswith(f"{start.rstrip('/')}/")


def origin_of(place: str) -> str:
    """An `origin` as all that mean the same write it: lower case, with its port."""
    return f"{place.lower().partition('://')[0]}://{host_and_port(place)}"


def _is_chosen(line: str, place: str) -> bool:
    """True if a line leaves its host to what is said in a talk, and somebody let this one in."""
    return "{" in line and host_and_port(place) in allowed_hosts()


def host_and_port(place: str) -> str:
    """An `origin` as `--allow-host` names it: HOST:PORT."""
    scheme, _, host = place.lower().partition("://")
    return host if re.search(":[0-9]+$", host) else f"{host}:{_PORTS.get(scheme, '')}"


@contextmanager
def reaching_only(hosts: Iterable[str]) -> Iterator[None]:
    """Ask no host but these, and those that are named already, while the block lasts."""
    before = _HOSTS.set((*_HOSTS.get(), *hosts))
    try:
        yield
    finally:
        _HOSTS.reset(before)


def allowed_hosts() -> tuple[str, ...]:
    """The hosts that `--allow-host` and MOGI_ALLOW_HOST name; none: every host may be asked."""
    named = (*_HOSTS.get(), *(_read("MOGI_ALLOW_HOST") or "").split(","))
    return tuple(dict.fromkeys(host.strip().lower() for host in named if host.strip()))


def refuser() -> str:
    """The option by which something is refused."""
    return "--untrusted" if is_untrusted() else "--allow-host"


def way_in(place: str) -> str:
    """What a refusal of this `origin` says more: how it is let in, where it may be."""
    may_be = is_here(place) or not is_untrusted()
    return f"; if it is yours: --allow-host {host_and_port(place)}" if may_be else ""


def state_folder() -> Path:
    """Where mogi keeps what is this user's alone and of no store in a file."""
    try:
        home = Path.home()
    except RuntimeError:  # this user has none, so nothing is kept
        home = Path(os.devnull)
    return Path(_read("XDG_STATE_HOME") or home / ".local" / "state") / "mogi"


def machine_timezone() -> str:
    """The name of this machine's time zone; UTC if it has none."""
    name = os.environ.get("TZ") or str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]
    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        return "UTC"
    return name.removeprefix("Etc/")


def is_untrusted() -> bool:
    """Whether clients' folders are not trusted: `--untrusted`, or MOGI_UNTRUSTED is set (not 0)."""
    return _UNTRUSTED.get() or os.environ.get("MOGI_UNTRUSTED", "").strip() not in ("", "0")


@contextmanager
def untrusting() -> Iterator[None]:
    """Trust no client's folder while the block lasts."""
    before = _UNTRUSTED.set(True)
    try:
        yield
    finally:
        _UNTRUSTED.reset(before)


def azure_resource(api_version: str | None = None) -> tuple[str, str] | None:
    """Endpoint and API version of the Azure resource that the SDK's variables name, with a key.

    A client file may say the `api_version` instead.
    """
    key, endpoint = map(_read, _AZURE)
    version = api_version or _read(_AZURE_VERSION)
    return (endpoint, version) if key and endpoint and version else None


def openai_headers() -> dict[str, str]:
    """The headers that the SDK's variables add to each request."""
    organization, project, custom = map(_read, _SENT_BY_SDK)
    lines = (line.partition(":") for line in (custom or "").splitlines())
    return {
        **({"OpenAI-Organization": organization} if organization else {}),
        **({"OpenAI-Project": project} if project else {}),
        **{name.strip(): value.strip() for name, colon, value in lines if colon},
    }


def openai_base_url() -> str | None:
    """What OPENAI_BASE_URL says; None means the SDK's own default."""
    return _read("OPENAI_BASE_URL")


def model_place(base_url: str | None = None) -> str:
    """Where a model without a base URL of its own is called: the origin of what the SDK takes."""
    url = base_url or openai_base_url()
    if url is None and _read(_DEFAULT_KEY) is None and _read(_AZURE[0]) is not None:
        url = _read(_AZURE[1])
    return origin(url or OPENAI)


def implied_variables(base_url: str | None = None) -> tuple[str, ...]:
    """The variables whose values a model is sent though nobody names them, as the SDK does it."""
    key = _DEFAULT_KEY
    if not (base_url or openai_base_url() or _read(key)) and _read(_AZURE[0]):
        key = _AZURE[0]
    return (key, *(name for name in _SENT_BY_SDK if _read(name) is not None))


def google_credentials() -> str | None:
    """The path of the file that MOGI_GOOGLE_CREDENTIALS names; None if unset or empty."""
    return _read("MOGI_GOOGLE_CREDENTIALS")


def sheets_url() -> str | None:
    """What MOGI_SHEETS_URL puts in the stead of Google's base URL; None means Google."""
    return _read("MOGI_SHEETS_URL")


def sheets_api() -> str:
    """What each request of a spreadsheet of Google's begins with."""
    return f"{(sheets_url() or GOOGLE).rstrip('/')}/v4"


def allowed_paths() -> tuple[Path, ...]:
    """What the files of a client may be besides its own: what `--allow` and MOGI_ALLOW name.

    Links are resolved; MOGI_ALLOW parts its paths as PATH does.
    """
    named = (*_ALLOWED.get(), *filter(None, (_read("MOGI_ALLOW") or "").split(os.pathsep)))
    return tuple(Path(os.path.realpath(path)) for path in named)


def passed_on(store: str) -> dict[str, str]:
    """The environment of another mogi that works with this store, under the same rules."""
    own = {
        "MOGI_STORE": store,
        "MOGI_ALLOW": os.pathsep.join(map(str, allowed_paths())),
        "MOGI_ALLOW_HOST": ",".join(allowed_hosts()),
        "MOGI_UNTRUSTED": "1" if is_untrusted() else "0",
    }
    return {**os.environ, **own}


@contextmanager
def allowing(paths: Iterable[str]) -> Iterator[None]:
    """Let the files of clients lie in these places, too, while the block lasts."""
    before = _ALLOWED.set((*_ALLOWED.get(), *paths))
    try:
        yield
    finally:
        _ALLOWED.reset(before)


def secure_ray(*, own: bool) -> None:
    """Have Ray ask for a token and tell nobody of its use; `own`: a cluster that is started here.

    Who runs a cluster without tokens says so: RAY_AUTH_MODE=disabled.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    if own:
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))


def setting(*names: str) -> str | None:
    """What the first of these variables holds that is set, also where nothing is trusted.

    They say what is sent where, and who runs mogi; no key is among them.
    """
    values = (os.environ.get(name, "").strip() for name in names)
    return next(filter(None, values), None)


def store_url() -> str:
    """The store's URL: MOGI_STORE, or `mogi.db` in the working directory."""
    return _read("MOGI_STORE") or _DEFAULT_STORE


def language() -> Literal["ja", "en"]:
    """The language of the locale: English where it names any but Japanese, else Japanese."""
    locale = next(filter(None, map(_read, _LOCALE)), "C")
    name = locale.partition(".")[0]
    return "ja" if name in _NO_LANGUAGE or name.lower().startswith("ja") else "en"


def locale() -> Literal["en", "ja"]:
    """The language of the locale: of help and lists, where no client names one."""
    return "ja" if is_japanese() else "en"


def is_japanese() -> bool:
    """True if the locale names Japanese."""
    locale = next(filter(None, map(_read, _LOCALE)), "")
    return locale.lower().startswith("ja")


def _read(name: str) -> str | None:
    if is_untrusted() and name not in (*_OWN, *_LOCALE):
        return None
    return os.environ.get(name, "").strip() or None
