"""`mogi rejudge`: stored talks judged again, with another judge, rubric or metric."""

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

from simulator import __version__
from simulator.results.verdict import CHECKS
from tests.e2e.conftest import JUDGEMENT, Mogi
from tests.loopback.replies import Status
from tests.loopback.server import ChatServer


def test_other_metrics_make_a_run_of_their_own(mogi: Mogi) -> None:
    first = mogi("run", "demo", "--limit", "4", "--json").json
    done = mogi("rejudge", "latest", "--metric", "elements_lexical", "--json")
    found = done.json
    assert 0 == done.status, done.err
    assert ("rejudge", first["run"], 4, first["turns"]) == (
        found["kind"],
        found["of"],
        found["conversations"],
        found["turns"],
    )
    assert "elements_lexical" == found["score_by"]
    assert {*CHECKS} == found["metrics"].keys()  # on which the results rest
    assert first["metrics"]["elements_lexical"]["mean"] == found["score"]
    head, *listed = mogi("runs").out.splitlines()
    assert ["再採点", "会話"] == [line.split()[1] for line in listed]
    assert "開始（Asia/Tokyo）" in head
    began = mogi("show", first["run"]).out.splitlines()[0].split("  ")[2]
    assert began.removesuffix(" (Asia/Tokyo)") in listed[1]
    assert first == mogi("run", "--resume", first["run"], "--json").json | {
        key: first[key] for key in ("finished", "wall_s")
    }


def test_it_says_of_which_run_the_talks_are(mogi: Mogi) -> None:
    run = mogi("run", "demo-en", "--limit", "2", "--json").json["run"]
    shown = mogi("rejudge", run, "--metric", "refusal").out
    assert f"run {run} rescored" in shown
    assert "2 conversations" in shown


def test_another_judge_is_asked_and_nobody_else(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    first = mogi("run", "acme", "--json").json
    before = model.count
    model.answer = lambda _: {**JUDGEMENT, "overall": 2}
    done = mogi("rejudge", first["run"], "--judge-model", "other", "--json")
    assert (0.8, 0.4) == (first["score"], done.json["score"])
    assert first["turns"] == model.count - before
    assert {
        "user": 0,
        "judge": first["turns"],
        "reader": 0,
        "embedding": 0,
        "target": 0,
    } == done.json["calls"]
    assert {"other"} == {asked.body["model"] for asked in list(model.requests)[before:]}


def test_a_changed_scenario_is_told(mogi: Mogi, acme: Path) -> None:
    run = mogi("run", "acme", "--offline", "--quiet", "--json").json["run"]
    scenarios = acme / "scenarios.yaml"
    text = scenarios.read_text("utf-8")
    scenarios.write_text(
        text.replace("送料はいくらですか}", "送料はいくらですか, expected: {elements: [500円]}}"),
        "utf-8",
    )
    done = mogi("rejudge", run, "--offline", "--json")
    assert [f"実行 {run} のあとで変わったため、今の内容で採点したシナリオ: shipping"] == (
        done.json["notes"]
    )
    assert 1.0 == done.json["metrics"]["elements_lexical"]["mean"]


def test_it_goes_on_where_it_broke_off(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    first = mogi("run", "acme", "--json").json
    left = [5]

    def stops(_: dict[str, Any]) -> Any:
        left[0] -= 1
        refused = Status(401, {"message": "no", "code": "invalid_api_key"})
        return JUDGEMENT if left[0] >= 0 else refused

    model.answer = stops
    broken = mogi("rejudge", "latest", "--judge-model", "other", "--concurrency", "1", "--json")
    run = broken.json["run"]
    assert (3, True) == (broken.status, broken.json["unfinished"] > 0)
    assert f"to resume:  mogi rejudge --resume {run}" in broken.err
    before, left[0] = model.count, 1_000
    whole = mogi("rejudge", "--resume", run, "--json")
    assert (0, 0, first["turns"]) == (
        whole.status,
        whole.json["unfinished"],
        whole.json["metrics"]["overall"]["scored"],
    )
    assert first["turns"] - 5 == model.count - before


def test_the_talks_of_a_resume_are_those_of_its_run(mogi: Mogi) -> None:
    mogi("run", "demo", "--limit", "2", "--quiet")
    run = mogi("rejudge", "latest", "--metric", "refusal", "--json").json["run"]
    done = mogi("rejudge", "latest", "--resume", run)
    assert 2 == done.status
    assert "--resume continues with the conversations of" in done.err


def test_a_dry_run_counts_the_turns_that_there_are(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    turns = mogi("run", "acme", "--json").json["turns"]
    before = model.count
    done = mogi("rejudge", "latest", "--dry-run", "--json")
    (judge,) = done.json["roles"]
    assert {"lowest": turns, "likely": turns, "highest": 2 * turns} == judge["calls"]
    assert before == model.count


def test_scored_answers_can_be_judged_again(mogi: Mogi, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("answer,ground_truth,verdict\na b,a b,OK\nc,d,NG\n", "utf-8")
    first = mogi("score", "a.csv", "--json").json
    done = mogi("rejudge", "latest", "--metric", "refusal", "--json")
    assert ("rejudge", first["run"], {"ok": 1, "ng": 1, "unsure": 0}) == (
        done.json["kind"],
        done.json["of"],
        done.json["verdicts"],
    )


def test_a_client_that_moved_is_named(mogi: Mogi, acme: Path) -> None:
    mogi("run", "acme", "--offline", "--quiet")
    moved = acme.rename(acme.with_name("moved"))
    done = mogi("rejudge", "latest", "--metric", "refusal")
    assert 2 == done.status
    assert "belongs to acme; set its folder with --client" in done.err
    assert 3 == mogi("rejudge", "latest", "--metric", "refusal", "--client", moved.name).status


def test_a_run_has_to_be_named(mogi: Mogi) -> None:
    done = mogi("rejudge")
    assert 2 == done.status
    assert "which run?" in done.err


def test_a_run_from_before_answers_were_folded_folds_once_it_is_judged_again(
    mogi: Mogi, tmp_path: Path
) -> None:
    run = mogi("run", "demo", "--json").json["run"]
    folded = asked(mogi, tmp_path, run)
    with sqlite3.connect(tmp_path / "mogi.db") as store:
        for key, data in store.execute("SELECT episode, data FROM episodes").fetchall():
            episode = json.loads(data)
            for turn in episode["turns"]:
                turn.pop("content", None)
            values = (json.dumps(episode), key)
            store.execute("UPDATE episodes SET data = ? WHERE episode = ?", values)
        older = (f'"mogi":"{__version__}"', '"mogi":"0.0.0"')
        store.execute("UPDATE runs SET header = replace(header, ?, ?)", older)
    assert asked(mogi, tmp_path, run) > folded
    again = mogi("rejudge", run, "--json").json["run"]
    assert folded == asked(mogi, tmp_path, again)


def test_a_copy_is_not_made_silently(mogi: Mogi) -> None:
    run = mogi("run", "demo", "--limit", "2", "--json").json["run"]
    done = mogi("rejudge", run)
    assert (2, "") == (done.status, done.out)
    assert f"this would be a copy of run {run}" in done.err
    assert 0 == mogi("rejudge", run, "--metric", "refusal").status


def asked(mogi: Mogi, folder: Path, run: str) -> int:
    """How many answers people are asked about in the Review worksheet."""
    assert 0 == mogi("report", run, "--report", f"csv={run}.csv").status
    with (folder / f"{run}.csv").open(encoding="utf-8-sig", newline="") as file:
        return len([*csv.DictReader(file)])
