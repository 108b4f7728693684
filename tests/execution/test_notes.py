"""What runs say of themselves, in both languages."""

from pathlib import Path

import pytest

from simulator.core.persona import Language
from simulator.execution.plan import Options, make_plan
from simulator.execution.snapshot import note, unspoken_turns
from tests.execution.clients import client


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "the gate in client.yaml uses overall, but this run has only lexical"),
        (
            "ja",
            (
                "client.yaml の gate は overall についてのものです。"
                "この実行にあるのは lexical だけなので、合否は判定しません"
            ),
        ),
    ],
)
def test_a_note_is_in_the_clients_language(language: Language, said: str) -> None:
    assert said == note(language, "gate", asked="overall", has="lexical")


@pytest.mark.parametrize(("language", "said"), [("en", "1 scenario has turns"), ("ja", "1 件")])
def test_turns_that_nobody_says_are_told(tmp_path: Path, language: Language, said: str) -> None:
    scripted = (
        "- {id: more, query: 送料は, turns: [沖縄は, 北海道は]}\n- {id: one, query: 返品は}\n"
    )

    def told(lines: str, *only: str) -> list[str]:
        loaded = client(tmp_path, lines, scenarios=scripted)
        plan = make_plan(loaded, Options(scenarios=only, offline=True))
        return list(unspoken_turns(plan, loaded.client.user.kind, language))

    (found,) = told("")
    assert said in found
    assert "user: {kind: scripted}" in found
    assert "user: {kind: agenda}" in found
    assert not told("", "one")
    assert not told("user: {kind: scripted}\n")
    assert not told("user: {kind: agenda}\n")
