"""No false alarms on users without a model: they say what the scenarios and personas hold."""

from pathlib import Path

import pytest

from simulator.api import Options, simulate
from simulator.files.catalog import Catalog


@pytest.mark.slow
@pytest.mark.parametrize("client", ["demo", "demo-en"])
async def test_agenda_users_of_the_demo_raise_no_alarm(client: str, tmp_path: Path) -> None:
    everybody = tuple(Catalog(None, Path.cwd()).persona_ids("ja"))
    options = Options(offline=True, personas=everybody)
    run = await simulate(client, options=options, store=f"sqlite:///{tmp_path}/a.db")
    alarms = [
        (episode.cell.key, turn.exchange.user, turn.soundness)
        for episode in run.episodes()
        for turn in episode.turns
        if turn.soundness
    ]
    assert run.summary.turns > 500
    assert [] == alarms
