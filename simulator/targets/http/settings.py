"""The keys of `target:` for `kind: http`, what can be wrong, and the requests that come of it."""

import json
import re
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from pydantic import (
    AfterValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from simulator import config
from simulator.core.clean import cut, visible
from simulator.core.errors import InputError
from simulator.core.talk import Id
from simulator.formats.fields import KEY_IN_URL, wrong_url
from simulator.formats.jmespath import PathText
from simulator.plugins import suggest
from simulator.targets._wire.client import HttpRequest, headers_of
from simulator.targets._wire.parts import PartSettings
from simulator.targets._wire.secrets import Secrets
from simulator.targets._wire.settings import (
    DEFAULT_BODY,
    EXAMPLES,
    IN_HEADER,
    TELLING,
    AnswerSettings,
    Fields,
    Headers,
    WireSettings,
    check_address,
    check_body,
    check_template,
    is_json_text,
)
from simulator.targets._wire.templates import Template, TemplateError, as_field
from simulator.targets.http.carry import HEADER, QUERY, checked_destination, checked_place
from simulator.targets.http.presets import presets, with_preset

_BODILESS = frozenset({"GET", "HEAD"})
_METHOD = re.compile(r"[A-Za-z]{1,20}")
_ACCEPT = "application/json, text/plain;q=0.9, */*;q=0.8"
_ACCEPT_SSE = "text/event-stream"
_wrong_address = partial(wrong_url, right=IN_HEADER)


Carry = dict[
    Annotated[str, AfterValidator(checked_destination)],
    Annotated[str, AfterValidator(checked_place)],
]


def _method(text: str) -> str:
    if not _METHOD.fullmatch(text):
        raise ValueError(f': "{cut(visible(text), 40)}" is no HTTP method; write POST or GET')
    return text.upper()


def _url(text: str) -> str:
    check_template(text, url=True)
    if "${" in text.partition("?")[2]:
        raise ValueError(f"holds a ${{NAME}} in its query, where logs would keep it; {IN_HEADER}")
    return check_address(text, _wrong_address)


def _params(params: Fields) -> Fields:
    check_template(params)
    for name, value in params.items():
        if KEY_IN_URL.search(name) or "${" in str(value):
            raise ValueError(
                f': "{cut(visible(name), 40)}" would put a key into the url, where logs keep it; '
                f"{IN_HEADER}"
            )
    return params


class HttpCall(WireSettings):
    """One request: what is sent, and where to. Any of its texts may hold placeholders."""

    TEMPLATES = ("url", "body", "form", "headers", "params")

    url: Annotated[str, AfterValidator(_url)] = Field(
        description="an address that begins with https:// or http://"
    )
    method: Annotated[str, AfterValidator(_method)] = Field("POST", description="the HTTP method")
    headers: Headers = Field({}, description="such as {Authorization: Bearer ${BOT_TOKEN}}")
    params: Annotated[Fields, AfterValidator(_params)] = Field(
        {}, description="what is appended to the url as its query"
    )
    body: Any = Field(None, description="what is sent, as JSON, or as it stands where it is text")
    form: Annotated[Fields, AfterValidator(check_template)] = Field(
        {}, description="fields that are sent as an HTML form, in place of a body"
    )

    @field_validator("body")
    @classmethod
    def _whole(cls, body: Any, info: ValidationInfo) -> Any:
        check_body(body, info.data.get("headers", {}))
        return body

    @model_validator(mode="after")
    def _one_body(self) -> Self:
        if self.body is not None and self.form:
            raise ValueError("has both a body and a form; leave one of them out")
        return self

    @property
    def sent_body(self) -> Any:
        """The body that is sent; None: there is none."""
        return self.body

    def places(self) -> dict[str, Any]:
        """What of it may hold placeholders, by the keys' names."""
        return {**super().places(), "body": self.sent_body}


class PollCall(HttpCall):
    """The call that asks whether a job is done, again and again, until it is."""

    method: Annotated[str, AfterValidator(_method)] = Field("GET", description="the HTTP method")
    job: Annotated[str, AfterValidator(checked_place)] = Field(
        description="where the first answer names the job: a JMESPath, or header:NAME"
    )
    until: PathText | None = Field(
        None,
        description="a JMESPath that is true when the answer is there; default: status is not 202",
    )
    every_s: float = Field(1, gt=0, description="seconds between two looks")


class SessionCall(HttpCall):
    """The call that opens a session, once for each talk, and the one that closes it."""

    id: PathText = Field(description="a JMESPath to the session's id in the answer")
    close: HttpCall | None = Field(None, description="the request that ends a session")


class HttpSettings(AnswerSettings, HttpCall):
    """The keys of `target:` in a client file, for `kind: http`."""

    preset: str | None = Field(
        None, description="the settings of a well-known bot, to which what is written here is added"
    )
    stream: Literal["none", "sse"] = Field("none", description="sse: server-sent events")
    sse: PartSettings = Field(PartSettings(), description="how a stream is read")
    session: SessionCall | None = Field(
        None, description="a call that opens a session for each talk: {url, id, ...}"
    )
    carry: Carry = Field(
        {},
        description="what the bot hands out and is sent back from turn 2 on: what it is sent as "
        "(a key of the body, header:NAME or query:NAME), and where it is found",
    )
    trace: Annotated[str, AfterValidator(checked_place)] | None = Field(
        None,
        description="where the id of the bot's own trace is: a JMESPath, or header:NAME; default: "
        "in the header traceparent",
    )
    poll: PollCall | None = Field(
        None, description="how an answer is waited for that comes later: {url, job, until, every_s}"
    )
    cookies: bool = Field(
        default=False, description="true: keep the bot's cookies, for each talk its own"
    )

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, written: Any) -> Any:
        return with_preset(written) if isinstance(written, Mapping) else written

    @field_validator("preset")
    @classmethod
    def _known(cls, name: str | None) -> str | None:
        if name is not None and name not in presets():
            raise ValueError(f': no "{cut(visible(name), 40)}"; {suggest(name, tuple(presets()))}')
        return name

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        used = self.variables()
        if not used & TELLING:
            raise ValueError(
                "sends the question nowhere; write {{ question }} (or {{ messages }}) in its body, "
                "form, params, headers or url"
            )
        if "session" in used and self.session is None:
            raise ValueError(
                "uses {{ session }}, but there is no session to be opened; "
                "add session: {url: ..., id: a JMESPath to its id}, or use {{ episode }}"
            )
        if "sse" in self.model_fields_set and self.stream == "none":
            raise ValueError("has sse, but stream is none; write stream: sse")
        self._check_session()
        self._check_carry()
        self._check_poll()
        return self

    def _check_carry(self) -> None:
        to_body = [name for name in self.carry if not name.startswith((HEADER, QUERY))]
        if not to_body or self.form or isinstance(self.sent_body, Mapping):
            return
        raise ValueError(
            f"carries {to_body[0]} into a body that is no mapping; write carry: "
            f"{{query:{to_body[0]}: ...}} or {{header:{to_body[0]}: ...}}, or body as a mapping"
        )

    def _check_poll(self) -> None:
        calls = filter(None, (self.session, self.session and self.session.close))
        if "job" in self.variables().union(*(call.variables() for call in calls)):
            raise ValueError("uses {{ job }}, which only poll knows; write it in poll.url")
        if self.poll is None:
            return
        if "job" not in self.poll.variables():
            raise ValueError("has poll, but it asks for no job; write {{ job }} in poll.url")
        if self.stream == "sse":
            raise ValueError("has poll, but streams its answer; write stream: none")

    def _check_session(self) -> None:
        if self.session is None:
            return
        if "session" in self.session.variables():
            raise ValueError("uses {{ session }} in the call that opens it; use {{ episode }}")
        closing = self.session.close.variables() if self.session.close else frozenset()
        wrong = sorted(closing - {"session", "episode"})
        if wrong:
            raise ValueError(
                f"uses {{{{ {wrong[0]} }}}} in session.close; there are: session, episode"
            )

    @property
    def sent_body(self) -> Any:
        """The body that is sent: the question and the history, where nothing else says it."""
        if self.method in _BODILESS or self.body is not None or self.form:
            return self.body
        elsewhere = Template([self.url, self.params, self.headers]).variables
        return None if elsewhere & TELLING else DEFAULT_BODY

    @property
    def stateful(self) -> bool:
        """Whether the bot itself remembers the talk: it is told which one, not what was said."""
        if self.session is not None or self.cookies or self.carry:
            return True
        return "episode" in self.variables() and not self.tells_talk

    @property
    def tells_talk(self) -> bool:
        """Whether the bot is told what was said before."""
        return bool(self.variables() & {"history", "messages"})

    @property
    def polling(self) -> PollCall | None:
        """The call that asks for a job; with the target's own headers where it goes to its host."""
        poll = self.poll
        if poll is None or "headers" in poll.model_fields_set:
            return poll
        is_same_host = config.origin(poll.url) == config.origin(self.url)
        return poll.model_copy(update={"headers": self.headers}) if is_same_host else poll


