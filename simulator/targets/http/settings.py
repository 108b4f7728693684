"""The keys of `target:` for `kind: http`, what can be wrong, and the requests that come of it."""

import base64
import hmac
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from secrets import token_hex
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    Tag,
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
    check_headers,
    check_template,
    examples,
    is_json_text,
    known_beside,
)
from simulator.targets._wire.templates import Template, TemplateError, as_field
from simulator.targets.http.carry import (
    COOKIE,
    HEADER,
    QUERY,
    checked_destination,
    checked_place,
    checked_source,
)
from simulator.targets.http.presets import presets, with_preset

_BODILESS = frozenset({"GET", "HEAD"})
_METHOD = re.compile(r"[A-Za-z]{1,20}")
_ACCEPT = "application/json, text/plain;q=0.9, */*;q=0.8"
_ACCEPTS = {"sse": "text/event-stream", "ndjson": "application/x-ndjson"}
_MULTIPART = "multipart/form-data"
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
Stream = Literal["none", "sse", "ndjson"]
_wrong_address = partial(wrong_url, right=IN_HEADER)


Carry = dict[
    Annotated[str, AfterValidator(checked_destination)],
    Annotated[str, AfterValidator(checked_place)],
]


def _method(text: str) -> str:
    if not _METHOD.fullmatch(text):
        raise ValueError(f': "{cut(visible(text), 40)}" isn\'t an HTTP method; use POST or GET')
    return text.upper()


def _url(text: str) -> str:
    check_template(text, url=True)
    if "${" in text.partition("?")[2]:
        raise ValueError(f"has a ${{NAME}} in its query, where logs would keep it; {IN_HEADER}")
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
        description="a URL that begins with https:// or http://"
    )
    method: Annotated[str, AfterValidator(_method)] = Field("POST", description="the HTTP method")
    headers: Headers = Field({}, description="such as {Authorization: Bearer ${BOT_TOKEN}}")
    params: Annotated[Fields, AfterValidator(_params)] = Field(
        {}, description="the query to append to the URL"
    )
    body: Any = Field(None, description="the body: text is sent as is, anything else as JSON")
    form: Annotated[Fields, AfterValidator(check_template)] = Field(
        {}, description="fields to send as an HTML form instead of a body"
    )

    @field_validator("body")
    @classmethod
    def _whole(cls, body: Any, info: ValidationInfo) -> Any:
        check_body(body, info.data.get("headers", {}))
        return body

    @model_validator(mode="after")
    def _one_body(self) -> Self:
        if self.body is not None and self.form:
            raise ValueError("has both a body and a form; remove one of them")
        return self

    @property
    def sent_body(self) -> Any:
        """The body that is sent; None: there is none."""
        return self.body

    def places(self) -> dict[str, Any]:
        """What of it may hold placeholders, by the keys' names."""
        return {**super().places(), "body": self.sent_body}


class Signature(BaseModel, extra="forbid"):
    """A header with an HMAC of the body, by which a bot knows who asks."""

    header: str = Field(description="the header, such as X-Line-Signature")
    key: str = Field(description="the variable with the key, such as ${LINE_CHANNEL_SECRET}")
    hash: Literal["sha256", "sha1", "sha512"] = Field("sha256", description="the hash")
    encoding: Literal["base64", "hex"] = Field("base64", description="the encoding")
    prefix: str = Field("", description="a prefix, such as sha256=")

    @field_validator("header")
    @classmethod
    def _name(cls, name: str) -> str:
        return next(iter(check_headers({name: ""})))

    @field_validator("key")
    @classmethod
    def _from_the_environment(cls, key: str) -> str:
        if not _VARIABLE.fullmatch(key):
            raise ValueError("is not ${NAME}; keep the key in the environment, such as key: ${KEY}")
        return key

    def of(self, body: bytes, secrets: Secrets) -> str:
        """The signature of a body."""
        digest = hmac.digest(secrets.values[self.key[2:-1]].encode(), body, self.hash)
        written = base64.b64encode(digest).decode() if self.encoding == "base64" else digest.hex()
        return self.prefix + written


