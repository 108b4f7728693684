"""Which answers are one to a person who judges them."""

from dataclasses import replace

from simulator.core.claim import Reader, Reading, State
from simulator.core.run import AnswerNumbers, Episode, Turn, unit_of
from simulator.core.verdict import Verdict, Word
from tests.execution.scored import episode, rated, turn

FINE = turn(rated(5))
_MET = (Reading("says-1", State.MET, Reader.WORDS),)
SAME = replace(FINE, content="c0ffee", readings=_MET)


def talk(persona: str, *turns: Turn, scenario: str = "parcel") -> Episode:
    return episode(*turns, persona=persona, scenario=scenario)


def test_answers_with_the_same_content_are_one_over_personas_and_later_turns() -> None:
    calm, angry = talk("calm", SAME, SAME, SAME), talk("angry", SAME, SAME)
    assert unit_of(calm, 1) == unit_of(angry, 1)
    assert unit_of(calm, 2) == unit_of(calm, 3) == unit_of(angry, 2)
    assert unit_of(calm, 1) != unit_of(calm, 2)


def test_other_scenarios_contents_and_readings_make_other_units() -> None:
    unmet = replace(SAME, readings=(replace(_MET[0], state=State.UNMET),))
    others = [
        talk("calm", SAME, scenario="refund"),
        talk("calm", replace(SAME, content="decaf")),
        talk("calm", unmet),
        talk("calm", replace(SAME, content="")),
    ]
    units = {unit_of(each, 1) for each in (talk("calm", SAME), *others)}
    assert 5 == len(units)


def test_what_a_person_says_of_a_claim_makes_no_other_unit() -> None:
    by_person = Reading("says-1", State.UNMET, Reader.PERSON)
    corrected = replace(SAME, readings=(*_MET, by_person))
    assert unit_of(talk("calm", SAME), 1) == unit_of(talk("calm", corrected), 1)


def test_a_folded_verdict_counts_with_the_answer_that_people_looked_at() -> None:
    numbers, polite = AnswerNumbers(), replace(SAME, exchange=FINE.exchange)
    head, other = talk("calm", SAME), talk("angry", polite)
    own = Verdict(head.cell.key, 1, Word.NG, "Sato")
    folded = Verdict(other.cell.key, 1, Word.NG, "Sato", folded_from=f"{head.cell.key}|1")
    assert 0 == numbers.of(head, 1, [own]) == numbers.of(other, 1, [folded])
