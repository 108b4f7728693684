"""Generated expectations: which claims people judge, and what their words change in the file."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.claim import ClaimKind
from simulator.core.errors import InputError
from simulator.core.scenario import Approval
from simulator.files.client.folder import load_client
from simulator.review.expectations import (
    NEW,
    SAMPLE,
    Conflict,
    Decision,
    Expectations,
    Judgement,
    Taken,
    Trouble,
    claim_id,
    history_source,
    read_expectations,
    take,
    write,
)

CLIENT = "language: en\ntarget: {kind: demo}\nknowledge: faq.csv\n"
OWN = "- {id: mine, query: By hand?, expected: {elements: [by hand]}}\n"
HEAD = "# made by mogi generate\n"
FAQ = "id,title,content\n" + "".join(
    f"faq-{n},Title {n},The fee is {n} pounds. It is paid in {n} days.\n" for n in range(1, 31)
)


def generated(n: int, elements: Sequence[str]) -> str:
    listed = "".join(f"    - {text}\n" for text in elements)
    return (
        f"- id: q{n}   # keep me\n  query: What is fee {n}?\n  expected:\n"
        f"    elements:\n{listed}"
        f"    documents:\n    - faq-{n}\n    quotes:\n"
        f"    - document: faq-{n}\n      text: The fee is {n} pounds.\n"
        f"    - document: faq-{n}\n      text: It is paid in {n} days.\n"
        f"    approved: false\n"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "client.yaml").write_text(CLIENT, "utf-8")
    (folder / "scenarios.yaml").write_text(OWN, "utf-8")
    (folder / "faq.csv").write_text(FAQ, "utf-8")
    entries = "\n".join(generated(n, (f"{n} pounds", f"{n} days")) for n in range(1, 16))
    (folder / "scenarios.generated.yaml").write_text(HEAD + entries, "utf-8")
    return folder


def read(folder: Path) -> Expectations:
    return read_expectations(load_client(str(folder), cwd=folder.parent), folder.parent)


def text_of(folder: Path) -> str:
    return (folder / "scenarios.generated.yaml").read_text("utf-8")


def says(*wordings: str) -> str:
    return claim_id(ClaimKind.SAYS, wordings)


def word(
    scenario: str, claim: str, decision: Decision, *after: str, who: str = "Sato"
) -> Judgement:
    return Judgement(scenario, claim, ClaimKind.SAYS, decision, after=after, reviewer=who)


def judged(folder: Path, *judgements: Judgement, bulk: bool = False) -> Taken:
    by = Judgement("", "", None, Decision.BULK, reviewer="Sato") if bulk else None
    taken = take(read(folder), judgements, bulk=by)
    write(taken)
    return taken


def sample(folder: Path) -> list[Judgement]:
    """An OK on each claim of the sample."""
    rows = [row for row in read(folder).rows() if row.drawn and row.claim]
    return [word(row.scenario.id, row.claim.id, Decision.OK) for row in rows if row.claim]


def test_the_sample_comes_first_and_each_scenario_ends_with_a_row_for_a_new_claim(
    folder: Path,
) -> None:
    rows = read(folder).rows()
    assert [True] * SAMPLE == [row.drawn for row in rows[:SAMPLE]]
    assert not any(row.drawn for row in rows[SAMPLE:])
    assert 15 == sum(row.claim is None for row in rows)
    assert 30 == sum(row.claim is not None for row in rows)
    assert "mine" not in {row.scenario.id for row in rows}  # a person wrote it
    row = next(row for row in rows if row.claim and row.claim.text == "3 days")
    assert ("It is paid in 3 days.", "Title 3") == (row.quotes[0].text, row.entries[0].title)


def test_a_scenario_is_confirmed_when_each_claim_is_judged_and_all_else_stays(folder: Path) -> None:
    before = text_of(folder)
    judged(folder, word("q1", says("1 pounds"), Decision.OK))
    assert before == text_of(folder)
    judged(folder, word("q1", says("1 days"), Decision.OK, who="Abe"))
    assert before.replace("approved: false", "approved: true", 1) == text_of(folder)
    assert Approval.CONFIRMED is read(folder).scenarios["q1"].expected.approved
    assert ["Sato", "Abe"] == [j.reviewer for j in read(folder).history]


def test_a_changed_claim_is_replaced_and_counts_as_judged(folder: Path) -> None:
    before = text_of(folder)
    judged(
        folder,
        word("q2", says("2 pounds"), Decision.CHANGE, "2.50 pounds", "£2.50"),
        word("q2", says("2 days"), Decision.STRIKE),
    )
    expected = read(folder).scenarios["q2"].expected
    assert (("2.50 pounds", "£2.50"),) == expected.elements
    assert Approval.CONFIRMED is expected.approved
    change, strike = read(folder).history
    assert (("2 pounds",), ("2.50 pounds", "£2.50")) == (change.before, change.after)
    assert (("2 days",), ()) == (strike.before, strike.after)
    kept = [line for line in before.split("\n") if "q2" not in line and "2 pounds" not in line]
    assert set(kept) - {"    - 2 days"} <= set(text_of(folder).split("\n"))


def test_one_changed_claim_leaves_the_lines_of_the_others(folder: Path) -> None:
    before = text_of(folder)
    judged(folder, word("q3", says("3 pounds"), Decision.CHANGE, "4 pounds"))
    assert before.replace("- 3 pounds\n", "- 4 pounds\n", 1) == text_of(folder)


def test_an_alternative_is_added_to_those_that_came_meanwhile(folder: Path) -> None:
    name = says("4 pounds")
    judged(folder, word("q4", name, Decision.OK, "4 pounds", "£4"))
    judged(folder, word("q4", name, Decision.OK, "4 pounds", "4 quid", who="Abe"))
    assert ("4 pounds", "£4", "4 quid") == read(folder).scenarios["q4"].expected.elements[0]


@pytest.mark.parametrize("kind", [ClaimKind.SAYS, ClaimKind.MUST_NOT])
def test_a_claim_is_added(folder: Path, kind: ClaimKind) -> None:
    new = replace(word("q5", NEW, Decision.ADD, "by card"), kind=kind)
    judged(folder, new)
    expected = read(folder).scenarios["q5"].expected
    texts = expected.must_not if kind is ClaimKind.MUST_NOT else expected.elements[-1]
    assert ("by card",) == texts
    assert 1 == judged(folder, new).same
    assert expected == read(folder).scenarios["q5"].expected


def test_the_same_words_twice_are_nothing_new(folder: Path) -> None:
    words = [
        word("q1", says("1 pounds"), Decision.OK),
        word("q1", says("1 days"), Decision.STRIKE),
        word("q2", says("2 days"), Decision.CHANGE, "2 weeks"),
    ]
    judged(folder, *words)
    text, history = text_of(folder), read(folder).history
    again = judged(folder, *words)
    assert (3, (), ()) == (again.same, again.new, again.conflicts)
    assert (text, history) == (text_of(folder), read(folder).history)


def test_who_judges_what_the_file_has_no_more_gets_both_versions(folder: Path) -> None:
    judged(folder, word("q1", says("1 pounds"), Decision.CHANGE, "9 pounds"))
    late = replace(word("q1", says("1 pounds"), Decision.OK, who="Abe"), before=("1 pounds",))
    taken = judged(folder, late)
    assert [Conflict(Trouble.GONE, replace(late, at=taken.conflicts[0].judgement.at),
                     ("9 pounds", "1 days"))] == list(taken.conflicts)  # fmt: skip
    assert () == taken.new


def test_two_words_on_one_claim_at_once_are_a_conflict(folder: Path) -> None:
    name = says("1 pounds")
    taken = judged(
        folder, word("q1", name, Decision.OK), word("q1", name, Decision.STRIKE, who="Abe")
    )
    assert [Trouble.DIFFER] * 2 == [conflict.why for conflict in taken.conflicts]
    assert () == taken.new


def test_a_file_that_was_changed_meanwhile_is_left_alone(folder: Path) -> None:
    taken = take(read(folder), [word("q1", says("1 pounds"), Decision.STRIKE)])
    path = folder / "scenarios.generated.yaml"
    path.write_text(text_of(folder) + "# a note\n", "utf-8")
    with pytest.raises(InputError, match="changed in the meantime"):
        write(taken)
    assert not history_source(taken.before.files[1].source).path.exists()


@pytest.mark.parametrize(("wrong", "is_open"), [(0, True), (1, True), (2, False)])
def test_bulk_approval_opens_when_at_most_one_of_the_sample_was_wrong(
    folder: Path, wrong: int, is_open: bool
) -> None:
    words = sample(folder)
    early = judged(folder, *words[:-1], bulk=True)
    assert early.refused
    draw = early.after.draw()
    assert (30, 20, 19, 0) == (draw.claims, draw.drawn, draw.judged, draw.wrong)
    folder = _anew(folder)
    mixed = [replace(w, decision=Decision.STRIKE) if n < wrong else w for n, w in enumerate(words)]
    taken = judged(folder, *mixed, bulk=True)
    assert is_open is not taken.refused
    counts = read(folder).counts()
    assert (0 if is_open else counts[Approval.OPEN]) == counts[Approval.OPEN]
    assert is_open is (counts[Approval.BULK] > 0)
    assert is_open is ("approved: bulk" in text_of(folder))
    draw = read(folder).draw()
    assert (30, 20, 20, wrong) == (draw.claims, draw.drawn, draw.judged, draw.wrong)


def _anew(folder: Path) -> Path:
    """The folder without a word of people's."""
    history_source(read(folder).files[1].source).path.unlink()
    path = folder / "scenarios.generated.yaml"
    path.write_text(text_of(folder).replace("approved: true", "approved: false"), "utf-8")
    return folder


