"""Where a model lives and which key opens it."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from simulator import config
from simulator.core.errors import InputError
from simulator.core.plan import ModelSpec

_OPENAI_KEY = "OPENAI_API_KEY"
_AZURE_KEY = "AZURE_OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class Account:
    """Whose models are called: where, and with which key.

    `base_url` None is the SDK's own default; with `azure`, the SDK's Azure variables say where.
    `key` is empty for endpoints that want none; `key_name` is the variable it comes from.
    """

    base_url: str | None
    key: str = field(repr=False)
    key_name: str = _OPENAI_KEY
    azure: bool = False


def account_of(spec: ModelSpec) -> Account:
    """The account of a model: its own base URL and key, else the SDK's variables.

    A base URL without a variable of its own is called with OPENAI_API_KEY where that is set, as
    the SDK does; without any key where it is not (Ollama, vLLM, llama.cpp).

    Raises:
        InputError: no key, an unusable one, or a base URL that is none.
    """
    base_url = spec.base_url or config.openai_base_url()
    if base_url is not None:
        _check_url(base_url)
    name = spec.api_key_env or _OPENAI_KEY
    key = config.model_key(name)
    if key is not None:
        return Account(base_url, _checked(key, name), name)
    if base_url is None:
        azure = None if spec.api_key_env else _azure()
        if azure is None:
            raise _no_key(spec.model, name)
        return azure
    if spec.api_key_env:  # who names a variable means it to hold a key
        raise _no_key(spec.model, name)
    return Account(base_url, "", name)


def _azure() -> Account | None:
    key = config.model_key(_AZURE_KEY)
    if key is None or not config.has_openai_settings():
        return None
    return Account(None, _checked(key, _AZURE_KEY), _AZURE_KEY, azure=True)


def _no_key(model: str, name: str) -> InputError:
    return InputError(
        f"no key for the model {model}: set {name} in the environment"
        " (or run with --offline, which calls no model but one of the bot's own)"
    )


def _checked(key: str, name: str) -> str:
    if not (key.isascii() and key.isprintable() and " " not in key):
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
