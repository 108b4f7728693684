"""client.yaml as people write it: every key, what is right for it, and its default."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from simulator import plugins
from simulator.core.errors import InputError
from simulator.core.plan import (
    JudgeSpec,
    Limits,
    ModelCaps,
    ModelSpec,
    Price,
    SheetsSpec,
    TargetCaps,
    Tuned,
    UserSpec,
)
from simulator.formats.complaints import hint, shown
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
    spreadsheet_key,
)

_LONGEST_TITLE = 100  # of a worksheet, in Google Sheets


def _key(where: str) -> str:
    try:
        return spreadsheet_key(where)
    except InputError as error:
        raise ValueError(f": {error}") from error


class SheetsEntry(Written):
    """Where people review, and the name of the worksheet that collects all conversations."""

    spreadsheet: Annotated[
        Text, AfterValidator(_key), Field(description="a spreadsheet's key, or its address")
    ]
    worksheet: Annotated[
        Text, Field(max_length=_LONGEST_TITLE, description="the name of a worksheet")
    ] = "Log"

    def spec(self) -> SheetsSpec:
        """The same as a core type."""
        return SheetsSpec(self.spreadsheet, self.worksheet)


DEFAULT_THRESHOLDS = {"overall": 0.7, "lexical": 0.5}
_REMOTE = TargetCaps(concurrency=4, per_minute=120)
_LOCAL = TargetCaps(concurrency=50, per_minute=None)


def _timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        known = sorted(available_timezones())
        raise ValueError(
            f"names no time zone {shown(name)}; {hint(name, known)}, such as Asia/Tokyo or UTC"
        ) from error
    return name


ModelName = Annotated[Text, Field(description="the name of a model")]
Temperature = Annotated[float, Field(ge=0, le=2, description="a number from 0 to 2")]


def _user_kind(kind: str) -> str:
    try:
        find_kind("users", kind)
    except InputError as error:
        raise ValueError(f": {error}") from error
    return kind


class UserEntry(Written):
    """Who speaks, and the model behind it."""

    kind: Annotated[Text, AfterValidator(_user_kind)] | None = None
    open: Literal["exact", "styled"] = "exact"
    model: ModelName | None = None
    temperature: Temperature | None = None
    base_url: Url | None = None
    api_key_env: EnvName | None = None

    @model_validator(mode="after")
    def _calls_a_model(self) -> Self:
        # Silently dropped, an address would send what is said to another one.
        keys = ("api_key_env", "base_url", "temperature")
        useless = [key for key in keys if getattr(self, key) is not None]
        if self.model is None and useless:
            raise ValueError(f"has {useless[0]}, but names no model to call; add user.model")
        return self

    def spec(self) -> UserSpec:
        """The same as a core type; without a model there is no chat."""
        chat = None
        if self.model is not None:
            chat = ModelSpec(self.model, self.temperature, self.base_url, self.api_key_env)
        return UserSpec(self.kind, self.open, chat)


class JudgeEntry(Written):
    """Who judges."""

    model: ModelName
    temperature: Temperature | None = None
    calls: Literal["together", "apart"] = "together"
    votes: Count = 1
    base_url: Url | None = None
    api_key_env: EnvName | None = None

    def spec(self) -> JudgeSpec:
        """The same as a core type."""
        chat = ModelSpec(self.model, self.temperature, self.base_url, self.api_key_env)
        return JudgeSpec(chat, self.calls, self.votes)


class EmbeddingEntry(Written):
    """The model that makes vectors of texts."""

    model: ModelName
    base_url: Url | None = None
    api_key_env: EnvName | None = None

    def spec(self) -> ModelSpec:
        """The same as a core type."""
        return ModelSpec(self.model, None, self.base_url, self.api_key_env)


class TargetEntry(Written):
    """The keys that every kind of target takes."""

    kind: Annotated[Text, Field(description="the kind of bot, such as demo or function")]
    stateful: YesNo = False
    timeout_s: Annotated[Positive, Field(description="a number of seconds above 0")] = 60.0
    version: AnyText = ""


class ThresholdEntry(Written):
    """A threshold, and what it was found with, as `mogi tune --write` leaves it."""

    value: Share
    judge: AnyText = ""
    rubric: AnyText = ""
    verdicts: Annotated[int, Field(ge=0, description="a number of verdicts, 0 or more")] = 0
    date: AnyText = ""

    def tuned(self) -> Tuned | None:
        """What it was found with; None where a person wrote the number alone."""
        known = self.judge or self.rubric or self.date or self.verdicts
        return Tuned(self.judge, self.rubric, self.verdicts, self.date) if known else None


def _as_threshold(value: Any) -> Any:
    return value if isinstance(value, Mapping | ThresholdEntry) else {"value": value}


Threshold = Annotated[
    ThresholdEntry,
    BeforeValidator(_as_threshold),
    Field(description="a number from 0 to 1, or {value, judge, rubric, verdicts, date}"),
]


class GateEntry(Written):
    """What the run's score has to reach."""

    score: Share


