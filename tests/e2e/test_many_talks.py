"""Very many conversations: each is held, and memory does not grow with them."""

import pytest

from benchmarks.process import contender

GROWTH_MB = 50


@pytest.mark.slow
def test_ten_thousand_conversations_are_held_in_the_memory_of_a_thousand() -> None:
    """Each in a process of its own, which ends unless all of its conversations are finished."""
    few, many = (contender("benchmarks.offline", str(n)) for n in (1_000, 10_000))
    assert many["peak_mb"] < few["peak_mb"] + GROWTH_MB, (few, many)
