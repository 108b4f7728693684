"""A suspect is tested by asking again: what confirms it, drops it, or says nothing."""

from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.errors import TargetFault
from simulator.core.run import Episode, Run
from simulator.core.talk import TargetFailure
from simulator.execution.request import RunRequest
from simulator.files.client.folder import LoadedClient, load_client
from simulator.improve.diagnosis import Cause, Suspect
from simulator.improve.interventions import Standing, Way, questions_of, tried
from tests.improve.test_diagnosis import REFUSAL, RIGHT, played, talk

NAMES = tuple(f"s{n}" for n in range(1, 13))


def shop(tmp_path: Path, target: str = "{kind: demo}") -> LoadedClient:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "faq.csv").write_text("id,title,content\nq1,Delivery,It costs 5 euros.\n", "utf-8")
    (folder / "client.yaml").write_text(
        f"language: en\ntarget: {target}\nknowledge: faq.csv\n", "utf-8"
    )
    lines = (f"- {{id: {name}, query: What of it?, turns: [And you?]}}\n" for name in NAMES)
    (folder / "scenarios.yaml").write_text("".join(lines), "utf-8")
    return load_client(str(folder), cwd=tmp_path)


def suspect(cause: Cause) -> Suspect:
    return Suspect(cause, ("x",), ("s1/typos/1",), NAMES, "What?", REFUSAL)


class Plays:
    """Answers every request with these conversations, and keeps what was asked."""

    def __init__(self, *episodes: Episode) -> None:
        self._run = played(episodes)
        self.request: RunRequest | None = None

    def __call__(self, request: RunRequest) -> Run:
        self.request = request
        return self._run


def test_a_style_is_the_cause_if_plain_words_are_answered(tmp_path: Path) -> None:
    plays = Plays(*(talk(n) for n in range(1, 8)), talk(8, answer=REFUSAL))
    loaded = shop(tmp_path)
    tested = tried(played([]), loaded, suspect(Cause.PERSONA), "sqlite:///x.db", plays)
    assert (Standing.CONFIRMED, 7, 8) == (tested.standing, tested.agrees, tested.decided)
    assert plays.request is not None
    asked = plays.request.loaded
    assert ("scripted", 1) == (asked.client.user.kind, asked.client.max_turns)
    assert 8 == len(asked.scenarios) == len(questions_of(suspect(Cause.PERSONA), loaded))
    assert all(not scenario.turns for scenario in asked.scenarios.values())
    assert ("calm",) == plays.request.options.personas


def test_plain_words_that_fail_as_well_drop_it(tmp_path: Path) -> None:
    plays = Plays(*(talk(n, answer=REFUSAL) for n in range(1, 9)))
    tested = tried(played([]), shop(tmp_path), suspect(Cause.PERSONA), "sqlite:///x.db", plays)
    assert Standing.DROPPED is tested.standing


def test_a_bot_that_cannot_be_reached_says_nothing(tmp_path: Path) -> None:
    gone = TargetFailure(TargetFault.TIMEOUT, "no answer")
    plays = Plays(*(talk(n, answer=gone) for n in range(1, 9)))
    tested = tried(played([]), shop(tmp_path), suspect(Cause.PERSONA), "sqlite:///x.db", plays)
    assert (Standing.SUSPECTED, 0) == (tested.standing, tested.decided)


@pytest.mark.parametrize(
    ("answer", "standing"),
    [(RIGHT.format(n=1)[:45], Standing.CONFIRMED), (RIGHT.format(n=1), Standing.DROPPED)],
)
def test_a_cut_comes_again(tmp_path: Path, answer: str, standing: Standing) -> None:
    plays = Plays(*(replace(talk(n, answer=answer)) for n in range(1, 9)))
    tested = tried(played([]), shop(tmp_path), suspect(Cause.CUT), "sqlite:///x.db", plays)
    assert (Way.PLAIN, standing) == (tested.way, tested.standing)


def test_a_longer_limit_is_tried_where_the_bot_has_one(tmp_path: Path) -> None:
    plays = Plays(*(talk(n) for n in range(1, 9)))
    loaded = shop(tmp_path, "{kind: demo, top_k: 1}")
    tested = tried(played([]), loaded, suspect(Cause.DEPTH), "sqlite:///x.db", plays)
    assert (Way.LIMIT, Standing.CONFIRMED) == (tested.way, tested.standing)
    assert plays.request is not None
    assert 4 == plays.request.loaded.client.target.settings["top_k"]


def test_what_cannot_be_tried_costs_nothing(tmp_path: Path) -> None:
    plays = Plays()
    tested = tried(played([]), shop(tmp_path), suspect(Cause.RANK), "sqlite:///x.db", plays)
    assert (Way.NONE, None) == (tested.way, plays.request)
