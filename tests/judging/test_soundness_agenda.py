"""No false alarms on users without a model: they say what the scenarios and personas hold."""

from pathlib import Path

import pytest

from simulator.api import Options, simulate


@pytest.mark.slow
@pytest.mark.parametrize("client", ["demo", "demo-en"])
async def test_agenda_users_of_the_demo_raise_no_alarm(client: str, tmp_path: Path) -> None:
    run = await simulate(client, options=Options(offline=True), store=f"sqlite:///{tmp_path}/a.db")
    alarms = [
        (episode.cell.key, turn.exchange.user, turn.soundness)
        for episode in run.episodes()
        for turn in episode.turns
        if turn.soundness
    ]
    assert run.summary.turns > 100
    assert [] == alarms
