"""The first screen: ten lines, what is doubtful named, nothing wider than the screen."""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from simulator.cli.screens.show import changes_since, print_warnings, show_first, show_map
from simulator.core.claim import State
from simulator.core.persona import Language
from simulator.core.plan import Cell, Gate
from simulator.core.run import Episode, Run
from simulator.core.scenario import Approval, Expected
from simulator.core.talk import Exchange, Reply
from simulator.store.store import Store
from simulator.view.first_screen import Changes
from tests.compare.stored import keep
from tests.compare.test_states import FAILED, OPEN, OTHERWISE, PASSED, talked
from tests.execution.scored import (
    FAILURE,
    GAP,
    NOT_APPLICABLE,
    episode,
    failed,
    header,
    rated,
    run,
    turn,
)
from tests.reports.printed import FINE, WEAK, mixed, wide
from tests.results.made import UNKNOWN, answer, readings, talk

CHANGES = Changes("aaaa1111", 68, ("a/calm", "b/calm"), otherwise_worse=1, newly_passing=3)


def screen(
    capsys: pytest.CaptureFixture[str], made: Run, changes: Changes | None = CHANGES
) -> list[str]:
    show_first(made, changes)
    return capsys.readouterr().out.splitlines()


@pytest.fixture(autouse=True)
def _eighty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_where_nothing_is_wrong_it_has_ten_lines(capsys: pytest.CaptureFixture[str]) -> None:
    causes = ("unused", "retrieval_miss", "wrong_refusal", "lost_thread")
    weak = [episode(turn(rated(1), blames=(cause,)), scenario=f"weak-{cause}") for cause in causes]
    fine = [episode(FINE, scenario=f"fine-{n}") for n in range(9)]
    lines = screen(capsys, run(header(), *weak, *fine), Changes("aaaa1111", 13))
    labels = ["acme", "9 passed, 4 failed", "Results are final", "Pass rate", "Changes", "Fix"]
    assert labels == [line[: len(label)] for line, label in zip(lines, labels, strict=False)]
    assert 10 == len(lines)
    assert all(re.match(r" 1×  .+: “.+”$", line) for line in lines[6:9])
    assert "Next  mogi show 3f9ab2c1 --failed   # or --undecided, --map, --all" == lines[9]


def test_it_fits_eighty_columns(capsys: pytest.CaptureFixture[str]) -> None:
    empty = [run(header(language=language)) for language in ("en", "ja")]
    for made in (mixed("en"), mixed("ja"), wide(15, 100), *empty):
        lines = screen(capsys, made)
        too_wide = [x for x in lines if cell_len(x) > 80 and "mogi" not in x]
        assert [] == too_wide
        assert len(lines) <= 10 + 6


def test_it_says_whether_the_results_are_final(capsys: pytest.CaptureFixture[str]) -> None:
    def left(*episodes: Episode, **fields: Any) -> list[str]:
        lines = screen(capsys, run(header(**fields), *episodes))
        heads = ("Results", "Not final", "結果は", "Decided")
        return [line for line in lines if line.startswith(heads)]

    open_ = Expected(elements=(("soon",),), approved=Approval.OPEN)
    generated = talk(open_, answer(*readings(open_)))
    unread = replace(talk(open_, answer(*readings(open_, UNKNOWN))), cell=Cell("lock", "angry"))
    assert ["Results are final (decided by a model)"] == left(episode(FINE))
    assert ["結果は確定: すべての合否が決まり、未確認の正解もありません（モデルの照合）"] == left(
        episode(FINE), language="ja"
    )
    assert [
        "Not final: 1 distinct answer to judge, 1 expectation to confirm",
        "Decided    1 of 2 by text matching",
    ] == left(generated, unread)
    gap = episode(turn(GAP), scenario="gap")
    assert [
        "Not final: 1 other undecided conversation",
        "Decided    0 of 1 by nobody",
    ] == left(gap)
    silent = episode(turn(NOT_APPLICABLE))
    assert ["結果は確定前: 正解のない会話 1 件"] == left(silent, language="ja")


def test_the_gate_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    lines = screen(capsys, mixed(gate=Gate(0.9)))
    assert lines[1].startswith("Gate failed. ")
    (unfinished,) = (n for n, line in enumerate(lines) if line.startswith("Unfinished"))
    assert lines[unfinished + 1].startswith("Gate  ")


def test_what_changed_is_told_with_the_command_that_shows_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = run(header(), episode(FINE))

    def told(changes: Changes | None) -> str:
        lines = " ".join(" ".join(screen(capsys, made, changes)).split())
        assert ("mogi compare" in lines) is (changes is not None and changes.are_any)
        return lines.partition("Changes ")[2].partition(" Next ")[0]

    assert told(Changes("aaaa1111", 9, unjudged=6)).endswith("6 failed → undecided")
    assert told(CHANGES) == "68 in both runs: 2 new failures (a/calm, b/calm), 1 worse, 3 fixed"
    assert told(Changes("aaaa1111", 9)) == "9 in both runs: no change since aaaa1111"
    assert told(None) == "no earlier run to compare with"


def test_more_than_five_warnings_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    made = mixed(gate=Gate(0.9, pass_rate=0.9, must_pass=("login",)))
    summary = replace(made.summary, bugs=2, bug="overall: KeyError", approvals={Approval.OPEN: 3})
    made = replace(made, summary=summary)
    lines = screen(capsys, made)
    (n,) = (m[1] for x in lines if (m := re.search(r"and (\d) more: mogi show .+ --warn", x)))
    print_warnings(made)
    every = [x for x in capsys.readouterr().out.splitlines() if not x.startswith("  ")]
    assert len(every) == 5 + int(n)
    assert any(x.startswith("Bugs") for x in every)


