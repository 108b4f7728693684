"""What is read in a cell of verdicts on single claims, and what is handed back."""

import random

import pytest

from simulator.core.scenario import Expected
from simulator.core.verdict import Word
from simulator.worksheets.claim_marks import ClaimMark, claim_marks, mark_text, numbered_claims


@pytest.mark.parametrize(
    ("cell", "meant"),
    [
        ("", []),
        ("2 NG", ["2 NG"]),
        ("2NG", ["2 NG"]),
        ("② ×", ["2 NG"]),
        ("２　ＮＧ", ["2 NG"]),
        ("(2) バツ", ["2 NG"]),
        ("#2 ng", ["2 NG"]),
        ("2番 だめ", ["2 NG"]),
        ("1: OK; 2: NG", ["1 OK", "2 NG"]),
        ("1.OK 2.NG", ["1 OK", "2 NG"]),
        ("2 NG\n1 OK", ["1 OK", "2 NG"]),
        ("1、2 NG", ["1 NG", "2 NG"]),
        ("2 分からない", ["2 unsure"]),
        ("2 NG（500円、税別と言った）", ["2 NG (500円、税別と言った)"]),
        ("2 NG 30分以内と言った", ["2 NG (30分以内と言った)"]),
        ("2 NG, 2 ×", ["2 NG"]),
        ("20 NG, ⑳ NG", ["20 NG"]),
    ],
)
def test_marks_are_read_in_all_the_ways_in_which_people_write_them(
    cell: str, meant: list[str]
) -> None:
    marks, unread = claim_marks(cell)
    assert (meant, ()) == ([str(mark) for mark in marks], unread)


@pytest.mark.parametrize(
    ("cell", "meant", "unread"),
    [
        ("2", [], ["2"]),
        ("NG", [], ["NG"]),
        ("2 maybe", [], ["2 maybe"]),
        ("2 NG?", [], ["2 NG?"]),
        ("1 OK, 2 maybe", ["1 OK"], ["2 maybe"]),
        ("1 OK, 2", ["1 OK"], ["2"]),
        ("2 NG, 2 OK, 3 NG", ["3 NG"], ["2 NG", "2 OK"]),
        ("1-3 OK", [], ["1-3 OK"]),
        ("1.5 NG", [], ["1.5 NG"]),
        ("2026-02-03", [], ["2026-02-03"]),  # what a spreadsheet makes of 2-3
        ("2 1", [], ["2", "1"]),
        ("すべて OK", [], ["すべて OK"]),
    ],
)
def test_what_is_no_mark_is_handed_back(cell: str, meant: list[str], unread: list[str]) -> None:
    marks, left = claim_marks(cell)
    assert (meant, unread) == ([str(mark) for mark in marks], list(left))


def test_what_is_written_into_a_cell_is_read_back() -> None:
    draw, names = random.Random(0), {Word.OK: "OK", Word.NG: "NG", Word.UNSURE: "分からない"}
    remarks = ("", "no limit", "500円、税別", "a (b, 2 c) d", "3 OK", "first\nsecond")
    for _ in range(300):
        numbers = sorted(draw.sample(range(1, 30), draw.randint(1, 4)))
        meant = [(n, draw.choice([*Word]), draw.choice(remarks)) for n in numbers]
        cell = "\n".join(mark_text(n, names[word], remark) for n, word, remark in meant)
        read = tuple(ClaimMark(n, word, " ".join(text.split())) for n, word, text in meant)
        assert (read, ()) == claim_marks(cell)


def test_the_claims_of_a_worksheet_are_what_it_has_to_say_and_must_not() -> None:
    expected = Expected(
        ("500 yen.",), (("500 yen", "¥500"), ("…",), ("2 days",)), must_not=("free",)
    )
    assert ["500 yen / ¥500", "2 days", "free"] == [c.text for c in numbered_claims(expected)]
    assert () == numbered_claims(Expected(("500 yen.",)))
    assert () == numbered_claims(Expected(escalate=True))
