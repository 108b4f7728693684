"""The page's view of pairs: the worksheet's columns as data, and what a person chose there."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from simulator.core.errors import InputError
from simulator.core.persona import Language
from simulator.formats.sources import shown
from simulator.improve import stored
from simulator.improve.pairs import Choice, Pair, Right, rights_of
from simulator.words import Words

_MOST = 10_000  # pairs of one request
_COLUMNS = ("question", "before", "after", "why", "right")


class _Sent(BaseModel):
    """What was chosen, by the keys of pairs."""

    model_config = ConfigDict(extra="forbid")

    choices: Annotated[dict[str, Right], Field(max_length=_MOST)]


@dataclass(frozen=True, slots=True)
class PairsDoor:
    """The view of the pairs that a run's proof left to people; its files are in a folder."""

    run: str
    language: Language
    beside: Path

    def state(self) -> dict[str, object]:
        """What the page shows by now; without a proof nothing.

        Raises:
            InputError: the proof or what was chosen is damaged.
        """
        words = Words(self.language, "improve", "report")
        rights = rights_of(stored.read_choices(self.run, self.beside))
        pairs = self._pairs()
        chosen = sum(pair.key in rights for pair in pairs)
        return {
            "heads": {name: words(f"pairs.head.{name}") for name in _COLUMNS},
            "choices": {right.value: words(f"pairs.{right}") for right in Right},
            "rows": [{"key": p.key, "pair": asdict(p), "right": rights.get(p.key)} for p in pairs],
            "chosen": words("pairs.read", n=chosen) if chosen else "",
        }

    def take(self, body: bytes) -> dict[str, object]:
        """Keep what was chosen as a worksheet that is taken back keeps it; what there is then.

        Raises:
            InputError: a pair is unknown, or nothing can be written.
        """
        sent = _Sent.model_validate_json(body).choices
        earlier = (choice.pair for choice in stored.read_choices(self.run, self.beside))
        known = {pair.key: pair for pair in (*earlier, *self._pairs())}
        if unknown := sent.keys() - known.keys():
            raise InputError(f"{shown(min(unknown))} isn't in this run's latest pairs")
        choices = [Choice(known[key], right) for key, right in sent.items()]
        stored.keep_choices(self.run, choices, self.beside)
        return self.state()

    def _pairs(self) -> tuple[Pair, ...]:
        if not stored.place_of(self.run, self.beside).is_file():
            return ()
        return stored.read(self.run, self.beside).pairs