class CallbackSettings(BaseModel, extra="forbid"):
    """Where a bot sends an answer that does not come with its response."""

    port: int = Field(0, ge=0, le=65535, description="a port on this machine; 0: any free one")
    id: PathText | None = Field(
        None,
        description="a JMESPath to {{ callback_id }} in what the bot sends; default: the bot "
        "sends to the URL {{ callback }}",
    )


class Roles(BaseModel, extra="forbid"):
    """What the messages of a history call their speakers and parts."""

    user: str = Field("user", description="the role of the user, such as human")
    assistant: str = Field("assistant", description="the role of the bot, such as ai")
    role: str = Field("role", description="the key of the role, such as type")
    content: str = Field("content", description="the key of the text")

    def of(self, messages: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
        """Messages of {role, content} in these words."""
        names = {"user": self.user, "assistant": self.assistant}
        return [{self.role: names[m["role"]], self.content: m["content"]} for m in messages]


class PollCall(HttpCall):
    """The call that asks whether a job is done, again and again, until it is."""

    method: Annotated[str, AfterValidator(_method)] = Field("GET", description="the HTTP method")
    job: Annotated[str, AfterValidator(checked_place)] = Field(
        description="where the first answer has the job's ID: a JMESPath, or header:NAME"
    )
    until: PathText | None = Field(
        None,
        description="a JMESPath that is true when the answer is ready; default: status is not 202",
    )
    every_s: float = Field(1, gt=0, description="seconds between two requests")
    stream: Stream = Field(
        "none", description="sse or ndjson: this call's answer is a stream, as `sse` reads it"
    )


def _taken_names(names: Iterable[str]) -> None:
    for name in names:
        if not _PLAIN_NAME.fullmatch(name):
            raise ValueError(f': "{cut(visible(name), 40)}" isn\'t a name; use letters, digits, _')
        if name in EXAMPLES:
            raise ValueError(f': "{name}" is a built-in value; use another name')


class SessionStep(HttpCall):
    """One of the calls that are made once for each talk, before its first question."""

    id: PathText | None = Field(None, description="a JMESPath to the session's id in the answer")
    take: dict[str, Annotated[str, AfterValidator(checked_source)]] = Field(
        {},
        description="values from the response, for later requests as {{ NAME }}: a JMESPath, "
        "header:NAME or cookie:NAME",
    )
    close: HttpCall | None = Field(None, description="the request that ends a session")

    @field_validator("take")
    @classmethod
    def _named(cls, take: dict[str, str]) -> dict[str, str]:
        _taken_names(take)
        return take

    @property
    def takes(self) -> dict[str, str]:
        """The places of all that is taken, by the names that later requests know it by."""
        return {**self.take, **({"session": self.id} if self.id else {})}

    @property
    def reads_body(self) -> bool:
        """Whether anything is taken from the body of its answer."""
        return any(not place.startswith((HEADER, COOKIE)) for place in self.takes.values())


class SessionCall(SessionStep):
    """The call that opens a session, once for each talk, and the one that closes it."""

    id: PathText = Field(description="a JMESPath to the session's id in the answer")


Session = Annotated[
    Annotated[SessionCall, Tag("call")] | Annotated[list[SessionStep], Tag("steps")],
    Discriminator(lambda written: "steps" if isinstance(written, list | tuple) else "call"),
]


class HttpSettings(AnswerSettings, HttpCall):
    """The keys of `target:` in a client file, for `kind: http`."""

    preset: str | None = Field(
        None, description="the settings of a well-known bot; the settings here are added to them"
    )
    stream: Stream = Field(
        "none", description="sse: server-sent events; ndjson: one JSON value per line"
    )
    sse: PartSettings = Field(PartSettings(), description="how a stream is read")
    session: Session | None = Field(
        None,
        description="opens a session for each conversation: {url, id, ...}; or a list of calls, "
        "which can take values for later ones: [{url, take: {token: ...}}]",
    )
    sign: Signature | None = Field(
        None, description="a header with an HMAC of the body: {header, key: ${NAME}}"
    )
    callback: CallbackSettings | None = Field(
        None,
        description="{} if the bot sends its answer to a URL on this machine; send it that URL "
        "as {{ callback }}",
    )
    history: Roles | None = Field(
        None,
        description="role names in {{ messages }} and {{ history }} (which also becomes a list "
        "of messages): {user: human, assistant: ai}",
    )
    carry: Carry = Field(
        {},
        description="values that the bot returns and gets back from turn 2 on: where to send "
        "each (a key of the body, header:NAME or query:NAME), and where to find it",
    )
    trace: Annotated[str, AfterValidator(checked_place)] | None = Field(
        None,
        description="where to find the ID of the bot's own trace: a JMESPath, or header:NAME; "
        "default: the header traceparent",
    )
    poll: PollCall | None = Field(
        None, description="how to wait for an answer that arrives later: {url, job, until, every_s}"
    )
    cookies: bool = Field(
        default=False, description="true: keep the bot's cookies, separately for each conversation"
    )

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, written: Any) -> Any:
        return with_preset(written) if isinstance(written, Mapping) else written

    @model_validator(mode="wrap")
    @classmethod
    def _with_taken(cls, written: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        with known_beside(_names_taken(written)):
            return handler(written)

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
                "doesn't send the question; add {{ question }} (or {{ messages }}) to its body, "
                "form, params, headers or url"
            )
        if "session" in used and not self.steps:
            raise ValueError(
                "uses {{ session }}, but there's no session; "
                "add session: {url: ..., id: a JMESPath to its id}, or use {{ episode }}"
            )
        streams = self.stream != "none" or (self.poll and self.poll.stream != "none")
        if "sse" in self.model_fields_set and not streams:
            raise ValueError("has sse, but stream is none; write stream: sse")
        if self.sign and self.method in _BODILESS:
            raise ValueError(f"has sign, but a {self.method} has no body; write method: POST")
        self._check_session()
        self._check_callback()
        self._check_carry()
        self._check_poll()
        return self

    def _check_carry(self) -> None:
        to_body = [name for name in self.carry if not name.startswith((HEADER, QUERY))]
        if not to_body or self.form or isinstance(self.sent_body, Mapping):
            return
        raise ValueError(
            f"carries {to_body[0]} into a body that isn't a mapping; write carry: "
            f"{{query:{to_body[0]}: ...}} or {{header:{to_body[0]}: ...}}, or body as a mapping"
        )

    def _check_poll(self) -> None:
        calls = filter(None, (*self.steps, self.closing))
        if "job" in self.variables().union(*(call.variables() for call in calls)):
            raise ValueError("uses {{ job }}, which only exists in poll; use it in poll.url")
        if self.poll is None:
            return
        if "job" not in self.poll.variables():
            raise ValueError("has poll, but doesn't use the job; write {{ job }} in poll.url")
        if self.stream != "none":
            raise ValueError(
                "has poll, but streams its answer; write stream: none (if the poll response is the "
                "stream, also poll: {stream: sse, ...})"
            )

    def _check_session(self) -> None:
        taken: set[str] = set()
        every = {name for step in self.steps for name in step.takes} | {"session"}
        for step in self.steps:
            early = sorted((step.variables() & every) - taken)
            if early == ["session"]:
                raise ValueError("uses {{ session }} in the call that opens it; use {{ episode }}")
            if early:
                raise ValueError(f"uses {{{{ {early[0]} }}}} in a step before it is taken")
            taken.update(step.takes)
        if "session" in self.variables() - taken:
            raise ValueError("uses {{ session }}, but no step has an id; add id: a JMESPath to it")
        known = ("session", "episode", *sorted(taken - {"session"}))
        closing = self.closing.variables() if self.closing else frozenset()
        wrong = sorted(closing - {*known})
        if wrong:
            raise ValueError(
                f"uses {{{{ {wrong[0]} }}}} in session.close; choose from: {', '.join(known)}"
            )

    def _check_callback(self) -> None:
        uses = bool(self.variables() & {"callback", "callback_id"})
        if uses and self.callback is None:
            raise ValueError("uses {{ callback }}, but has no callback; add callback: {}")
        if self.callback is None:
            return
        if self.poll or self.stream != "none":
            raise ValueError("has both callback and poll; remove poll")
        if not uses:
            raise ValueError("has callback, but the bot never gets it; use {{ callback }}")
        if self.callback.id is None and "callback" not in self.variables():
            raise ValueError("has callback, but no callback.id that leads to {{ callback_id }}")

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
        if self.cookies or self.carry or any(step.id for step in self.steps):
            return True
        if self.steps and not self.tells_talk:
            return True
        return "episode" in self.variables() and not self.tells_talk

    @property
    def tells_talk(self) -> bool:
        """Whether the bot is told what was said before."""
        return bool(self.variables() & {"history", "messages"})

    @property
    def steps(self) -> tuple[SessionStep, ...]:
        """The calls that are made before a talk's first question."""
        if self.session is None:
            return ()
        return (self.session,) if isinstance(self.session, SessionStep) else tuple(self.session)

    @property
    def closing(self) -> HttpCall | None:
        """The call that ends a session."""
        return next((step.close for step in self.steps if step.close), None)

    @property
    def keeps_cookies(self) -> bool:
        """Whether each talk has cookies of its own."""
        places = (place for step in self.steps for place in step.take.values())
        return self.cookies or any(place.startswith(COOKIE) for place in places)

    def places(self) -> dict[str, Any]:
        """What of it may hold placeholders, by the keys' names."""
        key = {"sign.key": self.sign.key} if self.sign else {}
        return {**super().places(), **key}

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
        stream = call.stream if isinstance(call, HttpSettings | PollCall) else "none"
        self._headers = {"Accept": _ACCEPTS.get(stream, _ACCEPT)}
        self._sign = call.sign if isinstance(call, HttpSettings) else None
        self._ends_at_redirect = isinstance(call, SessionStep) and not call.reads_body
        kind = self._kind(call.headers)
        if kind is not None:
            self._headers["Content-Type"] = kind

    def check_url(self, secrets: Secrets) -> None:
        """Look at the url again, now that the environment's part of it is known.

        Raises:
            InputError: it is none, or it holds a key.
        """
        values = examples(0, self._url.variables)
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
        url = _with_query(url, parts["params"])
        body = self._encoded(parts["data"], headers)
        if self._sign is not None:
            headers[self._sign.header] = self._sign.of(body or b"", secrets)
        return HttpRequest(self.method, url, headers, body, self._ends_at_redirect)

    def _kind(self, headers: Mapping[str, Any]) -> str | None:
        """The content type of what is sent, where it is not named."""
        if self._is_form:
            return "application/x-www-form-urlencoded"
        if self._body is None:
            return None
        if isinstance(self._body, str) and not is_json_text(self._body, headers):
            return "text/plain; charset=utf-8"
        return "application/json"

    def _encoded(self, rendered: Any, headers: dict[str, str]) -> bytes | None:
        kind = next((name for name in headers if name.lower() == "content-type"), "")
        if self._is_form and headers[kind].strip().lower() == _MULTIPART:
            boundary = token_hex(16)
            headers[kind] = f"{_MULTIPART}; boundary={boundary}"
            return _parts(_fields(rendered), boundary)
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


def _parts(fields: Iterable[tuple[str, str]], boundary: str) -> bytes:
    """The fields of a form as multipart/form-data."""
    head = "Content-Disposition: form-data; name="
    texts = [
        f'--{boundary}\r\n{head}"{quote(name, safe=" ")}"\r\n\r\n{text}\r\n'
        for name, text in fields
    ]
    return f"{''.join(texts)}--{boundary}--\r\n".encode("utf-8", "replace")


def _names_taken(written: Any) -> Iterator[str]:
    """The names that the steps of a session take, in settings that nobody has checked yet."""
    steps = written.get("session") if isinstance(written, Mapping) else None
    for step in steps if isinstance(steps, list | tuple) else [steps]:
        take = step.get("take") if isinstance(step, Mapping) else None
        if isinstance(take, Mapping):
            yield from map(str, take)


def _with_query(url: str, params: Mapping[str, Any]) -> str:
    added = urlencode(_fields(params), quote_via=quote)
    if not added:
        return url
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=f"{parts.query}&{added}" if parts.query else added))
