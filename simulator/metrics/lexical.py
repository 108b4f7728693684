"""The score of a turn where there is no judge: what was expected of it, and nothing invented."""

from statistics import fmean

from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._lexical import answer, asks_back_only, compare_texts, elements, refusal
from simulator.text.grounding import BORNE_OUT, statements

_FLAGGED = BORNE_OUT - 0.01  # what an answer is worth at most that says what no document bears out


class Lexical(Computed):
    """What a turn is worth by words alone; 0–1. It never passes for a judge's score.

    The content: `elements_lexical` where elements are expected, else `answer_lexical` where an
    answer is, else 1 for a refusal or a hand-over that was due. It is 0 where this reply
    contradicts an element or the expected answer, or where `refusal` is wrong, and no more than
    the mean support of what the reply states (as in `grounded`), and than 0.59, where its documents
    do not bear a statement out. Not to refuse earns nothing, nor does a document that was found.

    Not applicable where none of this is expected, and on a reply that only asks back.
    """

    INFOS = (
        MetricInfo(
            "lexical",
            "Lexical score",
            description=(
                "The expected elements, answer or refusal, 0 where the reply contradicts them, "
                "less where no document bears it out; the score of a run without a judge."
            ),
            any_of=("elements", "answer", "answerable"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The score, with the comments of what it is made of."""
        size = sum(len(exchange.assistant) for exchange in evidence.talk.exchanges)
        size += sum(len(document.text) for document in evidence.exchange.documents)
        return {"lexical": await compare_texts(size, _outcome, evidence)}


def _outcome(evidence: Evidence) -> Outcome:
    refused, said, answered = refusal(evidence), elements(evidence), answer(evidence)
    found = [part for part in (said, answered, refused) if isinstance(part, Score)]
    wrong = isinstance(refused, Score) and refused.value == 0
    wrong = wrong or any(part.parts.get("contradicted") for part in found)
    comment = " / ".join(part.comment for part in found if part.comment)
    if wrong:
        return Score(0.0, 0.0, comment)
    value = _content(evidence, refused, said, answered)
    if value is None:
        why = "the reply only asks back" if asks_back_only(evidence) else "no content is expected"
        return Unscored(Gap.NOT_APPLICABLE, why)
    value = min(value, _support(evidence))
    return Score(value, value, comment)


def _content(
    evidence: Evidence, refused: Outcome, said: Outcome, answered: Outcome
) -> float | None:
    """What the reply is worth by what was expected of it; None where nothing was."""
    for part in (said, answered):
        if isinstance(part, Score):
            return part.value
    expected = evidence.scenario.expected
    is_due = expected.escalate or expected.can_be_answered is False
    return refused.value if is_due and isinstance(refused, Score) else None


def _support(evidence: Evidence) -> float:
    """The most that a reply is worth by its documents; 1 where they bear all of it out."""
    documents = [f"{document.title}\n{document.text}" for document in evidence.exchange.documents]
    if not any(map(str.strip, documents)):
        return 1.0
    exchange = evidence.exchange
    found = statements(exchange.assistant, documents, exchange.user, evidence.language)
    if all(statement.borne_out for statement in found):
        return 1.0
    return min(_FLAGGED, fmean(statement.support for statement in found))
