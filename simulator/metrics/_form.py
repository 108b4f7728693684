"""The form that a judge fills in for some rubrics: comment, conclusion, and only then ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field, create_model

from simulator.core.rubric import Rubric
from simulator.llm.structured import Answer, Text, whole

OWN_WORDS = ("comment", "conclusion")
"""What stands before the ratings of a rubric, in this order."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge call said about one rubric; `ratings` by aspect, within their scales."""

    comment: str
    ratings: dict[str, int]


class JudgeForm:
    """The form for one rubric (a flat object) or for several (an object with one for each).

    The names in the JSON are those of the rubrics and aspects. The fields behind them are
    numbered, since an aspect may be called what a pydantic model must not have as a field.
    """

    def __init__(self, rubrics: Sequence[Rubric]) -> None:
        self._rubrics = tuple(rubrics)
        inner = [_model(rubric) for rubric in rubrics]
        self.model: type[Answer] = inner[0] if len(inner) == 1 else _together(rubrics, inner)

    def judgements(self, answer: Answer) -> dict[str, Judgement]:
        """What a filled-in form says, by rubric id."""
        parts = [answer] if len(self._rubrics) == 1 else _fields(answer)
        return {r.id: _judgement(r, part) for r, part in zip(self._rubrics, parts, strict=True)}


def _model(rubric: Rubric) -> type[Answer]:
    fields: dict[str, Any] = dict.fromkeys(OWN_WORDS, (Text, ...))
    for number, aspect in enumerate(rubric.aspects):
        fields[f"rating_{number}"] = (whole(aspect.low, aspect.high), Field(alias=aspect.name))
    model: type[Answer] = create_model("Judgement", __base__=Answer, **fields)
    return model


def _together(rubrics: Sequence[Rubric], inner: Sequence[type[Answer]]) -> type[Answer]:
    fields: dict[str, Any] = {
        f"rubric_{number}": (model, Field(alias=rubric.id))
        for number, (rubric, model) in enumerate(zip(rubrics, inner, strict=True))
    }
    model: type[Answer] = create_model("Judgements", __base__=Answer, **fields)
    return model


def _fields(answer: Answer) -> list[Any]:
    return [getattr(answer, name) for name in type(answer).model_fields]


def _judgement(rubric: Rubric, answer: Answer) -> Judgement:
    comment, conclusion, *ratings = _fields(answer)
    names = [aspect.name for aspect in rubric.aspects]
    told = "\n".join(part for part in (comment.strip(), conclusion.strip()) if part)
    return Judgement(told, dict(zip(names, ratings, strict=True)))
