"""`mogi run` with all that a judge can be asked: one call a turn, one a talk, or each by itself."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.judge_prompt import answer
from tests.e2e.conftest import Mogi
from tests.e2e.small_client import small_client
from tests.loopback.server import ChatServer
from tests.loopback.threaded import served

BOT = """\
from search import search

def answer(question, history):
    row = search(question)
    return {"answer": row["content"], "documents": [{"id": row["id"], "text": row["content"]}]}
"""
GPT = ("gpt_relevance", "gpt_groundedness", "gpt_similarity", "gpt_fluency")
TURNS = ("overall", *GPT, "refusal_judged", "elements")
TALKS = ("goal_reached", "satisfaction")


@pytest.fixture
def judge() -> Iterator[ChatServer]:
    """A judge that fills in any form with its highest, or first, answers."""
    with served(answer) as server:
        yield server


@pytest.fixture
def shop(tmp_path: Path, judge: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The client `shop`, of which every metric is asked; one of three scenarios has an answer."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    folder = small_client(tmp_path, '{kind: function, function: "my_bot:answer"}', my_bot=BOT)
    with (folder / "client.yaml").open("a") as file:
        file.write(f"metrics: [{', '.join((*TURNS, *TALKS))}]\n")
        file.write(f'judge: {{model: j, base_url: "{judge.base_url}", calls: together}}\n')
        file.write("prices: {j: {input: 1, output: 1}}\n")
        file.write("limits: {model: {requests_per_minute: null, tokens_per_minute: null}}\n")
    scenarios = folder / "scenarios.yaml"
    text = scenarios.read_text("utf-8")
    scenarios.write_text(text.replace("[5 euros],", "[5 euros], answer: It costs 5 euros.,"))
    return folder


def apart(folder: Path) -> None:
    file = folder / "client.yaml"
    file.write_text(file.read_text("utf-8").replace("calls: together", "calls: apart"), "utf-8")


def played(mogi: Mogi) -> Any:
    estimate = mogi("run", "shop", "--dry-run", "--json").json
    [role] = [role for role in estimate["roles"] if role["role"] == "judge"]
    done = mogi("run", "shop", "--json")
    assert 0 == done.status, done.err
    found = done.json
    assert role["calls"]["lowest"] <= found["calls"]["judge"] <= role["calls"]["highest"]
    return found


def test_together_it_is_one_call_a_turn_and_one_a_talk(
    mogi: Mogi, shop: Path, judge: ChatServer
) -> None:
    found = played(mogi)
    assert found["turns"] + found["conversations"] == found["calls"]["judge"] == judge.count
    metrics = found["metrics"]
    for name in TURNS:
        only_one = name == "gpt_similarity"
        assert (1 if only_one else found["turns"]) == metrics[name]["scored"], name
    assert {3} == {metrics[name]["scored"] for name in TALKS}
    assert 1.0 == metrics["elements"]["mean"]
    assert 0.0 == metrics["goal_reached"]["mean"]  # the last label of its enum is "no"
    assert (20, 20) == (found["rag_sum"]["sum"], found["rag_sum"]["of"])


def test_apart_each_is_asked_by_itself_with_its_own_blocks(
    mogi: Mogi, shop: Path, judge: ChatServer
) -> None:
    together = played(mogi)["metrics"]
    judge.requests.clear()
    apart(shop)
    found = played(mogi)
    turns, talks = found["turns"], found["conversations"]
    # answer_quality, three of the four, refusals, elements, claims; similarity where it is expected
    assert turns * 7 + 1 + talks * 2 == found["calls"]["judge"]
    assert {k: m["mean"] for k, m in together.items()} == {
        k: m["mean"] for k, m in found["metrics"].items()
    }
    of_fluency = [r for r in judge.requests if "gpt_fluency" in json.dumps(r.body)]
    assert turns == len(of_fluency)
    assert not any("[Documents the bot retrieved]" in r.said for r in of_fluency)


def test_what_was_said_is_shown_and_stays_after_the_run(mogi: Mogi, shop: Path) -> None:
    played(mogi)
    mogi("report", "latest", "--report", "json=run.json")
    stored = json.loads(Path("run.json").read_text("utf-8"))
    assert 20 == stored["rag_sum"]["sum"]
    assert "Sum of RAG metrics: 20.00 of 20 over 1–3 turns" in mogi("report", "latest").out
    shown = mogi("show", "latest", "delivery").out
    assert "1 5 euros: 文書どおり。" in shown
    assert "1 nothing beyond these: 文書どおり。" in shown
    assert "satisfaction 1.00 (rating 5)" in shown.partition("whole conversation")[2]


def test_without_a_judge_it_says_so_and_scores_what_it_can(mogi: Mogi, shop: Path) -> None:
    done = mogi("run", "shop", "--offline", "--json")
    assert 0 == done.status, done.err
    assert "lexical" == done.json["score_by"]
    assert not {*TURNS, *TALKS} & done.json["metrics"].keys()


def test_a_dry_run_says_what_leaving_each_out_would_save(mogi: Mogi, shop: Path) -> None:
    out = mogi("run", "shop", "--dry-run").out
    out = out.partition("\n\nA run accesses:")[0]  # which names files, however long they are
    lines = out.partition("likely savings without one of the rubrics:")[2].splitlines()
    named = [line.split()[0] for line in lines[2:12]]
    rubrics = ["answer_quality", *GPT, "refusal_and_escalation", *TALKS, "elements"]
    assert sorted(rubrics) == sorted(named[:9])
    assert lines[11].startswith("  (what they share)")
    assert max(map(len, lines)) <= 80
