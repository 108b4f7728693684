"""The JSON of `mogi improve`."""

from collections.abc import Mapping, Sequence

from simulator.core.clean import cut
from simulator.core.result import Result
from simulator.core.run import Ledger, Run
from simulator.formats.json_contracts import Count, Ordinal, Share, contract, filled
from simulator.improve.decision import DecidingRule, Played, Proof, Proven, Veto
from simulator.improve.diagnosis import Cause, Suspect
from simulator.improve.diffs import Diff
from simulator.improve.interventions import Standing, Tested, Way
from simulator.improve.plays import Paid
from simulator.improve.search import Fix
from simulator.view.faults import FaultList, Remedy

_EXAMPLES = 3  # conversations that are shown of a fault
_TEXT = 300  # characters of each text


@contract
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


@contract
class FaultFigures:
    """Conversations that one change would fix."""

    remedy: Remedy
    """What would have to change."""
    blame: str
    """By what they failed."""
    entry: str | None
    """The ID of the first expected document; null if there is none."""
    scenarios: tuple[str, ...]
    """Their scenarios."""
    title: str
    """The entry's title, or what is asked."""
    conversations: tuple[str, ...]
    """Their keys."""
    words: tuple[str, ...]
    """What users said about this topic, most frequent first (at most nine)."""
    examples: tuple[FaultExample, ...]
    """Up to three of them."""


@contract
class ProposalFigures:
    """A change that was written."""

    file: str
    """The diff's name in the folder."""
    reason: str
    """Why it is proposed."""
    blame: str
    """What it would fix, with counts."""
    run: str
    """The run's id."""
    conversations: tuple[str, ...]
    """Keys of the conversations behind it."""
    worded: str | None
    """`model M` if a model wrote it; null if rules did."""
    diff: str
    """The change, as a unified diff of the client's files."""


@contract
class ProvedCell:
    """A question, before and after."""

    scenario: str
    """The question."""
    before: Result
    """Its result before the change."""
    after: Result
    """And after it."""
    unseen: bool
    """True if the proposer never saw its question."""
    reached: bool
    """True if the change affects its answer."""


@contract
class ProofFigures:
    """What came of a change."""

    name: str
    """The diff's name, or the other bot's client."""
    proven: Proven
    """What came of it."""
    why: DecidingRule | None
    """The reason for the decision; null if a veto decided."""
    vetoes: tuple[Veto, ...]
    """Why it is rejected regardless of its gains."""
    questions: Count
    """Unseen questions that it affects."""
    missed: Count
    """Unseen questions that it is for and that were not always answered before."""
    better: Count
    """Of the former, those answered better."""
    worse: Count
    """Those answered worse."""
    p: Share | None
    """Two-sided; null if no question was asked."""
    p_adjusted: Share | None
    """Holm's, over the candidates of one fault, or the diffs of one `--prove`."""
    more: Count | None
    """Number of additional questions, all answered better, that would be enough to accept it; null
    if decided.
    """
    newly_passing: tuple[str, ...]
    """Questions that newly pass."""
    newly_failing: tuple[str, ...]
    """Questions that newly fail."""
    cells: tuple[ProvedCell, ...]
    """Every question that was compared."""


@contract
class SuspectFigures:
    """What may be the one cause of several failures."""

    cause: Cause
    """What they have in common."""
    levels: tuple[str, ...]
    """The personas, the length, the turn or the document that it shows in."""
    code: bool
    """True if no known text change fixes it, so an engineer has to look."""
    standing: Standing
    """`suspected` until --fix has tested it."""
    way: Way | None
    """How it was tested; null without --fix."""
    agrees: Count
    """Answers of the test that support it."""
    decided: Count
    """The number of answers that were decided."""
    conversations: tuple[str, ...]
    """Keys of its conversations."""
    scenarios: tuple[str, ...]
    """Their scenarios."""
    question: str
    """What was asked in one of them; its beginning."""
    answer: str
    """What was answered there; its beginning."""


@contract
class AnswerPair:
    """The bot's answers to one question, before a change and after it."""

    question: str
    """What was asked."""
    before: str
    """The answer before it."""
    after: str
    """The answer after it."""
    better: bool | None
    """Whether the later one is correct; null if unknown."""


@contract
class OpenPair:
    """Two answers that a person has to decide on."""

    question: str
    """What was asked."""
    before: str
    """The answer before the change."""
    after: str
    """The answer after it."""
    why: str
    """Why no reader can tell."""


@contract
class TriedCandidate:
    """A candidate that was tried."""

    candidate: str
    """Its name."""
    outcome: str
    """What came of it."""
    reason: str
    """Why."""


@contract
class FixFigures:
    """What --fix has for one fault."""

    entry: str | None
    """As in `faults`."""
    title: str
    """As in `faults`."""
    conversations: tuple[str, ...]
    """Keys of its conversations."""
    file: str | None
    """The diff's name; null if there is none."""
    diff: str | None
    """The change, as a unified diff; null if there is none."""
    proven: Proven | None
    """What came of its proof; null without one."""
    code: bool
    """True if no known text change fixes it, so an engineer has to look."""
    tried: tuple[TriedCandidate, ...]
    """Candidates that were tried."""
    examples: tuple[AnswerPair, ...]
    """Answers before and after."""
    pairs: tuple[OpenPair, ...]
    """Answers that a person has to decide on."""


