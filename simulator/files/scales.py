"""The scale of an aspect as people write it, and whether an answer stands on it."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from simulator.core.clean import clean
from simulator.core.health import YES_NO, Labels, Ratings, Said, Scale, Share
from simulator.formats.sources import hint, shown
from simulator.formats.yaml.reading import Loc
from simulator.formats.yaml.scalars import EMPTY, spelling

Complain = Callable[[Loc, str], None]

RIGHT_SCALE = "{low: 1, high: 5}, share, yes/no or {labels: {solved: 1, partly: 0.5, open: 0}}"
_WORDS: Mapping[str, Scale] = {"share": Share(), "yes/no": YES_NO}
_KEYS = ("low", "high", "labels")
# A strict schema's enum is bounded, and nobody tells more ratings apart.
_WIDEST = 100
_LONGEST_LABEL = 40


def read_scale(written: Any, complain: Complain) -> Scale | None:
    """The scale, or None after a complaint; `complain` takes a place below the scale's own."""
    if isinstance(written, str):
        if written in _WORDS:
            return _WORDS[written]
        complain((), f"aspects.scale: no scale {shown(written)}; write {RIGHT_SCALE}")
    elif not isinstance(written, Mapping):
        complain((), f"aspects.scale: {shown(written)} isn't a scale; write {RIGHT_SCALE}")
    elif unknown := [key for key in written if key not in _KEYS]:
        for key in unknown:
            complain((key,), f"aspects.scale: unknown key {shown(key)}; {hint(key, _KEYS)}")
    elif "labels" not in written:
        return _ratings(written, complain)
    elif len(written) > 1:
        complain((), f"aspects.scale: labels are a separate scale; write {RIGHT_SCALE}")
    else:
        return _labels(written["labels"], complain)
    return None


def answer_on(scale: Scale, written: Any) -> Said | None:
    """An answer that a person wrote, as the judge would give it; None if it is off the scale."""
    if isinstance(scale, Labels):
        is_number = isinstance(written, int | float) and not isinstance(written, bool)
        text = spelling(written) if is_number else written
        return text if isinstance(text, str) and text in scale.values else None
    number = _number(written)
    if number is None:
        return None
    if isinstance(scale, Ratings):
        return int(number) if number.is_integer() and scale.low <= number <= scale.high else None
    return number if 0 <= number <= 1 else None


def number_of(text: str) -> float | None:
    """The number that a key stands for, since keys are text."""
    try:
        return float(text)
    except ValueError:
        return None


def right_answers(scale: Scale, whole: str = "a whole number") -> str:
    """What may be answered, for a complaint; `whole` is what ratings are called in it."""
    if isinstance(scale, Labels):
        return " or ".join(scale.values)
    if isinstance(scale, Share):
        return "a number from 0 to 1"
    return f"{whole} from {scale.low} to {scale.high}"


_BOUNDS = {"low": "the lowest rating, a whole number, 0 or more", "high": "the highest rating"}


def _ratings(written: Mapping[str, Any], complain: Complain) -> Scale | None:
    bounds = []
    for key, right in _BOUNDS.items():
        value = written.get(key, EMPTY)
        if value is EMPTY:
            problem = " is missing"
        elif isinstance(value, bool) or not isinstance(value, int):
            problem = f": {shown(value)} is not a whole number"
        elif value < 0:
            problem = f": {shown(value)} is too small"
        else:
            bounds.append(int(value))
            continue
        complain((key,), f"aspects.scale.{key}{problem}; write {right}")
    if len(bounds) < 2:
        return None
    low, high = bounds
    if low >= high:
        complain((), f"aspects.scale: {low} is not below {high}; write low, then high")
    elif high - low > _WIDEST:
        complain((), f"aspects.scale: {low} to {high} has too many values; write share")
    else:
        return Ratings(low, high)
    return None


def _labels(written: Any, complain: Complain) -> Scale | None:
    here = "aspects.scale.labels"
    if not isinstance(written, Mapping) or len(written) < 2:
        right = "write at least two, {solved: 1, open: 0}"
        complain(("labels",), f"{here}: there are no labels with values; {right}")
        return None
    values: dict[str, float] = {}
    for label, value in written.items():
        number = _number(value)
        if number is None or not 0 <= number <= 1:
            problem = "has no value" if value is EMPTY else f"has the value {shown(value)}"
            problem += "; write a number from 0 to 1"
        elif not (problem := _unusable(label, values)):
            values[label] = number
            continue
        complain(("labels", label), f"the label {shown(label)} {problem}")
    if len(values) < len(written):
        return None
    if len(set(values.values())) == 1:
        complain(("labels",), f"{here}: all have the same value; give better ones a higher value")
        return None
    return Labels(values)


def _unusable(label: str, others: Mapping[str, float]) -> str:
    """A label is an answer in the judge's JSON, where case and space around it do not count."""
    if label != clean(label).strip() or "\n" in label or not 0 < len(label) <= _LONGEST_LABEL:
        return f"isn't a short word; use one of at most {_LONGEST_LABEL} characters"
    if label.casefold() in map(str.casefold, others):
        return "differs from another one only in case; rename one of them"
    return ""


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return float(value)
