"""What commands print is as the schemas say that `mogi export --schema` prints."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.contracts import CONTRACTS, schema_of
from tests.e2e.conftest import Done, Mogi
from tests.expecting import as_its_schema_says


def test_what_is_printed_is_as_the_schemas_say(mogi: Mogi) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schemas = {name: mogi("export", "--schema", name).json for name in ("run", "turn")}
    checks = {name: jsonschema.Draft202012Validator(schema) for name, schema in schemas.items()}
    first = mogi("run", "demo-en", "--limit", "12", "--json", "--fail-under", "0.1").json
    again = mogi("run", "demo-en", "--limit", "12", "--json", "--fail-on", "newly-failing").json
    assert again["fail_on"]["before"] == first["run"]
    shown = mogi("show", first["run"], "--json").json
    assert first == {**shown, "fail_on": None}
    for figures in (first, again, shown):
        checks["run"].validate(figures)
    lines = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    assert 12 == len([line for line in lines if line["stop"]])
    for line in lines:
        checks["turn"].validate(line)


@pytest.mark.slow
def test_every_schema_is_printed(mogi: Mogi) -> None:
    for name in CONTRACTS:
        assert mogi("export", "--schema", name).json == schema_of(name)


def test_what_lists_something_prints_what_its_schema_says(mogi: Mogi) -> None:
    for limit in ("1", "12"):
        assert mogi("run", "demo-en", "--limit", limit, "--quiet").status == 0
    episode = mogi("show", "latest", "--all", "--json").json["conversations"][0]["episode"]
    calls: dict[str, list[tuple[str, ...]]] = {
        "check": [("check", "demo-en"), ("check", "demo")],
        "runs": [("runs",)],
        "metrics": [("metrics",), ("metrics", "--client", "demo"), ("metrics", "grounded")],
        "targets": [("targets",)],
        "reports": [("reports",)],
        "conversations": [("show", "latest", "--all"), ("show", "latest", "--failed")],
        "conversation": [("show", "latest", episode)],
        "calls": [("show", "latest", "--calls")],
        "judge": [("show", "latest", "--judge")],
        "targets-try": [("targets", "try", "demo-en"), ("targets", "try", "demo-en", "a?", "b?")],
        "dry-run": [
            ("run", "demo-en", "--dry-run"),
            ("run", "demo-en", "--dry-run", "--model", "gpt-4o"),
        ],
    }
    for name, several in calls.items():
        for call in several:
            as_its_schema_says(name, mogi(*call, "--json").json)


def test_what_tells_of_a_search_or_a_log_prints_what_its_schema_says(
    mogi: Mogi, tmp_path: Path
) -> None:
    (tmp_path / "right.csv").write_text("query,id\na,1\nb,2\nc,3\n", "utf-8")
    (tmp_path / "found.csv").write_text("query,id\na,1\nb,3\nd,4\n", "utf-8")
    found = mogi("retrieval", "found.csv", "--expected", "right.csv", "--json").json
    as_its_schema_says("retrieval", found)
    as_its_schema_says("coverage", mogi("coverage", "demo-en", "--json").json)
    assert mogi("run", "demo-en", "--limit", "3", "--quiet").status == 0
    (tmp_path / "log.csv").write_text("question\nWhere is my parcel?\nDo you sell tea?\n", "utf-8")
    found = mogi("coverage", "demo-en", "--log", "log.csv", "--json").json
    assert found["log"]["groups"]
    as_its_schema_says("coverage", found)


@pytest.mark.slow
def test_what_tells_of_verdicts_prints_what_its_schema_says(mogi: Mogi, tmp_path: Path) -> None:
    """Of a run that nobody judged, and of one that two people judged differently."""
    before, run = (mogi("run", "demo-en", "--limit", n, "--json").json["run"] for n in ("18", "30"))
    for said in (None, "OK", "NG"):
        if said:
            for who in ("Ann", "Bob"):
                _judged(mogi, tmp_path / f"{said}{who}.csv", run, who, said)
        told: dict[str, Done] = {
            "review-plan": mogi("review", "plan", run, "--budget", "8", "--json"),
            "review-status": mogi("review", "status", run, "--json"),
            "tune": mogi("tune", "demo-en", "--json"),
            "agreement": mogi("agreement", "demo-en", "--json"),
            "review-apply": mogi("review", "apply", "demo-en", "--json"),
            "compare": mogi("compare", before, run, "--json"),
        }
        for name, done in told.items():
            as_its_schema_says(name, done.json)
    assert told["review-apply"].json["proposals"]
    episode = next(line["episode"] for line in _lines(mogi, run) if line["verdict"] == "NG")
    done = mogi("review", "apply", "demo-en", "--promote", run, episode, "--json")
    as_its_schema_says("review-promote", done.json)


def _judged(mogi: Mogi, file: Path, run: str, who: str, said: str) -> None:
    assert mogi("report", run, "--report", f"csv={file}").status == 0
    with file.open(encoding="utf-8-sig", newline="") as read:
        rows = list(csv.DictReader(read))
    for n, row in enumerate(rows):
        row |= {"reviewer": who, "verdict": said if n % 2 or who == "Ann" else "OK"}
        if row["verdict"] == "NG":
            row |= {"error type": "unsupported", "corrected answer": "It is free."}
    rows[0]["verdict"] += "?!"  # which is read as no word
    with file.open("w", encoding="utf-8-sig", newline="") as written:
        writer = csv.DictWriter(written, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    done = mogi("review", "pull", run, "--from", str(file), "--json")
    as_its_schema_says("review-pull", done.json)


def _lines(mogi: Mogi, run: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in mogi("export", run).out.splitlines()]


def test_a_schema_is_asked_for_by_itself(mogi: Mogi) -> None:
    wrong = {(): "which run?", ("latest", "--schema", "turn"): "write it without latest"}
    for args, message in wrong.items():
        done = mogi("export", *args)
        assert (2, "") == (done.status, done.out)
        assert message in done.err
