from simulator.core.verdict import Verdict, Word, settled


def said(word: Word, reviewer: str = "") -> Verdict:
    return Verdict("a/b/1", 1, word, reviewer)


def test_nobody_says_nothing() -> None:
    assert settled([]) is None


def test_the_latest_of_a_reviewer_counts() -> None:
    assert Word.OK is settled([said(Word.NG, "Tanaka"), said(Word.OK, "Tanaka")])


def test_reviewers_who_differ_leave_it_open() -> None:
    assert Word.UNSURE is settled([said(Word.NG, "Tanaka"), said(Word.OK, "Sato")])
    assert Word.NG is settled([said(Word.NG, "Tanaka"), said(Word.NG, "Sato")])
