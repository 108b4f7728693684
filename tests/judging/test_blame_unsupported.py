"""Whose fault an answer is that says more than the documents, or something else."""

import pytest

from simulator.core.outcome import Score
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document
from simulator.judging.blame import Blame, Fault
from tests.judging.made import evidence, expecting
from tests.judging.test_blame import ANSWERABLE, DESK, OTHER, Books, refusal, scored


class TestUnsupported:
    """What a reply makes up harms its user, whatever caused it."""

    FALSE = "You get it within 90 days."

    def of(
        self, *flags: str, documents: tuple[Document, ...], **outcomes: Score
    ) -> tuple[Fault, ...]:
        talk = evidence(("My money?", self.FALSE), documents=documents, scenario=ANSWERABLE)
        return Blame(Books(DESK, OTHER)).of(talk, outcomes, flags)

    def test_what_is_not_borne_out_is_no_oversight(self) -> None:
        found = self.of("grounded", documents=(DESK,), grounded=scored(0.4))
        assert (Fault.UNSUPPORTED,) == found

    def test_what_was_found_and_left_out_comes_first_where_nothing_comes_from_nowhere(self) -> None:
        partly = scored(0.5, borne_out=0.5, invented=0.0)
        assert (Fault.UNUSED, Fault.UNSUPPORTED) == self.of(
            "grounded", documents=(DESK,), grounded=partly
        )
        for parts in ({"borne_out": 0.5, "invented": 1.0}, {"borne_out": 0.0, "invented": 0.0}):
            found = self.of("grounded", documents=(DESK,), grounded=scored(0.5, **parts))
            assert (Fault.UNSUPPORTED,) == found

    def test_an_answer_from_another_entry_was_not_searched_for_well(self) -> None:
        lost = scored(1.0, borne_out=1.0, invented=0.0, elsewhere=1.0)
        found = self.of("grounded", documents=(OTHER,), grounded=lost)
        assert (Fault.RETRIEVAL_MISS,) == found
        assert Fault.UNUSED is self.of("grounded", documents=(DESK,), grounded=lost)[0]

    def test_what_may_be_said_in_other_words_lacks_only_where_that_is_asked(self) -> None:
        unclear = {"elements_lexical": scored(0.5, missing=0.0, unclear=1.0)}
        talk = evidence(("My money?", self.FALSE), documents=(DESK,), scenario=ANSWERABLE)
        assert (Fault.UNDETERMINED,) == Blame(Books(DESK, OTHER)).of(talk, unclear)
        assert (Fault.UNUSED,) == Blame(Books(DESK, OTHER)).of(talk, unclear, unclear=True)

    def test_what_caused_it_comes_second(self) -> None:
        found = self.of("grounded", documents=(OTHER,), grounded=scored(0.4))
        assert (Fault.UNSUPPORTED, Fault.RETRIEVAL_MISS) == found

    @pytest.mark.parametrize("metric", ["elements_lexical", "answer_lexical"])
    def test_so_does_what_contradicts_an_expectation(self, metric: str) -> None:
        contradicts = {metric: scored(0.0, contradicted=1.0)}
        found = self.of(metric, documents=(DESK,), grounded=scored(), **contradicts)
        assert (Fault.UNSUPPORTED,) == found

    def test_but_not_where_the_wrong_documents_say_so(self) -> None:
        contradicts = scored(0.0, contradicted=1.0)
        outcomes = {"grounded": scored(), "elements_lexical": contradicts}
        found = self.of("elements_lexical", documents=(OTHER,), **outcomes)
        assert (Fault.RETRIEVAL_MISS,) == found

    def test_in_answer_to_what_has_none_it_comes_first(self) -> None:
        talk = evidence(("Discounts?", "Students pay half."), scenario=expecting(answerable=False))
        found = Blame().of(talk, {**refusal(talk), "grounded": scored(0.2)}, ("grounded",))
        assert (Fault.UNSUPPORTED, Fault.SHOULD_HAVE_REFUSED) == found


def test_who_invents_in_place_of_a_hand_over_should_have_refused_and_handed_over() -> None:
    scenario = Scenario("s", "A stain!", expected=Expected(answerable=False, escalate=True))
    talk = evidence(("A stain!", "That is 3,300 yen."), scenario=scenario)
    found = Blame().of(talk, refusal(talk), ("refusal",))
    assert (Fault.SHOULD_HAVE_REFUSED, Fault.SHOULD_HAVE_ESCALATED) == found
