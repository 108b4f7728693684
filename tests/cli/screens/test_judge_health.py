"""The screen of `mogi show RUN --judge`, and the line above the score."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import pytest
from rich.console import Console

from simulator.cli.screens.show import judge_view, show_judge
from simulator.core.claim import Reader, State
from simulator.core.errors import InputError
from simulator.core.run import Episode, Run
from simulator.core.scenario import Expected
from simulator.reports._weak import weak_turns
from simulator.view.run_view import view_of
from simulator.view.worst import TurnLists
from simulator.words import Words
from tests.execution.scored import LEXICAL, episode, header, rated, run, turn
from tests.results.made import answer, readings, talk
from tests.view.judged import judged, judged_header, talks

Language = Literal["en", "ja"]


def doubtful(language: Language = "en") -> Run:
    """Eight wrong answers that the judge takes, and a right one that it does not."""
    turns = [
        judged(5, comment=f"It is, {n}.", words=State.VIOLATED, model=State.MET) for n in range(8)
    ]
    turns += [judged(2, comment="It lacks the time.", words=State.MET, model=State.UNMET)]
    return run(judged_header(language=language), *quoting(*talks(*turns)))


def quoting(*episodes: Episode) -> Iterator[Episode]:
    """Where words prove a violation, they quote the answer."""
    for each in episodes:
        (told,) = each.turns
        read = [
            replace(r, quote="25 minutes") if r.state is State.VIOLATED else r
            for r in told.readings or ()
        ]
        yield replace(each, turns=(replace(told, readings=tuple(read)),))


def shown(made: Run, width: int = 100) -> str:
    health = made.summary.judge_health
    assert health is not None
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        for part in judge_view(made, health, width):
            console.print(part)
    return captured.get()


def test_the_rates_stand_above_the_turns_that_words_contradict() -> None:
    text = shown(doubtful())
    assert "claims where judge and text matching differ" in text
    assert "0.01 (above)" in text
    disagree = "Judge and text matching disagree on 9 answers (of 9 proven claims)"
    assert text.index("(above)") < text.index(disagree)


def test_what_the_judge_lets_pass_comes_first_with_the_claim_and_both_readings() -> None:
    text = shown(doubtful())
    first, second, last = (text.index(name) for name in (" 1  s0", " 2  s1", " 9  s8"))
    assert re.search(
        r"says “met”, but text matching finds a contradiction\n.*"
        r"expected +30 minutes\n +matching +contradicted: 25 minutes\n +judge +met\n",
        text[first:second],
        re.DOTALL,
    )
    assert re.search(
        r"almost word for word\n.* +matching +met\n +judge +not said\n", text[last:], re.DOTALL
    )


def test_in_japanese_both_readings_are_told() -> None:
    text = shown(doubtful("ja"))
    assert re.search(r"正解 +30 minutes\n +語句 +食い違う: 25 minutes\n +採点役 +満たす\n", text)


def test_of_a_statement_that_would_be_wrong_it_is_told_that_it_must_not_come() -> None:
    forbidding = Expected(answerable=False, must_not=("It is free",))
    said = [*readings(forbidding, State.VIOLATED), *readings(forbidding, reader=Reader.MODEL)]
    held = talk(forbidding, answer(*said, outcomes=judged(5).outcomes))
    text = shown(run(judged_header(), held))
    assert re.search(
        r"does not say: It is free\n +matching +not met\n +judge +met\n", text, re.DOTALL
    )


@pytest.mark.parametrize("language", ["en", "ja"])
def test_it_is_told_above_the_score(language: Language) -> None:
    made = doubtful(language)
    lines = [(line.label, line.text) for line in view_of(made, Words(language, "report")).lines]
    labels = [label for label, _ in lines]
    score = Words(language, "report")("score")
    judge = Words(language, "report")("judge")
    assert labels.index(judge) < labels.index(score)
    assert any("mogi show 3f9ab2c1 --judge" in text.plain for _, text in lines)


def test_a_judge_in_good_health_is_not_spoken_of() -> None:
    made = run(
        judged_header(), *talks(*[judged(5, 4, 5, 4 + n % 2, comment=f"So {n}.") for n in range(6)])
    )
    words = Words("en", "report")
    assert words("judge") not in [line.label for line in view_of(made, words).lines]
    assert "No problems found with the judge." in shown(made)
    assert "Text matching decides no claim in this run" in shown(made)


def test_the_list_of_weak_turns_marks_what_words_contradict() -> None:
    made, words = doubtful(), Words("en", "report")
    lists = TurnLists.of(made.header, made.summary)
    lines = [line.plain for line in weak_turns(made, lists, words, 100)]
    assert any("judge     the judge says “met”, but text" in line for line in lines)
    assert lines[0].startswith("Flagged turns, worst first (9 of 9, in ")


@pytest.mark.parametrize("words", [State.UNKNOWN, State.MET])
def test_a_judge_that_understands_free_rewordings_is_not_spoken_of(words: State) -> None:
    turns = [
        judged(5, 4, 5, 4 + n % 2, comment=f"So {n}.", words=words, model=State.MET)
        for n in range(20)
    ]
    made = run(judged_header(), *talks(*turns))
    lines = view_of(made, Words("en", "report")).lines
    assert "judge" not in [line.label.lower() for line in lines]
    text = shown(made)
    assert "No problems found with the judge." in text
    assert ("Judge and text matching never disagree." in text) is (words is State.MET)


def test_a_run_without_a_judge_says_how_to_judge_it() -> None:
    head = header(metrics=(LEXICAL,), score_by="lexical")
    with pytest.raises(InputError, match="mogi rejudge 3f9ab2c1"):
        show_judge(run(head, episode(turn(rated(4), metric="lexical"))))


def test_few_ratings_tell_nothing_of_a_judge() -> None:
    assert "too few to tell" in shown(run(judged_header(), *talks(judged(5, 4, 5, 4))))