def test_a_claim_changed_behind_its_first_wording_stays_in_the_sample_as_a_wrong_one(
    folder: Path,
) -> None:
    first = sample(folder)[0]
    (claim,) = (c for c in read(folder).rows() if c.claim and c.claim.id == first.claim)
    assert claim.claim
    wordings = (*claim.claim.wordings, "or more")
    judged(folder, replace(first, decision=Decision.CHANGE, after=wordings))
    assert (30, 20, 1, 1) == _figures(folder)
    assert (1, ()) == _same_and_new(judged(folder, first))  # as the next worksheet has it
    judged(folder, replace(first, reviewer="Abe"))
    assert (30, 20, 1, 1) == _figures(folder)


def _figures(folder: Path) -> tuple[int, int, int, int]:
    draw = read(folder).draw()
    return draw.claims, draw.drawn, draw.judged, draw.wrong


def _same_and_new(taken: Taken) -> tuple[int, tuple[Judgement, ...]]:
    return taken.same, taken.new


def test_a_comment_beside_a_word_makes_it_no_new_one(folder: Path) -> None:
    name = says("1 pounds")
    ok, remark = word("q1", name, Decision.OK), word("q1", name, Decision.REMARK)
    judged(folder, ok)
    judged(folder, replace(remark, comment="who says so?"))
    assert (1, ()) == _same_and_new(judged(folder, ok))
    noted = judged(folder, replace(ok, comment="the price list"))
    assert ["the price list"] == [judgement.comment for judgement in noted.new]
    judged(folder, word("q2", says("2 pounds"), Decision.CHANGE, "9 pounds"))
    noted = judged(folder, replace(word("q2", says("9 pounds"), Decision.OK), comment="in May"))
    assert ["in May"] == [judgement.comment for judgement in noted.new]


