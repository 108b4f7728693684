"""The results of a run: pass^k, what is flagged, and how their lines are worded."""

from dataclasses import replace
from typing import get_args

import pytest

from simulator.console.output import as_json
from simulator.core.claim import Claim, ClaimKind, Reader, State, claims_of
from simulator.core.persona import Language
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, Run
from simulator.core.scenario import Expected
from simulator.core.talk import Stop, StopReason
from simulator.core.verdict import Verdict, Word
from simulator.view.results import as_it_counts
from simulator.view.run_json import run_json
from simulator.view.worst import claim_text, decider, reason_text, why_text
from simulator.words import Words
from tests.execution.scored import episode, header, rated, run, turn
from tests.expecting import expecting
from tests.results.made import UNMET, answer, readings, talk


def made(**cells: str) -> Run:
    """A run of these cells: p passed, f failed, u undecided, a letter for each repeat."""
    found: list[Episode] = []
    for name, letters in cells.items():
        for n, letter in enumerate(letters, 1):
            one = turn(rated(1 if letter == "f" else 5, f"{name} {n}"))
            stop = StopReason.USER_INVALID if letter == "u" else StopReason.MAX_TURNS
            found.append(replace(episode(one, stop=stop), cell=Cell(name, "calm", n)))
    return run(header(), *found)


def test_all_repeats_have_to_pass() -> None:
    found = made(a="ppp", b="ppf", c="fff", d="ppp")
    assert {2: pytest.approx((1 + 1 / 3 + 0 + 1) / 4), 3: 0.5} == found.summary.results.pass_power
    cells = {name: cell.pass_power for (_, name), cell in found.summary.cells.items()}
    assert {"a": 1, "b": 0, "c": 0, "d": 1} == cells
    assert 0.5 == as_json(run_json(found))["pass_power"]["3"]


def test_an_undecided_repeat_is_neither_passed_nor_failed() -> None:
    found = made(a="ppu", b="ppp")
    assert {2: 1, 3: 1} == found.summary.results.pass_power
    assert None is found.summary.cells["calm", "a"].pass_power


def test_what_failed_once_cannot_pass_every_time_whatever_is_undecided() -> None:
    found = made(a="ppp", b="fuu", c="puu")
    assert {2: 1, 3: 0.5} == found.summary.results.pass_power  # of 2 and 1 + 2 undecided: unknown
    cells = {name: cell.pass_power for (_, name), cell in found.summary.cells.items()}
    assert {"a": 1, "b": 0, "c": None} == cells
    assert 2 == found.summary.results.pass_power_cells == run_json(found).pass_power_cells


def test_one_truth_on_what_is_flagged() -> None:
    low = replace(turn(rated(1)), flagged=True, flags=("overall",), blames=("unused",))
    held = replace(episode(low), finding=Finding(Result.FAILED, Why.SCORED_LOW, 1))
    said = Verdict(held.cell.key, 1, Word.OK, reviewer="kei")
    (ok,) = as_it_counts(held, [said]).turns
    assert (False, (), ()) == (ok.flagged, ok.flags, ok.blames)
    assert (low,) == as_it_counts(held, [replace(said, word=Word.NG)]).turns
    unflagged = replace(held, turns=(replace(low, flagged=False),))
    assert as_it_counts(unflagged, ()).turns[0].flagged  # it shows why the conversation failed
    invalid = replace(held, stop=Stop(StopReason.USER_INVALID))
    assert not as_it_counts(invalid, ()).turns[0].flagged


def test_without_repeats_there_is_none() -> None:
    found = made(a="p", b="f")
    assert {} == found.summary.results.pass_power == as_json(run_json(found))["pass_power"]
    assert None is found.summary.cells["calm", "a"].pass_power


@pytest.mark.parametrize("language", get_args(Language))
@pytest.mark.parametrize("why", [why for why in Why if why.result is Result.UNDECIDED])
def test_what_would_decide_is_said_of_every_undecided_line(why: Why, language: Language) -> None:
    head = replace(header(), language=language)
    assert decider(why, head)
    assert reason_text(Finding(Result.UNDECIDED, why, 1), language)


@pytest.mark.parametrize("language", get_args(Language))
def test_every_line_of_the_table_every_claim_and_state_has_its_words(language: Language) -> None:
    words = Words(language, "result")
    for why in Why:
        assert reason_text(Finding(why.result, why, 1), language)
        assert "5 euros" in reason_text(Finding(why.result, why, 1, about=("5 euros",)), language)
    plain = [kind for kind in ClaimKind if kind not in (ClaimKind.SAYS, ClaimKind.MUST_NOT)]
    assert all(claim_text(Claim(kind, kind), words) for kind in plain)
    assert all(words(f"state.{state}") for state in State)
    assert all(words(f"reader.{reader}") for reader in Reader)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (Claim("a", ClaimKind.SAYS, ("6 cents", "$0.06")), "6 cents / $0.06"),
        (Claim("a", ClaimKind.SAYS, ("It is free.", "Free."), is_whole=True), "It is free."),
        (Claim("a", ClaimKind.HANDS_OVER), "hands over to a person"),
    ],
)
def test_a_claim_is_called_by_its_wordings_or_by_its_kind(claim: Claim, text: str) -> None:
    assert text == claim_text(claim, Words("en", "result"))


def test_what_passed_only_after_a_first_answer_that_refused_is_counted() -> None:
    wanted = expecting(elements=("5 euros",))
    refused, said = readings(wanted, UNMET, UNMET), readings(wanted)
    repaired = talk(wanted, answer(*refused), answer(*said))
    never = replace(talk(wanted, answer(*refused)), cell=Cell("never", "calm"))
    at_once = replace(talk(wanted, answer(*said)), cell=Cell("once", "calm"))
    assert 1 == run(header(), repaired, never, at_once).summary.results.repaired


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        (expecting(elements=["500 yen"]), "couldn't verify “500 yen”"),
        (expecting(must_not=["It is free."]), "couldn't verify “does not say: It is free.”"),
        (expecting(escalate=True), "couldn't verify “hands over to a person”"),
        (expecting(answerable=False), "couldn't verify “declines to answer”"),
    ],
)
def test_an_undecided_claim_is_named_whatever_its_kind(expected: Expected, told: str) -> None:
    claim = claims_of(expected)[0]
    about = (claim.text,) if claim.text else ()
    found = Finding(Result.UNDECIDED, Why.UNCLEAR, 1, about=about, claim=claim.id)
    assert told == why_text(found, "en")
