"""Why a turn is flagged, in words."""

from collections.abc import Mapping

from simulator.core.outcome import Outcome, Score
from simulator.core.persona import Language
from simulator.core.run import RunHeader, Turn
from simulator.core.talk import TargetFailure
from simulator.words import Words


def failure_text(failure: TargetFailure, language: Language) -> str:
    """`timeout: no answer within 60 s`; in Japanese with the kind of failure in Japanese."""
    kind = Words(language, "report").name("bot", failure.fault)
    return f"{kind}: {failure.message}" if failure.message else kind


def flag_reason(header: RunHeader, turn: Turn) -> str:
    """Why a turn is flagged, in one text: the failure, or the comments of what is too low."""
    reply = turn.exchange.reply
    if isinstance(reply, TargetFailure):
        return failure_text(reply, header.language)
    by_score_first = sorted(turn.flags, key=lambda name: name != header.score_by)
    return " / ".join(_why(header, name, turn.outcomes) for name in by_score_first)


def _why(header: RunHeader, name: str, outcomes: Mapping[str, Outcome]) -> str:
    outcome = outcomes.get(name)
    if not isinstance(outcome, Score):
        return name
    said = outcome.comment or f"{outcome.value:.2f} < {header.thresholds.get(name, 1.0):g}"
    return said if name == header.score_by and outcome.comment else f"{name}: {said}"
