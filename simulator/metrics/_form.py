"""The form that a judge fills in for some sections, and for a rubric among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, create_model, model_validator

from simulator.core.rubric import YES_NO, Labels, Ratings, Rubric, Said, Scale
from simulator.llm.structured import CleanText, FormModel, one_of, real_number, whole_number


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one vote said about one rubric; `said` by aspect, None where it does not apply."""

    comment: str
    said: dict[str, Said] | None


class JudgeForm:
    """The form for one section (its own object) or for several (an object with one for each).

    The names in the JSON are those of the sections. The fields behind them are numbered, since a
    section may be called what a pydantic model must not have as a field.
    """

    def __init__(self, ids: Sequence[str], inner: Sequence[type[FormModel]]) -> None:
        self._ids = tuple(ids)
        self.model: type[FormModel] = inner[0] if len(inner) == 1 else _together(ids, inner)

    def answers(self, filled: FormModel) -> dict[str, FormModel]:
        """What a filled-in form says, by section id."""
        parts = [filled] if len(self._ids) == 1 else _fields(filled)
        return dict(zip(self._ids, parts, strict=True))


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


def judgement_of(rubric: Rubric, answer: FormModel) -> Judgement:
    """What a filled-in `judgement_form` says."""
    comment, conclusion, *rest = _fields(answer)
    told = "\n".join(part for part in (comment.strip(), conclusion.strip()) if part)
    if rubric.may_not_apply and rest.pop(0):
        return Judgement(told, None)
    names = [aspect.name for aspect in rubric.aspects]
    return Judgement(told, dict(zip(names, rest, strict=True)))


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
