"""How a model is asked, as people write it beside the model's name: times, lengths, headers."""

import re
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, model_validator

from simulator.core.clean import cut, visible
from simulator.formats.complaints import LIKE_A_SECRET
from simulator.formats.fields import Count, Positive, Text

_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_KEYS = re.compile("authorization|key|token|secret|password|cookie", re.IGNORECASE)
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_SCHEME = re.compile(r"^(bearer|basic|token|apikey)\b", re.IGNORECASE)
_LONGEST_KNOWN = 8  # characters of a header's value that are no key whatever it is called
_BY_MOGI = ("model", "messages", "input", "response_format")
_ELSEWHERE = ("temperature", "max_tokens", "reasoning_effort")


def _headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not _HEADER.fullmatch(name):
            raise ValueError(f': "{cut(visible(name), 40)}" is no name of a header')
        bare = _VARIABLE.sub("", value)
        if "${" in bare:
            raise ValueError(f": {name} has a ${{ that names no variable; right is ${{NAME}}")
        if not (value.isascii() and value.isprintable()):
            raise ValueError(f": {name} holds characters that no header has")
        literal = _SCHEME.sub("", bare.strip()).strip()
        if LIKE_A_SECRET.search(literal) or (_KEYS.search(name) and len(literal) >= _LONGEST_KNOWN):
            raise ValueError(
                f": {name} holds a key (not repeated here); keep it in the environment, write "
                f'{name}: "${{NAME_OF_THE_VARIABLE}}", and have this one renewed'
            )
    return headers


def _extra_body(body: dict[str, Any]) -> dict[str, Any]:
    for name in body:
        if name in _BY_MOGI:
            raise ValueError(f": {name} is what mogi itself sends; take it out")
        if name in _ELSEWHERE:
            raise ValueError(f": {name} has a key of its own; write it beside extra_body")
    return body


class ModelSettings(BaseModel):
    """The keys that every model takes, whoever asks it."""

    ASKS_HOW: ClassVar = (
        *("timeout_s", "deadline_s", "max_tokens", "reasoning_effort"),
        *("headers", "extra_body", "api_version", "client"),
    )

    timeout_s: Positive | None = Field(None, description="a number of seconds above 0")
    deadline_s: Positive | None = Field(None, description="a number of seconds above 0")
    max_tokens: Count | None = None
    reasoning_effort: (
        Literal["none", "minimal", "low", "medium", "high", "xhigh", "max", "default"] | None
    ) = None
    headers: Annotated[dict[str, Text], AfterValidator(_headers)] = Field(
        {}, description='a mapping, such as {X-Tenant: acme, X-Key: "${GATEWAY_KEY}"}'
    )
    extra_body: Annotated[dict[str, Any], AfterValidator(_extra_body)] = Field(
        {}, description="a mapping, such as {top_p: 0.9}"
    )
    api_version: Text | None = Field(None, description="a version of Azure's, such as 2024-10-21")
    client: Literal["sdk"] | None = None

    @model_validator(mode="after")
    def _has_time(self) -> Self:
        if self.deadline_s is not None and self.deadline_s < (self.timeout_s or 0):
            raise ValueError(
                "has a deadline_s (for all attempts) that is shorter than its timeout_s (for one); "
                "write a longer deadline_s, or none"
            )
        return self
