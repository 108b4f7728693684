"""What each rubric adds to the judge's work, together and apart, and that the sums are right."""

from pathlib import Path

import pytest

from simulator.core.plan import ModelSpec, Price
from simulator.core.ports import Role
from simulator.execution.cast import judge_rubrics
from simulator.execution.estimate import PartEstimate, RoleEstimate, estimate
from simulator.execution.plan import Options, make_plan
from simulator.llm.prices import Bounds
from tests.execution.clients import client

TURNS = 4 * (1 + 0.4 + 0.4**2)  # of four conversations of three turns at most, by rules
GPT = "gpt_relevance, gpt_groundedness, gpt_similarity, gpt_fluency"
ANSWERED = (
    "- {id: a, query: q, expected: {answer: So., elements: [one, two]}}\n- {id: b, query: q}\n"
)


def priced(spec: ModelSpec) -> Price | None:
    return Price(1.0, 10.0)


def of_judge(cwd: Path, metrics: str, calls: str = "together", **more: str) -> RoleEstimate:
    lines = (
        f"max_turns: 3\nmetrics: [overall, {metrics}]\njudge: {{model: j, calls: {calls}}}\n"
        + more.pop("lines", "")
    )
    loaded = client(cwd, lines, **more)  # type: ignore[arg-type]
    roles = estimate(make_plan(loaded, Options()), loaded, priced).roles
    return next(role for role in roles if role.role is Role.JUDGE)


def part(found: RoleEstimate, name: str) -> PartEstimate:
    return next(p for p in found.parts if p.name == name)


def test_together_a_rubric_saves_tokens_and_no_call(tmp_path: Path) -> None:
    found = of_judge(tmp_path, GPT, scenarios=ANSWERED)
    assert Bounds(4, 6, 48) == found.calls  # two takes of three turns, each with a repair
    assert {Bounds(0, 0, 0)} == {p.calls for p in found.parts}
    assert all(p.input_tokens.likely > 0 for p in found.parts)
    assert part(found, "gpt_fluency").output_tokens.likely == round(TURNS * 160)
    assert part(found, "answer_quality").output_tokens.likely == round(TURNS * 210)


def test_apart_it_saves_its_calls_and_the_parts_are_the_whole(tmp_path: Path) -> None:
    found = of_judge(tmp_path, GPT, "apart", scenarios=ANSWERED)
    assert Bounds(4, 6, 48) == part(found, "gpt_fluency").calls
    assert Bounds(2, 3, 24) == part(found, "gpt_similarity").calls  # one scenario has no answer
    assert abs(sum(p.calls.likely for p in found.parts) - found.calls.likely) <= 1  # rounded
    for field in ("input_tokens", "output_tokens"):
        parts = sum(getattr(p, field).likely for p in found.parts)
        assert abs(parts - getattr(found, field).likely) <= len(found.parts)


@pytest.mark.parametrize("calls", ["together", "apart"])
def test_leaving_it_out_saves_what_was_said(tmp_path: Path, calls: str) -> None:
    whole = of_judge(tmp_path, GPT, calls, scenarios=ANSWERED)
    without = of_judge(tmp_path, GPT.removesuffix(", gpt_fluency"), calls, scenarios=ANSWERED)
    saved = part(whole, "gpt_fluency")
    for field, rounded in (("calls", 1), ("input_tokens", 0), ("output_tokens", 0)):
        left = getattr(whole, field) - getattr(saved, field)
        assert tuple(getattr(without, field)) == pytest.approx(tuple(left), abs=rounded)
    assert whole.cost_usd is not None
    assert without.cost_usd is not None
    assert saved.cost_usd is not None
    assert whole.cost_usd.likely - saved.cost_usd.likely == pytest.approx(without.cost_usd.likely)


def test_what_only_one_rubric_needs_to_see_falls_to_it(tmp_path: Path) -> None:
    found = of_judge(tmp_path, "gpt_similarity", scenarios=ANSWERED)
    long = ANSWERED.replace("So.", "So " * 1_000)
    more = of_judge(tmp_path, "gpt_similarity", scenarios=long)
    grown = part(more, "gpt_similarity").input_tokens.likely
    assert grown - part(found, "gpt_similarity").input_tokens.likely > 4_000
    same = tuple(part(found, "answer_quality").input_tokens)
    assert tuple(part(more, "answer_quality").input_tokens) == pytest.approx(same, abs=2)


def test_elements_are_asked_where_there_are_any_and_cost_by_their_number(tmp_path: Path) -> None:
    found = of_judge(tmp_path, "elements", "apart", scenarios=ANSWERED)
    asked = part(found, "elements")
    assert Bounds(2, 3, 24) == asked.calls
    assert round(TURNS / 2 * 3 * 60) == asked.output_tokens.likely
    alone = "metrics: [elements]\nscore_by: elements\njudge: {model: j}\nmax_turns: 1\n"
    loaded = client(tmp_path, alone, scenarios=ANSWERED)
    plan = make_plan(loaded, Options())
    assert ["elements", "claims"] == [
        section.id for section in judge_rubrics(plan, loaded).sections
    ]
    [role] = estimate(plan, loaded, priced).roles
    assert Bounds(4, 4, 8) == role.calls  # two of them for claims alone


def test_whole_talks_are_judged_once_each(tmp_path: Path) -> None:
    found = of_judge(tmp_path, "goal_reached, satisfaction", scenarios=ANSWERED)
    assert Bounds(4 + 4, 6 + 4, 48 + 8) == found.calls  # only what counts is judged as a whole
    assert ["talk", "talk"] == [part(found, n).scope for n in ("goal_reached", "satisfaction")]
    assert Bounds(0, 0, 0) == part(found, "satisfaction").calls
    one = of_judge(tmp_path, "satisfaction", scenarios=ANSWERED)
    assert Bounds(4, 4, 8) == part(one, "satisfaction").calls
    played = of_judge(tmp_path, "satisfaction", scenarios=ANSWERED, lines="user: {model: u}\n")
    assert Bounds(0, 4, 8) == part(played, "satisfaction").calls  # the user may fail


def test_a_bot_may_report_documents_or_none(tmp_path: Path) -> None:
    found = of_judge(tmp_path, "gpt_groundedness", "apart", scenarios=ANSWERED)
    assert Bounds(0, 6, 48) == part(found, "gpt_groundedness").calls
