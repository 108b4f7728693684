"""The verdict table, line by line and in its order."""

from dataclasses import replace
from typing import Any

import pytest

from simulator.core.claim import ClaimKind, Reader, Reading, State, claims_of
from simulator.core.errors import TargetFault
from simulator.core.outcome import Gap, MetricInfo, Outcome, Score, Unscored
from simulator.core.result import Because, Finding, Result, Why
from simulator.core.run import Episode, Turn
from simulator.core.scenario import Expected
from simulator.core.talk import Stop, StopReason, TargetFailure
from simulator.core.verdict import Word
from simulator.reading.words import read_words
from simulator.results.verdict import Rules, finding_of
from simulator.view.worst import why_text
from tests.results.made import (
    ELEMENT,
    MET,
    MODEL,
    PERSON,
    UNKNOWN,
    UNMET,
    VIOLATED,
    WORDS,
    answer,
    claim_of,
    readings,
    rules,
    talk,
)

NOTHING = Expected()
DECLINES = Expected(answerable=False)
HANDS_OVER = Expected(escalate=True)
ANSWERS = Expected(answerable=True)
MUST_NOT = Expected(must_not=("It is free.",))
FAILURE = TargetFailure(TargetFault.TIMEOUT, "no answer within 60 s", 60_000.0)


def found(episode: Episode, words: dict[int, Word] | None = None, *fail_on: str) -> Finding:
    finding = finding_of(episode, rules(*fail_on), words or {})
    assert finding.result is finding.why.result
    return finding


def said(expected: Expected, *states: State, **changes: Any) -> Turn:
    return answer(*readings(expected, *states), **changes)


def judged(value: float, turn: Turn) -> Turn:
    return replace(turn, outcomes={"overall": Score(value, value * 5)})


@pytest.mark.parametrize(
    ("expected", "state", "result", "why"),
    [
        (ELEMENT, MET, Result.PASSED, Why.SAID),
        (ELEMENT, UNMET, Result.FAILED, Why.NEVER_SAID),
        (ELEMENT, VIOLATED, Result.FAILED, Why.CONTRADICTS),
        (ELEMENT, UNKNOWN, Result.UNDECIDED, Why.UNCLEAR),
        (MUST_NOT, MET, Result.PASSED, Why.SAID),
        (MUST_NOT, VIOLATED, Result.FAILED, Why.FORBIDDEN),
        (DECLINES, MET, Result.PASSED, Why.RIGHTLY_REFUSED),
        (DECLINES, UNMET, Result.FAILED, Why.NEVER_REFUSED),
        (DECLINES, VIOLATED, Result.FAILED, Why.ANSWERED),
        (HANDS_OVER, MET, Result.PASSED, Why.HANDED_OVER),
        (HANDS_OVER, UNMET, Result.FAILED, Why.NEVER_HANDED_OVER),
        (ANSWERS, MET, Result.PASSED, Why.NOT_REFUSED),
        (ANSWERS, UNMET, Result.FAILED, Why.REFUSED),
        (ANSWERS, UNKNOWN, Result.UNDECIDED, Why.UNCLEAR),
    ],
)
def test_one_claim_decides(expected: Expected, state: State, result: Result, why: Why) -> None:
    claim = claims_of(expected)[0]
    finding = found(talk(expected, said(expected, state)))
    by = None if result is Result.UNDECIDED else WORDS
    assert (result, why, 1, claim.id, by) == (
        finding.result,
        finding.why,
        finding.turn,
        finding.claim,
        finding.decided_by,
    )


def test_a_scenario_that_expects_nothing_is_unchecked() -> None:
    assert (Result.UNCHECKED, Why.NOTHING_EXPECTED) == _line(talk(NOTHING, said(NOTHING)))


