"""The report beside a generated file: what was kept and with which hash, what was dropped and why.

One JSON object a line. It is also the memory by which a later session continues.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from simulator.formats.sources import Source

Status = Literal["kept", "edited", "deleted", "dropped", "unfilled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One question of a unit, or (unfilled) the numbers for which none was found.

    `kept`, `edited` and `deleted` say where the scenario `id` stands: as it was written, changed
    by hand, or taken out by hand. `dropped`: what `fault` and `detail` say. `ranks`: where a
    search finds the entries by this question (None: not among the first 50). `scenario`, `entry`
    and `made` are hashes: of the scenario as written, of the entries' texts, of what it was made
    with.
    """

    status: Status
    unit: str
    method: str
    entries: tuple[str, ...]
    persona: str = ""
    number: int = 0
    id: str = ""
    query: str = ""
    fault: str = ""
    detail: str = ""
    attempt: int = 0
    checks: int = 0
    found_faulty: int = 0
    ranks: Mapping[str, int | None] = field(default_factory=dict)
    model: str = ""
    scenario: str = ""
    entry: str = ""
    made: str = ""

    @property
    def has_number(self) -> bool:
        """Whether a scenario came of it: it stands in the file, or somebody took it out."""
        return self.status in ("kept", "edited", "deleted")


_LINE = TypeAdapter(Line)
_DEFAULTS = {f.name: f.default for f in fields(Line)}


def report_path(output: Path) -> Path:
    """The report that belongs to a generated file."""
    return output.with_name(f"{output.stem}.report.jsonl")


def read_report(path: Path) -> list[Line]:
    """The lines of a report; none where there is no file.

    Raises:
        InputError: it cannot be read, or a line is none of a report.
    """
    if not path.exists():
        return []
    source = Source.of(path)
    found = []
    for number, text in enumerate(source.text().split("\n"), start=1):
        if not text.strip():
            continue
        try:
            found.append(_LINE.validate_json(text))
        except ValidationError as error:
            raise source.error(
                number,
                "this is no line of a report of `mogi generate`; take the line out "
                "(its question may then be made again)",
            ) from error
    return found


def report_text(lines: Iterable[Line]) -> str:
    """The lines as JSON; what is empty is left out."""
    return "".join(f"{json.dumps(_data(line), ensure_ascii=False)}\n" for line in lines)


def _data(line: Line) -> dict[str, object]:
    return {
        name: value
        for name, value in asdict(line).items()
        if value != _DEFAULTS[name] and value != {}
    }
