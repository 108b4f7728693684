"""What a stored conversation was judged by, as long as its file still says so."""

from pathlib import Path

from simulator.core.plan import Cell
from simulator.core.run import Run
from simulator.core.scenario import Expected
from simulator.execution.stored_talks import expected_of
from tests.execution.clients import client
from tests.execution.played import LINES, SCENARIOS, played, requested
from tests.execution.recordings import FILE, answers, scored


def of(run: Run, scenario: str) -> Expected | None:
    cells = [episode.cell for episode in run.episodes()]
    return expected_of(run.header, next(c for c in cells if c.scenario == scenario))


async def test_a_scenario_that_is_as_it_was_tells_what_it_expects(tmp_path: Path) -> None:
    run = await played(requested(tmp_path, limit=3))
    found = of(run, "shipping")
    assert found is not None
    assert (("500円",),) == found.elements


async def test_a_scenario_that_changed_tells_nothing(tmp_path: Path) -> None:
    run = await played(requested(tmp_path, limit=3))
    client(tmp_path, LINES, scenarios=SCENARIOS.replace("[500円]", "[700円]", 1))
    assert of(run, "shipping") is None


async def test_a_client_that_is_gone_or_broken_tells_nothing(tmp_path: Path) -> None:
    run = await played(requested(tmp_path, limit=3))
    (Path(run.header.folder) / "client.yaml").write_text("language: [", "utf-8")
    assert of(run, "shipping") is None
    assert expected_of(run.header, Cell("gone", "calm")) is None


async def test_a_row_tells_what_stands_beside_it_until_the_file_changes(tmp_path: Path) -> None:
    run = await scored(tmp_path, answers(tmp_path))
    found = of(run, "b")
    assert found is not None
    assert (("30日",), ("返品",)) == found.elements
    answers(tmp_path, FILE.replace("30日", "60日"))
    assert of(run, "b") is None
    (tmp_path / "a.csv").unlink()
    assert of(run, "b") is None
