"""A search for what mends each fault: candidates in order of likelihood, tried until one holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from simulator.core.run import Run
from simulator.core.scenario import Scenario
from simulator.files.client.folder import LoadedClient
from simulator.improve.decision import Proof
from simulator.improve.diffs import Diff
from simulator.improve.proof import Play
from simulator.improve.proposals import Written
from simulator.view.faults import FaultList


class Outcome(StrEnum):
    """What came of trying one candidate."""

    NOT_FOUND = "not_found"  # the bot does not find the changed entry
    UNCHANGED = "unchanged"  # the answer is what it was
    STILL_WRONG = "still_wrong"  # the answer is another one, and wrong
    UNREAD = "unread"  # nobody can tell if the new answer is right
    HARMFUL = "harmful"  # another question is answered worse
    UNPROVED = "unproved"  # too few questions show it
    ACCEPTED = "accepted"


@dataclass(frozen=True, slots=True)
class Tried:
    """One candidate, by the name of its diff, and what came of it; `reason` is for people."""

    candidate: str
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """The bot's answers to one question; `better` None: neither is known to be."""

    question: str
    before: str
    after: str
    better: bool | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers between which a person has to decide, and why readers cannot."""

    question: str
    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True)
class Fix:
    """What the search has for one fault; `diff` None: no candidate, or it is the bot's code."""

    fault: FaultList
    diff: Diff | None = None
    proof: Proof | None = None
    tried: tuple[Tried, ...] = ()
    examples: tuple[BeforeAfter, ...] = ()
    pairs: tuple[Pair, ...] = ()
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is to be mended, and with what. `model`: words proposals, if there is one."""

    run: Run
    faults: Sequence[FaultList]
    loaded: LoadedClient
    written: Mapping[str, Written]
    more: Mapping[str, Scenario] = field(default_factory=dict)
    model: str | None = None
    store_url: str = ""


@dataclass(frozen=True, slots=True)
class Searched:
    """A fix for each fault, in their order."""

    fixes: tuple[Fix, ...] = ()


def search(work: SearchRequest, play: Play) -> Searched:
    """Try candidates for each fault until one is proved."""
    raise NotImplementedError
