"""client.yaml as people write it: every key, what is right for it, and its default."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

from simulator import config, plugins
from simulator.core.clean import cut, visible
from simulator.core.errors import InputError
from simulator.core.plan import (
    JudgeSpec,
    Limits,
    ModelCaps,
    ModelSpec,
    SheetsSpec,
    TargetCaps,
    Tuned,
    UserSpec,
)
from simulator.formats.fields import (
    AnyText,
    Count,
    EnvName,
    Name,
    Names,
    NotNegative,
    Positive,
    Share,
    Text,
    Texts,
    Url,
    Written,
    YesNo,
    shorthand,
    spreadsheet_key,
)
from simulator.formats.records import mapped
from simulator.formats.sources import LIKE_A_SECRET, hint, shown

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
            raise ValueError(f': "{cut(visible(name), 40)}" isn\'t a header name')
        bare = _VARIABLE.sub("", value)
        if "${" in bare:
            raise ValueError(f": {name} has a ${{ without a variable name; use ${{NAME}}")
        if not (value.isascii() and value.isprintable()):
            raise ValueError(f": {name} contains characters that aren't allowed in a header")
        literal = _SCHEME.sub("", bare.strip()).strip()
        if LIKE_A_SECRET.search(literal) or (_KEYS.search(name) and len(literal) >= _LONGEST_KNOWN):
            raise ValueError(
                f": {name} contains a key (not shown here); keep it in the environment, write "
                f'{name}: "${{NAME_OF_THE_VARIABLE}}", and replace this one'
            )
    return headers


def _extra_body(body: dict[str, Any]) -> dict[str, Any]:
    for name in body:
        if name in _BY_MOGI:
            raise ValueError(f": {name} is set by mogi; remove it")
        if name in _ELSEWHERE:
            raise ValueError(f": {name} is a separate key; write it next to extra_body")
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


_LONGEST_TITLE = 100  # of a worksheet, in Google Sheets


def find_kind(room: str, kind: str) -> type:
    """The class behind a kind.

    Raises:
        InputError: there is none; the message says which there are.
    """
    known = plugins.names(room)
    if ":" not in kind and kind not in known:
        raise InputError(f"no {room.removesuffix('s')} {shown(kind)}; {hint(kind, known)}")
    return plugins.find(room, kind)


def _mapping(paths: dict[str, str]) -> dict[str, str]:
    """The columns of `import:`; each has to be one, and its path a JMESPath."""
    wrong = []
    for column, path in paths.items():
        try:
            mapped(column, path)
        except ValueError as error:
            wrong.append(str(error))
    if wrong:
        raise ValueError(f": {'; '.join(wrong)}")
    return paths


def _in_a_model(check: Callable[[str], object]) -> Callable[[str], object]:
    """What raises an InputError, as pydantic wants it."""

    def checked(text: str) -> object:
        try:
            return check(text)
        except InputError as error:
            raise ValueError(f": {error}") from error

    return checked


def _user_kind(kind: str) -> str:
    find_kind("users", kind)
    return kind


class SheetsEntry(Written):
    """Where people review, and the name of the worksheet that collects all conversations."""

    spreadsheet: Annotated[Text, AfterValidator(_in_a_model(spreadsheet_key))] = Field(
        description="a spreadsheet's key, or its URL"
    )
    worksheet: Text = Field("Log", max_length=_LONGEST_TITLE, description="the name of a worksheet")

    def spec(self) -> SheetsSpec:
        """The same as a core type."""
        return self.to(SheetsSpec)


class ReviewEntry(Written):
    """What people who judge answers are told, and what they are shown."""

    policy: AnyText = Field("", description="what is to be called OK, in a sentence or two")
    blind: YesNo = True


DEFAULT_THRESHOLDS = {"overall": 0.7, "lexical": 0.5, "refusal": 0.5}
_PER_MINUTE = frozenset({"requests_per_minute", "tokens_per_minute"})
_REMOTE = TargetCaps(concurrency=4, per_minute=120)
_LOOPBACK = TargetCaps(concurrency=4, per_minute=None)
_LOCAL = TargetCaps(concurrency=50, per_minute=None)


def _timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        known = sorted(available_timezones())
        raise ValueError(
            f"isn't a time zone: {shown(name)}; {hint(name, known)}, such as Asia/Tokyo or UTC"
        ) from error
    return name


ModelName = Annotated[Text, Field(description="the name of a model")]
Temperature = Annotated[float, Field(ge=0, le=2, description="a number from 0 to 2")]


class UserEntry(Written, ModelSettings):
    """Who speaks, and the model behind it."""

    kind: Annotated[Text, AfterValidator(_in_a_model(_user_kind))] | None = None
    open: Literal["exact", "styled"] | None = None
    model: ModelName | None = None
    temperature: Temperature | None = None
    base_url: Url | None = None
    api_key_env: EnvName | None = None

    @model_validator(mode="after")
    def _calls_a_model(self) -> Self:
        # Silently dropped, an address would send what is said to another one.
        keys = ("api_key_env", "base_url", "temperature", *self.ASKS_HOW)
        useless = [key for key in keys if getattr(self, key) not in (None, {})]
        if self.model is None and useless:
            raise ValueError(f"has {useless[0]}, but no model to call; add user.model")
        return self

    def spec(self) -> UserSpec:
        """The same as a core type; without a model there is no chat."""
        return self.to(UserSpec, chat=None if self.model is None else self.to(ModelSpec))


class JudgeEntry(Written, ModelSettings):
    """Who judges."""

    model: ModelName
    temperature: Temperature | None = None
    calls: Literal["together", "apart"] = "together"
    votes: Count = 1
    base_url: Url | None = None
    api_key_env: EnvName | None = None

    def spec(self) -> JudgeSpec:
        """The same as a core type."""
        return self.to(JudgeSpec, chat=self.to(ModelSpec))


class ReaderEntry(Written, ModelSettings):
    """The model that reads claims where words cannot tell, without a judge."""

    model: ModelName
    temperature: Temperature | None = None
    base_url: Url | None = None
    api_key_env: EnvName | None = None


class EmbeddingEntry(Written, ModelSettings):
    """The model that makes vectors of texts."""

    model: ModelName
    base_url: Url | None = None
    api_key_env: EnvName | None = None

    @model_validator(mode="after")
    def _takes_it(self) -> Self:
        for key in ("max_tokens", "reasoning_effort"):
            if getattr(self, key) is not None:
                raise ValueError(f"has {key}, which doesn't apply to an embedding; remove it")
        return self


def _inside(pattern: str) -> str:
    if pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
        raise ValueError(f"is {pattern!r}; write a path in the client's folder")
    return pattern


FolderPattern = Annotated[Text, AfterValidator(_inside)]


class TargetEntry(Written):
    """The keys that every kind of target takes."""

    kind: Text = Field(description="the kind of bot, such as demo or function")
    stateful: YesNo = False
    timeout_s: Positive = Field(60.0, description="a number of seconds above 0")
    version: AnyText = ""
    watch: tuple[FolderPattern, ...] | None = Field(
        None, strict=False, description="a list of files, such as [index/*.json]"
    )


class ThresholdEntry(Written):
    """A threshold, and what it was found with, as `mogi tune --write` leaves it."""

    value: Share
    judge: AnyText = ""
    rubric: AnyText = ""
    verdicts: int = Field(0, ge=0, description="a number of verdicts, 0 or more")
    date: AnyText = ""

    def tuned(self) -> Tuned | None:
        """What it was found with; None where a person wrote the number alone."""
        tuned = self.to(Tuned)
        return None if tuned == Tuned() else tuned


def _as_threshold(value: Any) -> Any:
    return value if isinstance(value, Mapping | ThresholdEntry) else {"value": value}


Threshold = Annotated[
    ThresholdEntry,
    BeforeValidator(_as_threshold),
    Field(description="a number from 0 to 1, or {value, judge, rubric, verdicts, date}"),
]


class GateEntry(Written):
    """What a run has to reach."""

    score: Share | None = Field(None, description="the lowest score that passes, 0 to 1")
    pass_rate: Share | None = Field(None, description="the lowest pass rate that passes, 0 to 1")
    must_pass: Names = Field((), description="tags or IDs of scenarios that must all pass")
    sure: YesNo = Field(
        default=False, description="the lower end of the 95% interval must reach the gate"
    )

    @model_validator(mode="after")
    def _asks_for_something(self) -> Self:
        if self.score is None and self.pass_rate is None and not self.must_pass:
            raise ValueError("asks for nothing; write score, pass_rate, or must_pass with tags")
        return self


class TargetCapsEntry(Written):
    """Calls to the target at once and per minute; `null` lifts it, as loopback does."""

    concurrency: Count | None = None
    per_minute: Positive | None = None


class ModelCapsEntry(Written):
    """Calls to models at once, requests and tokens per minute; `null` lifts a cap.

    Where none is written there is none on loopback.
    """

    concurrency: Count = 50
    requests_per_minute: Positive | None = 500.0
    tokens_per_minute: Positive | None = 200_000.0


class LimitsEntry(Written):
    """What a run may do at most."""

    target: TargetCapsEntry = Field(
        TargetCapsEntry(), description="{concurrency: 4, per_minute: 120}"
    )
    model: ModelCapsEntry = Field(
        ModelCapsEntry(),
        description="{concurrency: 50, requests_per_minute: 500, tokens_per_minute: 200000}",
    )
    budget_usd: Positive | None = Field(None, description="an amount in USD above 0")
    calls: Count | None = None

    def limits(self, *, local: bool, loopback: bool = False) -> Limits:
        """The same as a core type; what is not written depends on where the target lives."""
        default = _LOCAL if local else _LOOPBACK if loopback else _REMOTE
        rate = self.target if "per_minute" in self.target.model_fields_set else default
        return self.to(
            Limits,
            target=TargetCaps(self.target.concurrency or default.concurrency, rate.per_minute),
            model=self.model.to(ModelCaps, usual=_PER_MINUTE - self.model.model_fields_set),
        )


class PriceEntry(Written):
    """USD per million tokens."""

    input: NotNegative
    output: NotNegative
    cached: NotNegative | None = None


class FileEntry(Written):
    """A file that a client's folder holds, and which worksheet of it, if it is a workbook."""

    file: Text = Field(description="the path of a file")
    worksheet: Text | None = Field(None, description="the name of a worksheet")


