"""The bounds on calls hold for whatever users, judges and bots do; money follows the tokens."""

from pathlib import Path
from typing import Any

import pytest

from simulator.core.plan import ModelSpec, Price
from simulator.core.ports import Role
from simulator.execution.estimate import RunEstimate, estimate
from simulator.execution.plan import Options, make_plan
from simulator.llm.prices import Bounds
from tests.execution.clients import client

DEMO = "language: ja\ntarget: {kind: demo}\nknowledge: faq.csv\npersonas: [angry, calm]\n"
FAQ = {"faq.csv": "id,title,content\n1,送料,送料は500円です。\n"}
ROOT = Path(__file__).parents[2]


def unknown(spec: ModelSpec) -> Price | None:
    return None


def estimated(
    cwd: Path, lines: str = "", *, said: dict[str, Any] | None = None, **more: Any
) -> RunEstimate:
    loaded = client(cwd, lines, **more)
    return estimate(make_plan(loaded, Options(**(said or {}))), loaded, unknown)


def calls(found: RunEstimate) -> dict[Role, Bounds]:
    return {role.role: role.calls for role in found.roles}


def test_without_a_model_only_the_bot_is_called(tmp_path: Path) -> None:
    found = estimated(tmp_path, "max_turns: 3\n")
    assert (4, Bounds(4, 6, 24), ()) == (found.conversations, found.target_calls, found.roles)
    assert Bounds(0, 0, 0) == found.cost_usd


def test_a_user_may_be_content_at_once_or_be_asked_twice_each_time(tmp_path: Path) -> None:
    found = estimated(tmp_path, "max_turns: 3\n", said={"model": "m"})
    assert Bounds(4, 6, 32) == calls(found)[Role.USER]  # and each talk may be held again
    assert Bounds(4, 8, 48) == calls(found)[Role.JUDGE]  # each may need one repair


def test_a_user_who_speaks_once_calls_nothing(tmp_path: Path) -> None:
    found = estimated(tmp_path, "max_turns: 1\nuser: {model: m, open: styled}\n")
    assert Bounds(0, 0, 0) == calls(found)[Role.USER]
    assert Bounds(4, 4, 8) == calls(found)[Role.JUDGE]


def test_min_turns_bind_only_those_who_would_call_themselves_done(tmp_path: Path) -> None:
    found = estimated(tmp_path, "max_turns: 3\nmin_turns: 3\n", said={"model": "m"})
    assert Bounds(4, 12, 24) == found.target_calls  # one may give up after the first answer
    assert Bounds(4, 8, 32) == calls(found)[Role.USER]


def test_one_turn_is_one_call_and_never_held_again(tmp_path: Path) -> None:
    for lines in ("", "user: {open: styled}\n", "user: {kind: scripted}\n"):
        found = estimated(tmp_path, f"max_turns: 1\n{lines}judge: {{model: j}}\n")
        assert Bounds(4, 4, 4) == found.target_calls
        assert Bounds(4, 4, 8) == calls(found)[Role.JUDGE]


def test_users_without_a_model_call_none(tmp_path: Path) -> None:
    for kind in ("agenda", "scripted"):
        found = estimated(tmp_path, f"user: {{kind: {kind}}}\njudge: {{model: j}}\n")
        assert {Role.JUDGE} == calls(found).keys()


def test_a_script_has_its_turns_and_no_others(tmp_path: Path) -> None:
    scenarios = (
        "- {id: a, query: q, turns: [r, s]}\n- {id: b, query: q}\n"
        "- {id: c, query: q, turns: [r, s, t, u, v]}\n"
    )
    lines = "max_turns: 4\nuser: {kind: scripted}\njudge: {model: j}\n"
    found = estimated(tmp_path, lines, scenarios=scenarios)
    conversations = found.conversations
    whole = conversations // 3 * (3 + 1 + 4)
    assert Bounds(whole, whole, whole) == found.target_calls
    assert (whole, whole) == tuple(calls(found)[Role.JUDGE])[:2]


