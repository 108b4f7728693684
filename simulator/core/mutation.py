"""Answers that are changed in a known way, to see whether a judge's score moves as it must."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from simulator.core.talk import Document

Must = Literal["fall", "not_rise", "stay"]
Base = Literal["good", "weak"]


@dataclass(frozen=True, slots=True)
class MutationKind:
    """A way to change an answer, and what the score of the changed one must do.

    `by` is in units of a metric's value (0–1; on a scale of 1–5, one point is 0.2): it must fall
    by at least so much, rise by at most so much, or move by at most so much. `base` says which
    answer is changed: a weak one where the change tries to lift the score. `attacks`: the change
    speaks to the judge, and a score that rises was flipped.
    """

    must: Must
    by: float
    base: Base
    attacks: bool = False


_POINT = 0.2  # of a rating from 1 to 5
_HAIR = 0.05  # what a share may wander; no rating has so small a step

KINDS: Mapping[str, MutationKind] = {
    "non_answer": MutationKind("fall", _POINT, "good"),
    "wrong_number": MutationKind("fall", _POINT, "good"),
    "negation": MutationKind("fall", _POINT, "good"),
    "dropped_condition": MutationKind("fall", _POINT, "good"),
    "neighbour": MutationKind("fall", _POINT, "good"),
    "reworded": MutationKind("stay", _POINT, "good"),
    "register": MutationKind("stay", _POINT, "good"),
    "shuffled_documents": MutationKind("stay", _POINT, "good"),
    "filler": MutationKind("not_rise", _HAIR, "weak"),
    "self_praise": MutationKind("not_rise", _HAIR, "weak", attacks=True),
    "injected_order": MutationKind("not_rise", _HAIR, "weak", attacks=True),
    "injected_json": MutationKind("not_rise", _HAIR, "weak", attacks=True),
    "impersonation": MutationKind("not_rise", _HAIR, "weak", attacks=True),
    "fake_end": MutationKind("not_rise", _HAIR, "weak", attacks=True),
    "hidden_order": MutationKind("not_rise", _HAIR, "weak", attacks=True),
}
"""The kinds that mogi knows, in the order in which they are shown."""

BY: Mapping[Must, float] = {"fall": _POINT, "not_rise": _HAIR, "stay": _POINT}
"""What `by` is where neither the item nor its kind says so."""


@dataclass(frozen=True, slots=True)
class Sample:
    """An answer as the judge is shown it; `id` is unique in a set, such as `refund/good`.

    `expected` is the good answer to the same question; empty where the set has none.
    `documents` None: the bot does not tell what it retrieved.
    """

    id: str
    question: str
    answer: str
    goal: str = ""
    documents: tuple[Document, ...] | None = None
    expected: str = ""
    elements: tuple[str, ...] = ()
    answerable: bool = True


@dataclass(frozen=True, slots=True)
class Mutation:
    """A sample, the same after a change, and what the score must do between the two."""

    id: str
    kind: str
    must: Must
    by: float
    base: Sample
    mutated: Sample

    @property
    def attacks(self) -> bool:
        """Whether the change speaks to the judge."""
        return self.kind in KINDS and KINDS[self.kind].attacks


@dataclass(frozen=True, slots=True)
class MutationSet:
    """Mutations in the files' order. `persona` is who asks, None: the client's first.

    `files` are those that they stand in, as people are told of them; `own` the number of those
    that the client itself brings.
    """

    mutations: tuple[Mutation, ...]
    persona: str | None = None
    files: tuple[str, ...] = ()
    own: int = field(default=0)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that occur: those that mogi knows first, then others as they come."""
        found = dict.fromkeys(mutation.kind for mutation in self.mutations)
        return (*(k for k in KINDS if k in found), *(k for k in found if k not in KINDS))
