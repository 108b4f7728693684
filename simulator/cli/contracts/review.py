"""The JSON of `mogi review`: the plan, what is open, verdicts read, corrections used."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from simulator.cli.screens.tune import LackingVerdicts
from simulator.core.outcome import Interval
from simulator.core.result import Result
from simulator.core.run import RunHeader
from simulator.core.scenario import Approval
from simulator.core.verdict import CorrectedScore, Sampled, Verdict, Word
from simulator.files.scenarios.expected import scenario_entry
from simulator.formats.json_contracts import Count, Ordinal, Share, contract, filled
from simulator.review.corrected_answers import Applied, Left, Promoted, Rejection
from simulator.review.expectations import Decision, Taken, Trouble
from simulator.review.plan import Bought, Outlook
from simulator.review.pull import Pulled, Revision, oddity_text
from simulator.review.status import Coverage, ReviewStatus
from simulator.worksheets.reading import Odd, Oddity


@contract
class PlannedRow:
    """An answer that people are to judge."""

    episode: str
    """The conversation's key."""
    turn: Ordinal
    """Its number."""
    why: Sampled
    """Why it is shown."""
    probability: Share
    """With which it was drawn."""
    alike: Count
    """Other turns for which a verdict on it holds."""


@contract
class MoreRows:
    """What some more rows would buy."""

    rows: Count
    """How many more."""
    corrected: float | None
    """Of the corrected score."""
    kappa: float | None
    """Of kappa between score and people."""

    @classmethod
    def of(cls, outlook: Outlook) -> "MoreRows | None":
        """None if there are no more."""
        more = outlook.buys_more
        return filled(cls, more, rows=outlook.more) if more else None


@contract
class SaidWord:
    """What somebody says."""

    who: str
    """The reviewer, or the file if unknown."""
    word: Word
    """What."""


@contract
class Disagreement:
    """An answer on which people differ."""

    episode: str
    """The conversation's key."""
    turn: Ordinal
    """Its number."""
    alike: Count
    """Other turns with the same answer."""
    words: tuple[SaidWord, ...]
    """Who says what."""

    @classmethod
    def all_of(cls, status: ReviewStatus) -> "tuple[Disagreement, ...]":
        """Those of a review."""
        return tuple(
            filled(cls, split, words=tuple(SaidWord(*pair) for pair in split.words))
            for split in status.splits.values()
        )


@contract
class PlanFigures:
    """What `mogi review plan RUN --json` prints."""

    run: str
    """The run's id."""
    client: str
    """The client's name."""
    rows: tuple[PlannedRow, ...]
    """In the order in which they are to be judged."""
    kinds: Mapping[Sampled, Count]
    """Rows by why they are shown."""
    new: Count
    """Rows without a verdict."""
    known: Count
    """Different answers that an earlier run's verdict holds for."""
    open: Count
    """Distinct answers without a verdict."""
    seconds: float
    """Seconds that the rows are likely to take."""
    seconds_all: float
    """Seconds that judging each turn separately would take."""
    buys: Bought
    """The widths of 95% intervals once every answer has a verdict; null if there are none."""
    more: MoreRows | None
    """The precision with more rows; null if there are no more."""
    disagreements: tuple[Disagreement, ...]
    """Answers that reviewers disagree on."""


def plan_json(header: RunHeader, outlook: Outlook, status: ReviewStatus) -> PlanFigures:
    """What is to be judged, and what it tells."""
    rows = outlook.plan.rows
    return filled(
        PlanFigures,
        outlook,
        run=header.id,
        client=header.client,
        rows=tuple(
            PlannedRow(*row.places[0], row.why, row.probability, len(row.places) - 1)
            for row in rows
        ),
        kinds=Counter(row.why for row in rows),
        seconds_all=outlook.turns_s,
        more=MoreRows.of(outlook),
        disagreements=Disagreement.all_of(status),
    )


@contract
class PlanProgress:
    """How far a run's plan has come."""

    rows: Count
    """How many it has."""
    corrected: Interval | None
    """The corrected score so far; null if unknown."""
    buys: Bought
    """The widths of 95% intervals once every answer has a verdict; null if there are none."""
    more: MoreRows | None
    """The precision with more rows; null if there are no more."""


