"""The result of a conversation, line by line; whole talks are played in test_typical_talks."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from simulator.core.outcome import Gap, MetricInfo, Score, Unscored
from simulator.core.result import Result, Why
from simulator.core.run import Episode, Turn
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Exchange, Reply, Stop, StopReason
from simulator.core.verdict import Word
from simulator.judging.facts import is_flag
from simulator.judging.result import Rules, finding_of, findings_of
from tests.judging.made import FAILURE, episode

LIMITS = {"overall": 0.7, "grounded": 0.6, "refusal": 0.5}
OVERALL = MetricInfo("overall", "Overall", needs=("judge",))
OFFLINE = Rules.of((), LIMITS)
JUDGED = Rules.of((OVERALL,), LIMITS)
NOTHING = Unscored(Gap.NOT_APPLICABLE)
PASSED, FAILED, UNDECIDED = Result.PASSED, Result.FAILED, Result.UNDECIDED


def elements(said: int = 0, unclear: int = 0, missing: int = 0, contradicted: int = 0) -> Score:
    n = said + unclear + missing
    parts = {"said": said, "unclear": unclear, "missing": missing, "contradicted": contradicted}
    return Score((said + unclear / 2) / n, 0.0, "", parts, ("30 minutes",))


def answer(met: float, contradicted: float = 0) -> Score:
    return Score(met, met, "", {"met": met, "contradicted": contradicted})


def refusal(value: float, **parts: float) -> Score:
    return Score(value, value, "", parts)


def grounded(value: float, borne_out: float, contradicted: float = 0, invented: float = 0) -> Score:
    parts = {"borne_out": borne_out, "weakest": value, "contradicted": contradicted}
    parts["invented"] = invented
    return Score(value, value, "", parts, ("It is free.",))


def rated(value: float) -> Score:
    return Score(value, value)


SAID, UNCLEAR, MISSING = elements(said=1), elements(unclear=1), elements(missing=1)
GOOD, BAD = rated(1.0), rated(0.2)


def turn(*, soundness: tuple[str, ...] = (), asks_back: bool = False, **found: Any) -> Turn:
    made = Turn(Exchange(1, "q", Reply("a")), {"elements_lexical": NOTHING, **found})
    return replace(made, soundness=soundness, asks_back=asks_back)


def talk(*turns: Turn, expected: Expected | None = None, stop: StopReason | None = None) -> Episode:
    held = episode(*turns, stop=stop or StopReason.MAX_TURNS)
    return replace(held, scenario=Scenario("s", "q", expected=expected or Expected()))


def result(
    held: Episode,
    rules: Rules = OFFLINE,
    words: Mapping[int, Word] | None = None,
    *,
    doubted: bool = False,
) -> tuple[Result, Why]:
    found = finding_of(held, rules, words or {}, doubted=doubted)
    assert found == findings_of(held, rules, words or {}, (not doubted, doubted))[1]
    return found.result, found.why


def test_all_that_is_expected_was_said() -> None:
    assert (PASSED, Why.SAID) == result(talk(turn(elements_lexical=SAID)))
    assert (PASSED, Why.SAID) == result(talk(turn(answer_lexical=answer(1))))


def test_what_the_user_never_asked_for_is_undecided() -> None:
    half, right = elements(said=1, missing=1), grounded(1.0, 1.0)
    stop = Stop(StopReason.MAX_TURNS, unasked=("How long?",))
    for held, due in (
        (talk(turn(elements_lexical=half)), (UNDECIDED, Why.UNASKED)),
        (talk(turn(elements_lexical=MISSING, grounded=right)), (UNDECIDED, Why.UNASKED)),
        (talk(turn(elements_lexical=MISSING)), (FAILED, Why.NEVER_SAID)),
    ):
        assert (FAILED, Why.NEVER_SAID) == result(held)
        assert due == result(replace(held, stop=stop))


def test_of_sentences_that_no_document_holds_the_one_that_does_harm_is_named() -> None:
    named = ("It is free.", "Call 555-0100.", "You may also ask at the desk.")
    parts = {"borne_out": 0.2, "contradicted": 1.0, "invented": 1.0}
    wrong = Score(0.1, 0.1, "", parts, named)
    assert named[:1] == finding_of(talk(turn(grounded=wrong)), OFFLINE).about
    made_up = Score(0.1, 0.1, "", {**parts, "contradicted": 0.0}, named[1:])
    strict = Rules.of((), LIMITS, ["unsupported"])
    assert named[1:2] == finding_of(talk(turn(grounded=made_up)), strict).about


def test_a_hand_over_that_never_came_shows_the_advice_given_instead() -> None:
    advice = replace(turn(refusal=refusal(0.0), grounded=grounded(0.1, 0)), flags=("grounded",))
    held = talk(advice, turn(refusal=refusal(0.0)), expected=Expected(escalate=True))
    found = finding_of(held, OFFLINE)
    assert (Why.NEVER_HANDED_OVER, 1) == (found.why, found.turn)


def test_what_was_never_said_fails_and_names_the_turn_and_the_texts() -> None:
    held = talk(turn(elements_lexical=MISSING), turn(elements_lexical=MISSING))
    found = finding_of(held, OFFLINE)
    assert (FAILED, Why.NEVER_SAID, 1, "elements_lexical", ("30 minutes",)) == (
        found.result, found.why, found.turn, found.metric, found.about,
    )  # fmt: skip
    assert (FAILED, Why.NEVER_SAID) == result(talk(turn(answer_lexical=answer(0))))


def test_what_is_not_said_yet_fails_nothing() -> None:
    held = talk(turn(elements_lexical=MISSING), turn(elements_lexical=SAID))
    assert (PASSED, Why.SAID) == result(held)


def test_a_client_may_want_it_all_at_once() -> None:
    late = Rules.of((), LIMITS, ["late"])
    held = talk(turn(elements_lexical=MISSING), turn(elements_lexical=SAID))
    assert (FAILED, Why.LATE) == result(held, late)
    assert (PASSED, Why.SAID) == result(talk(turn(elements_lexical=SAID)), late)
    after = talk(turn(asks_back=True), turn(elements_lexical=SAID))
    assert (PASSED, Why.SAID) == result(after, late)  # a question back is no answer


def test_what_words_cannot_tell_is_undecided_unless_something_else_is_missing() -> None:
    assert (UNDECIDED, Why.UNCLEAR) == result(talk(turn(elements_lexical=UNCLEAR)))
    assert (UNDECIDED, Why.UNCLEAR) == result(talk(turn(answer_lexical=answer(0.5))))
    both = elements(unclear=1, missing=1)
    assert (FAILED, Why.NEVER_SAID) == result(talk(turn(elements_lexical=both)))


@pytest.mark.parametrize(
    "harm",
    [
        {"elements_lexical": elements(said=1, contradicted=1)},
        {"answer_lexical": answer(0.5, contradicted=1)},
        {"grounded": grounded(0.2, 0.5, contradicted=1)},
    ],
)
def test_a_contradiction_fails_whatever_comes_after_it(harm: Mapping[str, Any]) -> None:
    held = talk(turn(**harm), turn(elements_lexical=SAID))
    found = finding_of(held, OFFLINE)
    assert (FAILED, Why.CONTRADICTS, 1) == (found.result, found.why, found.turn)
    assert all(is_flag(name, outcome, {}) for name, outcome in harm.items())


def test_to_answer_what_has_no_answer_fails() -> None:
    held = talk(turn(refusal=refusal(0, answered=1)), expected=Expected(answerable=False))
    assert (FAILED, Why.ANSWERED) == result(held)


def test_after_an_unsound_turn_no_answer_does_harm() -> None:
    wrong = elements(missing=1, contradicted=1)
    odd = turn(elements_lexical=wrong, soundness=("echo",))
    assert (UNDECIDED, Why.UNSOUND) == result(talk(odd))
    assert (FAILED, Why.CONTRADICTS) == result(talk(turn(elements_lexical=wrong), odd))
    long = turn(elements_lexical=SAID, soundness=("length",))
    assert (PASSED, Why.SAID) == result(talk(long))


def test_a_talk_that_its_user_broke_off_is_undecided() -> None:
    held = talk(turn(elements_lexical=MISSING), stop=StopReason.USER_FAILED)
    assert (UNDECIDED, Why.UNSOUND) == result(held)
    assert (UNDECIDED, Why.UNSOUND) == result(talk(stop=StopReason.USER_FAILED))


def test_a_bot_that_fails_fails() -> None:
    held = talk(turn(elements_lexical=SAID), Turn(Exchange(2, "q", FAILURE), {}))
    assert (FAILED, Why.TARGET_FAILED) == result(held, stop := OFFLINE)
    assert stop is OFFLINE


def test_refusals_and_handovers() -> None:
    no_answer, person = Expected(answerable=False), Expected(escalate=True)
    known = Expected(documents=("faq-1",))
    right, wrong = turn(refusal=refusal(1)), turn(refusal=refusal(0, refused=1))
    assert (PASSED, Why.RIGHTLY_REFUSED) == result(talk(right, expected=no_answer))
    assert (FAILED, Why.NEVER_REFUSED) == result(talk(turn(refusal=refusal(0)), expected=no_answer))
    assert (PASSED, Why.HANDED_OVER) == result(talk(right, expected=person))
    assert (FAILED, Why.NEVER_HANDED_OVER) == result(talk(wrong, expected=person))
    assert (FAILED, Why.REFUSED) == result(talk(wrong, expected=known))
    assert (FAILED, Why.REFUSED) == result(
        talk(turn(refusal=refusal(0, refused=1), elements_lexical=MISSING), expected=known)
    )


def test_an_early_refusal_is_repaired_and_a_late_one_leaves_it_undecided() -> None:
    early = turn(refusal=refusal(0, refused=1), elements_lexical=MISSING)
    right = turn(refusal=refusal(1), elements_lexical=SAID)
    late = turn(refusal=refusal(0, refused=1), elements_lexical=SAID)
    expected = Expected(elements=(("30 minutes",),))
    assert (PASSED, Why.SAID) == result(talk(early, right, expected=expected))
    assert (UNDECIDED, Why.REFUSED_LATER) == result(talk(right, late, expected=expected))


def test_not_to_refuse_is_no_content() -> None:
    held = talk(turn(refusal=refusal(1)), expected=Expected(documents=("faq-1",)))
    assert (Result.UNCHECKED, Why.NOTHING_EXPECTED) == result(held)


def test_a_bot_that_only_asks_back_never_said_it() -> None:
    held = talk(turn(asks_back=True), expected=Expected(elements=(("30 minutes",),)))
    assert (FAILED, Why.NEVER_SAID) == result(held)


@pytest.mark.parametrize(
    ("found", "rating", "doubted", "expected"),
    [
        ({"elements_lexical": MISSING}, BAD, False, (FAILED, Why.NEVER_SAID)),
        ({"elements_lexical": MISSING}, GOOD, False, (UNDECIDED, Why.AT_ODDS)),
        ({"elements_lexical": MISSING}, GOOD, True, (FAILED, Why.NEVER_SAID)),
        ({"elements_lexical": UNCLEAR}, BAD, False, (FAILED, Why.SCORED_LOW)),
        ({"elements_lexical": UNCLEAR}, GOOD, False, (PASSED, Why.SCORED_WELL)),
        ({"elements_lexical": UNCLEAR}, GOOD, True, (UNDECIDED, Why.UNCLEAR)),
        ({"elements_lexical": SAID}, BAD, False, (UNDECIDED, Why.AT_ODDS)),
        ({"elements_lexical": SAID}, GOOD, False, (PASSED, Why.SAID)),
        ({"elements_lexical": SAID}, BAD, True, (PASSED, Why.SAID)),
        (
            {"elements_lexical": SAID, "grounded": grounded(0.4, 0.5)},
            BAD,
            False,
            (FAILED, Why.SCORED_LOW),
        ),
        ({}, BAD, False, (FAILED, Why.SCORED_LOW)),
        ({}, GOOD, False, (PASSED, Why.SCORED_WELL)),
        ({}, BAD, True, (UNDECIDED, Why.JUDGE_IN_DOUBT)),
        ({}, GOOD, True, (UNDECIDED, Why.JUDGE_IN_DOUBT)),
        ({"grounded": grounded(0.0, 0.0)}, GOOD, False, (UNDECIDED, Why.AT_ODDS)),
        ({"grounded": grounded(0.4, 0.5)}, GOOD, False, (PASSED, Why.SCORED_WELL)),
    ],
)
def test_facts_and_judge(
    found: Mapping[str, Any],
    rating: Score,
    doubted: bool,
    expected: tuple[Result, Why],
) -> None:
    held = talk(turn(overall=rating, **found))
    assert expected == result(held, JUDGED, doubted=doubted)


def test_only_the_last_answer_is_failed_by_its_rating() -> None:
    assert (PASSED, Why.SCORED_WELL) == result(talk(turn(overall=BAD), turn(overall=GOOD)), JUDGED)
    back = turn(overall=BAD, asks_back=True)
    assert (PASSED, Why.SCORED_WELL) == result(talk(turn(overall=GOOD), back), JUDGED)


def test_a_missing_score_that_could_fail_it_decides_nothing() -> None:
    gap = Unscored(Gap.JUDGE_TRUNCATED)
    assert (UNDECIDED, Why.UNSCORED) == result(talk(turn(overall=gap)), JUDGED)
    held = talk(turn(elements_lexical=MISSING, grounded=Unscored(Gap.METRIC_ERROR)))
    assert (FAILED, Why.NEVER_SAID) == result(held)  # no grounding could save it
    early = talk(turn(overall=gap), turn(overall=GOOD))
    assert (PASSED, Why.SCORED_WELL) == result(early, JUDGED)


def test_an_unsupported_sentence_fails_only_where_the_client_says_so() -> None:
    held = talk(turn(elements_lexical=SAID, grounded=grounded(0.4, 0.5)))
    assert (PASSED, Why.SAID) == result(held)
    assert (FAILED, Why.UNSUPPORTED) == result(held, Rules.of((), LIMITS, ["unsupported"]))


def test_what_is_invented_beside_what_is_right_decides_nothing_unless_a_judge_does() -> None:
    made_up = grounded(0.3, 0.5, invented=1)
    first = turn(elements_lexical=SAID, grounded=made_up)
    found = finding_of(talk(first, turn(elements_lexical=SAID)), OFFLINE)
    assert (UNDECIDED, Why.INVENTED, 1) == (found.result, found.why, found.turn)
    assert ("It is free.",) == found.about
    refused = turn(refusal=refusal(1, refused=1), grounded=made_up)
    held = talk(refused, expected=Expected(answerable=False))
    assert (UNDECIDED, Why.INVENTED) == result(held)
    well = talk(turn(elements_lexical=SAID, grounded=made_up, overall=GOOD))
    assert (PASSED, Why.SCORED_WELL) == result(well, JUDGED)
    low = talk(turn(elements_lexical=SAID, grounded=made_up, overall=BAD))
    assert (FAILED, Why.SCORED_LOW) == result(low, JUDGED)
    assert (FAILED, Why.NEVER_SAID) == result(
        talk(turn(elements_lexical=MISSING, grounded=made_up))
    )
    without = Rules.of((), {name: limit for name, limit in LIMITS.items() if name != "grounded"})
    assert (PASSED, Why.SAID) == result(talk(first), without)


def test_a_follow_up_answered_from_another_entry_decides_nothing_once_all_was_said() -> None:
    lost = replace(grounded(1, 1), parts={**grounded(1, 1).parts, "elsewhere": 1.0})
    held = talk(turn(elements_lexical=SAID), turn(elements_lexical=SAID, grounded=lost))
    found = finding_of(held, OFFLINE)
    assert (UNDECIDED, Why.ELSEWHERE, 2) == (found.result, found.why, found.turn)
    assert found.about == (held.turns[1].exchange.assistant,)
    without = Rules.of((), {name: limit for name, limit in LIMITS.items() if name != "grounded"})
    assert (PASSED, Why.SAID) == result(held, without)
    repaired = talk(turn(elements_lexical=MISSING, grounded=lost), turn(elements_lexical=SAID))
    assert (PASSED, Why.SAID) == result(repaired)


def test_a_statement_beside_a_due_refusal_or_hand_over_may_be_advice_from_nowhere() -> None:
    advice = grounded(0.3, 0.5)
    over = turn(refusal=refusal(1, handed_over=1), grounded=advice)
    found = finding_of(talk(over, expected=Expected(escalate=True)), OFFLINE)
    assert (UNDECIDED, Why.ADVISED, ("It is free.",)) == (found.result, found.why, found.about)
    refused = turn(refusal=refusal(1, refused=1), grounded=advice)
    assert (UNDECIDED, Why.ADVISED) == result(talk(refused, expected=Expected(answerable=False)))
    borne_out = turn(refusal=refusal(1, handed_over=1), grounded=grounded(0.9, 1))
    assert (PASSED, Why.HANDED_OVER) == result(talk(borne_out, expected=Expected(escalate=True)))
    said = turn(refusal=refusal(1, handed_over=1), elements_lexical=SAID, grounded=advice)
    assert PASSED is result(talk(said, expected=Expected(escalate=True)))[0]
    rated_well = replace(over, outcomes={**over.outcomes, "overall": GOOD})
    assert PASSED is result(talk(rated_well, expected=Expected(escalate=True)), JUDGED)[0]


def test_a_goodbye_is_no_answer_whatever_it_is_rated() -> None:
    bye = replace(turn(overall=BAD), closes=True)
    assert (PASSED, Why.SCORED_WELL) == result(talk(turn(overall=GOOD), bye), JUDGED)
    assert (FAILED, Why.SCORED_LOW) == result(talk(turn(overall=BAD), bye), JUDGED)
    unrated = replace(turn(overall=Unscored(Gap.JUDGE_ERROR)), closes=True)
    assert (PASSED, Why.SCORED_WELL) == result(talk(turn(overall=GOOD), unrated), JUDGED)


def test_a_search_that_could_not_be_read_explains_nothing_and_decides_nothing() -> None:
    unread = Unscored(Gap.METRIC_ERROR)
    held = talk(turn(elements_lexical=SAID, retrieval_hit=unread))
    assert (PASSED, Why.SAID) == result(held)


def test_people_have_the_first_word() -> None:
    bad = talk(turn(elements_lexical=elements(missing=1, contradicted=1)))
    assert (PASSED, Why.SAID_OK) == result(bad, words={1: Word.OK})
    good = talk(turn(elements_lexical=SAID), turn(elements_lexical=SAID))
    assert (FAILED, Why.SAID_NG) == result(good, words={1: Word.NG, 2: Word.OK})
    assert (UNDECIDED, Why.DIFFER) == result(good, words={2: Word.UNSURE})


def test_an_accepted_answer_did_no_harm_but_what_follows_it_counts() -> None:
    harm = turn(elements_lexical=elements(missing=1, contradicted=1))
    held = talk(harm, turn(elements_lexical=SAID))
    assert (PASSED, Why.SAID) == result(held, words={1: Word.OK})
    assert (FAILED, Why.NEVER_SAID) == result(
        talk(harm, turn(elements_lexical=MISSING)), words={1: Word.OK}
    )


def test_runs_of_older_versions_do_not_tell_the_unclear_from_the_missing() -> None:
    old = episode(turn(elements_lexical=Score(0.5, 0.5), refusal=Score(1.0, 1.0)))
    assert (UNDECIDED, Why.UNCLEAR) == result(old)
    old = episode(turn(elements_lexical=Score(1.0, 1.0), refusal=Score(1.0, 1.0)))
    assert (PASSED, Why.SAID) == result(old)


@pytest.mark.parametrize(
    ("expected", "why"),
    [
        (Expected(answerable=False), Why.NEVER_REFUSED),
        (Expected(answerable=False, answers=("We do not know.",)), Why.NEVER_REFUSED),
        (Expected(escalate=True), Why.NEVER_HANDED_OVER),
    ],
)
def test_what_was_due_never_came_where_the_bot_only_asked_back(
    expected: Expected, why: Why
) -> None:
    back = turn(asks_back=True, refusal=NOTHING)
    assert (FAILED, why) == result(talk(back, back, expected=expected))
    unmeasured = talk(turn(asks_back=True), expected=Expected(escalate=True))
    assert Result.UNCHECKED is result(unmeasured)[0]  # a client may leave `refusal` out
    came = turn(refusal=refusal(1, handed_over=1, refused=1))
    words = {1: Word.OK}
    assert Result.FAILED is not result(talk(came, back, expected=expected), OFFLINE, words)[0]


def test_what_was_refused_shows_where_it_was_and_not_at_the_goodbye() -> None:
    refused, bye = turn(refusal=refusal(0, refused=1)), turn(refusal=NOTHING)
    found = finding_of(talk(refused, bye, expected=Expected(answerable=True)), OFFLINE)
    assert (FAILED, Why.REFUSED, 1) == (found.result, found.why, found.turn)


def test_an_early_answer_that_no_check_could_read_may_have_done_harm() -> None:
    unread = turn(elements_lexical=MISSING, grounded=Unscored(Gap.METRIC_ERROR, "it crashed"))
    found = finding_of(talk(unread, turn(elements_lexical=SAID)), OFFLINE)
    assert (UNDECIDED, Why.UNSCORED, 1, "grounded") == (
        found.result, found.why, found.turn, found.metric,
    )  # fmt: skip
    assert (FAILED, Why.NEVER_SAID) == result(talk(unread, turn(elements_lexical=MISSING)))
