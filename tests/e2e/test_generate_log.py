"""`mogi generate --from-log`: what real customers asked becomes scenarios."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.conftest import Mogi
from tests.e2e.shop import shop as a_shop
from tests.e2e.small_client import small_client
from tests.generate import writers
from tests.loopback.replies import Body, Status
from tests.loopback.server import ChatServer

ASKED = [
    *["What are your opening hours on weekdays?"] * 3,
    "opening hours weekdays",
    *["Do you ship to Peru?"] * 2,
    "What does delivery cost?",
    "Thank you!",
    "送料はいくらですか",
]
TYPED = ("generate", "shop", "--from-log", "log.csv")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = small_client(tmp_path, "{kind: demo}")
    hours = (folder / "scenarios.yaml").read_text("utf-8").partition("- id: hours")[0]
    (folder / "scenarios.yaml").write_text(hours, "utf-8")
    log(tmp_path, ASKED)
    return folder


def log(folder: Path, questions: list[str]) -> None:
    (folder / "log.csv").write_text("\n".join(["question", *questions]) + "\n", "utf-8")


def generated(shop: Path) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = yaml.safe_load((shop / "scenarios.generated.yaml").read_text())
    return made


def test_what_no_scenario_tests_becomes_one_with_the_entry_that_answers(
    mogi: Mogi, shop: Path
) -> None:
    done = mogi(*TYPED)
    assert 0 == done.status, done.err
    assert "shop: 2 new scenarios from 1 of 3 entries of knowledge/faq.csv" in done.out
    assert "9 questions, 3 distinct; 1 without content to compare, 1 in another" in done.out
    assert "1 (asked 1 time) already covered by a scenario" in done.out
    assert "4      faq-3  What are your opening hours on weekdays?" in done.out
    hours, peru = generated(shop)
    assert "What are your opening hours on weekdays?" == hours["query"]
    assert ["faq-3"] == hours["expected"]["documents"]
    assert ["generated", "log"] == hours["tags"]
    assert ("Do you ship to Peru?", ["generated", "log", "gap"]) == (peru["query"], peru["tags"])
    assert "expected" not in peru


def test_a_second_run_adds_only_what_is_missing(mogi: Mogi, shop: Path, tmp_path: Path) -> None:
    mogi(*TYPED)
    file = shop / "scenarios.generated.yaml"
    edited = file.read_text("utf-8").replace("ship to Peru?", "ship to Lima?")
    file.write_text(edited, "utf-8")
    assert 0 == mogi(*TYPED, "--json").json["new"]
    assert edited == file.read_text("utf-8")
    # another wording is the most frequent one by now, and something new is asked
    log(tmp_path, [*ASKED, *["opening hours weekdays"] * 9, "Is gift wrapping possible?"])
    again = mogi(*TYPED, "--json").json
    assert (1, 3, 1) == (again["new"], again["scenarios"], again["edited"])
    hours = "What are your opening hours on weekdays?"
    assert {hours, "Do you ship to Lima?", "Is gift wrapping possible?"} == {
        scenario["query"] for scenario in generated(shop)
    }
    kept, _, _ = file.read_text("utf-8").partition("- id: log-do-you-ship")
    file.write_text(kept, "utf-8")
    last = mogi(*TYPED, "--json").json
    assert (0, 2) == (last["new"], last["deleted"])


def test_limit_takes_what_was_asked_most_and_dry_run_shows_it(mogi: Mogi, shop: Path) -> None:
    dry = mogi(*TYPED, "--limit", "1", "--dry-run")
    assert "shop: 1 question for 1 entry; mogi made no calls" in dry.out
    assert "no entry found; check these" in dry.out
    figures = mogi(*TYPED, "--limit", "1", "--dry-run", "--json").json
    assert (1, 0) == (figures["questions"], figures["calls"]["highest"])
    assert (9, 1, 2) == tuple(figures["log"][name] for name in ("asked", "gaps", "asked_of_gaps"))
    assert not (shop / "scenarios.generated.yaml").exists()
    whole = mogi(*TYPED, "--limit", "1", "--json").json
    assert (1, {"log"}) == (whole["new"], set(whole["methods"]))
    hours = whole["log"]["clusters"][0]
    assert (4, 2, "faq-3", True) == tuple(
        hours[name] for name in ("count", "different", "entry", "answered")
    )
    assert generated(shop)[0]["id"] == hours["scenario"]


def test_conversations_are_logs_too_and_titles_come_beside_them(
    mogi: Mogi, shop: Path, tmp_path: Path
) -> None:
    rows = [
        "conversation,speaker,text",
        "c1,Tanaka,Hello",
        "c1,shop,How can I help?",
        "c1,Tanaka,Do you ship to Peru? My mail is tanaka@example.com",
        "c1,shop,No.",
        "c1,Tanaka,And that one?",
    ]
    (tmp_path / "talks.csv").write_text("\n".join(rows) + "\n", "utf-8")
    typed = ("generate", "shop", "--from-log", "talks.csv", "--user", "Tanaka")
    done = mogi(*typed, "--method", "title", "--json")
    assert (0, {"title", "log"}) == (done.status, set(done.json["methods"])), done.err
    assert ["Do you ship to Peru?"] == [s["query"] for s in generated(shop) if "log" in s["tags"]]


def test_where_all_is_tested_there_is_nothing_to_do(mogi: Mogi, shop: Path, tmp_path: Path) -> None:
    log(tmp_path, ["What does delivery cost?"])
    done = mogi(*TYPED)
    assert (0, False) == (done.status, (shop / "scenarios.generated.yaml").exists()), done.err
    assert "1 (asked 1 time) already covered by a scenario" in done.out


def test_a_client_needs_no_scenarios_yet(mogi: Mogi, shop: Path) -> None:
    (shop / "scenarios.yaml").unlink()
    assert 3 == mogi(*TYPED, "--json").json["new"]


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--method", "log"], "--from-log FILE"),
        (["--user", "Bob"], "--from-log FILE"),
        (["--from-log", "none.csv"], "none.csv"),
    ],
)
def test_wrong_input_is_refused(mogi: Mogi, shop: Path, args: list[str], complaint: str) -> None:
    done = mogi("generate", "shop", *args)
    assert (2, True) == (done.status, complaint in done.err), done.err


def test_a_model_at_hand_confirms_the_entry_and_writes_facts_for_the_question(
    mogi: Mogi, tmp_path: Path, model: ChatServer
) -> None:
    folder = a_shop(tmp_path, model)
    asked = ["送料はいくらですか", "セール品も返品できますか", "海外に送れますか"]
    log(tmp_path, asked)
    estimated = mogi(*TYPED, "--dry-run", "--json").json["calls"]
    seen: list[str] = []

    def answer(body: Body) -> Any:
        if writers.is_check(body):
            return writers.verdicts(body, inconsistency=lambda text: "セール" in text)
        seen.append(writers.last(body))
        fact = {"quote": "送料は500円です。", "text": "送料は500円", "alternatives": []}
        made_up = {"quote": "離島は900円です。", "text": "離島への送料は900円", "alternatives": []}
        return {"questions": [{"question": "別の質問", "facts": [fact, made_up]}]}

    model.answer = answer
    done = mogi(*TYPED, "--json").json
    assert (3, model.count) == (done["new"], done["calls"])
    assert estimated["lowest"] <= model.count <= estimated["highest"]
    expected = {s["query"]: s.get("expected", {}) for s in generated(folder)}
    assert {asked[0], asked[1], asked[2]} == set(expected)
    assert (["faq-1"], ["送料は500円"]) == tuple(
        expected[asked[0]][name] for name in ("documents", "elements")
    )
    assert {} == expected[asked[1]] == expected[asked[2]]
    assert {"no_quote": 1} == done["methods"]["log"]["dropped_facts"]
    (task,) = seen
    assert asked[0] in task.split("<data-")[1]
    assert (2, 2) == (done["log"]["gaps"], done["log"]["asked_of_gaps"])
    again = mogi(*TYPED, "--json").json
    assert (0, 0, 2) == (again["new"], again["calls"], again["log"]["gaps"])


def test_without_a_usable_answer_the_whole_entry_is_expected(
    mogi: Mogi, tmp_path: Path, model: ChatServer
) -> None:
    folder = a_shop(tmp_path, model)
    log(tmp_path, ["送料はいくらですか"])
    model.answer = lambda body: "?" if writers.is_check(body) else {"facts": "?"}
    done = mogi(*TYPED, "--retries", "1", "--json")
    assert (0, {"unreadable": 2}) == (done.status, done.json["methods"]["log"]["useless_answers"])
    (expected,) = (s["expected"] for s in generated(folder))
    whole = "送料は500円です。5000円以上の注文は無料です。"
    assert (["faq-1"], whole) == (expected["documents"], expected["answer"])
    assert "elements" not in expected


def test_without_a_model_the_whole_entry_is_expected(mogi: Mogi, shop: Path) -> None:
    mogi(*TYPED)
    expected = generated(shop)[0]["expected"]
    assert ({"answer", "answerable", "approved", "documents"}) == set(expected)


def test_an_embedding_model_puts_together_what_shares_no_word(
    mogi: Mogi, shop: Path, tmp_path: Path, model: ChatServer
) -> None:
    matters = ["cancel my subscription", "end the contract"], ["print photo books", "paper albums"]
    log(tmp_path, [question for both in matters for question in both])
    assert 4 == mogi(*TYPED, "--json", "-o", "words.yaml").json["new"]
    client = shop / "client.yaml"
    embedding = f'embedding: {{model: vectors, base_url: "{model.base_url}"}}\n'
    client.write_text(client.read_text("utf-8") + embedding, "utf-8")
    model.embed = lambda text: [1.0, 0.1] if text in matters[0] else [0.1, 1.0]
    done = mogi(*TYPED, "--json").json
    assert (2, 1, 1) == (done["new"], done["calls"], model.count)
    again = mogi(*TYPED, "--json").json
    assert (0, 0, 1) == (again["new"], again["calls"], model.count)
    model.script(Status(401, "no key"))
    refused = mogi(*TYPED, "-o", "refused.yaml")
    assert (0, True) == (refused.status, "only by shared words" in refused.err), refused.err


def test_a_guess_that_changes_is_no_entry_that_changed(
    mogi: Mogi, shop: Path, tmp_path: Path
) -> None:
    log(tmp_path, ["Is the parcel to Peru insured?"])
    assert 0 == mogi(*TYPED).status
    insured = ["Is the delivery to Peru insured?", "delivery to Peru insured", "delivery insured"]
    log(tmp_path, ["Is the parcel to Peru insured?", *insured])
    notes = mogi(*TYPED, "--json").json["notes"]
    assert [] == [note for note in notes if "changed since" in note]
    knowledge = shop / "knowledge" / "faq.csv"
    log(tmp_path, ASKED)
    mogi(*TYPED)
    changed = knowledge.read_text("utf-8").replace("weekdays", "workdays")
    knowledge.write_text(changed, "utf-8")
    (tmp_path / "log.csv").write_text("question\nIs gift wrapping possible?\n", "utf-8")
    (note,) = [n for n in mogi(*TYPED, "--json").json["notes"] if "changed since" in n]
    assert "1 scenario" in note
