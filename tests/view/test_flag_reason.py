"""Why a turn is flagged: how a bot failed, what it says, or how its conversation came out."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.claim import State
from simulator.core.errors import TargetFault
from simulator.core.run import Run
from simulator.core.talk import TargetFailure
from simulator.core.verdict import Verdict, Word
from simulator.reports.csv import Csv
from simulator.view.results import finding
from simulator.view.worst import failure_text, turn_reason
from tests.execution.scored import header, rated, run
from tests.reports.test_html import data_of, written
from tests.results.made import ELEMENT, answer, readings, talk

SAID = "it answered POST / with 500 Internal Server Error"


def test_what_the_bot_said_itself_stays_as_it_is() -> None:
    failure = TargetFailure(TargetFault.RAISED, SAID)
    assert (f"raised: {SAID}", f"エラー: {SAID}") == (
        failure_text(failure, "en"),
        failure_text(failure, "ja"),
    )


@pytest.mark.parametrize("fault", TargetFault)
def test_every_failure_has_a_name_in_japanese(fault: TargetFault) -> None:
    assert not failure_text(TargetFailure(fault, ""), "ja").isascii()
    assert fault.value == failure_text(TargetFailure(fault, ""), "en")


def of_claim(state: State, verdicts: tuple[Verdict, ...] = ()) -> Run:
    """A run whose judge says nothing of an answer that is flagged for what it says, or does not."""
    turns = [
        answer(*readings(ELEMENT, state), number=n, outcomes={"overall": rated(5)}, flagged=True)
        for n in (1, 2)
    ]
    judged = header()
    episode = talk(ELEMENT, *turns)
    shown = replace(episode, finding=finding(judged, doubted=False)(episode, verdicts))
    made = run(judged, episode)
    return replace(made, episodes=lambda: iter([shown]), reviewed=lambda: iter([(shown, verdicts)]))


@pytest.mark.parametrize("state", [State.UNMET, State.VIOLATED])
def test_a_turn_that_is_flagged_for_what_it_says_tells_why(state: State, tmp_path: Path) -> None:
    made = of_claim(state)
    shown = [turn for episode in made.episodes() for turn in episode.turns if turn.flagged]
    page = data_of(written(made, tmp_path))
    on_page = [turn for talk in page["talks"] for turn in talk["turns"] if turn.get("flagged")]
    assert len(shown) == len(on_page) == 2
    assert all("30 minutes" in turn["comment"] for turn in on_page)


def test_the_reason_that_another_turn_shows_is_told_with_its_number() -> None:
    made = of_claim(State.UNMET, (Verdict("lock/calm/1", 1, Word.NG, "Mori"),))
    [episode] = made.episodes()
    first, second = (turn_reason(made.header, turn, episode.finding) for turn in episode.turns)
    assert first
    assert second == f"turn 1: {first}"


def test_a_sheet_says_why_a_row_is_flagged_that_no_metric_flags(tmp_path: Path) -> None:
    path = tmp_path / "mogi.csv"
    Csv().write(of_claim(State.UNMET), str(path))
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [row["turn"] for row in rows if "30 minutes" in row["reason"]] == ["1", "2"]
