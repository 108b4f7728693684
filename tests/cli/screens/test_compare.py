"""The comparison of two runs on the screen and as JSON."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from simulator.cli.screens.compare import compare_json, compare_view
from simulator.console.output import as_json, show
from simulator.core.comparison import Comparison
from simulator.core.plan import Cell, Gate
from simulator.core.run import Episode
from simulator.view.compare_view import compared
from tests.compare.stored import beside, talk, talks
from tests.execution.scored import GAP, episode, failed, header, rated
from tests.expecting import as_its_schema_says

LONG = {
    "ja": "どのような手順で、いつまでに手続きすればよいですか。" * 9,
    "en": "What do I do? " * 40,
}
BEFORE = [5, 4, 5, 4, 5, 4, 5, 4]
AFTER = [3, 2, 4, 2, 3, 3, 4, 2]


def printed(found: Comparison, width: int, capsys: pytest.CaptureFixture[str]) -> str:
    show(compare_view(compared(found), width), Console(width=width, highlight=False, markup=False))
    return capsys.readouterr().out


def everything(folder: Path, language: str) -> Comparison:
    """Flips both ways, gaps, failures, cells of one side, doubts and differences."""
    text = {"user": LONG[language], "assistant": LONG[language]}
    before: list[Episode] = [
        talk(
            f"scenario-{n}-{'x' * 30}",
            rated(5 - n % 2, f"{n} {who} is why. " * 9),
            persona=who,
            **text,
        )
        for n in range(14)
        for who in ("angry", "calm", "beginner")
    ]
    after: list[Episode] = [
        talk(
            e.cell.scenario, rated(1 + n % 5, f"{n} because. " * 20), persona=e.cell.persona, **text
        )
        for n, e in enumerate(before[:-3])
    ]
    before += [*talks(2, 2, 5, 5), talk("gone", GAP), talk("only-a", rated(3))]
    after += [*talks(5, 5), talk("s2", GAP), episode(failed(), scenario="s3"), talk("gone", GAP)]
    snapshots: list[dict[str, Any]] = [
        {
            "client.judge.chat.model": model,
            "client.target.settings.url": model * 40,
            "knowledge": model,
            "scenarios.s0": model,
            "client.guidelines": [model],
        }
        for model in ("a", "b")
    ]
    a, b = ({"language": language, "snapshot": s} for s in snapshots)
    return beside(folder, before, after, a=a, b=dict[str, Any](b, client="acme-next", planned=99))


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("width", [80, 100, 120])
def test_nothing_is_wider_than_the_screen(
    width: int, language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(everything(tmp_path, language), width, capsys)
    lines = [line for line in text.splitlines() if "mogi show" not in line]
    assert [] == [line for line in lines if cell_len(line) > width]
    head = next(n for n, line in enumerate(lines) if line.startswith(("指標", "Metric")))
    assert [] == [line for line in lines[head : head + 2] if "…" in line]


def test_what_newly_fails_stands_before_the_figures_and_those_before_what_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    snapshots = ({"snapshot": {"knowledge": k}} for k in ("a", "b"))
    a, b = snapshots
    text = printed(beside(tmp_path, talks(*BEFORE), talks(*AFTER), a=a, b=b), 80, capsys)
    order = (
        "6 new failures in 8 conv",
        "Score difference (overall): worse",
        "Got worse: 6, most severe first",
        "Results",
        "Metric",
        "What else differs",
        "Next steps",
    )
    places = [text.index(part) for part in order]
    assert sorted(places) == places
    assert "overall went from 0.90 to 0.5" in " ".join(text.split())
    assert "knowledge base  changed" in text
    assert " 1  s0 · calm · turn 1   1.00 → 0.60 (rating 5 → 3)" in text


def test_others_of_the_same_scenario_stand_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = ([t for who in "abc" for t in talks(r, persona=who)] for r in (5, 1))
    text = printed(beside(tmp_path, before, after), 80, capsys)
    assert "also      b 1.00 → 0.20 · c 1.00 → 0.20" in text
    assert "3 new failures in 3 conversations compared (1 scenario); none fixed." in text
    assert "Score difference (overall): unknown\nChanged scenarios: 1. The test needs" in text
    assert "needs at least 6 (alpha 0.05)" in " ".join(text.split())


def test_where_nothing_fell_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = beside(tmp_path, talks(*BEFORE), talks(*BEFORE))
    text = printed(found, 80, capsys)
    assert (
        "no significant difference\nEvery pair with both scores has the same overall score" in text
    )
    assert "8 conversations compared: no new failures; none fixed." in text
    assert "No known differences between the runs" in text


def test_no_difference_says_what_would_have_been_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = beside(tmp_path, talks(5, 4, 5, 4, 5, 4), talks(4, 5, 4, 5, 4, 5))
    least = f"{found.of_score.noticeable:.2f}"
    assert f"can detect differences of {least} or more" in printed(found, 80, capsys)


def test_gaps_and_failures_are_told_with_their_bounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = beside(tmp_path, talks(*[5] * 8), [talk(f"s{n}", GAP) for n in range(8)])
    text = printed(hidden, 80, capsys)
    assert "No pair of conversations has a score on both sides." in text
    assert "Most frequent reason for missing scores after: no JSON" in text
    assert "no score  8: s0/calm/1 (after: judge response unreadable)" in text
    down = [episode(failed(), scenario=f"s{n}") for n in range(8)]
    text = printed(beside(tmp_path, talks(*[5] * 8), down), 80, capsys)
    assert ": worse\nTurns with a bot error have no score" in text
    assert "(no answer)" in text


def test_different_judges_are_warned_of_above_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(everything(tmp_path, "en"), 100, capsys)
    loud = text.index("the judge differs, so its ratings and")
    assert loud < text.index("Got worse: ") < text.index(": unknown")
    assert "unfinished" in text


def test_rows_of_files_are_called_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = (
        {"client": f, "kind": "score", "options": {"file": f}, "thresholds": {}}
        for f in ("v1.csv", "v2.csv")
    )
    before = [talk("row-2", rated(5), persona="-"), talk("row-3", rated(5), persona="-", user="x")]
    after = [talk("row-2", rated(1), persona="-"), talk("row-3", rated(5), persona="-", user="y")]
    text = printed(
        beside(tmp_path, before, after, a=dict[str, Any](a), b=dict[str, Any](b)), 80, capsys
    )
    assert text.startswith("v1.csv → v2.csv\n")
    assert "answers: 2" in text
    assert " 1  row-2   1.00 → 0.20" in text
    assert "1 (row-3); rows without an id" in " ".join(text.split())


def cells(ratings: str, persona: str = "calm") -> list[Episode]:
    """Repeats of one scenario for each digit: 51 passes once of two times."""
    return [
        replace(
            talk(f"s{n}", rated(int(digit), f"{n} {repeat} was {digit}"), persona=persona),
            cell=Cell(f"s{n}", persona, repeat),
        )
        for n, digits in enumerate(ratings.split())
        for repeat, digit in enumerate(digits, 1)
    ]


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("width", [80, 120])
def test_the_head_says_what_chance_what_must_pass_and_what_is_unsteady(
    width: int, language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a: dict[str, Any] = {"language": language}
    b = {**a, "gate": Gate(must_pass=("s1",))}
    before, after = cells("555 454 555 111 555 545"), cells("515 111 121 545 455 554")
    text = printed(beside(tmp_path, before, after, a=a, b=b), width, capsys)
    assert [] == [line for line in text.splitlines() if cell_len(line) > width]
    head = " ".join(
        text.split("Got worse: " if language == "en" else "悪くなった会話: ")[0].split()
    )
    if language == "en":
        assert "2 new failures in 6 conversations compared (2 scenarios); 1 fixed, in 1" in head
        assert " 1 s1 · calm · 1 passed → failed must pass" in head
        assert (
            "About 0.1 new failures would be due to chance (0 to 1), based on the repeats." in head
        )
        assert "There are more than that." in head
        assert "Must-pass, new failures: 1 (s1/calm)" in head
        assert "Flaky, not counted (passed of all): 1 (s0/calm (3/3 → 2/3))" in head
    else:
        assert (
            "会話 6 件の合否を比べました。新たに不合格になった会話は 2 件（シナリオ 2 件）、"
            in head
        )
        assert "必ず合格すべき会話のうち、新たに不合格になった会話: 1 件（s1/calm）" in head


def test_nothing_is_said_of_chance_where_it_was_not_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = {"snapshot": {**header().snapshot, "client.target.version": "2"}}
    text = printed(beside(tmp_path, talks(*BEFORE), talks(*AFTER), b=other), 80, capsys)
    assert "Some failures may be random" in text
    assert "more than chance" not in text
    (tmp_path / "mogi.db").unlink()
    text = printed(beside(tmp_path, talks(*BEFORE), talks(*AFTER)), 80, capsys)
    assert "As far as mogi can tell, the bot hasn't changed" in text
    assert "more than chance" not in text


def test_what_has_no_result_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare: dict[str, Any] = {"thresholds": {}}
    text = printed(beside(tmp_path, talks(5, 4), talks(5, 3), a=bare, b=bare), 80, capsys)
    assert "No conversations have a result in both runs" in text
    assert "Lower overall score: 1" in text


def test_the_json_tells_cells_chance_and_people(tmp_path: Path) -> None:
    before, after = cells("55 45 55 55"), cells("51 11 12 45")
    found = as_json(compare_json(compared(beside(tmp_path, before, after))))
    assert ["s1/calm", "s2/calm"] == [c["cell"] for c in found["newly_failing"]]
    assert "scored_low" == found["newly_failing"][0]["why"]
    assert {"passed": 0, "failed": 2, "undecided": 0} == found["newly_failing"][0]["after"]
    assert ["s0/calm"] == [c["cell"] for c in found["unsteady"]]
    assert ([], {"newly_failing": 2, "newly_passing": 0}, None, None) == (
        found["newly_passing"],
        found["scenarios"],
        found["regressed"],
        found["people"],
    )
    assert "repeats" == found["expected_by_chance"]["measured_by"]
    assert {"mean", "low", "high"} == set(found["expected_by_chance"]["newly_failing"])


def test_the_json_has_numbers_or_null_and_the_keys_of_its_schema(tmp_path: Path) -> None:
    found = json.loads(
        json.dumps(as_json(compare_json(compared(everything(tmp_path, "ja")))), allow_nan=False)
    )
    as_its_schema_says("compare", found)
    assert ("undecided", "yardstick", "overall") == (
        found["change"],
        found["undecided"],
        found["score_by"],
    )
    assert found["fell"]["n"] == len(found["fell"]["conversations"])
    assert {"judge", "guidelines", "client", "scenarios"} == {d["doubt"] for d in found["doubts"]}
    assert ["only-a/calm/1"] == [k for k in found["not_compared"]["only_before"] if "only" in k]


def test_one_conversation_is_told_in_the_singular(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(beside(tmp_path, cells("5"), cells("5")), 80, capsys)
    assert "1 conversation compared: no new failures; none fixed." in text


def test_what_only_one_run_has_is_told_at_the_beginning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(beside(tmp_path, cells("5 5"), cells("5 5 5 5")), 80, capsys)
    assert "Not compared: 0 only in the old run, 2 only in the new one." in text
