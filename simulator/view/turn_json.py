"""A turn of a run as JSON: the contract of a line of `mogi export`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from simulator.core.claim import Reader, State, claims_of, counting
from simulator.core.outcome import Gap, Outcomes, Score, Unscored
from simulator.core.result import Finding, Result
from simulator.core.run import Episode, Run, RunHeader, Turn
from simulator.core.scenario import Approval, Scenario
from simulator.core.talk import Reply, StopReason, TargetFailure
from simulator.core.verdict import Word
from simulator.formats.json_contracts import LEFT_OUT, Ordinal, Share, contract
from simulator.view.results import as_they_count

Texts = tuple[str, ...]
Wordings = Annotated[Texts, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """What a right answer looks like."""

    answers: Texts
    """Right answers, any one of them will do."""
    elements: tuple[Wordings, ...]
    """What has to be said; each in any one of its wordings."""
    documents: Texts
    """Ids of the documents that have to be found."""
    answerable: bool | None
    """Whether it can be answered; null where the scenario does not say."""
    escalate: bool
    """Whether a person has to be handed the matter."""
    must_not: Texts
    """Statements that would be wrong."""
    approved: Approval = Approval.CONFIRMED
    """Who stands behind it: confirmed, bulk (confirmed with many others), open (nobody yet)."""


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document."""

    id: str | None
    """Null where the bot gives none."""
    text: str
    """What it says."""


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A value, and how it came about."""

    value: Share
    """In 0-1."""
    raw: float
    """What was said: a rating of 4 on 1-5, a count."""
    comment: str
    """The judge's reason, or empty."""
    parts: Mapping[str, float] | None = field(default=None, metadata=LEFT_OUT)
    """Numbers that explain the value, by name; left out where there are none."""
    named: Texts | None = field(default=None, metadata=LEFT_OUT)
    """The texts that it is about: elements that were not said; left out where there are none."""


@dataclass(frozen=True, slots=True)
class OutcomeLines:
    """What metrics say, by their names."""

    scores: Mapping[str, ScoreLine]
    """Those that have a value, by the metric's name."""
    unscored: Mapping[str, Gap]
    """Why others have none, by the metric's name."""
    unscored_why: Mapping[str, str]
    """What was said of that, by the metric's name; where nothing was, it is left out."""


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """What a reader says about a claim of the scenario."""

    id: str
    """Its kind and 8 hex digits."""
    text: str
    """What is expected; empty for kinds without a wording."""
    state: State
    """Whether the answer satisfies it."""
    reader: Reader
    """Who says so."""
    quote: str
    """The words of the answer that show it, or empty."""
    against: str
    """The wording that they were compared with, or empty."""
    counts: bool
    """Whether this reading is in force: a model's, where words prove a violation of what it calls
    met, makes the claim unknown."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds."""

    user: float
    """For the user's words."""
    target: float
    """For the bot's answer."""
    judge: float
    """For its scores."""


@dataclass(frozen=True, slots=True)
class WhyLine:
    """The line of the verdict table that decided a conversation."""

    line: str
    """Such as never_said, contradicts, scored_low."""
    turn: Ordinal | None
    """The answer that shows it; null where it is no single one."""
    claim: str
    """The id of the claim that decided; empty where none did."""
    metric: str
    """The metric that shows it there; empty where none does."""
    about: Texts
    """The texts or names that it speaks of."""


@contract
class TurnLine:
    """A line of `mogi export RUN`."""

    run: str
    """The run's id."""
    client: str
    """The client's name, or that of the file whose rows were scored."""
    episode: str
    """The conversation: scenario/persona/repeat."""
    scenario: str
    """The scenario's id."""
    persona: str
    """The persona's id; - where a row of a file names none."""
    repeat: Ordinal
    """Which repeat, from 1."""
    turn: Ordinal
    """Which turn of the conversation, from 1."""
    tags: Texts
    """Of the scenario."""
    goal: str
    """What the user wants, if the scenario says it; else empty."""
    expected: RightAnswer | None
    """What a right answer looks like; null in older runs."""
    user: str
    """What the user said."""
    assistant: str
    """What the bot answered; empty where it failed."""
    failure: str | None
    """How the bot failed, such as `timeout: no answer within 60 s`; null where it answered."""
    documents: tuple[DocumentLine, ...]
    """What came with the answer, in the bot's order."""
    scores: Mapping[str, ScoreLine]
    """Of this turn: those that have a value, by the metric's name."""
    unscored: Mapping[str, Gap]
    """Of this turn: why others have none, by the metric's name; not_applicable is no gap."""
    unscored_why: Mapping[str, str]
    """Of this turn: what was said of that, by the metric's name; where nothing was, left out."""
    flagged: bool
    """Whether people should look at it."""
    blame: str | None
    """Whose fault a flagged turn is: the first of `blames`; null where it is nobody's."""
    blames: Texts
    """All of them, what to read first at the head."""
    claims: tuple[ClaimLine, ...] | None
    """What readers say about the scenario's claims, one entry for each reading; null in runs from
    before readings were stored."""
    soundness: Texts
    """Tags of what is odd about the simulated user's words."""
    verdict: Word | None
    """What people say of the answer; null where nobody does, or they differ."""
    latency_ms: Latency
    """Milliseconds."""
    stop: StopReason | None
    """On the last turn: why the conversation ended; null on others."""
    talk: OutcomeLines | None
    """On the last turn: the metrics about the whole conversation; null on others."""
    result: Result | None
    """On the last turn: what came of the conversation; null on others."""
    why: WhyLine | None
    """On the last turn: the line that decided it; null on others."""
    rerun_for: Texts | None
    """On the last turn: the tags for which a first take was thrown away; null on others."""
    trace: str | None = field(default=None, metadata=LEFT_OUT)
    """The id of the bot's own trace of this turn; left out where its answer names none."""


