"""What a conversation of a stored run was judged by, where its file still says so."""

from pathlib import Path

from simulator.build import snapshot
from simulator.core.errors import InputError
from simulator.core.plan import Cell
from simulator.core.run import RunHeader
from simulator.core.scenario import Expected, Scenario
from simulator.execution.scored import key_of
from simulator.files.answers.reading import read_answers
from simulator.files.client.loading import load_client
from simulator.formats.sources import Source


def expected_of(header: RunHeader, cell: Cell) -> Expected | None:
    """What the scenario of a conversation expects.

    A run keeps hashes of its scenarios, not their texts: None where the client's folder or the
    file of answers is gone, or is not what it was.
    """
    try:
        found = _of_row(header, cell) if header.is_of_rows else _of_client(header, cell)
    except (InputError, OSError):  # it was right when the run began: somebody is editing it
        return None
    return found.expected if found else None


def _of_client(header: RunHeader, cell: Cell) -> Scenario | None:
    scenario = load_client(header.folder, cwd=Path.cwd()).scenarios.get(cell.scenario)
    if scenario is None:
        return None
    now = snapshot.material({scenario.id: scenario}, {})["scenarios"][scenario.id]
    return scenario if header.snapshot.get(f"scenarios.{scenario.id}") == now else None


def _of_row(header: RunHeader, cell: Cell) -> Scenario | None:
    answers = read_answers(Source.of(Path(header.options["file"])), header.language)
    if answers.sha != header.snapshot.get("file.sha"):
        return None
    return next((a.scenario for a in answers.rows() if key_of(a) == cell.key), None)
