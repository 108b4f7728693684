"""Plays the faulty bots with default settings and no model, and counts what is said of them."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from simulator import Options, simulate
from simulator.core.run import Episode
from tests.planted.bots import FAULTS, Bot, removed
from tests.planted.faqs import Faq, faq


@dataclass
class Tally:
    """What came of the conversations in which a fault was planted; counts."""

    conversations: int = 0
    results: Counter[str] = field(default_factory=Counter)
    whys: Counter[str] = field(default_factory=Counter)
    flagged: int = 0  # conversations with a flagged turn
    turns: int = 0  # flagged ones
    blames: Counter[str] = field(default_factory=Counter)  # the first of each flagged turn
    episodes: list[Episode] = field(default_factory=list)

    def add(self, episode: Episode) -> None:
        self.conversations += 1
        self.episodes.append(episode)
        if episode.finding:
            self.results[episode.finding.result.value] += 1
            self.whys[episode.finding.why.value] += 1
        weak = [t for t in episode.turns if t.flagged]
        self.flagged += bool(weak)
        self.turns += len(weak)
        self.blames.update(str(t.blame) for t in weak)

    def plus(self, other: "Tally") -> "Tally":
        """Both together."""
        total = Tally()
        for episode in (*self.episodes, *other.episodes):
            total.add(episode)
        return total

    def share(self, result: str) -> float:
        """The share of the conversations that came to this result."""
        return self.results[result] / self.conversations if self.conversations else 0.0

    def blamed(self, fault: str) -> float:
        """The share of the flagged turns that name this fault first."""
        return self.blames[fault] / self.turns if self.turns else 0.0


def tally(name: str, bot: str) -> Tally:
    """A bot on one FAQ; the entry is taken from the knowledge base in every other scenario."""
    return _both_halves(faq(name)) if FAULTS[bot] is removed else _played(faq(name), bot)


def table(names: Iterable[str], bots: Iterable[str]) -> Mapping[tuple[str, str], Tally]:
    """By bot and FAQ."""
    return {(b, n): t for b in bots for n in names if (t := tally(n, b)).conversations}


def _both_halves(whole: Faq) -> Tally:
    """Entries are missing in turn, so that there is always a knowledge base to search."""
    asked = sorted({d for c in whole.cases for d in c.documents})
    first, second = (_played(whole.without(asked[n::2]), "removed") for n in (0, 1))
    return first.plus(second)


def _played(faq_: Faq, name: str) -> Tally:
    bot, total = Bot(FAULTS[name], faq_), Tally()
    with tempfile.TemporaryDirectory() as place:
        folder = faq_.write(Path(place) / "client")
        store = f"sqlite:///{place}/runs.db"
        run = asyncio.run(
            simulate(folder, target=bot.answer, options=Options(offline=True), store=store)
        )
        for episode in run.episodes():
            if episode.cell.scenario in bot.planted:
                total.add(episode)
    return total
