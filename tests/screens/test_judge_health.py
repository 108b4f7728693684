"""The screen of `mogi show RUN --judge`, and the line above the score."""

from typing import Literal

import pytest
from rich.console import Console

from simulator.core.claim import State
from simulator.core.errors import InputError
from simulator.core.run import Run
from simulator.reports._figures import figures
from simulator.reports._weak import weak_turns
from simulator.screens.judge_health import judge_view, show_judge
from simulator.words import Words
from tests.figures.judged import judged, judged_header, talks
from tests.judging.made import LEXICAL, episode, header, rated, run, turn

Language = Literal["en", "ja"]


def doubtful(language: Language = "en") -> Run:
    met, violated = State.MET, State.VIOLATED
    turns = [judged(5, comment=f"It is, {n}.", words=violated, model=met) for n in range(8)]
    turns += [judged(2, comment="It lacks the code.", words=met, model=State.UNMET)]
    return run(judged_header(language=language), *talks(*turns))


def shown(made: Run, width: int = 100) -> str:
    health = made.summary.judge_health
    assert health is not None
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        for part in judge_view(made, health, width):
            console.print(part)
    return captured.get()


def test_the_rates_are_above_the_answers_that_judge_and_words_read_differently() -> None:
    text = shown(doubtful())
    assert "claims read otherwise than words prove" in text
    assert "0.01 (past it)" in text
    assert text.index("past it") < text.index("disagree on 9 answers (of 9 proven claims)")


def test_what_the_judge_lets_pass_comes_first_with_both_readings() -> None:
    text = shown(doubtful())
    first, last = text.index(" 1  s0"), text.index(" 9  s8")
    entry = text[first:last]
    assert "the judge lets it pass" in entry
    assert "30 minutes" in entry
    assert "the judge fails it" in text[last:]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_it_is_told_above_the_score(language: Language) -> None:
    made = doubtful(language)
    lines = figures(made, Words(language, "report"))
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
    assert words("judge") not in [label for label, _ in figures(made, words)]
    assert "Nothing speaks against the judge." in shown(made)
    assert "Words prove no claim in this run" in shown(made)


def test_the_list_of_weak_turns_marks_where_judge_and_words_disagree() -> None:
    lines = [line.plain for line in weak_turns(doubtful(), Words("en", "report"), 100)]
    assert any("judge     the judge lets it pass" in line for line in lines)
    assert lines[0].startswith("Worst turns first (")


def test_a_run_without_a_judge_says_how_to_judge_it() -> None:
    head = header(metrics=(LEXICAL,), score_by="lexical")
    with pytest.raises(InputError, match="mogi rejudge 3f9ab2c1"):
        show_judge(run(head, episode(turn(rated(4), metric="lexical"))))


def test_few_ratings_tell_nothing_of_a_judge() -> None:
    assert "too few to tell" in shown(run(judged_header(), *talks(judged(5, 4, 5, 4))))
