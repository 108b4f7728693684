"""What people say of a turn, one by one: names, copies, emptied cells, what export printed."""

from dataclasses import replace

import pytest

from simulator.core.verdict import Verdict, Word
from simulator.review.pull import PullSource, reconcile
from simulator.worksheets.reading import Feedback, Odd
from tests.review.pulling import AT, TURNS, Shelf, odd, one
from tests.worksheets.review_grids import RUN


def test_people_on_one_turn_are_kept_apart() -> None:
    shelf = Shelf()
    shelf.pull(
        one(
            {"verdict": "OK", "reviewer": "Sato"},
            {"verdict": "NG", "reviewer": "Suzuki"},
            {"verdict": "OK"},
        )
    )
    assert {"Sato": Word.OK, "Suzuki": Word.NG, "a.xlsx": Word.OK} == {
        who: said.word for (_, who), said in shelf.said().items()
    }


def test_a_name_is_one_person_however_it_is_spelt() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "OK", "reviewer": "Sato"}))
    found = shelf.pull(one({"verdict": "NG", "reviewer": "ＳＡＴＯ "}), "b.xlsx")
    assert (0, 1, "Sato") == (len(found.new), len(found.changed), found.changed[0].reviewer)


def test_an_edited_copy_of_a_row_counts_and_the_other_one_does_not_come_back() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "OK", "reviewer": "Sato"}))
    both = one({"verdict": "OK", "reviewer": "Sato"}, {"verdict": "NG", "reviewer": "Sato"})
    assert [Word.NG] == [v.word for v in shelf.pull(both).changed]
    assert [] == shelf.pull(both).verdicts
    assert [Word.OK] == [
        v.word for v in shelf.pull(one({"verdict": "OK", "reviewer": "Sato"})).changed
    ]


def test_two_words_of_one_person_are_kept_and_told() -> None:
    shelf = Shelf()
    found = shelf.pull(
        one({"verdict": "OK", "reviewer": "Sato"}, {"verdict": "NG", "reviewer": "Sato"})
    )
    assert {"Sato": Feedback(None, comment="(verdict cell) NG / OK")} == {
        who: said for (_, who), said in shelf.said().items()
    }
    assert [Odd.SAME_PERSON] == odd(found)
    assert "2, 3" == found.oddities[0].values["rows"]


def test_cells_that_were_emptied_are_told_and_take_nothing_away() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG", "comment": "x", "reviewer": "Sato"}))
    found = shelf.pull(one({"comment": "x", "reviewer": "Sato"}))
    assert ([], [Odd.CLEARED]) == (found.verdicts, odd(found))
    assert [] == odd(shelf.pull(one({"comment": "x", "reviewer": "Sato"}), "other.xlsx"))


def test_a_row_that_was_emptied_but_for_the_name_is_taken_back_and_kept_as_history() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG", "comment": "x", "reviewer": "Sato"}))
    assert [Odd.GONE] == odd(shelf.pull(one({})))  # a blank copy takes nothing back
    found = shelf.pull(one({"reviewer": "Sato"}), "other.xlsx")
    assert ([Odd.EMPTY_ELSEWHERE], []) == (odd(found), shelf.given[1:])
    found = shelf.pull(one({"reviewer": "Sato"}))
    assert [Odd.TAKEN_BACK] == odd(found)
    assert {} == shelf.said()
    assert 2 == len(shelf.given)
    assert [] == odd(shelf.pull(one({"reviewer": "Sato"})))
    shelf.pull(one({"verdict": "OK", "reviewer": "Sato"}))
    assert [Feedback(Word.OK)] == list(shelf.said().values())


def test_names_that_are_nearly_alike_are_pointed_out_once() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG", "reviewer": "佐藤"}))
    found = shelf.pull(one({"verdict": "NG", "reviewer": "佐籐"}), "b.xlsx")
    assert [Odd.NEAR_NAME] == odd(found)
    command = "mogi review rename 佐籐 佐藤"
    assert {"one": "佐籐", "other": "佐藤", "command": command} == found.oddities[0].values
    assert [] == odd(shelf.pull(one({"verdict": "NG", "reviewer": "鈴木"}), "c.xlsx"))


def test_who_goes_by_another_name_now_is_one_person() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG", "reviewer": "佐藤"}))
    shelf.renamed = {"佐籐": "佐藤"}
    found = shelf.pull(one({"verdict": "NG", "reviewer": "佐籐"}))
    assert ([], 1) == (found.verdicts, found.unchanged["佐藤"])


