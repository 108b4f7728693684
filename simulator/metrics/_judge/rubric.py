"""The sections of what the judge is asked: rubrics with their votes, and the claims it reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from pydantic import BeforeValidator, Field, create_model, model_validator

from simulator.core.claim import CLAIMS, Claim, ClaimKind, Reader, Reading, State
from simulator.core.clean import cut, normal_form
from simulator.core.health import YES_NO, Aspect, Labels, Ratings, Rubric, Said, Scale, Scope
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import Evidence
from simulator.core.scenario import Expected, Scenario
from simulator.files.prompts import fenced
from simulator.llm.structured import CleanText, FormModel, one_of, real_number, whole_number
from simulator.metrics._context import Tokens
from simulator.metrics._judge.prompt import rubric_text

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt


_MOST = 200  # claims of a scenario
_LONGEST = 2_000  # characters of one claim
_QUOTE = 500  # characters of a quote that are kept
_NEEDS_QUOTE = {
    ClaimKind.SAYS: (State.MET, State.VIOLATED),
    ClaimKind.MUST_NOT: (State.VIOLATED,),
}
_OMITTED = re.compile(r"\s*(?:\[?(?:…|\.\.\.)\]?)\s*")
# Tokens of an entry: its number, a quote and the state.
_ENTRY: Tokens = (15, 35, 200)
_USER: Tokens = (12, 18, 100)


class _Check(FormModel):
    number: whole_number(1, _MOST)  # type: ignore[valid-type]
    quote: CleanText
    state: one_of(("met", "unmet", "violated"))  # type: ignore[valid-type]


class _Role(FormModel):
    quote: CleanText
    state: one_of(("in_role", "out_of_role"))  # type: ignore[valid-type]


class ClaimsForm(FormModel):
    """The claims, one by one, and whether the user is in its role.

    A judge that leaves them out has rated all the same.
    """

    claims: list[_Check] = Field(default_factory=list)
    user_in_role: _Role = Field(default_factory=lambda: _Role(quote="", state="in_role"))


@dataclass(frozen=True, slots=True)
class ClaimsSection:
    """The claims and a look at the user's message; the same text in all turns, to be cached."""

    prompt: Prompt
    id: str = CLAIMS
    infos: Sequence[MetricInfo] = ()
    scope: Scope = "turn"

    @property
    def sees(self) -> tuple[str, ...]:
        """The blocks of the evidence that it needs."""
        return ("talk", "documents", "question", "answer")

    def instructions(self) -> str:
        """How claims are checked, and what is no message of a customer."""
        return "\n\n".join(self.prompt.render(part) for part in ("section", "role"))

    def why_not(self, scenario: Scenario, *, documents: bool) -> str:
        """It is always asked."""
        return ""

    def form(self, scenario: Scenario) -> type[FormModel]:
        """The same for all scenarios."""
        return ClaimsForm

    def writes(self, scenario: Scenario) -> Tokens:
        """An entry for each claim."""
        expected = scenario.expected
        n = len(expected.elements) + len(expected.must_not) + bool(expected.answers) + 1
        low, likely, high = (e * n + u for e, u in zip(_ENTRY, _USER, strict=True))
        return low, likely, high

    def outcomes(self, evidence: Evidence, answers: Sequence[FormModel]) -> Outcomes:
        """No metric; see `readings`."""
        return {}

    def block(self, evidence: Evidence, fence: str) -> str:
        """The claims as the judge is shown them, each text fenced; empty without any."""
        lines = [self._line(number, c, fence) for number, c in enumerate(evidence.claims, 1)]
        return self.prompt.render("block", claims="\n".join(lines)) if lines else ""

    def _line(self, number: int, claim: Claim, fence: str) -> str:
        part = "whole" if claim.is_whole else claim.kind.value
        values = {"number": str(number)}
        if claim.wordings:
            text = cut(" / ".join(claim.wordings), _LONGEST)
            values["text"] = "\n" + fenced(f"claim-{number}", text, fence)
        return self.prompt.render(part, **values)


def readings_of(evidence: Evidence, answers: Sequence[FormModel]) -> tuple[Reading, ...]:
    """What the judge says about each claim: the majority of its votes; a tie is unknown."""
    votes = [answer for answer in answers if isinstance(answer, ClaimsForm)]
    if not votes:
        return ()
    answer = normal_form(evidence.exchange.assistant)
    return tuple(
        _majority([_reading(number, claim, vote, answer) for vote in votes])
        for number, claim in enumerate(evidence.claims, 1)
    )


