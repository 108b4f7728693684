"""What people said of an answer holds when it comes again: two runs, by the command line."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.verdict import Verdict, Word
from simulator.store.store import Store
from tests.e2e.conftest import Mogi

BOT = "def answer(question, history):\n    return '送料は全国一律700円です。'\n"
CLIENT = """\
language: ja
target: {kind: function, function: "bot:answer"}
knowledge: faq.csv
personas: [calm, angry]
max_turns: 1
gate: {pass_rate: 1.0, sure: false}
"""
SCENARIO = (
    "- {{id: fee, query: 送料はいくらですか, expected: {{answer: {}, documents: [faq-1]}}}}\n"
)
FAQ = "id,title,content\nfaq-1,送料,{}\nfaq-2,返品,{}\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A client whose bot says something else than is expected."""
    folder = tmp_path / "scenarios" / "shop"
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text(BOT, "utf-8")
    (folder / "client.yaml").write_text(CLIENT, "utf-8")
    (folder / "scenarios.yaml").write_text(SCENARIO.format("送料は500円です"), "utf-8")
    (folder / "faq.csv").write_text(FAQ.format("全国500円", "7日以内"), "utf-8")
    return folder


def judged(mogi: Mogi, folder: Path, word: str) -> None:
    """Write a verdict on the first answer of the latest run, and read it."""
    line = json.loads(mogi("export", "latest").out.splitlines()[0])
    line |= {"verdict": word, "reviewer": "田中"}
    (folder / "said.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    assert 0 == mogi("review", "pull", "latest", "--from", "said.jsonl").status


@pytest.mark.slow
def test_a_reviewers_ok_turns_the_gate_of_the_next_run_green_until_something_changes(
    mogi: Mogi, shop: Path, tmp_path: Path
) -> None:
    run = ("run", "shop", "--json", "--audit", "1", "--fail-under", "0")
    before = mogi(*run)
    assert (1, 2) == (before.status, before.json["failed"])
    judged(mogi, tmp_path, "OK")
    green = mogi(*run, "--report", "csv=green.csv")
    assert (0, 2, True) == (green.status, green.json["passed"], green.json["gate"]["passed"])
    lines = mogi("export", "latest").out.splitlines()
    assert ["OK", "OK"] == [json.loads(line)["verdict"] for line in lines]
    (shop / "faq.csv").write_text(FAQ.format("全国500円", "8日以内"), "utf-8")  # of something else
    assert 0 == mogi(*run).status
    (shop / "faq.csv").write_text(FAQ.format("全国700円", "8日以内"), "utf-8")
    assert 1 == mogi(*run).status  # what is expected stands in a document that changed
    judged(mogi, tmp_path, "OK")
    assert 0 == mogi(*run).status
    (shop / "scenarios.yaml").write_text(SCENARIO.format("送料は600円です"), "utf-8")
    assert 1 == mogi(*run).status
    (shop / "scenarios.yaml").write_text(SCENARIO.format("送料は500円です"), "utf-8")
    assert 0 == mogi(*run).status


def test_a_known_verdict_is_no_question_in_the_next_sheet(
    mogi: Mogi, shop: Path, tmp_path: Path
) -> None:
    mogi("run", "shop", "--quiet")
    first = mogi("export", "latest").out.splitlines()
    judged(mogi, tmp_path, "NG")
    mogi("run", "shop", "--quiet", "--report", "csv=b.csv")
    with (tmp_path / "b.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [("NG", "田中")] == [(row["判定"], row["判定者"]) for row in rows]  # for both users
    pulled = mogi("review", "pull", "latest", "--from", "b.csv", "--json").json
    assert (0, 0, 1) == (pulled["new"], pulled["changed"], pulled["known"])
    assert "新しい判定はありません" in mogi("review", "pull", "latest", "--from", "b.csv").out
    assert 2 == len(first)


def test_people_change_their_names_and_their_minds(mogi: Mogi, shop: Path, tmp_path: Path) -> None:
    run = ("run", "shop", "--json", "--audit", "1", "--fail-under", "0")
    mogi(*run)
    judged(mogi, tmp_path, "OK")
    assert 2 == mogi("review", "rename", "田仲", "田中").status
    renamed = mogi("review", "rename", "田中", "田仲", "--json").json
    assert {"old": "田中", "new": "田仲", "verdicts": 1} == renamed
    judged(mogi, tmp_path, "OK")  # still under the old name: nothing new
    assert {"田仲": 1} == mogi("review", "status", "latest", "--json").json["reviewers"]
    assert 0 == mogi(*run).status
    status = mogi("review", "status", "latest", "--json").json
    assert (1, 0, 0, 1) == tuple(status[name] for name in ("shown", "open", "judged", "known"))
    assert 2 == mogi("review", "withdraw", "latest", "--reviewer", "田仲").status
    said = mogi("review", "withdraw", "previous", "--reviewer", "田仲")
    assert (0, "取り下げました" in said.out) == (said.status, True)
    assert 1 == mogi("review", "status", "latest", "--json").json["open"]
    assert 1 == mogi(*run).status


def test_what_a_person_did_not_look_at_is_not_counted_where_the_name_changes(
    mogi: Mogi, shop: Path, tmp_path: Path
) -> None:
    run = mogi("run", "shop", "--json", "--fail-under", "0").json["run"]
    on_claim = Verdict("fee/calm/1", 1, Word.OK, "田中", "view", "2026-11-20", claim="says-1")
    folded = Verdict("fee/angry/1", 1, Word.OK, "佐藤", "view", "2026-11-20")
    with Store.create(f"sqlite:///{tmp_path}/mogi.db") as store:
        folded_ = replace(folded, episode="fee/calm/1", folded_from="fee/angry/1|1")
        store.add_verdicts(run, [on_claim, folded, folded_])
    assert 1 == mogi("review", "rename", "田中", "田仲", "--json").json["verdicts"]
    assert 1 == mogi("review", "rename", "佐藤", "斎藤", "--json").json["verdicts"]
