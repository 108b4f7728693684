"""Whether a question stands there already: by its normal form, its content words, its meaning."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simulator.core.errors import ModelError, ModelFault
from simulator.core.form import normal_form
from simulator.core.persona import Language
from simulator.core.ports import CallId, Embedder, Role, Vector
from simulator.text.clauses import read
from simulator.text.phrases import phrases

OVERLAP = 0.9  # Jaccard: of ten words one may be another
COSINE = 0.95
_FEWEST = 2  # words; one alone (退会) says too little to tell two questions apart
WordSet = frozenset[tuple[str, bool]]


class Questions:
    """The questions that there are, to be asked whether another one is new.

    `voice` is the persona in whose words a question is put: the same matter in another voice is
    another question, unless the words are the same.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self._forms: dict[str, str] = {}
        self._questions: list[tuple[str, str, WordSet]] = []
        self._holding: defaultdict[tuple[str, bool], list[int]] = defaultdict(list)
        self._meanings: dict[str, _Meanings] = {}

    @property
    def texts(self) -> list[tuple[str, str]]:
        """Every question with its voice, in the order in which they came."""
        return [(question, voice) for question, voice, _ in self._questions]

    def same(self, question: str) -> str | None:
        """The question with the same normal form (case, width, marks, white space); else None."""
        return self._forms.get(normal_form(question))

    def like(self, question: str, voice: str = "", vector: Vector | None = None) -> str | None:
        """The question that asks the same as this one; None for a new one.

        The same is: an equal normal form; or words of which nine in ten are the same (content
        words and amounts, by clauses that deny or that do not, and question words); or, where
        there are vectors, a cosine of 0.95 and more.
        """
        known = self.same(question) or self._by_words(question, voice)
        if known is None and vector is not None and voice in self._meanings:
            known = self._meanings[voice].nearest(vector)
        return known

    def add(self, question: str, voice: str = "", vector: Vector | None = None) -> None:
        """From now on this question stands there."""
        self._forms.setdefault(normal_form(question), question)
        words = _words(question, self.language)
        for word in words:
            self._holding[word].append(len(self._questions))
        self._questions.append((question, voice, words))
        if vector is not None:
            self.means(question, voice, vector)

    def means(self, question: str, voice: str, vector: Vector) -> None:
        """Where a question that is there lies in the space of an embedding model."""
        self._meanings.setdefault(voice, _Meanings()).add(question, vector)

    def _by_words(self, question: str, voice: str) -> str | None:
        words = _words(question, self.language)
        if len(words) < _FEWEST:
            return None
        shared = Counter(at for word in words for at in self._holding.get(word, ()))
        for at, count in sorted(shared.items()):
            other, its_voice, others = self._questions[at]
            if its_voice == voice and count >= OVERLAP * (len(words) + len(others) - count):
                return other
        return None


class _Meanings:
    """Vectors of length 1 in the rows of one matrix, which grows by doubling."""

    def __init__(self) -> None:
        self._questions: list[str] = []
        self._rows: Any = None

    def add(self, question: str, vector: Vector) -> None:
        import numpy as np

        row = _unit(vector)
        at = len(self._questions)
        if self._rows is None:
            self._rows = np.zeros((16, len(row)))
        elif at == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._rows[at] = row
        self._questions.append(question)

    def nearest(self, vector: Vector) -> str | None:
        """The first of the questions that lie near enough."""
        cosines = self._rows[: len(self._questions)] @ _unit(vector)
        near = (cosines >= COSINE).nonzero()[0]
        return self._questions[int(near[0])] if len(near) else None


def _unit(vector: Vector) -> Any:
    import numpy as np

    row = np.asarray(vector, dtype=float)
    return row / (np.linalg.norm(row) or 1.0)  # without a direction: near to nothing


def _words(question: str, language: Language) -> WordSet:
    said = {
        (word, False in clause.signs.values())
        for sentence in read(question, language)
        for clause in sentence.clauses
        for word in (*clause.keys, *(f"{amount}{kind}" for (kind, amount), _ in clause.amounts))
    }
    asked = phrases("generate/lists").pattern(f"asked_{language}").findall(question.casefold())
    return frozenset(said | {(f"?{word}", False) for word in asked})


BATCH = 100  # questions in one request
_THERE = "(there)"  # stands for the questions that a session begins with; no unit's key is like it


@dataclass(slots=True)
class Vectors:
    """Embeds questions; where the model yields nothing usable, they are compared without it.

    `trouble` says why, once that has happened.
    """

    embedder: Embedder
    trouble: str = ""

    async def learn(self, known: Questions) -> None:
        """Embed all questions that are there.

        Raises:
            ModelError: UNAVAILABLE.
            RunStopped, StoreError: from the model.
        """
        texts = known.texts
        for at in range(0, len(texts), BATCH):
            batch = texts[at : at + BATCH]
            call = CallId(_THERE, at // BATCH + 1, Role.EMBEDDING)
            vectors = await self.embed(call, [question for question, _ in batch])
            for (question, voice), vector in zip(batch, vectors, strict=False):
                known.means(question, voice, vector)

    async def embed(self, call: CallId, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors of some questions; none where the model yields nothing usable.

        Raises:
            ModelError, RunStopped, StoreError: as `learn`.
        """
        try:
            return await self.embedder.embed(call, texts)
        except ModelError as error:
            if error.fault is ModelFault.UNAVAILABLE:
                raise
            self.trouble = str(error)
            return []
