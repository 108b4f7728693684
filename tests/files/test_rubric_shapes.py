"""A rubric's file with anything anywhere: it is read, or complained of; it never crashes."""

import copy
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.core.errors import InputError
from simulator.files.rubrics import load_rubric
from simulator.formats.sources import Source
from tests.files.test_rubric_parts import ABOVE, EXAMPLES
from tests.formats.written import unclear

RIGHT: dict[str, Any] = yaml.safe_load(ABOVE + EXAMPLES)
ODD: list[Any] = [
    None, "", "x", "yes", "talk", "escalate", "share", "yes/no", 1, -1, 1.5, True, float("nan"),
    [], [1], [None], [[]], [{}], ["documents"], {}, {"a": 1}, {1: 2}, {"low": 1, "high": 5},
    {"labels": None}, {"labels": {"a": 1, "b": 0}}, {"labels": {"": 1, "b": 0}},
]  # fmt: skip
MORE = ("low_is_good", "right_if", "needs", "scope", "anchors", "ratings", "documents", "zzz")


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every collection below `data` and each key or index in it."""
    keys = list(data) if isinstance(data, dict) else list(range(len(data)))
    for key in keys:
        yield data, key
        if isinstance(data[key], dict | list):
            yield from places(data[key])


def changed(seed: int) -> Any:
    rnd, data = random.Random(seed), copy.deepcopy(RIGHT)
    for _ in range(rnd.randint(1, 3)):
        holder, key = rnd.choice(list(places(data)))
        if rnd.random() < 0.2:
            del holder[key]
        elif rnd.random() < 0.2 and isinstance(holder, dict):
            holder[rnd.choice(MORE)] = copy.deepcopy(rnd.choice(ODD))
        else:
            holder[key] = copy.deepcopy(rnd.choice(ODD))
        if not data:
            return {}
    return data


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_it_never_crashes_and_every_complaint_says_what_would_be_right(
    tmp_path: Path, start: int
) -> None:
    path = tmp_path / "own.yaml"
    wrong = 0
    for seed in range(start, start + 100):
        path.write_text(yaml.safe_dump(changed(seed), allow_unicode=True, sort_keys=False), "utf-8")
        source = Source.of(path, tmp_path)
        assert [] == unclear(lambda: load_rubric(source)), path.read_text("utf-8")  # noqa: B023
        try:
            load_rubric(source)
        except InputError:
            wrong += 1
    assert wrong > 80
