"""Which metrics would have applied to a turn that the bot did not answer."""

from simulator.core.outcome import MetricInfo
from simulator.core.ports import Evidence
from simulator.core.talk import Reply
from simulator.text.normal import normal_form


def would_apply(info: MetricInfo, evidence: Evidence) -> bool:
    """Whether a metric has something to go by in this scenario, whatever would have been said.

    A metric whose needs do not speak of the scenario applies. Documents are compared as long as
    no reply of the talk came without any word on them.
    """
    if info.any_of and not any(_is_there(need, evidence) for need in info.any_of):
        return False
    return all(_is_there(need, evidence) for need in info.needs)


def _is_there(need: str, evidence: Evidence) -> bool:
    expected = evidence.scenario.expected
    match need:
        case "answer":
            return bool(expected.answer.strip())
        case "elements":
            return any(map(normal_form, expected.elements))
        case "documents":
            return bool(expected.documents) and not _is_silent(evidence)
        case "answerable":
            return expected.decides_refusal
        case "context":
            return not _is_silent(evidence)
    return True


def _is_silent(evidence: Evidence) -> bool:
    """Whether the bot has answered before and never said what it retrieved."""
    replies = [e.reply for e in evidence.talk.exchanges if isinstance(e.reply, Reply)]
    return bool(replies) and not evidence.talk.reports_documents
