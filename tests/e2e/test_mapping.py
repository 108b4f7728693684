"""Logs of a form of their own: `--map`, and `import:` in client.yaml, say where the columns are."""

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.small_client import small_client

ASKED, SAID = "Do you ship to Peru?", "Yes, for 9 euros."
IMPORT = "import: {question: in.q, answer: out.text, ground_truth: right}\n"
RECORD = json.dumps({"in": {"q": ASKED}, "out": {"text": SAID}, "right": SAID}) + "\n"
TABLE = f'question,answer,ground_truth\n{ASKED},"{SAID}","{SAID}"\n'
LOGS = pytest.mark.parametrize(("log", "text"), [("log.jsonl", RECORD), ("log.csv", TABLE)])


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = small_client(tmp_path, "{kind: demo}")
    client = folder / "client.yaml"
    client.write_text(client.read_text("utf-8") + IMPORT, "utf-8")
    return folder


@LOGS
@pytest.mark.usefixtures("shop")
def test_every_command_goes_by_what_the_client_says_of_json_and_by_the_names_in_a_table(
    mogi: Mogi, tmp_path: Path, log: str, text: str
) -> None:
    (tmp_path / log).write_text(text, "utf-8")
    scored = mogi("score", log, "--client", "shop", "--json")
    assert (0, 1) == (scored.status, scored.json["passed"]), scored.err
    covered = mogi("coverage", "shop", "--log", log, "--json")
    assert 1 == covered.json["log"]["asked"], covered.err
    made = mogi("generate", "shop", "--from-log", log, "--json")
    assert (0, 1) == (made.status, made.json["new"]), made.err
    talks = mogi("import-dialogs", log, "--client", "shop", "--json")
    assert (0, 1) == (talks.status, talks.json["scenarios"]), talks.err


def test_columns_of_a_table_are_mapped_as_well(mogi: Mogi, tmp_path: Path) -> None:
    head, row = "id,Kunde,Bot output,gold", "a,How much?,It is 3 pounds.,3 pounds"
    (tmp_path / "log.csv").write_text(f"{head}\n{row}\n", "utf-8")
    maps = ("question=Kunde", 'answer="Bot output"', "ground_truth=gold")
    named = [word for each in maps for word in ("--map", each)]
    done = mogi("score", "log.csv", *named, "--json")
    assert (0, 1) == (done.status, done.json["conversations"]), done.err
    assert "3 pounds" in mogi("show", "latest", "row-1").out
    missing = mogi("score", "log.csv", "--map", "question=Kunde", "--map", "answer=nothing")
    assert 2 == missing.status
    assert 'answer: "nothing" matches nothing' in missing.err


@pytest.mark.parametrize(
    ("question", "answer", "says"),
    [
        (
            "in.x",
            "out.text",
            'question: "in.x" matches nothing: `in` has no `x`; it has: q',
        ),
        (
            "in.q",
            "out.x",
            'answer: "out.x" matches nothing: `out` has no `x`; it has: text',
        ),
    ],
)
def test_a_path_that_leads_nowhere_in_any_record_is_said(
    mogi: Mogi, tmp_path: Path, question: str, answer: str, says: str
) -> None:
    (tmp_path / "log.jsonl").write_text(2 * RECORD, "utf-8")
    paths = (f"question={question}", f"answer={answer}", "ground_truth=right")
    done = mogi("score", "log.jsonl", *(word for path in paths for word in ("--map", path)))
    assert 2 == done.status
    assert f"log.jsonl: {says}" in done.err


def test_what_is_left_out_is_said_beside_json_too(mogi: Mogi, tmp_path: Path) -> None:
    known = json.dumps({"user_input": ASKED, "response": SAID, "reference": SAID})
    (tmp_path / "log.jsonl").write_text(f"{known}\n{RECORD}", "utf-8")
    done = mogi("score", "log.jsonl", "--json")
    assert 1 == done.json["conversations"]
    assert "log.jsonl: 1 record of an unknown kind skipped" in done.err


@pytest.mark.usefixtures("shop")
def test_talks_in_the_usual_form_need_no_mapping(mogi: Mogi, tmp_path: Path) -> None:
    talk = {"utterances": [{"speaker": "user", "text": ASKED}, {"speaker": "bot", "text": SAID}]}
    (tmp_path / "talks.jsonl").write_text(json.dumps(talk), "utf-8")
    assert 1 == mogi("coverage", "shop", "--log", "talks.jsonl", "--json").json["log"]["asked"]
    made = mogi("import-dialogs", "talks.jsonl", "--client", "shop", "--json")
    assert (0, 1) == (made.status, made.json["scenarios"]), made.err
