"""What a bot costs that is asked all first questions together: its calls, tokens and documents."""

from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.core.ports import Role
from simulator.execution.estimate import RoleEstimate, RunEstimate, estimate
from simulator.execution.plan import Options, make_plan
from simulator.llm.prices import Bounds
from simulator.metrics._judge.prompt import LONGEST_DOCUMENTS
from tests.execution.clients import client

TEXT = "送料は500円です。"
PERSONAS = "language: ja\npersonas: [angry, calm]\n"
TOGETHER = f"{PERSONAS}target: {{kind: document, text: input.txt, model: m, together: true}}\n"
APART = TOGETHER.replace("true", "false")


def estimated(
    cwd: Path,
    lines: str = "",
    *,
    least: str = TOGETHER,
    text: str = TEXT,
    complete: tuple[str, ...] = (),
    said: dict[str, Any] | None = None,
    **more: Any,
) -> RunEstimate:
    loaded = client(cwd, lines, least=least, files={"input.txt": text}, **more)
    plan = make_plan(loaded, Options(**(said or {})))
    return estimate(plan, loaded, lambda _: None, set(complete))


def of_bot(found: RunEstimate) -> RoleEstimate:
    (role,) = (role for role in found.roles if role.role is Role.TARGET)
    return role


def many(count: int) -> str:
    return "".join(f"- {{id: s{n}, query: 質問{n}}}\n" for n in range(count))


def test_first_questions_cost_one_call_and_at_most_one_repair_and_one_each_if_left_out(
    tmp_path: Path,
) -> None:
    found = estimated(tmp_path, "max_turns: 3\n")
    assert Bounds(1, 1 + 2, 2 + 24) == of_bot(found).calls
    assert Bounds(4, 6, 24) == found.target_calls
    assert Bounds(1, 1, 2 + 4) == of_bot(estimated(tmp_path, "max_turns: 1\n")).calls


def test_one_by_one_each_turn_is_a_call(tmp_path: Path) -> None:
    found = estimated(tmp_path, "max_turns: 3\n", least=APART)
    assert Bounds(4, 6, 24) == of_bot(found).calls == found.target_calls


def test_many_questions_take_several_lists(tmp_path: Path) -> None:
    found = estimated(tmp_path, "max_turns: 1\n", scenarios=many(90))
    assert Bounds(3, 3, 6 + 180) == of_bot(found).calls
    narrowed = estimated(tmp_path, "max_turns: 1\n", scenarios=many(90), said={"limit": 10})
    assert Bounds(1, 1, 2 + 10) == of_bot(narrowed).calls


def test_the_same_question_of_two_scenarios_is_asked_once(tmp_path: Path) -> None:
    alike = "".join(f"- {{id: s{n}, query: 質問}}\n" for n in range(90))
    assert 1 == of_bot(estimated(tmp_path, "max_turns: 1\n", scenarios=alike)).calls.lowest


def test_users_who_word_their_first_question_themselves_need_no_list(tmp_path: Path) -> None:
    found = estimated(tmp_path, "max_turns: 3\nuser: {open: styled}\n")
    assert Bounds(4, 6, 2 + 24) == of_bot(found).calls


def test_a_resume_does_not_pay_for_a_list_again(tmp_path: Path) -> None:
    found = estimated(tmp_path, "max_turns: 1\n", complete=("shipping/angry/1",))
    assert Bounds(0, 0, 2 + 3) == of_bot(found).calls
    cells = [f"{s}/{p}/1" for s in ("shipping", "returns") for p in ("angry", "calm")]
    assert Bounds(0, 0, 0) == of_bot(estimated(tmp_path, complete=tuple(cells))).calls


def test_the_text_is_read_in_each_call_and_once_for_a_list(tmp_path: Path) -> None:
    short, long = (
        of_bot(estimated(tmp_path, "max_turns: 1\n", text=t)) for t in (TEXT, TEXT * 1000)
    )
    more = 999 * len(TEXT) * 0.8  # tokens per character of Japanese
    assert pytest.approx(more, rel=0.01) == long.input_tokens.likely - short.input_tokens.likely
    apart = of_bot(estimated(tmp_path, "max_turns: 1\n", text=TEXT * 1000, least=APART))
    assert apart.input_tokens.likely > 3.5 * long.input_tokens.likely


def test_a_list_writes_an_answer_for_each_of_its_questions(tmp_path: Path) -> None:
    few, lots = (
        of_bot(estimated(tmp_path, "max_turns: 1\n", scenarios=many(count))) for count in (3, 30)
    )
    assert pytest.approx(10 * few.output_tokens.likely) == lots.output_tokens.likely


@pytest.mark.parametrize("length", [100, 100_000])
def test_a_judge_is_shown_the_text_but_no_more_than_fits(length: int, tmp_path: Path) -> None:
    lines = "max_turns: 1\njudge: {model: j}\n"
    bare, shown = (
        next(r for r in estimated(tmp_path, lines, text=t).roles if r.role is Role.JUDGE)
        for t in ("x", "x" * length)
    )
    more = shown.input_tokens.likely - bare.input_tokens.likely
    expected = 4 * 0.8 * (min(length, LONGEST_DOCUMENTS) - 1)
    assert pytest.approx(expected, abs=5) == more


def test_without_any_model_it_says_what_to_write(tmp_path: Path) -> None:
    least = TOGETHER.replace("model: m, ", "")
    with pytest.raises(InputError, match=r"set target\.model"):
        estimated(tmp_path, least=least)
    with pytest.raises(InputError, match=r"set target\.model"):
        estimated(tmp_path, least=least, said={"offline": True})
    assert "u" == of_bot(estimated(tmp_path, least=least, said={"model": "u"})).model
    offline = estimated(tmp_path, said={"offline": True})
    assert [Role.TARGET] == [role.role for role in offline.roles]
