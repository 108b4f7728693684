"""How the agenda user words its acts: the persona's phrases, never the same message twice."""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from simulator.core.persona import Persona
from simulator.users._phrases import phrases_of

_ROOM = 2.0  # a message may be so many times as long as the persona's usual one
_FINAL = " 。．.、,"
_HEAD = re.compile(r"[\s、。,.!…:：]")
_QUESTION_ENDS = ("?", "？", "か。", "か", "…？")


@dataclass(frozen=True, slots=True)
class Line:
    """A wording of one act, filled in; `facts` are those that it gives away."""

    act: str
    text: str
    wording: str
    facts: tuple[str, ...] = ()


class Wording:
    """The mouth of one user in one conversation."""

    def __init__(self, persona: Persona, rng: random.Random) -> None:
        self._persona = persona
        self._rng = rng
        self._used: set[str] = set()

    def lines(self, act: str, **values: str) -> list[Line]:
        """All wordings of an act in an order drawn anew, those that were never used first."""
        wordings = list(phrases_of(self._persona, act))
        self._rng.shuffle(wordings)
        wordings.sort(key=self._used.__contains__)  # stable
        return [Line(act, _filled(wording, values), wording) for wording in wordings]

    def tellings(self, facts: Sequence[str], *, asked: bool) -> list[Line]:
        """Wordings that give away these facts at once; unasked, none that ends with a question."""
        between = "。" if self._persona.language == "ja" else ". "
        lines = self.lines("tell", fact=between.join(fact.strip(_FINAL) for fact in facts))
        plain = [line for line in lines if not line.text.endswith(_QUESTION_ENDS)]
        chosen = lines if asked else plain or lines
        return [replace(line, facts=tuple(facts)) for line in chosen]

    def compose(
        self, said: Iterable[str], plans: Iterable[Sequence[list[Line]]]
    ) -> tuple[str, tuple[Line, ...]] | None:
        """The first message that is new and about as long as this persona writes.

        A plan is a row of parts, each with its wordings; the plans come best first. If no message
        is short enough, it is the shortest one that is new; None if there is none.
        """
        before = set(said)
        shortest: tuple[str, tuple[Line, ...]] | None = None
        for text, lines in self._messages(plans):
            if text in before:
                continue
            if self._size(text) <= _ROOM * self._persona.style.length:
                shortest = text, lines
                break
            if shortest is None or len(text) < len(shortest[0]):
                shortest = text, lines
        if shortest:
            self._used.update(line.wording for line in shortest[1])
        return shortest

    def _messages(
        self, plans: Iterable[Sequence[list[Line]]]
    ) -> Iterator[tuple[str, tuple[Line, ...]]]:
        space = "" if self._persona.language == "ja" else " "
        for plan in plans:
            for lines in product(*plan):
                texts = [line.text for line in lines]
                if not _starts_alike(texts):
                    yield space.join(texts), lines

    def _size(self, text: str) -> int:
        return len(text) if self._persona.language == "ja" else len(text.split())


def _starts_alike(texts: Sequence[str]) -> bool:
    """Whether a part starts as an earlier one does or ends: *I'm lost, sorry. Sorry, …*."""
    heads = [_HEAD.split(text.casefold(), maxsplit=1)[0] for text in texts]
    return any(
        len(head) > 2 and head in earlier.casefold()
        for at, head in enumerate(heads)
        for earlier in texts[:at]
    )


def _filled(wording: str, values: dict[str, str]) -> str:
    for name, value in values.items():  # one slot each, so nothing is filled in twice
        wording = wording.replace(f"{{{name}}}", value)
    return wording