def test_what_is_generated_later_may_come_into_the_sample(folder: Path) -> None:
    judged(folder, *sample(folder))
    assert read(folder).draw().opens_bulk
    path = folder / "scenarios.generated.yaml"
    more = "".join(generated(n, (f"{n} pounds", f"{n} days")) for n in range(16, 31))
    path.write_text(text_of(folder) + more, "utf-8")
    draw = read(folder).draw()
    assert (60, 20) == (draw.claims, draw.drawn)
    assert draw.judged < draw.drawn
    assert 20 - draw.judged == sum(row.drawn for row in read(folder).rows() if not row.judged)


def test_a_line_of_the_history_that_cannot_be_read_is_named(folder: Path) -> None:
    judged(folder, word("q1", says("1 pounds"), Decision.OK))
    path = folder / "scenarios.generated.review.jsonl"
    path.write_text(path.read_text("utf-8") + "{oops\n", "utf-8")
    with pytest.raises(InputError, match=r"acme/scenarios\.generated\.review\.jsonl:2: isn't a li"):
        read(folder)


def test_a_history_that_leads_elsewhere_is_not_written(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path.parent / "elsewhere.txt"
    elsewhere.write_text("", "utf-8")
    (folder / "scenarios.generated.review.jsonl").symlink_to(elsewhere)
    with pytest.raises(InputError, match=r"leads to .* outside of the client's folder"):
        read(folder)
    assert not elsewhere.read_text("utf-8")


WORDLESS = """\
- {id: phone, query: Let me talk to somebody., expected: {escalate: true, approved: false}}
- {id: secret, query: Who is the boss?, expected: {answerable: false, approved: false}}
- {id: open, query: What now?, expected: {documents: [faq-1], approved: false}}
- {id: whole, query: How much?, expected: {answer: It is 5 pounds., approved: false}}
"""


@pytest.mark.parametrize("name", ["scenarios.yaml", "scenarios.csv"])
def test_claims_without_a_wording_and_whole_answers(folder: Path, name: str) -> None:
    (folder / "scenarios.generated.yaml").unlink()
    (folder / "scenarios.yaml").unlink()
    (folder / name).write_text(WORDLESS if name.endswith("yaml") else CSV, "utf-8")
    rows = {row.scenario.id: row.claim for row in read(folder).rows() if row.claim}
    assert {
        "phone": ClaimKind.HANDS_OVER,
        "secret": ClaimKind.DECLINES,
        "open": ClaimKind.ANSWERS,
        "whole": ClaimKind.SAYS,
    } == {scenario: claim.kind for scenario, claim in rows.items()}
    words = [
        Judgement(scenario, claim.id, claim.kind, Decision.STRIKE)
        for scenario, claim in rows.items()
        if scenario != "whole"
    ]
    judged(folder, *words, word("whole", rows["whole"].id, Decision.CHANGE, "It is 6 pounds."))
    expected = {name: s.expected for name, s in read(folder).scenarios.items()}
    assert (False, True, False) == (
        expected["phone"].escalate,
        expected["secret"].answerable,
        expected["open"].answerable,
    )
    assert (("It is 6 pounds.",), Approval.CONFIRMED) == (
        expected["whole"].answers,
        expected["whole"].approved,
    )


CSV = """\
id,query,expected.answer,expected.documents,expected.answerable,expected.escalate,expected.approved
phone,Let me talk to somebody.,,,,TRUE,FALSE
secret,Who is the boss?,,,FALSE,,FALSE
open,What now?,,faq-1,,,FALSE
whole,How much?,It is 5 pounds.,,,,FALSE
"""


def test_a_claim_added_beside_a_whole_answer_keeps_it(folder: Path) -> None:
    (folder / "scenarios.yaml").write_text(WORDLESS, "utf-8")
    judged(folder, word("whole", NEW, Decision.ADD, "by card"))
    assert (("It is 5 pounds.",), ("by card",)) == read(folder).scenarios["whole"].expected.elements


def test_a_claim_added_where_a_refusal_was_expected_makes_it_answerable(folder: Path) -> None:
    (folder / "scenarios.yaml").write_text(WORDLESS, "utf-8")
    judged(folder, word("secret", NEW, Decision.ADD, "Ms Sato"))
    expected = read(folder).scenarios["secret"].expected
    assert ((("Ms Sato",),), True) == (expected.elements, expected.answerable)


def test_the_time_counts_an_entry_once_and_only_without_a_quote(folder: Path) -> None:
    row = next(row for row in read(folder).rows() if row.claim and row.claim.text == "3 days")
    assert row.claim
    question, quote, claim = "What is fee 3?", "It is paid in 3 days.", "3 days"
    alone = len(question + quote + claim) * 60 / 987 + 10
    assert alone == pytest.approx(row.seconds("en", is_alone=True))
    below = len(quote + claim) * 60 / 987 + 10
    assert below == pytest.approx(row.seconds("en", is_alone=False))
    bare = replace(row, quotes=())
    more = len(question + claim + row.entries[0].text) * 60 / 987 + 10
    assert more == pytest.approx(bare.seconds("en", is_alone=True))
