"""One conversation as `mogi show RUN EPISODE` tells it."""

import io
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from simulator.cli.screens.episode import chosen, episode_view
from simulator.core.errors import InputError
from simulator.core.outcome import Gap, Score, Unscored
from simulator.core.persona import Language
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, Turn
from simulator.core.scenario import Expected
from simulator.core.talk import Document, Exchange, Reply, Stop, StopReason
from simulator.core.verdict import Verdict, Word
from tests.execution.scored import LEXICAL, OVERALL, episode, failed, header, rated, turn
from tests.expecting import expecting
from tests.results.made import MET, MODEL, UNKNOWN, UNMET, VIOLATED, answer, readings, talk

LONG = "設定を開いてください。" * 40


def shown(
    talk: Episode,
    language: Language = "en",
    width: int = 80,
    *,
    colour: bool = False,
    expected: Expected | None = None,
    said: Sequence[Verdict] = (),
) -> str:
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        highlight=False,
    )
    head = header(language=language, metrics=(OVERALL, LEXICAL))
    for line in episode_view(head, talk, width, expected, said):
        console.print(line, crop=False)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


WEAK = turn(
    rated(2, "Thin."),
    exchange=Exchange(
        1, "How much?\nTell me.", Reply(LONG, (Document("x", "faq-1"), Document("y", None, "Fees")))
    ),
    blames=("unused",),
    soundness=("length",),
)
WEAK = replace(WEAK, outcomes={**WEAK.outcomes, "lexical": Unscored(Gap.NOT_APPLICABLE)})


def test_a_transcript_says_all_about_its_turns() -> None:
    fine = turn(rated(5), outcomes={"overall": rated(5), "lexical": Score(0.5, 0.5)})
    text = shown(episode(WEAK, fine, stop=StopReason.DONE))
    assert re.search(r"^parcel/calm/1  acme  run 3f9ab2c1  2026-11-20 14:06", text)
    assert re.search(r"turn 1\n +user +How much\?\n +Tell me\.\n +problem +far too long\n", text)
    assert re.search(r"  ! bot +設定を開いて", text)
    assert re.search(r"documents +faq-1, Fees\n +cause +Retrieved but not used\n", text)
    assert re.search(
        r"scores +overall ! 0\.40 \(rating 2\) Thin\.\n +not applicable: lexical", text
    )
    assert re.search(r"turn 2\n.*\n +bot +It is on its way\.\n +scores +overall 1\.00 \(rat", text)
    assert re.search(r"\n +lexical 0\.50\n", text)
    assert re.search(r"\n    end +no more questions\n$", text)


def test_why_it_was_held_again_stands_below_its_end() -> None:
    again = replace(episode(turn(rated(5))), rerun_for=("echo", "stopped_at_once"))
    told = "repeats the bot · left while the bot was asking"
    assert re.search(
        rf"\n +problem +retried; in the first attempt: {told}\n$", shown(again, width=120)
    )


def test_what_was_never_asked_stands_below_its_end() -> None:
    cut_short = Stop(StopReason.MAX_TURNS, "", ("How long?", "How much?"))
    text = shown(replace(episode(turn(rated(5))), stop=cut_short))
    assert re.search(r"end +turn limit\n +not asked +How long\?, How much\?\n$", text)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_is_left_out_and_nothing_is_too_wide(width: int) -> None:
    text = shown(episode(WEAK), "ja", width)
    assert LONG in re.sub(r"\s", "", text)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "1 往復目" in text


def test_a_comment_that_several_metrics_share_is_told_once() -> None:
    outcomes = {
        "relevance": rated(4, "Too long."),
        "overall": rated(2, "Too long."),
        "lexical": Score(0.5, 0.5, "lacks: 30"),
    }
    text = shown(episode(turn(rated(2), outcomes=outcomes)))
    assert re.search(
        r"scores +relevance 0\.80\n +overall ! 0\.40 \(rating 2\)\n"
        r" +lexical 0\.50 lacks: 30\n +comment +relevance, overall: Too long\.\n",
        text,
    )


