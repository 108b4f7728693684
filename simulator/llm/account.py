"""Where a model lives and which key opens it."""

import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from simulator import config
from simulator.core.errors import InputError
from simulator.core.plan import ModelSpec, Reached

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
        raise InputError(f"{config.refuser()} refuses the host {where} of {spec.model}{hint}")
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
            f"no key for the model {spec.model}: set {key_name} in the environment "
            "(or run with --offline, which calls no model but one of the bot's own)"
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
        raise InputError(f"the value of {name} holds characters that no key has; copy it anew")
    return key


def _check_url(base_url: str) -> None:
    try:
        url = urlsplit(base_url)
        sound = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise InputError(
            "a model's base_url is no URL; right would be such as https://api.example.com/v1"
        )
    if url.username or url.password or url.query or url.fragment:
        raise InputError(
            "a model's base_url may hold no user, password or query: keys belong into the "
            "environment (api_key_env)"
        )
