"""What people say of two runs: of all answers, or why not and what to judge."""

from collections.abc import Collection, Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from simulator.cli.screens.compare import compare_json, compare_view
from simulator.compare.comparison import compare_runs
from simulator.console.output import show
from simulator.core.comparison import Comparison, People, Unjudged, Unknown
from simulator.core.errors import InputError
from simulator.core.verdict import Audit, Place, Sampled, Verdict, Word
from simulator.review.plan import plan_for
from simulator.store.store import Store
from simulator.view.compare_view import compared
from tests.compare.stored import keep, talk
from tests.execution.scored import rated
from tests.expecting import as_its_schema_says

A, B = "aaaa1111", "bbbb2222"
MANY = 80
WRONG = frozenset(range(0, MANY, 3))  # answers of A
REPAIRED = frozenset(range(0, 36, 3))  # of these in B


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as created:
        yield created


def kept(store: Store, run: str, new: Collection[int], started: int) -> None:
    """A run whose answers in `new` scenarios are its own, and as in any other run elsewhere."""
    texts = {n: f"{run} says {n}" if n in new else f"as ever {n}" for n in range(MANY)}
    said = [talk(f"s{n}", rated(4), assistant=text) for n, text in texts.items()]
    keep(store, run, said, started)


def judge(store: Store, run: str, places: Collection[Place], wrong: Collection[int]) -> None:
    words = {n: Word.NG if n in wrong else Word.OK for n in range(MANY)}
    given = [Verdict(k, t, words[int(k[1:].partition("/")[0])], "kei") for k, t in places]
    store.add_verdicts(run, given)


def planned(store: Store, run: str, budget: int | None, since: str = "") -> Collection[Place]:
    """The turns of a plan, once it is kept."""
    expected = plan_for(store, store.header(run), budget, store.header(since) if since else None)
    store.plan_review(run, expected.plan)
    return expected.plan.shown.keys()


def repaired(store: Store) -> None:
    """A, of which 40 answers were drawn and judged; B, which has 12 others that are right."""
    kept(store, A, (), 0)
    judge(store, A, planned(store, A, 40), WRONG)
    kept(store, B, REPAIRED, 1)


def test_new_answers_that_nobody_judged_leave_it_unknown_and_the_command_says_which(
    store: Store,
) -> None:
    repaired(store)
    comparison = compare_runs(store, A, B)
    unknown = comparison.people
    assert isinstance(unknown, Unknown)
    command = f"mogi review plan {B} --new-since {A}"
    assert (Unjudged.NEW, 12, 12, command) == (
        unknown.why, unknown.answers, unknown.judge, unknown.command,
    )  # fmt: skip
    assert unknown.seconds > 60
    printed = compare_json(compared(comparison))
    assert printed.people is None
    assert printed.score_corrected is None
    assert printed.people_unknown is not None
    assert command == printed.people_unknown.command
    as_its_schema_says("compare", printed)
    line = (
        f"Can't compare the corrected score: 12 new answers of run {B} have no verdict. "
        f"Judge 12 of them to compare (2 minutes): {command}"
    )
    assert line in sentences(comparison)
    assert f"12 new answers of run {B}" in shown(comparison)


def test_once_the_new_answers_are_judged_the_repair_is_seen(store: Store) -> None:
    repaired(store)
    rows = planned(store, B, None, A)
    assert {f"s{n}/calm/1" for n in REPAIRED} == {key for key, _ in rows}
    judge(store, B, rows, ())
    people = compare_runs(store, A, B).people
    assert isinstance(people, People)
    assert people.value.low is not None
    assert people.value.high is not None
    assert people.value.low < 12 / MANY < people.value.high
    assert people.before < people.after
    assert 52 == people.n


def test_the_same_answers_are_no_difference_whatever_was_judged(store: Store) -> None:
    kept(store, A, (), 0)
    kept(store, B, (), 1)
    judge(store, A, planned(store, A, 40), WRONG)
    people = compare_runs(store, A, B).people
    assert isinstance(people, People)
    assert 0 == people.value.mean
    assert people.before == people.after


def test_a_small_run_that_is_judged_as_a_whole_takes_no_plan(store: Store) -> None:
    for run, wrong in ((A, (1, 2, 3)), (B, (1,))):
        texts = {n: f"{run} says {n}" if n == 2 else f"as ever {n}" for n in range(8)}
        said = [talk(f"s{n}", rated(4), assistant=text) for n, text in texts.items()]
        keep(store, run, said, int(run == B))
        places = [(e.cell.key, 1) for e in said if run == A or e.cell.scenario == "s2"]
        judge(store, run, places, wrong)
    people = compare_runs(store, A, B).people
    assert isinstance(people, People)
    assert pytest.approx((5 / 8, 6 / 8)) == (people.before, people.after)