def second_rubric(cwd: Path) -> dict[str, str]:
    shipped = (ROOT / "prompts" / "ja" / "rubrics" / "answer_quality.yaml").read_text("utf-8")
    own = shipped.replace("id: answer_quality", "id: facts").replace(
        "sees: [", "sees: [expected_answer, "
    )
    for name in ("understanding", "relevance", "completeness", "correctness", "coherence"):
        own = own.replace(f"name: {name}", f"name: own_{name}")
    return {"rubrics/facts.yaml": own.replace("name: overall", "name: facts")}


def test_every_vote_and_every_rubric_on_its_own_is_a_call(tmp_path: Path) -> None:
    lines = "max_turns: 1\nmetrics: [overall, facts]\njudge: {model: j, votes: 3, calls: apart}\n"
    answered = "- {id: a, query: q, expected: {answer: 500円}}\n"
    found = estimated(tmp_path, lines, scenarios=answered, files=second_rubric(tmp_path))
    assert Bounds(18, 18, 36) == calls(found)[Role.JUDGE]  # the claims are one more
    together = lines.replace("apart", "together")
    found = estimated(tmp_path, together, scenarios=answered)
    assert Bounds(6, 6, 12) == calls(found)[Role.JUDGE]


def test_a_rubric_that_has_nothing_to_compare_with_is_not_asked(tmp_path: Path) -> None:
    lines = "max_turns: 1\nmetrics: [overall, facts]\njudge: {model: j, calls: apart}\n"
    found = estimated(tmp_path, lines, files=second_rubric(tmp_path))
    assert Bounds(8, 8, 16) == calls(found)[Role.JUDGE]  # the rubric `overall`, and the claims
    alone = "max_turns: 1\nmetrics: [facts]\nscore_by: facts\njudge: {model: j}\n"
    found = estimated(tmp_path, alone)
    assert Bounds(4, 4, 8) == calls(found)[Role.JUDGE]  # the claims alone


def test_a_demo_bot_with_a_model_calls_it_once_a_turn(tmp_path: Path) -> None:
    found = estimated(tmp_path, "max_turns: 2\n", least=DEMO, files=FAQ, said={"model": "m"})
    assert Bounds(4, 6, 16) == calls(found)[Role.TARGET] == found.target_calls


def test_what_is_complete_is_not_paid_for_again(tmp_path: Path) -> None:
    loaded = client(tmp_path, "max_turns: 3\n")
    plan = make_plan(loaded, Options(model="m"))
    found = estimate(plan, loaded, unknown, {"shipping/angry/1", "returns/calm/1"})
    assert (2, Bounds(2, 4, 12)) == (found.conversations, found.target_calls)
    nothing = estimate(plan, loaded, unknown, {cell.key for cell in plan.cells()})
    assert (0, Bounds(0, 0, 0)) == (nothing.conversations, calls(nothing)[Role.USER])


def test_money_follows_tokens_and_is_unknown_where_a_price_is(tmp_path: Path) -> None:
    loaded = client(tmp_path, "user: {model: u}\njudge: {model: j}\n")
    plan = make_plan(loaded, Options())
    found = estimate(plan, loaded, lambda spec: Price(1.0, 10.0))
    user = found.roles[0]
    assert user.cost_usd is not None
    assert found.cost_usd is not None
    for end in ("lowest", "likely", "highest"):
        tokens = getattr(user.input_tokens, end), getattr(user.output_tokens, end)
        assert pytest.approx((tokens[0] + 10 * tokens[1]) / 1e6) == getattr(user.cost_usd, end)
    costs = [role.cost_usd.likely for role in found.roles if role.cost_usd]
    assert pytest.approx(sum(costs)) == found.cost_usd.likely
    half = estimate(plan, loaded, lambda s: Price(1.0, 10.0) if s.model == "u" else None)
    assert half.cost_usd is None
