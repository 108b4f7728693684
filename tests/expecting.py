"""What is expected, written short: of an answer, and of what a command prints."""

import json
from collections.abc import Sequence

import pytest

from simulator.cli.contracts import schema_of
from simulator.console.output import as_json
from simulator.core.scenario import Element, Expected


def expecting(
    answer: str | Sequence[str] = "",
    elements: Sequence[str | Element] = (),
    documents: Sequence[str] = (),
    answerable: bool | None = None,
    escalate: bool = False,
    must_not: Sequence[str] = (),
) -> Expected:
    """A right answer; a text is an answer, or an element's one way."""
    answers = (answer,) if isinstance(answer, str) else answer
    ways = tuple((e,) if isinstance(e, str) else e for e in elements)
    return Expected(
        tuple(filter(None, answers)), ways, tuple(documents), answerable, escalate, tuple(must_not)
    )


def as_its_schema_says(name: str, figures: object) -> None:
    """Fails where what a command prints is not what `mogi export --schema NAME` says of it."""
    jsonschema = pytest.importorskip("jsonschema")
    printed = json.loads(json.dumps(as_json(figures), allow_nan=False))
    wrong = jsonschema.Draft202012Validator(schema_of(name)).iter_errors(printed)
    assert [] == [f"{name} {error.json_path}: {error.message[:200]}" for error in wrong]
