"""Which turns people look at: the flagged ones, and a random sample of the others."""

from dataclasses import dataclass
from enum import StrEnum

from simulator.core.plan import seed_of

_WHOLE = 1 << 63  # what `seed_of` stays below


@dataclass(frozen=True, slots=True)
class Audit:
    """How the sample of unflagged turns is drawn: each with probability `share`, by `seed`.

    Flagged turns alone tell how many flags are right, and never how much they miss.
    """

    share: float = 0.0
    seed: int = 0

    def draws(self, episode: str, turn: int) -> bool:
        """Whether this turn is in the sample if it is not flagged; the same whenever it is asked.

        Depends on nothing but the seed and the turn's name, so that a resume, another order of
        conversations and another machine draw the same.
        """
        return seed_of(self.seed, "audit", episode, turn) < self.share * _WHOLE


class Sampled(StrEnum):
    """Why a turn is shown to people."""

    FLAGGED = "flagged"
    AUDIT = "audit"