def test_an_unknown_word_is_kept_until_there_is_a_right_one() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "maybe OK", "reviewer": "Sato"}))
    found = shelf.pull(one({"verdict": "OK", "reviewer": "Sato"}))
    assert [Feedback(Word.OK, comment="(verdict cell) maybe OK")] == list(shelf.said().values())
    assert [] == odd(found)


def test_a_row_that_gets_its_name_later_is_one_person() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG"}))
    found = shelf.pull(one({"verdict": "NG", "reviewer": "Sato"}))
    assert {(TURNS[0], "Sato"): Feedback(Word.NG)} == shelf.said()
    assert [Odd.NAMED] == odd(found)
    assert [] == shelf.pull(one({"verdict": "NG", "reviewer": "Sato"})).verdicts


def test_a_name_beside_a_row_that_has_none_takes_nothing_from_it() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG"}))
    shelf.pull(one({"verdict": "NG"}, {"verdict": "NG", "reviewer": "Sato"}))
    assert {"a.xlsx", "Sato"} == {who for _, who in shelf.said()}
    other = Shelf()
    other.pull(one({"verdict": "NG"}))
    other.pull(one({"verdict": "OK", "reviewer": "Sato"}))  # perhaps somebody else's row
    assert {"a.xlsx", "Sato"} == {who for _, who in other.said()}


def test_a_name_may_be_given_for_rows_that_have_none() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG"}, {"verdict": "OK", "reviewer": "Suzuki"}), reviewer="Sato")
    assert {"Sato": Word.NG, "Suzuki": Word.OK} == {
        who: s.word for (_, who), s in shelf.said().items()
    }
    without = one({"verdict": "NG"}, {"verdict": "OK", "reviewer": "Suzuki"})
    assert [] == shelf.pull(without).verdicts  # and once more, without it


def test_what_a_report_wrote_into_another_file_is_nobodys_new_verdict() -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "NG", "comment": "x"}))
    found = shelf.pull(one({"verdict": "NG", "comment": "x"}), "b.xlsx")
    assert ([], [Odd.REPEATED]) == (found.verdicts, odd(found))
    found = shelf.pull(one({"verdict": "OK", "comment": "x"}), "b.xlsx")
    assert (1, [Odd.NAMELESS]) == (len(found.new), odd(found))


@pytest.mark.parametrize("reviewer", ["", "Suzuki"])
def test_what_export_printed_is_nobodys_verdict(reviewer: str) -> None:
    shelf = Shelf()
    shelf.pull(one({"verdict": "OK", "reviewer": "Sato"}))
    shelf.pull(one({"verdict": "NG", "reviewer": "Sato"}))
    for word in ("OK", "NG"):  # printed before and after Sato thought better of it
        printed = replace(one({"verdict": word}), is_printed=True)
        found = shelf.pull(printed, "a.jsonl", reviewer)
        assert ([], [Odd.PRINTED]) == (found.verdicts, odd(found))
    typed = replace(one({"verdict": "unsure"}), is_printed=True)
    assert 1 == len(shelf.pull(typed, "a.jsonl", reviewer).new)
    named = replace(one({"verdict": "NG", "reviewer": "Takahashi"}), is_printed=True)
    assert 1 == len(shelf.pull(named, "a.jsonl", reviewer).new)


def test_an_empty_row_takes_nothing_back_that_was_said_of_an_answer_folded_with_it() -> None:
    folded = Verdict(*TURNS[0], Word.OK, "Sato", "a.xlsx", AT, folded_from="parcel/calm/1|2")
    shelf = Shelf(folded)
    found = shelf.pull(one({"reviewer": "Sato"}))
    assert ([], []) == (found.verdicts, odd(found))
    assert {"Sato": Word.OK} == {who: said.word for (_, who), said in shelf.said().items()}


def test_who_judged_single_claims_alone_is_one_person_however_the_name_is_spelt() -> None:
    on_claim = Verdict(*TURNS[0], Word.OK, "Sato", "view", AT, claim="says-1")
    known = replace(Shelf().known(), claims={(TURNS[0], "says-1"): [on_claim]})
    read = one({"verdict": "NG", "reviewer": "ＳＡＴＯ "})
    found = reconcile(read, known, PullSource(RUN, "a.xlsx", f"{AT}1", "en", ""))
    assert ["Sato"] == [verdict.reviewer for verdict in found.new]