@pytest.mark.parametrize(("value", "line"), [(0.7, Why.SCORED_WELL), (0.69, Why.SCORED_LOW)])
def test_a_rating_alone_decides_by_its_threshold(value: float, line: Why) -> None:
    finding = found(talk(NOTHING, judged(value, said(NOTHING))))
    assert (line, "overall", MODEL) == (finding.why, finding.metric, finding.decided_by)


@pytest.mark.parametrize(("value", "line"), [(0.5, Why.SCORED_WELL), (0.49, Why.SCORED_LOW)])
def test_a_metric_that_a_client_limits_needs_no_model(value: float, line: Why) -> None:
    limited = Rules.of([MetricInfo("mine", "Mine")], {"mine": 0.5})
    episode = talk(NOTHING, said(NOTHING, outcomes={"mine": Score(value, value)}))
    finding = finding_of(episode, limited)
    assert (line, "mine", WORDS) == (finding.why, finding.metric, finding.decided_by)


def test_a_low_rating_fails_what_met_its_claims_and_a_doubted_judge_does_not() -> None:
    episode = talk(ELEMENT, judged(0.2, said(ELEMENT, MET)))
    assert Why.SCORED_LOW is found(episode).why
    assert Why.SAID is finding_of(episode, rules(), doubted=True).why


def test_a_doubted_judge_alone_decides_nothing() -> None:
    episode = talk(NOTHING, judged(1.0, said(NOTHING)))
    assert Why.JUDGE_IN_DOUBT is finding_of(episode, rules(), doubted=True).why
    unjudged = Rules.of([MetricInfo("mine", "Mine")], {"mine": 0.5})
    assert Why.NOTHING_EXPECTED is finding_of(episode, unjudged, doubted=True).why


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Unscored(Gap.JUDGE_ERROR), (Result.UNDECIDED, Why.UNSCORED)),
        (Unscored(Gap.NOT_APPLICABLE), (Result.PASSED, Why.SAID)),
    ],
)
def test_a_missing_rating_leaves_a_gap_only_where_it_applies(
    outcome: Outcome, line: tuple[Result, Why]
) -> None:
    episode = talk(ELEMENT, said(ELEMENT, MET, outcomes={"overall": outcome}))
    assert line == _line(episode)


def test_an_unmet_claim_fails_whatever_the_rating_says() -> None:
    assert Why.NEVER_SAID is found(talk(ELEMENT, judged(1.0, said(ELEMENT, UNMET)))).why


def test_an_unknown_claim_is_undecided_whatever_the_rating_says() -> None:
    for value in (0.2, 1.0):
        episode = talk(ELEMENT, judged(value, said(ELEMENT, UNKNOWN)))
        assert Why.UNCLEAR is found(episode).why


ORDER: list[tuple[str, Why]] = [
    ("ng", Why.SAID_NG),
    ("unsure", Why.DIFFER),
    ("failure", Why.TARGET_FAILED),
    ("violated", Why.CONTRADICTS),
    ("ok", Why.SAID_OK),
    ("unsound", Why.UNSOUND),
    ("unmet", Why.NEVER_SAID),
    ("unknown", Why.UNCLEAR),
    ("low", Why.SCORED_LOW),
    ("met", Why.SAID),
]
THREE = Expected(elements=(("30 minutes",), ("free",), ("at once",)))


@pytest.mark.parametrize("first", range(len(ORDER) - 1))
def test_the_lines_apply_in_their_order(first: int) -> None:
    """With all later lines true as well, the first one decides."""
    holds = {name for name, _ in ORDER[first:]}
    states = [VIOLATED if "violated" in holds else MET]
    states += [UNMET if "unmet" in holds else MET, UNKNOWN if "unknown" in holds else MET]
    words = {3: Word.OK} if "ok" in holds else {}
    words |= {1: Word.UNSURE} if "unsure" in holds else {}
    words |= {2: Word.NG} if "ng" in holds else {}
    middle = said(THREE, *states)
    if "failure" in holds:
        failing = said(THREE, *states)
        failed = replace(failing, exchange=replace(failing.exchange, reply=FAILURE))
    else:
        failed = middle
    tags = ("echo",) if "unsound" in holds else ()
    last = judged(0.2 if "low" in holds else 1.0, said(THREE, *states, soundness=tags))
    assert ORDER[first][1] is found(talk(THREE, middle, failed, last), words).why