def test_a_comment_of_all_metrics_names_none() -> None:
    outcomes = {
        "relevance": rated(4, "Too long."),
        "overall": rated(2, "Too long."),
        "lexical": Unscored(Gap.NOT_APPLICABLE),
    }
    text = shown(episode(turn(rated(2), outcomes=outcomes)))
    assert re.search(r"not applicable: lexical\n +comment +Too long\.\n", text)


def told(expected: Expected, *turns: Turn, language: Language = "en") -> str:
    """What stands above the turns of a conversation that was read so."""
    held = talk(expected, *turns)
    return shown(held, language, width=120, expected=expected).split("turn 1")[0]


def test_each_claim_stands_above_the_turns_with_its_state_its_reader_and_a_quote() -> None:
    wanted = expecting("500 yen.", ("500 yen", ("free", "no charge"), "a year"), ("faq-1", "faq-2"))
    said = readings(wanted, MET, VIOLATED, UNMET, UNKNOWN)
    said = tuple(replace(r, quote="25 yen") if r.state is VIOLATED else r for r in said)
    by_model = replace(said[2], reader=MODEL)
    assert """expected
    answer    500 yen.
    claims    met (text matching): 500 yen
              contradicted (text matching): free / no charge; the bot said “25 yen”
              not said (a model): a year
              not decided (text matching): gives an answer
    documents faq-1, faq-2
""" in told(wanted, answer(*said, by_model))


def test_what_must_not_come_and_what_has_no_wording_are_told_as_such() -> None:
    wanted = expecting(answerable=False, must_not=["It is free"], escalate=True)
    said = readings(wanted, VIOLATED, MET, UNMET)
    assert """    claims    not met (text matching): does not say: It is free
              met (text matching): declines to answer
              not met (text matching): hands over to a person
""" in told(wanted, answer(*said))
    japanese = told(wanted, answer(*said), language="ja").replace("1 往復目", "")
    assert "満たさない（語句）: 「It is free」と言わない\n" in japanese
    assert "満たす（語句）: 資料に答えがないと伝える\n" in japanese
    assert "満たさない（語句）: 担当者に引き継ぐ\n" in japanese


def test_an_expected_answer_is_a_claim_and_stands_there_once() -> None:
    right = "It costs 500 yen a month."
    text = told(expecting(right), answer(*readings(expecting(right), UNMET)))
    assert 1 == text.count(right)
    assert f"not said (text matching): {right}" in text


def test_of_a_run_without_readings_or_a_scenario_what_is_expected_is_told() -> None:
    wanted = expecting(elements=("500 yen",))
    unread = answer(readings=None)
    assert "claims    not decided: 500 yen\n" in told(wanted, unread)
    nameless = replace(talk(wanted, unread), scenario=None)
    assert "claims    not decided: 500 yen\n" in shown(nameless, expected=wanted)
    assert "expected" not in shown(nameless)


def test_a_persons_verdict_on_an_answer_takes_its_violations_away() -> None:
    wanted = expecting(elements=("500 yen",))
    held = talk(wanted, answer(*readings(wanted, VIOLATED)))
    fine = Verdict(held.cell.key, 1, Word.OK, "Sato", at="2026-11-21T06:00:00+00:00")
    assert "contradicted (text matching): 500 yen" in shown(held)
    assert "met (reviewers): 500 yen" in shown(held, said=[fine])


@pytest.mark.parametrize(
    ("language", "by"),
    [("en", "to decide: use a judge"), ("ja", "採点役を使う（mogi rejudge 3f9ab2c1")],
)
def test_what_is_undecided_says_what_would_decide_it(language: Language, by: str) -> None:
    unsure = Finding(Result.UNDECIDED, Why.UNCLEAR, 1, about=("500 yen",))
    text = shown(replace(episode(turn()), finding=unsure), language)
    assert "500 yen" in text
    assert by in text


