"""How long a person takes to judge one answer."""

from collections.abc import Mapping

from simulator.core.persona import Language
from simulator.core.run import Episode, Turn

# Reading speed in characters a second (Trauzettel-Klosinski & Dietz 2012, Investigative
# Ophthalmology & Visual Science 53:5452-5461: 987 and 357 a minute).
_READ: Mapping[Language, float] = {"en": 987 / 60, "ja": 357 / 60}
DECIDE_S = 10.0
"""To make up one's mind and choose, beside reading: an assumption."""
_EARLIER = 1_500  # characters of what was said before, as a worksheet shows it


def seconds_to_judge(episode: Episode, turn: Turn, language: Language) -> float:
    """Characters to read / reading speed + the time to decide."""
    before = [e.exchange for e in episode.turns if e.exchange.turn < turn.exchange.turn]
    earlier = sum(len(said.user) + len(said.assistant) for said in before)
    expected = episode.scenario.expected.answers if episode.scenario else ()
    shown = len(turn.exchange.user) + len(turn.exchange.assistant) + sum(map(len, expected))
    return (shown + min(earlier, _EARLIER)) / _READ[language] + DECIDE_S
