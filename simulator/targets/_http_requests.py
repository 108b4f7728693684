"""A request as it is sent: its settings compiled once, filled in for each turn."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from simulator.core.clean import visible
from simulator.core.errors import InputError
from simulator.core.version import __version__
from simulator.targets._http_checks import EXAMPLES, is_json_text, wrong_url
from simulator.targets._http_settings import HttpCall
from simulator.targets._secrets import Secrets, variables_in
from simulator.targets._templates import Template, TemplateError, as_field

_ACCEPT = "application/json, text/plain;q=0.9, */*;q=0.8"
ACCEPT_SSE = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request, filled in. `data` None: it has no body."""

    method: str
    url: str
    headers: Mapping[str, str]
    data: bytes | None


class CallTemplate:
    """A call of the settings, compiled. `name` is its key in them, such as `session`."""

    def __init__(self, call: HttpCall, name: str = "", accept: str = _ACCEPT) -> None:
        """Compile it; the settings are checked already."""
        self._method = call.method
        self._body = call.sent_body
        self._url = Template(call.url, url=True)
        self._headers = Template(call.headers)
        self._params = Template(call.params)
        self._data = Template(call.form or self._body)
        self._is_form = bool(call.form)
        self._name = f"{name}." if name else ""
        self._given = {"Accept": accept, "User-Agent": f"mogi/{__version__}"}
        kind = self._kind(call.headers)
        if kind is not None:
            self._given["Content-Type"] = kind
        self._written = call

    def places(self) -> Iterator[tuple[str, str]]:
        """(variable of the environment, the key that it is written to), of all of them."""
        call, name = self._written, self._name
        inside = {f"headers.{header}": value for header, value in call.headers.items()}
        written = {"url": call.url, "body": call.body, "form": call.form, **inside}
        return variables_in({f"{name}{key}": value for key, value in written.items()})

    def check_url(self, secrets: Secrets) -> None:
        """Look at the url again, now that the environment's part of it is known.

        Raises:
            InputError: it is none, or it holds a key.
        """
        values = {name: examples[0] for name, examples in EXAMPLES.items()}
        wrong = wrong_url(self._url.render(values, secrets.values))
        if wrong:
            raise InputError(f"target.{self._name}url {wrong}")

    def fill(self, values: Mapping[str, Any], secrets: Secrets) -> Request:
        """The request with these values.

        Raises:
            InputError: a template of the client file cannot be filled in with them.
        """
        env = secrets.values
        try:
            url = self._with_query(self._url.render(values, env), self._params.render(values, env))
            headers = headers_of(self._headers.render(values, env), self._given)
            data = self._encoded(self._data.render(values, env))
        except TemplateError as error:
            raise InputError(f"target.{self._name.rstrip('.')}: {error}") from None
        return Request(self._method, url, headers, data)

    def _kind(self, headers: Mapping[str, Any]) -> str | None:
        """The content type of what is sent, where it is not named."""
        if self._is_form:
            return "application/x-www-form-urlencoded"
        if self._body is None:
            return None
        if isinstance(self._body, str) and not is_json_text(self._body, headers):
            return "text/plain; charset=utf-8"
        return "application/json"

    def _encoded(self, rendered: Any) -> bytes | None:
        if self._is_form:
            fields = ((name, as_field(value)) for name, value in rendered.items())
            return urlencode([(n, v) for n, v in fields if v is not None]).encode()
        if rendered is None:
            return None
        text = rendered if isinstance(self._body, str) else None
        if not isinstance(text, str):
            text = json.dumps(rendered, ensure_ascii=False)
        return text.encode("utf-8", "replace")

    @staticmethod
    def _with_query(url: str, params: Mapping[str, Any]) -> str:
        fields = ((name, as_field(value)) for name, value in params.items())
        told = urlencode([(n, v) for n, v in fields if v is not None], quote_via=quote)
        if not told:
            return url
        parts = urlsplit(url)
        query = f"{parts.query}&{told}" if parts.query else told
        return urlunsplit(parts._replace(query=query))


def headers_of(rendered: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, str]:
    """The headers that are sent: those of the settings, and of `given` what these do not name."""
    own = {name: as_field(value) for name, value in rendered.items()}
    told = {name.lower() for name in own}
    kept = {name: value for name, value in given.items() if name.lower() not in told}
    # A line end would begin a header of its own.
    return kept | {n: " ".join(v.splitlines()) for n, v in own.items() if v is not None}


def shown(method: str, url: str) -> str:
    """A request as a complaint names it: `POST /chat`, without the query."""
    return f"{method} {visible(urlsplit(url).path) or '/'}"
