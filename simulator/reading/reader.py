"""The reader by words of a run: each distinct answer is read once."""

from functools import partial

from simulator.core.bounds import Memo
from simulator.core.claim import Reading
from simulator.core.ports import Evidence
from simulator.core.talk import Reply
from simulator.reading.words import read_words

WORDS_READER = 1
"""Runs whose words were read by another number are not comparable by them."""
_KEPT = 8_000_000  # characters of the answers whose readings are kept


class WordsReader:
    """Reads claims by words, without a model; one object serves all episodes of a run at once."""

    def __init__(self) -> None:
        self._read = Memo[tuple[Reading, ...]](_KEPT)

    async def read(self, evidence: Evidence) -> tuple[Reading, ...]:
        """The readings of the claims in `evidence`, of its last answer; none if it failed."""
        exchange = evidence.exchange
        if not isinstance(exchange.reply, Reply):
            return ()
        question = "\n".join(dict.fromkeys((evidence.scenario.query, exchange.user)))
        answers = tuple(evidence.scenario.expected.answers)
        key = evidence.claims, question, exchange.assistant, evidence.language, answers
        size = len(question) + len(exchange.assistant)
        return self._read.of(key, size, partial(read_words, *key))
