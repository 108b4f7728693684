"""What `--fail-on` makes of a comparison."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.compare.fail_on import Conclusion, FailOn, conclusion
from simulator.core.comparison import Chance, Change, Comparison, Flips, Undecided
from simulator.core.errors import InputError
from simulator.core.outcome import Count
from simulator.core.plan import Cell, Gate
from simulator.core.run import Episode
from tests.compare.stored import beside, talk, talks
from tests.execution.scored import GAP, rated

MUST = Gate(must_pass=("s0",))
FINE = (5, 4, 5, 4)


def status(found: Comparison, asked: str) -> int:
    return conclusion(found, FailOn.of(asked)).status


def times(*ratings: int) -> list[Episode]:
    """Repeats of s0."""
    made = [talk("s0", rated(r, f"{n}: {r}")) for n, r in enumerate(ratings, 1)]
    return [replace(e, cell=Cell("s0", "calm", n)) for n, e in enumerate(made, 1)]


@pytest.mark.parametrize(
    "text", ["newly-failing=0", "newly-failing=", "worse=0", "must-pass=1", ""]
)
def test_nothing_else_is_taken(text: str) -> None:
    with pytest.raises(ValueError, match="is not worse, worse=N, newly-failing"):
        FailOn.of(text)


def test_so_many_that_newly_fail_fail(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(*FINE), talks(1, 2, 5, 4))
    assert [1, 1, 0] == [status(found, f"newly-failing{n}") for n in ("", "=2", "=3")]
    (line,) = conclusion(found, FailOn.of("newly-failing")).lines
    assert "new failures since run aaaa1111: 2 cases (s0/calm, s1/calm)" == line
    assert Conclusion(0) == conclusion(found, None)


@pytest.mark.parametrize(("n", "more"), [(5, ""), (6, ", …")])
def test_the_first_five_are_named(tmp_path: Path, n: int, more: str) -> None:
    found = beside(tmp_path, talks(*[5] * n), talks(*[1] * n))
    (line,) = conclusion(found, FailOn.of("newly-failing")).lines
    assert line.endswith(f"{n} cases (s0/calm, s1/calm, s2/calm, s3/calm, s4/calm{more})")


def test_what_got_worse_beside_other_changes_fails_where_it_is_more_than_chance(
    tmp_path: Path,
) -> None:
    found = beside(tmp_path, talks(*FINE), talks(1, 2, 5, 4))
    # nothing else changed: the bot shows no noise
    assert [1, 1, 0] == [status(found, f"worse{n}") for n in ("", "=2", "=3")]
    cases: list[tuple[dict[str, Any], int | None, int]] = [
        ({}, 1, 1),
        ({}, 2, 3),  # it is as much as chance allows for
        ({"p": 0.05}, None, 1),
        ({"p": 0.051}, None, 3),
        ({"p": None}, None, 3),
        ({"p": 0.05, "fixed": 2}, None, 3),
    ]
    for flips, high, expected in cases:
        changed = replace(
            found,
            states=replace(found.states, changed_beside=1),
            flips=replace(found.flips, **flips),
            chance=None if high is None else Chance(Count(1, 0, high), Count(0, 0, 0), 4),
        )
        asked = ("worse", "worse=3", "newly-failing")  # the last counts, and looks at no noise
        assert [expected, 0, 1] == [status(changed, what) for what in asked], flips


def test_without_a_result_in_both_only_the_score_can_tell(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(*FINE, *FINE), talks(3, 2, 4, 2, 3, 3, 4, 2))
    undecided = replace(found, flips=Flips(0, 0, 0, 0, 8, None, None))
    asked = ("newly-failing", "worse", "regression")
    assert [3, 3, 1] == [status(undecided, what) for what in asked]
    (line,) = conclusion(undecided, FailOn.of("worse")).lines
    assert "no conversation has a result in both runs" == line


def test_what_passed_and_is_undecided_now_leaves_it_undecided(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(*FINE), [talk("s0", GAP), *talks(5, 2, 5, 4)[1:]])
    assert [1, 3, 0] == [status(found, f"newly-failing={n}") for n in (1, 2, 3)]
    (line,) = conclusion(found, FailOn.of("newly-failing=2")).lines
    assert "is undecided: 1 newly fails; passed in run aaaa1111" in line
    assert "s0/calm" in line


def test_an_unsteady_cell_does_not_count(tmp_path: Path) -> None:
    found = beside(tmp_path, times(5, 4, 5), times(1, 5, 4), b={"gate": MUST})
    assert [0, 0] == [status(found, what) for what in ("newly-failing", "must-pass")]
    assert 1 == len(found.cells.unsteady)


def test_what_must_pass_and_failed_once_is_to_be_repeated(tmp_path: Path) -> None:
    b: dict[str, Any] = {"gate": MUST, "folder": "/x/scenarios/acme"}
    found = beside(tmp_path, talks(*FINE), talks(1, 1, 5, 4), b=b)
    done = conclusion(found, FailOn.of("must-pass"))
    assert 3 == done.status
    text = "\n".join(done.lines)
    assert "mogi run acme --scenario s0 --persona calm --repeat 3" in text
    assert "mogi compare aaaa1111 latest --fail-on must-pass" in text
    assert "s1" not in text
    assert "--store" not in text
    elsewhere = conclusion(found, FailOn.of("must-pass"), "sqlite:///my runs.db").lines
    assert 2 == sum(line.endswith(" --store 'sqlite:///my runs.db'") for line in elsewhere)


def test_what_must_pass_and_fails_again_and_again_fails(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(5), times(1, 2, 5), b={"gate": MUST})
    assert 1 == status(found, "must-pass")


def test_others_may_fail_where_only_some_must_pass(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(*FINE), talks(5, 1, 5, 4), b={"gate": MUST})
    assert [0, 1] == [status(found, what) for what in ("must-pass", "newly-failing")]


def test_what_must_pass_and_is_undecided_is_undecided(tmp_path: Path) -> None:
    after = [talk("s0", GAP), *talks(*FINE)[1:]]
    assert 3 == status(beside(tmp_path, talks(*FINE), after, b={"gate": MUST}), "must-pass")


def test_must_pass_where_nothing_must_is_wrong_input(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(*FINE), talks(*FINE))
    with pytest.raises(InputError, match=r"gate: \{must_pass"):
        conclusion(found, FailOn.of("must-pass"))


def test_another_judge_leaves_it_undecided(tmp_path: Path) -> None:
    a, b = ({"snapshot": {"client.judge.chat.model": name}, "gate": MUST} for name in ("x", "y"))
    found = beside(tmp_path, talks(*FINE), talks(1, 2, 3, 2), a=a, b=b)
    assert [3, 3] == [status(found, what) for what in ("newly-failing", "must-pass")]
    assert "not scored by the same judge" in conclusion(found, FailOn.of("newly-failing")).lines[-1]
    (tmp_path / "alike").mkdir()
    alike = beside(tmp_path / "alike", talks(*FINE), talks(*FINE), a=a, b=b)
    assert [0, 0] == [status(alike, what) for what in ("newly-failing", "must-pass")]


def test_a_regression_is_one_of_the_score(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(*FINE, *FINE), talks(3, 2, 4, 2, 3, 3, 4, 2))
    assert 1 == status(found, "regression")
    (tmp_path / "few").mkdir()
    assert 3 == status(beside(tmp_path / "few", talks(*FINE), talks(1, 1, 1, 2)), "regression")


def test_without_a_score_in_both_results_can_tell(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(*FINE), talks(1, 2, 5, 4))
    unscored = replace(found, change=Change.UNDECIDED, why=Undecided.NOTHING)
    asked = ("newly-failing", "worse", "regression")
    assert [1, 1, 3] == [status(unscored, what) for what in asked]


def test_nothing_in_both_is_undecided_whatever_is_asked(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(5, 5), [], b={"planned": 2})
    assert [3, 3] == [conclusion(found, a).status for a in (None, FailOn.of("newly-failing"))]
