"""An embedding model as the other rooms know it: each text of a run is embedded once."""

import asyncio
import json
import math
from array import array
from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from simulator.core.clean import clean
from simulator.core.errors import ModelError, ModelFault
from simulator.core.ports import CallId, CallRecord, Usage, Vector
from simulator.llm.budget import Paid, input_hash
from simulator.llm.parameters import EmbeddingRequest
from simulator.llm.replies import Failure, FailureKind, ModelAnswer, error_within, excerpt, usage_of
from simulator.llm.structured import what_failed

_FLOAT = "f"  # 32 bits, as endpoints have them; the same after a resume as before


def read_vectors(data: Any, headers: Mapping[str, str], content: bytes) -> ModelAnswer | Failure:
    """An embeddings response as an answer whose text is `packed` (replies.Reader).

    Vectors come as lists of numbers or, from endpoints that ignore `encoding_format`, in base64.
    They are in the order of their `index`. Whether they can be used is not looked at here: an
    endpoint that sends NaN does so each time.
    """
    if not isinstance(data, dict):
        return Failure(FailureKind.MALFORMED, "embeddings that are no object", excerpt(content))
    if data.get("error"):
        return error_within(data["error"], headers, content)
    items = data.get("data")
    try:
        listed = [(item.get("index"), _vector(item["embedding"])) for item in items or ()]
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
        return Failure(FailureKind.MALFORMED, "embeddings that are no numbers", excerpt(content))
    if not listed:
        return Failure(FailureKind.MALFORMED, "embeddings without data", excerpt(content))
    if all(type(index) is int for index, _ in listed):
        listed.sort(key=lambda item: item[0])
    return ModelAnswer(packed([vector for _, vector in listed]), usage=usage_of(data.get("usage")))


def joined(answers: Sequence[ModelAnswer]) -> ModelAnswer:
    """One answer with the vectors of several, in their order; their tokens are added up."""
    texts = [text for answer in answers for text in json.loads(answer.text)]
    used = [answer.usage.input if answer.usage else None for answer in answers]
    known = [tokens for tokens in used if tokens is not None]
    usage = Usage(sum(known)) if len(known) == len(used) else None
    return ModelAnswer(json.dumps(texts), usage=usage)


def packed(vectors: Sequence[Vector]) -> str:
    """Vectors as JSON text: a list of 32-bit floats in base64, a third of their decimals."""
    return json.dumps([b64encode(array(_FLOAT, vector).tobytes()).decode() for vector in vectors])


def unpacked(text: str) -> list[Vector]:
    """The opposite of `packed`."""
    return [array(_FLOAT, b64decode(vector)) for vector in json.loads(text)]


def check_vectors(vectors: Sequence[Vector], length: int | None) -> Sequence[Vector]:
    """The vectors, if they can be compared.

    Args:
        vectors: What came.
        length: How long earlier vectors of this model were; None: there were none.

    Raises:
        ModelError: UNPARSABLE, saying what is wrong with them.
    """
    lengths = {len(vector) for vector in vectors} | ({length} if length else set())
    if 0 in lengths:
        raise _unusable("an empty vector")
    if len(lengths) > 1:
        raise _unusable(f"vectors of different lengths: {', '.join(map(str, sorted(lengths)))}")
    for vector in vectors:
        if not all(map(math.isfinite, vector)):
            raise _unusable("a vector contains NaN or Infinity")
        if not any(vector):
            raise _unusable("a vector of zeros, which has no direction")
    return vectors


def _unusable(what: str) -> ModelError:
    return ModelError(ModelFault.UNPARSABLE, f"the embedding model sent {what}")


def _vector(written: Any) -> Vector:
    if isinstance(written, str):
        return array(_FLOAT, b64decode(written, validate=True))
    if not isinstance(written, list) or any(isinstance(n, bool) for n in written):
        raise TypeError(written)
    return array(_FLOAT, written)


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
        model = self._paid.spec.model
        digest = input_hash([model.encode(), *(text.encode() for text in texts)])
        if record := self._paid.recalled(call, digest):
            return self._taken(record, texts)
        while others := {self._asked[text] for text in texts if text in self._asked}:
            await asyncio.wait(others)
            self._paid.halt.check()
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        known = {text: self._vectors[text] for text in texts if text in self._vectors}
        if not missing:
            record = CallRecord(call, digest, packed(list(map(known.__getitem__, texts))))
            record = replace(record, model=model, attempts=0, reused=True)
            await self._paid.take_over(record)
            return self._taken(record, texts)
        done = asyncio.get_running_loop().create_future()
        self._asked |= dict.fromkeys(missing, done)
        try:
            return self._taken(await self._ask(call, digest, texts, known), texts)
        finally:
            for text in missing:
                del self._asked[text]
            done.set_result(None)

    async def _ask(
        self, call: CallId, digest: str, texts: Sequence[str], known: Mapping[str, Vector]
    ) -> CallRecord:
        """Ask for those that are not there; the record holds all of them."""
        missing = [text for text in dict.fromkeys(texts) if text not in known]

        def response(answer: ModelAnswer) -> str:
            if answer.fault is not None:
                return _faulty(answer.fault, what_failed(answer.fault, answer.finish))
            came = unpacked(answer.text)
            if len(came) != len(missing):
                what = f"the endpoint returned {len(came)} vectors for {len(missing)} texts"
                return _faulty(ModelFault.UNPARSABLE, what)
            vectors = {**known, **dict(zip(missing, came, strict=True))}
            return packed([vectors[text] for text in texts])

        size = sum(len(text.encode()) + _PER_TEXT for text in missing) + _PER_CALL
        spec = self._paid.spec
        inputs = EmbeddingRequest(spec.model, tuple(missing), read_vectors, joined, spec.extra_body)
        _, record = await self._paid.ask(inputs, size, call, digest, response)
        return record

    def _taken(self, record: CallRecord, texts: Sequence[str]) -> Sequence[Vector]:
        """The vectors of a record, which from now on are there."""
        if record.response.startswith("{"):
            failure = json.loads(record.response)
            raise ModelError(ModelFault(failure["fault"]), failure["message"])
        vectors = check_vectors(unpacked(record.response), self._length)
        self._length = len(vectors[0])
        for text, vector in zip(texts, vectors, strict=True):
            self._vectors[text] = vector
            self._vectors.move_to_end(text)
        while len(self._vectors) > _KEPT:
            self._vectors.popitem(last=False)
        return vectors


def _faulty(fault: ModelFault, message: str) -> str:
    """What was paid for and cannot be used is remembered, too: a resume does not pay again."""
    return json.dumps({"fault": fault, "message": message})
