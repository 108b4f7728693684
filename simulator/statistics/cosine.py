"""How alike two directions are."""

import math
from collections.abc import Sequence
from operator import mul


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of the angle between two vectors, -1 to 1: a·b / (|a| |b|).

    Raises:
        ValueError: they differ in length, or one of them has no direction (empty, zeros, NaN).
    """
    if len(one) != len(other):
        raise ValueError(f"a cosine needs two vectors of one length; got {len(one)}, {len(other)}")
    size = math.hypot(*one) * math.hypot(*other)
    if not size > 0 or not math.isfinite(size):
        raise ValueError("a cosine needs two vectors of finite numbers, not all of them 0")
    return max(-1.0, min(1.0, math.fsum(map(mul, one, other)) / size))
