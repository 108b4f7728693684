"""How results changed: the matrix of states, and what got worse, in which way."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.cli.screens.compare import compare_json
from simulator.compare.comparison import compare_runs
from simulator.compare.fail_on import Conclusion, FailOn, conclusion
from simulator.core.claim import State
from simulator.core.comparison import Comparison, Worsening
from simulator.core.plan import Cell, Gate
from simulator.core.result import Result, Why
from simulator.core.run import Episode
from simulator.core.scenario import Expected
from simulator.core.talk import Reply
from simulator.core.verdict import Verdict, Word
from simulator.reports.html.lead import changed_values, compared_values
from simulator.store.store import Store
from simulator.view.compare_view import compared
from tests.compare.stored import beside, keep
from tests.execution.scored import rated
from tests.expecting import as_its_schema_says
from tests.results.made import MET, UNKNOWN, UNMET, VIOLATED, answer, readings, talk

PRICES = Expected(elements=(("5 euros",), ("30 days",)))
PASSED, FAILED, OPEN = (MET, MET), (UNMET, MET), (UNKNOWN, MET)
OTHERWISE, BROKEN_TOO = (MET, UNMET), (UNMET, VIOLATED)
FINE = "So it is."
Way = tuple[tuple[State, ...], tuple[State, ...]]


def talked(
    name: str, states: tuple[State, ...], text: str = "So it is.", repeat: int = 1
) -> Episode:
    """A conversation whose two claims stand so; the quote is all but the answer's last word."""
    quoted = [replace(r, quote=text.rsplit(" ", 1)[0]) for r in readings(PRICES, *states)]
    turn = answer(*quoted, outcomes={"overall": rated(5)})
    turn = replace(turn, exchange=replace(turn.exchange, reply=Reply(text)))
    return talk(PRICES, turn, cell=Cell(name, "calm", repeat))


def compare(folder: Path, must_pass: tuple[str, ...] = (), /, **ways: Way) -> Comparison:
    """Scenarios by their names, with the states of their claims before and after."""
    before = [talked(name, way[0]) for name, way in ways.items()]
    after = [
        talked(name, now, FINE if was == now else "It is 9 euros.")
        for name, (was, now) in ways.items()
    ]
    return beside(folder, before, after, b={"gate": Gate(must_pass=must_pass)})


def concluded(comparison: Comparison, what: str) -> Conclusion:
    return conclusion(comparison, FailOn.of(what))


EVERY: dict[str, Way] = {
    "steady": (PASSED, PASSED),
    "hidden": (PASSED, OPEN),
    "worse": (FAILED, BROKEN_TOO),
    "elsewhere": (FAILED, OTHERWISE),
    "fails": (PASSED, FAILED),
    "settled": (OPEN, FAILED),
}


def test_every_change_of_state_is_counted_and_named(tmp_path: Path) -> None:
    moves = {(m.before, m.after): m for m in compare(tmp_path, **EVERY).states.moves}
    counts = {tuple(map(str, way)): move.n for way, move in moves.items()}
    assert {
        ("passed", "passed"): 1,
        ("passed", "failed"): 1,
        ("passed", "undecided"): 1,
        ("failed", "failed"): 2,
        ("undecided", "failed"): 1,
    } == counts
    assert ("hidden/calm/1",) == moves[Result.PASSED, Result.UNDECIDED].conversations
    assert () == moves[Result.FAILED, Result.FAILED].conversations


def test_a_failure_that_nobody_can_judge_any_more_is_in_the_headline(tmp_path: Path) -> None:
    before = [talked("same", FAILED), talked("new", FAILED), talked("fine", PASSED)]
    after = [talked("same", OPEN), talked("new", OPEN, "It is 9 euros."), talked("fine", PASSED)]
    comparison = beside(tmp_path, before, after)
    assert ("same/calm/1",) == comparison.states.unjudged.unchanged
    view = compared(comparison)
    said = "none fixed. 2 earlier failures are now undecided, 1 with the same answer."
    assert view.headline[0].plain.endswith(said)
    assert [
        "Same answer, failed before, undecided now: 1 (same/calm/1)",
        "New answer, failed before, undecided now: 1 (new/calm/1)",
    ] == [text.plain for text in view.states]
    assert "doubtful" == view.sign
    assert {"same/calm": "unjudged", "new/calm": "unjudged"} == comparison.changes
    (group,) = changed_values(view)["groups"]
    assert ["same/calm", "new/calm"] == [cell["name"] for cell in group["cells"]]


def test_what_got_worse_is_listed_the_gravest_first(tmp_path: Path) -> None:
    worse = compare(tmp_path, **EVERY).states.worse
    assert [
        ("fails", Worsening.PASSED_FAILED),
        ("worse", Worsening.NEWLY_VIOLATED),
        ("settled", Worsening.UNDECIDED_FAILED),
        ("hidden", Worsening.PASSED_UNDECIDED),
    ] == [(cell.scenario, cell.how) for cell in worse]


def test_a_claim_newly_violated_inside_failed_is_named_with_the_words_that_violate_it(
    tmp_path: Path,
) -> None:
    comparison = compare(tmp_path, price=(FAILED, BROKEN_TOO))
    (otherwise,) = comparison.states.failed_otherwise
    assert (Why.NEVER_SAID, Why.CONTRADICTS) == (otherwise.before.why, otherwise.after.why)
    (claim,) = otherwise.newly_violated
    assert (claim,) == comparison.states.worse[0].newly_violated
    (shown,) = compared(comparison).worse
    assert ("It is 9", True) == (shown.answer, "30 days" in shown.why)


