"""What was said before a turn, as the Review worksheet shows it."""

from dataclasses import replace

import pytest

from simulator.core.persona import Language
from simulator.core.talk import Exchange, Reply
from simulator.reports._workbook.config_worksheet import earlier_turns
from tests.execution.scored import episode, failed, turn

TALK = episode(
    turn(exchange=Exchange(1, "Where is it?", Reply("On its way.\n\n- really"))),
    replace(failed(), exchange=Exchange(2, "Still?", failed().exchange.reply)),
    turn(exchange=Exchange(3, "Hello?", Reply("Yes."))),
)


def test_on_the_first_turn_nothing_was_said() -> None:
    assert "" == earlier_turns(TALK, TALK.turns[0], "en")


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        (
            "en",
            ["User: Where is it?", "Bot: On its way. - really", "User: Still?", "Bot: (no answer)"],
        ),
        (
            "ja",
            [
                "利用者: Where is it?",
                "ボット: On its way. - really",
                "利用者: Still?",
                "ボット: （回答なし）",
            ],
        ),
    ],
)
def test_the_latest_stand_last_a_line_for_each(language: Language, lines: list[str]) -> None:
    assert lines == earlier_turns(TALK, TALK.turns[2], language).split("\n")
    assert lines[:2] == earlier_turns(TALK, TALK.turns[1], language).split("\n")


@pytest.mark.parametrize(
    ("language", "mark"), [("en", "[earlier messages omitted] … "), ("ja", "（前略）… ")]
)
def test_of_a_long_talk_the_front_is_left_out_with_a_mark(language: Language, mark: str) -> None:
    said = [turn(exchange=Exchange(n, f"q{n}", Reply("x" * 400))) for n in range(1, 7)]
    found = earlier_turns(episode(*said), said[5], language)
    assert found.startswith(f"{mark}x")
    assert found.endswith("q5\n" + {"en": "Bot: ", "ja": "ボット: "}[language] + 400 * "x")
    assert 1_500 == len(found.removeprefix(mark))