def test_too_few_judged_answers_of_the_earlier_run_are_refused(store: Store) -> None:
    kept(store, A, (), 0)
    judge(store, A, planned(store, A, 12), WRONG)
    kept(store, B, REPAIRED, 1)
    unknown = compare_runs(store, A, B).people
    assert isinstance(unknown, Unknown)
    assert (Unjudged.FEW_BEFORE, 18) == (unknown.why, unknown.judge)
    assert f"mogi review plan {A} --budget 18" == unknown.command


def test_of_many_new_answers_thirty_are_drawn_and_later_more_with_them(store: Store) -> None:
    kept(store, A, (), 0)
    judge(store, A, planned(store, A, 40), WRONG)
    kept(store, B, range(60), 1)
    unknown = compare_runs(store, A, B).people
    assert isinstance(unknown, Unknown)
    assert (60, 30) == (unknown.answers, unknown.judge)
    rows = planned(store, B, None, A)
    plan = store.header(B).review_plan
    assert plan is not None
    assert {Sampled.NEW} == {row.why for row in plan.rows}
    assert 30 == len(rows)
    assert all(0 < row.probability < 1 for row in plan.rows)
    assert set(rows) < set(planned(store, B, 45, A))


def test_a_run_that_was_planned_as_a_whole_is_planned_no_other_way(store: Store) -> None:
    repaired(store)
    planned(store, B, 10)
    with pytest.raises(InputError, match=f"mogi review plan {B} --budget 30"):
        plan_for(store, store.header(B), None, store.header(A))
    with pytest.raises(InputError, match="compared with itself"):
        plan_for(store, store.header(B), None, store.header(B))


def test_new_answers_since_a_run_that_was_judged_by_hand_are_not_planned(store: Store) -> None:
    kept(store, A, (), 0)
    judge(store, A, [("s1/calm/1", 1)], WRONG)
    kept(store, B, REPAIRED, 1)
    with pytest.raises(InputError, match=f"first: mogi review plan {A} --budget 30"):
        plan_for(store, store.header(B), None, store.header(A))


def test_where_nobody_judged_anything_nothing_is_printed(store: Store) -> None:
    kept(store, A, (), 0)
    kept(store, B, REPAIRED, 1)
    comparison = compare_runs(store, A, B)
    assert Unknown(Unjudged.NOTHING) == comparison.people
    assert "People" not in shown(comparison)


def sentences(comparison: Comparison) -> list[str]:
    return [text.plain for text in compared(comparison).sentences]


def shown(comparison: Comparison) -> str:
    console = Console(width=120, highlight=False, markup=False, file=StringIO())
    show(compare_view(compared(comparison), 120), console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_words_hold_for_equal_answers_of_another_client_as_well(store: Store) -> None:
    kept(store, A, (), 0)
    judge(store, A, planned(store, A, 40), WRONG)
    said = [talk(f"s{n}", rated(4), assistant=f"as ever {n}") for n in range(MANY)]
    keep(store, B, said, 1, client="other")
    people = compare_runs(store, A, B).people
    assert isinstance(people, People)
    assert 0 == people.value.mean


def test_two_runs_with_audit_samples_of_their_own_are_compared(store: Store) -> None:
    for run, bad in ((A, 10), (B, 3)):
        said = [talk(f"s{n}", rated(5), assistant=f"{run} says {n}") for n in range(30)]
        keep(store, run, said, int(run == B), audit=Audit(1.0, 7))
        judge(store, run, [(e.cell.key, 1) for e in said], range(bad))
    found = compare_runs(store, A, B)
    assert isinstance(found.people, People)
    value = found.people.value
    assert pytest.approx((20 / 30, 27 / 30)) == (found.people.before, found.people.after)
    assert pytest.approx(7 / 30) == value.mean
    assert value.low is not None
    assert value.high is not None
    assert 0 < value.low < 7 / 30 < value.high < 1
    as_its_schema_says("compare", compare_json(compared(found)))
    (line,) = [line for line in sentences(found) if line.startswith("The corrected score")]
    assert line.startswith("The corrected score went from 0.67 to 0.90 (95% CI +0.")
    assert line.endswith("; difference +0.23).")
    rows = [text.split() for text in shown(found).splitlines()]
    (row,) = [row for row in rows if row[:2] == ["corrected", "score"]]
    assert ["0.67", "0.90", "+0.23", "60"] == [*row[2:5], row[-1]]
