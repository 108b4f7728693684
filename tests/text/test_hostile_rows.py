"""Rows of one thing, as a broken bot says them: each once took a minute, or for ever."""

import random
from collections.abc import Callable

import pytest

from benchmarks.process import cpu_seconds
from simulator.core.persona import Slips
from simulator.reading.words import says
from simulator.text.acts import asks, is_pleasantry, sends_to_a_person
from simulator.text.personal import masked
from simulator.text.unsound import holds_frame
from simulator.users.agenda.wording import slipped

MOST_S = 20.0  # of CPU, on a slow machine; each takes less than one

_MANY = "".join(f"W{n}. " for n in range(1_300))
READINGS: dict[str, Callable[[], object]] = {
    "in charge": lambda: sends_to_a_person("担当" * 2_000, "ja"),
    "ah": lambda: asks("あ" * 400, "ja"),
    "oh": lambda: is_pleasantry("お" * 400, "ja"),
    "passport": lambda: masked("パスポート" + "の" * 4_000, "ja"),
    "addresses": lambda: slipped("!@!" * 1_300, Slips.TYPING, "en", random.Random(1)),
    "lines": lambda: holds_frame("\n" * 100_000, "ja"),
    "expected beside said": lambda: says(_MANY, _MANY[1:], "en"),
    "clauses": lambda: says("、" * 8_000, "。" * 8_000, "ja"),
}


@pytest.mark.slow
@pytest.mark.parametrize("row", READINGS)
def test_a_row_of_one_thing_is_read_at_once(row: str) -> None:
    assert cpu_seconds(READINGS[row], MOST_S) < MOST_S
