"""Facts in a chat bot's words: what is the same contradicts nothing, what is not is not said."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.text.expectations import (
    State,
    answer_state,
    contradicts_answer,
    contradicts_element,
    element_state,
)


@cache
def cases() -> dict[str, list[dict[str, Any]]]:
    text = Path(__file__).with_name("paraphrases.yaml").read_text("utf-8")
    found: dict[str, list[dict[str, Any]]] = yaml.safe_load(text)
    return found


def read(case: dict[str, Any]) -> str:
    element, language = (case["expected"],), case["language"]
    if contradicts_element(case["reply"], element, language):
        return "contradicted"
    return element_state(element, [case["reply"]], language)


def counts(kind: str, half: str) -> Counter[str]:
    return Counter(read(case) for case in cases()[kind] if case["half"] == half)


@pytest.mark.parametrize(("half", "missing"), [("seen", 5), ("unseen", 12)])
def test_the_same_in_other_words_contradicts_nothing(half: str, missing: int) -> None:
    found = counts("same", half)
    assert 40 == found.total()
    assert 0 == found["contradicted"]
    assert missing >= found["missing"]  # of 14 and 14 before amounts were read in more words


@pytest.mark.parametrize(("half", "caught"), [("seen", 13), ("unseen", 15)])
def test_another_fact_is_never_taken_for_it(half: str, caught: int) -> None:
    found = counts("other", half)
    assert 20 == found.total()
    assert 0 == found["said"]
    assert caught <= found["missing"] + found["contradicted"]


@pytest.mark.parametrize(("half", "said", "wrongly"), [("seen", 9, 0), ("unseen", 9, 1)])
def test_an_answer_most_of_which_is_there_is_said_unless_it_denies_more(
    half: str, said: int, wrongly: int
) -> None:
    found = {kind: _told(kind, half) for kind in ("same", "other")}
    assert said <= found["same"]
    assert wrongly >= found["other"]


def _told(kind: str, half: str) -> int:
    return sum(
        answer_state([case["expected"]], [case["reply"]], case["language"]).state is State.SAID
        and not contradicts_answer(case["reply"], [case["expected"]], case["language"])
        for case in cases()[kind]
        if case["half"] == half
    )
