"""Lowest, likely and highest of a figure that is not known yet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Range = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lowest, likely and highest of one figure."""

    lowest: float
    likely: float
    highest: float

    @property
    def ends(self) -> Range:
        """The three figures."""
        return self.lowest, self.likely, self.highest

    def times(self, each: Sequence[float]) -> "Bounds":
        """So many times three amounts, in whole numbers."""
        return Bounds(*(round(n * amount) for n, amount in zip(self.ends, each, strict=True)))

    def less(self, other: "Bounds") -> "Bounds":
        """What is left without another one."""
        return Bounds(*(a - b for a, b in zip(self.ends, other.ends, strict=True)))


def total(parts: Iterable[Bounds]) -> Bounds:
    """The sum of figures that all take the same end."""
    columns = list(zip(*(part.ends for part in parts), strict=True)) or [(0.0,)] * 3
    return Bounds(*map(sum, columns))
