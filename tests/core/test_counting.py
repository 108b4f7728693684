"""Counts as English says them."""

import pytest

from simulator.core.counting import counted, in_number


@pytest.mark.parametrize(
    ("n", "told"), [(0, "0 answers"), (1, "1 answer"), (2, "2 answers"), (1000, "1,000 answers")]
)
def test_a_count_stands_with_its_noun(n: int, told: str) -> None:
    assert told == counted(n, "answer")


def test_a_noun_may_have_a_plural_of_its_own() -> None:
    assert ("1 entry", "2 entries") == (
        counted(1, "entry", "entries"),
        counted(2, "entry", "entries"),
    )


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{n} conversations, {m} turns", "{n} conversation, {m} turns"),
        ("{m} of {n} answers of {file}", "{m} of {n} answer of {file}"),
        ("play the {n} unfinished conversations", "play the {n} unfinished conversation"),
        ("{n} answers are not judged yet", "{n} answer is not judged yet"),
        ("{n} more verdicts are needed", "{n} more verdict is needed"),
        ("and {n} more scenarios", "and {n} more scenario"),
        ("{file} turns up, {m} answers are left", "{file} turns up, {m} answers are left"),
        ("会話 {n} 件", "会話 {n} 件"),
    ],
)
def test_a_wording_counts_one_in_the_singular(template: str, told: str) -> None:
    assert told == in_number(template, {"n": "1", "m": 11, "file": "1 answers"})
