"""A list of answers: which question each belongs to, and which of them count."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.llm.structured import read_form
from simulator.targets.document import Item, Items, by_question

A, B, C = "何時に開きますか？", "カードはいくらですか？", "何冊借りられますか？"
ALL = (A, B, C)


def items(*told: tuple[int, str, str]) -> list[Item]:
    return [Item(number=n, question=q, answer=a) for n, q, a in told]


def test_answers_are_told_by_the_question_that_they_repeat_not_by_a_number_that_slipped() -> None:
    slipped = items((2, A, "9時"), (3, B, "300円"), (4, C, "5冊"))
    assert {A: "9時", B: "300円", C: "5冊"} == by_question(slipped, ALL)


def test_small_differences_of_writing_do_not_count() -> None:
    assert {B: "300円"} == by_question(items((9, " カードは いくらですか?", "300円")), ALL)


def test_a_question_in_other_words_is_told_by_its_number() -> None:
    assert {C: "5冊"} == by_question(items((3, "貸出冊数について", "5冊")), ALL)
    assert {A: "9時"} == by_question(items((1, "", "9時")), ALL)


def test_questions_that_read_alike_are_told_apart_by_number() -> None:
    alike = ("開きますか", "開きますか？")
    told = items((1, "開きますか？", "はい"), (2, "開きますか？", "いいえ"))
    assert {"開きますか": "はい", "開きますか？": "いいえ"} == by_question(told, alike)
    assert {} == by_question(items((7, "開きますか？", "はい")), alike)


@pytest.mark.parametrize(
    "told",
    [
        ((1, A, ""), (1, A, " \u200b")),
        ((0, "", "9時"),),
        ((4, "", "9時"),),
        ((-1, "", "9時"),),
        ((1, A, "9時"), (1, A, "10時")),
    ],
)
def test_what_belongs_to_no_question_or_contradicts_itself_is_no_answer(told: Any) -> None:
    assert {} == by_question(items(*told), ALL)


def test_the_same_answer_twice_is_one() -> None:
    assert {A: "9時"} == by_question(items((1, A, "9時"), (1, A, "9時 ")), ALL)


@pytest.mark.parametrize(
    "text",
    [
        '{"answers": [{"number": "1.", "question": null, "answer": "9時"}]}',
        '[{"number": 1, "answer": "9時"}]',
        '```json\n{"answers": [{"number": 1.0, "question": "", "answer": "9時", "x": 2}]}\n```',
    ],
)
def test_slips_of_form_are_borne(text: str) -> None:
    expected = {} if "1.0" in text else {A: "9時"}
    assert expected == by_question(read_form(text, Items).answers, ALL)


@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "number": st.one_of(st.integers(), st.none(), st.text(), st.floats()),
                "question": st.one_of(st.sampled_from(ALL), st.text(), st.none()),
                "answer": st.one_of(st.text(), st.none()),
            },
        ),
        min_size=1,
    )
)
def test_whatever_a_list_holds_only_known_questions_get_visible_answers(told: Any) -> None:
    found = by_question(Items.model_validate({"answers": told}).answers, ALL)
    assert found.keys() <= set(ALL)
    assert all(answer.strip() for answer in found.values())
    json.dumps(found)
