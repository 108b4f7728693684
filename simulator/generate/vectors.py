"""The questions' vectors, where the client names an embedding model: for finding duplicates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from simulator.core.errors import ModelError, ModelFault
from simulator.core.ports import CallId, Embedder, Role, Vector
from simulator.generate.attempts import Progress
from simulator.generate.duplicates import Questions

BATCH = 100  # questions in one request
_THERE = "(there)"  # stands for the questions that a session begins with; no unit's key is like it


@dataclass(slots=True)
class Vectors:
    """Embeds questions; where the model yields nothing usable, they are compared without it.

    `trouble` says why, once that has happened.
    """

    embedder: Embedder
    trouble: str = ""

    async def learn(self, there: Questions) -> None:
        """Embed all questions that are there.

        Raises:
            ModelError: UNAVAILABLE.
            RunStopped, StoreError: from the model.
        """
        texts = there.texts
        for at in range(0, len(texts), BATCH):
            batch = texts[at : at + BATCH]
            call = CallId(_THERE, at // BATCH + 1, Role.EMBEDDING)
            vectors = await self._embed(call, [question for question, _ in batch])
            for (question, voice), vector in zip(batch, vectors, strict=False):
                there.means(question, voice, vector)

    async def fill(self, progress: Progress) -> None:
        """Give the candidates of an attempt their vectors.

        Raises:
            ModelError, RunStopped, StoreError: as `learn`.
        """
        candidates = progress.candidates
        if not candidates:
            return
        call = CallId(progress.unit.key, progress.attempt, Role.EMBEDDING, "questions")
        vectors = await self._embed(call, [candidate.question for candidate in candidates])
        if vectors:
            pairs = zip(candidates, vectors, strict=True)
            progress.candidates = [replace(candidate, vector=v) for candidate, v in pairs]

    async def _embed(self, call: CallId, texts: Sequence[str]) -> Sequence[Vector]:
        try:
            return await self.embedder.embed(call, texts)
        except ModelError as error:
            if error.fault is ModelFault.UNAVAILABLE:
                raise
            self.trouble = str(error)
            return []