@contract
class TuneProgress:
    """What `mogi tune` has, over all runs."""

    ok: Count
    """Different answers that people call OK."""
    ng: Count
    """NG."""
    ready: bool
    """Whether that is enough."""
    missing: LackingVerdicts
    """What it lacks."""


@contract
class StatusFigures:
    """What `mogi review status RUN --json` prints."""

    run: str
    """The run's id."""
    client: str
    """The client's name."""
    shown: Count
    """Turns that people are shown."""
    open: Count
    """Of these not judged yet."""
    judged: Count
    """Of these judged in this run."""
    known: Count
    """Of these judged in an earlier run, by an equal answer."""
    sampled: Mapping[Sampled, Coverage]
    """By why they are shown."""
    personas: Mapping[str, Coverage]
    """By persona."""
    scenarios: Mapping[str, Coverage]
    """By scenario."""
    comments_only: Count
    """Turns with a comment and no verdict."""
    verdicts_elsewhere: Count
    """Verdicts on turns that were not shown."""
    reviewers: Mapping[str, Count]
    """Verdicts by reviewer; "" if unknown."""
    progress: Mapping[str, Count]
    """Of these on turns that are shown."""
    words: Mapping[str, Mapping[Word, Count]]
    """What each says, by reviewer."""
    near_names: tuple[tuple[str, str], ...]
    """Reviewers whose names are nearly alike."""
    disagreements: tuple[Disagreement, ...]
    """Answers that reviewers disagree on."""
    plan: PlanProgress | None
    """The run's plan; null if it has none."""
    tune: TuneProgress
    """What `mogi tune` has, over all runs."""


def status_json(
    header: RunHeader,
    status: ReviewStatus,
    outlook: Outlook | None = None,
    corrected: CorrectedScore | None = None,
) -> StatusFigures:
    """How far a review has come."""
    lacking = LackingVerdicts(*status.missing)
    plan = outlook and PlanProgress(
        len(outlook.plan.rows),
        corrected.value if corrected else None,
        outlook.buys,
        MoreRows.of(outlook),
    )
    return filled(
        StatusFigures,
        status,
        run=header.id,
        client=header.client,
        comments_only=status.comments,
        verdicts_elsewhere=status.others,
        reviewers={name: words.total() for name, words in status.words.items()},
        words={name: {w: words[w] for w in Word} for name, words in status.words.items()},
        near_names=tuple(status.near),
        disagreements=Disagreement.all_of(status),
        plan=plan,
        tune=TuneProgress(status.ok, status.ng, not any(status.missing), lacking),
    )


@contract
class PulledCounts:
    """Verdicts of one reviewer."""

    new: Count
    """New."""
    changed: Count
    """Changed."""
    unchanged: Count
    """Known."""


@contract
class ChangedResults:
    """Conversations whose result changes alike."""

    before: Result
    """The result without them."""
    after: Result
    """The result now."""
    conversations: Ordinal
    """How many."""


@contract
class VerdictNow:
    """A verdict on an answer."""

    verdict: Word | None
    """The verdict; null if there's only a comment, or it was withdrawn."""
    error_type: str
    """The error type; may be empty."""
    corrected: str
    """The corrected answer; may be empty."""
    comment: str
    """The comment; may be empty."""


@contract
class VerdictBefore(VerdictNow):
    """The earlier verdict on it."""

    at: str
    """When; ISO 8601, in UTC."""
    source: str
    """The source."""


@contract
class ChangedVerdict:
    """A verdict that takes the place of an earlier one."""

    episode: str
    """The conversation's key."""
    turn: Ordinal
    """Its number."""
    reviewer: str
    """Whose it is."""
    before: VerdictBefore
    """Before."""
    after: VerdictNow
    """Now."""


@contract
class OddThing:
    """Something that a person should know."""

    kind: Odd
    """Which, such as unknown_word or misplaced."""
    sheet: str | None
    """The worksheet."""
    row: Ordinal | None
    """Its row."""
    text: str
    """In words."""
    values: Mapping[str, str]
    """What the words speak of."""