def test_an_ok_counts_only_for_the_answer_that_it_is_about() -> None:
    episode = talk(ELEMENT, said(ELEMENT, MET), said(ELEMENT, VIOLATED))
    assert Why.CONTRADICTS is found(episode, {1: Word.OK}).why
    accepted = found(episode, {2: Word.OK})
    assert (Why.SAID_OK, PERSON) == (accepted.why, accepted.decided_by)


def test_an_ok_on_an_early_answer_takes_its_violation_away() -> None:
    episode = talk(ELEMENT, said(ELEMENT, VIOLATED), said(ELEMENT, MET))
    assert Why.CONTRADICTS is found(episode).why
    assert Why.SAID is found(episode, {1: Word.OK}).why


@pytest.mark.parametrize(
    ("hits", "result"),
    [((), Result.PASSED), ((0.0,), Result.UNDECIDED), ((0.0, 1.0), Result.PASSED)],
)
def test_an_answer_without_the_only_thing_that_is_expected_proves_nothing(
    hits: tuple[float, ...], result: Result
) -> None:
    turns = [said(ANSWERS, MET, outcomes={"retrieval_hit": Score(hit, hit)}) for hit in hits]
    finding = found(talk(ANSWERS, *(turns or [said(ANSWERS, MET)])))
    assert finding.result is result
    assert (finding.because is Because.MISSED) is (result is Result.UNDECIDED)


def test_a_person_decides_alone() -> None:
    ng = found(talk(ELEMENT, said(ELEMENT, MET)), {1: Word.NG})
    assert (Result.FAILED, PERSON) == (ng.result, ng.decided_by)


def test_a_user_that_broke_off_leaves_it_undecided() -> None:
    episode = talk(ELEMENT, stop=Stop(StopReason.USER_FAILED))
    assert Why.UNSOUND is found(episode).why
    broken = talk(ELEMENT, said(ELEMENT, MET), stop=Stop(StopReason.USER_INVALID))
    assert Why.UNSOUND is found(broken).why
    silent = found(talk(ELEMENT, stop=Stop(StopReason.MAX_TURNS)))
    assert (Why.UNSOUND, ("max_turns",)) == (silent.why, silent.about)


def test_it_passes_with_the_answer_that_completes_what_is_expected() -> None:
    two = Expected(elements=(("soon",), ("free",)))
    first, second = said(two, MET, UNMET), said(two, UNMET, MET)
    assert 2 == found(talk(two, first, second, said(two, UNMET, UNMET))).turn
    assert 1 == found(talk(ELEMENT, said(ELEMENT, MET), said(ELEMENT, UNMET))).turn


def test_what_came_late_fails_only_where_the_client_says_so() -> None:
    episode = talk(ELEMENT, said(ELEMENT, UNMET), said(ELEMENT, MET))
    assert Why.SAID is found(episode).why
    late = found(episode, None, "late")
    assert (Result.FAILED, Why.LATE, 2) == (late.result, late.why, late.turn)
    refused_first = talk(ELEMENT, said(ELEMENT, MET, UNMET), said(ELEMENT, MET))
    assert Why.SAID is found(refused_first, None, "late").why  # all of it came at once
    assert Why.SAID is found(talk(ELEMENT, said(ELEMENT, MET)), None, "late").why
    nothing = talk(NOTHING, said(NOTHING, asks_back=True))
    assert Why.NOTHING_EXPECTED is found(nothing, None, "late").why


