"""An embedding model as the other rooms know it: each text of a run is embedded once."""

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from simulator.core.clean import clean
from simulator.core.errors import ModelError, ModelFault
from simulator.core.ports import CallId, CallRecord, Vector
from simulator.llm.paid import Paid
from simulator.llm.parameters import Inputs
from simulator.llm.replies import Answer
from simulator.llm.structured import FAULTS
from simulator.llm.vectors import checked, packed, read_vectors, unpacked

_KEPT = 4_096  # vectors in memory: 25 MB at 1,536 numbers each
_PER_TEXT = 8  # tokens that providers may add
_PER_CALL = 16


class ModelEmbedder:
    """One embedding model (core.ports.Embedder), for one event loop.

    An expected answer is compared with many replies: its vector is kept, and who asks for a text
    that is just being embedded waits for it. The record of each call holds all the vectors that
    were asked for, also those that were there already, so that a resumed run, which begins with
    nothing in memory, takes the call from the journal and pays nothing again.
    """

    def __init__(self, paid: Paid) -> None:
        self._paid = paid
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._asked: dict[str, asyncio.Future[None]] = {}
        self._length: int | None = None

    async def embed(self, call: CallId, texts: Sequence[str]) -> Sequence[Vector]:
        """See core.ports.Embedder.

        Raises:
            ModelError: REJECTED or UNAVAILABLE; FILTERED; UNPARSABLE for unusable vectors.
            RunStopped: account refused, budget spent, nothing answers, interrupted.
            StoreError: the answer could not be saved; the run is halted.
        """
        if not texts:
            return []
        texts = [clean(text) for text in texts]
        digest = self._digest(texts)
        if record := self._paid.recalled(call, digest):
            return self._taken(record, texts)
        while others := {self._asked[text] for text in texts if text in self._asked}:
            await asyncio.wait(others)
            self._paid.halt.check()
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        there = {text: self._vectors[text] for text in texts if text in self._vectors}
        if not missing:
            record = CallRecord(call, digest, packed(list(map(there.__getitem__, texts))))
            record = replace(record, model=self._paid.spec.model, attempts=0, reused=True)
            await self._paid.commit(record)
            return self._taken(record, texts)
        done = asyncio.get_running_loop().create_future()
        self._asked |= dict.fromkeys(missing, done)
        try:
            return self._taken(await self._ask(call, digest, texts, there), texts)
        finally:
            for text in missing:
                del self._asked[text]
            done.set_result(None)

    async def _ask(
        self, call: CallId, digest: str, texts: Sequence[str], there: Mapping[str, Vector]
    ) -> CallRecord:
        """Ask for those that are not there; the record holds all of them."""
        missing = [text for text in dict.fromkeys(texts) if text not in there]

        def begun(answer: Answer) -> CallRecord:
            if answer.fault is not None:
                return _faulty(call, digest, answer.fault, FAULTS[answer.fault])
            came = unpacked(answer.text)
            if len(came) != len(missing):
                what = f"{len(came)} vectors came for {len(missing)} texts"
                return _faulty(call, digest, ModelFault.UNPARSABLE, what)
            vectors = {**there, **dict(zip(missing, came, strict=True))}
            return CallRecord(call, digest, packed([vectors[text] for text in texts]))

        size = sum(len(text.encode()) + _PER_TEXT for text in missing) + _PER_CALL
        inputs = Inputs(self._paid.spec.model, tuple(missing), read_vectors)
        return await self._paid.ask(inputs, size, begun)

    def _taken(self, record: CallRecord, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors of a record, which from now on are there."""
        if record.response.startswith("{"):
            said = json.loads(record.response)
            raise ModelError(ModelFault(said["fault"]), said["message"])
        vectors = checked(unpacked(record.response), self._length)
        self._length = len(vectors[0])
        for text, vector in zip(texts, vectors, strict=True):
            self._vectors[text] = vector
            self._vectors.move_to_end(text)
        while len(self._vectors) > _KEPT:
            self._vectors.popitem(last=False)
        return vectors

    def _digest(self, texts: Iterable[str]) -> str:
        """The hash of model and texts."""
        parts = [self._paid.spec.model.encode(), *(text.encode() for text in texts)]
        lengths = ",".join(str(len(part)) for part in parts)  # so that no two inputs look alike
        return hashlib.sha256(b"".join([lengths.encode(), *parts])).hexdigest()


def _faulty(call: CallId, digest: str, fault: ModelFault, message: str) -> CallRecord:
    """What was paid for and cannot be used is remembered, too: a resume does not pay again."""
    return CallRecord(call, digest, json.dumps({"fault": fault, "message": message}))
