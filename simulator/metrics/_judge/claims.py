"""The claims of a scenario as a section of what the judge is asked, and whether the user is sound.

One entry for each claim, quote before state. What is met or violated needs a quote that is in the
answer; without one nobody can check it, and the reading is unknown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from simulator.core.claim import CLAIMS, Claim, ClaimKind, Reader, Reading, State
from simulator.core.clean import cut, normal_form
from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.core.rubric import Scope
from simulator.core.scenario import Scenario
from simulator.files.prompts import fenced
from simulator.llm.structured import CleanText, FormModel, one_of, whole_number
from simulator.metrics._context import Tokens

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt

_MOST = 200  # claims of a scenario
_LONGEST = 2_000  # characters of one claim
_QUOTE = 500  # characters of a quote that are kept
_NEEDS_QUOTE = {
    ClaimKind.SAYS: (State.MET, State.VIOLATED),
    ClaimKind.MUST_NOT: (State.VIOLATED,),
}
_OMITTED = re.compile(r"\s*(?:\[?(?:…|\.\.\.)\]?)\s*")
# Tokens of an entry: its number, a quote and the state.
_ENTRY: Tokens = (15, 35, 200)
_USER: Tokens = (12, 18, 100)


class _Check(FormModel):
    number: whole_number(1, _MOST)  # type: ignore[valid-type]
    quote: CleanText
    state: one_of(("met", "unmet", "violated"))  # type: ignore[valid-type]


class _Role(FormModel):
    quote: CleanText
    state: one_of(("in_role", "out_of_role"))  # type: ignore[valid-type]


class ClaimsForm(FormModel):
    """The claims, one by one, and whether the user is in its role.

    A judge that leaves them out has rated all the same.
    """

    claims: list[_Check] = Field(default_factory=list)
    user_in_role: _Role = Field(default_factory=lambda: _Role(quote="", state="in_role"))


@dataclass(frozen=True, slots=True)
class ClaimsSection:
    """The claims and a look at the user's message; the same text in all turns, to be cached."""

    prompt: Prompt
    id: str = CLAIMS
    infos: Sequence[MetricInfo] = ()
    scope: Scope = "turn"

    @property
    def sees(self) -> tuple[str, ...]:
        """The blocks of the evidence that it needs."""
        return ("talk", "documents", "question", "answer")

    def instructions(self) -> str:
        """How claims are checked, and what is no message of a customer."""
        return "\n\n".join(self.prompt.render(part) for part in ("section", "role"))

    def why_not(self, scenario: Scenario, *, documents: bool) -> str:
        """It is always asked."""
        return ""

    def form(self, scenario: Scenario) -> type[FormModel]:
        """The same for all scenarios."""
        return ClaimsForm

    def writes(self, scenario: Scenario) -> Tokens:
        """An entry for each claim."""
        expected = scenario.expected
        n = len(expected.elements) + len(expected.must_not) + bool(expected.answers) + 1
        low, likely, high = (e * n + u for e, u in zip(_ENTRY, _USER, strict=True))
        return low, likely, high

    def outcomes(self, evidence: Evidence, answers: Sequence[FormModel]) -> Outcomes:
        """No metric; see `readings`."""
        return {}

    def block(self, evidence: Evidence, fence: str) -> str:
        """The claims as the judge is shown them, each text fenced; empty without any."""
        lines = [self._line(number, c, fence) for number, c in enumerate(evidence.claims, 1)]
        return self.prompt.render("block", claims="\n".join(lines)) if lines else ""

    def _line(self, number: int, claim: Claim, fence: str) -> str:
        part = "whole" if claim.is_whole else claim.kind.value
        values = {"number": str(number)}
        if claim.wordings:
            text = cut(" / ".join(claim.wordings), _LONGEST)
            values["text"] = "\n" + fenced(f"claim-{number}", text, fence)
        return self.prompt.render(part, **values)


def readings_of(evidence: Evidence, answers: Sequence[FormModel]) -> tuple[Reading, ...]:
    """What the judge says about each claim: the majority of its votes; a tie is unknown."""
    votes = [answer for answer in answers if isinstance(answer, ClaimsForm)]
    if not votes:
        return ()
    answer = normal_form(evidence.exchange.assistant)
    return tuple(
        _majority([_reading(number, claim, vote, answer) for vote in votes])
        for number, claim in enumerate(evidence.claims, 1)
    )


def out_of_role(evidence: Evidence, answers: Sequence[FormModel]) -> str:
    """The user's words that no user would write, by most votes; empty where it is in its role.

    What the scenario gives is nobody's slip, whatever the judge says of it.
    """
    if not _has_user(evidence):
        return ""
    votes = [a.user_in_role for a in answers if isinstance(a, ClaimsForm)]
    message = normal_form(evidence.exchange.user)
    odd = [v.quote for v in votes if v.state == "out_of_role" and _is_in(v.quote, message)]
    return cut(odd[0], _QUOTE) if 2 * len(odd) > len(votes) else ""


def _reading(number: int, claim: Claim, vote: ClaimsForm, answer: str) -> Reading:
    check = next((check for check in vote.claims if check.number == number), None)
    if check is None:
        return Reading(claim.id, State.UNKNOWN, Reader.MODEL)
    state = State(check.state)
    if claim.kind is ClaimKind.MUST_NOT and state is State.UNMET:
        state = State.MET  # it is not said
    is_quoted = _is_in(check.quote, answer)
    if state in _NEEDS_QUOTE.get(claim.kind, ()) and not is_quoted:
        return Reading(claim.id, State.UNKNOWN, Reader.MODEL)
    quote = check.quote if is_quoted and state is not State.UNMET else ""
    return Reading(claim.id, state, Reader.MODEL, cut(quote, _QUOTE), claim.text)


def _is_in(quote: str, answer: str) -> bool:
    """True if a quote is in an answer, in normal form; what it leaves out may be marked by `…`."""
    parts = [normal_form(part) for part in _OMITTED.split(quote)]
    return any(parts) and all(part in answer for part in parts)


def _majority(readings: Sequence[Reading]) -> Reading:
    counts = Counter(reading.state for reading in readings)
    (state, n), *others = counts.most_common()
    if others and others[0][1] == n:
        state = State.UNKNOWN
    agreeing = next((reading for reading in readings if reading.state is state), None)
    return agreeing or Reading(readings[0].claim, state, Reader.MODEL)


def _has_user(evidence: Evidence) -> bool:
    """True if a model or rules wrote the user's last message, so that it may be out of role."""
    message, scenario = evidence.exchange.user, evidence.scenario
    written: tuple[str, ...] = (scenario.query, *scenario.turns)
    return not evidence.scripted and message not in written