def out_of_role(evidence: Evidence, answers: Sequence[FormModel]) -> str:
    """The user's words that no user would write, by most votes; empty where it is in its role.

    What the scenario gives is nobody's slip, whatever the judge says of it.
    """
    if not _has_user(evidence):
        return ""
    votes = [a.user_in_role for a in answers if isinstance(a, ClaimsForm)]
    message = normal_form(evidence.exchange.user)
    odd = [v.quote for v in votes if v.state == "out_of_role" and _is_in(v.quote, message)]
    return cut(odd[0], _QUOTE) if 2 * len(odd) > len(votes) else ""


def _reading(number: int, claim: Claim, vote: ClaimsForm, answer: str) -> Reading:
    check = next((check for check in vote.claims if check.number == number), None)
    if check is None:
        return Reading(claim.id, State.UNKNOWN, Reader.MODEL)
    state = State(check.state)
    if claim.kind is ClaimKind.MUST_NOT and state is State.UNMET:
        state = State.MET  # it is not said
    is_quoted = _is_in(check.quote, answer)
    if state in _NEEDS_QUOTE.get(claim.kind, ()) and not is_quoted:
        return Reading(claim.id, State.UNKNOWN, Reader.MODEL)
    quote = check.quote if is_quoted and state is not State.UNMET else ""
    return Reading(claim.id, state, Reader.MODEL, cut(quote, _QUOTE), claim.text)


def _is_in(quote: str, answer: str) -> bool:
    """True if a quote is in an answer, in normal form; what it leaves out may be marked by `…`."""
    parts = [normal_form(part) for part in _OMITTED.split(quote)]
    return any(parts) and all(part in answer for part in parts)


def _majority(readings: Sequence[Reading]) -> Reading:
    counts = Counter(reading.state for reading in readings)
    (state, n), *others = counts.most_common()
    if others and others[0][1] == n:
        state = State.UNKNOWN
    agreeing = next((reading for reading in readings if reading.state is state), None)
    return agreeing or Reading(readings[0].claim, state, Reader.MODEL)


def _has_user(evidence: Evidence) -> bool:
    """True if a model or rules wrote the user's last message, so that it may be out of role."""
    message, scenario = evidence.exchange.user, evidence.scenario
    written: tuple[str, ...] = (scenario.query, *scenario.turns)
    return not evidence.scripted and message not in written


T = TypeVar("T")
# What a rubric sees or asks that not every scenario has, and what `MetricInfo.needs` calls it.
_NEEDS = {"expected_answer": "answer", "expected_elements": "elements"}
# Tokens of a comment with its conclusion, and of each answer behind its name.
_COMMENT: Tokens = (60, 150, 1200)
_ANSWER: Tokens = (5, 10, 50)
_NO_RIGHT = "the scenario doesn't say what's correct"


@dataclass(frozen=True, slots=True)
class RubricVote:
    """What one vote said about one rubric; `said` by aspect, None where it does not apply."""

    comment: str
    said: dict[str, Said] | None


class JudgeForm:
    """The form for one section (its own object) or for several (an object with one for each).

    The names in the JSON are those of the sections. The fields behind them are numbered, since a
    section may be called what a pydantic model must not have as a field. The claims stand beside
    them as they are: their fields have names of their own.
    """

    def __init__(self, ids: Sequence[str], inner: Sequence[type[FormModel]]) -> None:
        pairs = list(zip(ids, inner, strict=True))
        self._parts = [(id_, form) for id_, form in pairs if not issubclass(form, ClaimsForm)]
        self._claims = [(id_, form) for id_, form in pairs if issubclass(form, ClaimsForm)]
        self.model: type[FormModel] = self._made()

    def _made(self) -> type[FormModel]:
        forms = [form for _, form in self._parts]
        whole = forms[0] if len(forms) == 1 else None
        if len(forms) > 1:
            whole = _together([id_ for id_, _ in self._parts], forms)
        if not self._claims:
            return whole or FormModel
        of_claims = self._claims[0][1]
        if whole is None:
            return of_claims
        model: Any = create_model("Judgement", __base__=(of_claims, whole))
        return cast("type[FormModel]", model)

    def answers(self, filled: FormModel) -> dict[str, FormModel]:
        """What a filled-in form says, by section id."""
        by_id = {id_: filled for id_, _ in self._claims}
        if len(self._parts) == 1:
            id_, form = self._parts[0]
            names = form.model_fields
            by_id[id_] = form.model_construct(**{name: getattr(filled, name) for name in names})
        else:
            ids = enumerate(id_ for id_, _ in self._parts)
            by_id |= {id_: getattr(filled, f"section_{n}") for n, id_ in ids}
        return by_id


