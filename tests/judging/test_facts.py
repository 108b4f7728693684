"""What computed checks say of an answer, where they are plain."""

from typing import Any

import pytest

from simulator.core.outcome import Gap, Score, Unscored
from simulator.core.run import Turn
from simulator.judging.facts import facts_of, went_astray
from tests.figures.judged import elements, judged
from tests.judging.made import episode


def refusal(value: float, **parts: float) -> Score:
    return Score(value, value, "", parts)


def names(*turns: Turn) -> list[str | None]:
    return [facts.name if facts else None for facts in facts_of(episode(*turns))]


GROUNDED = Score(1.0, 1.0, "", {"contradicted": 0.0})
INVENTED = Score(0.59, 0.59, "", {"contradicted": 0.0}, ("It costs 500 yen.",))


@pytest.mark.parametrize(
    ("checks", "name"),
    [
        ({"elements_lexical": elements(2)}, "right"),
        ({"elements_lexical": elements(2), "grounded": GROUNDED}, "right"),
        ({"elements_lexical": elements(1, unclear=1)}, None),
        ({"elements_lexical": elements(1, 1)}, "missing"),
        ({"elements_lexical": elements(0, 2)}, "nothing_said"),
        ({"elements_lexical": elements(1, 1, contradicted=1)}, "contradicted"),
        ({"elements_lexical": elements(2), "grounded": INVENTED}, "unsupported"),
        ({"grounded": Score(0.5, 0.5, "", {"contradicted": 1.0}, ("x",))}, "contradicted"),
        ({"grounded": GROUNDED}, None),
        ({"answer_lexical": Score(1.0, 1.0, "", {"met": 1.0})}, "right"),
        ({"answer_lexical": Score(0.4, 0.4, "", {"met": 0.5})}, None),
        ({"answer_lexical": Score(0.0, 0.0, "", {"met": 0.0})}, "nothing_said"),
        ({"refusal": refusal(0, answered=1, refused=0)}, "answered"),
        ({"refusal": refusal(1, refused=1)}, "right"),
        ({"refusal": refusal(0, refused=1), "retrieval_hit": Score(1, 1)}, "wrong_refusal"),
        # The judge is shown what the bot found: where that was nothing, it cannot know better.
        ({"refusal": refusal(0, refused=1), "elements_lexical": elements(0, 2)}, None),
        ({"refusal": refusal(0, refused=1), "retrieval_hit": Score(0, 0)}, None),
        ({"elements_lexical": Unscored(Gap.NOT_APPLICABLE)}, None),
        ({"elements_lexical": Score(0.5, 0.5)}, None),  # of a run before there were parts
    ],
)
def test_the_plainest_fact_of_an_answer(checks: dict[str, Any], name: str | None) -> None:
    assert [name] == names(judged(5, **checks))


def test_what_is_not_said_yet_counts_at_the_end_alone() -> None:
    assert [None, "missing"] == names(
        judged(5, elements_lexical=elements(1, 1)), judged(5, elements_lexical=elements(1, 1))
    )


def test_an_answer_is_right_that_makes_the_elements_complete_and_no_later_one() -> None:
    assert [None, "right", None] == names(
        judged(5, elements_lexical=elements(1, 1)),
        judged(5, elements_lexical=elements(2)),
        judged(5, elements_lexical=elements(2)),
    )


def test_the_texts_that_a_fact_is_about_are_told() -> None:
    (facts,) = facts_of(episode(judged(5, elements_lexical=elements(0, 1, named="30 minutes"))))
    assert facts is not None
    assert ("30 minutes",) == facts.texts


HIT, BEHIND = Score(1, 1, "", {"hit_at_1": 1.0}), Score(1, 1, "", {"hit_at_1": 0.0})
NONE_OF_IT, SOME = Score(0, 0, "", {"met": 0.0}), Score(0.4, 0.4, "", {"met": 0.5})


@pytest.mark.parametrize(
    ("checks", "strays"),
    [
        ({"retrieval_hit": BEHIND, "answer_lexical": NONE_OF_IT}, True),
        # An amount that is expected stands in the other entry as well.
        (
            {
                "retrieval_hit": BEHIND,
                "answer_lexical": NONE_OF_IT,
                "elements_lexical": elements(1, 1),
            },
            True,
        ),
        ({"retrieval_hit": BEHIND, "elements_lexical": elements(0, 2)}, True),
        ({"retrieval_hit": BEHIND, "elements_lexical": elements(1, 1)}, False),
        ({"retrieval_hit": BEHIND, "answer_lexical": SOME}, False),
        ({"retrieval_hit": HIT, "answer_lexical": NONE_OF_IT}, False),
        ({"answer_lexical": NONE_OF_IT}, False),
    ],
)
def test_who_is_led_by_another_entry_and_says_nothing_expected_goes_astray(
    checks: dict[str, Any], strays: bool
) -> None:
    assert strays == went_astray(judged(5, **checks))
