"""The answer of an embedding endpoint: read, checked, and packed for the journal."""

import json
import math
from array import array
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from simulator.core.errors import ModelError, ModelFault
from simulator.core.ports import Vector
from simulator.llm.replies import Answer, Failure, Trouble, error_within, kept, usage_of

_FLOAT = "f"  # 32 bits, as endpoints have them; the same after a resume as before


def read_vectors(data: Any, headers: Mapping[str, str], content: bytes) -> Answer | Failure:
    """An embeddings response as an answer whose text is `packed` (replies.Reader).

    Vectors come as lists of numbers or, from endpoints that ignore `encoding_format`, in base64.
    They are in the order of their `index`. Whether they can be used is not looked at here: an
    endpoint that sends NaN does so each time.
    """
    if not isinstance(data, dict):
        return Failure(Trouble.MALFORMED, "embeddings that are no object", kept(content))
    if data.get("error"):
        return error_within(data["error"], headers, content)
    items = data.get("data")
    try:
        listed = [(item.get("index"), _vector(item["embedding"])) for item in items or ()]
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
        return Failure(Trouble.MALFORMED, "embeddings that are no numbers", kept(content))
    if not listed:
        return Failure(Trouble.MALFORMED, "embeddings without data", kept(content))
    if all(type(index) is int for index, _ in listed):
        listed.sort(key=lambda item: item[0])
    return Answer(packed([vector for _, vector in listed]), usage=usage_of(data.get("usage")))


def packed(vectors: Sequence[Vector]) -> str:
    """Vectors as JSON text: a list of 32-bit floats in base64, a third of their decimals."""
    return json.dumps([b64encode(array(_FLOAT, vector).tobytes()).decode() for vector in vectors])


def unpacked(text: str) -> list[Vector]:
    """The opposite of `packed`."""
    return [_of_bytes(b64decode(vector)) for vector in json.loads(text)]


def checked(vectors: Sequence[Vector], length: int | None) -> Sequence[Vector]:
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
            raise _unusable("a vector holds NaN or Infinity")
        if not any(vector):
            raise _unusable("a vector of zeros, which has no direction")
    return vectors


def _unusable(what: str) -> ModelError:
    return ModelError(ModelFault.UNPARSABLE, f"the embedding model sent {what}")


def _vector(written: Any) -> Vector:
    if isinstance(written, str):
        return _of_bytes(b64decode(written, validate=True))
    if not isinstance(written, list) or any(isinstance(n, bool) for n in written):
        raise TypeError(written)
    return array(_FLOAT, written)


def _of_bytes(data: bytes) -> Vector:
    found = array(_FLOAT)
    found.frombytes(data)
    return found
