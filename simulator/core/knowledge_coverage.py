"""What of a client's knowledge its scenarios come to: what was never tested is not done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulator.core.talk import Document


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