def judgement_form(rubric: Rubric) -> type[FormModel]:
    """The object that answers a rubric: comment, conclusion, and only then what follows from them.

    The fields of the aspects are numbered, since an aspect may be called anything.
    """
    fields: dict[str, Any] = {"comment": (CleanText, ...), "conclusion": (CleanText, ...)}
    if rubric.may_not_apply:
        fields["not_applicable"] = (bool, ...)
    for index, aspect in enumerate(rubric.aspects):
        fields[f"said_{index}"] = (_answer(aspect.scale), Field(alias=aspect.name))
    mended = {"any_will_do": _any_will_do(rubric)} if rubric.may_not_apply else {}
    model: type[FormModel] = create_model(
        "Judgement", __base__=FormModel, __validators__=mended, **fields
    )
    return model


def judgement_of(rubric: Rubric, answer: FormModel) -> RubricVote:
    """What a filled-in `judgement_form` says."""
    comment, conclusion, *rest = _fields(answer)
    words = "\n".join(part for part in (comment.strip(), conclusion.strip()) if part)
    if rubric.may_not_apply and rest.pop(0):
        return RubricVote(words, None)
    names = [aspect.name for aspect in rubric.aspects]
    return RubricVote(words, dict(zip(names, rest, strict=True)))


def _answer(scale: Scale) -> Any:
    if isinstance(scale, Ratings):
        return whole_number(scale.low, scale.high)
    if not isinstance(scale, Labels):
        return real_number(0, 1)
    words = one_of(tuple(scale.values))
    return Annotated[words, BeforeValidator(_yes_or_no)] if scale == YES_NO else words


def _yes_or_no(value: object) -> object:
    return ("no", "yes")[value] if isinstance(value, bool) else value


def _any_will_do(rubric: Rubric) -> Any:
    """Where the rubric does not apply, its ratings do not count, and null is as good as any."""
    some = {aspect.name: _some(aspect.scale) for aspect in rubric.aspects}

    def fill(data: object) -> object:
        if isinstance(data, dict) and data.get("not_applicable") is True:
            return {**data, **some}
        return data

    return model_validator(mode="before")(fill)


def _some(scale: Scale) -> Said:
    if isinstance(scale, Labels):
        return next(iter(scale.values))
    return scale.low if isinstance(scale, Ratings) else 0.0


def _together(ids: Sequence[str], inner: Sequence[type[FormModel]]) -> type[FormModel]:
    fields: dict[str, Any] = {
        f"section_{index}": (model, Field(alias=name))
        for index, (name, model) in enumerate(zip(ids, inner, strict=True))
    }
    model: type[FormModel] = create_model("Judgements", __base__=FormModel, **fields)
    return model