@contract
class ImproveFigures:
    """What `mogi improve RUN --json` prints, with --propose and --prove too."""

    run: str
    """The run's id."""
    client: str
    """The client's name."""
    suspects: tuple[SuspectFigures, ...]
    """What may be the one cause of several failures, the most conversations first."""
    faults: tuple[FaultFigures, ...]
    """What would fix the other conversations that failed, the most first."""
    fixes: tuple[FixFigures, ...] | None
    """What --fix has for each fault; of a proof, what derived questions say of each change; null
    without."""
    proposals: tuple[ProposalFigures, ...] | None
    """Changes that were written; null without --propose."""
    proofs: tuple[ProofFigures, ...] | None
    """What came of each change; null without a proof."""
    calls: Mapping[str, Count] | None
    """Calls to verify fixes or to write proposals (including earlier ones), by role; null if none
    was needed.
    """
    full_rerun_calls: Count | None
    """Calls that playing every cell would take; null without a proof."""
    cost_usd: float | None
    """US dollars for these calls; null if a price is unknown or none was needed."""
    accepted: tuple[str, ...] | None
    """Names of the diffs that --accept put into the client's texts; null without it."""
    changed: tuple[str, ...] | None
    """The files that this changed; null without --accept."""


@contract
class Outcomes:
    """What a command made of a run beside its list; None: it was not asked for.

    `spent`: what proofs took, or what a model's words for the proposals did.
    """

    suspects: Sequence[Suspect | Tested] = ()
    proposals: Sequence[Diff] | None = None
    proofs: Sequence[Proof] | None = None
    fixes: Sequence[Fix] | None = None
    spent: Paid | Ledger | None = None
    accepted: tuple[str, ...] | None = None
    changed: tuple[str, ...] | None = None


def improve_json(run: Run, faults: Sequence[FaultList], outcomes: Outcomes) -> ImproveFigures:
    """Everything by name."""
    proposals, proofs, fixes = outcomes.proposals, outcomes.proofs, outcomes.fixes
    spent = outcomes.spent
    return ImproveFigures(
        run=run.header.id,
        client=run.header.client,
        suspects=tuple(map(_suspect, outcomes.suspects)),
        faults=tuple(map(_fault, faults)),
        fixes=None if fixes is None else tuple(map(_fix, fixes)),
        proposals=None if proposals is None else tuple(map(_proposal, proposals)),
        proofs=None if proofs is None else tuple(map(_proof, proofs)),
        calls=spent.calls if spent else None,
        full_rerun_calls=spent.whole if isinstance(spent, Paid) else None,
        cost_usd=spent.cost_usd if spent else None,
        accepted=outcomes.accepted,
        changed=outcomes.changed,
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


def _suspect(each: Suspect | Tested) -> SuspectFigures:
    tested = each if isinstance(each, Tested) else Tested(each, Way.NONE)
    suspect = tested.suspect
    return filled(
        SuspectFigures,
        tested,
        suspect,
        code=suspect.is_code,
        way=tested.way if isinstance(each, Tested) else None,
        conversations=suspect.keys,
        question=cut(suspect.question, _TEXT),
        answer=cut(suspect.answer, _TEXT),
    )


def _fix(fix: Fix) -> FixFigures:
    fault, diff, proof = fix.fault, fix.diff, fix.proof
    return FixFigures(
        entry=None if fault is None or fault.of_scenario else fault.entry,
        title=fault.title if fault else "",
        conversations=tuple(failure.key for failure in fault.failures) if fault else (),
        file=diff.name if diff else None,
        diff=diff.text if diff else None,
        proven=proof.decision.proven if proof else None,
        code=fix.is_code,
        tried=tuple(TriedCandidate(t.candidate, str(t.outcome), t.reason) for t in fix.tried),
        examples=tuple(filled(AnswerPair, example) for example in fix.examples),
        pairs=tuple(filled(OpenPair, pair) for pair in fix.pairs),
    )


def _proposal(diff: Diff) -> ProposalFigures:
    return ProposalFigures(
        file=diff.name,
        reason=diff.said["reason"],
        blame=diff.said["blame"],
        run=diff.said["run"],
        conversations=diff.listed("conversations"),
        worded=diff.said.get("worded"),
        diff=diff.text,
    )


def _proof(proof: Proof) -> ProofFigures:
    decision, gain = proof.decision, proof.decision.gain
    cells = (ProvedCell(c.scenario, *c.results, c.is_unseen, c.is_chosen) for c in proof.cells)
    return filled(
        ProofFigures,
        proof,
        decision,
        gain,
        p_adjusted=gain.adjusted,
        newly_passing=_names(proof.newly_passing),
        newly_failing=_names(proof.newly_failing),
        cells=tuple(cells),
    )


def _names(cells: Sequence[Played]) -> tuple[str, ...]:
    return tuple(cell.scenario for cell in cells)
