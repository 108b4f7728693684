"""The keys of `target:` for `kind: websocket`, and everything that can be wrong with them."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from simulator.targets._http_checks import (
    DEFAULT_BODY,
    EXAMPLES,
    PLACEHOLDER,
    TELLING,
    check_body,
    wrong_url,
)
from simulator.targets._http_settings import Headers
from simulator.targets._jmespath import PathText
from simulator.targets._templates import Template, TemplateError, check

_KNOWN = {name: examples for name, examples in EXAMPLES.items() if name != "session"}
_FROM_THE_ENVIRONMENT = re.compile(r"([?&])[^=&#]+=\$\{[^}]*\}")
_RIGHT = "is not the URL of a WebSocket; write one that begins with wss:// or ws://"


def _checked(written: Any, *, url: bool = False) -> None:
    try:
        check(Template(written, url=url), _KNOWN)
    except TemplateError as error:
        raise ValueError(f": {error}") from None


def wrong_address(url: str) -> str:
    """What is wrong with an address that is filled in; empty where nothing is."""
    scheme, _, rest = url.partition("://")
    if scheme not in ("ws", "wss"):
        return _RIGHT
    wrong = wrong_url(f"http://{rest}")
    return _RIGHT if wrong.startswith("is not a URL") else wrong


def _address(text: str) -> str:
    _checked(text, url=True)
    bare = text.strip()
    if bare.startswith("${"):  # all of it comes from the environment: looked at when it is opened
        return bare
    # Browsers cannot send headers to a WebSocket, so many take a token in the query.
    wrong = wrong_address(PLACEHOLDER.sub("x", _FROM_THE_ENVIRONMENT.sub(r"\1x=x", bare)))
    if wrong:
        raise ValueError(wrong)
    return bare


def _message(written: Any) -> Any:
    _checked(written)
    check_body(written, {})
    return written


class WebsocketSettings(BaseModel, extra="forbid"):
    """The keys of `target:` in a client file, for `kind: websocket`."""

    url: Annotated[str, AfterValidator(_address)] = Field(
        description="an address that begins with wss:// or ws://"
    )
    headers: Headers = Field({}, description="such as {Authorization: Bearer ${BOT_TOKEN}}")
    greeting: bool = Field(
        default=False, description="true: the bot's first message is none of its answers"
    )
    send: Annotated[Any, AfterValidator(_message)] = Field(
        DEFAULT_BODY, description="what is sent for a question, as JSON, or as it stands if text"
    )
    answer: PathText | None = Field(
        None,
        description="a JMESPath to the answer's text; default: the message itself, or `answer` "
        "(and `documents`) of a mapping",
    )
    delta: PathText | None = Field(
        None, description="a JMESPath to the piece of text in each message; they are joined"
    )
    until: PathText | None = Field(
        None,
        description="a JMESPath that is true in the last message of an answer; "
        "default: an answer is one message",
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
    attempts: int = Field(3, ge=1, le=10, description="tries of the connection")

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if not Template(self.send).variables & TELLING:
            raise ValueError("sends the question nowhere; write {{ question }} in `send`")
        for written in (self.url, self.headers):
            self._check_constant(written)
        if self.delta is not None and self.until is None:
            raise ValueError(
                "has `delta`, but nothing says which message is the last; "
                "add `until`, such as until: done"
            )
        return self

    @staticmethod
    def _check_constant(written: str | Mapping[str, Any]) -> None:
        wrong = sorted(Template(written).variables - {"episode"})
        if wrong:
            raise ValueError(
                f"uses {{{{ {wrong[0]} }}}} where the connection is opened, once for a talk; "
                "there is: episode"
            )
