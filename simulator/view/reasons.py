"""Why a turn is flagged, and why a conversation has its result, as every display words it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from simulator.core.claim import Claim, ClaimKind, Reader, State, counting, kind_of
from simulator.core.clean import hidden
from simulator.core.outcome import Outcome, Score
from simulator.core.persona import Language
from simulator.core.result import Finding, WeakTurn, Why
from simulator.core.run import RunHeader, Turn
from simulator.core.talk import TargetFailure
from simulator.results.verdict import CHECKS
from simulator.words import Words

Names = Mapping[str, str] | None  # what metrics are called; by their ids where None

_STOPS = (".", "!", "?", "。", "！", "？")
_OPEN = frozenset({Why.UNCLEAR, Why.AT_ODDS})
_BY_NAME = frozenset({Why.UNSOUND, Why.UNSCORED, Why.TARGET_FAILED})  # about tags, gaps, faults
_WORDED = frozenset({"lexical", *CHECKS})  # what these say, the reason says


def metrics_of(header: RunHeader) -> list[str]:
    """The metrics of a run by their ids, that of its score first."""
    return list(dict.fromkeys((header.score_by, *(info.name for info in header.metrics))))


def metric_names(header: RunHeader) -> dict[str, str]:
    """What people call the metrics, by their ids; with the id where two are called alike."""
    words = Words(header.language, "metric")
    titles = {info.name: words.find(f"title.{info.name}") or info.title for info in header.metrics}
    called = {name: titles.get(name) or name for name in metrics_of(header)}
    alike = Counter(called.values())
    return {name: f"{t} ({name})" if alike[t] > 1 else t for name, t in called.items()}


def screen_names(header: RunHeader) -> Mapping[str, str]:
    """What a screen calls the metrics: titles in Japanese, ids in English."""
    return metric_names(header) if header.language == "ja" else {}


def score_name(header: RunHeader) -> str:
    """What a screen calls the metric of the run's score."""
    return screen_names(header).get(header.score_by, header.score_by)


def persona_names(header: RunHeader) -> Mapping[str, str]:
    """What a screen calls the personas: names in Japanese, ids in English."""
    return header.personas if header.language == "ja" else {}


def why_text(finding: Finding, language: Language, names: Names = None) -> str:
    """Why a conversation has its result, as a phrase for people.

    `names`: what metrics are called there; those without one go by their ids.
    """
    words = Words(language, "result", "report")
    about = _about(_renamed(finding, names), words)
    of = about and words.find(f"why.{finding.why}.of") is not None
    return words(f"why.{finding.why}.of", about=about) if of else words(f"why.{finding.why}")


def reason_text(finding: Finding, language: Language, names: Names = None) -> str:
    """The same in few words, for lists: `not all was said: 30 minutes`."""
    words = Words(language, "result", "report")
    short = words.find(f"reason.{finding.why}") or words(f"why.{finding.why}")
    return ": ".join(filter(None, (short, _about(_renamed(finding, names), words))))


def reasons_of(
    turn: WeakTurn, language: Language, names: Names = None
) -> Iterator[tuple[str, str]]:
    """What was expected and nobody could tell, or else the reason; then the words that show it.

    Each behind the key of its label.
    """
    finding = turn.finding
    if finding and finding.why is Why.UNCLEAR and finding.claim.startswith(ClaimKind.SAYS):
        yield "expected", " / ".join(finding.about)
    elif finding:
        yield "why", why_text(finding, language, names)
    if turn.quote:
        yield "quote", turn.quote


def result_text(finding: Finding, language: Language, names: Mapping[str, str]) -> str:
    """`failed: never said: 30 minutes`; `names`: what metrics are called there."""
    result = Words(language, "result").name("result", finding.result)
    return f"{result}: {why_text(finding, language, names)}"


def _renamed(finding: Finding, names: Names) -> Finding:
    return replace(finding, about=tuple((names or {}).get(name, name) for name in finding.about))


def decider(why: Why, header: RunHeader) -> str:
    """What would decide what is undecided for this reason, as a phrase with its commands."""
    return Words(header.language, "result")(f"decide.{why}", run=header.id)


def claim_text(claim: Claim, words: Words) -> str:
    """A claim as people read it; `words` has the section result."""
    return _worded(claim.kind, claim.text, words)