_File = Annotated[FileEntry, shorthand("file")]


class ClientEntry(Written):
    """client.yaml; `target` is looked at apart, because its kind says which keys it takes."""

    language: Literal["ja", "en"]
    target: dict[str, Any] = Field(description="the bot under test, such as {kind: demo}")
    timezone: Annotated[Text, AfterValidator(_timezone)] = Field(
        default_factory=config.machine_timezone,
        description="a time zone, such as Asia/Tokyo; without it, this machine's",
    )
    scenarios: _File | None = Field(
        None, description="a csv, xlsx, yaml or json file, or {file, worksheet}"
    )
    knowledge: _File | None = Field(None, description="a file or a folder, or {file, worksheet}")
    user: UserEntry = Field(UserEntry(), description="{kind: …} or {model: …}")
    judge: JudgeEntry | None = Field(None, description="{model: …}")
    reader: ReaderEntry | None = Field(None, description="{model: …}")
    embedding: EmbeddingEntry | None = Field(None, description="{model: …}")
    guidelines: Texts = ()
    personas: Names = ()
    assign: Literal["all", "random", "round_robin"] = "all"
    repeat: Count = 1
    seed: int = Field(42, description="a whole number")
    max_turns: Count = 3
    min_turns: Count = 1
    metrics: Names = Field(("overall",), min_length=1, description="a list of metrics")
    score_by: Name = Field("overall", description="the name of a metric")
    thresholds: dict[str, Threshold | None] = Field(
        {}, description="metrics and numbers, such as {overall: 0.7}; null: none"
    )
    gate: GateEntry | None = Field(
        None, description="{score: a number from 0 to 1}, pass_rate, must_pass, sure"
    )
    fail_on: tuple[Literal["unsupported", "late"], ...] = Field(
        (), strict=False, description="a list of unsupported, late or both"
    )
    limits: LimitsEntry = Field(LimitsEntry(), description="target, model, budget_usd or calls")
    prices: dict[str, PriceEntry] = Field(
        {}, description="models and {input, output, cached} in USD per million tokens"
    )
    review: ReviewEntry = Field(ReviewEntry(), description="policy or blind")
    sheets: SheetsEntry | None = Field(None, description="{spreadsheet: KEY_OR_URL}")
    import_: Annotated[dict[str, Text], AfterValidator(_mapping)] = Field(
        {}, alias="import", description="columns and JMESPaths, such as {question: inputs.question}"
    )
    isolated: YesNo = True
