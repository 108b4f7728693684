"""What can be told of a turn without a judge: elements, documents, refusals, handing over."""

from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence
from simulator.metrics._retrieved import DEPTHS, ranking
from simulator.statistics.ranking import hit_at
from simulator.text.handover import Handover, handover, sends_to_a_person
from simulator.text.normal import normal_form
from simulator.text.presence import missing
from simulator.text.refusals import is_refusal, states_nothing
from simulator.words import Words


def elements(evidence: Evidence) -> Outcome:
    """The share of the expected elements that stand in the replies so far; see text/presence.py."""
    wanted = [e for e in evidence.scenario.expected.elements if normal_form(e)]
    if not wanted:
        return Unscored(Gap.NOT_APPLICABLE, "no expected elements")
    replies = [exchange.assistant for exchange in evidence.talk.exchanges]
    absent = missing(wanted, replies, evidence.language)
    share = 1 - len(absent) / len(wanted)
    return Score(share, share, _listing(evidence.language, "missing", absent))


def retrieval(evidence: Evidence) -> Outcome:
    """Whether one of the expected documents came with this turn's reply; by id.

    Parts: `hit_at_k`, whether one of them was among the first k.
    """
    found = ranking(evidence)
    if isinstance(found, Unscored):
        return found
    expected = evidence.scenario.expected.documents
    absent = [name for name in expected if name not in found]
    hit = float(len(absent) < len(expected))
    parts = {f"hit_at_{k}": hit_at(k, found, expected) for k in DEPTHS}
    return Score(hit, hit, _listing(evidence.language, "not_retrieved", absent), parts)


def refusal(evidence: Evidence) -> Outcome:
    """Whether the reply refuses if, and only if, there is no answer to give, or hands over.

    Where the scenario asks for a person (`escalate`), that is what has to have happened by now;
    where there is no answer either, nothing else may be said. An empty reply does none of this.
    """
    expected, said = evidence.scenario.expected, evidence.exchange.assistant
    if not expected.decides_refusal:
        return Unscored(Gap.NOT_APPLICABLE, "the scenario does not say whether it can be answered")
    wrong = _wrong(evidence) if normal_form(said) else "empty"
    return Score(0.0, 0.0, Words(evidence.language, "comment")(wrong)) if wrong else Score(1.0, 1.0)


def _wrong(evidence: Evidence) -> str:
    """What is wrong with a reply that says something: a key of the wording, or nothing."""
    expected, said = evidence.scenario.expected, evidence.exchange.assistant
    language, answerable = evidence.language, expected.can_be_answered
    if expected.escalate:
        if answerable is False and not _only_hands_over(said, language):
            return "answered"
        replies = [exchange.assistant for exchange in evidence.talk.exchanges]
        return "" if any(sends_to_a_person(reply, language) for reply in replies) else "kept"
    # What is refused may be an aside: nobody is marked down for declining that and answering.
    refused = is_refusal(said, language, matter=evidence.strayed_from if answerable else "")
    if refused is not answerable:
        return ""
    return "refused" if refused else "answered"


def _only_hands_over(said: str, language: Language) -> bool:
    if is_refusal(said, language) or states_nothing(said, language):
        return True
    return handover(said, language) is Handover.PASSED_ON


def _listing(language: Language, key: str, items: list[str]) -> str:
    words = Words(language, "comment")
    return words(key, items=words.comma.join(items)) if items else ""
