"""Which cells newly fail: by results and repeats, beside what chance would do; what people say."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.screens.compare import compare_json, faults
from simulator.compare.comparison import compare_runs
from simulator.console.output import as_json
from simulator.core.comparison import Comparison, Doubt, Undecided, Unknown
from simulator.core.plan import Cell, Gate
from simulator.core.result import Why
from simulator.core.run import Episode
from simulator.core.scenario import Scenario
from simulator.core.talk import StopReason
from simulator.core.verdict import Verdict, Word
from simulator.store.store import Store
from simulator.view.compare_view import compared
from simulator.words import Words
from tests.compare.stored import beside, keep, talk, talks
from tests.execution.scored import GAP, episode, rated, turn
from tests.expecting import as_its_schema_says

Ratings = Mapping[str, str]  # of each scenario a digit for each repeat


def repeated(found: Ratings) -> list[Episode]:
    """Conversations of one turn each; a comment of its own for each, as a judge has."""
    return [
        replace(
            talk(name, rated(int(digit), f"{name} {n} was rated {digit}")),
            cell=Cell(name, "calm", n),
        )
        for name, digits in found.items()
        for n, digit in enumerate(digits, 1)
    ]


def names(found: Any) -> list[str]:
    return [cell.scenario for cell in found]


def test_fifteen_conversations_of_five_scenarios_newly_fail_and_no_test_can_tell(
    tmp_path: Path,
) -> None:
    before, after = (
        [t for who in "abc" for t in talks(*ratings, persona=who)]
        for ratings in ([5, 4, 5, 4, 5], [1, 2, 1, 2, 3])
    )
    found = beside(tmp_path, before, after)
    failing = found.cells.newly_failing
    assert (15, 5, Undecided.FEW) == (len(failing), len(set(names(failing))), found.why)
    assert {Why.SCORED_LOW} == {cell.why for cell in failing}
    assert 15 == found.fell.n


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("5", "1", "newly_failing"),
        ("1", "5", "newly_passing"),
        ("555", "115", "newly_failing"),
        ("551", "111", "newly_failing"),
        ("5", "115", "newly_failing"),
        ("555", "155", "unsteady"),
        ("55", "51", "unsteady"),
        ("551", "551", "unsteady"),
        ("555", "555", None),
        ("111", "111", None),
    ],
)
def test_most_repeats_decide_and_what_they_contradict_is_unsteady(
    before: str, after: str, what: str | None, tmp_path: Path
) -> None:
    found = beside(tmp_path, repeated({"s": before}), repeated({"s": after}))
    kinds = ("newly_failing", "newly_passing", "unsteady", "left_open")
    assert [what] * bool(what) == [k for k in kinds if getattr(found.cells, k)]
    assert (len(before + after) > 2) is found.repeated


def test_what_is_undecided_is_not_known_and_never_newly_fails(tmp_path: Path) -> None:
    unsound = episode(turn(rated(1)), scenario="u", stop=StopReason.USER_INVALID)
    after = [talk("s0", GAP), talk("s1", rated(4, "fine")), unsound]
    found = beside(tmp_path, [*talks(5, 4), talk("u", rated(5, "well"))], after)
    assert ((), ["s0", "u"]) == (found.cells.newly_failing, names(found.cells.left_open))
    assert (2, 1) == (found.flips.unknown, found.flips.passing_still)


@pytest.mark.parametrize(
    ("after", "is_open"),
    [("5uu", True), ("51u", True), ("uuu", True), ("55u", False), ("51", False), ("11u", False)],
)
def test_undecided_repeats_that_may_be_most_of_it_failing_leave_a_cell_open(
    after: str, is_open: bool, tmp_path: Path
) -> None:
    talks = repeated({"s": after.replace("u", "1")})
    made = [
        replace(e, stop=replace(e.stop, reason=StopReason.USER_INVALID)) if letter == "u" else e
        for letter, e in zip(after, talks, strict=True)
    ]
    found = beside(tmp_path, repeated({"s": "555"}), made)
    assert ["s"] * is_open == names(found.cells.left_open)


def test_what_is_told_is_a_repeat_that_passed_beside_one_that_failed(tmp_path: Path) -> None:
    found = beside(tmp_path, repeated({"s": "1555"}), repeated({"s": "11151"}))
    (moved,) = found.fell.shown
    assert ("s/calm/2", "s/calm/2") == (moved.before.episode, moved.after.episode)
    assert (False, True) == (moved.before.failed, moved.after.failed)


def test_where_no_repeat_changed_sides_itself_others_are_told(tmp_path: Path) -> None:
    (moved,) = beside(tmp_path, repeated({"s": "5"}), repeated({"s": "511"})).fell.shown
    assert ("s/calm/1", "s/calm/2") == (moved.before.episode, moved.after.episode)
    assert "rated 1" in moved.after.reason


def test_a_judge_in_doubt_fails_nothing_and_it_is_said(tmp_path: Path) -> None:
    parrot = [talk(f"s{n}", rated(2, f"answer on s{n}")) for n in range(8)]
    found = beside(tmp_path, talks(5, 4, 5, 4, 5, 4, 5, 4), parrot)
    assert ((), 8) == (found.cells.newly_failing, found.flips.unknown)
    assert [(Doubt.HEALTH, ("bbbb2222",))] == [(d.doubt, d.names) for d in found.doubts]


def test_what_must_pass_is_known_by_tag_and_by_scenario_and_comes_first(tmp_path: Path) -> None:
    gate = Gate(must_pass=("billing", "s2"))
    after = talks(1, 3, 3)
    after[1] = replace(after[1], scenario=Scenario("s1", "q", tags=("billing",)))
    found = beside(tmp_path, talks(5, 4, 5), after, b={"gate": gate})
    must = [cell.scenario for cell in found.cells.newly_failing if cell.must_pass]
    assert ["s1", "s2"] == must
    assert ["s2", "s1", "s0"] == [moved.cell.scenario for moved in found.fell.shown]


# What chance does


def bots(folder: Path, *more: tuple[str, Ratings, dict[str, Any]], **seeds: int) -> Comparison:
    """Run a of one bot, runs of others, run b of the next bot; their snapshots say so."""
    runs = [
        ("aaaa1111", {"s0": "5", "s1": "4", "s2": "5"}, {"target_files.bot.py": "old"}),
        *more,
        ("bbbb2222", {"s0": "1", "s1": "4", "s2": "5"}, {"target_files.bot.py": "new"}),
    ]
    with Store.create(f"sqlite:///{folder / 'mogi.db'}") as store:
        for n, (name, found, snapshot) in enumerate(runs):
            kept = {"client.seed": seeds.get(name, 42), **snapshot}
            keep(store, name, repeated(found), n, snapshot=kept)
        return compare_runs(store, "aaaa1111", "bbbb2222")


OTHER = {"s0": "5", "s1": "2", "s2": "5"}


def test_chance_is_not_known_without_repeats_or_a_second_run_of_the_same_bot(
    tmp_path: Path,
) -> None:
    assert bots(tmp_path, ("cccc3333", OTHER, {"target_files.bot.py": "third"})).chance is None


@pytest.mark.parametrize("bot", ["old", "new"])
def test_two_runs_of_the_same_bot_measure_chance(bot: str, tmp_path: Path) -> None:
    found = bots(tmp_path, ("cccc3333", OTHER, {"target_files.bot.py": bot}), cccc3333=7)
    assert found.chance is not None
    of = "aaaa1111" if bot == "old" else "bbbb2222"
    assert ((of, "cccc3333"), 3) == (found.chance.runs, found.chance.cells)
    assert found.chance.failing.mean == (0.5 if bot == "old" else 1.0)
    assert found.chance.failing.low == 0 < found.chance.failing.high


def test_what_people_said_of_a_later_run_of_the_same_bot_is_no_chance(tmp_path: Path) -> None:
    bot_of = {"aaaa1111": "old", "bbbb2222": "new", "cccc3333": "new"}
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        for n, (run, bot) in enumerate(bot_of.items()):
            said = [talk(f"s{place}", rated(5), assistant=f"{bot} says {place}") for place in "123"]
            snapshot = {"client.seed": 42, "target_files.bot.py": bot}
            keep(store, run, said, n, snapshot=snapshot)
        store.add_verdicts("cccc3333", [Verdict("s1/calm/1", 1, Word.NG, reviewer="kei")])
        chance = compare_runs(store, "aaaa1111", "bbbb2222").chance
    assert chance is not None
    assert (("bbbb2222", "cccc3333"), 0) == (chance.runs, chance.failing.mean)


def test_runs_with_the_same_seed_measure_nothing_of_another_seed(tmp_path: Path) -> None:
    same = ("cccc3333", OTHER, {"target_files.bot.py": "old"})
    assert bots(tmp_path, same, bbbb2222=7).chance is None


def test_a_run_of_only_some_of_the_cells_measures_nothing(tmp_path: Path) -> None:
    assert bots(tmp_path, ("cccc3333", {"s0": "5"}, {"target_files.bot.py": "old"})).chance is None


def test_runs_that_nothing_known_tells_apart_measure_nothing(tmp_path: Path) -> None:
    """A bot behind an address may have changed between any two of them."""
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        for n, name in enumerate(("cccc3333", "aaaa1111", "bbbb2222")):
            keep(store, name, talks(5, 4), n)
        assert compare_runs(store, "aaaa1111", "bbbb2222").chance is None


def test_repeats_measure_chance_and_never_say_that_there_is_none(tmp_path: Path) -> None:
    before = {f"s{n}": "554" if n % 3 else "541" for n in range(12)}
    after = {f"s{n}": "545" if n % 3 else "155" for n in range(12)}
    found = beside(tmp_path, repeated(before), repeated(after)).chance
    assert found is not None
    assert ((), 12) == (found.runs, found.cells)
    assert 0.2 < found.failing.mean < 2
    steady = {f"s{n}": "554" for n in range(12)}
    (tmp_path / "steady").mkdir()
    found = beside(tmp_path / "steady", repeated(steady), repeated(steady)).chance
    assert found is not None
    assert 0 < found.failing.mean < 0.1
    assert 1 == found.failing.high


# People


def compared_with_verdicts(folder: Path, **words: tuple[Word, ...]) -> Comparison:
    """Eight conversations, all rated well; `words`: of a run, of its first conversations.

    No answer is the same in both runs: a verdict would hold for both.
    """
    with Store.create(f"sqlite:///{folder / 'mogi.db'}") as store:
        for n, run in enumerate(("aaaa1111", "bbbb2222")):
            said = [
                talk(f"s{place}", rated(5 - place % 2), assistant=f"{run} says {place}")
                for place in range(8)
            ]
            keep(store, run, said, n)
            given = [
                Verdict(f"s{place}/calm/1", 1, word, reviewer="kei")
                for place, word in enumerate(words.get(run, ()))
            ]
            store.add_verdicts(run, given)
        return compare_runs(store, "aaaa1111", "bbbb2222")


def test_a_person_who_calls_an_answer_ng_makes_its_conversation_fail(tmp_path: Path) -> None:
    found = compared_with_verdicts(tmp_path, bbbb2222=(Word.OK, Word.NG, Word.UNSURE))
    assert [("s1", Why.SAID_NG)] == [(c.scenario, c.why) for c in found.cells.newly_failing]
    assert ["s2"] == names(found.cells.left_open)
    assert "a reviewer marked the answer NG" in found.fell.shown[0].after.reason
    assert isinstance(found.people, Unknown)


def test_what_people_said_of_an_answer_holds_on_both_sides_whenever_it_was_said(
    tmp_path: Path,
) -> None:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        for n, run in enumerate(("aaaa1111", "bbbb2222")):
            keep(store, run, talks(5, 4), n)
        store.add_verdicts("aaaa1111", [Verdict("s0/calm/1", 1, Word.NG, reviewer="kei")])
        store.add_verdicts("bbbb2222", [Verdict("s1/calm/1", 1, Word.NG, reviewer="kei")])
        found = compare_runs(store, "aaaa1111", "bbbb2222")
    assert [] == [*found.cells.newly_failing, *found.cells.newly_passing]
    assert 0 == found.fell.n


def test_what_people_called_wrong_stands_beside_what_was_blamed(tmp_path: Path) -> None:
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        for n, run in enumerate(("aaaa1111", "bbbb2222")):
            said = [
                replace(e, turns=(replace(e.turns[0], blames=("unsupported", "unused")),))
                for e in talks(1, 1, 1, 1)
            ]
            keep(store, run, said, n)
        given = {
            "s0": "made up: not in the documents", "s1": "資料を使っていない",
            "s2": "tone or wording", "s3": "it barks",
        }  # fmt: skip
        store.add_verdicts(
            "aaaa1111",
            [Verdict(f"{s}/calm/1", 1, Word.NG, "kei", error_type=e) for s, e in given.items()],
        )
        found = compare_runs(store, "aaaa1111", "bbbb2222")  # the same answers: each once
    assert found.faults is not None
    expected = {(f, "unsupported"): 1 for f in ("unsupported", "unused", "style", "")}
    assert expected == found.faults.counts
    assert (3, 2) == (found.faults.n, found.faults.agreed)
    as_its_schema_says("compare", compare_json(compared(found)))
    told = as_json(compare_json(compared(found)).faults)
    assert {"people": None, "blamed": "unsupported", "n": 1} in told["table"]
    lines = list(faults(found.faults, Words("en", "compare"), 80))
    assert "Of 3 answers, reviewers and mogi gave the same cause for 2." == str(lines[-1])