@pytest.mark.parametrize(
    ("state", "line"),
    [
        (VIOLATED, Why.UNSUPPORTED),
        (UNMET, Why.UNSUPPORTED),
        (UNKNOWN, Why.UNCLEAR),
        (MET, Why.SAID),
    ],
)
def test_support_is_a_claim_where_the_client_fails_on_it(state: State, line: Why) -> None:
    supported = Reading(claim_of(ELEMENT, ClaimKind.SUPPORTED).id, state, MODEL)
    episode = talk(ELEMENT, answer(*readings(ELEMENT, MET), supported))
    assert line is found(episode, None, "unsupported").why
    assert Why.SAID is found(episode).why
    alone = talk(NOTHING, answer(supported))
    assert line is found(alone, None, "unsupported").why


def test_what_the_user_never_asked_is_no_failure() -> None:
    two = Expected(elements=(("30 minutes",), ("free",)))
    stop = Stop(StopReason.MAX_TURNS, unasked=("Is it free?",))
    episode = talk(two, said(two, MET, UNMET), stop=stop)
    assert (Result.UNDECIDED, Why.UNASKED) == _line(episode)
    nothing = talk(two, said(two, UNMET, UNMET), stop=stop)
    assert Why.NEVER_SAID is found(nothing).why
    handed_over = replace(two, escalate=True)
    alone = talk(handed_over, said(handed_over, MET, MET, UNMET), stop=stop)
    assert Why.NEVER_HANDED_OVER is found(alone).why


def test_a_run_without_readings_is_unread_until_somebody_reads_it() -> None:
    assert Why.UNREAD is found(talk(ELEMENT, answer(readings=None))).why
    assert Why.SAID_NG is found(talk(ELEMENT, answer(readings=None)), {1: Word.NG}).why
    assert Why.NOTHING_EXPECTED is found(talk(NOTHING, answer(readings=None))).why


def test_who_never_answered_is_said_to_refuse() -> None:
    refused = found(talk(ELEMENT, said(ELEMENT, UNMET, UNMET)))
    assert (Why.REFUSED, "") == (refused.why, "".join(refused.about))


def test_a_finding_names_all_claims_that_failed_alike() -> None:
    finding = found(talk(THREE, said(THREE, UNMET, MET, UNMET)))
    assert ("30 minutes", "at once") == finding.about


@pytest.mark.parametrize(
    ("by_words", "by_model", "why", "by"),
    [
        (UNKNOWN, MET, Why.SAID, MODEL),
        (MET, MET, Why.SAID, WORDS),
        (UNMET, MET, Why.SAID, MODEL),
        (MET, UNMET, Why.NEVER_SAID, MODEL),
        (MET, VIOLATED, Why.CONTRADICTS, MODEL),
        (VIOLATED, VIOLATED, Why.CONTRADICTS, WORDS),
        (VIOLATED, UNMET, Why.NEVER_SAID, MODEL),
        (VIOLATED, MET, Why.AT_ODDS, None),
    ],
)
def test_words_never_overrule_a_model(
    by_words: State, by_model: State, why: Why, by: Reader | None
) -> None:
    both = (*readings(ELEMENT, by_words), *readings(ELEMENT, by_model, reader=MODEL))
    finding = found(talk(ELEMENT, answer(*both)))
    assert (why, by) == (finding.why, finding.decided_by)


def test_where_readers_are_at_odds_nothing_else_is_named() -> None:
    two = Expected(elements=(("30 minutes",), ("free",)))
    both = (*readings(two, UNKNOWN, VIOLATED), *readings(two, UNKNOWN, MET, reader=MODEL))
    finding = found(talk(two, answer(*both)))
    assert (Why.AT_ODDS, ("free",)) == (finding.why, finding.about)


def _line(episode: Episode) -> tuple[Result, Why]:
    finding = found(episode)
    return finding.result, finding.why