def test_with_repeats_the_answer_that_is_shown_violates_the_claim_that_is_named(
    tmp_path: Path,
) -> None:
    ways = [(PASSED, FAILED), (FAILED, BROKEN_TOO), (FAILED, BROKEN_TOO)]
    before = [talked("s", was, repeat=n) for n, (was, _) in enumerate(ways, 1)]
    after = [talked("s", now, f"It is {n} euros.", n) for n, (_, now) in enumerate(ways, 1)]
    comparison = beside(tmp_path, before, after)
    (cell,) = comparison.states.worse
    assert (Worsening.NEWLY_VIOLATED, "s/calm/2") == (cell.how, cell.conversation)
    (shown,) = compared(comparison).worse
    assert ("It is 2", True) == (shown.answer, "30 days" in shown.why)


def test_another_reason_is_named_and_is_not_worse(tmp_path: Path) -> None:
    states = compare(tmp_path, elsewhere=(FAILED, OTHERWISE), same=(FAILED, FAILED)).states
    assert ["elsewhere/calm/1"] == [each.conversation for each in states.failed_otherwise]
    assert () == states.worse


def test_a_claim_that_is_new_in_the_scenario_is_no_fault_of_the_bot(tmp_path: Path) -> None:
    one = Expected(elements=(("5 euros",),))
    turn = answer(*readings(one, UNMET), outcomes={"overall": rated(5)})
    before = talk(one, turn, cell=Cell("s", "calm"))
    states = beside(tmp_path, [before], [talked("s", BROKEN_TOO)]).states
    assert () == states.worse


def test_most_repeats_say_what_a_cell_is(tmp_path: Path) -> None:
    before = [talked("s", PASSED, repeat=n) for n in (1, 2, 3)]
    after = [talked("s", s, repeat=n) for n, s in enumerate((PASSED, OPEN, OPEN), 1)]
    (cell,) = beside(tmp_path, before, after).states.worse
    assert (Worsening.PASSED_UNDECIDED, "s/calm/2") == (cell.how, cell.conversation)


def test_what_got_worse_fails_where_nothing_else_changed(tmp_path: Path) -> None:
    comparison = compare(tmp_path, **{n: EVERY[n] for n in ("steady", "hidden", "worse", "fails")})
    assert [1, 1, 0] == [concluded(comparison, f"worse{n}").status for n in ("", "=3", "=4")]
    assert (
        "worse since run aaaa1111: 3 cases (fails/calm, worse/calm"
        in concluded(comparison, "worse").lines[0]
    )


def test_where_other_answers_changed_as_well_it_is_undecided(tmp_path: Path) -> None:
    comparison = compare(tmp_path, fails=(PASSED, FAILED), better=(FAILED, PASSED))
    done = concluded(comparison, "worse")
    assert (3, 1) == (done.status, concluded(comparison, "newly-failing").status)
    assert "1 other conversation changed as well" in done.lines[1]
    again = "mogi run --resume bbbb2222 --fail-on worse --rerun-newly-failing 10"
    assert done.lines[2].endswith(again)
    elsewhere = conclusion(comparison, FailOn.of("worse"), "sqlite:///my runs.db")
    assert elsewhere.lines[2].endswith(f"{again} --store 'sqlite:///my runs.db'")


def test_so_much_that_the_test_can_tell_it_from_noise_fails(tmp_path: Path) -> None:
    ways: dict[str, Way] = {f"s{n}": (PASSED, FAILED) for n in range(8)}
    assert 1 == concluded(compare(tmp_path, **ways, better=(FAILED, PASSED)), "worse").status


def test_what_must_pass_is_first(tmp_path: Path) -> None:
    view = compared(compare(tmp_path, ("hidden",), **EVERY))
    assert ("hidden · calm · 1", True) == (view.worse[0].name, view.worse[0].must_pass)
    assert "failed" == view.sign


def test_the_json_has_states_and_what_got_worse(tmp_path: Path) -> None:
    figures = compare_json(compared(compare(tmp_path, **EVERY)))
    as_its_schema_says("compare", figures)
    assert (4, 4, 1) == (figures.worse.n, len(figures.worse.conversations), figures.changed_beside)


@pytest.mark.parametrize("what", ["worse", "newly-failing"])
def test_without_a_change_nothing_fails(what: str, tmp_path: Path) -> None:
    assert 0 == concluded(compare(tmp_path, steady=(PASSED, PASSED)), what).status


def test_the_page_counts_what_its_link_shows(tmp_path: Path) -> None:
    view = compared(compare(tmp_path, **EVERY))
    tiles = {tile["href"]: int(tile["value"]) for tile in compared_values(view)["tiles"]}
    groups = {group["href"]: int(group["n"]) for group in changed_values(view)["groups"]}
    shown = Counter(f"#q=change%3A{change}" for change in view.comparison.changes.values())
    assert tiles == {"#q=change%3Apassing": 0, "#q=change%3Aunjudged": 0, **shown}
    assert groups == shown


@pytest.mark.parametrize(
    ("error_type", "why"),
    [
        ("", "the answer contradicts “30 days” (a reviewer marked the answer NG)"),
        ("retrieval_miss", "Not retrieved (a reviewer marked the answer NG)"),
        ("too long", "too long (a reviewer marked the answer NG)"),
    ],
)
def test_an_answer_that_a_person_calls_ng_is_shown_with_its_cause(
    tmp_path: Path, error_type: str, why: str
) -> None:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        keep(store, "aaaa1111", [talked("a", PASSED)], 1)
        keep(store, "bbbb2222", [talked("a", (MET, VIOLATED), "It is 9 days.")], 2)
        said = Verdict("a/calm/1", 1, Word.NG, reviewer="Mori", error_type=error_type)
        store.add_verdicts("bbbb2222", [said])
        (worse,) = compared(compare_runs(store, "aaaa1111", "bbbb2222")).worse
    assert why == worse.why
