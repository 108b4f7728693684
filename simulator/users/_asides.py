"""On which turns a person says something beside the matter."""

import random
from math import floor

from simulator.core.plan import seed_of


class Asides:
    """A share of the turns, evenly spread: of any n in a row, share × n, rounded up or down.

    Systematic sampling (Madow and Madow, Annals of Mathematical Statistics 15, 1944), so that
    a talk of a few turns holds the share as well as a long one.
    """

    def __init__(self, share: float, seed: int) -> None:
        self._share = share
        self._start = random.Random(seed_of(seed, "asides")).random()

    def due(self, turn: int) -> bool:
        """Whether this turn, counted from 1, is one of them."""
        return self._up_to(turn) > self._up_to(turn - 1)

    def _up_to(self, turn: int) -> int:
        return floor(self._start + turn * self._share)
