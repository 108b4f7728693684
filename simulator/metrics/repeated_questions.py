"""How often the user had to ask again."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.core.clean import cut, normal_form, visible
from simulator.core.outcome import Gap, MetricInfo, Outcomes, Score, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence
from simulator.core.talk import Stop
from simulator.metrics._context import Computed
from simulator.text.acts import asks, without_opener
from simulator.text.phrases import phrases
from simulator.text.tokens import content_tokens, sentences

_SHOWN = 60  # characters of a question in the comment


class RepeatedQuestions(Computed):
    """The share of the user's later turns that don't repeat an earlier question.

    If r of the n - 1 turns after the first repeat a question, the value is 1 - r / (n - 1), and raw
    is r. Text matching finds the repeats. The comment quotes them.

    Not applicable to conversations with one turn. To use it, add it to `metrics`; it needs no
    calls.

    It doesn't show the cause: an impatient persona repeats itself to a good bot, too (compare runs
    with the same personas). It misses questions that are repeated in other words.
    """

    INFOS = (
        MetricInfo(
            "repeated_questions",
            "No repeated questions",
            description="Share of later turns that don't repeat an earlier question.",
            scope="talk",
        ),
    )

    async def score_talk(self, evidence: Evidence, stop: Stop) -> Outcomes:
        """The share, with a comment that quotes what was asked again."""
        turns = [exchange.user for exchange in evidence.talk.exchanges]
        later = len(turns) - 1
        if later < 1:
            outcome = Unscored(Gap.NOT_APPLICABLE, "the user spoke once")
            return {"repeated_questions": outcome}
        again = repeats(turns, evidence.language)
        comment = " / ".join(f"{at + 1}: {cut(visible(turns[at]), _SHOWN)}" for at in again)
        value = (later - len(again)) / later
        return {"repeated_questions": Score(value, float(len(again)), comment)}


_FEWEST_STATED = 2
ALIKE = 0.6  # of all content words of two questions, so many stand in both
# A statement that says what one asks, or wants, is a question: 送料を聞いているんですけど.
_ASKING = re.compile("(?:聞|訊|尋ね|言)[いっ]?て(?:い)?る|質問して|" + r"\bask(?:ed|ing)\b")


@dataclass(frozen=True, slots=True)
class _Question:
    """A sentence as it is compared. `statement`: it is no question by its form."""

    form: str
    words: frozenset[str]
    statement: bool


def repeats(turns: Sequence[str], language: Language) -> list[int]:
    """The places of the turns, from 0, that ask again what an earlier turn asked.

    Turns are compared sentence by sentence. Two sentences ask the same if their normal forms are
    the same, or if six of ten of their content words stand in both (Jaccard), the words by which
    people only ask apart (教えて, もう一度, *tell me*, *again*). One that is no question by its
    form has to share two words, since 送料ですね only takes the matter up. A sentence without
    content words, such as それで？, asks nothing of its own.
    """
    before: list[_Question] = []
    places = []
    for at, text in enumerate(turns):
        now = [entry for s in sentences(text, language) if (entry := _question(s, language)).words]
        if any(_alike(question, other) for question in now for other in before):
            places.append(at)
        before += now
    return places


def _question(sentence: str, language: Language) -> _Question:
    bare = without_opener(sentence, language)
    asking = phrases(f"text/{language}/words").words("asking_again")
    words = frozenset(content_tokens(bare, language)) - asking
    question = asks(sentence, language) or _ASKING.search(sentence.casefold()) is not None
    return _Question(normal_form(bare), words, not question)


def _alike(question: _Question, other: _Question) -> bool:
    if question.form == other.form:
        return True
    shared = len(question.words & other.words)
    least = _FEWEST_STATED if question.statement else 1
    return shared >= max(least, ALIKE * len(question.words | other.words))
