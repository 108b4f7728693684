"""How claims stand over a conversation."""

from typing import Any

import pytest

from simulator.core.claim import Reading, State, claims_of
from simulator.core.run import Turn
from simulator.core.scenario import Expected
from simulator.core.verdict import Word
from simulator.results.verdict import standings
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
    readings,
    talk,
)


def said(state: State, **changes: Any) -> Turn:
    return answer(*readings(ELEMENT, state), **changes)


@pytest.mark.parametrize(
    ("states", "state", "turn"),
    [
        ((MET, VIOLATED), VIOLATED, 2),
        ((UNKNOWN, MET), MET, 2),
        ((MET, UNMET), MET, 1),
        ((UNMET, UNKNOWN), UNKNOWN, 2),
        ((UNMET, UNMET), UNMET, 1),
    ],
)
def test_the_states_of_answers_combine(states: tuple[State, ...], state: State, turn: int) -> None:
    (standing, _) = standings(talk(ELEMENT, *map(said, states)))
    assert (state, turn) == (standing.state, standing.turn)


def test_answers_after_an_unsound_message_do_not_count() -> None:
    episode = talk(ELEMENT, said(UNMET), said(VIOLATED, soundness=("echo",)), said(MET))
    assert UNMET is standings(episode)[0].state


def test_a_message_that_is_only_too_long_is_sound() -> None:
    episode = talk(ELEMENT, said(UNMET), said(MET, soundness=("length",)))
    assert MET is standings(episode)[0].state


@pytest.mark.parametrize("mark", ["asks_back", "closes"])
def test_what_answers_nothing_is_skipped(mark: str) -> None:
    episode = talk(ELEMENT, said(MET), said(VIOLATED, **{mark: True}))
    assert MET is standings(episode)[0].state


@pytest.mark.parametrize("mark", ["asks_back", "closes"])
@pytest.mark.parametrize("state", [MET, VIOLATED])
def test_what_a_model_reads_in_an_answer_is_not_skipped(state: State, mark: str) -> None:
    read = (*readings(ELEMENT, UNKNOWN), *readings(ELEMENT, state, reader=MODEL))
    marks: dict[str, Any] = {mark: True}
    episode = talk(ELEMENT, answer(*read, **marks))
    assert state is standings(episode)[0].state


def test_that_a_model_takes_it_for_an_answer_says_nothing_of_what_is_expected() -> None:
    says, answers = claims_of(ELEMENT)
    read = (Reading(says.id, UNKNOWN, MODEL), Reading(answers.id, MET, MODEL))
    episode = talk(ELEMENT, answer(*read, asks_back=True))
    assert UNMET is standings(episode)[0].state


def test_claims_are_unmet_where_the_bot_only_asks_back() -> None:
    standing = standings(talk(ELEMENT, said(UNKNOWN, asks_back=True)))[0]
    assert (UNMET, None, None) == (standing.state, standing.reading, standing.turn)
    assert (WORDS, False) == (standing.needed, standing.at_odds)


def test_an_answer_without_a_reading_may_say_anything() -> None:
    standing = standings(talk(ELEMENT, answer()))[0]
    assert (UNKNOWN, WORDS, False) == (standing.state, standing.needed, standing.at_odds)


def test_where_no_answer_counts_any_may_have_said_it() -> None:
    standing = standings(talk(ELEMENT, said(MET, soundness=("echo",))))[0]
    assert (UNKNOWN, None, False) == (standing.state, standing.turn, standing.at_odds)


def test_an_ok_takes_violations_of_its_answer_away() -> None:
    episode = talk(ELEMENT, said(VIOLATED), said(UNMET))
    assert UNMET is standings(episode, {1: Word.OK})[0].state
    alone = talk(ELEMENT, said(VIOLATED))
    assert MET is standings(alone, {1: Word.OK})[0].state


def test_an_ok_meets_what_no_reader_could_tell_and_nothing_that_was_not_said() -> None:
    episode = talk(ELEMENT, said(UNKNOWN), said(UNMET))
    found = standings(episode, {1: Word.OK})[0]
    assert (MET, PERSON, 1) == (found.state, found.needed, found.turn)
    assert UNKNOWN is standings(episode, {2: Word.OK})[0].state


def test_without_a_scenario_there_are_no_claims() -> None:
    assert () == standings(talk(ELEMENT, said(MET), scenario=None))
    assert () == standings(talk(ELEMENT))  # nor where nothing was asked


def test_support_is_checked_only_where_the_client_says_so() -> None:
    plain = Expected()
    assert () == standings(talk(plain, answer()))
    (standing,) = standings(talk(plain, answer()), fail_on=("unsupported",))
    assert UNKNOWN is standing.state