class CallTemplate:
    """A call of the settings, compiled. `name` is its key in them, such as `session`."""

    def __init__(self, call: HttpCall, name: str = "") -> None:
        """Compile it; the settings are checked already."""
        self.method = call.method
        self._body = call.sent_body
        self._is_form = bool(call.form)
        self._url = Template(call.url, url=True)
        parts = {"headers": call.headers, "params": call.params, "data": call.form or self._body}
        self._parts = Template(parts)
        self._key = f"{name}." if name else ""
        self.environment = tuple(call.environment(self._key))
        is_stream = isinstance(call, HttpSettings) and call.stream == "sse"
        self._headers = {"Accept": _ACCEPT_SSE if is_stream else _ACCEPT}
        kind = self._kind(call.headers)
        if kind is not None:
            self._headers["Content-Type"] = kind

    def check_url(self, secrets: Secrets) -> None:
        """Look at the url again, now that the environment's part of it is known.

        Raises:
            InputError: it is none, or it holds a key.
        """
        values = {name: examples[0] for name, examples in EXAMPLES.items()}
        wrong = _wrong_address(self._url.render(values, secrets.values))
        if wrong:
            raise InputError(f"target.{self._key}url {wrong}")

    def fill(
        self,
        values: Mapping[str, Any],
        secrets: Secrets,
        ids: Mapping[str, Id] = MappingProxyType({}),
    ) -> HttpRequest:
        """The request with these values, and with ids where `carry` sends them back.

        Raises:
            InputError: a template of the client file cannot be filled in with them.
        """
        try:
            url = self._url.render(values, secrets.values)
            parts = self._parts.render(values, secrets.values)
        except TemplateError as error:
            raise InputError(f"target.{self._key}".rstrip(".") + f": {error}") from None
        for name, value in ids.items():
            kind = next((k for k in (HEADER, QUERY) if name.startswith(k)), "")
            part = {HEADER: "headers", QUERY: "params"}.get(kind, "data")
            parts[part] = {**parts[part], name.removeprefix(kind): value}
        headers = headers_of(parts["headers"], self._headers)
        return HttpRequest(
            self.method, _with_query(url, parts["params"]), headers, self._encoded(parts["data"])
        )

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
            return urlencode(_fields(rendered)).encode()
        if rendered is None:
            return None
        is_text = isinstance(self._body, str) and isinstance(rendered, str)
        text = rendered if is_text else json.dumps(rendered, ensure_ascii=False)
        return text.encode("utf-8", "replace")


def _fields(rendered: Mapping[str, Any]) -> list[tuple[str, str]]:
    fields = ((name, as_field(value)) for name, value in rendered.items())
    return [(name, text) for name, text in fields if text is not None]


def _with_query(url: str, params: Mapping[str, Any]) -> str:
    added = urlencode(_fields(params), quote_via=quote)
    if not added:
        return url
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=f"{parts.query}&{added}" if parts.query else added))
