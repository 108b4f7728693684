"""What a scenario expects, as computed metrics take it, and how their comments are put together."""

from collections.abc import Sequence

from simulator.core.bounds import MAX_EXPECTED
from simulator.core.form import normal_form
from simulator.core.outcome import Gap, Unscored
from simulator.core.ports import Evidence
from simulator.core.scenario import Element, Expected
from simulator.text.question_back import only_asks_back, only_closes
from simulator.words import Words

DEPTHS = (1, 3, 5)
"""How far down a list is looked, where that is asked for."""
UNNAMED = "the target has named no document so far"
NOTHING_EXPECTED = Unscored(Gap.NOT_APPLICABLE, "no expected answer")
ASKS_BACK = Unscored(Gap.NOT_APPLICABLE, "the reply only asks back")
CLOSES = Unscored(Gap.NOT_APPLICABLE, "nothing was asked, and the reply states nothing")
_NAMED = 8  # words


def ranking(evidence: Evidence) -> tuple[str | None, ...] | Unscored:
    """The ids of the documents that came with this turn's reply, the best first.

    A target that reports its documents and found none has missed them. Documents without an id
    cannot be told apart: they are a miss only for a target that has named one before.
    """
    if not evidence.scenario.expected.documents:
        return Unscored(Gap.NOT_APPLICABLE, "no expected documents")
    if not evidence.talk.reports_documents:
        return Unscored(Gap.NOT_APPLICABLE, "the target has reported no documents so far")
    documents = evidence.exchange.documents
    if documents and not evidence.talk.names_documents:
        return Unscored(Gap.NOT_APPLICABLE, UNNAMED)
    return tuple(document.id for document in documents)


def wanted_elements(expected: Expected) -> list[Element]:
    """The expected elements that say something, each without alternatives that do not."""
    elements = (tuple(filter(normal_form, element)) for element in expected.elements)
    return [element for element in elements if element]


def wanted_answers(expected: Expected) -> list[str]:
    """The expected answers that are not empty."""
    return [answer for answer in expected.answers if answer.strip()]


def no_answer(evidence: Evidence) -> Unscored | None:
    """Why the last reply is no answer: it only asks back, or takes leave; None where it is one."""
    if only_asks_back(evidence.exchange.assistant, evidence.language):
        return ASKS_BACK
    return CLOSES if only_closes(evidence.talk.exchanges, evidence.language) else None


def differing_words(evidence: Evidence, lacks: Sequence[str], adds: Sequence[str]) -> str:
    """Words of the expected answer that the reply has not, and the other way round; not all."""
    words, comments = Words(evidence.language, "comment"), []
    for key, items in (("lacks", lacks), ("adds", adds)):
        named = [*items[:_NAMED]]
        if len(items) > _NAMED:
            named.append(words("more", n=len(items) - _NAMED))
        if named:
            comments.append(words(key, items=words.comma.join(named)))
    return join_comments(evidence, *comments)


def join_comments(evidence: Evidence, *comments: str) -> str:
    """Comments as one, without those that are empty; with a mark where a reply is read in part."""
    words, size = Words(evidence.language, "comment"), len(evidence.exchange.assistant)
    mark = words("read_to", n=MAX_EXPECTED) if size > MAX_EXPECTED else ""
    return words("beside").join(filter(None, (*comments, mark)))
