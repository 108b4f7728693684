"""The object that `mogi agreement --json` prints."""

from collections.abc import Mapping, Sequence
from typing import Any

from simulator.core.verdict import Word
from simulator.review.agreement import Agreement, NoAgreement, Sides
from simulator.review.compared import Compared, TwoPeople
from simulator.review.labels import LeftOut, Person

# What the first and the second side are called where one is the metric.
_OF_METRIC = {"ok_first": "ok_metric", "ok_second": "ok_people"}
_OF_PEOPLE = ("agreement", "ok_people", "kappa", "quadratic_kappa", "alpha")
_OF_TWO = ("agreement", "ok_first", "ok_second", "bias", "kappa", "quadratic_kappa", "alpha")


def agreement_json(client: str, found: Sequence[Agreement | NoAgreement]) -> dict[str, Any]:
    """All metrics by name; a figure is {mean, low, high, n}, None where it is not defined."""
    return {
        "client": client,
        "metrics": {one.info.name: _metric(one) for one in found if isinstance(one, Agreement)},
        "without": {
            one.name: _left_out(one.left_out) for one in found if isinstance(one, NoAgreement)
        },
    }


def _metric(found: Agreement) -> dict[str, Any]:
    return {
        "threshold": found.threshold,
        "judge": found.chosen.yardstick.judge,
        "rubric": found.chosen.yardstick.rubric,
        "runs": list(found.runs),
        "left_out": _left_out(found.chosen.left_out),
        "speaks_of": _speaks_of(found),
        "turns": found.turns,
        "unscored": found.unscored,
        "few_drawn": found.few_drawn,
        "aside": found.aside,
        "people": found.people,
        "counts": _counts(found.counts),
        "more": found.more,
        **_sides(found.sides),
        "pairs": [_two(pair) for pair in found.pairs],
        "personas": {name: _sides(sides) for name, sides in found.personas.items()},
        "tags": {name: _sides(sides) for name, sides in found.tags.items()},
    }


def _speaks_of(found: Agreement) -> str:
    if found.whole:
        return "all"
    return "unflagged" if found.unflagged_only else "flagged"


def _left_out(runs: Sequence[LeftOut]) -> list[dict[str, str]]:
    return [
        {
            "run": one.run,
            "why": one.why.value,
            "judge": one.yardstick.judge,
            "rubric": one.yardstick.rubric,
        }
        for one in runs
    ]


def _counts(counts: Mapping[tuple[Word, Word], int]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for (says, word), n in counts.items():
        found.setdefault(says.value, {})[word.value] = n
    return found


def _sides(sides: Sides) -> dict[str, Any]:
    metric = {name: name for name in sides.metric.figures} | _OF_METRIC
    people = {name: name for name in _OF_PEOPLE} | {"ok_first": "ok_people"}
    del people["ok_people"]
    return {
        "with_people": _compared(sides.metric, metric),
        "among_people": _compared(sides.people, people),
    }


def _two(pair: TwoPeople) -> dict[str, Any]:
    return {
        "reviewers": [_person(person) for person in pair.people],
        **_compared(pair.compared, {name: name for name in _OF_TWO}),
    }


def _compared(found: Compared, names: Mapping[str, str]) -> dict[str, Any]:
    figures = {
        called: {
            "mean": found.figures[name].value.mean,
            "low": found.figures[name].value.low,
            "high": found.figures[name].value.high,
            "n": found.figures[name].n,
        }
        for name, called in names.items()
    }
    return {"turns": found.turns, "pairs": found.pairs, "unsure": found.unsure, **figures}


def _person(person: Person) -> str:
    """A name or, where that is unknown, what the verdicts were read from."""
    return next((part for part in person if part), "")