def _fields(answer: FormModel) -> list[Any]:
    return [getattr(answer, name) for name in type(answer).model_fields]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What an answer to an aspect is worth on one turn; see `Aspect.right_if`."""

    aspect: Aspect
    yes_is_right: bool = True

    def value(self, answer: Said) -> float:
        """0–1."""
        return self.aspect.value(self.aspect.scale.raw(answer), yes_is_right=self.yes_is_right)

    def score(self, answer: Said, comment: str, votes: Sequence[Said] = ()) -> Score:
        """The value beside what was said; where votes differ, the ends of what they said."""
        parts = vote_ends([self.value(vote) for vote in votes])
        return Score(self.value(answer), self.aspect.scale.raw(answer), comment, parts)


def vote_ends(values: Sequence[float]) -> dict[str, float]:
    """`lowest` and `highest`, or nothing where all votes agree: most do, and a store is full."""
    return {"lowest": min(values), "highest": max(values)} if len(set(values)) > 1 else {}


def enough(votes: Sequence[T | Unscored]) -> list[T] | Unscored:
    """The usable votes; half of them or fewer usable: the reason of the first that failed."""
    usable = [vote for vote in votes if not isinstance(vote, Unscored)]
    failed = [vote for vote in votes if isinstance(vote, Unscored)]
    return failed[0] if len(usable) * 2 <= len(votes) else usable


def middle(votes: Sequence[T], key: Callable[[T], float]) -> T:
    """The vote in the middle; the lower one of an even number."""
    return sorted(votes, key=key)[(len(votes) - 1) // 2] if len(votes) > 1 else votes[0]


def vote_outcomes(rulings: Sequence[Ruling], votes: Sequence[RubricVote]) -> dict[str, Outcome]:
    """The value in the middle for each aspect, with the comment of the vote nearest to them all.

    A comment ends with the labels that count, since their numbers do not tell them. Where more
    than half of the votes say so, the rubric does not apply.

    Args:
        rulings: The aspects that are counted.
        votes: One or more, in their order.
    """
    usable = [(vote.comment, vote.said) for vote in votes if vote.said is not None]
    if len(usable) * 2 < len(votes):
        silent = next(vote.comment for vote in votes if vote.said is None)
        return {r.aspect.name: Unscored(Gap.NOT_APPLICABLE, silent) for r in rulings}
    by_name = {ruling.aspect.name: ruling for ruling in rulings}
    several = [answers for _, answers in usable]
    counts = {name: _middle(r, several) for name, r in by_name.items()}

    def distance(vote: tuple[str, Mapping[str, Said]]) -> float:
        return sum(abs(r.value(vote[1][n]) - r.value(counts[n])) for n, r in by_name.items())

    nearest, _ = min(usable, key=distance)
    labels = [
        f"{name}: {counts[name]}"
        for name, ruling in by_name.items()
        if isinstance(ruling.aspect.scale, Labels)
    ]
    comment = "\n".join([nearest, *labels])
    return {
        name: ruling.score(counts[name], comment, [answers[name] for answers in several])
        for name, ruling in by_name.items()
    }


def _middle(ruling: Ruling, votes: Sequence[Mapping[str, Said]]) -> Said:
    return middle([answers[ruling.aspect.name] for answers in votes], ruling.value)


class RubricSection:
    """One rubric; each of its aspects is a metric."""

    def __init__(self, rubric: Rubric, prompt: Prompt) -> None:
        self.rubric = rubric
        self._prompt = prompt
        self._form = judgement_form(rubric)
        self.id, self.sees, self.scope = rubric.id, rubric.sees, rubric.scope
        self.infos = [aspect_info(rubric, aspect) for aspect in rubric.aspects]
        self._known: dict[tuple[bool | None, bool], list[Ruling]] = {}

    def instructions(self) -> str:
        """Its instruction, its aspects and their scales, and its worked examples."""
        return rubric_text(self.rubric, self._prompt)

    def why_not(self, scenario: Scenario, *, documents: bool) -> str:
        """It compares with something that this scenario, or this target, does not give."""
        sees, expected = self.rubric.sees, scenario.expected
        if "expected_answer" in sees and not expected.answers:
            return "no expected answer"
        if "expected_elements" in sees and not expected.elements:
            return "no expected elements"
        if "documents" in self.rubric.needs and not documents:
            return "the target has reported no documents so far"
        return "" if self._rulings(scenario) else _NO_RIGHT

    def form(self, scenario: Scenario) -> type[FormModel]:
        """Comment, conclusion, perhaps whether it applies, and an answer for each aspect."""
        return self._form

    def writes(self, scenario: Scenario) -> Tokens:
        """A comment with its conclusion, and the answers."""
        low, likely, high = (
            comment + answer * len(self.rubric.aspects)
            for comment, answer in zip(_COMMENT, _ANSWER, strict=True)
        )
        return low, likely, high

    def outcomes(self, evidence: Evidence, answers: Sequence[FormModel]) -> Outcomes:
        """The middle one of several votes, for each aspect."""
        gap = Unscored(Gap.NOT_APPLICABLE, _NO_RIGHT)
        outcomes: dict[str, Outcome] = dict.fromkeys((a.name for a in self.rubric.aspects), gap)
        votes = [judgement_of(self.rubric, answer) for answer in answers]
        return outcomes | vote_outcomes(self._rulings(evidence.scenario), votes)

    def _rulings(self, scenario: Scenario) -> list[Ruling]:
        """Of the aspects that apply to a scenario; most scenarios have the same."""
        expected = scenario.expected
        if (kind := (expected.can_be_answered, expected.escalate)) not in self._known:
            right = [(aspect, _yes_is_right(aspect, expected)) for aspect in self.rubric.aspects]
            self._known[kind] = [Ruling(aspect, yes) for aspect, yes in right if yes is not None]
        return self._known[kind]


def _yes_is_right(aspect: Aspect, expected: Expected) -> bool | None:
    """None where the scenario does not tell.

    Handing over what has no answer is neither right nor wrong, unless the scenario asks for it.
    """
    if aspect.right_if == "unanswerable":
        return None if expected.can_be_answered is None else not expected.can_be_answered
    if aspect.right_if == "escalate" and not expected.escalate:
        return False if expected.can_be_answered else None
    return True


def aspect_info(rubric: Rubric, aspect: Aspect) -> MetricInfo:
    """The metric that an aspect of a rubric is."""
    low, high = aspect.scale.ends
    needs = ["judge", *(need for seen, need in _NEEDS.items() if seen in rubric.sees)]
    needs += ["context"] if "documents" in rubric.needs else []
    needs += ["answerable"] if aspect.right_if else []
    return MetricInfo(
        name=aspect.name,
        title=aspect.title,
        low=low,
        high=high,
        needs=tuple(needs),
        # A share or a label is its own value, unless that was turned round.
        rated=isinstance(aspect.scale, Ratings) or aspect.low_is_good,
        description=aspect.question,
        scope=rubric.scope,
        asked=(rubric.instruction, *aspect.anchors.values()),
    )
