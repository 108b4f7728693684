import json
from typing import Any

import pytest

from simulator.core.errors import ModelError, ModelFault
from simulator.core.ports import CallId, Message, Role
from simulator.core.scenario import Quote
from simulator.generate.attempts import Checker
from simulator.generate.facts import DroppedFact, Fact, FactFault, Facts
from simulator.generate.forms import Candidate, CheckCounts, QuestionFault, Rejected
from simulator.generate.units import Method
from simulator.llm.scripted import ScriptedAnswer, ScriptedChat
from tests.llm.shipped import prompt

CALL = CallId("faq-1/questions", 1, Role.GENERATE)
MESSAGES = (Message("system", "s"), Message("user", "check"))


def _said(*faults: dict[str, bool]) -> str:
    found = [
        {"number": n, "reason": f"because {n}", "viewpoint": False, "inconsistency": False, **f}
        for n, f in enumerate(faults, 1)
    ]
    return json.dumps({"questions": found})


async def _check(
    answers: list[ScriptedAnswer], times: int = 1, count: int = 1, method: Method = Method.QUESTIONS
) -> tuple[list[Any], ScriptedChat]:
    chat = ScriptedChat(answers)
    candidates = [Candidate(f"q{n}") for n in range(1, count + 1)]
    checker = Checker(chat, prompt("en", "form"), times)
    return await checker.check(CALL, method, MESSAGES, candidates), chat


async def test_good_questions_pass_and_faulty_ones_carry_the_reason() -> None:
    found, _ = await _check([_said({}, {"viewpoint": True}, {"inconsistency": True})], count=3)
    assert Candidate("q1", checked=CheckCounts(1, 0)) == found[0]
    assert [(QuestionFault.VIEWPOINT, "because 2"), (QuestionFault.INCONSISTENCY, "because 3")] == [
        (f.fault, f.detail) for f in found[1:]
    ]


@pytest.mark.parametrize(
    ("faulty", "times", "passes"), [(1, 3, True), (2, 3, False), (1, 2, False), (0, 2, True)]
)
async def test_a_question_goes_if_half_of_the_checks_find_fault(
    faulty: int, times: int, passes: bool
) -> None:
    answers: list[ScriptedAnswer] = [_said({"viewpoint": n < faulty}) for n in range(times)]
    found, chat = await _check(answers, times)
    assert passes == isinstance(found[0], Candidate)
    assert CheckCounts(times, faulty) == CheckCounts(
        found[0].checked.usable, found[0].checked.faulty
    )
    assert [f"check{n}" for n in range(1, times + 1)] == [r.call.part for r in chat.requests]


@pytest.mark.parametrize(
    ("times", "kept", "dropped"), [(1, ("a", "b", "c"), ()), (2, ("b",), ("a", "c"))]
)
async def test_a_fact_goes_if_half_of_the_checks_find_it_wrong(
    times: int, kept: tuple[str, ...], dropped: tuple[str, ...]
) -> None:
    quote = Quote("faq-1", "a, b")
    facts = Facts((Fact(("a", "A"), quote), Fact(("b",), quote)), ("c",))
    verdict = {"number": 1, "viewpoint": False, "inconsistency": False}
    answers: list[ScriptedAnswer] = [
        json.dumps({"questions": [{**verdict, "wrong": [1, 3, 9] if n < times else []}]})
        for n in range(3)
    ]
    checker = Checker(ScriptedChat(answers), prompt("en", "form"), 3)
    [checked] = await checker.check(CALL, Method.QUESTIONS, MESSAGES, [Candidate("q", facts)])
    assert isinstance(checked, Candidate)
    assert kept == checked.facts.statements
    assert tuple(DroppedFact(text, FactFault.CHECK) for text in dropped) == checked.facts.dropped


async def test_different_faults_count_together_and_the_most_frequent_is_named() -> None:
    said: list[ScriptedAnswer] = [
        _said({"viewpoint": True}), _said({"inconsistency": True}), _said({}),
    ]  # fmt: skip
    found, _ = await _check(said, 3)
    assert QuestionFault.VIEWPOINT == found[0].fault
    both, _ = await _check([_said({"viewpoint": True, "inconsistency": True})])
    assert QuestionFault.VIEWPOINT == both[0].fault


async def test_a_check_without_a_form_leaves_its_questions_unchecked() -> None:
    found, chat = await _check(["sure", "sure!"])
    assert isinstance(found[0], Rejected)
    assert QuestionFault.UNCHECKED == found[0].fault
    assert ["check1", "check1/repair"] == [request.call.part for request in chat.requests]


async def test_a_question_that_the_check_leaves_out_is_unchecked() -> None:
    found, _ = await _check([_said({})], count=2)
    assert isinstance(found[0], Candidate)
    assert (QuestionFault.UNCHECKED, "the check skipped it") == (found[1].fault, found[1].detail)


async def test_usable_checks_count_without_the_unusable_ones() -> None:
    answers: list[ScriptedAnswer] = ["sure", "sure!", _said({})]
    found, _ = await _check(answers, 2)
    assert Candidate("q1", checked=CheckCounts(1, 0)) == found[0]


async def test_other_methods_have_faults_of_their_own() -> None:
    one = {"number": 1, "reason": "", "viewpoint": False, "inconsistency": False, "one_entry": True}
    two, _ = await _check([json.dumps({"questions": [one]})], method=Method.TWO_ENTRIES)
    assert QuestionFault.ONE_ENTRY == two[0].fault
    known = {"number": 1, "reason": "", "viewpoint": False, "answered": True}
    none, _ = await _check([json.dumps({"questions": [known]})], method=Method.UNANSWERABLE)
    assert QuestionFault.ANSWERED == none[0].fault


async def test_a_model_out_of_reach_is_left_to_the_session() -> None:
    with pytest.raises(ModelError):
        await _check([ModelError(ModelFault.UNAVAILABLE, "down")])