def test_the_first_violation_gives_the_reason() -> None:
    expected = Expected(elements=(("30 minutes",),), must_not=("It is free.",))
    says, forbidden = (claim_of(expected, kind) for kind in (ClaimKind.SAYS, ClaimKind.MUST_NOT))
    first = answer(Reading(says.id, MET, WORDS), Reading(forbidden.id, VIOLATED, WORDS))
    second = answer(Reading(says.id, VIOLATED, WORDS), Reading(forbidden.id, MET, WORDS))
    finding = found(talk(expected, first, second))
    assert (Why.FORBIDDEN, 1) == (finding.why, finding.turn)


def test_where_the_bot_only_asks_back_the_last_answer_shows_why() -> None:
    finding = found(talk(ELEMENT, *[said(ELEMENT, UNKNOWN, asks_back=True)] * 2))
    assert (Why.REFUSED, 2) == (finding.why, finding.turn)


def test_an_unsound_user_is_told_by_the_tags_of_its_turn() -> None:
    sound, unsound = said(ELEMENT, MET), said(ELEMENT, MET, soundness=("echo",))
    finding = found(talk(ELEMENT, sound, unsound, sound))
    assert (Why.UNSOUND, 2, ("echo",)) == (finding.why, finding.turn, finding.about)


def test_claims_that_are_met_are_the_reason_and_a_good_rating_is_one_for_an_answer_alone() -> None:
    assert Why.SAID is found(talk(ELEMENT, judged(1.0, said(ELEMENT, MET)))).why
    assert Why.SCORED_WELL is found(talk(ANSWERS, judged(1.0, said(ANSWERS, MET)))).why


def test_only_metrics_with_a_limit_decide_and_the_computed_checks_never_do() -> None:
    names = ("overall", "lexical", "grounded", "mine")
    infos = [MetricInfo(name, name) for name in names]
    assert {"mine": False} == Rules.of(infos, dict.fromkeys(names[1:], 0.5)).scoring


def test_a_contradiction_for_want_of_the_document_says_so() -> None:
    missed = answer(*readings(ELEMENT, VIOLATED), blames=("retrieval_miss",))
    finding = finding_of(talk(ELEMENT, missed), rules())
    assert (Why.CONTRADICTS, Because.MISSED) == (finding.why, finding.because)
    text = why_text(finding, "en")
    assert text.startswith("the expected document wasn't retrieved"), text
    plain = finding_of(talk(ELEMENT, replace(missed, blames=("unsupported",))), rules())
    assert plain.because is None


def test_each_text_has_quotes_of_its_own() -> None:
    finding = Finding(Result.FAILED, Why.NEVER_SAID, about=("980 yen", "1,480 yen"))
    assert "not said: “980 yen”, “1,480 yen”" == why_text(finding, "en")
    assert "「980 yen」、「1,480 yen」を言っていない" == why_text(finding, "ja")


def test_what_is_unknown_beside_a_denial_says_so() -> None:
    (reading,) = read_words(
        claims_of(Expected(elements=(("alcohol",),)))[:1],
        "Can I bring a bottle?",
        "You cannot cook with alcohol here.",
        "en",
    )
    assert (UNKNOWN, "You cannot cook with alcohol here.") == (reading.state, reading.quote)
    expected = Expected(elements=(("alcohol",),))
    others = readings(expected)[1:]
    finding = finding_of(talk(expected, answer(reading, *others)), rules())
    assert Because.DENIED is finding.because
    assert "the sentence denies something" in why_text(finding, "en")


def test_what_shows_that_an_answer_fails_stays_beside_a_persons_ng() -> None:
    made = talk(ELEMENT, answer(*readings(ELEMENT, VIOLATED)))
    alone = finding_of(made, rules())
    finding = finding_of(made, rules(), {1: Word.NG})
    assert (Why.SAID_NG, alone) == (finding.why, finding.alone)
    assert why_text(finding, "en") == f"{why_text(alone, 'en')} (a reviewer marked the answer NG)"
    fine = finding_of(talk(ELEMENT, answer(*readings(ELEMENT))), rules(), {1: Word.NG})
    assert fine.alone is None
