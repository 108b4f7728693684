from dataclasses import replace

from simulator.core.verdict import Verdict, Word, latest, latest_words, settled


def said(word: Word | None, reviewer: str = "", source: str = "") -> Verdict:
    return Verdict("a/b/1", 1, word, reviewer, source)


def test_nobody_says_nothing() -> None:
    assert settled([]) is None


def test_the_latest_of_a_reviewer_counts() -> None:
    assert Word.OK is settled([said(Word.NG, "Tanaka"), said(Word.OK, "Tanaka")])


def test_reviewers_who_differ_leave_it_open() -> None:
    assert Word.UNSURE is settled([said(Word.NG, "Tanaka"), said(Word.OK, "Sato")])
    assert Word.NG is settled([said(Word.NG, "Tanaka"), said(Word.NG, "Sato")])


def test_a_comment_alone_takes_no_word_back() -> None:
    assert Word.NG is settled(
        [said(Word.NG, "Tanaka"), replace(said(None, "Tanaka"), comment="hm")]
    )
    assert settled([said(None, "Tanaka")]) is None


def test_unnamed_reviewers_are_told_apart_by_what_they_wrote_in() -> None:
    one, other = said(Word.NG, source="a.xlsx"), said(Word.OK, source="b.xlsx")
    assert Word.UNSURE is settled([one, other])
    assert Word.OK is settled([one, said(Word.OK, source="a.xlsx")])


def test_a_named_reviewer_is_the_same_person_wherever_it_was_read() -> None:
    assert Word.OK is settled([said(Word.NG, "Sato", "a.xlsx"), said(Word.OK, "Sato", "sheet")])


def test_a_verdict_without_a_name_is_taken_back_where_it_got_one() -> None:
    given = [said(Word.NG, source="a.xlsx"), said(None, source="a.xlsx"), said(Word.NG, "Sato")]
    assert {("Sato", ""): Word.NG} == latest_words(given)
    assert {("Sato", ""): given[2]} == latest(given)
    assert Word.OK is settled([*given[:2], said(Word.OK, source="a.xlsx")])


def test_the_latest_verdict_of_each_person_is_found() -> None:
    comment = replace(said(None, "Sato"), comment="hm")
    given = [said(Word.NG, "Sato"), said(Word.OK, source="a.xlsx"), comment]
    assert {("Sato", ""): given[2], ("", "a.xlsx"): given[1]} == latest(given)


def test_a_person_who_says_nothing_any_more_takes_back_what_was_said() -> None:
    given = [said(Word.NG, "Sato"), said(Word.OK, "Tanaka"), said(None, "Sato")]
    assert {("Tanaka", ""): given[1]} == latest(given)
    assert Word.OK is settled(given)