@contract
class PullFigures:
    """What `mogi review pull RUN --json` prints."""

    run: str
    """The run's id."""
    source: str
    """The file or spreadsheet."""
    rows: Count
    """Rows that were read."""
    new: Count
    """New verdicts."""
    changed: Count
    """Verdicts that replace an earlier one."""
    unchanged: Count
    """Verdicts that were known."""
    known: Count
    """Rows that an earlier run's verdict holds for."""
    reviewers: Mapping[str, PulledCounts]
    """Verdicts by reviewer; "" if unknown."""
    results: tuple[ChangedResults, ...]
    """Conversations whose result these verdicts change."""
    changes: tuple[ChangedVerdict, ...]
    """The verdict before and now."""
    oddities: tuple[OddThing, ...]
    """What a person should know."""


def pulled_json(header: RunHeader, source: str, pulled: Pulled) -> PullFigures:
    """What was read."""
    return filled(
        PullFigures,
        pulled,
        run=header.id,
        source=source,
        new=len(pulled.new),
        changed=len(pulled.changed),
        unchanged=pulled.unchanged.total(),
        reviewers=pulled_counts(pulled),
        results=tuple(ChangedResults(*pair, n) for pair, n in pulled.results.most_common()),
        changes=tuple(map(_change, pulled.changes)),
        oddities=tuple(_odd(odd, header) for odd in pulled.oddities),
    )


def pulled_counts(pulled: Pulled) -> dict[str, PulledCounts]:
    """New, changed and unchanged verdicts by reviewer; without a name last."""
    new = Counter(verdict.reviewer for verdict in pulled.new)
    changed, same = Counter(verdict.reviewer for verdict in pulled.changed), pulled.unchanged
    names = sorted({*new, *changed, *same}, key=lambda name: (not name, name))
    return {name: PulledCounts(new[name], changed[name], same[name]) for name in names}


def verdict_now(verdict: Verdict) -> VerdictNow:
    """What a verdict says."""
    return filled(VerdictNow, verdict, verdict=verdict.word)


def _change(change: Revision) -> ChangedVerdict:
    before = filled(VerdictBefore, change.before, verdict=change.before.word)
    return filled(ChangedVerdict, change.after, before=before, after=verdict_now(change.after))


def _odd(odd: Oddity, header: RunHeader) -> OddThing:
    place, text = odd.place, oddity_text(odd, header.language)
    return filled(
        OddThing,
        odd,
        sheet=place and (place.sheet or None),
        row=place and (place.row or None),
        text=text,
    )


@contract
class ProposedAnswer:
    """An expected answer that would change."""

    scenario: str
    """The scenario's id."""
    old: str
    """What is expected now; may be empty."""
    new: str
    """What people corrected it to."""
    by: tuple[str, ...]
    """Who."""
    lacks: tuple[str, ...]
    """Expected elements that it does not contain."""


@contract
class LeftCorrection:
    """A correction that is not taken."""

    why: Rejection
    """Why."""
    scenario: str
    """The scenario's id."""
    run: str
    """The run's id."""
    episode: str
    """The conversation's key."""
    turn: Ordinal
    """Its number."""
    by: str
    """The reviewer, or the file if unknown."""
    text: str
    """The corrected answer."""


@contract
class ApplyFigures:
    """What `mogi review apply CLIENT --json` prints."""

    client: str
    """The client's name."""
    file: str | None
    """The scenarios file; null if nothing changes."""
    written: bool
    """Whether it was changed."""
    same: Count
    """Corrections that say what is expected already."""
    proposals: tuple[ProposedAnswer, ...]
    """Expected answers that would change."""
    left: tuple[LeftCorrection, ...]
    """Corrections that are not taken."""
    diff: str
    """As a unified diff; empty without a change."""


def applied_json(client: str, applied: Applied, *, written: bool) -> ApplyFigures:
    """What corrections become of."""
    return filled(
        ApplyFigures,
        applied,
        client=client,
        file=applied.edit.source.name if applied.edit else None,
        written=written,
        proposals=tuple(filled(ProposedAnswer, each) for each in applied.proposals),
        left=tuple(map(_left, applied.left)),
    )