def turn_json(
    header: RunHeader, episode: Episode, turn: Turn, verdict: Word | None = None
) -> TurnLine:
    """What `mogi export` prints for one turn; `verdict`: what people say of it, if anybody does."""
    cell, exchange, scenario = episode.cell, turn.exchange, episode.scenario
    is_last = exchange.turn == episode.turns[-1].exchange.turn
    reply, outcomes = exchange.reply, _outcomes(turn.outcomes)
    finding = episode.finding if is_last else None
    return TurnLine(
        run=header.id,
        client=header.client,
        episode=cell.key,
        scenario=cell.scenario,
        persona=cell.persona,
        repeat=cell.repeat,
        turn=exchange.turn,
        tags=scenario.tags if scenario else (),
        goal=scenario.goal if scenario else "",
        expected=_right_answer(scenario),
        user=exchange.user,
        assistant=exchange.assistant,
        failure=f"{reply.fault}: {reply.message}" if isinstance(reply, TargetFailure) else None,
        documents=tuple(DocumentLine(d.id, d.text) for d in exchange.documents),
        scores=outcomes.scores,
        unscored=outcomes.unscored,
        unscored_why=outcomes.unscored_why,
        flagged=turn.flagged,
        blame=turn.blame,
        blames=turn.blames,
        claims=_claims(turn, scenario),
        soundness=turn.soundness,
        verdict=verdict,
        latency_ms=Latency(exchange.user_ms, exchange.target_ms, turn.judge_ms),
        stop=episode.stop.reason if is_last else None,
        talk=_outcomes(episode.outcomes) if is_last else None,
        result=finding.result if finding else None,
        why=why_line(finding),
        rerun_for=episode.rerun_for if is_last else None,
        trace=reply.trace or None if isinstance(reply, Reply) else None,
    )


def turn_lines(run: Run) -> Iterator[TurnLine]:
    """What `mogi export` prints: a line for each turn."""
    for episode, words in as_they_count(run):
        for turn in episode.turns:
            yield turn_json(run.header, episode, turn, words.get(turn.exchange.turn))


def why_line(finding: Finding | None) -> WhyLine | None:
    """The line that decided it; None where there is no finding."""
    if finding is None:
        return None
    return WhyLine(finding.why.value, finding.turn, finding.claim, finding.metric, finding.about)


def _right_answer(scenario: Scenario | None) -> RightAnswer | None:
    """What the conversation was held by; older runs kept nothing of it."""
    if scenario is None:
        return None
    of = scenario.expected
    return RightAnswer(
        of.answers, of.elements, of.documents, of.answerable, of.escalate, of.must_not, of.approved
    )


def _claims(turn: Turn, scenario: Scenario | None) -> tuple[ClaimLine, ...] | None:
    """A line for each reading; where a model and words disagree, the model's counts, as unknown."""
    if turn.readings is None:
        return None
    claims = claims_of(scenario.expected, supported=True) if scenario else ()
    texts, in_force = {c.id: c.text for c in claims}, counting(turn.readings)
    return tuple(
        ClaimLine(
            id=reading.claim,
            text=texts.get(reading.claim, ""),
            state=reading.state,
            reader=reading.reader,
            quote=reading.quote,
            against=reading.against,
            counts=in_force[reading.claim].reader is reading.reader,
        )
        for reading in (turn.readings if scenario else ())
    )


def _outcomes(outcomes: Outcomes) -> OutcomeLines:
    gaps = {name: each for name, each in outcomes.items() if isinstance(each, Unscored)}
    return OutcomeLines(
        {name: _score(each) for name, each in outcomes.items() if isinstance(each, Score)},
        {name: gap.reason for name, gap in gaps.items()},
        {name: gap.detail for name, gap in gaps.items() if gap.detail},
    )


def _score(score: Score) -> ScoreLine:
    return ScoreLine(
        score.value, score.raw, score.comment, score.parts or None, score.named or None
    )
