"""What can be told of a turn without a judge: elements, documents, refusals."""

from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence
from simulator.core.scenario import Expected
from simulator.metrics._retrieved import DEPTHS, ranking
from simulator.statistics.ranking import hit_at
from simulator.text.normal import normal_form
from simulator.text.presence import missing
from simulator.text.refusals import is_refusal

_WORDING = {
    "ja": {
        "missing": "ない要素: {items}",
        "not_retrieved": "検索されなかった文書: {items}",
        "refused": "答えられる質問なのに、答えていない",
        "answered": "答えのない質問なのに、分からないと伝えていない",
        "between": "、",
    },
    "en": {
        "missing": "missing: {items}",
        "not_retrieved": "not retrieved: {items}",
        "refused": "refused, though the question can be answered",
        "answered": "did not say that it does not know, though there is no answer",
        "between": ", ",
    },
}


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
    """Whether the reply refuses if, and only if, there is no answer to give."""
    answerable = _is_answerable(evidence.scenario.expected)
    if answerable is None:
        return Unscored(Gap.NOT_APPLICABLE, "the scenario does not say whether it can be answered")
    # What is refused may be an aside: nobody is marked down for declining that and answering.
    matter = evidence.strayed_from if answerable else ""
    refused = is_refusal(evidence.exchange.assistant, evidence.language, matter=matter)
    if refused is not answerable:
        return Score(1.0, 1.0)
    return Score(0.0, 0.0, _WORDING[evidence.language]["refused" if refused else "answered"])


def _is_answerable(expected: Expected) -> bool | None:
    """As the scenario says, or else by its giving anything that an answer would have."""
    if expected.answerable is not None:
        return expected.answerable
    return True if expected.elements or expected.documents or expected.answer else None


def _listing(language: Language, key: str, items: list[str]) -> str:
    words = _WORDING[language]
    return words[key].format(items=words["between"].join(items)) if items else ""
