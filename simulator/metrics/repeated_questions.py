"""How often the user had to ask again."""

from simulator.core.clean import cut, visible
from simulator.core.outcome import Gap, MetricInfo, Outcomes, Score, Unscored
from simulator.core.ports import Evidence
from simulator.core.talk import Stop
from simulator.metrics._context import Computed
from simulator.text.repeats import repeats

_SHOWN = 60  # characters of a question in the comment


class RepeatedQuestions(Computed):
    """The share of the user's turns that did not ask again what an earlier one had asked.

    Of the n - 1 turns after the first, r ask again: the value is 1 - r / (n - 1), raw is r. What
    asks again is found by words: `simulator.text.repeats`. The comment quotes them.

    A talk of one turn is not applicable. Name it in `metrics` to have it; nothing is called.

    Not for telling why: an impatient persona repeats itself to a good bot, too (compare runs of the
    same personas), and a question in quite other words is not noticed.
    """

    INFOS = (
        MetricInfo(
            "repeated_questions",
            "No repeated questions",
            description="Share of the later turns that do not ask again what was asked before.",
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
