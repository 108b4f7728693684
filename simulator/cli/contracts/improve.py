"""The JSON of `mogi improve`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulator.cli.contracts._filled import filled
from simulator.core.clean import cut
from simulator.core.result import Result
from simulator.core.run import Ledger, Run
from simulator.formats.json_contracts import CONTRACT, Count, Ordinal, Share
from simulator.improve.cells import Paid
from simulator.improve.decision import DecidingRule, Played, Proof, Proven, Veto
from simulator.improve.diffs import Diff
from simulator.view.faults import FaultList, Remedy

_EXAMPLES = 3  # conversations that are shown of a fault
_TEXT = 300  # characters of each text


@dataclass(frozen=True, slots=True)
class FaultExample:
    """A conversation that failed."""

    episode: str
    """The conversation's key."""
    turn: Ordinal
    """The turn that shows why."""
    user: str
    """What was asked there; its beginning."""
    assistant: str
    """What was answered; its beginning."""
    about: str
    """What is missing or wrong; may be empty."""


@dataclass(frozen=True, slots=True)
class FaultFigures:
    """Conversations that one change would mend."""

    remedy: Remedy
    """What would have to change."""
    blame: str
    """By what they failed."""
    entry: str | None
    """The id of the document that is expected first; null where none is."""
    scenarios: tuple[str, ...]
    """Their scenarios."""
    title: str
    """The entry's title, or what is asked."""
    conversations: tuple[str, ...]
    """Their keys."""
    words: tuple[str, ...]
    """What users said on the matter, the most frequent first; the first nine."""
    examples: tuple[FaultExample, ...]
    """Up to three of them."""


@dataclass(frozen=True, slots=True)
class ProposalFigures:
    """A change that was written."""

    file: str
    """The diff's name in the folder."""
    reason: str
    """Why it is proposed."""
    blame: str
    """What it would mend, with counts."""
    run: str
    """The run's id."""
    conversations: tuple[str, ...]
    """Keys of the conversations behind it."""
    worded: str | None
    """`model M` where a model worded it; null where rules did."""


@dataclass(frozen=True, slots=True)
class ProvedCell:
    """A persona with a scenario, before and after."""

    scenario: str
    """Its scenario."""
    persona: str
    """Who asked."""
    before: Result | None
    """Its result before the change; null where that was not played, as the decision does not hang
    on it."""
    after: Result
    """And after it."""
    unseen: bool
    """Its question was not before the proposer."""
    reached: bool
    """The change was seen to reach it; others are audited."""


@dataclass(frozen=True, slots=True)
class Audit:
    """Cells that the change did not seem to reach."""

    audited: Count
    """Drawn at random, and played."""
    escaped: Count
    """Of these, with another result after it."""
    of: Count
    """All of them."""
    high: Share | None
    """Upper end of the 95 % interval of their share, 0-1; null where none was played."""


@dataclass(frozen=True, slots=True)
class ProofFigures:
    """What came of a change."""

    name: str
    """The diff's name, or the other bot's client."""
    proven: Proven
    """What came of it."""
    why: DecidingRule | None
    """The line that decided; null where a veto did."""
    vetoes: tuple[Veto, ...]
    """Why it is rejected whatever it gains."""
    questions: Count
    """Unseen questions that it reaches."""
    missed: Count
    """Unseen questions that it is for and that were not always answered before."""
    better: Count
    """Of the former, those answered better."""
    worse: Count
    """Those answered worse."""
    p: Share | None
    """Two-sided; null where none was asked."""
    p_adjusted: Share | None
    """Holm's, over all that are proved together."""
    more: Count | None
    """Further questions, all better, that would accept it; null where it is decided."""
    newly_passing: tuple[str, ...]
    """Cells that newly pass; each SCENARIO/PERSONA."""
    newly_failing: tuple[str, ...]
    """Cells that newly fail; each SCENARIO/PERSONA."""
    confirmed: tuple[str, ...]
    """Those that newly failed twice."""
    lost: Count
    """Cells of which nothing is known: their user was given up on, before or after."""
    harms: Mapping[str, tuple[Count, Count]]
    """Conversations that failed by what harms users, before and after, by blame."""
    cells: tuple[ProvedCell, ...]
    """All that were played."""
    audit: Audit
    """Cells that the change did not seem to reach, but for those that must pass, which are all
    played."""


