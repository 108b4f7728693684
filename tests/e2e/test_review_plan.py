"""The hours that people have: a plan, its worksheet, what they said, and what comes of it."""

import csv
import json
from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.expecting import as_its_schema_says

BOT = """\
def answer(question, history):
    number = question.split()[-1].strip("?.")
    return f"Room {number} costs 50 pounds." if int(number) % 5 else "Rooms are nice."
"""
CLIENT = """\
language: en
target: {kind: function, function: "bot:answer"}
knowledge: faq.csv
personas: [calm, angry]
max_turns: 1
gate: {pass_rate: 1.0}
"""
N = 80


@pytest.fixture
def hotel(tmp_path: Path) -> Path:
    """A client of 80 scenarios, whose bot misses one in five; two users get equal answers."""
    folder = tmp_path / "scenarios" / "hotel"
    folder.mkdir(parents=True)
    (folder / "bot.py").write_text(BOT, "utf-8")
    (folder / "client.yaml").write_text(CLIENT, "utf-8")
    entries = [
        f"- {{id: r{n}, query: What is the price of room {n}?, "
        f"expected: {{elements: [50 pounds]}}}}\n"
        for n in range(N)
    ]
    (folder / "scenarios.yaml").write_text("".join(entries), "utf-8")
    (folder / "faq.csv").write_text("id,title,content\nf,Rooms,Each costs 50 pounds\n", "utf-8")
    return folder


def filled_in(path: Path, *, corrected: str = "") -> None:
    """Judge all rows: OK what names the price or is nice, with a comment; the rest is NG."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    names = list(rows[0])
    for row in rows:
        row |= {"verdict": "OK", "reviewer": "Sato"}
    if corrected:
        rows[0] |= {"verdict": "NG", "corrected answer": corrected}
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.slow
def test_a_plan_is_judged_and_the_next_run_asks_for_nothing_that_is_known(
    mogi: Mogi, hotel: Path, tmp_path: Path
) -> None:
    assert 1 == mogi("run", "hotel", "--quiet").status
    plan = mogi("review", "plan", "latest", "--budget", "50", "--json").json
    assert (80, 0, 50) == (plan["new"], plan["known"], len(plan["rows"]))
    assert 50 == sum(plan["kinds"].values())
    assert all(0 < row["probability"] <= 1 == row["alike"] for row in plan["rows"])
    assert 0 < plan["seconds"] < plan["seconds_all"] / 2
    assert plan["more"]["corrected"] < plan["buys"]["corrected"]
    mogi("report", "latest", "--report", "csv=a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        keys = [row["key"].partition("|")[2] for row in csv.DictReader(file)]
    assert [f"{row['episode']}|{row['turn']}" for row in plan["rows"]] == keys
    filled_in(tmp_path / "a.csv")
    assert 50 == mogi("review", "pull", "latest", "--from", "a.csv", "--json").json["new"]
    status = mogi("review", "status", "latest", "--json").json
    assert (0, 50, 0) == (status["open"], status["judged"], status["known"])
    assert {"Sato": 50} == status["progress"] == status["reviewers"]
    assert status["plan"]["corrected"]["low"] is not None
    assert "50 of 50" in mogi("review", "status", "latest").out

    mogi("run", "hotel", "--quiet")
    again = mogi("review", "plan", "latest", "--budget", "150", "--json").json
    assert (30, 50, 30) == (again["new"], again["known"], len(again["rows"]))
    mogi("report", "latest", "--report", "csv=b.csv")
    filled_in(tmp_path / "b.csv")
    mogi("review", "pull", "latest", "--from", "b.csv")
    assert 0 == mogi("run", "hotel", "--quiet").status  # each answer is known to be right
    nothing = mogi("review", "plan", "latest", "--budget", "9")
    assert "there's nothing left to plan" in nothing.out
    compared = mogi("compare", "previous", "latest", "--json").json
    as_its_schema_says("compare", compared)
    assert (1.0, 1.0, 0.0, 80) == tuple(
        compared["people"][k] for k in ("before", "after", "difference", "n")
    )


def test_the_command_that_a_comparison_names_chooses_what_it_lacks(
    mogi: Mogi, tmp_path: Path
) -> None:
    for name, repaired in (("a", range(0)), ("b", range(0, 20, 4))):
        rows = [["id", "question", "answer", "ground_truth"]]
        for n in range(40):
            known = n % 4 or n in repaired
            answer = f"Room {n} costs {n} pounds." if known else "Rooms are nice."
            rows.append([f"r{n}", f"What is the price of room {n}?", answer, f"{n} pounds"])
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    score = ("--language", "en", "--metric", "sudachi_f1", "--quiet")
    mogi("score", "a.csv", *score)
    assert 2 == mogi("review", "plan", "latest").status  # how many?
    mogi("review", "plan", "latest", "--budget", "35")
    mogi("report", "latest", "--report", "csv=review.csv")
    filled_in(tmp_path / "review.csv", corrected="0 pounds")
    mogi("review", "pull", "latest", "--from", "review.csv")
    mogi("score", "b.csv", *score)
    unknown = mogi("compare", "previous", "latest", "--json").json["people_unknown"]
    assert ("new", 5, 5) == (unknown["why"], unknown["answers"], unknown["judge"])
    plan = mogi(*unknown["command"].split()[1:], "--json").json
    assert {"new": 5} == plan["kinds"]
    assert "5 new answers since run" in mogi(*unknown["command"].split()[1:]).out
    mogi("report", "latest", "--report", "csv=new.csv")
    filled_in(tmp_path / "new.csv")
    mogi("review", "pull", "latest", "--from", "new.csv")
    compared = mogi("compare", "previous", "latest", "--json").json
    assert compared["people_unknown"] is None
    assert compared["people"]["low"] < compared["people"]["high"]
    assert {"n": 40, **compared["score_corrected"]} == compared["people"]


def test_a_larger_plan_holds_the_smaller_one_and_a_resume_keeps_it(mogi: Mogi, hotel: Path) -> None:
    mogi("run", "hotel", "--quiet")
    first = mogi("review", "plan", "latest", "--budget", "40", "--json").json
    mogi("review", "plan", "latest", "--budget", "40", "--json")  # nobody judged: the same
    assert (
        first["rows"] == mogi("review", "plan", "latest", "--budget", "40", "--json").json["rows"]
    )
    run = first["run"]
    assert 1 == mogi("run", "--resume", run, "--quiet").status
    assert 40 == mogi("review", "status", run, "--json").json["plan"]["rows"]


def test_a_failing_conversation_is_promoted(mogi: Mogi, hotel: Path, tmp_path: Path) -> None:
    mogi("run", "hotel", "--quiet", "--scenario", "r5", "--report", "csv=a.csv")
    filled_in(tmp_path / "a.csv", corrected="Room 5 costs 50 pounds a night.")
    mogi("review", "pull", "latest", "--from", "a.csv")
    shown = mogi("review", "apply", "hotel", "--promote", "latest", "r5/calm/1")
    assert "+- id: r5-regression" in shown.out
    assert "mogi review apply hotel" not in shown.out
    apply = ("review", "apply", "hotel", "--promote", "latest", "r5/calm/1", "--write", "--json")
    written = mogi(*apply).json
    assert ["regression"] == written["scenario"]["tags"]
    assert "Room 5 costs 50 pounds a night." == written["scenario"]["expected"]["answer"]
    mogi("run", "hotel", "--quiet", "--tag", "regression")
    assert ["r5-regression/calm/1"] == list(
        dict.fromkeys(json.loads(x)["episode"] for x in mogi("export", "latest").out.splitlines())
    )
