"""The JSON contracts of `mogi run --json` and `mogi export`."""

import json
from dataclasses import replace
from typing import Any

import pytest

from simulator.console.output import as_json
from simulator.core.claim import Reader, Reading, State
from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.plan import Gate
from simulator.core.run import Episode, Ledger, RunHeader
from simulator.core.talk import Document, Exchange, Reply, StopReason
from simulator.view.run_json import run_json, turn_json
from tests.execution.scored import GAP, LEXICAL, OVERALL, episode, failed, header, rated, run, turn
from tests.results.made import (
    ELEMENT,
    MET,
    MODEL,
    UNKNOWN,
    UNMET,
    VIOLATED,
    WORDS,
    answer,
    claim_of,
    readings,
)
from tests.results.made import talk as talk_of


def figures(head: RunHeader, *episodes: Episode, **more: Any) -> dict[str, Any]:
    """Through JSON and back: nothing in it may be more than JSON."""
    found = as_json(run_json(run(head, *episodes, **more)))
    loaded: dict[str, Any] = json.loads(json.dumps(found, allow_nan=False))
    assert found == loaded
    return loaded


def read(state: State, reader: Reader = WORDS) -> tuple[Reading, ...]:
    """Readings of what ELEMENT claims."""
    return readings(ELEMENT, state, reader=reader)


RUN_KEYS = {
    *("run", "client", "started", "finished", "offline", "score_by", "conversations", "turns"),
    *("score", "score_low", "score_high", "score_worst", "score_best", "scored", "unscored"),
    *("not_applicable", "flagged", "blames", "metrics", "stops", "failures", "unfinished", "calls"),
    *("tokens", "cost_usd", "gate", "wall_s", "decided", "undecided_answers", "bugs"),
}


def test_every_key_of_the_contract_is_there_even_if_nothing_ran() -> None:
    found = figures(header())
    assert set() == RUN_KEYS - set(found)
    assert (None, None, 0, {}, {"under": None, "passed": None}) == (
        found["score"],
        found["score_worst"],
        found["scored"],
        found["unscored"],
        found["gate"],
    )
    assert dict.fromkeys(("user", "judge", "reader", "embedding", "target"), 0) == found["calls"]
    assert {"input": 0, "output": 0, "cached": 0} == found["tokens"]


def test_the_figures_of_a_run() -> None:
    ledger = Ledger({"judge": 3, "target": 4, "probe": 1}, 100, 20, 10, None)
    found = figures(
        header(gate=Gate(0.7)),
        episode(turn(rated(4)), turn(GAP)),
        episode(
            turn(rated(1), blames=("unused",)),
            failed(),
            persona="angry",
            stop=StopReason.TARGET_FAILED,
        ),
        ledger=ledger,
        unfinished=1,
    )
    expected = {
        "run": "3f9ab2c1",
        "client": "acme",
        "conversations": 2,
        "turns": 4,
        "score": 0.5,
        "score_low": None,
        "scored": 2,
        "unscored": {"judge_unparsable": 1, "target_failed": 1},
        "not_applicable": 0,
        "flagged": 2,
        "blames": {"unused": 1},
        "stops": {"max_turns": 1, "target_failed": 1},
        "failures": {"target": 1, "user": 0, "judge": 1, "infrastructure": 1},
        "unfinished": 1,
        "calls": {"user": 0, "judge": 3, "reader": 0, "embedding": 0, "target": 4, "probe": 1},
        "tokens": {"input": 100, "output": 20, "cached": 10},
        "cost_usd": None,
        "gate": {"under": 0.7, "passed": False},
        "expectations": {"confirmed": 0, "bulk": 0, "open": 0},
        "wall_s": 113.0,
    }
    assert expected == {key: found[key] for key in expected}
    assert pytest.approx((0.35, 0.55)) == (found["score_worst"], found["score_best"])


def test_the_figures_of_a_metric() -> None:
    found = figures(header(), *(episode(turn(rated(3)), scenario=f"s{i}") for i in range(5)))
    expected = {
        "mean": 0.6,
        "low": pytest.approx(0.288, abs=1e-3),  # five scenarios alike are five answers
        "high": pytest.approx(0.912, abs=1e-3),
        "worst": 0.6,
        "best": 0.6,
        "raw_mean": 3.0,
        "scored": 5,
        "unscored": {},
        "unscored_why": "",
        "not_applicable": 0,
        "threshold": 0.7,
        "flagged": 5,
    }
    assert {"overall": expected} == found["metrics"]


def test_an_exported_turn_has_exactly_these_keys() -> None:
    documents = (Document("本文", "faq-1", "題"), Document("ohne"))
    first = turn(
        rated(2, "thin"),
        exchange=Exchange(1, "q", Reply("a", documents, 12.0), user_ms=3.0),
        blames=("unused",),
        soundness=("echo",),
        judge_ms=7.0,
    )
    first = replace(first, outcomes={**first.outcomes, "lexical": GAP})
    talk = episode(first, turn(rated(5)), repeat=2)
    expected = {
        "run": "3f9ab2c1",
        "client": "acme",
        "episode": "parcel/calm/2",
        "scenario": "parcel",
        "persona": "calm",
        "repeat": 2,
        "turn": 1,
        "goal": "",
        "tags": [],
        "expected": None,
        "user": "q",
        "assistant": "a",
        "failure": None,
        "documents": [{"id": "faq-1", "text": "本文"}, {"id": None, "text": "ohne"}],
        "scores": {"overall": {"value": 0.4, "raw": 2, "comment": "thin"}},
        "unscored": {"lexical": "judge_unparsable"},
        "unscored_why": {"lexical": "no JSON"},
        "flagged": True,
        "blame": "unused",
        "blames": ["unused"],
        "claims": None,
        "soundness": ["echo"],
        "verdict": None,
        "latency_ms": {"user": 3.0, "target": 12.0, "judge": 7.0},
        "stop": None,
        "talk": None,
        "result": None,
        "why": None,
        "rerun_for": None,
    }
    assert expected == json.loads(json.dumps(as_json(turn_json(header(), talk, talk.turns[0]))))


