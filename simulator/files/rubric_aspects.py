"""The aspects of a rubric's file, as far as their keys fit one another.

They are looked at as they were written, so that one wrong key does not hide the others.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from simulator.core.errors import Complaint
from simulator.core.rubric import OWN_WORDS, YES_NO, Labels, Said, Scale
from simulator.files.scales import answer_on, number_of, read_scale, right_answers
from simulator.files.yaml_marks import Loc, Marked
from simulator.files.yaml_scalars import EMPTY


@dataclass(frozen=True, slots=True)
class ReadAspects:
    """Names and their places in the file; scales and anchors (with their keys) by that place."""

    names: dict[str, int] = field(default_factory=dict)
    scales: dict[int, Scale] = field(default_factory=dict)
    anchors: dict[int, dict[Said, str]] = field(default_factory=dict)
    complaints: list[Complaint] = field(default_factory=list)


def mappings(marked: Marked, key: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The mappings in the list under `key`, with their places in it."""
    written = marked.data.get(key) if isinstance(marked.data, dict) else None
    for index, entry in enumerate(written if isinstance(written, list) else []):
        if isinstance(entry, dict):
            yield index, entry


def is_given(entry: Mapping[str, Any], key: str) -> bool:
    """Whether a key stands there with something behind it."""
    return entry.get(key) not in (None, EMPTY)


def read_aspects(marked: Marked, computed: Mapping[str, str]) -> ReadAspects:
    """The aspects; `computed` are metrics of plugins, by which no aspect can be called."""
    reading = _Reading(marked, computed)
    for index, entry in mappings(marked, "aspects"):
        reading.read(index, entry)
    return reading.found


class _Reading:
    def __init__(self, marked: Marked, computed: Mapping[str, str]) -> None:
        self.found = ReadAspects()
        self._marked = marked
        self._computed = computed

    def read(self, index: int, entry: Mapping[str, Any]) -> None:
        here: Loc = ("aspects", index)
        if isinstance(name := entry.get("name"), str):
            self._name(name, index)
        if (written := entry.get("scale", EMPTY)) is EMPTY:
            return
        scale = read_scale(written, partial(self._complain_below, (*here, "scale")))
        if scale is not None:
            self.found.scales[index] = scale
            self._anchors(entry.get("anchors"), scale, index)
            self._direction(entry, scale, here)

    def _complain(self, loc: Loc, message: str) -> None:
        self.found.complaints.append(self._marked.complaint(loc, message))

    def _complain_below(self, here: Loc, loc: Loc, message: str) -> None:
        self._complain((*here, *loc), message)

    def _name(self, name: str, index: int) -> None:
        here: Loc = ("aspects", index, "name")
        names = self.found.names
        if name in names:
            line = self._marked.line(("aspects", names[name], "name"))
            self._complain(
                here, f'the aspect "{name}" stands on line {line} already; give it another name'
            )
        elif name in OWN_WORDS:
            self._complain(here, f'"{name}" is kept for the judge\'s own words; rename the aspect')
        elif name in self._computed:
            self._complain(
                here,
                f'"{name}" is computed by the metric {self._computed[name]}; rename the aspect',
            )
        names.setdefault(name, index)

    def _anchors(self, written: Any, scale: Scale, index: int) -> None:
        known = self.found.anchors[index] = {}
        for key in written if isinstance(written, dict) else ():
            said = answer_on(scale, key if isinstance(scale, Labels) else number_of(key))
            if said is None:
                self._complain(
                    ("aspects", index, "anchors", key),
                    f"anchors: {key} is not on the scale; write {right_answers(scale, 'ratings')}",
                )
            else:
                known[said] = key

    def _direction(self, entry: Mapping[str, Any], scale: Scale, here: Loc) -> None:
        low, right = entry.get("low_is_good") is True, is_given(entry, "right_if")
        if low and isinstance(scale, Labels) and scale != YES_NO:
            self._complain(
                (*here, "low_is_good"),
                "low_is_good: labels say their values themselves; give what is good the high one",
            )
        if right and scale != YES_NO:
            self._complain((*here, "right_if"), "right_if: the scale is another; write yes/no")
        elif right and low:
            self._complain(
                (*here, "low_is_good"), "low_is_good: right_if says what is good; remove it"
            )
