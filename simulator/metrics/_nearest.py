"""The entries of a knowledge base that are nearest to what a bot said."""

from functools import cached_property
from threading import Lock

from simulator.core.persona import Language
from simulator.core.ports import Knowledge
from simulator.core.talk import Document
from simulator.text.bm25 import Bm25
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_READ = 8_000  # characters of a reply
_OF_ALL, _OF_A_SENTENCE = 5, 2


class Nearest:
    """Finds entries by their words; any number of threads may ask.

    The index is built when it is first asked, which takes a second or two for 5,000 entries.
    """

    def __init__(self, knowledge: Knowledge, language: Language) -> None:
        self._knowledge = knowledge
        self._language = language
        self._building = Lock()

    def to(self, reply: str) -> list[Document]:
        """The five entries nearest to a reply, and the two nearest to each of its sentences."""
        with self._building:
            index = self._index
        reply = reply[:_READ]
        wanted = [
            (reply, _OF_ALL),
            *((s, _OF_A_SENTENCE) for s in sentences(reply, self._language)),
        ]
        found = (
            hit.document
            for text, most in wanted
            for hit in index.search(content_tokens(text, self._language), most)
        )
        return list(dict.fromkeys(found))

    @cached_property
    def _index(self) -> Bm25:
        return Bm25(self._knowledge.documents(), self._language)