def test_what_is_said_of_the_whole_talk_follows_its_turns() -> None:
    outcomes = {"lexical": Score(0.5, 0.5, "Half of it."), "overall": rated(2, "Slow.")}
    last = replace(turn(), flags=("overall",), flagged=True)
    text = shown(replace(episode(turn(), last), outcomes=outcomes))
    assert re.search(
        r"turn 2\n(.*\n)+whole conversation\n +scores +lexical 0\.50 Half of it\.\n"
        r" +overall ! 0\.40 \(rating 2\) Slow\.\n +end +",
        text,
    )
    assert "whole conversation" not in shown(episode(turn(rated(2))))


def test_a_missing_score_says_why() -> None:
    gap = turn(Unscored(Gap.JUDGE_REFUSED, "the model said no"))
    assert "overall – judge refused: the model said no" in shown(episode(gap))


def test_a_failed_target_says_how_and_has_no_scores() -> None:
    talk = replace(episode(failed()), stop=Stop(StopReason.TARGET_FAILED, "timeout: no answer"))
    text = shown(talk)
    assert re.search(r"! bot +\(no answer\) timeout: no answer within 60 s", text)
    assert re.search(r"end +bot error\n", text)
    assert "（回答なし） 時間切れ: no answer within 60 s" in shown(talk, "ja")
    assert "scores" not in text


def test_a_talk_without_turns_has_an_end() -> None:
    assert re.search(r"end +simulated user failed", shown(episode(stop=StopReason.USER_FAILED)))


def test_weak_answers_are_coloured_and_nothing_of_a_model_does_harm() -> None:
    evil = "\x1b[2J[red]x[/red] \u202e:smile:"
    talk = episode(turn(rated(1, evil), exchange=Exchange(1, evil, Reply(evil))))
    assert re.search(
        r"48;2;250;219;218m\[2J\[red\]x\[/red\] ⟨U\+202E⟩:smile:", shown(talk, colour=True)
    )
    assert "\x1b" not in shown(talk)


KEYS = ["cannot-get-in/calm/1", "cannot-get-in/angry/1", "change/calm/1", "a/b/calm/1"]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("change", "change/calm/1"),
        ("can/an", "cannot-get-in/angry/1"),
        ("cann…in/calm", "cannot-get-in/calm/1"),
        ("cannot-get-in/calm/1", "cannot-get-in/calm/1"),
        ("a/b/c", "a/b/calm/1"),
    ],
)
def test_a_conversation_is_found_by_the_beginnings_of_its_parts(name: str, key: str) -> None:
    assert key == chosen(name, KEYS, "1a2b")


def test_what_several_begin_with_names_them() -> None:
    said = r"'c/calm' is ambiguous: cannot-get-in/calm/1, change/calm/1"
    with pytest.raises(InputError, match=said):
        chosen("c/calm", KEYS, "1a2b")
    with pytest.raises(InputError, match="has no conversation 'nothing'"):
        chosen("nothing", KEYS, "1a2b")


def test_people_who_differ_are_shown_with_what_each_of_them_said_and_where() -> None:
    ng = Verdict("parcel/calm/1", 1, Word.NG, "Sato", at="2026-11-21T06:00:00+00:00")
    known = replace(ng, word=Word.OK, reviewer="Tanaka", run="0a1b2c3d")
    text = shown(episode(WEAK), said=[ng, known, replace(ng, turn=2)])
    assert "reviewers Sato: NG (2026-11-21)\n" in re.sub(" +", " ", text)
    assert "Tanaka: OK (2026-11-21, for the same answer in run 0a1b2c3d)" in text
    assert "they disagree: undecided until they agree" in text
    assert "they differ" not in shown(episode(WEAK), said=[ng])
