"""What may be wrong with a request before it is ever sent; each complaint says what is right."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from simulator.core.clean import cut, visible
from simulator.targets._secrets import LIKE_A_SECRET, SECRET_NAME
from simulator.targets._templates import Template, TemplateError, Verbatim, check

# What tells the question, and what is sent where a client file does not say what.
TELLING = frozenset({"question", "messages"})
DEFAULT_BODY = {"question": "{{ question }}", "history": "{{ history }}"}

# Two examples of each: a first turn, and a later one with a question that is hard to quote.
_HARD = 'He said "no\\yes"\n<b>質問</b> & more'
_SAID = [{"user": "hello", "assistant": "hi"}]
EXAMPLES: Mapping[str, tuple[Any, Any]] = {
    "question": ("hello", _HARD),
    "history": ([], _SAID),
    "messages": (
        [{"role": "user", "content": "hello"}],
        [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "hi"},
            {"role": "user", "content": _HARD},
        ],
    ),
    "episode": ("shipping-calm-1-0123456789ab", "shipping-calm-1-0123456789ab"),
    "turn": (1, 2),
    "session": ("0123456789ab", "0123456789ab"),
}
_METHOD = re.compile(r"[A-Za-z]{1,20}")
_KEY_IN_URL = re.compile(r"(key|token|secret|password|passwd|sig|signature)$", re.IGNORECASE)
_KEY_HEADER = re.compile("authorization|key|token|secret|password", re.IGNORECASE)
_IN_HEADER = (
    "keep it in the environment and write it into a header, such as "
    'headers: {Authorization: "Bearer ${BOT_TOKEN}"}'
)
PLACEHOLDER = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\$\{[^}]*\}", re.DOTALL)


def check_template(written: Any) -> Any:
    """Whatever holds placeholders, if they are right.

    Raises:
        ValueError: they are not.
    """
    try:
        check(Template(written), EXAMPLES)
    except TemplateError as error:
        raise ValueError(f": {error}") from None
    return written


def check_method(text: str) -> str:
    """An HTTP method, in capitals.

    Raises:
        ValueError: it is none.
    """
    if not _METHOD.fullmatch(text):
        raise ValueError(f': "{cut(visible(text), 40)}" is no HTTP method; write POST or GET')
    return text.upper()


def check_url(text: str) -> str:
    """A URL with placeholders.

    Raises:
        ValueError: it is none, or it holds a key or a password.
    """
    try:
        check(Template(text, url=True), EXAMPLES)
    except TemplateError as error:
        raise ValueError(f": {error}") from None
    if "${" in text.partition("?")[2]:
        raise ValueError(f"holds a ${{NAME}} in its query, where logs would keep it; {_IN_HEADER}")
    bare = text.strip()
    if bare.startswith("${"):  # the whole address comes from the environment: looked at when open
        return bare
    wrong = wrong_url(PLACEHOLDER.sub("x", bare))
    if wrong:
        raise ValueError(wrong)
    return bare


def wrong_url(url: str) -> str:
    """What is wrong with a URL that is filled in; empty where nothing is. It is not repeated."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "is not a URL; write one that begins with https:// or http://"
    if not host or parts.scheme not in ("http", "https") or re.search(r"\s", url):
        return "is not a URL; write one that begins with https:// or http://"
    if "@" in parts.netloc:
        return f"holds a user name or a password (not repeated here); {_IN_HEADER}"
    names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    if any(map(_KEY_IN_URL.search, names)):
        return f"holds a key (not repeated here); {_IN_HEADER}"
    return ""


def check_params(params: Mapping[str, Any]) -> None:
    """Query parameters.

    Raises:
        ValueError: a template is wrong, or one holds a key.
    """
    check_template(params)
    for name, value in params.items():
        if _KEY_IN_URL.search(name) or "${" in str(value):
            raise ValueError(
                f': "{cut(visible(name), 40)}" would put a key into the url, where logs keep it; '
                f"{_IN_HEADER}"
            )


def check_headers(headers: Mapping[str, Any]) -> None:
    """Headers.

    Raises:
        ValueError: a template is wrong, a name is none, or a key stands there as it is.
    """
    check_template(headers)
    for name, value in headers.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            raise ValueError(f': "{cut(visible(name), 40)}" is no name of a header')
        if _is_pasted(name, value):
            raise ValueError(
                f": {name} holds a key (not repeated here); {_IN_HEADER}, and have this one renewed"
            )


def check_body(body: Any, headers: Mapping[str, Any]) -> None:
    """A body, of any structure, or text.

    Raises:
        ValueError: a template is wrong, a key stands there as it is, or the text is to be JSON
            but a question with a quotation mark in it would break it.
    """
    check_template(body)
    pasted = next(_pasted_in(body), None)
    if pasted is not None:
        raise ValueError(
            f": {pasted} holds a key (not repeated here); keep it in the environment, "
            f"write {pasted}: ${{BOT_TOKEN}}, and have this one renewed"
        )
    if isinstance(body, str) and is_json_text(body, headers):
        _check_json(body)


def is_json_text(body: str, headers: Mapping[str, Any]) -> bool:
    """Whether a body that is text is meant to be JSON."""
    kind = next((v for k, v in headers.items() if k.lower() == "content-type"), None)
    if kind is not None:
        return "json" in str(kind)
    return body.lstrip().startswith(("{", "[")) and not body.lstrip().startswith(("{{", "{%", "{#"))


def _check_json(body: str) -> None:
    template = Template(body)
    environment = dict.fromkeys(template.environment, Verbatim("x"))
    for turn in range(2):
        values = {name: examples[turn] for name, examples in EXAMPLES.items()}
        try:
            json.loads(template.render(values, environment))
        except ValueError as error:
            raise ValueError(
                ": it is no JSON once it is filled in "
                f"({cut(str(error), 80)}); write each value as {{{{ question | tojson }}}}, "
                "without quotes around it, or write the body as a mapping, not as text"
            ) from None


def _pasted_in(body: Any) -> Iterator[str]:
    if isinstance(body, Mapping):
        for name, value in body.items():
            if SECRET_NAME.search(str(name)) and LIKE_A_SECRET.search(_bare(value)):
                yield str(name)
            yield from _pasted_in(value)
    elif isinstance(body, list | tuple):
        for value in body:
            yield from _pasted_in(value)


def _is_pasted(name: str, value: Any) -> bool:
    """Whether a header's value holds a key where only its variable should stand."""
    bare = _bare(value)
    if SECRET_NAME.search(name) and LIKE_A_SECRET.search(bare):
        return True
    return bool(_KEY_HEADER.search(name)) and len(bare) >= 8


def _bare(value: Any) -> str:
    """What of a value is neither placeholder nor the name of a scheme."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    bare = PLACEHOLDER.sub("", str(value))
    return re.sub(r"(?i)^(bearer|basic|token|apikey)\b", "", bare).strip()
