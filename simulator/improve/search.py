"""The fix of each fault: what is proposed for it, tried, and proved."""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from simulator.core.run import Run
from simulator.core.scenario import Scenario
from simulator.files.client.folder import LoadedClient, load_client
from simulator.improve.decision import Proof
from simulator.improve.diffs import Diff, check_reads, copy_with
from simulator.improve.proof import Change, Play, Prover
from simulator.improve.proposals import Proposer, Written
from simulator.view.faults import FaultList


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """The bot's answers to one question before and after a change; `better` None: undecided."""

    question: str
    before: str
    after: str
    better: bool | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two answers on which the readers disagree, for a person to decide."""

    question: str
    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate that was tried, and what came of it."""

    candidate: str
    outcome: str
    reason: str


@dataclass(frozen=True, slots=True)
class Fix:
    """The fix of one fault: its diff and proof where there is one; `is_code`: for an engineer."""

    fault: FaultList
    diff: Diff | None = None
    proof: Proof | None = None
    tried: tuple[Tried, ...] = ()
    examples: tuple[BeforeAfter, ...] = ()
    pairs: tuple[Pair, ...] = ()
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is searched: fixes for `faults` of a run, from what people wrote, by scenario.

    `more`: scenarios besides the client's own; `model` words the fixes; `store_url`: where plays
    are kept, so that they go on where they were left.
    """

    run: Run
    faults: Sequence[FaultList]
    loaded: LoadedClient
    written: Mapping[str, Written]
    more: Mapping[str, Scenario]
    model: str | None
    store_url: str


@dataclass(frozen=True, slots=True)
class Searched:
    """What was found for each fault, in their order."""

    fixes: tuple[Fix, ...]


def search(work: SearchRequest, play: Play) -> Searched:
    """Propose a fix for each fault by rules, and prove all of them together.

    Raises:
        InputError: the bot does not read a copy of its folder.
        MogiError: something kept a play from its end; what was played is kept.
        KeyboardInterrupt: likewise.
    """
    check_reads(work.loaded)
    proposer = Proposer(work.loaded, work.written)
    proposals = proposer.proposals(work.faults)
    diffs = proposer.diffs(work.run.header.id, proposals)
    proofs: list[Proof] = []
    with ExitStack() as stack:
        if diffs:
            changes = [_change(work, diff, stack) for diff in diffs]
            prover = Prover(work.run, work.loaded, work.more, work.store_url, play)
            proofs = prover.prove(changes)
    fixes: dict[int, Fix] = {}
    for proposal, diff, proof in zip(proposals, diffs, proofs, strict=True):
        for fault in proposal.faults:
            fixes.setdefault(id(fault), Fix(fault, diff, proof))
    return Searched(tuple(fixes.get(id(fault), Fix(fault)) for fault in work.faults))


def _change(work: SearchRequest, diff: Diff, stack: ExitStack) -> Change:
    """The client after one diff, in a copy of its folder that lives as long as the stack."""
    place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mogi-")))
    after = load_client(str(copy_with([diff], Path(work.loaded.client.folder), place)), cwd=place)
    seen = {key.rsplit("/", 2)[0] for key in diff.listed("conversations")}
    return Change(diff.name, after, frozenset(seen))