class TargetCapsEntry(Written):
    """Calls to the target at once and per minute; `null` per minute lifts the cap."""

    concurrency: Count | None = None
    per_minute: Positive | None = None


class ModelCapsEntry(Written):
    """Calls to models at once, requests and tokens per minute; `null` lifts a cap."""

    concurrency: Count = 50
    requests_per_minute: Positive | None = 500.0
    tokens_per_minute: Positive | None = 200_000.0


class LimitsEntry(Written):
    """What a run may do at most."""

    target: Annotated[TargetCapsEntry, Field(description="{concurrency: 4, per_minute: 120}")] = (
        TargetCapsEntry()
    )
    model: Annotated[
        ModelCapsEntry,
        Field(description="{concurrency: 50, requests_per_minute: 500, tokens_per_minute: 200000}"),
    ] = ModelCapsEntry()
    budget_usd: Annotated[Positive, Field(description="an amount in USD above 0")] | None = None
    calls: Count | None = None

    def limits(self, *, local: bool) -> Limits:
        """The same as a core type; what is not written depends on where the target lives."""
        caps, default = self.target, _LOCAL if local else _REMOTE
        return Limits(
            target=TargetCaps(
                concurrency=caps.concurrency or default.concurrency,
                per_minute=caps.per_minute
                if "per_minute" in caps.model_fields_set
                else default.per_minute,
            ),
            model=ModelCaps(**self.model.model_dump()),
            budget_usd=self.budget_usd,
            calls=self.calls,
        )


class PriceEntry(Written):
    """USD per million tokens."""

    input: NotNegative
    output: NotNegative
    cached: NotNegative | None = None

    def price(self) -> Price:
        """The same as a core type."""
        return Price(self.input, self.output, self.cached)


class FileEntry(Written):
    """A file that a client's folder holds, and which worksheet of it, if it is a workbook."""

    file: Annotated[Text, Field(description="the path of a file")]
    worksheet: Annotated[Text, Field(description="the name of a worksheet")] | None = None


def _as_file(value: Any) -> Any:
    return {"file": value} if isinstance(value, str | int | float) else value


_File = Annotated[FileEntry, BeforeValidator(_as_file)]


class ClientEntry(Written):
    """client.yaml; `target` is looked at apart, because its kind says which keys it takes."""

    language: Literal["ja", "en"]
    target: Annotated[dict[str, Any], Field(description="the bot under test, such as {kind: demo}")]
    timezone: Annotated[
        Text, AfterValidator(_timezone), Field(description="a time zone, such as Asia/Tokyo")
    ] = "Asia/Tokyo"
    scenarios: (
        Annotated[_File, Field(description="a csv, xlsx, yaml or json file, or {file, worksheet}")]
        | None
    ) = None
    knowledge: (
        Annotated[_File, Field(description="a file or a folder, or {file, worksheet}")] | None
    ) = None
    user: Annotated[UserEntry, Field(description="{kind: …} or {model: …}")] = UserEntry()
    judge: Annotated[JudgeEntry, Field(description="{model: …}")] | None = None
    embedding: Annotated[EmbeddingEntry, Field(description="{model: …}")] | None = None
    guidelines: Texts = ()
    personas: Names = ()
    assign: Literal["all", "random", "round_robin"] = "all"
    repeat: Count = 1
    seed: Annotated[int, Field(description="a whole number")] = 42
    max_turns: Count = 3
    min_turns: Count = 1
    metrics: Annotated[Names, Field(min_length=1, description="a list of metrics")] = ("overall",)
    score_by: Annotated[Name, Field(description="the name of a metric")] = "overall"
    thresholds: Annotated[
        dict[str, Threshold], Field(description="metrics and numbers, such as {overall: 0.7}")
    ] = Field(default_factory=dict)
    gate: Annotated[GateEntry, Field(description="{score: a number from 0 to 1}")] | None = None
    limits: Annotated[LimitsEntry, Field(description="target, model, budget_usd or calls")] = (
        LimitsEntry()
    )
    prices: Annotated[
        dict[str, PriceEntry],
        Field(description="models and {input, output, cached} in USD per million tokens"),
    ] = Field(default_factory=dict)
    sheets: Annotated[SheetsEntry, Field(description="{spreadsheet: KEY_OR_URL}")] | None = None


def find_kind(room: str, kind: str) -> type:
    """The class behind a kind.

    Raises:
        InputError: there is none; the message says which there are.
    """
    known = plugins.names(room)
    if ":" not in kind and kind not in known:
        raise InputError(f"no {room.removesuffix('s')} {shown(kind)}; {hint(kind, known)}")
    return plugins.find(room, kind)