def test_the_stop_stands_on_the_last_turn() -> None:
    talk = episode(turn(rated(5)), turn(rated(5)), stop=StopReason.DONE)
    assert [None, "done"] == [as_json(turn_json(header(), talk, t))["stop"] for t in talk.turns]


def test_so_does_what_is_said_of_the_whole_talk() -> None:
    whole: dict[str, Outcome] = {
        "satisfaction": Score(0.4, 2.0, "slow"),
        "goal_reached": Unscored(Gap.JUDGE_REFUSED),
    }
    talk = replace(episode(turn(rated(5)), turn(rated(5))), outcomes=whole)
    told = {
        "scores": {"satisfaction": {"value": 0.4, "raw": 2.0, "comment": "slow"}},
        "unscored": {"goal_reached": "judge_refused"},
        "unscored_why": {},
    }
    assert [None, told] == [as_json(turn_json(header(), talk, t))["talk"] for t in talk.turns]


def test_the_numbers_that_explain_a_score_are_exported() -> None:
    score = Score(0.5, 0.5, "c", {"coverage": 0.25})
    talk = episode(turn(score, metric="elements"))
    told = as_json(turn_json(header(), talk, talk.turns[0]))["scores"]["elements"]
    assert {"value": 0.5, "raw": 0.5, "comment": "c", "parts": {"coverage": 0.25}} == told


def test_of_every_claim_each_reading_is_exported_and_which_counts() -> None:
    by_words = [replace(r, quote="25 minutes", against="30 minutes") for r in read(VIOLATED)]
    said = (*by_words, *read(MET, reader=MODEL))
    head, talk = header(), talk_of(ELEMENT, answer(*said))
    found = as_json(turn_json(head, talk, talk.turns[0]))["claims"]
    assert {
        "id": claim_of(ELEMENT).id,
        "text": "30 minutes",
        "state": "violated",
        "reader": "words",
        "quote": "25 minutes",
        "against": "30 minutes",
        "counts": False,
    } == found[0]
    assert [("words", False), ("words", False), ("model", True), ("model", True)] == [
        (line["reader"], line["counts"]) for line in found
    ]
    assert ["30 minutes", "", "30 minutes", ""] == [line["text"] for line in found]
    nothing = talk_of(ELEMENT, answer(readings=None))
    assert None is as_json(turn_json(head, nothing, nothing.turns[0]))["claims"]


def test_what_decided_a_conversation_stands_with_its_last_turn() -> None:
    talk = talk_of(ELEMENT, answer(*read(UNMET)), answer(*read(VIOLATED)))
    (found,) = run(header(), talk).episodes()
    first, last = (as_json(turn_json(header(), found, each)) for each in found.turns)
    assert (None, None) == (first["result"], first["why"])
    assert {
        "line": "contradicts",
        "turn": 2,
        "claim": claim_of(ELEMENT).id,
        "metric": "",
        "about": ["30 minutes"],
    } == last["why"]


def test_who_decided_and_what_is_left_is_counted() -> None:
    scored = {"overall": rated(5)}
    talks = [
        talk_of(ELEMENT, answer(*read(VIOLATED))),  # words
        talk_of(ELEMENT, answer(*read(MET))),
        talk_of(ELEMENT, answer(*read(MET), outcomes=scored)),  # a model's rating is needed
        talk_of(ELEMENT, answer(*read(UNKNOWN), *read(MET, reader=MODEL))),
        talk_of(ELEMENT, answer(*read(UNKNOWN), *read(UNKNOWN, reader=MODEL))),
        talk_of(ELEMENT, answer(*read(UNKNOWN))),  # the same answer
        talk_of(ELEMENT, answer(*read(MET), outcomes={"overall": Unscored(Gap.METRIC_ERROR)})),
    ]
    cells = [replace(e, cell=replace(e.cell, repeat=n)) for n, e in enumerate(talks, 1)]
    found = figures(header(), *cells)
    assert {"person": 0, "model": 2, "words": 2} == found["decided"]
    assert (3, 1, 1) == (found["undecided"], found["undecided_answers"], found["bugs"])


def test_a_failed_target_says_how() -> None:
    talk = episode(failed(), stop=StopReason.TARGET_FAILED)
    found = as_json(turn_json(header(), talk, talk.turns[0]))
    assert ("", "timeout: no answer within 60 s", {}, {"overall": "target_failed"}, True) == (
        found["assistant"],
        found["failure"],
        found["scores"],
        found["unscored"],
        found["flagged"],
    )


def test_a_run_of_several_metrics_lists_them_all() -> None:
    head = header(metrics=(OVERALL, LEXICAL), score_by="lexical")
    both = turn(rated(5), outcomes={"overall": rated(5), "lexical": Score(0.5, 0.5)})
    found = figures(head, episode(both))
    assert (["overall", "lexical"], 0.5) == (list(found["metrics"]), found["score"])


def test_the_versions_that_cut_japanese_are_told_where_figures_depend_on_them() -> None:
    cut = {"sudachi.sudachipy": "0.7.0", "sudachi.sudachidict": "20261015", "client.repeat": 1}
    head = header(snapshot=cut)
    assert {
        "mogi": head.version,
        "sudachipy": "0.7.0",
        "sudachidict": "20261015",
    } == figures(head)["versions"]
    assert {"mogi": head.version} == figures(header(snapshot={}))["versions"]
