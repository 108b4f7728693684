"""Which turn shows why a conversation did not pass, and what is said of it."""

from dataclasses import replace

from simulator.core.outcome import Score
from simulator.core.result import Finding, Result, Why
from simulator.core.scenario import Expected
from simulator.figures.results import why_text
from simulator.judging.facts import refused_before
from simulator.judging.result import finding_of
from tests.judging.test_result import MISSING, OFFLINE, elements, grounded, refusal, talk, turn


def test_a_hand_over_that_never_came_says_what_was_made_up_beside_it() -> None:
    leak = turn(refusal=refusal(0.0), grounded=grounded(0.1, 0, invented=1))
    found = finding_of(talk(leak, expected=Expected(escalate=True)), OFFLINE)
    assert (Why.NEVER_HANDED_OVER, ("It is free.",)) == (found.why, found.about)


def test_advice_where_a_person_was_due_is_shown_before_what_was_never_said() -> None:
    advice = turn(elements_lexical=MISSING, refusal=refusal(1.0), grounded=grounded(0.1, 0))
    last = turn(elements_lexical=MISSING, refusal=refusal(1.0))
    found = finding_of(talk(advice, last, expected=Expected(escalate=True)), OFFLINE)
    assert (Why.NEVER_SAID, 1) == (found.why, found.turn)


WRONG = refusal(0.0, refused=1.0)


def test_the_scenarios_own_question_shows_what_was_never_said() -> None:
    beside = turn(elements_lexical=MISSING, refusal=refusal(1.0))
    later = turn(elements_lexical=MISSING, refusal=WRONG)
    expected = Expected((), (("30 minutes",),))
    found = finding_of(talk(beside, later, later, expected=expected), OFFLINE)
    assert (Why.NEVER_SAID, 1) == (found.why, found.turn)
    found = finding_of(talk(beside, beside, expected=expected), OFFLINE)
    assert (Why.NEVER_SAID, 1) == (found.why, found.turn)
    found = finding_of(talk(later, later, expected=expected), OFFLINE)
    assert (Why.REFUSED, 1) == (found.why, found.turn)
    found = finding_of(talk(later, beside, later, expected=expected), OFFLINE)
    assert (Why.REFUSED, 1) == (found.why, found.turn)


def test_what_is_missing_after_a_part_was_said_shows_where_nothing_more_came() -> None:
    part = turn(elements_lexical=elements(said=1, missing=1))
    both = Expected((), (("a",), ("b",)))
    for talks, shows in (([part], 1), ([part, part, part], 2), ([turn(), part, part], 1)):
        found = finding_of(talk(*talks, expected=both), OFFLINE)
        assert (Why.NEVER_SAID, shows) == (found.why, found.turn)


def test_a_hand_over_that_never_came_was_due_at_the_first_question() -> None:
    kept = turn(refusal=refusal(0.0))
    found = finding_of(talk(kept, kept, expected=Expected(escalate=True)), OFFLINE)
    assert (Why.NEVER_HANDED_OVER, 1) == (found.why, found.turn)


def test_who_answered_first_has_not_refused_to_the_end() -> None:
    first = turn(elements_lexical=elements(said=1, unclear=1), refusal=refusal(1.0))
    last = turn(elements_lexical=elements(said=1, unclear=1), refusal=refusal(0.0, refused=1.0))
    found = finding_of(talk(first, last, expected=Expected((), (("a",), ("b",)))), OFFLINE)
    assert (Result.UNDECIDED, Why.REFUSED_LATER, 2) == (found.result, found.why, found.turn)
    assert "2" not in why_text(found, "en")
    wholly = turn(elements_lexical=elements(said=2), refusal=refusal(1.0))
    refused = turn(elements_lexical=elements(said=2), refusal=refusal(0.0, refused=1.0))
    both = finding_of(talk(wholly, refused, expected=Expected((), (("a",), ("b",)))), OFFLINE)
    assert (Result.UNDECIDED, Why.REFUSED_LATER, 2) == (both.result, both.why, both.turn)
    assert () == refused_before((wholly, refused, wholly))
    never = finding_of(talk(last, last, expected=Expected((), (("a",),))), OFFLINE)
    assert (Why.REFUSED, ()) == (never.why, never.about)


def test_a_sentence_of_the_answer_that_is_not_said_is_named_by_itself() -> None:
    parts = {"met": 0.5, "contradicted": 0.0, "unsaid": 1.0}
    score = Score(0.5, 0.5, "", parts, ("But not on Sundays.", "It is free."))
    found = finding_of(talk(turn(answer_lexical=score)), OFFLINE)
    assert (Result.UNDECIDED, Why.UNSAID) == (found.result, found.why)
    assert ("But not on Sundays.",) == found.about


def test_sentences_that_are_named_together_do_not_run_into_each_other() -> None:
    both = Finding(Result.FAILED, Why.NEVER_SAID, 1, "elements_lexical", ("It is free.", "a"))
    assert "It is free. / a" in why_text(both, "en")
    assert "a, b" in why_text(replace(both, about=("a", "b")), "en")
