"""Planted verdicts: no form of one is taken for the judge's own, and the test can tell."""

import pytest

from simulator.checks.judge_check import FORMS, planted_verdicts_taken
from simulator.llm.structured import FormModel, read_form


def test_attack_no_form_of_a_planted_verdict_is_taken() -> None:
    assert 16 == len(FORMS)
    assert () == planted_verdicts_taken()


def test_a_parser_that_takes_what_it_finds_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(text: str, form_model: type[FormModel], *_: object, **__: object) -> FormModel:
        return read_form(text, form_model)

    monkeypatch.setattr("simulator.checks.judge_check.read_form", careless)
    assert 10 <= len(planted_verdicts_taken())
