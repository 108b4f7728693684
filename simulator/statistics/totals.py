"""Sums and means that do not depend on the order in which values come in."""

from collections.abc import Iterable
from dataclasses import dataclass

_BITS = 60


@dataclass(slots=True)
class Total:
    """A running sum in fixed point: exact, so that 0.7 a thousand times has the mean 0.7.

    Values of 2⁻⁷ and more in magnitude keep every bit, smaller ones are cut at 2⁻⁶⁰.
    """

    units: int = 0
    count: int = 0

    def add(self, value: float) -> None:
        """Count one more value.

        Raises:
            ValueError, OverflowError: it is not a finite number.
        """
        self.units += int(value * (1 << _BITS))
        self.count += 1

    @property
    def mean(self) -> float | None:
        """The mean so far, correctly rounded; None before the first value."""
        return self.units / (self.count << _BITS) if self.count else None


def mean_of(values: Iterable[float]) -> float | None:
    """The mean of some values, correctly rounded; None where there are none."""
    total = Total()
    for value in values:
        total.add(value)
    return total.mean
