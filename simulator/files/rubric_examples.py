"""The worked examples of a rubric's file against what it sees and how it is answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.core.errors import Complaint
from simulator.core.rubric import SEEN, Said
from simulator.files.hints import hint, shown
from simulator.files.rubric_aspects import ReadAspects, is_given, mappings
from simulator.files.scales import answer_on, right_answers
from simulator.files.yaml_marks import Loc, Marked
from simulator.files.yaml_scalars import EMPTY


@dataclass(frozen=True, slots=True)
class ReadExamples:
    """By the place in the file: the parts of the evidence, and the answer to each aspect."""

    shown: dict[int, tuple[str, ...]] = field(default_factory=dict)
    said: dict[int, dict[str, Said]] = field(default_factory=dict)
    complaints: list[Complaint] = field(default_factory=list)


def read_examples(marked: Marked, aspects: ReadAspects) -> ReadExamples:
    """The examples, and all that is wrong with them."""
    reading = _Reading(marked, aspects)
    for index, entry in mappings(marked, "examples"):
        reading.read(index, entry)
    return reading.found


class _Reading:
    def __init__(self, marked: Marked, aspects: ReadAspects) -> None:
        self.found = ReadExamples()
        self._marked = marked
        self._aspects = aspects
        sees = marked.data.get("sees") if isinstance(marked.data, dict) else None
        self._sees = [part for part in sees if part in SEEN] if isinstance(sees, list) else []

    def read(self, index: int, entry: Mapping[str, Any]) -> None:
        here: Loc = ("examples", index)
        parts = [part for part in SEEN if is_given(entry, part)]
        self.found.shown[index] = tuple(parts)
        self.found.said[index] = {}
        self._shown(parts, here)
        if entry.get("not_applicable") is True:
            self._not_applicable(entry, here)
        else:
            self._said(entry, index)

    def _complain(self, loc: Loc, message: str) -> None:
        self.found.complaints.append(self._marked.complaint(loc, message))

    def _shown(self, parts: list[str], here: Loc) -> None:
        for part in parts:
            if self._sees and part not in self._sees:
                self._complain(
                    (*here, part),
                    f'an example shows "{part}", which the rubric does not see; '
                    f"{hint(part, self._sees)}",
                )
        if not parts:
            self._complain(
                here, f"an example shows nothing; write {' and '.join(self._sees) or 'answer'}"
            )

    def _not_applicable(self, entry: Mapping[str, Any], here: Loc) -> None:
        if is_given(entry, "rating") or entry.get("ratings"):
            self._complain(here, "an example that does not apply has no ratings; remove them")
        if not is_given(self._marked.data, "may_not_apply"):
            self._complain(
                (*here, "not_applicable"),
                "the rubric always applies; write may_not_apply: and when it does not",
            )

    def _said(self, entry: Mapping[str, Any], index: int) -> None:
        here: Loc = ("examples", index)
        names = list(self._aspects.names)
        ratings = entry.get("ratings")
        many = ratings if isinstance(ratings, dict) else {}
        if (one := entry.get("rating", EMPTY)) is not EMPTY:
            if many or len(names) != 1:
                self._complain(
                    (*here, "rating"),
                    "rating: is for a rubric of one aspect; write ratings: {aspect: …} alone",
                )
            else:
                self._answer(names[0], one, (*here, "rating"), index)
            return
        for name, value in many.items():
            self._answer(name, value, (*here, "ratings", name), index)
        if lacking := [name for name in names if name not in many]:
            right = "rating: …" if len(names) == 1 else f"ratings: {{{lacking[0]}: …}}"
            self._complain(here, f"an example lacks {', '.join(lacking)}; write {right}")

    def _answer(self, name: str, value: Any, at: Loc, index: int) -> None:
        names = self._aspects.names
        if name not in names:
            self._complain(at, f"ratings: no aspect {shown(name)}; {hint(name, names)}")
            return
        scale = self._aspects.scales.get(names[name])
        if scale is None:
            return  # what is wrong with it was complained of where it stands
        said = answer_on(scale, value)
        if said is None:
            told = "is empty" if value is EMPTY else f"{shown(value)} is not on the scale"
            self._complain(at, f"ratings.{name}: {told}; write {right_answers(scale)}")
        else:
            self.found.said[index][name] = said