def state_text(kind: ClaimKind, state: State, words: Words, reader: Reader | None = None) -> str:
    """What a claim's state is called: only what an answer should say is `not said`.

    With the reader, if one is given: `not said (words)`.
    """
    fails = kind is not ClaimKind.SAYS and state in (State.UNMET, State.VIOLATED)
    phrase = words("state.failed" if fails else f"state.{state}")
    if reader is None:
        return phrase
    return words("state.read_by", state=phrase, reader=words(f"reader.{reader}"))


def failure_text(failure: TargetFailure, language: Language) -> str:
    """`timeout: no answer within 60 s`; in Japanese with the kind of failure in Japanese."""
    kind = Words(language, "report").name("bot", failure.fault)
    return f"{kind}: {failure.message}" if failure.message else kind


def turn_reason(header: RunHeader, turn: Turn, finding: Finding | None, names: Names = None) -> str:
    """Why a turn is flagged or, where no metric flags it, the comment on its score.

    One that is flagged without a comment is so because of the result of its conversation, whose
    `finding` says why, perhaps of another turn.
    """
    score = turn.outcomes.get(header.score_by)
    comment = score.comment if isinstance(score, Score) else ""
    text = flag_reason(header, turn, names) or comment
    if text or not turn.flagged or finding is None:
        return text
    why = why_text(finding, header.language, screen_names(header))
    if finding.turn in (None, turn.exchange.turn):
        return why
    return f"{Words(header.language, 'report')('turn', n=finding.turn)}: {why}"


def reason_beside(header: RunHeader, turn: Turn, finding: Finding | None) -> str:
    """`turn_reason` without what the reason of the conversation's result says already."""
    if finding is None or not finding.claim:
        return turn_reason(header, turn, finding)
    flags = tuple(name for name in turn.flags if name not in _WORDED)
    return flag_reason(header, replace(turn, flags=flags))


def flag_reason(header: RunHeader, turn: Turn, names: Names = None) -> str:
    """Why a turn is flagged, in one text: the failure, or the comments of what is too low.

    `names`: what metrics are called there; those without one go by their own.
    """
    reply = turn.exchange.reply
    if isinstance(reply, TargetFailure):
        return failure_text(reply, header.language)
    names = screen_names(header) if names is None else names
    by_score_first = sorted(turn.flags, key=lambda name: name != header.score_by)
    reasons: list[str] = []
    for name in by_score_first:
        outcome = turn.outcomes.get(name)
        comment = outcome.comment if isinstance(outcome, Score) else ""
        if not comment or not any(comment in reason for reason in reasons):
            reasons.append(
                _flag_text(
                    header, name, turn.outcomes, screen_names(header) if names is None else names
                )
            )
    if count := hidden(turn.exchange.assistant):
        reasons.append(Words(header.language, "result")("reason.hidden", n=count))
    return " / ".join(reasons)


def _flag_text(
    header: RunHeader, name: str, outcomes: Mapping[str, Outcome], names: Mapping[str, str]
) -> str:
    outcome, called = outcomes.get(name), names.get(name, name)
    if not isinstance(outcome, Score):
        return called
    comment = outcome.comment or f"{outcome.value:.2f} < {header.thresholds.get(name, 1.0):g}"
    return comment if name == header.score_by and outcome.comment else f"{called}: {comment}"


def quote_of(turn: Turn, finding: Finding | None) -> str:
    """The words of the answer that the deciding reading quotes; empty where there are none."""
    if finding is None or finding.turn != turn.exchange.turn or not finding.claim:
        return ""
    reading = counting(turn.readings or ()).get(finding.claim)
    quote = reading.quote if reading else ""
    return "" if quote.strip() == turn.exchange.assistant.strip() else quote


def _worded(kind: ClaimKind, text: str, words: Words) -> str:
    return text if kind is ClaimKind.SAYS else words(f"claim.{kind}", text=text)


def _about(finding: Finding, words: Words) -> str:
    texts = [_called(name, words) if finding.why in _BY_NAME else name for name in finding.about]
    if finding.why in _OPEN and finding.claim:
        texts = [_worded(kind_of(finding.claim), text, words) for text in texts or [""]]
    texts = [*filter(None, texts)]
    are_sentences = any(text.endswith(_STOPS) for text in texts)
    return (" / " if are_sentences else words.comma).join(texts)


def _called(name: str, words: Words) -> str:
    """What a tag, a gap, a stop or a failure is called; a text as it is."""
    names = (words.find(f"{kind}.{name}") for kind in ("tag", "gap", "stop", "bot"))
    return next(filter(None, names), name)