def _left(left: Left) -> LeftCorrection:
    correction = left.correction
    by = correction.who[0] or correction.who[1]
    return filled(LeftCorrection, correction, why=left.why, by=by)


@contract
class PromoteFigures:
    """What `mogi review apply CLIENT --promote RUN CONVERSATION --json` prints."""

    client: str
    """The client's name."""
    file: str | None
    """The scenarios file; null if nothing changes."""
    written: bool
    """Whether it was changed."""
    run: str
    """The run's id."""
    episode: str
    """The conversation's key."""
    scenario: Mapping[str, Any]
    """As written in a scenarios file."""
    old: tuple[str, ...]
    """What was expected."""
    by: tuple[str, ...]
    """Who corrected the answer."""
    diff: str
    """As a unified diff; empty without a change."""


def promoted_json(
    client: str, promoted: Promoted, header: RunHeader, episode: str, *, written: bool
) -> PromoteFigures:
    """A conversation as a scenario."""
    return filled(
        PromoteFigures,
        promoted,
        client=client,
        file=promoted.edit.source.name if promoted.edit else None,
        written=written,
        run=header.id,
        episode=episode,
        scenario=scenario_entry(promoted.scenario),
    )


@contract
class SampleFigures:
    """The claims that were drawn at random from all generated ones."""

    claims: Count
    """Generated claims."""
    drawn: Count
    """Of these drawn."""
    judged: Count
    """Of these judged."""
    wrong: Count
    """Of these struck or changed."""
    upper: Share | None
    """Upper bound on the share of wrong claims, with 95% confidence; null if no claim has a
    decision.
    """
    opens_bulk: bool
    """Whether the other claims may be confirmed in bulk."""


@contract
class NotTaken:
    """Something that a person wrote and that is not taken."""

    scenario: str
    """The scenario's id."""
    claim: str
    """The claim's id; + for a new one."""
    reviewer: str
    """Who wrote it."""
    decision: Decision
    """What it says."""
    before: tuple[str, ...]
    """The claim as that person saw it."""
    after: tuple[str, ...]
    """What it should say."""
    why: Trouble
    """Why it is not taken."""
    now: tuple[str, ...]
    """What the file says now."""


@contract
class WorksheetRemark:
    """Something in a worksheet that is not read."""

    row: Count
    """The row."""
    text: str
    """The remark."""


@contract
class ExpectationFigures:
    """What `mogi review expectations CLIENT --json` prints."""

    client: str
    """The client's name."""
    worksheet: str | None
    """The worksheet that was written or read."""
    scenarios: Mapping[Approval, Count]
    """Scenarios by who confirmed their expectations."""
    to_judge: Count
    """Claims without a decision."""
    seconds: float
    """How long one person takes for these."""
    sample: SampleFigures
    """The claims that are judged before others may be confirmed in bulk."""
    taken: Mapping[Decision, Count]
    """What is new, by what it says."""
    same: Count
    """What was taken before."""
    refused: bool
    """Whether --bulk was refused."""
    conflicts: tuple[NotTaken, ...]
    """What is not taken."""
    remarks: tuple[WorksheetRemark, ...]
    """What is not read."""
    files: tuple[str, ...]
    """The files of scenarios that change."""
    written: bool
    """Whether they were changed."""


def expectations_json(
    taken: Taken, worksheet: str | None, remarks: Iterable[WorksheetRemark], *, written: bool
) -> ExpectationFigures:
    """How far the expectations of a client are confirmed, and what came of a worksheet."""
    state = taken.after
    counts = state.counts()
    return ExpectationFigures(
        client=state.client,
        worksheet=worksheet,
        scenarios={approval: counts[approval] for approval in Approval},
        to_judge=len(state.to_judge()),
        seconds=state.seconds(),
        sample=filled(SampleFigures, state.draw()),
        taken=Counter(judgement.decision for judgement in taken.new),
        same=taken.same,
        refused=taken.refused,
        conflicts=tuple(filled(NotTaken, each, each.judgement) for each in taken.conflicts),
        remarks=tuple(remarks),
        files=tuple(edit.source.name for edit in taken.edits),
        written=written,
    )
