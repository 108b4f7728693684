"""What is asked: a scenario, what would be right, what a user may see of it, what none asks."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from simulator.core.persona import Language, Persona
from simulator.core.talk import Document

Element = tuple[str, ...]
"""What an answer has to say, in one of several ways: any one of them will do."""


def element_name(element: Element) -> str:
    """An element as people read it: `6 cents / $0.06`."""
    return " / ".join(element)


class Approval(StrEnum):
    """Who stands behind what a scenario expects."""

    CONFIRMED = "confirmed"  # a person wrote it, or confirmed it after it was generated
    BULK = "bulk"  # confirmed with many others, after a sample of them was judged
    OPEN = "open"  # generated; nobody has confirmed it yet


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence that supports what is expected, with the id of the document that holds it."""

    document: str
    text: str


@dataclass(frozen=True, slots=True)
class Expected:
    """What a right answer looks like. Never shown to a simulated user.

    Of several `answers` any one is right, and of an element any one alternative.
    `answerable` None means that the scenario does not say. `must_not` are statements that would be
    wrong. `quotes` support the elements. Neither they nor `approved` change what is expected.
    """

    answers: tuple[str, ...] = ()
    elements: tuple[Element, ...] = ()
    documents: tuple[str, ...] = ()
    answerable: bool | None = None
    escalate: bool = False
    must_not: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    approved: Approval = Approval.CONFIRMED

    @property
    def answer(self) -> str:
        """The first of the right answers, where one text is needed; empty without any."""
        return self.answers[0] if self.answers else ""

    @property
    def can_be_answered(self) -> bool | None:
        """As the scenario says, or else by its giving anything that an answer would have."""
        if self.answerable is not None:
            return self.answerable
        return True if self.answers or self.elements or self.documents else None

    def plain(self) -> dict[str, Any]:
        """What is expected, as plain values; an empty `must_not` is left out.

        Verdicts are found again by it, so it stays what it was before there was `must_not`, and
        does not change when a person confirms it.
        """
        values = asdict(self)
        del values["quotes"], values["approved"]
        if not self.must_not:
            del values["must_not"]
        return values

    @property
    def refusal_due(self) -> bool:
        """Whether it has to refuse, or to hand over to a person."""
        return self.escalate or self.answerable is False

    @property
    def decides_refusal(self) -> bool:
        """Whether it tells if the bot has to answer, to refuse, or to hand over to a person."""
        return self.escalate or self.can_be_answered is not None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One thing that users come with. An empty `personas` means all of the client's."""

    id: str
    query: str
    goal: str = ""
    known: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    expected: Expected = field(default_factory=Expected)
    personas: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def identity(self) -> dict[str, Any]:
        """All that it says, to tell it from others by a hash.

        One answer and an element without alternatives are plain texts there: hashes of scenarios
        without either stay what they were before there were any.
        """
        said = asdict(self)
        expected = said["expected"] = self.expected.plain()
        answers, elements = expected.pop("answers"), expected.pop("elements")
        said["expected"] = {
            "answer": answers if len(answers) > 1 else self.expected.answer,
            "elements": tuple(e[0] if len(e) == 1 else e for e in elements),
            **expected,
        }
        return said


@dataclass(frozen=True, slots=True)
class Brief:
    """All that a simulated user knows of its task. It holds no expected answer, by type.

    `faults`: tags of what was not sound about this user when the talk was held before.
    """

    language: Language
    persona: Persona
    query: str
    goal: str
    known: tuple[str, ...]
    unknown: tuple[str, ...]
    turns: tuple[str, ...]
    max_turns: int
    min_turns: int
    seed: int
    faults: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, scenario: Scenario, persona: Persona, *, max_turns: int, min_turns: int, seed: int
    ) -> "Brief":
        """The part of a scenario that `persona` may see."""
        return cls(
            language=persona.language,
            persona=persona,
            query=scenario.query,
            goal=scenario.goal,
            known=scenario.known,
            unknown=scenario.unknown,
            turns=scenario.turns,
            max_turns=max_turns,
            min_turns=min_turns,
            seed=seed,
        )


@dataclass(frozen=True, slots=True)
class KnowledgeCoverage:
    """What a run keeps of it when it begins, so that reports may be made elsewhere.

    `entries` are the ids of the knowledge base; `unexpected` how many of them no scenario of the
    client expects; `silent` how many of the `scenarios` expect nothing at all.
    """

    entries: tuple[str, ...]
    unexpected: int
    scenarios: int
    silent: int

    def never_found(self, found: frozenset[str]) -> int | None:
        """How many entries are not among the ids that came with a run's replies.

        None where none of those ids is an entry's: the bot names no documents, or others.
        """
        came = found.intersection(self.entries)
        return len(self.entries) - len(came) if came else None


@dataclass(frozen=True, slots=True)
class ScenarioCoverage:
    """The same, by name: `expecting` has for each entry's id the scenarios that expect it."""

    entries: tuple[Document, ...]
    expecting: Mapping[str, tuple[str, ...]]
    silent: tuple[str, ...]
    scenarios: int

    @property
    def unexpected(self) -> tuple[Document, ...]:
        """The entries that no scenario expects, in the files' order."""
        return tuple(entry for entry in self.entries if str(entry.id) not in self.expecting)

    def never_found(self, found: frozenset[str]) -> Sequence[Document] | None:
        """The entries that did not come; None as `KnowledgeCoverage.never_found`."""
        missing = tuple(entry for entry in self.entries if str(entry.id) not in found)
        return missing if len(missing) < len(self.entries) else None

    def counts(self) -> KnowledgeCoverage:
        """What a run keeps of it."""
        ids = tuple(str(entry.id) for entry in self.entries)
        return KnowledgeCoverage(ids, len(self.unexpected), self.scenarios, len(self.silent))
