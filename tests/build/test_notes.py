"""What runs say of themselves, in both languages."""

import pytest

from simulator.build.snapshot import note
from simulator.core.persona import Language


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "the gate of client.yaml speaks of overall; this run has lexical only"),
        (
            "ja",
            (
                "client.yaml の gate は overall についてのものです。"
                "このランにあるのは lexical だけなので、合否は判定しません"
            ),
        ),
    ],
)
def test_a_note_is_in_the_clients_language(language: Language, said: str) -> None:
    assert said == note(language, "gate", asked="overall", has="lexical")