def test_a_bot_that_fails_without_an_answer_is_shown_by_how_it_failed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = screen(capsys, run(header(), episode(failed())))
    assert any(f"“{FAILURE.message}”" in line for line in lines)


def test_answers_of_a_file_are_listed_lowest_first(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        episode(turn(rated(n), exchange=Exchange(1, "?", Reply(f"No. {n}"))), scenario=f"row-{n}")
        for n in (5, 2, 1)
    ]
    lines = screen(capsys, run(header(kind="score", of="a.csv", options={"file": "a.csv"}), *rows))
    at = lines.index("Lowest first")
    weak = [" 0.20  row-1 · calm  bot: “No. 1”", " 0.40  row-2 · calm  bot: “No. 2”"]
    assert weak == lines[at + 1 : at + 3]
    assert any("-o scored.csv" in line for line in lines)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_to_type_next_stands_below_each_other(
    language: Language, capsys: pytest.CaptureFixture[str]
) -> None:
    made = run(header(kind="score", of="a.csv", language=language), episode(FINE))
    first, second, _ = (x for x in screen(capsys, made) if "   # " in x)
    assert cell_len(first.partition("mogi")[0]) == cell_len(second.partition("mogi")[0])


def test_the_map_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    show_map(wide(3, 40))
    assert 40 == len(re.findall(r"^scenario-\d+ ", capsys.readouterr().out, re.MULTILINE))


def test_weak_turns_are_named_by_what_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert any("“It depends.”" in line for line in screen(capsys, run(header(), episode(WEAK))))


def since(folder: Path, before: Iterable[Episode], after: Iterable[Episode]) -> Changes:
    with Store.create(f"sqlite:///{folder / 'mogi.db'}") as store:
        keep(store, "aaaa1111", before, 1)
        keep(store, "bbbb2222", after, 2)
        changes = changes_since(store, "bbbb2222")
    assert changes is not None
    return changes


def test_reasons_and_answers_that_changed_and_what_was_not_compared_are_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [talked("why", FAILED), talked("text", PASSED), talked("gone", PASSED)]
    after = [
        talked("why", OTHERWISE, "It is 9 euros."),
        talked("text", PASSED, "It is 5 euros, for 30 days."),
        talked("added", FAILED),
        talked("more", PASSED),
    ]
    changes = since(tmp_path, before, after)
    assert (2, 1, 1) == (changes.compared, changes.failed_otherwise, changes.reworded)
    assert (2, 1, 1) == (changes.added, changes.added_failed, changes.missing)
    shown = " ".join(" ".join(screen(capsys, run(header(), *after), changes)).split())
    assert (
        "2 in both runs: no new failures, 1 fails for another reason, 1 answered differently, "
        "2 not in the earlier run (1 fails), 1 only in the earlier run Fix"
    ) in shown


def test_no_change_is_told_only_where_every_result_is_the_same(tmp_path: Path) -> None:
    unchecked = talk(Expected(), answer(), cell=Cell("x", "calm", 1))
    kinds = {"open": OPEN, "passed": PASSED, "failed": FAILED}
    made = {name: talked("x", states) for name, states in kinds.items()} | {"-": unchecked}
    told = set()
    for number, (was, now) in enumerate(product(made, made)):
        folder = tmp_path / str(number)
        folder.mkdir()
        changes = since(folder, [made[was]], [made[now]])
        told |= set() if changes.are_any else {(was, now)}
    assert {(name, name) for name in made} == told


def test_a_repeat_that_came_out_otherwise_is_a_change(tmp_path: Path) -> None:
    before = [talked("x", PASSED, repeat=n) for n in (1, 2, 3)]
    changes = since(tmp_path, before, [*before[:2], talked("x", FAILED, repeat=3)])
    assert (1, ()) == (changes.decided_otherwise, changes.newly_failing)


def test_what_newly_fails_is_named_and_marked_among_the_fixes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def blamed(made: Episode, cause: str) -> Episode:
        return replace(made, turns=tuple(replace(turn, blames=(cause,)) for turn in made.turns))

    old = blamed(talked("old", FAILED), "unused")
    before = [talked("price", PASSED), old]
    after = [blamed(talked("price", FAILED, "It is 9 euros."), "unsupported"), old]
    changes = since(tmp_path, before, after)
    assert ("price/calm",) == changes.newly_failing
    lines = screen(capsys, run(header(), *after), changes)
    assert any("1 new failure (price/calm)" in line for line in lines)
    assert ["price" in line for line in lines if " (new)" in line] == [True]


def test_a_cause_that_failed_before_is_not_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def blamed(made: Episode) -> Episode:
        return replace(made, turns=tuple(replace(turn, blames=("unused",)) for turn in made.turns))

    def held(persona: str, states: tuple[State, ...]) -> Episode:
        made = blamed(talked("price", states))
        return replace(made, cell=replace(made.cell, persona=persona))

    after = [held("calm", FAILED), held("angry", FAILED)]
    changes = since(tmp_path, [held("calm", FAILED), held("angry", PASSED)], after)
    assert ("price/angry",) == changes.newly_failing
    assert not any("(new)" in line for line in screen(capsys, run(header(), *after), changes))


def test_what_a_run_that_goes_on_has_not_played_is_not_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after = [talked("x", PASSED)]
    changes = since(tmp_path, [talked("x", PASSED), talked("later", PASSED)], after)
    made = run(header(), *after)
    made = replace(made, summary=replace(made.summary, unfinished=1))
    assert 1 == changes.missing
    assert not any("left out" in line for line in screen(capsys, made, changes))
