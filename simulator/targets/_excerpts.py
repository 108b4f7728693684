"""What is shown of the text that an answer was made from: all, or the parts that bear on it."""

import threading

from simulator.core.persona import Language
from simulator.core.talk import Document
from simulator.files.passages import passages
from simulator.targets._bm25 import Bm25
from simulator.text.tokens import content_tokens

WHOLE = 12_000
"""Characters up to which a text is shown whole, and of all that is shown of a longer one."""
_GAP = "\n[…]\n"


class Excerpts:
    """A text as the documents that come with an answer.

    A judge is not shown more than `WHOLE` characters of documents. Of a longer text it had better
    see the passages with the words of question and answer than its beginning and its end.
    """

    def __init__(self, name: str, text: str, language: Language) -> None:
        """`name` is the file's; the index over a long text is built with its first answer."""
        self._name = name
        self._text = text
        self._language = language
        self._index: Bm25 | None = None
        self._order: dict[str | None, int] = {}
        self._building = threading.Lock()

    def about(self, question: str, answer: str) -> tuple[Document, ...]:
        """The text as one document with the file's name as its id; of a long one, its passages.

        They stand in the text's order, with ids such as `input.txt~3`. Where none has a word of
        question or answer, it is the two ends of the text.
        """
        if len(self._text) <= WHOLE:
            return (Document(self._text, self._name),)
        index = self._built()
        words = content_tokens(f"{question}\n{answer}", self._language)
        hits = index.search(words, len(self._order))
        kept: list[Document] = []
        left = WHOLE
        for document in (hit.document for hit in hits):
            if len(document.text) <= left:
                left -= len(document.text)
                kept.append(document)
        if not kept:
            half = (WHOLE - len(_GAP)) // 2
            return (Document(f"{self._text[:half]}{_GAP}{self._text[-half:]}", self._name),)
        return tuple(sorted(kept, key=lambda d: self._order[d.id]))

    def _built(self) -> Bm25:
        with self._building:
            if self._index is None:
                parts = passages(self._text, self._name)
                self._order = {part.id: at for at, part in enumerate(parts)}
                self._index = Bm25(parts, self._language)
            return self._index