@dataclass(frozen=True, slots=True)
class ImproveFigures:
    """What `mogi improve RUN --json` prints, with --propose and --prove too."""

    __pydantic_config__ = CONTRACT
    run: str
    """The run's id."""
    client: str
    """The client's name."""
    faults: tuple[FaultFigures, ...]
    """What would fix conversations that failed, the most first."""
    proposals: tuple[ProposalFigures, ...] | None
    """Changes that were written; null without --propose."""
    proofs: tuple[ProofFigures, ...] | None
    """What came of each change; null without a proof."""
    calls: Mapping[str, Count] | None
    """Calls of the proofs, or of a model that words proposals (with earlier ones), by role; null
    where none was needed."""
    full_rerun_calls: Count | None
    """Calls that playing every cell would take; null without a proof."""
    cost_usd: float | None
    """US dollars of these calls; null where a price is not known or none was needed."""


def improve_json(
    run: Run,
    faults: Sequence[FaultList],
    proposals: Sequence[Diff] | None = None,
    proofs: Sequence[Proof] | None = None,
    paid: Paid | None = None,
    ledger: Ledger | None = None,
) -> ImproveFigures:
    """Everything by name; `proposals` and `proofs` are None where none was asked for.

    `paid` is what proofs took, `ledger` what a model's words for the proposals did.
    """
    spent = paid or ledger
    return ImproveFigures(
        run=run.header.id,
        client=run.header.client,
        faults=tuple(map(_fault, faults)),
        proposals=None if proposals is None else tuple(map(_proposal, proposals)),
        proofs=None if proofs is None else tuple(map(_proof, proofs)),
        calls=spent.calls if spent else None,
        full_rerun_calls=paid.whole if paid else None,
        cost_usd=spent.cost_usd if spent else None,
    )


def _fault(fault: FaultList) -> FaultFigures:
    examples = (
        FaultExample(
            failure.key,
            failure.turn,
            cut(failure.asked, _TEXT),
            cut(failure.answered, _TEXT),
            cut(failure.about, _TEXT),
        )
        for failure in fault.failures[:_EXAMPLES]
    )
    return filled(
        FaultFigures,
        fault,
        entry=None if fault.of_scenario else fault.entry,
        conversations=tuple(failure.key for failure in fault.failures),
        words=fault.words[: 3 * _EXAMPLES],
        examples=tuple(examples),
    )


def _proposal(diff: Diff) -> ProposalFigures:
    return ProposalFigures(
        file=diff.name,
        reason=diff.said["reason"],
        blame=diff.said["blame"],
        run=diff.said["run"],
        conversations=diff.listed("conversations"),
        worded=diff.said.get("worded"),
    )


def _proof(proof: Proof) -> ProofFigures:
    decision, gain = proof.decision, proof.decision.gain
    cells = (
        ProvedCell(c.scenario, c.persona, *c.results, c.is_unseen, c.is_chosen) for c in proof.cells
    )
    return filled(
        ProofFigures,
        proof,
        decision,
        gain,
        p_adjusted=gain.adjusted,
        newly_passing=_names(proof.newly_passing),
        newly_failing=_names(proof.newly_failing),
        confirmed=_names([cell for cell in proof.cells if cell.is_confirmed]),
        cells=tuple(cells),
        audit=Audit(proof.audited, proof.escaped, proof.others, proof.escape_high),
    )


def _names(cells: Sequence[Played]) -> tuple[str, ...]:
    return tuple(f"{cell.scenario}/{cell.persona}" for cell in cells)
