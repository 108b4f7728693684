"""Amounts, times and days that say the same in other words: they are neither invented nor wrong."""

import pytest

from simulator.core.persona import Language
from simulator.text.en.quantities import amounts_in
from simulator.text.expectations import State, contradicts_answer, element_state
from simulator.text.grounding import statements

RACK = (
    "Bisque firings are on Tuesdays and glaze firings on Fridays. Bring all by 6 pm the day before."
)
TASTER = (
    "The taster class is on Saturdays from 10 am to noon and costs £42, tools and apron included."
)
STORE = (
    "保管料は1台につき屋内が月額2,750円、屋根付き屋外が月額1,650円です。"
    "2台目からは屋内・屋外とも10%引きになります。"
)
SAME: tuple[tuple[str, str, Language], ...] = (
    (
        RACK,
        "By 6 in the evening on the day before: Monday for Tuesday's and Thursday for Friday's.",
        "en",
    ),
    (
        TASTER,
        "It costs £42 and is on Saturdays, 10 am till 12 noon, with apron and tools provided.",
        "en",
    ),
    (
        "The course is six Wednesday evenings from 6.30 to 8.30 pm.",
        "The course is on six Wednesdays, 6.30 pm until 8.30 pm.",
        "en",
    ),
    (STORE, "料金は1台・1か月あたり、屋内なら2,750円、屋根のある屋外なら1,650円です。", "ja"),
    (STORE, "屋内でも屋外でも、2台目以降は1割引きといたします。", "ja"),
    (
        "定休日は毎週水曜日と第3木曜日です。",
        "毎週水曜日と、毎月3回目の木曜日はお休みをいただいております。",
        "ja",
    ),
    ("町外の団体は5割増しです。", "町外の団体さまは、この1.5倍の額になります。", "ja"),
)
# Nobody had looked at these eight: 4 were read so before, 7 at first look.
UNSEEN: tuple[tuple[str, str, Language], ...] = (
    (
        "Deliveries come on Thursdays. Order the day before.",
        "Order the day before, so on Wednesday for the Thursday delivery.",
        "en",
    ),
    (
        "The van leaves on Mondays and the parcels arrive the next day.",
        "The van leaves on Mondays and the parcels arrive the next day, on Tuesday.",
        "en",
    ),
    ("The pool is open from 7 to 9.30 pm.", "The pool is open from 7 pm until 9:30 pm.", "en"),
    ("Check-out is by noon.", "Check-out is by twelve noon.", "en"),
    ("The market is on the third Sunday.", "The market is on the 3rd Sunday.", "en"),
    ("夜間は25%増しの料金です。", "夜間の料金は1.25倍です。", "ja"),
    ("年末年始の料金は2割アップします。", "年末年始の料金は1.2倍になります。", "ja"),
    ("回収は第2・第4火曜日です。", "回収は2回目と4回目の火曜日です。", "ja"),
)


@pytest.mark.parametrize(("known", "said", "language"), SAME + UNSEEN)
def test_they_are_neither_invented_nor_contradicted(
    known: str, said: str, language: Language
) -> None:
    found = statements(said, [known], "", language)
    assert not any(one.contradicted for one in found)
    assert not contradicts_answer(said, [known], language)
    assert not any(one.invented for one in found)


def test_what_one_of_a_kind_costs_is_no_count_beside_the_second() -> None:
    known = "自転車は1台につき屋内に置けます。屋外には置けません。"
    found = statements("屋内でも屋外でも、2台目以降は1割引きです。", [known], "", "ja")
    assert not any(one.contradicted for one in found)


@pytest.mark.parametrize(
    ("known", "said", "language"),
    [
        (
            RACK,
            "Bring pieces by 6 pm the day before, that is on Sunday for Tuesday's bisque.",
            "en",
        ),
        ("The pool is open from 7 to 9.30 pm.", "The pool is open from 7 to 10.30 pm.", "en"),
        ("回収は第2火曜日です。", "回収は毎月3回目の火曜日です。", "ja"),
        ("町外の団体は5割増しです。", "町外の団体さまは、この1.6倍の額になります。", "ja"),
        ("町外の団体は5割増しです。", "町外の団体さまは、この2倍の額になります。", "ja"),
    ],
)
def test_other_amounts_and_days_are_not_borne_out(
    known: str, said: str, language: Language
) -> None:
    assert not any(one.borne_out for one in statements(said, [known], "", language))


def test_so_many_tenths_more_are_so_many_times_and_no_share() -> None:
    assert State.SAID is element_state(("5割増し",), ["1.5倍の額になります。"], "ja")
    assert State.SAID is not element_state(("5割増し",), ["5割引きになります。"], "ja")


def test_both_ends_of_a_range_lie_in_the_half_of_the_day_that_its_end_has() -> None:
    for text, hours in (
        ("6.30 to 8.30 pm", {18.5, 20.5}),
        ("10-12 pm", {10, 12}),
        ("9 to 5pm", {9, 17}),
    ):
        assert {"clock": frozenset(hours)} == amounts_in(text)
