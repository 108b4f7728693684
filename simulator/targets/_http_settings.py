"""The keys of `target:` for `kind: http`, and everything that can be wrong with them."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from simulator.targets._http_checks import (
    DEFAULT_BODY,
    TELLING,
    check_body,
    check_headers,
    check_method,
    check_params,
    check_template,
    check_url,
)
from simulator.targets._jmespath import PathText
from simulator.targets._templates import Template

Fields = dict[str, Any]
_BODILESS = frozenset({"GET", "HEAD"})


def _fields(check: Callable[[Mapping[str, Any]], None]) -> Callable[[Fields], Fields]:
    def checked(fields: Fields) -> Fields:
        check(fields)
        return fields

    return checked


Url = Annotated[str, AfterValidator(check_url)]
Method = Annotated[str, AfterValidator(check_method)]
Headers = Annotated[Fields, AfterValidator(_fields(check_headers))]
Params = Annotated[Fields, AfterValidator(_fields(check_params))]
Form = Annotated[Fields, AfterValidator(_fields(check_template))]


class HttpCall(BaseModel, extra="forbid"):
    """One request: what is sent, and where to. Any of its texts may hold placeholders."""

    url: Url = Field(description="an address that begins with https:// or http://")
    method: Method = Field("POST", description="the HTTP method")
    headers: Headers = Field({}, description="such as {Authorization: Bearer ${BOT_TOKEN}}")
    params: Params = Field({}, description="what is appended to the url as its query")
    body: Any = Field(None, description="what is sent, as JSON, or as it stands where it is text")
    form: Form = Field({}, description="fields that are sent as an HTML form, in place of a body")

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
        return {
            "url": self.url,
            "headers": self.headers,
            "params": self.params,
            "body": self.sent_body,
            "form": self.form,
        }

    def variables(self) -> frozenset[str]:
        """The names of all that is filled in, apart from the environment's."""
        return frozenset().union(
            *(Template(written).variables for written in self.places().values())
        )


class SessionCall(HttpCall):
    """The call that opens a session, once for each talk, and the one that closes it."""

    id: PathText = Field(description="a JMESPath to the session's id in the answer")
    close: HttpCall | None = Field(None, description="the request that ends a session")


class Sse(BaseModel, extra="forbid"):
    """How a stream of server-sent events is read."""

    answer_event: str | None = Field(None, description="the name of the events that hold the text")
    documents_event: str | None = Field(
        None, description="the name of the events that hold documents"
    )
    end: str | None = Field(
        None,
        description="the data or the name of the event that ends a stream; without it a stream "
        "counts as broken off. [DONE] ends one in any case",
    )
    pieces: Literal["join", "last"] = Field(
        "join", description="join: each event holds a piece; last: each repeats the text so far"
    )


class HttpSettings(HttpCall):
    """The keys of `target:` in a client file, for `kind: http`."""

    answer: PathText | None = Field(
        None,
        description="a JMESPath to the answer's text, in a stream to that of each event; "
        "default: the text itself, or `answer` (and `documents`) of a mapping",
    )
    documents: PathText | None = Field(
        None, description="a JMESPath to the retrieved documents: texts or objects"
    )
    document_ids: PathText | None = Field(
        None, description="a JMESPath to the documents' ids, as many as there are documents"
    )
    document_titles: PathText | None = Field(
        None, description="a JMESPath to the documents' titles, as many as there are documents"
    )
    stream: Literal["none", "sse"] = Field("none", description="sse: server-sent events")
    sse: Sse = Field(Sse(), description="how a stream is read")
    session: SessionCall | None = Field(
        None, description="a call that opens a session for each talk: {url, id, ...}"
    )
    cookies: bool = Field(
        default=False, description="true: keep the bot's cookies, for each talk its own"
    )
    attempts: int = Field(
        3, ge=1, le=10, description="tries of a call, where trying again does no harm"
    )

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
        return self

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
        told = (self.body, self.form, self.params, self.url, self.headers)
        if self.method in _BODILESS or self.body is not None or self.form:
            return self.body
        if any(Template(written).variables & TELLING for written in told):
            return None
        return DEFAULT_BODY

    @property
    def stateful(self) -> bool:
        """Whether the bot itself remembers the talk: it is told which one, not what was said."""
        if self.session is not None or self.cookies:
            return True
        used = self.variables()
        return "episode" in used and not used & {"history", "messages"}
