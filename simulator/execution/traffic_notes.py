"""What a run's record says of its calls: what they waited for, and prompts that endpoints cut."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from simulator.build.snapshot import note
from simulator.core.persona import Language
from simulator.core.run import RunHeader
from simulator.core.traffic import CallEnd, Limit, Traffic
from simulator.reports._figures import duration

_TOLD_S = 5.0
_TOLD_SHARE = 0.1  # of the run's time
# There, the model or the bot is what is slow.
_ADVISED = frozenset(Limit) - {Limit.CONCURRENCY, Limit.FIRST_ANSWER}
_LEAST_CUT = 500  # tokens: no endpoint's context is smaller, while canned figures are
_ALIKE = 3  # prompts of different lengths that were counted alike
_LONGER = 1.25


@dataclass(slots=True)
class _Longest:
    """The most tokens that were counted of a prompt, and the lengths of those prompts in bytes."""

    tokens: int = 0
    sent: set[int] = field(default_factory=set)

    @property
    def is_cut(self) -> bool:
        if self.tokens < _LEAST_CUT or len(self.sent) < _ALIKE:
            return False
        return max(self.sent) >= _LONGER * min(self.sent)


class Prompts:
    """A listener that notices where prompts are cut: the count stays while the prompts grow."""

    def __init__(self) -> None:
        self._longest: dict[tuple[str, str], _Longest] = {}

    def __call__(self, call: CallEnd) -> None:
        """Look at a call; those whose tokens or length are not known tell nothing."""
        tokens = call.usage.input
        if not tokens or not call.sent:
            return
        found = self._longest.setdefault((call.model, call.endpoint), _Longest())
        if tokens > found.tokens:
            found.tokens, found.sent = tokens, {call.sent}
        elif tokens == found.tokens and len(found.sent) < 100:
            found.sent.add(call.sent)

    def cut(self) -> Mapping[tuple[str, str], int]:
        """At how many tokens prompts are cut, by model and endpoint; nothing of the others."""
        return {place: found.tokens for place, found in self._longest.items() if found.is_cut}


def added(
    before: Mapping[str, Mapping[str, float]], traffic: Traffic
) -> dict[str, dict[str, float]]:
    """The seconds waited in earlier starts of a run and in this one; short waits are left out."""
    whole = {place: dict(waits) for place, waits in before.items()}
    for place, waits in traffic.waited().items():
        for name, seconds in waits.items():
            if seconds >= 0.1:
                there = whole.setdefault(place, {})
                there[name] = round(there.get(name, 0.0) + seconds, 1)
    return whole


def notes(header: RunHeader, prompts: Prompts) -> Iterator[str]:
    """What people are told, in the client's language."""
    language = header.language
    for place, waits in header.waits.items():
        for name, seconds in waits.items():
            if name in _ADVISED and seconds >= max(_TOLD_S, _TOLD_SHARE * header.wall_s):
                yield _waited(language, place, name, seconds, header.wall_s)
    for (model, endpoint), tokens in prompts.cut().items():
        yield note(language, "cut", model=model, endpoint=endpoint, tokens=tokens)


def _waited(language: Language, place: str, name: str, seconds: float, wall_s: float) -> str:
    return note(
        language,
        f"waited.{name}",
        place=place,
        waited=duration(seconds),
        wall=duration(wall_s),
    )
