"""`--dry-run` beside what a run then uses: exactly, as a range, by what a run before it used."""

import json
from os.path import commonprefix
from pathlib import Path
from typing import Any

import pytest

from simulator.core.ports import Role
from simulator.store.store import Store
from tests.e2e.conftest import JUDGEMENT, SAYS, Mogi, is_judge
from tests.loopback.server import ChatServer

PEOPLE = "[angry, calm, business, beginner]"
MORE = "- {id: hours, query: 営業時間は何時ですか}\n- {id: gift, query: 包装できますか}\n"


def widened(acme: Path, lines: str) -> None:
    """Four people, four scenarios; prices; `lines` at the end."""
    file = acme / "client.yaml"
    text = file.read_text("utf-8").replace("[angry, calm]", PEOPLE)
    prices = "prices: {mock: {input: 1, output: 4, cached: 0.1}}\n"
    file.write_text(text.replace("max_turns: 2\n", "") + prices + lines, "utf-8")
    with (acme / "scenarios.yaml").open("a", encoding="utf-8") as scenarios:
        scenarios.write(MORE)


def leaves(body: dict[str, Any]) -> Any:
    """A kind judge, and a user who leaves after two turns, each of them worded anew."""
    if is_judge(body):
        return JUDGEMENT
    turns = sum(message["role"] == "assistant" for message in body["messages"])
    if turns >= 2:
        return {**SAYS, "stop": "done", "message": ""}
    return {**SAYS, "message": f"{turns}番目ですが、もう少し詳しく教えてください"}


def used(mogi: Mogi, *options: str) -> dict[str, float]:
    """What a run used, by role; `bot` are the questions that it was asked, in all takes."""
    found = mogi("run", "acme", *options, "--json").json
    with Store.read("sqlite:///mogi.db") as store:
        asked = sum(call.call.role is Role.TARGET for call in store.calls(found["run"]))
    return {**found["calls"], "bot": asked, "usd": found["cost_usd"]}


def said(mogi: Mogi, *options: str) -> dict[str, dict[str, float]]:
    """What is said beforehand."""
    found = mogi("run", "acme", *options, "--dry-run", "--json").json
    roles = {role["role"]: role["calls"] for role in found["roles"]}
    return {**roles, "bot": found["target_calls"], "usd": found["cost_usd"]}


@pytest.mark.parametrize("lines", ["max_turns: 1\n", "max_turns: 2\nuser: {kind: scripted}\n"])
def test_where_turns_are_fixed_calls_are_exact(
    mogi: Mogi, acme: Path, model: ChatServer, lines: str
) -> None:
    file = acme / "client.yaml"
    kept = [line for line in file.read_text("utf-8").split("\n") if "max_turns" not in line]
    if "user" in lines:
        kept = [line for line in kept if not line.startswith("user")]
    file.write_text("\n".join(kept) + lines, "utf-8")
    (acme / "scenarios.yaml").write_text("- {id: a, query: 送料は, turns: [返品は]}\n", "utf-8")
    bounds, made = said(mogi), used(mogi)
    assert {made["bot"]} == set(bounds["bot"].values())
    assert made["judge"] == bounds["judge"]["likely"] == bounds["judge"]["lowest"]


def test_talks_that_are_held_again_stand_in_the_range(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    widened(acme, "max_turns: 3\n")
    made = used(mogi)  # who says the same thing twice is not sound
    assert 16 * 3 < made["bot"]
    known = said(mogi)
    for what in ("bot", "user", "judge"):
        assert pytest.approx(made[what], rel=0.05) == known[what]["likely"]
    (acme.parents[1] / "mogi.db").unlink()
    bounds = said(mogi)
    for what in ("bot", "user", "judge"):
        assert bounds[what]["lowest"] <= made[what] <= bounds[what]["highest"]


def test_what_is_likely_is_what_a_run_before_it_used(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    model.answer = leaves
    widened(acme, "max_turns: 4\n")
    assert None is mogi("run", "acme", "--dry-run", "--json").json["by_run"]
    mogi("run", "acme", "--limit", "4", "--quiet")  # too few to tell anything
    assert None is mogi("run", "acme", "--dry-run", "--json").json["by_run"]
    first = mogi("run", "acme", "--persona", "angry", "--persona", "calm", "--json").json["run"]
    others = ("--persona", "business", "--persona", "beginner")
    assert first == mogi("run", "acme", *others, "--dry-run", "--json").json["by_run"]
    bounds, made = said(mogi, *others), used(mogi, *others)
    assert bounds.keys() == made.keys() - {"embedding", "target", "reader"}
    for what, known in bounds.items():
        assert known["lowest"] <= known["likely"] <= known["highest"]
        assert pytest.approx(made[what], rel=0.05) == known["likely"]
    shown = mogi("run", "acme", *others, "--dry-run").out
    assert "条件が同じ実行" in shown


def test_a_run_that_was_played_otherwise_tells_nothing(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    widened(acme, "max_turns: 2\n")
    mogi("run", "acme", "--limit", "6", "--quiet")
    assert mogi("run", "acme", "--dry-run", "--json").json["by_run"]
    for other in (("--max-turns", "3"), ("--model", "m2"), ("--offline",)):
        assert None is mogi("run", "acme", *other, "--dry-run", "--json").json["by_run"]
    assert "--limit 5" in mogi("run", "acme", "--offline", "--dry-run").out


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ([], "no client"),
        (["scenarios/shop"], "client.yaml"),
        (["scenarios/shop/client.yaml"], "client.yaml"),
    ],
)
def test_a_folder_that_is_no_client_is_told_with_status_2(
    mogi: Mogi, tmp_path: Path, made: list[str], told: str
) -> None:
    for name in made:
        place = tmp_path / name
        (place.parent if place.suffix else place).mkdir(parents=True, exist_ok=True)
        if place.suffix:
            place.write_text("", "utf-8")
    done = mogi("run", "shop", "--dry-run")
    assert (2, "") == (done.status, done.out)
    assert told in done.err
    assert "fault in mogi" not in done.err
    assert not (tmp_path / "mogi.db").exists()


def test_what_a_provider_can_cache_is_what_calls_begin_with(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    """Less is said than is so: what is not known yet is assumed longer than this bot's answers."""
    widened(acme, "")
    model.answer = leaves
    told = mogi("run", "acme", "--dry-run", "--json").json["roles"]
    heads = {role["role"]: role["head"] for role in told}
    mogi("run", "acme", "--quiet")
    for name in ("user", "judge"):
        asked = [_text(r.body) for r in model.requests if is_judge(r.body) == (name == "judge")]
        common = len(commonprefix(asked))  # noqa: RUF071  texts
        share = common * len(asked) / sum(map(len, asked))
        assert 0.3 < heads[name] <= share + 0.02, (name, heads[name], share)


def _text(body: dict[str, Any]) -> str:
    """What a model reads: the schema of its answer stands before all."""
    said = "\n".join(str(message["content"]) for message in body["messages"])
    return json.dumps(body["response_format"], ensure_ascii=False) + said
